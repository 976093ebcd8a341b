{{ config(meta={'dagster': {'ref': {'name': 'int_ledger_events'}}}) }}

-- Opening + bought + in + unseen - sold - out = open, exactly, per position (METHODS 5). What is sold or
-- sent beyond the holding was never seen to arrive: the holding walks along and never goes below zero.
with

walked as (

    select
        position_id,
        sum(case when kind in ('buy', 'transfer_in') then qty_raw else -qty_raw end) over (
            partition by position_id order by event_id
        ) as seen_raw,
        event_id
    from {{ ref('int_ledger_events') }}

),

expected as (

    select
        position_id,
        max_by(seen_raw, event_id) - least(0, min(seen_raw)) as open_qty_raw
    from walked
    group by position_id

),

replayed as (

    select position_id, open_qty_raw from {{ ref('stg_replay__positions') }}

)

select
    position_id,
    expected.open_qty_raw as expected_raw,
    replayed.open_qty_raw as replayed_raw
from expected
full join replayed using (position_id)
inner join (
    select distinct events.position_id
    from {{ ref('int_ledger_events') }} as events
    inner join {{ ref('int_methods') }} as methods on events.method = methods.method
    where methods.transfer_in <> 'ignored'
) as carried using (position_id)
where expected.open_qty_raw is distinct from coalesce(replayed.open_qty_raw, 0)
