with

wallets as (

    select * from {{ ref('int_solana__wallets') }}

),

legs as (

    select * from {{ ref('int_solana__legs') }}

),

venues as (

    select * from {{ ref('int_solana__venues') }}

),

orders as (

    select * from {{ ref('int_solana__orders') }}

),

-- Who fills a quote for somebody else: the second account of the filling call, the taker being the first.
makers as (

    select distinct signature, accounts[2] as wallet
    from {{ ref('int_solana__calls') }}
    where meaning = 'quote_fill'

),

calls as (

    select
        signature,
        bool_or(meaning = 'order_place') as has_order_place,
        bool_or(meaning = 'order_fill') as has_order_fill,
        bool_or(meaning = 'liquidity') as has_liquidity,
        bool_or(venue_kind = 'lending') as has_lending,
        bool_or(venue_kind = 'staking') as has_staking,
        bool_or(venue_kind = 'nft') as has_nft
    from {{ ref('int_solana__calls') }}
    group by signature

),

shapes as (

    select
        signature,
        wallet,
        count(*) filter (delta < 0 and not is_crumb) as assets_out,
        count(*) filter (delta > 0 and not is_crumb) as assets_in,
        bool_and(is_returned) filter (not is_crumb) as is_all_returned,
        bool_and(is_left_first) filter (not is_crumb) as is_all_left_first,
        bool_or(is_sent_on) filter (not is_crumb) as is_sent_on,
        bool_or(is_crumb) as has_crumb,
        bool_or(is_minted and delta > 0 or is_burned and delta < 0) filter (not is_crumb) as is_minted_or_burned,
        bool_or(asset = {{ solana_sol() }} and delta < 0 and delta > -100000) filter (not is_crumb) as is_small_payment,
        bool_or(decimals = 0 and abs(delta) = 1) filter (not is_crumb) as has_single_unit
    from legs
    group by signature, wallet

),

facts as (

    select
        wallets.signature,
        wallets.wallet,
        wallets.is_fee_payer,
        coalesce(shapes.assets_out, 0) as assets_out,
        coalesce(shapes.assets_in, 0) as assets_in,
        -- Of two assets changed in opposite ways both must have left first and come back; an asset that came
        -- first and left in part is what was bought or what paid.
        coalesce(
            shapes.is_all_returned
            and (shapes.is_all_left_first or shapes.assets_out = 0 or shapes.assets_in = 0), false
        ) as is_round_trip,
        coalesce(shapes.is_sent_on, false) as is_sent_on,
        coalesce(shapes.has_crumb, false) as has_crumb,
        coalesce(shapes.is_minted_or_burned, false) as is_minted_or_burned,
        coalesce(shapes.is_small_payment, false) as is_small_payment,
        coalesce(shapes.has_single_unit, false) as has_single_unit,
        coalesce(venues.has_swap_call, false) as has_swap_call,
        venues.venue is not null as has_venue,
        venues.venue_kind,
        venues.venue_meaning,
        orders.wallet is not null as is_order_owner,
        makers.wallet is not null as is_maker,
        coalesce(calls.has_order_place, false) as has_order_place,
        coalesce(calls.has_liquidity, false) as has_liquidity,
        coalesce(calls.has_lending, false) as has_lending,
        coalesce(calls.has_staking, false) as has_staking,
        coalesce(calls.has_nft, false) as has_nft,
        coalesce(calls.has_order_fill, false) as has_order_fill
    from wallets
    left join shapes on wallets.signature = shapes.signature and wallets.wallet = shapes.wallet
    left join venues on wallets.signature = venues.signature
    left join calls on wallets.signature = calls.signature
    left join orders on wallets.signature = orders.signature and wallets.wallet = orders.wallet
    left join makers on wallets.signature = makers.signature and wallets.wallet = makers.wallet

),

-- The first rule that applies decides, in the order of METHODS 1.3.
verdicts as (

    select
        *,
        case
            when is_order_owner then 'order_fill'
            when is_maker or (has_order_fill and is_fee_payer) then 'keeper'
            when has_order_place and not has_order_fill then 'order_place'
            when assets_out + assets_in = 0 then 'nothing'
            when is_round_trip then 'round_trip'
            when is_sent_on and assets_out > 0 then 'swap_and_send'
            when has_liquidity and not has_swap_call and assets_out + assets_in > 1 then 'liquidity'
            -- Placed and settled apart, each side alone looks like a transfer.
            when venue_kind = 'orderbook' and venue_meaning is null then 'order_book'
            when assets_out = 0 then 'arrived'
            when assets_in = 0 then 'left'
            when assets_out > 1 or assets_in > 1 then
                case
                    when has_liquidity then 'liquidity'
                    when has_nft and not has_venue then 'nft'
                    when has_lending and not has_venue then 'lending'
                    else 'several_assets'
                end
            when has_swap_call then 'swap'
            when has_nft or has_single_unit then 'nft'
            when has_lending then 'lending'
            when has_staking then 'staking'
            when is_minted_or_burned and not has_venue then 'minted_or_burned'
            when is_small_payment and not has_venue then 'small_payment'
            else 'swap'
        end as verdict
    from facts

),

final as (

    select
        signature,
        wallet,
        is_fee_payer,
        verdict,
        has_crumb,
        case
            when verdict in ('order_fill', 'swap') then 'swap'
            when verdict in ('order_place', 'nothing') then 'none'
            when verdict = 'arrived' then 'transfer_in'
            when verdict = 'left' then 'transfer_out'
            else 'ambiguous'
        end as kind,
        case
            when verdict in ('order_fill', 'swap', 'order_place', 'nothing', 'arrived', 'left') then null
            else verdict
        end as reason,
        verdict = 'keeper' as is_nobody
    from verdicts

)

select * from final
