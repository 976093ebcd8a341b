with

source as (

    select * from {{ source('tape', 'movements') }}

),

final as (

    select
        chain,
        tx_id,
        wallet,
        leg,
        block,
        tx_index,
        seq,
        block_time,
        kind,
        reason,
        sent_asset,
        sent_raw,
        received_asset,
        received_raw,
        network_fee,
        tip,
        bot_fee,
        other_fee,
        deposit,
        venue,
        route,
        source,
        recognised_venue,
        is_fee_payer,
        pool,
        rules
    from source

)

select * from final
