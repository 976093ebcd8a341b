with

methods as (

    select * from {{ ref('int_methods') }} where replays

),

replayed as (

    select * from {{ ref('stg_replay__positions') }}

),

position_keys as (

    select
        position_id,
        any_value(method) as method,
        any_value(chain) as chain,
        any_value(wallet) as wallet,
        any_value(token) as token
    from {{ ref('int_ledger_events') }}
    group by position_id

),

balances as (

    select * from {{ ref('int_balances') }}

),

cash as (

    select chain, address from {{ ref('int_assets') }} where role in ('native', 'stable')

),

tracked as (

    select chain, wallet from {{ ref('int_tracked_wallets') }}

),

prices_now as (

    select * from {{ ref('int_prices_now') }}

),

assets as (

    select * from {{ ref('int_assets') }}

),

carried as (

    select
        position_keys.method,
        position_keys.chain,
        position_keys.wallet,
        position_keys.token,
        replayed.open_qty_raw,
        replayed.open_cost_usd,
        replayed.open_cost_native_raw,
        replayed.estimated_qty_raw,
        replayed.unknown_cost_qty_raw
    from replayed
    inner join position_keys on replayed.position_id = position_keys.position_id

),

held as (

    select methods.method, balances.chain, balances.wallet, balances.token, balances.balance_raw, balances.balance_source
    from balances
    semi join tracked on balances.chain = tracked.chain and balances.wallet = tracked.wallet
    anti join cash on balances.chain = cash.chain and balances.token = cash.address
    cross join methods

),

-- A position stands while units are open in the replay or held on the chain.
joined as (

    select
        coalesce(carried.method, held.method) as method,
        coalesce(carried.chain, held.chain) as chain,
        coalesce(carried.wallet, held.wallet) as wallet,
        coalesce(carried.token, held.token) as token,
        coalesce(carried.open_qty_raw, 0) as open_qty_raw,
        coalesce(carried.open_cost_usd, 0) as open_cost_usd,
        carried.open_cost_native_raw,
        coalesce(carried.estimated_qty_raw, 0) as estimated_qty_raw,
        coalesce(carried.unknown_cost_qty_raw, 0) as unknown_cost_qty_raw,
        coalesce(held.balance_raw, 0) as balance_raw,
        held.balance_source
    from carried
    full join held
        on
            carried.method = held.method
            and carried.chain = held.chain
            and carried.wallet = held.wallet
            and carried.token = held.token
    where coalesce(carried.open_qty_raw, 0) > 0 or coalesce(held.balance_raw, 0) > 0

),

valued as (

    select
        joined.*,
        methods.unrealized,
        assets.decimals,
        prices_now.price_usd as price_now_usd,
        prices_now.price_source as price_now_source,
        prices_now.priced_at as price_now_at,
        {{ value_now('cast(joined.open_qty_raw as decimal(38, 0))', 'prices_now') }} as value_usd,
        {{
            value_now('cast(joined.open_qty_raw - joined.unknown_cost_qty_raw as decimal(38, 0))', 'prices_now')
        }} as known_value_usd
    from joined
    inner join methods on joined.method = methods.method
    left join assets on joined.chain = assets.chain and joined.token = assets.address
    left join prices_now
        on
            methods.price_now = prices_now.price_now
            and methods.cash_rule = prices_now.cash_rule
            and joined.chain = prices_now.chain
            and joined.token = prices_now.token

),

-- 0 with nothing open; unknown without a price, or when no open unit has a known cost.
final as (

    select
        method,
        chain,
        wallet,
        token,
        decimals,
        cast(open_qty_raw as decimal(38, 0)) as open_qty_raw,
        cast(open_cost_usd as decimal(38, 9)) as open_cost_usd,
        cast(open_cost_native_raw as decimal(38, 0)) as open_cost_native_raw,
        cast(estimated_qty_raw as decimal(38, 0)) as estimated_qty_raw,
        cast(unknown_cost_qty_raw as decimal(38, 0)) as unknown_cost_qty_raw,
        cast(balance_raw as decimal(38, 0)) as balance_raw,
        balance_source,
        price_now_usd,
        price_now_source,
        price_now_at,
        cast(value_usd as decimal(38, 9)) as value_usd,
        cast(
            case
                when unrealized <> 'open_value' then null
                when open_qty_raw = 0 then 0
                when open_qty_raw > unknown_cost_qty_raw then known_value_usd - open_cost_usd
            end as decimal(38, 9)
        ) as unrealized_usd,
        open_qty_raw > 0 and price_now_usd is null and value_usd is null as is_without_price
    from valued

)

select * from final
