with

trades as (

    select * from {{ ref('int_trades') }}

),

assets as (

    select * from {{ ref('int_assets') }}

),

chain_natives as (

    select chain, min_by(decimals, address) as decimals
    from {{ ref('int_assets') }}
    where role = 'native'
    group by chain

),

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

final as (

    select
        as_of.as_of,
        trades.pricing_rule,
        trades.chain,
        trades.wallet,
        trades.tx_id,
        trades.leg,
        trades.block,
        trades.tx_index,
        trades.seq,
        trades.block_time,
        trades.side,
        trades.token,
        {{ units_text('trades.qty_raw', 'assets.decimals') }} as qty,
        trades.qty_raw,
        trades.value_usd,
        {{ units_text('trades.value_native_raw', 'chain_natives.decimals') }} as value_native,
        case
            when trades.qty_raw > 0
                then
                    cast(trades.value_usd as double)
                    / (cast(trades.qty_raw as double) / power(10, assets.decimals))
        end as price_usd,
        trades.priced,
        trades.price_source,
        trades.dust,
        trades.wash_like,
        trades.venue,
        trades.source,
        trades.recognised_venue,
        trades.pool,
        trades.network_fee,
        trades.tip,
        trades.bot_fee,
        trades.other_fee
    from trades
    cross join as_of
    left join assets on trades.chain = assets.chain and trades.token = assets.address
    left join chain_natives on trades.chain = chain_natives.chain

)

select * from final
