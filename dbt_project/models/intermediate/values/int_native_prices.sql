with

movements as (

    select chain, block_time from {{ ref('int_movements') }}

),

natives as (

    select chain, address from {{ ref('int_assets') }} where role = 'native'

),

sol_rules as (

    select distinct sol_usd from {{ ref('int_pricing_rules') }}

),

series as (

    select prices.*
    from {{ ref('int_prices') }} as prices
    inner join natives on prices.chain = natives.chain and prices.address = natives.address

),

moments as (

    select distinct movements.chain, natives.address, movements.block_time
    from movements
    inner join natives on movements.chain = natives.chain

),

-- `minute`: the candle of the moment's minute, else the latest of the five minutes before it.
minute_candles as (

    select
        chain,
        address,
        date_trunc('minute', "at") as minute_at,
        price,
        source
    from series
    where resolution = 'minute'
    qualify row_number() over (
        partition by chain, address, date_trunc('minute', "at") order by source, "at" desc
    ) = 1

),

by_minute as (

    select
        'minute' as sol_usd,
        moments.chain,
        moments.address,
        moments.block_time,
        minute_candles.price,
        minute_candles.source
    from moments
    asof inner join minute_candles
        on
            moments.chain = minute_candles.chain
            and moments.address = minute_candles.address
            and moments.block_time >= minute_candles.minute_at
    where minute_candles.minute_at >= date_trunc('minute', moments.block_time) - interval 5 minute

),

-- `hour`: the latest point of the moment's hour at or before it, else the first of that hour.
hour_points as (

    select * from series where resolution = 'hour'

),

first_of_hour as (

    select
        chain,
        address,
        date_trunc('hour', "at") as hour_at,
        min_by(price, "at") as price,
        min_by(source, "at") as source
    from hour_points
    group by chain, address, date_trunc('hour', "at")

),

point_before as (

    select
        moments.chain,
        moments.address,
        moments.block_time,
        hour_points.price,
        hour_points.source
    from moments
    asof inner join hour_points
        on
            moments.chain = hour_points.chain
            and moments.address = hour_points.address
            and moments.block_time >= hour_points."at"
    where hour_points."at" >= date_trunc('hour', moments.block_time)

),

by_hour as (

    select
        'hour' as sol_usd,
        moments.chain,
        moments.address,
        moments.block_time,
        coalesce(point_before.price, first_of_hour.price) as price,
        coalesce(point_before.source, first_of_hour.source) as source
    from moments
    inner join first_of_hour
        on
            moments.chain = first_of_hour.chain
            and moments.address = first_of_hour.address
            and date_trunc('hour', moments.block_time) = first_of_hour.hour_at
    left join point_before
        on
            moments.chain = point_before.chain
            and moments.address = point_before.address
            and moments.block_time = point_before.block_time

),

every_rule as (

    select * from by_minute
    union all
    select * from by_hour

),

final as (

    select
        every_rule.sol_usd,
        every_rule.chain,
        every_rule.address,
        every_rule.block_time,
        every_rule.price,
        every_rule.source,
        every_rule.sol_usd || ':' || every_rule.source as price_source
    from every_rule
    semi join sol_rules on every_rule.sol_usd = sol_rules.sol_usd

)

select * from final
