{{ config(materialized='view') }}

with

lots as (

    select * from {{ ref('stg_replay__lots') }}

),

events as (

    select * from {{ ref('int_ledger_events') }}

),

final as (

    select
        lots.method,
        events.chain,
        events.wallet,
        events.token,
        events.tx_id || ':' || events.leg as lot_id,
        events.tx_id,
        events.leg,
        make_timestamp(events.block_time_s * 1000000) as opened_at,
        lots.qty_raw,
        lots.cost_usd,
        lots.cost_native_raw,
        lots.cost_known,
        lots.qty_left_raw,
        lots.cost_left_usd
    from lots
    inner join events on lots.event_id = events.event_id

)

select * from final
