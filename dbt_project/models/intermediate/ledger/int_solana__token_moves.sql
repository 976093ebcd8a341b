with

transfers as (

    select *
    from ({{ solana_accepted(ref('stg_solana__token_transfers')) }})
    where kind in ('transfer', 'mint', 'burn', 'close')

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
        -- A closing pays lamports to a plain account, which is its own owner.
        source_owners.owner as source_owner,
        case when transfers.kind = 'close' then transfers.destination else destination_owners.owner end
            as destination_owner,
        coalesce(transfers.mint, source_owners.mint, destination_owners.mint) as mint,
        transfers.amount
    from transfers
    left join owners as source_owners
        on transfers.signature = source_owners.signature and transfers.source = source_owners.account
    left join owners as destination_owners
        on transfers.signature = destination_owners.signature
        and transfers.destination = destination_owners.account

)

select * from final
