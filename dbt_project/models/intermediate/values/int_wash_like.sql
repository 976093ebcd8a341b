with

trades as (

    select
        pricing_rule,
        chain,
        wallet,
        token,
        tx_id,
        leg,
        side,
        cast(epoch_us(block_time) // 1000000 as bigint) as block_time_s,
        qty_raw,
        value_usd,
        cast(value_usd as double) / cast(qty_raw as double) as rough_price
    from {{ ref('int_trade_values') }}
    where value_usd > 0 and qty_raw > 0

),

buys as (

    select *, block_time_s // 60 as minute_no
    from trades
    where side = 'buy'

),

-- Every sale stands in its own minute and the two beside it, so a pair meets in one equality join.
sells as (

    select trades.*, trades.block_time_s // 60 + shifts.shift as minute_no
    from trades
    cross join (values (-1), (0), (1)) as shifts (shift)
    where trades.side = 'sell'

),

close_pairs as (

    select
        buys.pricing_rule,
        buys.chain,
        buys.wallet,
        buys.tx_id as buy_tx_id,
        buys.leg as buy_leg,
        buys.value_usd as buy_usd,
        buys.qty_raw as buy_raw,
        sells.tx_id as sell_tx_id,
        sells.leg as sell_leg,
        sells.value_usd as sell_usd,
        sells.qty_raw as sell_raw
    from buys
    inner join sells
        on
            buys.pricing_rule = sells.pricing_rule
            and buys.chain = sells.chain
            and buys.wallet = sells.wallet
            and buys.token = sells.token
            and buys.minute_no = sells.minute_no
    where
        abs(buys.block_time_s - sells.block_time_s) <= 60
        -- A wide net first; the exact comparison below decides.
        and abs(buys.rough_price - sells.rough_price)
        <= 0.0051 * least(buys.rough_price, sells.rough_price)

),

-- |p1 - p2| / min(p1, p2) < 0.005  <=>  200 p1 < 201 p2 and 200 p2 < 201 p1.
pairs as (

    select *
    from close_pairs
    where
        compare_ratios(200, buy_usd, buy_raw, 201, sell_usd, sell_raw) < 0
        and compare_ratios(200, sell_usd, sell_raw, 201, buy_usd, buy_raw) < 0

),

final as (

    select pricing_rule, chain, wallet, buy_tx_id as tx_id, buy_leg as leg from pairs
    union
    select pricing_rule, chain, wallet, sell_tx_id as tx_id, sell_leg as leg from pairs

)

select * from final
