with

movements as (

    select *, {{ tx_order('block', 'tx_index') }} as tx_order
    from {{ ref('int_movements') }}
    where kind in ('ambiguous', 'unfetched')

),

assets as (

    select * from {{ ref('int_assets') }}

),

display_rule as (

    select * from {{ ref('int_display_rule') }}

),

ticks as (

    select ticks.*
    from {{ ref('int_ticks') }} as ticks
    semi join display_rule on ticks.cash_rule = display_rule.cash_rule

),

native_prices as (

    select native_prices.*
    from {{ ref('int_native_prices') }} as native_prices
    semi join display_rule on native_prices.sol_usd = display_rule.sol_usd

),

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

one_sided as (

    select
        *,
        coalesce(received_asset, sent_asset) as asset,
        case when received_asset is not null then received_raw else -sent_raw end as change_raw
    from movements

),

ticked as (

    select
        one_sided.*,
        case
            when one_sided.block_time - ticks.block_time <= interval 900 second then ticks.value_usd
        end as tick_usd,
        ticks.qty_raw as tick_raw
    from one_sided
    asof left join ticks
        on
            one_sided.chain = ticks.chain
            and one_sided.asset = ticks.token
            and one_sided.tx_order > ticks.tx_order

),

final as (

    select
        as_of.as_of,
        ticked.chain,
        ticked.tx_id,
        ticked.wallet,
        ticked.leg,
        ticked.block,
        ticked.tx_index,
        ticked.block_time,
        ticked.kind,
        ticked.reason,
        ticked.asset as assets,
        {{ units_text('ticked.change_raw', 'assets.decimals') }} as amounts,
        cast(ticked.change_raw as decimal(38, 0)) as amounts_raw,
        cast(
            case assets.role
                when 'stable'
                    then usd_at_price(cast(abs(ticked.change_raw) as decimal(38, 0)), cast(1 as decimal(38, 24)), assets.decimals)
                when 'native'
                    then usd_at_price(cast(abs(ticked.change_raw) as decimal(38, 0)), native_prices.price, assets.decimals)
                else usd_at_ratio(cast(abs(ticked.change_raw) as decimal(38, 0)), ticked.tick_usd, ticked.tick_raw)
            end as decimal(38, 9)
        ) as value_usd,
        ticked.venue,
        ticked.source
    from ticked
    cross join as_of
    left join assets on ticked.chain = assets.chain and ticked.asset = assets.address
    left join native_prices
        on
            ticked.chain = native_prices.chain
            and ticked.asset = native_prices.address
            and ticked.block_time = native_prices.block_time

)

select * from final
