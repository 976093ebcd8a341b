with

wallets as (

    select * from {{ ref('int_solana__wallets') }}

),

transactions as (

    select * from {{ ref('int_solana__transactions') }}

),

payments as (

    select
        signature,
        wallet,
        sum(lamports) filter (role = 'tip') as tip,
        sum(lamports) filter (role = 'bot_fee') as bot_fee,
        sum(lamports) filter (role = 'beside') as beside
    from {{ ref('int_solana__native_payments') }}
    group by signature, wallet

),

deposits as (

    select signature, wallet, sum(lamports) as deposit
    from {{ ref('int_solana__deposits') }}
    group by signature, wallet

),

final as (

    select
        wallets.signature,
        wallets.wallet,
        wallets.is_fee_payer,
        cast(case when wallets.is_fee_payer then transactions.fee_lamports else 0 end as decimal(38, 0))
            as network_fee,
        cast(coalesce(payments.tip, 0) as decimal(38, 0)) as tip,
        cast(coalesce(payments.bot_fee, 0) as decimal(38, 0)) as bot_fee,
        cast(coalesce(payments.beside, 0) as decimal(38, 0)) as paid_beside,
        cast(coalesce(deposits.deposit, 0) as decimal(38, 0)) as deposit
    from wallets
    inner join transactions on wallets.signature = transactions.signature
    left join payments
        on wallets.signature = payments.signature and wallets.wallet = payments.wallet
    left join deposits
        on wallets.signature = deposits.signature and wallets.wallet = deposits.wallet

)

select * from final
