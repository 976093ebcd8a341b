with

balances as (

    select * from {{ ref('int_solana__account_balances') }}

),

transactions as (

    select * from {{ ref('int_solana__transactions') }} where not is_failed

),

-- Who ever signed is somebody; an address that never did may be a pool, a vault or a curve.
known_signers as (

    select account as wallet from balances where is_signer
    union
    select fee_payer as wallet from transactions

),

fee_payers as (

    select distinct fee_payer as wallet from transactions

),

venues as (

    select signature, venue from {{ ref('int_solana__venues') }}

),

fee_accounts as (

    select address as wallet from {{ ref('fee_accounts') }}

),

signed as (

    select signature, account as wallet
    from balances
    where is_signer and post_lamports <> pre_lamports
    union
    select signature, fee_payer as wallet from transactions

),

signers as (

    select distinct signature, account as wallet from balances where is_signer

),

token_sides as (

    select signature, post_owner as wallet, mint, post_amount as amount
    from balances
    where post_owner is not null
    union all
    select signature, pre_owner as wallet, mint, -pre_amount as amount
    from balances
    where pre_owner is not null

),

token_deltas as (

    select signature, wallet, mint, sum(amount) as delta
    from token_sides
    group by signature, wallet, mint
    having sum(amount) <> 0

),

owners as (

    select
        signature,
        wallet,
        bool_or(delta > 0) and bool_or(delta < 0) as is_both_ways
    from token_deltas
    group by signature, wallet

),

signing_owners as (

    select owners.signature, owners.wallet
    from owners
    inner join signers on owners.signature = signers.signature and owners.wallet = signers.wallet

),

-- Somebody to whom a plain token instruction sent, or whose tokens it took by an allowance.
plainly_moved as (

    select distinct signature, unnest([source_owner, destination_owner]) as wallet
    from {{ ref('int_solana__token_moves') }}
    where kind = 'transfer' and inner_index = -1

),

-- Nobody holds a key to an address off the curve: a pool, a vault, a curve.
keyless as (

    select distinct coalesce(post_owner, pre_owner) as wallet from balances where not owner_on_curve

),

-- Without a signature only a change in one direction is somebody's own; both ways is a counterparty.
moved_owners as (

    select owners.signature, owners.wallet
    from owners
    inner join (
        select signature, wallet from plainly_moved
        union
        select owners.signature, owners.wallet
        from owners
        inner join known_signers on owners.wallet = known_signers.wallet
    ) as people
        on owners.signature = people.signature and owners.wallet = people.wallet
    anti join keyless on owners.wallet = keyless.wallet
    where not owners.is_both_ways

),

paid_in_sol as (

    select balances.signature, balances.account as wallet
    from balances
    inner join known_signers on balances.account = known_signers.wallet
    where balances.is_first_of_account
        and balances.mint is null
        and balances.post_lamports <> balances.pre_lamports

),

-- Who never signed here but trades both ways, SOL against a token, is a pool's counterparty where an
-- exchange ran. Elsewhere a wallet that pays fees of its own was somebody's other side: a sale it had listed.
counterparties as (

    select owners.signature, owners.wallet
    from owners
    inner join balances
        on owners.signature = balances.signature and owners.wallet = balances.account
    anti join signers on owners.signature = signers.signature and owners.wallet = signers.wallet
    left join venues on owners.signature = venues.signature
    left join fee_payers on owners.wallet = fee_payers.wallet
    where balances.post_lamports <> balances.pre_lamports
        and (venues.venue is not null or fee_payers.wallet is null)

),

candidates as (

    select signature, wallet from signed
    union
    select signature, wallet from signing_owners
    union
    select moved_owners.signature, moved_owners.wallet
    from moved_owners
    anti join counterparties
        on moved_owners.signature = counterparties.signature and moved_owners.wallet = counterparties.wallet
    anti join fee_accounts on moved_owners.wallet = fee_accounts.wallet
    union
    select paid_in_sol.signature, paid_in_sol.wallet
    from paid_in_sol
    anti join owners
        on paid_in_sol.signature = owners.signature and paid_in_sol.wallet = owners.wallet
    anti join fee_accounts on paid_in_sol.wallet = fee_accounts.wallet
    union
    select signature, wallet from {{ ref('int_solana__orders') }}

),

-- A fee payer whose account is a token account does not exist; a mint or token account that signs its own
-- creation is no wallet.
accounts_of_tokens as (

    select signature, account from {{ ref('int_solana__account_owners') }}
    union
    select signature, account from ({{ solana_accepted(ref('stg_solana__created_accounts')) }})

),

final as (

    select
        candidates.signature,
        candidates.wallet,
        candidates.wallet = transactions.fee_payer as is_fee_payer
    from candidates
    inner join transactions on candidates.signature = transactions.signature
    left join accounts_of_tokens
        on candidates.signature = accounts_of_tokens.signature
        and candidates.wallet = accounts_of_tokens.account
    where accounts_of_tokens.account is null or candidates.wallet = transactions.fee_payer

)

select * from final
