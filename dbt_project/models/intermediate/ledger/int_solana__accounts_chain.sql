with

transactions as (

    select * from {{ ref('int_solana__transactions') }}

),

balances as (

    select * from {{ ref('stg_solana__account_balances') }}

),

fee_payers as (

    select distinct fee_payer as wallet from transactions

),

-- Wrapped SOL is followed by lamports: its token amount can lag behind them.
states as (

    select
        balances.signature,
        balances.account,
        coalesce(balances.post_owner, balances.pre_owner, balances.account) as wallet,
        coalesce(balances.mint, {{ solana_sol() }}) as mint,
        max(
            case
                when coalesce(balances.mint, {{ solana_sol() }}) = {{ solana_sol() }} then balances.pre_lamports
                else coalesce(balances.pre_amount, 0)
            end
        ) as before_raw,
        max(
            case
                when coalesce(balances.mint, {{ solana_sol() }}) = {{ solana_sol() }} then balances.post_lamports
                else coalesce(balances.post_amount, 0)
            end
        ) as after_raw
    from balances
    inner join transactions
        on balances.signature = transactions.signature and balances.raw_file = transactions.raw_file
    inner join fee_payers
        on coalesce(balances.post_owner, balances.pre_owner, balances.account) = fee_payers.wallet
    group by 1, 2, 3, 4

),

placed as (

    select
        states.*,
        transactions.slot,
        transactions.tx_index,
        transactions.block_time,
        -- Two of one slot without their index have no known order: nothing is provable next to them.
        transactions.tx_index is null
        and count(*) over (partition by states.account, states.mint, transactions.slot) > 1 as is_unordered
    from states
    inner join transactions on states.signature = transactions.signature

),

neighbours as (

    select
        *,
        lag(signature) over in_order as after_tx_id,
        lag(after_raw) over in_order as left_raw,
        lag(is_unordered) over in_order as is_unordered_before
    from placed
    window in_order as (
        partition by account, mint order by slot, tx_index nulls last, signature
    )

),

final as (

    select
        'solana' as chain,
        wallet,
        account,
        mint,
        after_tx_id,
        signature as before_tx_id,
        cast(before_raw - left_raw as decimal(38, 0)) as missing_raw,
        cast(epoch_ms(block_time * 1000) as timestamp) as before_block_time
    from neighbours
    where after_tx_id is not null
        and before_raw <> left_raw
        and not is_unordered
        and not is_unordered_before

)

select * from final
