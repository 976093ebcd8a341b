{{ config(materialized='view') }}

with

trade_values as (

    select * from {{ ref('int_trade_values') }}

),

wash_like as (

    select * from {{ ref('int_wash_like') }}

),

dust as (

    select max(dust_below_usd) as below_usd from {{ ref('methods') }}

),

final as (

    select
        trade_values.*,
        trade_values.value_usd is not null as priced,
        coalesce(trade_values.value_usd < (select below_usd from dust), false) as dust,
        wash_like.tx_id is not null as wash_like
    from trade_values
    left join wash_like
        on
            trade_values.pricing_rule = wash_like.pricing_rule
            and trade_values.chain = wash_like.chain
            and trade_values.wallet = wash_like.wallet
            and trade_values.tx_id = wash_like.tx_id
            and trade_values.leg = wash_like.leg

)

select * from final
