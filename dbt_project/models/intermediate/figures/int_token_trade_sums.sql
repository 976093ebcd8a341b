with

methods as (

    select methods.*, window_starts.starts
    from {{ ref('int_methods') }} as methods
    inner join {{ ref('int_window_starts') }} as window_starts on methods.method = window_starts.method

),

windows as (

    select * from {{ ref('int_windows') }}

),

tracked as (

    select chain, wallet from {{ ref('int_tracked_wallets') }}

),

trades as (

    select trades.*
    from {{ ref('int_trades') }} as trades
    semi join tracked on trades.chain = tracked.chain and trades.wallet = tracked.wallet

),

taken as (

    select
        methods.method,
        {{ window_ring('trades.block_time', 'methods.starts') }} as ring,
        trades.chain,
        trades.wallet,
        trades.token,
        trades.side,
        trades.qty_raw,
        trades.value_usd,
        case methods.costs when 'none' then trades.value_usd else trades.value_with_costs_usd end as basis_usd,
        trades.priced,
        {{ is_dust('methods', 'trades') }} as is_dust,
        trades.wash_like,
        trades.block_time
    from trades
    inner join methods on trades.pricing_rule = methods.pricing_rule
    where {{ is_taken('methods', 'trades') }}

),

-- Windows of a method lie inside one another, so one pass sums the rings between their starts.
rings as (

    select
        method,
        ring,
        chain,
        wallet,
        token,
        sum(qty_raw) filter (where side = 'buy') as bought_raw,
        sum(qty_raw) filter (where side = 'sell') as sold_raw,
        sum(qty_raw) filter (where side = 'buy' and basis_usd is not null) as bought_priced_raw,
        sum(qty_raw) filter (where side = 'sell' and basis_usd is not null) as sold_priced_raw,
        sum(basis_usd) filter (where side = 'buy') as bought_usd,
        sum(basis_usd) filter (where side = 'sell') as sold_usd,
        count(*) filter (where side = 'buy') as all_buys,
        count(*) filter (where side = 'sell') as all_sells,
        count(*) filter (where side = 'buy' and not is_dust) as buys,
        count(*) filter (where side = 'sell' and not is_dust) as sells,
        count(*) filter (where not priced) as not_priced,
        sum(value_usd) filter (where not is_dust) as volume_usd,
        sum(value_usd) filter (where not is_dust and wash_like) as wash_usd,
        min(block_time) as first_trade_at,
        max(block_time) as last_trade_at
    from taken
    group by method, ring, chain, wallet, token

),

-- A sum with nothing in it is 0; one with trades of which none is priced is unknown.
final as (

    select
        rings.method,
        windows."window",
        rings.chain,
        rings.wallet,
        rings.token,
        cast(coalesce(sum(rings.bought_raw), 0) as decimal(38, 0)) as bought_raw,
        cast(coalesce(sum(rings.sold_raw), 0) as decimal(38, 0)) as sold_raw,
        cast(coalesce(sum(rings.bought_priced_raw), 0) as decimal(38, 0)) as bought_priced_raw,
        cast(coalesce(sum(rings.sold_priced_raw), 0) as decimal(38, 0)) as sold_priced_raw,
        case
            when sum(rings.all_buys) = 0 then cast(0 as decimal(38, 9))
            else {{ sum_usd('rings.bought_usd') }}
        end as bought_usd,
        case
            when sum(rings.all_sells) = 0 then cast(0 as decimal(38, 9))
            else {{ sum_usd('rings.sold_usd') }}
        end as sold_usd,
        cast(sum(rings.all_buys) as bigint) as all_buys,
        cast(sum(rings.all_sells) as bigint) as all_sells,
        cast(sum(rings.buys) as bigint) as buys,
        cast(sum(rings.sells) as bigint) as sells,
        cast(sum(rings.not_priced) as bigint) as trades_not_priced,
        coalesce({{ sum_usd('rings.volume_usd') }}, 0) as volume_usd,
        coalesce({{ sum_usd('rings.wash_usd') }}, 0) as wash_usd,
        min(rings.first_trade_at) as first_trade_at,
        max(rings.last_trade_at) as last_trade_at
    from rings
    inner join windows on rings.method = windows.method and rings.ring <= windows.window_no
    group by rings.method, windows."window", rings.chain, rings.wallet, rings.token

)

select * from final
