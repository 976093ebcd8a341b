with

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

movements as (

    select * from {{ ref('int_movements') }}

),

first_movements as (

    select
        chain,
        wallet,
        min(block_time) as first_at,
        bool_or(kind = 'swap' or coalesce(is_fee_payer, false)) as pays_or_trades
    from movements
    where wallet is not null
    group by chain, wallet

),

watched as (

    select
        chain,
        address as wallet,
        label,
        tracked_since,
        history_from,
        history_truncated
    from {{ ref('stg_tape__wallets') }}
    where
        {{ ledger_is('tape') }}
        -- Who is tracked only later is not there yet (METHODS 2).
        and (tracked_since is null or tracked_since <= (select as_of from as_of))

),

-- Imported transactions come without a watch list: every fee payer and trader is tracked.
unlisted as (

    select chain, wallet
    from first_movements
    where pays_or_trades and {{ ledger_is('raw') }}

),

tracked as (

    select * from watched
    union all by name
    select * from unlisted

),

final as (

    select
        tracked.chain,
        tracked.wallet,
        cast(tracked.label as varchar) as label,
        coalesce(cast(tracked.tracked_since as timestamp), first_movements.first_at) as tracked_since,
        cast(tracked.history_from as timestamp) as history_from,
        cast(tracked.history_truncated as boolean) as history_truncated
    from tracked
    left join first_movements
        on tracked.chain = first_movements.chain and tracked.wallet = first_movements.wallet

)

select * from final
