-- Both halves stand as tables: a third copy of every trade would cost more than it saves.
{{ config(materialized='view') }}

with

cash_values as (

    select * from {{ ref('int_cash_values') }}

),

token_swaps as (

    select * from {{ ref('int_token_swaps') }}

),

token_swap_values as (

    select * from {{ ref('int_token_swap_values') }}

),

rules as (

    select * from {{ ref('int_pricing_rules') }}

),

-- A token-for-token swap takes two places, so what comes after it in its transaction moves on.
places as (

    select chain, tx_id, wallet, list(leg) as token_swap_legs
    from token_swaps
    group by chain, tx_id, wallet

),

cash_trades as (

    select
        rules.pricing_rule,
        cash_values.chain,
        cash_values.tx_id,
        cash_values.wallet,
        cash_values.leg as movement_leg,
        0 as place_in_swap,
        cash_values.block,
        cash_values.tx_index,
        cash_values.seq,
        cash_values.block_time,
        cash_values.side,
        cash_values.token,
        cash_values.qty_raw,
        cash_values.value_usd,
        cash_values.value_native_raw,
        cash_values.value_with_costs_usd,
        cash_values.value_with_costs_native_raw,
        cash_values.price_source,
        true as has_cash_side,
        cash_values.network_fee,
        cash_values.tip,
        cash_values.bot_fee,
        cash_values.other_fee,
        cash_values.venue,
        cash_values.source,
        cash_values.recognised_venue,
        cash_values.pool
    from cash_values
    inner join rules on cash_values.cash_rule = rules.cash_rule

),

-- Leg 0 sells, leg 1 buys (METHODS 1.5); the costs stand on the first of the two.
token_legs as (

    select
        rules.pricing_rule,
        token_swaps.chain,
        token_swaps.tx_id,
        token_swaps.wallet,
        token_swaps.leg as movement_leg,
        sides.place_in_swap,
        token_swaps.block,
        token_swaps.tx_index,
        token_swaps.seq,
        token_swaps.block_time,
        sides.side,
        case sides.side when 'sell' then sent_asset else received_asset end as token,
        case sides.side when 'sell' then sent_raw else received_raw end as qty_raw,
        token_swap_values.value_usd,
        token_swap_values.value_native_raw,
        case sides.side
            when 'sell' then token_swap_values.value_with_costs_usd
            else token_swap_values.value_usd
        end as value_with_costs_usd,
        case sides.side
            when 'sell' then token_swap_values.value_with_costs_native_raw
            else token_swap_values.value_native_raw
        end as value_with_costs_native_raw,
        token_swap_values.price_source,
        false as has_cash_side,
        case sides.side when 'sell' then network_fee else 0 end as network_fee,
        case sides.side when 'sell' then tip else 0 end as tip,
        case sides.side when 'sell' then bot_fee else 0 end as bot_fee,
        case sides.side when 'sell' then other_fee else 0 end as other_fee,
        token_swaps.venue,
        token_swaps.source,
        token_swaps.recognised_venue,
        token_swaps.pool
    from token_swaps
    cross join rules
    cross join (values ('sell', 0), ('buy', 1)) as sides (side, place_in_swap)
    left join token_swap_values
        on
            rules.pricing_rule = token_swap_values.pricing_rule
            and token_swaps.chain = token_swap_values.chain
            and token_swaps.tx_id = token_swap_values.tx_id
            and token_swaps.wallet = token_swap_values.wallet
            and token_swaps.leg = token_swap_values.leg

),

all_trades as (

    select * from cash_trades
    union all by name
    select * from token_legs

),

final as (

    select
        all_trades.pricing_rule,
        all_trades.chain,
        all_trades.tx_id,
        all_trades.wallet,
        cast(
            all_trades.movement_leg
            + all_trades.place_in_swap
            + coalesce(
                len(list_filter(places.token_swap_legs, lambda l: l < all_trades.movement_leg)), 0
            ) as integer
        ) as leg,
        all_trades.block,
        all_trades.tx_index,
        all_trades.seq,
        all_trades.block_time,
        all_trades.side,
        all_trades.token,
        all_trades.qty_raw,
        all_trades.value_usd,
        all_trades.value_native_raw,
        all_trades.value_with_costs_usd,
        all_trades.value_with_costs_native_raw,
        all_trades.price_source,
        all_trades.has_cash_side,
        all_trades.network_fee,
        all_trades.tip,
        all_trades.bot_fee,
        all_trades.other_fee,
        all_trades.venue,
        all_trades.source,
        all_trades.recognised_venue,
        all_trades.pool
    from all_trades
    left join places
        on
            all_trades.chain = places.chain
            and all_trades.tx_id = places.tx_id
            and all_trades.wallet = places.wallet

)

select * from final
