with

methods as (

    select * from {{ ref('int_methods') }}

),

windows as (

    select * from {{ ref('int_windows') }}

),

tracked as (

    select * from {{ ref('int_tracked_wallets') }}

),

token_figures as (

    select * from {{ ref('int_token_figures') }}

),

closed_trades as (

    select * from {{ ref('int_wallet_closed_trades') }}

),

transactions as (

    select * from {{ ref('int_wallet_transactions') }}

),

summed as (

    select
        method,
        "window",
        chain,
        wallet,
        sum(sales) as sales,
        sum(known_fills) as known_fills,
        sum(realized_usd) as known_realized_usd,
        sum(known_native_fills) as known_native_fills,
        sum(realized_native_raw) as known_realized_native_raw,
        count(*) filter (where is_open) as open_positions,
        count(*) filter (where is_open and unrealized_usd is not null) as valued_positions,
        count(*) filter (where is_without_price) as positions_without_price,
        sum(unrealized_usd) filter (where is_open) as known_unrealized_usd,
        sum(cost_of_sold_usd) as cost_of_sold_usd,
        sum(unknown_cost_proceeds_usd) as unknown_cost_proceeds_usd,
        sum(known_cost_proceeds_usd) as known_cost_proceeds_usd,
        sum(volume_usd) as volume_usd,
        sum(wash_usd) as wash_usd,
        sum(buys + sells) as trades,
        sum(sells) as sells,
        count(*) filter (where buys + sells > 0) as tokens_traded,
        sum(sales_left_out) as sales_left_out,
        sum(trades_not_priced) as trades_not_priced,
        max(last_trade_at) as last_trade_at
    from token_figures
    group by method, "window", chain, wallet

),

figures as (

    select
        windows.method,
        methods.method_version,
        windows.ends_at as as_of,
        windows."window",
        tracked.chain,
        tracked.wallet,
        tracked.label,
        tracked.tracked_since,
        tracked.history_from,
        tracked.history_truncated,
        methods.unit,
        methods.roi,
        methods.win_unit,
        methods.unrealized as unrealized_axis,
        methods.transfer_in = 'unknown_cost' or methods.oversell = 'unknown_cost' as shows_unknown_cost,
        methods.no_sale,
        coalesce(summed.sales, 0) as sales,
        coalesce(summed.known_fills, 0) as known_fills,
        summed.known_realized_usd,
        coalesce(summed.known_native_fills, 0) as known_native_fills,
        summed.known_realized_native_raw,
        coalesce(summed.open_positions, 0) as open_positions,
        coalesce(summed.valued_positions, 0) as valued_positions,
        coalesce(summed.positions_without_price, 0) as positions_without_price,
        summed.known_unrealized_usd,
        coalesce(summed.cost_of_sold_usd, 0) as cost_of_sold_usd,
        coalesce(summed.unknown_cost_proceeds_usd, 0) as unknown_cost_proceeds_usd,
        coalesce(summed.known_cost_proceeds_usd, 0) as known_cost_proceeds_usd,
        coalesce(summed.volume_usd, 0) as volume_usd,
        coalesce(summed.wash_usd, 0) as wash_usd,
        coalesce(summed.trades, 0) as trades,
        coalesce(summed.sells, 0) as sells,
        coalesce(summed.tokens_traded, 0) as tokens_traded,
        coalesce(summed.sales_left_out, 0) as sales_left_out,
        coalesce(summed.trades_not_priced, 0) as trades_not_priced,
        summed.last_trade_at,
        coalesce(closed_trades.closed_trades, 0) as closed_trades,
        coalesce(closed_trades.wins, 0) as wins,
        closed_trades.avg_hold_s,
        coalesce(transactions.failed_transactions, 0) as failed_transactions
    from tracked
    cross join windows
    inner join methods on windows.method = methods.method
    left join summed
        on
            windows.method = summed.method
            and windows."window" = summed."window"
            and tracked.chain = summed.chain
            and tracked.wallet = summed.wallet
    left join closed_trades
        on
            windows.method = closed_trades.method
            and windows."window" = closed_trades."window"
            and tracked.chain = closed_trades.chain
            and tracked.wallet = closed_trades.wallet
    left join transactions
        on
            windows.method = transactions.method
            and windows."window" = transactions."window"
            and tracked.chain = transactions.chain
            and tracked.wallet = transactions.wallet

),

final as (

    select
        method,
        method_version,
        as_of,
        "window",
        chain,
        wallet,
        label,
        history_from,
        history_truncated,
        unit,
        cast(
            {{ realized_of_sales('sales', 'known_fills', 'known_realized_usd', 'no_sale') }} as decimal(38, 9)
        ) as realized_usd,
        cast(
            case
                when unit = 'native_and_usd'
                    then {{ realized_of_sales('sales', 'known_native_fills', 'known_realized_native_raw', 'no_sale') }}
            end as decimal(38, 0)
        ) as realized_native_raw,
        cast(
            case
                when unrealized_axis = 'none' then null
                when open_positions = 0 then 0
                when valued_positions > 0 then known_unrealized_usd
            end as decimal(38, 9)
        ) as unrealized_usd,
        roi,
        cast(cost_of_sold_usd as decimal(38, 9)) as cost_of_sold_usd,
        case when win_unit = 'closed_trade' then cast(wins as bigint) end as wins,
        case when win_unit = 'closed_trade' then cast(closed_trades as bigint) end as win_units,
        case when win_unit = 'closed_trade' then avg_hold_s end as avg_hold_s,
        case when win_unit = 'closed_trade' then cast(closed_trades as bigint) end as closed_trades,
        cast(volume_usd as decimal(38, 9)) as volume_usd,
        cast(wash_usd as decimal(38, 9)) as wash_usd,
        cast(trades as bigint) as trades,
        cast(sells as bigint) as sells,
        cast(tokens_traded as bigint) as tokens_traded,
        cast(sales_left_out as bigint) as sales_left_out,
        cast(trades_not_priced as bigint) as trades_not_priced,
        case when unrealized_axis <> 'none' then cast(positions_without_price as bigint) end as positions_without_price,
        case when shows_unknown_cost then cast(unknown_cost_proceeds_usd as decimal(38, 9)) end as sold_unknown_cost_usd,
        case when shows_unknown_cost then cast(known_cost_proceeds_usd as decimal(38, 9)) end as sold_known_cost_usd,
        cast(failed_transactions as bigint) as failed_transactions,
        last_trade_at,
        tracked_since,
        cast(epoch_us(as_of) - epoch_us(tracked_since) as bigint) // 1000000 as tracked_s
    from figures

)

select * from final
