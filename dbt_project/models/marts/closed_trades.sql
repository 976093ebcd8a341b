with

closed_trades as (

    select * from {{ ref('int_closed_trades') }}

),

methods as (

    select * from {{ ref('int_methods') }}

),

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

final as (

    select
        closed_trades.method,
        methods.method_version,
        as_of.as_of,
        closed_trades.chain,
        closed_trades.wallet,
        closed_trades.token,
        cast(closed_trades.number as integer) as number,
        closed_trades.opened_tx_id,
        closed_trades.opened_at,
        closed_trades.closed_tx_id,
        closed_trades.closed_at,
        closed_trades.bought_usd,
        closed_trades.sold_usd,
        closed_trades.profit_usd,
        closed_trades.outcome,
        closed_trades.counted,
        closed_trades.not_counted_reason,
        cast(closed_trades.hold_s as bigint) as hold_s
    from closed_trades
    cross join as_of
    inner join methods on closed_trades.method = methods.method

)

select * from final
