with

source as (

    select * from {{ source('tape', 'wallets') }}

),

final as (

    select
        chain,
        address,
        label,
        tracked_since,
        history_from,
        history_truncated
    from source

)

select * from final
