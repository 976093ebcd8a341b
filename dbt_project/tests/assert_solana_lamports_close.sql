-- A lamport of a wallet that no column of its row accounts for: a payment counted twice or not at all, or rent
-- given to somebody else. What stays out by rule (crumbs, escrowed orders, their owners) is not compared.
with

deltas as (

    select * from {{ ref('int_solana__asset_deltas') }} where balance_change is not null

),

verdicts as (

    select *
    from {{ ref('int_solana__verdicts') }}
    where verdict not in ('order_place', 'order_fill', 'keeper') and not has_crumb

),

movements as (

    select
        tx_id,
        wallet,
        coalesce(sum(received_raw) filter (received_asset = {{ solana_sol() }}), 0)
            - coalesce(sum(sent_raw) filter (sent_asset = {{ solana_sol() }}), 0) as sol_leg,
        sum(network_fee + tip + bot_fee + other_fee + deposit) as costs
    from {{ ref('int_solana__movements') }}
    group by tx_id, wallet

)

select
    deltas.signature,
    deltas.wallet,
    deltas.balance_change,
    movements.sol_leg,
    movements.costs
from deltas
inner join verdicts on deltas.signature = verdicts.signature and deltas.wallet = verdicts.wallet
left join movements on deltas.signature = movements.tx_id and deltas.wallet = movements.wallet
where deltas.balance_change is distinct from movements.sol_leg - movements.costs
