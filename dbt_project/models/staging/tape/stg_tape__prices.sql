with

source as (

    select * from {{ source('tape', 'prices') }}

),

final as (

    select
        chain,
        address,
        "at",
        price,
        resolution,
        source
    from source

)

select * from final
