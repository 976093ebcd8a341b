{{ config(materialized='view') }}

with

fills as (

    select * from {{ ref('stg_replay__fills') }}

),

events as (

    select * from {{ ref('int_ledger_events') }}

),

final as (

    select
        fills.method,
        fills.position_id,
        fills.event_id,
        fills.fill_no,
        sales.chain,
        sales.wallet,
        sales.token,
        sales.tx_id,
        sales.leg,
        make_timestamp(sales.block_time_s * 1000000) as sold_at,
        openings.tx_id || ':' || openings.leg as lot_id,
        fills.qty_raw,
        fills.proceeds_usd,
        fills.cost_usd,
        fills.realized_usd,
        fills.proceeds_native_raw,
        fills.cost_native_raw,
        fills.realized_native_raw,
        fills.cost_known,
        fills.left_out_reason
    from fills
    inner join events as sales on fills.event_id = sales.event_id
    left join events as openings on fills.lot_event_id = openings.event_id

)

select * from final
