with

source as (

    select * from {{ source('tape', 'assets') }}

),

final as (

    select
        chain,
        address,
        symbol,
        decimals,
        role,
        supply_raw,
        creator,
        created_block
    from source

)

select * from final
