{{ config(meta={'dagster': {'ref': {'name': 'wallet_pnl'}}}) }}

-- What is known of the tokens makes the wallet: dollars, volume and counts reconcile in every row.
with

tokens as (

    select
        method,
        "window",
        chain,
        wallet,
        sum(realized_usd) as realized_usd,
        sum(unrealized_usd) as unrealized_usd,
        sum(volume_usd) as volume_usd,
        sum(buys + sells) as trades,
        sum(sells) as sells,
        sum(trades_not_priced) as trades_not_priced
    from {{ ref('wallet_token_pnl') }}
    where not quote
    group by method, "window", chain, wallet

),

wallets as (

    select * from {{ ref('wallet_pnl') }}

)

select
    method,
    "window",
    chain,
    wallet,
    wallets.realized_usd,
    tokens.realized_usd as tokens_realized_usd,
    wallets.volume_usd,
    tokens.volume_usd as tokens_volume_usd
from wallets
left join tokens using (method, "window", chain, wallet)
where
    coalesce(wallets.realized_usd, 0) <> coalesce(tokens.realized_usd, 0)
    or coalesce(wallets.unrealized_usd, 0) <> coalesce(tokens.unrealized_usd, 0)
    or wallets.volume_usd <> coalesce(tokens.volume_usd, 0)
    or wallets.trades <> coalesce(tokens.trades, 0)
    or wallets.sells <> coalesce(tokens.sells, 0)
    or wallets.trades_not_priced <> coalesce(tokens.trades_not_priced, 0)
