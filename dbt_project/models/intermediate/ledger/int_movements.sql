with

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

both_doors as (

    {% set columns %}
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
    {% endset %}
    select {{ columns }} from {{ ref('int_solana__movements') }} where {{ ledger_is('raw') }}
    union all
    select {{ columns }} from {{ ref('stg_tape__movements') }} where {{ ledger_is('tape') }}

),

-- Everything after as_of is invisible (METHODS 2); the columns are cast once, here, for all below.
final as (

    select
        chain,
        tx_id,
        wallet,
        cast(leg as integer) as leg,
        cast(block as bigint) as block,
        cast(tx_index as bigint) as tx_index,
        cast(seq as bigint) as seq,
        cast(block_time as timestamp) as block_time,
        kind,
        reason,
        sent_asset,
        cast(sent_raw as decimal(38, 0)) as sent_raw,
        received_asset,
        cast(received_raw as decimal(38, 0)) as received_raw,
        cast(coalesce(network_fee, 0) as decimal(38, 0)) as network_fee,
        cast(coalesce(tip, 0) as decimal(38, 0)) as tip,
        cast(coalesce(bot_fee, 0) as decimal(38, 0)) as bot_fee,
        cast(coalesce(other_fee, 0) as decimal(38, 0)) as other_fee,
        cast(coalesce(deposit, 0) as decimal(38, 0)) as deposit,
        venue,
        route,
        source,
        coalesce(recognised_venue, false) as recognised_venue,
        is_fee_payer,
        pool,
        coalesce(rules, '') as rules
    from both_doors
    where block_time <= (select as_of from as_of)

)

select * from final
