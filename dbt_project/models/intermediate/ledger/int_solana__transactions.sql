with

decoded as (

    select * from {{ ref('stg_solana__transactions') }}

),

judged as (

    select
        *,
        min(body_digest) over (partition by signature) <> max(body_digest) over (partition by signature)
            as is_contradicted,
        count(*) over (partition by signature, raw_file) as copies_in_file,
        max(tx_index) over (partition by signature) as known_tx_index,
        max(block_time) over (partition by signature) as known_block_time,
        row_number() over (partition by signature order by raw_file, raw_row) as copy_number
    from decoded

),

accepted as (

    select * from judged where copy_number = 1 and not is_contradicted

),

final as (

    select
        signature,
        raw_file,
        copies_in_file,
        slot,
        known_tx_index as tx_index,
        known_block_time as block_time,
        fee_payer,
        fee_lamports,
        is_failed
    from accepted

)

select * from final
