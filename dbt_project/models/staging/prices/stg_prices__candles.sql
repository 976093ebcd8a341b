with

series as (

    select * from {{ ref('stg_prices__candle_series') }}

),

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
        "row"
    from series
    where place = 1 and not is_contradicted

)

select * from final
