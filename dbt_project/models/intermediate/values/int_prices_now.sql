with

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

axes as (

    select distinct price_now, cash_rule from {{ ref('int_methods') }}

),

assets as (

    select * from {{ ref('int_assets') }}

),

-- A native asset takes its newest row of any resolution, a token its newest snapshot alone.
newest_quotes as (

    select
        prices.chain,
        prices.address as token,
        prices."at" as priced_at,
        prices.price,
        prices.resolution || ':' || prices.source as price_source
    from {{ ref('int_prices') }} as prices
    left join assets on prices.chain = assets.chain and prices.address = assets.address
    where
        prices."at" >= (select as_of - interval 24 hour from as_of)
        and (prices.resolution = 'snapshot' or assets.role = 'native')
    qualify row_number() over (
        partition by prices.chain, prices.address order by prices."at" desc, prices.resolution
    ) = 1

),

last_ticks as (

    select
        cash_rule,
        chain,
        token,
        max(tx_order) as tx_order,
        max_by(block_time, tx_order) as priced_at,
        max_by(value_usd, tx_order) as tick_usd,
        max_by(qty_raw, tx_order) as tick_raw,
        'tick:' || max_by(tx_id, tx_order) as price_source
    from {{ ref('int_ticks') }}
    group by cash_rule, chain, token

),

fresh_ticks as (

    select *
    from last_ticks
    where priced_at >= (select as_of - interval 24 hour from as_of)

),

ticks_by_axis as (

    select axes.price_now, fresh_ticks.*
    from fresh_ticks
    inner join axes on fresh_ticks.cash_rule = axes.cash_rule
    where axes.price_now in ('latest', 'tick')

),

quotes_by_axis as (

    select axes.price_now, axes.cash_rule, newest_quotes.*, assets.decimals
    from newest_quotes
    cross join axes
    left join assets on newest_quotes.chain = assets.chain and newest_quotes.token = assets.address
    where axes.price_now in ('latest', 'snapshot') or assets.role = 'native'

),

-- A stablecoin at par; on a tie of times the quote stands before the tick.
candidates as (

    select
        price_now, cash_rule, chain, token, priced_at, price, price_source,
        cast(null as decimal(38, 9)) as tick_usd, cast(null as decimal(38, 0)) as tick_raw,
        0 as preference
    from quotes_by_axis
    union all by name
    select price_now, cash_rule, chain, token, priced_at, price_source, tick_usd, tick_raw, 1 as preference
    from ticks_by_axis

),

newest as (

    select *
    from candidates
    qualify row_number() over (
        partition by price_now, cash_rule, chain, token order by priced_at desc, preference
    ) = 1

),

stables as (

    select
        axes.price_now,
        axes.cash_rule,
        assets.chain,
        assets.address as token,
        as_of.as_of as priced_at,
        cast(1 as decimal(38, 24)) as price,
        'par' as price_source
    from assets
    cross join as_of
    inner join axes on split_part(axes.cash_rule, '|', 1) = 'par'
    where assets.role = 'stable'

),

with_stables as (

    select * exclude (preference) from newest anti join stables using (chain, token)
    union all by name
    select * from stables

),

final as (

    select
        with_stables.price_now,
        with_stables.cash_rule,
        with_stables.chain,
        with_stables.token,
        with_stables.priced_at,
        with_stables.price,
        with_stables.tick_usd,
        with_stables.tick_raw,
        coalesce(
            cast(with_stables.price as double),
            cast(with_stables.tick_usd as double)
            / (cast(with_stables.tick_raw as double) / power(10, assets.decimals))
        ) as price_usd,
        with_stables.price_source,
        assets.decimals
    from with_stables
    left join assets
        on with_stables.chain = assets.chain and with_stables.token = assets.address

)

select * from final
