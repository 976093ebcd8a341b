with

wallets as (

    select * from {{ ref('int_solana__wallets') }}

),

transactions as (

    select * from {{ ref('int_solana__transactions') }}

),

balances as (

    select * from {{ ref('int_solana__account_balances') }} where is_first_of_account

),

native_moves as (

    select * from {{ ref('int_solana__native_moves') }}

),

token_moves as (

    select * from {{ ref('int_solana__token_moves') }}

),

-- What a token account holds when it is closed: what it had, and what came in by instructions.
closed as (

    select distinct signature, source as account, destination as wallet from token_moves where kind = 'close'

),

account_flows as (

    select signature, destination as account, lamports from native_moves
    union all
    select signature, source as account, -lamports as lamports from native_moves
    union all
    select signature, destination as account, amount as lamports
    from token_moves
    where kind = 'transfer' and mint = {{ solana_sol() }}
    union all
    select signature, source as account, -amount as lamports
    from token_moves
    where kind = 'transfer' and mint = {{ solana_sol() }}

),

closed_flows as (

    select closed.signature, closed.account, closed.wallet, sum(account_flows.lamports) as lamports
    from closed
    inner join account_flows
        on closed.signature = account_flows.signature and closed.account = account_flows.account
    group by closed.signature, closed.account, closed.wallet

),

explained as (

    select
        closed.signature,
        closed.wallet,
        coalesce(balances.pre_lamports, 0) - coalesce(balances.post_lamports, 0)
            + coalesce(closed_flows.lamports, 0) as lamports
    from closed
    left join balances on closed.signature = balances.signature and closed.account = balances.account
    left join closed_flows
        on closed.signature = closed_flows.signature
        and closed.account = closed_flows.account
        and closed.wallet = closed_flows.wallet
    union all
    select signature, destination as wallet, lamports from native_moves
    union all
    select signature, source as wallet, -lamports as lamports from native_moves

),

explained_sums as (

    select signature, wallet, sum(lamports) as lamports from explained group by signature, wallet

),

final as (

    select
        wallets.signature,
        wallets.wallet,
        wallets.is_fee_payer,
        cast(
            balances.post_lamports - balances.pre_lamports
            + case when wallets.is_fee_payer then transactions.fee_lamports else 0 end
            - coalesce(explained_sums.lamports, 0) as decimal(38, 0)
        ) as lamports
    from wallets
    inner join transactions on wallets.signature = transactions.signature
    inner join balances on wallets.signature = balances.signature and wallets.wallet = balances.account
    left join explained_sums
        on wallets.signature = explained_sums.signature and wallets.wallet = explained_sums.wallet

)

select * from final
