with

source as (

    select * from {{ source('tape', 'balances') }}

),

final as (

    select
        chain,
        wallet,
        address,
        amount_raw,
        as_of
    from source

)

select * from final
