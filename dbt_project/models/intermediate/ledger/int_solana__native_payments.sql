with

wallets as (

    select * from {{ ref('int_solana__wallets') }}

),

native_moves as (

    select * from {{ ref('int_solana__native_moves') }}

),

token_moves as (

    select * from {{ ref('int_solana__token_moves') }}

),

fee_accounts as (

    select * from {{ ref('fee_accounts') }}

),

calls as (

    select * from {{ ref('int_solana__calls') }}

),

deposits as (

    select * from {{ ref('int_solana__deposits') }} where lamports > 0

),

exchange_instructions as (

    select * from {{ ref('int_solana__exchange_instructions') }}

),

-- Empty before and after: what went there went on within the transaction.
passed_through as (

    select signature, account
    from {{ ref('int_solana__account_balances') }}
    where is_first_of_account and pre_lamports = 0 and post_lamports = 0

),

-- Native and wrapped SOL that left a wallet for somebody else.
payments as (

    select
        native_moves.signature,
        native_moves.outer_index,
        native_moves.inner_index,
        wallets.wallet,
        native_moves.destination,
        coalesce(native_moves.destination_owner, native_moves.destination) as payee,
        false as is_wrapped,
        cast(native_moves.lamports as decimal(38, 0)) as lamports
    from native_moves
    inner join wallets
        on native_moves.signature = wallets.signature and native_moves.source = wallets.wallet
    where coalesce(native_moves.destination_owner, native_moves.destination) <> wallets.wallet
    union all
    select
        token_moves.signature,
        token_moves.outer_index,
        token_moves.inner_index,
        wallets.wallet,
        token_moves.destination,
        coalesce(token_moves.destination_owner, token_moves.destination) as payee,
        true as is_wrapped,
        token_moves.amount as lamports
    from token_moves
    inner join wallets
        on token_moves.signature = wallets.signature and token_moves.source_owner = wallets.wallet
    where token_moves.kind = 'transfer'
        and token_moves.mint = {{ solana_sol() }}
        and coalesce(token_moves.destination_owner, '') <> wallets.wallet

),

-- Rent inside a payment is counted as deposit already; it was paid first.
running as (

    select
        *,
        sum(case when is_wrapped then 0 else lamports end) over (
            partition by signature, wallet, destination
            order by outer_index, inner_index
            rows between unbounded preceding and 1 preceding
        ) as paid_before
    from payments

),

without_rent as (

    select
        running.* exclude (lamports, paid_before),
        case
            when running.is_wrapped or deposits.lamports is null then running.lamports
            else running.lamports
                - least(
                    running.lamports, greatest(deposits.lamports - coalesce(running.paid_before, 0), 0)
                )
        end as lamports
    from running
    left join deposits
        on running.signature = deposits.signature
        and running.wallet = deposits.wallet
        and running.destination = deposits.account

),

-- The call that a payment was made by: the latest one before it that stands one level higher.
parents as (

    select
        without_rent.signature,
        without_rent.outer_index,
        without_rent.inner_index,
        arg_max(calls.source_label, calls.inner_index) as source_label
    from without_rent
    inner join calls as own_calls
        on without_rent.signature = own_calls.signature
        and without_rent.outer_index = own_calls.outer_index
        and without_rent.inner_index = own_calls.inner_index
    inner join calls
        on without_rent.signature = calls.signature
        and without_rent.outer_index = calls.outer_index
        and calls.inner_index < without_rent.inner_index
        and calls.stack_height = own_calls.stack_height - 1
    group by without_rent.signature, without_rent.outer_index, without_rent.inner_index
    having arg_max(coalesce(calls.source_label, ''), calls.inner_index) <> ''

),

received as (

    select signature, outer_index, destination_owner as wallet
    from token_moves
    where kind in ('transfer', 'mint') and source_owner is distinct from destination_owner
    union
    select signature, outer_index, destination as wallet from native_moves where destination_owner is null

),

final as (

    select
        without_rent.signature,
        without_rent.outer_index,
        without_rent.inner_index,
        without_rent.wallet,
        without_rent.payee,
        without_rent.is_wrapped,
        without_rent.lamports,
        case
            when fee_accounts.role = 'tip' and not without_rent.is_wrapped then 'tip'
            when fee_accounts.role = 'bot_fee' then 'bot_fee'
            when without_rent.is_wrapped then 'price'
            when passed_through.account is not null then 'price'
            when parents.source_label is not null then 'bot_fee'
            when exchange_instructions.wallet is not null or received.wallet is not null then 'price'
            else 'beside'
        end as role,
        coalesce(nullif(fee_accounts.source_label, ''), parents.source_label) as source_label
    from without_rent
    left join fee_accounts on without_rent.payee = fee_accounts.address
    left join parents
        on without_rent.signature = parents.signature
        and without_rent.outer_index = parents.outer_index
        and without_rent.inner_index = parents.inner_index
    left join passed_through
        on without_rent.signature = passed_through.signature
        and without_rent.destination = passed_through.account
    left join exchange_instructions
        on without_rent.signature = exchange_instructions.signature
        and without_rent.outer_index = exchange_instructions.outer_index
        and without_rent.wallet = exchange_instructions.wallet
    left join received
        on without_rent.signature = received.signature
        and without_rent.outer_index = received.outer_index
        and without_rent.wallet = received.wallet
    where without_rent.lamports > 0

)

select * from final
