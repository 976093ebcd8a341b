with

deltas as (

    select * from {{ ref('int_solana__asset_deltas') }} where delta <> 0

),

decimals as (

    select mint, max(decimals) as decimals
    from {{ ref('int_solana__account_balances') }}
    where mint is not null
    group by mint

),

cash as (

    select address from {{ ref('cash_assets') }} where chain = 'solana'

),

-- Less than a hundredth of what passed through is a crumb (METHODS 1.3) ...
judged as (

    select
        deltas.*,
        decimals.decimals,
        cash.address is not null as is_cash,
        abs(deltas.delta) * 100 < greatest(deltas.amount_in, deltas.amount_out) as is_small
    from deltas
    left join decimals on deltas.asset = decimals.mint
    left join cash on deltas.asset = cash.address

),

-- ... unless nothing else is left: then it is the gain of a round trip, which is kept in cash if there is any.
final as (

    select
        *,
        is_small
        and (
            bool_or(not is_small) over (partition by signature, wallet)
            or (bool_or(is_cash) over (partition by signature, wallet) and not is_cash)
        ) as is_crumb,
        amount_in > 0 and amount_out > 0 as is_returned
    from judged

)

select * from final
