{{ config(meta={'dagster': {'ref': {'name': 'int_fills'}}}) }}

-- The parts of a sale are the whole sale, in units and in dollars.
with

sales as (

    select event_id, qty_raw, value_usd
    from {{ ref('int_ledger_events') }}
    where kind = 'sell'

),

parts as (

    select event_id, sum(qty_raw) as qty_raw, sum(proceeds_usd) as proceeds_usd
    from {{ ref('stg_replay__fills') }}
    group by event_id

)

select event_id, sales.qty_raw, parts.qty_raw as parts_raw, sales.value_usd, parts.proceeds_usd
from sales
full join parts using (event_id)
where
    sales.qty_raw is distinct from parts.qty_raw
    or sales.value_usd is distinct from parts.proceeds_usd
