with

fills as (

    select * from {{ ref('int_fills') }}

),

methods as (

    select * from {{ ref('int_methods') }}

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
        fills.method,
        methods.method_version,
        as_of.as_of,
        fills.chain,
        fills.wallet,
        fills.token,
        fills.tx_id,
        fills.leg,
        fills.fill_no,
        fills.sold_at,
        fills.lot_id,
        {{ units_text('fills.qty_raw', 'assets.decimals') }} as qty,
        fills.qty_raw,
        fills.proceeds_usd,
        fills.cost_usd,
        fills.realized_usd,
        {{ units_text('fills.realized_native_raw', 'chain_natives.decimals') }} as realized_native,
        fills.cost_known,
        fills.left_out_reason
    from fills
    cross join as_of
    inner join methods on fills.method = methods.method
    left join assets on fills.chain = assets.chain and fills.token = assets.address
    left join chain_natives on fills.chain = chain_natives.chain

)

select * from final
