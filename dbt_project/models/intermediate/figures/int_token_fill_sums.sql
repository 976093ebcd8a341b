with

methods as (

    select methods.*, window_starts.starts
    from {{ ref('int_methods') }} as methods
    inner join {{ ref('int_window_starts') }} as window_starts on methods.method = window_starts.method

),

windows as (

    select * from {{ ref('int_windows') }}

),

fills as (

    select * from {{ ref('stg_replay__fills') }}

),

sales as (

    select event_id, chain, wallet, token, make_timestamp(block_time_s * 1000000) as sold_at
    from {{ ref('int_ledger_events') }}
    where kind = 'sell'

),

-- A part is known when its result stands; an excess over all units only where it sells at zero profit.
judged as (

    select
        fills.*,
        sales.chain,
        sales.wallet,
        sales.token,
        {{ window_ring('sales.sold_at', 'methods.starts') }} as ring,
        fills.realized_usd is not null
        and (
            fills.cost_known
            or (fills.left_out_reason = 'oversold' and methods.oversell = 'zero_profit')
        ) as is_known,
        fills.realized_native_raw is not null
        and (
            fills.cost_known
            or (fills.left_out_reason = 'oversold' and methods.oversell = 'zero_profit')
        ) as is_known_in_native
    from fills
    inner join sales on fills.event_id = sales.event_id
    inner join methods on fills.method = methods.method

),

-- A position is a method, a chain, a wallet and a token: one number to group by.
rings as (

    select
        method,
        ring,
        any_value(chain) as chain,
        any_value(wallet) as wallet,
        any_value(token) as token,
        count(distinct event_id) as sales,
        count(*) filter (where is_known) as known_fills,
        sum(realized_usd) filter (where is_known) as realized_usd,
        count(*) filter (where is_known_in_native) as known_native_fills,
        sum(realized_native_raw) filter (where is_known_in_native) as realized_native_raw,
        sum(cost_usd) filter (where is_known) as cost_of_sold_usd,
        sum(proceeds_usd) filter (where left_out_reason in ('unknown_cost', 'oversold')) as unknown_cost_proceeds_usd,
        sum(proceeds_usd) filter (where is_known) as known_cost_proceeds_usd,
        count(distinct event_id) filter (where left_out_reason = 'estimated_cost') as sales_left_out
    from judged
    group by method, ring, position_id

),

final as (

    select
        rings.method,
        windows."window",
        rings.chain,
        rings.wallet,
        rings.token,
        cast(sum(rings.sales) as bigint) as sales,
        cast(sum(rings.known_fills) as bigint) as known_fills,
        {{ sum_usd('rings.realized_usd') }} as realized_usd,
        cast(sum(rings.known_native_fills) as bigint) as known_native_fills,
        cast(sum(rings.realized_native_raw) as decimal(38, 0)) as realized_native_raw,
        {{ sum_usd('rings.cost_of_sold_usd') }} as cost_of_sold_usd,
        coalesce({{ sum_usd('rings.unknown_cost_proceeds_usd') }}, 0) as unknown_cost_proceeds_usd,
        coalesce({{ sum_usd('rings.known_cost_proceeds_usd') }}, 0) as known_cost_proceeds_usd,
        cast(sum(rings.sales_left_out) as bigint) as sales_left_out
    from rings
    inner join windows on rings.method = windows.method and rings.ring <= windows.window_no
    group by rings.method, windows."window", rings.chain, rings.wallet, rings.token

)

select * from final
