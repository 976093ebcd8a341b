with

windows as (

    select * from {{ ref('int_windows') }}

),

tracked as (

    select chain, wallet from {{ ref('int_tracked_wallets') }}

),

failed as (

    select movements.chain, movements.wallet, movements.tx_id, movements.block_time
    from {{ ref('int_movements') }} as movements
    semi join tracked on movements.chain = tracked.chain and movements.wallet = tracked.wallet
    where movements.kind = 'failed'

),

final as (

    select
        windows.method,
        windows."window",
        failed.chain,
        failed.wallet,
        count(distinct failed.tx_id) as failed_transactions
    from failed
    inner join windows
        on windows.starts_at is null or failed.block_time > windows.starts_at
    group by windows.method, windows."window", failed.chain, failed.wallet

)

select * from final
