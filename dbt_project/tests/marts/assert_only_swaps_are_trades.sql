{{ config(meta={'dagster': {'ref': {'name': 'trades'}}}) }}

-- A failed, ambiguous, unfetched or one-sided movement is never a trade, and neither is a row of nobody.
with

swaps as (

    select chain, tx_id, wallet
    from {{ ref('movements') }}
    where kind = 'swap' and wallet is not null

)

select trades.chain, trades.tx_id, trades.wallet, trades.leg
from {{ ref('trades') }} as trades
anti join swaps
    on
        trades.chain = swaps.chain
        and trades.tx_id = swaps.tx_id
        and trades.wallet = swaps.wallet
