with

breaks as (

    select * from {{ ref('int_solana__accounts_chain') }} where {{ ledger_is('raw') }}

),

display_rule as (

    select * from {{ ref('int_display_rule') }}

),

prices_now as (

    select prices_now.*
    from {{ ref('int_prices_now') }} as prices_now
    semi join display_rule on prices_now.cash_rule = display_rule.cash_rule
    qualify row_number() over (
        partition by prices_now.chain, prices_now.token order by prices_now.price_now
    ) = 1

),

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

final as (

    select
        as_of.as_of,
        breaks.chain,
        breaks.wallet,
        breaks.account,
        breaks.mint,
        breaks.after_tx_id,
        breaks.before_tx_id,
        breaks.before_block_time,
        breaks.missing_raw,
        cast(
            {{ value_now('breaks.missing_raw', 'prices_now') }} as decimal(38, 9)
        ) as missing_usd
    from breaks
    cross join as_of
    left join prices_now on breaks.chain = prices_now.chain and breaks.mint = prices_now.token
    where breaks.before_block_time <= as_of.as_of

)

select * from final
