with

positions as (

    select * from {{ ref('int_position_values') }}

),

methods as (

    select * from {{ ref('int_methods') }}

),

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

final as (

    select
        positions.method,
        methods.method_version,
        as_of.as_of,
        positions.chain,
        positions.wallet,
        positions.token,
        {{ units_text('positions.open_qty_raw', 'positions.decimals') }} as open_qty,
        positions.open_qty_raw,
        positions.open_cost_usd,
        {{ units_text('positions.estimated_qty_raw', 'positions.decimals') }} as estimated_qty,
        positions.estimated_qty_raw,
        {{ units_text('positions.unknown_cost_qty_raw', 'positions.decimals') }} as unknown_cost_qty,
        positions.unknown_cost_qty_raw,
        {{ units_text('positions.balance_raw', 'positions.decimals') }} as balance,
        positions.balance_raw,
        positions.balance_source,
        positions.price_now_usd,
        positions.price_now_source,
        positions.price_now_at,
        positions.value_usd,
        positions.unrealized_usd
    from positions
    cross join as_of
    inner join methods on positions.method = methods.method

)

select * from final
