with

token_swaps as (

    select * from {{ ref('int_token_swaps') }}

),

rules as (

    select * from {{ ref('int_pricing_rules') }}

),

ticks as (

    select * from {{ ref('int_ticks') }}

),

native_prices as (

    select * from {{ ref('int_native_prices') }}

),

chain_natives as (

    select chain, min(address) as address, min_by(decimals, address) as decimals
    from {{ ref('int_assets') }}
    where role = 'native'
    group by chain

),

by_rule as (

    select
        rules.pricing_rule,
        rules.cash_rule,
        rules.sol_usd,
        rules.token_for_token,
        token_swaps.*,
        cast(
            token_swaps.network_fee + token_swaps.tip + token_swaps.bot_fee + token_swaps.other_fee
            as decimal(38, 0)
        ) as costs_raw
    from token_swaps
    cross join rules

),

ticked as (

    select
        by_rule.*,
        sent_tick.tx_order as sent_tick_order,
        sent_tick.tx_id as sent_tick_tx_id,
        sent_tick.value_usd as sent_tick_usd,
        sent_tick.qty_raw as sent_tick_raw,
        received_tick.tx_order as received_tick_order,
        received_tick.tx_id as received_tick_tx_id,
        received_tick.value_usd as received_tick_usd,
        received_tick.qty_raw as received_tick_raw,
        by_rule.block_time - sent_tick.block_time <= interval 900 second as sent_is_fresh,
        by_rule.block_time - received_tick.block_time <= interval 900 second as received_is_fresh
    from by_rule
    asof left join ticks as sent_tick
        on
            by_rule.cash_rule = sent_tick.cash_rule
            and by_rule.chain = sent_tick.chain
            and by_rule.sent_asset = sent_tick.token
            and by_rule.tx_order > sent_tick.tx_order
    asof left join ticks as received_tick
        on
            by_rule.cash_rule = received_tick.cash_rule
            and by_rule.chain = received_tick.chain
            and by_rule.received_asset = received_tick.token
            and by_rule.tx_order > received_tick.tx_order
    where by_rule.token_for_token = 'tick'

),

-- The later of the two ticks values both legs, on a tie the one of the token sold (METHODS 2).
chosen as (

    select
        *,
        coalesce(sent_is_fresh, false)
        and (
            not coalesce(received_is_fresh, false)
            or sent_tick_order >= received_tick_order
        ) as by_sent,
        coalesce(received_is_fresh, false) as by_received
    from ticked

),

valued as (

    select
        *,
        case
            when by_sent then usd_at_ratio(sent_raw, sent_tick_usd, sent_tick_raw)
            when by_received then usd_at_ratio(received_raw, received_tick_usd, received_tick_raw)
        end as value_usd,
        case
            when by_sent then 'tick:' || sent_tick_tx_id
            when by_received then 'tick:' || received_tick_tx_id
        end as price_source
    from chosen

),

final as (

    select
        valued.pricing_rule,
        valued.chain,
        valued.tx_id,
        valued.wallet,
        valued.leg,
        valued.value_usd,
        native_at_price(
            valued.value_usd, native_prices.price, chain_natives.decimals
        ) as value_native_raw,
        -- What the sold leg brings once the costs of the swap are paid.
        valued.value_usd
        - usd_at_price(valued.costs_raw, native_prices.price, chain_natives.decimals) as value_with_costs_usd,
        native_at_price(
            valued.value_usd, native_prices.price, chain_natives.decimals
        ) - valued.costs_raw as value_with_costs_native_raw,
        case when valued.value_usd is not null then valued.price_source end as price_source
    from valued
    left join chain_natives on valued.chain = chain_natives.chain
    left join native_prices
        on
            valued.sol_usd = native_prices.sol_usd
            and valued.chain = native_prices.chain
            and chain_natives.address = native_prices.address
            and valued.block_time = native_prices.block_time

)

select * from final
