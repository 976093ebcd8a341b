{{ config(meta={'dagster': {'ref': {'name': 'wallet_token_pnl'}}}) }}

-- Realized and unrealized make the total, a part not known counting as absent.
with

rows_of_both as (

    select method, "window", chain, wallet, token, realized_usd, unrealized_usd, total_usd
    from {{ ref('wallet_token_pnl') }}
    union all
    select method, "window", chain, wallet, null as token, realized_usd, unrealized_usd, total_usd
    from {{ ref('wallet_pnl') }}

)

select *
from rows_of_both
where
    total_usd is distinct from case
        when realized_usd is null then unrealized_usd
        when unrealized_usd is null then realized_usd
        else realized_usd + unrealized_usd
    end
