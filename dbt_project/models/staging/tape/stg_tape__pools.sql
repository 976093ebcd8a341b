with

source as (

    select * from {{ source('tape', 'pools') }}

),

final as (

    select
        chain,
        pool,
        base_address,
        quote_address,
        base_reserve_raw,
        quote_reserve_raw,
        as_of
    from source

)

select * from final
