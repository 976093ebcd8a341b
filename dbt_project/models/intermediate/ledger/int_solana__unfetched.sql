with

rejects as (

    select signature, fee_payer, slot, block_time, reason
    from {{ ref('stg_solana__rejects') }}
    where signature is not null

),

decoded as (

    select * from {{ ref('stg_solana__transactions') }}

),

accepted as (

    select * from {{ ref('int_solana__transactions') }}

),

unreadable as (

    select signature, fee_payer, slot, block_time, reason from rejects
    union all
    select signature, fee_payer, slot, block_time, 'duplicate_signature_different_body' as reason
    from decoded

),

-- One row per signature of which no body was accepted.
missing as (

    select
        unreadable.signature,
        max(unreadable.fee_payer) as fee_payer,
        max(unreadable.slot) as slot,
        max(unreadable.block_time) as block_time,
        min(unreadable.reason) as reason
    from unreadable
    anti join accepted on unreadable.signature = accepted.signature
    group by unreadable.signature

),

known_times as (

    select slot, max(block_time) as block_time
    from accepted
    where block_time is not null
    group by slot

),

first_known as (

    select min(block_time) as block_time from known_times

),

final as (

    select
        missing.signature,
        missing.fee_payer,
        missing.slot,
        missing.reason,
        coalesce(missing.block_time, known_times.block_time, first_known.block_time, 0) as known_time
    from missing
    asof left join known_times on missing.slot >= known_times.slot
    cross join first_known

)

select * from final
