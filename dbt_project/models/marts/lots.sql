with

lots as (

    select * from {{ ref('int_lots') }}

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
        lots.method,
        methods.method_version,
        as_of.as_of,
        lots.chain,
        lots.wallet,
        lots.token,
        lots.lot_id,
        lots.tx_id,
        lots.leg,
        lots.opened_at,
        {{ units_text('lots.qty_raw', 'assets.decimals') }} as qty,
        lots.qty_raw,
        lots.cost_usd,
        {{ units_text('lots.cost_native_raw', 'chain_natives.decimals') }} as cost_native,
        lots.cost_known,
        {{ units_text('lots.qty_left_raw', 'assets.decimals') }} as qty_left,
        lots.qty_left_raw,
        lots.cost_left_usd
    from lots
    cross join as_of
    inner join methods on lots.method = methods.method
    left join assets on lots.chain = assets.chain and lots.token = assets.address
    left join chain_natives on lots.chain = chain_natives.chain

)

select * from final
