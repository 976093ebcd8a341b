with

candles as (

    select * from {{ source('prices', 'candles') }}

),

-- Files overlap: of closes that agree the shortest candle stands, in an order of its own so that
-- the order of imports does not matter; closes that contradict each other are all set aside.
final as (

    select
        chain,
        address,
        "at",
        price,
        resolution,
        source,
        "interval",
        file,
        "row",
        min(price) over same_moment <> max(price) over same_moment as is_contradicted,
        row_number() over (
            partition by chain, address, resolution, source, "at" order by "interval", file, "row"
        ) as place
    from candles
    window same_moment as (partition by chain, address, resolution, source, "at")

)

select * from final
