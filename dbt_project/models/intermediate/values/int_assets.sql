with

tape_assets as (

    select
        chain,
        address,
        symbol,
        decimals,
        role,
        supply_raw,
        creator,
        created_block
    from {{ ref('stg_tape__assets') }}
    where {{ ledger_is('tape') }}

),

cash_assets as (

    select
        chain,
        address,
        symbol,
        decimals,
        role
    from {{ ref('cash_assets') }}
    where {{ ledger_is('raw') }}

),

seen_mints as (

    select
        'solana' as chain,
        mint as address,
        -- Nodes that disagree on a mint's decimals are not guessed between: unknown.
        case when min(decimals) = max(decimals) then min(decimals) end as decimals
    from {{ ref('stg_solana__account_balances') }}
    where mint is not null and {{ ledger_is('raw') }}
    group by mint

),

seen_tokens as (

    select seen_mints.*
    from seen_mints
    anti join cash_assets
        on seen_mints.chain = cash_assets.chain and seen_mints.address = cash_assets.address

),

all_assets as (

    select * from tape_assets
    union all by name
    select * from cash_assets
    union all by name
    select *, 'token' as role from seen_tokens

),

final as (

    select
        chain,
        address,
        symbol,
        cast(decimals as integer) as decimals,
        role,
        cast(supply_raw as decimal(38, 0)) as supply_raw,
        creator,
        cast(created_block as bigint) as created_block
    from all_assets

)

select * from final
