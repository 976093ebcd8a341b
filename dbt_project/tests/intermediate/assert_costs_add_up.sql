{{ config(meta={'dagster': {'ref': {'name': 'int_ledger_events'}}}) }}

-- Cost in = cost removed + cost remaining, exactly (METHODS 5), for positions where every removal is a
-- sale of units held: what a transfer takes along is not a fill, an excess has no cost of its own.
with

walked as (

    select
        events.position_id,
        events.kind,
        sum(case when events.kind in ('buy', 'transfer_in') then events.qty_raw else -events.qty_raw end) over (
            partition by events.position_id order by events.event_id
        ) as seen_raw,
        case
            when events.kind = 'buy' then events.value_usd
            when events.kind = 'transfer_in' and methods.transfer_in = 'estimated' then events.value_usd
        end as cost_in_usd
    from {{ ref('int_ledger_events') }} as events
    inner join {{ ref('int_methods') }} as methods on events.method = methods.method

),

costs_in as (

    select position_id, coalesce(sum(cost_in_usd), 0) as cost_in_usd
    from walked
    group by position_id
    having min(seen_raw) >= 0 and not bool_or(kind = 'transfer_out')

),

costs_out as (

    select position_id, sum(cost_usd) as cost_out_usd
    from {{ ref('stg_replay__fills') }}
    group by position_id

),

costs_left as (

    select position_id, open_cost_usd from {{ ref('stg_replay__positions') }}

)

select
    costs_in.position_id,
    costs_in.cost_in_usd,
    costs_out.cost_out_usd,
    costs_left.open_cost_usd
from costs_in
left join costs_out using (position_id)
left join costs_left using (position_id)
where
    costs_in.cost_in_usd
    <> coalesce(costs_out.cost_out_usd, 0) + coalesce(costs_left.open_cost_usd, 0)
