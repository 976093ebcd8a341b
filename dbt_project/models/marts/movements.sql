with

movements as (

    select * from {{ ref('int_movements') }}

),

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

final as (

    select
        as_of.as_of,
        movements.chain,
        movements.tx_id,
        movements.wallet,
        movements.leg,
        movements.block,
        movements.tx_index,
        movements.seq,
        movements.block_time,
        movements.kind,
        movements.reason,
        movements.sent_asset,
        movements.sent_raw,
        movements.received_asset,
        movements.received_raw,
        movements.network_fee,
        movements.tip,
        movements.bot_fee,
        movements.other_fee,
        movements.deposit,
        movements.venue,
        movements.route,
        movements.source,
        movements.recognised_venue,
        movements.is_fee_payer,
        movements.pool,
        movements.rules
    from movements
    cross join as_of

)

select * from final
