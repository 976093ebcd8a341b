with

wallets as (

    select * from {{ ref('int_solana__wallets') }}

),

balances as (

    select * from {{ ref('int_solana__account_balances') }}

),

costs as (

    select * from {{ ref('int_solana__costs') }}

),

exchange_instructions as (

    select distinct signature, wallet from {{ ref('int_solana__exchange_instructions') }}

),

flows as (

    select * from {{ ref('int_solana__gross_flows') }}

),

-- Owner = the side's own owner: a closed account has only its side before, a missing side is zero.
token_sides as (

    select signature, post_owner as wallet, mint as asset, post_amount as amount
    from balances
    where post_owner is not null and not is_wrapped_sol
    union all
    select signature, pre_owner as wallet, mint as asset, -pre_amount as amount
    from balances
    where pre_owner is not null and not is_wrapped_sol

),

tokens as (

    select
        token_sides.signature,
        token_sides.wallet,
        token_sides.asset,
        cast(sum(token_sides.amount) as decimal(38, 0)) as delta
    from token_sides
    inner join wallets
        on token_sides.signature = wallets.signature and token_sides.wallet = wallets.wallet
    group by token_sides.signature, token_sides.wallet, token_sides.asset
    having sum(token_sides.amount) <> 0

),

token_holders as (

    select distinct signature, wallet from tokens

),

lamport_sides as (

    select signature, account as wallet, post_lamports - pre_lamports as lamports, false as is_wrapped
    from balances
    where is_first_of_account
    union all
    select
        signature,
        post_owner as wallet,
        greatest(post_lamports - {{ solana_rent(165) }}, 0) as lamports,
        true as is_wrapped
    from balances
    where is_wrapped_sol and post_owner is not null
    union all
    select
        signature,
        pre_owner as wallet,
        -greatest(pre_lamports - {{ solana_rent(165) }}, 0) as lamports,
        true as is_wrapped
    from balances
    where is_wrapped_sol and pre_owner is not null

),

lamports as (

    select
        lamport_sides.signature,
        lamport_sides.wallet,
        sum(lamport_sides.lamports) as lamports,
        sum(lamport_sides.lamports) filter (lamport_sides.is_wrapped) as wrapped_lamports
    from lamport_sides
    inner join wallets
        on lamport_sides.signature = wallets.signature and lamport_sides.wallet = wallets.wallet
    group by lamport_sides.signature, lamport_sides.wallet

),

-- A payment beside the exchange is a fee only where there was an exchange; else it is what was sent.
native as (

    select
        lamports.signature,
        lamports.wallet,
        lamports.lamports as balance_change,
        coalesce(lamports.wrapped_lamports, 0) <> 0 as has_wrapped,
        lamports.lamports + costs.network_fee + costs.tip + costs.bot_fee + costs.deposit as before_beside,
        case
            when exchange_instructions.wallet is not null and token_holders.wallet is not null
                then costs.paid_beside
            else 0
        end as paid_beside
    from lamports
    inner join costs on lamports.signature = costs.signature and lamports.wallet = costs.wallet
    left join exchange_instructions
        on lamports.signature = exchange_instructions.signature
        and lamports.wallet = exchange_instructions.wallet
    left join token_holders
        on lamports.signature = token_holders.signature and lamports.wallet = token_holders.wallet

),

-- More than a twentieth of the SOL that was bought, paid on, is no fee (METHODS 1.3, swap and send).
sol as (

    select
        *,
        before_beside + paid_beside > 0 and paid_beside * 20 > before_beside + paid_beside as is_sent_on
    from native

),

final as (

    select
        tokens.signature,
        tokens.wallet,
        tokens.asset,
        tokens.delta,
        cast(0 as decimal(38, 0)) as other_fee,
        cast(null as decimal(38, 0)) as balance_change,
        false as has_wrapped,
        coalesce(flows.amount_in, 0) as amount_in,
        coalesce(flows.amount_out, 0) as amount_out,
        coalesce(flows.is_left_first, false) as is_left_first,
        tokens.delta > 0 and coalesce(flows.sent_on, 0) * 20 > coalesce(flows.amount_in, 0) as is_sent_on,
        coalesce(flows.is_minted, false) as is_minted,
        coalesce(flows.is_burned, false) as is_burned
    from tokens
    left join flows
        on tokens.signature = flows.signature
        and tokens.wallet = flows.wallet
        and tokens.asset = flows.asset
    union all
    select
        sol.signature,
        sol.wallet,
        {{ solana_sol() }} as asset,
        cast(sol.before_beside + case when sol.is_sent_on then 0 else sol.paid_beside end as decimal(38, 0)) as delta,
        cast(case when sol.is_sent_on then 0 else sol.paid_beside end as decimal(38, 0)) as other_fee,
        cast(sol.balance_change as decimal(38, 0)) as balance_change,
        sol.has_wrapped,
        coalesce(flows.amount_in, 0) as amount_in,
        coalesce(flows.amount_out, 0) as amount_out,
        coalesce(flows.is_left_first, false) as is_left_first,
        sol.is_sent_on,
        false as is_minted,
        false as is_burned
    from sol
    left join flows
        on sol.signature = flows.signature
        and sol.wallet = flows.wallet
        and flows.asset = {{ solana_sol() }}

)

select * from final
