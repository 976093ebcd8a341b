with

rejects as (

    select * from {{ source('decoded', 'rejects') }}

),

final as (

    select
        file,
        "row",
        signature,
        fee_payer,
        slot,
        block_time,
        "column",
        reason
    from rejects

)

select * from final
