with

transfers as (

    {{ solana_accepted(ref('stg_solana__native_transfers')) }}

),

owners as (

    select * from {{ ref('int_solana__account_owners') }}

),

final as (

    select
        transfers.signature,
        transfers.outer_index,
        transfers.inner_index,
        transfers.kind,
        transfers.source,
        transfers.destination,
        owners.owner as destination_owner,
        transfers.lamports
    from transfers
    left join owners
        on transfers.signature = owners.signature and transfers.destination = owners.account
    where transfers.lamports > 0

)

select * from final
