with

balances as (

    select
        *,
        pre_lamports as held_before,
        post_lamports as held_after
    from {{ ref('int_solana__account_balances') }}
    where is_first_of_account

),

wallets as (

    select * from {{ ref('int_solana__wallets') }}

),

native_moves as (

    select * from {{ ref('int_solana__native_moves') }}

),

token_moves as (

    select * from {{ ref('int_solana__token_moves') }}

),

created as (

    select signature, account, max(space) as space, min(outer_index) as outer_index
    from ({{ solana_accepted(ref('stg_solana__created_accounts')) }})
    where space is not null
    group by signature, account

),

-- Rent is what the size requires and never more than the account holds (METHODS 1.3, 5).
opened as (

    select
        created.signature,
        created.account,
        created.outer_index,
        least(balances.held_after, {{ solana_rent('created.space') }})
            - least(balances.held_before, {{ solana_rent('created.space') }}) as rent
    from created
    inner join balances
        on created.signature = balances.signature and created.account = balances.account
    where balances.held_after > balances.held_before

),

paid_in as (

    select
        opened.signature,
        opened.account,
        native_moves.source as wallet,
        sum(native_moves.lamports) as paid,
        min(native_moves.outer_index * 100000 + native_moves.inner_index) as first_paid,
        -- Growth is whole bytes of rent, paid by the instruction that opened the account.
        sum(native_moves.lamports) filter (
            native_moves.kind = 'transfer'
            and native_moves.outer_index = opened.outer_index
            and native_moves.lamports % 6960 = 0
            and native_moves.lamports <= 6960 * 10240
        ) as grown
    from opened
    inner join native_moves
        on opened.signature = native_moves.signature and opened.account = native_moves.destination
    group by opened.signature, opened.account, native_moves.source

),

ranked_payers as (

    select
        paid_in.*,
        opened.rent,
        opened.outer_index,
        row_number() over (
            partition by paid_in.signature, paid_in.account order by paid_in.first_paid
        ) as place
    from paid_in
    inner join opened on paid_in.signature = opened.signature and paid_in.account = opened.account

),

rents as (

    select
        ranked_payers.signature,
        ranked_payers.wallet,
        ranked_payers.account,
        case
            when ranked_payers.paid <= ranked_payers.rent then ranked_payers.paid
            else ranked_payers.rent
                + least(
                    case
                        when ranked_payers.grown is null then 0
                        -- Allocation after a transfer: that transfer was the rent itself.
                        when ranked_payers.grown >= ranked_payers.paid then ranked_payers.paid - ranked_payers.rent
                        else ranked_payers.grown
                    end,
                    ranked_payers.paid - ranked_payers.rent
                )
        end as lamports
    from ranked_payers
    inner join wallets
        on ranked_payers.signature = wallets.signature and ranked_payers.wallet = wallets.wallet
    where ranked_payers.place = 1

),

closings as (

    select distinct signature, source as account, destination as wallet
    from token_moves
    where kind = 'close'

),

-- A token account closed for good gives its rent back to where its closing says.
token_refunds as (

    select
        closings.signature,
        closings.wallet,
        closings.account,
        -case
            when balances.is_wrapped_sol then least(balances.held_before, {{ solana_rent(165) }})
            else balances.held_before
        end as lamports
    from closings
    inner join balances
        on closings.signature = balances.signature and closings.account = balances.account
    inner join wallets on closings.signature = wallets.signature and closings.wallet = wallets.wallet
    where balances.held_after = 0 and balances.held_before > 0

),

native_out as (

    select signature, source as account, sum(lamports) as lamports
    from native_moves
    group by signature, source

),

-- A program that closes an account of its own moves the lamports itself: no instruction tells where to.
-- Rent alone is a whole number of bytes, so other sums are left where they went.
program_refunds as (

    select balances.signature, balances.account, balances.held_before as lamports
    from balances
    anti join native_out
        on balances.signature = native_out.signature and balances.account = native_out.account
    anti join closings
        on balances.signature = closings.signature and balances.account = closings.account
    where balances.held_after = 0
        and balances.held_before >= {{ solana_rent(0) }}
        and balances.held_before % 6960 = 0
        and not balances.is_signer

),

program_refund_sums as (

    select signature, sum(lamports) as lamports from program_refunds group by signature

),

unexplained as (

    select * from {{ ref('int_solana__unexplained_lamports') }}

),

refunded as (

    select
        program_refund_sums.signature,
        unexplained.wallet,
        row_number() over (
            partition by program_refund_sums.signature
            order by unexplained.is_fee_payer desc, unexplained.lamports desc, unexplained.wallet
        ) as place
    from program_refund_sums
    inner join unexplained on program_refund_sums.signature = unexplained.signature
    where unexplained.lamports >= program_refund_sums.lamports

),

program_refunds_of_wallets as (

    select
        program_refunds.signature,
        refunded.wallet,
        program_refunds.account,
        -program_refunds.lamports as lamports
    from program_refunds
    inner join refunded on program_refunds.signature = refunded.signature
    where refunded.place = 1

),

final as (

    select signature, wallet, account, cast(lamports as decimal(38, 0)) as lamports from rents
    union all
    select signature, wallet, account, cast(lamports as decimal(38, 0)) as lamports from token_refunds
    union all
    select signature, wallet, account, cast(lamports as decimal(38, 0)) as lamports
    from program_refunds_of_wallets

)

select * from final
