with

closed_trades as (

    select * from {{ ref('stg_replay__closed_trades') }}

),

events as (

    select * from {{ ref('int_ledger_events') }}

),

final as (

    select
        closed_trades.method,
        endings.chain,
        endings.wallet,
        endings.token,
        closed_trades.number,
        openings.tx_id as opened_tx_id,
        closed_trades.opened_at,
        endings.tx_id as closed_tx_id,
        closed_trades.closed_at,
        closed_trades.bought_usd,
        closed_trades.sold_usd,
        closed_trades.profit_usd,
        closed_trades.outcome,
        closed_trades.counted,
        closed_trades.not_counted_reason,
        closed_trades.hold_s
    from closed_trades
    inner join events as openings on closed_trades.opened_event_id = openings.event_id
    inner join events as endings on closed_trades.closed_event_id = endings.event_id

)

select * from final
