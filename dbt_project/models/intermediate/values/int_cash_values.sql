with

movements as (

    select * from {{ ref('int_movements') }} where kind = 'swap' and wallet is not null

),

cash as (

    select chain, address, role, decimals from {{ ref('int_assets') }} where role in ('native', 'stable')

),

chain_natives as (

    select chain, min(address) as address, min_by(decimals, address) as decimals
    from cash
    where role = 'native'
    group by chain

),

cash_rules as (

    select cash_rule, stable_usd, sol_usd, bool_or(costs <> 'none') as costs_counted
    from {{ ref('int_methods') }}
    group by cash_rule, stable_usd, sol_usd

),

native_prices as (

    select * from {{ ref('int_native_prices') }}

),

-- Cash for cash is a conversion and token for token has no cash: exactly one side is cash here.
cash_swaps as (

    select
        movements.*,
        case when sent_cash.address is not null then 'buy' else 'sell' end as side,
        case when sent_cash.address is not null then received_asset else sent_asset end as token,
        case when sent_cash.address is not null then received_raw else sent_raw end as qty_raw,
        coalesce(sent_cash.address, received_cash.address) as cash_asset,
        case when sent_cash.address is not null then sent_raw else received_raw end as cash_raw,
        coalesce(sent_cash.role, received_cash.role) as cash_role,
        coalesce(sent_cash.decimals, received_cash.decimals) as cash_decimals
    from movements
    left join cash as sent_cash
        on movements.chain = sent_cash.chain and movements.sent_asset = sent_cash.address
    left join cash as received_cash
        on movements.chain = received_cash.chain and movements.received_asset = received_cash.address
    where (sent_cash.address is null) <> (received_cash.address is null)

),

priced as (

    select
        cash_rules.cash_rule,
        cash_swaps.*,
        cash_rules.costs_counted,
        chain_natives.decimals as native_decimals,
        native_prices.price as native_price,
        case
            when cash_swaps.cash_role = 'native' then native_prices.price
            when cash_rules.stable_usd = 'par' then cast(1 as decimal(38, 24))
        end as cash_price,
        case
            when cash_swaps.cash_role = 'native' then native_prices.price_source
            when cash_rules.stable_usd = 'par' then 'par'
        end as cash_price_source
    from cash_swaps
    cross join cash_rules
    left join chain_natives on cash_swaps.chain = chain_natives.chain
    left join native_prices
        on
            cash_rules.sol_usd = native_prices.sol_usd
            and cash_swaps.chain = native_prices.chain
            and cash_swaps.block_time = native_prices.block_time
            and case
                when cash_swaps.cash_role = 'native' then cash_swaps.cash_asset
                else chain_natives.address
            end = native_prices.address

),

-- A purchase costs its fees on top, a sale loses them.
with_costs as (

    select
        *,
        case side when 'buy' then 1 else -1 end
        * cast(network_fee + tip + bot_fee + other_fee as decimal(38, 0)) as costs_raw
    from priced

),

in_usd as (

    select
        *,
        usd_at_price(cash_raw, cash_price, cash_decimals) as value_usd,
        case
            when not costs_counted then null
            when costs_raw = 0 then usd_at_price(cash_raw, cash_price, cash_decimals)
            when cash_role = 'native' then usd_at_price(cash_raw + costs_raw, cash_price, cash_decimals)
            else usd_of_two(cash_raw, cash_price, cash_decimals, costs_raw, native_price, native_decimals)
        end as value_with_costs_usd
    from with_costs

),

final as (

    select
        cash_rule,
        chain,
        tx_id,
        wallet,
        leg,
        block,
        tx_index,
        seq,
        block_time,
        side,
        token,
        qty_raw,
        value_usd,
        case
            when cash_role = 'native' then cash_raw
            else native_at_price(value_usd, native_price, native_decimals)
        end as value_native_raw,
        value_with_costs_usd,
        case
            when not costs_counted then null
            when cash_role = 'native' then cash_raw + costs_raw
            else native_of_two(value_usd, native_price, native_decimals, costs_raw)
        end as value_with_costs_native_raw,
        case when value_usd is not null then cash_price_source end as price_source,
        network_fee,
        tip,
        bot_fee,
        other_fee,
        venue,
        source,
        recognised_venue,
        pool
    from in_usd

)

select * from final
