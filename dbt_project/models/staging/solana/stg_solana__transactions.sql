with

transactions as (

    select * from {{ source('decoded', 'transactions') }}

),

final as (

    select
        signature,
        raw_file,
        raw_row,
        slot,
        tx_index,
        block_time,
        fee_payer,
        fee_lamports,
        is_failed,
        body_digest
    from transactions

)

select * from final
