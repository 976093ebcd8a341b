with

methods as (

    select * from {{ ref('int_methods') }}

),

windows as (

    select * from {{ ref('int_windows') }}

),

trade_sums as (

    select * from {{ ref('int_token_trade_sums') }}

),

fill_sums as (

    select * from {{ ref('int_token_fill_sums') }}

),

open_positions as (

    select * from {{ ref('int_position_values') }} where open_qty_raw > 0

),

-- What is still open stands in every window of a method whose average covers all history.
still_open as (

    select
        windows.method,
        windows."window",
        open_positions.chain,
        open_positions.wallet,
        open_positions.token
    from open_positions
    inner join windows on open_positions.method = windows.method
    inner join methods on open_positions.method = methods.method
    where methods.scope = 'all'

),

row_keys as (

    select method, "window", chain, wallet, token from trade_sums
    union
    select method, "window", chain, wallet, token from still_open

),

figures as (

    select
        row_keys.method,
        row_keys."window",
        row_keys.chain,
        row_keys.wallet,
        row_keys.token,
        methods.unit,
        methods.roi,
        methods.unrealized as unrealized_axis,
        methods.transfer_in = 'unknown_cost' or methods.oversell = 'unknown_cost' as shows_unknown_cost,
        coalesce(trade_sums.bought_raw, 0) as bought_raw,
        coalesce(trade_sums.sold_raw, 0) as sold_raw,
        coalesce(trade_sums.bought_priced_raw, 0) as bought_priced_raw,
        coalesce(trade_sums.sold_priced_raw, 0) as sold_priced_raw,
        case when trade_sums.method is null then 0 else trade_sums.bought_usd end as bought_usd,
        case when trade_sums.method is null then 0 else trade_sums.sold_usd end as sold_usd,
        coalesce(trade_sums.buys, 0) as buys,
        coalesce(trade_sums.sells, 0) as sells,
        coalesce(trade_sums.trades_not_priced, 0) as trades_not_priced,
        coalesce(trade_sums.volume_usd, 0) as volume_usd,
        coalesce(trade_sums.wash_usd, 0) as wash_usd,
        trade_sums.first_trade_at,
        trade_sums.last_trade_at,
        coalesce(fill_sums.sales, 0) as sales,
        coalesce(fill_sums.known_fills, 0) as known_fills,
        fill_sums.realized_usd as known_realized_usd,
        coalesce(fill_sums.known_native_fills, 0) as known_native_fills,
        fill_sums.realized_native_raw as known_realized_native_raw,
        -- Like realized: 0 without a sale, unknown when there were sales and none is known.
        case when fill_sums.method is null then 0 else fill_sums.cost_of_sold_usd end as cost_of_sold_usd,
        coalesce(fill_sums.unknown_cost_proceeds_usd, 0) as unknown_cost_proceeds_usd,
        coalesce(fill_sums.known_cost_proceeds_usd, 0) as known_cost_proceeds_usd,
        coalesce(fill_sums.sales_left_out, 0) as sales_left_out,
        methods.no_sale,
        open_positions.method is not null as is_open,
        coalesce(open_positions.is_without_price, false) as is_without_price,
        open_positions.unrealized_usd as open_unrealized_usd
    from row_keys
    inner join methods on row_keys.method = methods.method
    left join trade_sums
        on
            row_keys.method = trade_sums.method
            and row_keys."window" = trade_sums."window"
            and row_keys.chain = trade_sums.chain
            and row_keys.wallet = trade_sums.wallet
            and row_keys.token = trade_sums.token
    left join fill_sums
        on
            row_keys.method = fill_sums.method
            and row_keys."window" = fill_sums."window"
            and row_keys.chain = fill_sums.chain
            and row_keys.wallet = fill_sums.wallet
            and row_keys.token = fill_sums.token
    left join open_positions
        on
            row_keys.method = open_positions.method
            and row_keys.chain = open_positions.chain
            and row_keys.wallet = open_positions.wallet
            and row_keys.token = open_positions.token

),

final as (

    select
        * exclude (known_realized_usd, known_realized_native_raw, no_sale),
        {{ realized_of_sales('sales', 'known_fills', 'known_realized_usd', 'no_sale') }} as realized_usd,
        case
            when unit = 'native_and_usd'
                then {{ realized_of_sales('sales', 'known_native_fills', 'known_realized_native_raw', 'no_sale') }}
        end as realized_native_raw,
        case
            when unrealized_axis = 'none' then null
            when not is_open then cast(0 as decimal(38, 9))
            else open_unrealized_usd
        end as unrealized_usd
    from figures

)

select * from final
