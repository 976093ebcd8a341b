with

transactions as (

    select
        *,
        coalesce(
            block_time,
            last_value(block_time ignore nulls) over (
                order by slot, tx_index nulls last, signature
                rows between unbounded preceding and current row
            ),
            first_value(block_time ignore nulls) over (
                order by slot, tx_index nulls last, signature
                rows between current row and unbounded following
            ),
            0
        ) as known_time
    from {{ ref('int_solana__transactions') }}

),

verdicts as (

    select * from {{ ref('int_solana__verdicts') }}

),

legs as (

    select * from {{ ref('int_solana__legs') }} where not is_crumb

),

deltas as (

    select * from {{ ref('int_solana__asset_deltas') }} where asset = {{ solana_sol() }}

),

costs as (

    select * from {{ ref('int_solana__costs') }}

),

venues as (

    select * from {{ ref('int_solana__venues') }}

),

sources as (

    select * from {{ ref('int_solana__sources') }}

),

orders as (

    select * from {{ ref('int_solana__orders') }}

),

unfetched as (

    select * from {{ ref('int_solana__unfetched') }}

),

swaps as (

    select
        legs.signature,
        legs.wallet,
        max(legs.asset) filter (legs.delta < 0) as sent_asset,
        cast(-sum(legs.delta) filter (legs.delta < 0) as decimal(38, 0)) as sent_raw,
        max(legs.asset) filter (legs.delta > 0) as received_asset,
        cast(sum(legs.delta) filter (legs.delta > 0) as decimal(38, 0)) as received_raw
    from legs
    inner join verdicts on legs.signature = verdicts.signature and legs.wallet = verdicts.wallet
    where verdicts.verdict = 'swap'
    group by legs.signature, legs.wallet

),

-- One row per asset, numbered by its address, so that leg 0 does not depend on the files' order.
one_sided as (

    select
        legs.signature,
        legs.wallet,
        row_number() over (partition by legs.signature, legs.wallet order by legs.asset) - 1 as leg,
        case when legs.delta < 0 then legs.asset end as sent_asset,
        case when legs.delta < 0 then -legs.delta end as sent_raw,
        case when legs.delta > 0 then legs.asset end as received_asset,
        case when legs.delta > 0 then legs.delta end as received_raw
    from legs
    inner join verdicts on legs.signature = verdicts.signature and legs.wallet = verdicts.wallet
    where verdicts.kind in ('transfer_in', 'transfer_out', 'ambiguous')

),

rows_of_wallets as (

    select signature, wallet, 0 as leg, sent_asset, sent_raw, received_asset, received_raw from swaps
    union all
    select signature, wallet, 0 as leg, sent_asset, sent_raw, received_asset, received_raw from orders
    union all
    select signature, wallet, leg, sent_asset, sent_raw, received_asset, received_raw from one_sided

),

ledger as (

    select
        verdicts.signature,
        verdicts.wallet,
        verdicts.is_fee_payer,
        verdicts.is_nobody,
        verdicts.kind,
        verdicts.reason,
        coalesce(rows_of_wallets.leg, 0) as leg,
        rows_of_wallets.sent_asset,
        cast(rows_of_wallets.sent_raw as decimal(38, 0)) as sent_raw,
        rows_of_wallets.received_asset,
        cast(rows_of_wallets.received_raw as decimal(38, 0)) as received_raw,
        costs.network_fee,
        costs.tip,
        costs.bot_fee,
        deltas.other_fee,
        costs.deposit,
        concat_ws(
            ',',
            case when costs.network_fee <> 0 then 'network_fee' end,
            case when costs.tip <> 0 then 'tip' end,
            case when costs.bot_fee <> 0 then 'bot_fee' end,
            case when deltas.other_fee <> 0 then 'other_fee' end,
            case when costs.deposit <> 0 then 'deposit' end,
            case when deltas.has_wrapped then 'one_sol' end,
            case when verdicts.has_crumb then 'crumbs' end,
            case
                when verdicts.verdict in ('liquidity', 'nft', 'lending', 'staking') then 'not_a_trade'
                when verdicts.verdict not in ('nothing', 'arrived', 'left', 'swap', 'several_assets')
                    then verdicts.verdict
            end
        ) as rules
    from verdicts
    inner join costs on verdicts.signature = costs.signature and verdicts.wallet = costs.wallet
    left join deltas on verdicts.signature = deltas.signature and verdicts.wallet = deltas.wallet
    left join rows_of_wallets
        on verdicts.signature = rows_of_wallets.signature and verdicts.wallet = rows_of_wallets.wallet

),

succeeded as (

    select
        'solana' as chain,
        ledger.signature as tx_id,
        case when ledger.is_nobody then null else ledger.wallet end as wallet,
        ledger.leg,
        transactions.slot as block,
        transactions.tx_index,
        transactions.known_time,
        ledger.kind,
        ledger.reason,
        ledger.sent_asset,
        ledger.sent_raw,
        ledger.received_asset,
        ledger.received_raw,
        case when ledger.leg = 0 then ledger.network_fee else 0 end as network_fee,
        case when ledger.leg = 0 then ledger.tip else 0 end as tip,
        case when ledger.leg = 0 then ledger.bot_fee else 0 end as bot_fee,
        case when ledger.leg = 0 then coalesce(ledger.other_fee, 0) else 0 end as other_fee,
        case when ledger.leg = 0 then ledger.deposit else 0 end as deposit,
        venues.venue,
        venues.route,
        sources.source,
        venues.venue is not null as recognised_venue,
        ledger.is_fee_payer,
        ledger.rules
    from ledger
    inner join transactions on ledger.signature = transactions.signature
    left join venues on ledger.signature = venues.signature
    left join sources on ledger.signature = sources.signature

),

failed as (

    select
        'solana' as chain,
        signature as tx_id,
        fee_payer as wallet,
        0 as leg,
        slot as block,
        tx_index,
        known_time,
        'failed' as kind,
        fee_lamports as network_fee
    from transactions
    where is_failed

),

unread as (

    select
        'solana' as chain,
        signature as tx_id,
        fee_payer as wallet,
        0 as leg,
        coalesce(slot, 0) as block,
        cast(null as bigint) as tx_index,
        known_time,
        'unfetched' as kind,
        reason
    from unfetched

),

everything as (

    select * from succeeded
    union all by name
    select *, true as is_fee_payer, 'network_fee' as rules from failed
    union all by name
    select *, cast(null as boolean) as is_fee_payer, '' as rules
    from unread

),

final as (

    select
        chain,
        tx_id,
        wallet,
        cast(leg as integer) as leg,
        block,
        tx_index,
        cast(null as bigint) as seq,
        cast(epoch_ms(known_time * 1000) as timestamp) as block_time,
        kind,
        reason,
        sent_asset,
        sent_raw,
        received_asset,
        received_raw,
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
        cast(null as varchar) as pool,
        rules
    from everything

)

select * from final
