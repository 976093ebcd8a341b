with

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

tracked as (

    select chain, wallet from {{ ref('int_tracked_wallets') }}

),

given as (

    select
        chain,
        wallet,
        address as token,
        max_by(amount_raw, as_of) as balance_raw
    from {{ ref('stg_tape__balances') }}
    where as_of <= (select as_of from as_of) and {{ ledger_is('tape') }}
    group by chain, wallet, address

),

movements as (

    select movements.*
    from {{ ref('int_movements') }} as movements
    semi join tracked
        on movements.chain = tracked.chain and movements.wallet = tracked.wallet
    where movements.kind in ('swap', 'transfer_in', 'transfer_out', 'ambiguous')

),

changes as (

    select chain, wallet, received_asset as token, received_raw as change_raw
    from movements
    where received_asset is not null
    union all
    select chain, wallet, sent_asset as token, -sent_raw as change_raw
    from movements
    where sent_asset is not null

),

-- What was never seen to arrive can make the sum negative; nobody holds less than nothing.
summed as (

    select
        chain,
        wallet,
        token,
        cast(greatest(sum(change_raw), 0) as decimal(38, 0)) as balance_raw
    from changes
    group by chain, wallet, token

),

final as (

    select
        coalesce(given.chain, summed.chain) as chain,
        coalesce(given.wallet, summed.wallet) as wallet,
        coalesce(given.token, summed.token) as token,
        cast(coalesce(given.balance_raw, summed.balance_raw) as decimal(38, 0)) as balance_raw,
        case when given.balance_raw is not null then 'tape' else 'movements' end as balance_source
    from given
    full join summed
        on
            given.chain = summed.chain
            and given.wallet = summed.wallet
            and given.token = summed.token

)

select * from final
