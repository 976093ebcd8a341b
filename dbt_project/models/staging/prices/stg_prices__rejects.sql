with

rejects as (

    select * from {{ source('prices', 'rejects') }}

),

series as (

    select * from {{ ref('stg_prices__candle_series') }}

),

contradicted as (

    select
        file,
        "row",
        'close' as "column",
        'conflicting_rows' as reason
    from series
    where is_contradicted

),

-- A file may be imported again after some of its rows were mended.
final as (

    select file, "row", "column", reason from rejects
    union
    select file, "row", "column", reason from contradicted

)

select * from final
