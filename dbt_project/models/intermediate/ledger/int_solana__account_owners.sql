with

balances as (

    select signature, account, coalesce(post_owner, pre_owner) as owner, mint
    from {{ ref('int_solana__account_balances') }}
    where mint is not null

),

-- An account that was opened and closed within the transaction has no balances, only its opening.
opened as (

    select signature, destination as account, authority as owner, mint
    from ({{ solana_accepted(ref('stg_solana__token_transfers')) }})
    where kind = 'initialize'

),

both_sources as (

    select signature, account, owner, mint, 1 as preference from balances
    union all
    select signature, account, owner, mint, 2 as preference from opened

),

final as (

    select
        signature,
        account,
        arg_min(owner, preference) as owner,
        arg_min(mint, preference) as mint
    from both_sources
    group by signature, account

)

select * from final
