with

order_calls as (

    select distinct signature, meaning, unnest(accounts) as account
    from {{ ref('int_solana__calls') }}
    where meaning in ('order_place', 'order_fill')

),

fills as (

    select signature, account from order_calls where meaning = 'order_fill' group by signature, account

),

balances as (

    select * from {{ ref('int_solana__account_balances') }}

),

signers as (

    select distinct signature, account from balances where is_signer

),

-- The order's own token accounts: named in the fill, held by an account named there that did not sign.
order_sides as (

    select
        balances.signature,
        coalesce(balances.post_owner, balances.pre_owner) as owner,
        balances.mint,
        case
            when balances.is_wrapped_sol
                then greatest(balances.post_lamports - {{ solana_rent(165) }}, 0)
                    - greatest(balances.pre_lamports - {{ solana_rent(165) }}, 0)
            else balances.post_amount - balances.pre_amount
        end as delta
    from balances
    inner join fills
        on balances.signature = fills.signature
        and coalesce(balances.post_owner, balances.pre_owner) = fills.account
    where balances.mint is not null

),

not_signed as (

    select order_sides.*
    from order_sides
    anti join signers
        on order_sides.signature = signers.signature and order_sides.owner = signers.account

),

per_owner as (

    select signature, owner, mint, sum(delta) as delta
    from not_signed
    group by signature, owner, mint
    having sum(delta) <> 0

),

-- SOL reaches an owner as lamports: by closing a wrapped account, or by a plain payment.
paid_in_sol as (

    select moves.signature, moves.destination_owner as owner, {{ solana_sol() }} as mint
    from {{ ref('int_solana__token_moves') }} as moves
    inner join fills on moves.signature = fills.signature and moves.destination = fills.account
    anti join signers on moves.signature = signers.signature and moves.destination = signers.account
    where moves.kind = 'close'
    union
    select moves.signature, moves.destination as owner, {{ solana_sol() }} as mint
    from {{ ref('int_solana__native_moves') }} as moves
    inner join fills on moves.signature = fills.signature and moves.destination = fills.account
    anti join signers on moves.signature = signers.signature and moves.destination = signers.account
    where moves.destination_owner is null

),

sol_received as (

    select
        paid_in_sol.signature,
        paid_in_sol.owner,
        paid_in_sol.mint,
        balances.post_lamports - balances.pre_lamports as delta
    from paid_in_sol
    inner join balances
        on paid_in_sol.signature = balances.signature and paid_in_sol.owner = balances.account
    where balances.is_first_of_account and balances.post_lamports > balances.pre_lamports

),

received as (

    select signature, owner, mint, sum(delta) as received_raw
    from (
        select signature, owner, mint, delta from per_owner where delta > 0
        union all
        select signature, owner, mint, delta from sol_received
    )
    group by signature, owner, mint

),

lost as (

    select signature, mint, -sum(delta) as sent_raw from per_owner where delta < 0 group by signature, mint

),

-- The keeper's or the program's fee is a second, smaller receipt of what the owner got.
pairs as (

    select
        received.signature,
        received.owner as wallet,
        lost.mint as sent_asset,
        lost.sent_raw,
        received.mint as received_asset,
        received.received_raw
    from lost
    inner join received on lost.signature = received.signature and lost.mint <> received.mint
    qualify row_number() over (
        partition by received.signature, lost.mint, received.mint
        order by received.received_raw desc, received.owner
    ) = 1

),

-- One order per transaction can be told apart: one asset that left, one that arrived.
final as (

    select * from pairs qualify count(*) over (partition by signature) = 1

)

select * from final
