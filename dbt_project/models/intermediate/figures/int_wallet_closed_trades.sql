with

windows as (

    select * from {{ ref('int_windows') }}

),

closed_trades as (

    select * from {{ ref('int_closed_trades') }} where counted

),

-- By the time of closing, in (start, end].
final as (

    select
        closed_trades.method,
        windows."window",
        closed_trades.chain,
        closed_trades.wallet,
        count(*) as closed_trades,
        count(*) filter (where closed_trades.profit_usd > 0) as wins,
        cast(sum(closed_trades.hold_s) as double) / count(*) as avg_hold_s
    from closed_trades
    inner join windows
        on
            closed_trades.method = windows.method
            and (windows.starts_at is null or closed_trades.closed_at > windows.starts_at)
    group by closed_trades.method, windows."window", closed_trades.chain, closed_trades.wallet

)

select * from final
