with

methods as (

    select * from {{ ref('int_methods') }} where replays

),

tracked as (

    select chain, wallet from {{ ref('int_tracked_wallets') }}

),

trades as (

    select trades.*
    from {{ ref('int_trades') }} as trades
    semi join tracked on trades.chain = tracked.chain and trades.wallet = tracked.wallet

),

movements as (

    select movements.*
    from {{ ref('int_movements') }} as movements
    semi join tracked on movements.chain = tracked.chain and movements.wallet = tracked.wallet
    where movements.kind in ('transfer_in', 'transfer_out', 'ambiguous')

),

places as (

    select chain, tx_id, wallet, list(leg) as token_swap_legs
    from {{ ref('int_token_swaps') }}
    group by chain, tx_id, wallet

),

cash as (

    select chain, address from {{ ref('int_assets') }} where role in ('native', 'stable')

),

ticks as (

    select * from {{ ref('int_ticks') }}

),

-- A swap that a method does not take leaves and arrives like a transfer (METHODS 6). Read three times
-- with few columns or few rows each: kept in memory, these rows would be the largest thing of the build.
swap_events as not materialized (

    select
        methods.method,
        trades.chain,
        trades.wallet,
        trades.token,
        trades.tx_id,
        trades.leg,
        trades.block,
        trades.tx_index,
        trades.seq,
        trades.block_time,
        case
            when {{ is_taken('methods', 'trades') }} then trades.side
            when trades.side = 'buy' then 'transfer_in'
            else 'transfer_out'
        end as kind,
        trades.qty_raw,
        case
            when {{ is_taken('methods', 'trades') }}
                then case methods.costs when 'none' then trades.value_usd else trades.value_with_costs_usd end
        end as trade_usd,
        case
            when methods.unit = 'native_and_usd' and {{ is_taken('methods', 'trades') }}
                then
                    case methods.costs
                        when 'none' then trades.value_native_raw
                        else trades.value_with_costs_native_raw
                    end
        end as value_native_raw,
        trades.wash_like and {{ is_taken('methods', 'trades') }} as is_wash_like
    from trades
    inner join methods on trades.pricing_rule = methods.pricing_rule
    where trades.qty_raw > 0

),

one_sided as (

    select *, 'transfer_in' as event_kind, received_asset as token, received_raw as qty_raw
    from movements
    where received_asset is not null
    union all by name
    select *, 'transfer_out' as event_kind, sent_asset as token, sent_raw as qty_raw
    from movements
    where sent_asset is not null

),

token_transfers as (

    select one_sided.*
    from one_sided
    anti join cash on one_sided.chain = cash.chain and one_sided.token = cash.address

),

transfer_events as (

    select
        methods.method,
        token_transfers.chain,
        token_transfers.wallet,
        token_transfers.token,
        token_transfers.tx_id,
        token_transfers.leg
        + coalesce(
            len(list_filter(places.token_swap_legs, lambda l: l < token_transfers.leg)), 0
        ) as leg,
        token_transfers.block,
        token_transfers.tx_index,
        token_transfers.seq,
        token_transfers.block_time,
        token_transfers.event_kind as kind,
        token_transfers.qty_raw
    from token_transfers
    cross join methods
    left join places
        on
            token_transfers.chain = places.chain
            and token_transfers.tx_id = places.tx_id
            and token_transfers.wallet = places.wallet
    where token_transfers.qty_raw > 0

),

bought_or_sold as (

    select * from swap_events where kind in ('buy', 'sell')

),

left_or_arrived as (

    select * from swap_events where kind in ('transfer_in', 'transfer_out')
    union all by name
    select * from transfer_events

),

-- The latest tick before a transfer: what arrives comes at it, what is left after is judged by it.
moved as (

    select
        left_or_arrived.*,
        methods.cash_rule,
        {{ tx_order('left_or_arrived.block', 'left_or_arrived.tx_index') }} as tx_order
    from left_or_arrived
    inner join methods on left_or_arrived.method = methods.method

),

ticked as (

    select
        moved.* exclude (cash_rule, tx_order),
        ticks.value_usd as tick_value_usd,
        ticks.qty_raw as tick_qty_raw,
        moved.block_time - ticks.block_time <= interval 900 second as is_fresh
    from moved
    asof left join ticks
        on
            moved.cash_rule = ticks.cash_rule
            and moved.chain = ticks.chain
            and moved.token = ticks.token
            and moved.tx_order > ticks.tx_order

),

transferred as (

    select
        * exclude (tick_value_usd, tick_qty_raw, is_fresh),
        case when is_fresh then tick_value_usd end as tick_value_usd,
        case when is_fresh then tick_qty_raw end as tick_qty_raw
    from ticked

),

events as (

    select * from bought_or_sold
    union all by name
    select * from transferred

),

events_per_position as (

    select method, chain, wallet, token, count(*) as event_count
    from (
        select method, chain, wallet, token from swap_events
        union all
        select method, chain, wallet, token from transfer_events
    )
    group by method, chain, wallet, token

),

positions as (

    select
        method,
        chain,
        wallet,
        token,
        row_number() over in_order as position_id,
        cast(sum(event_count) over in_order as bigint) - event_count as events_before
    from events_per_position
    window in_order as (
        order by method, chain, wallet, token rows between unbounded preceding and current row
    )

),

-- Sorted position by position, not all at once: numbers run on from where the position before ended.
final as (

    select
        events.method,
        positions.position_id,
        positions.events_before
        + row_number() over (
            partition by positions.position_id
            order by
                events.block nulls last,
                events.tx_index nulls last,
                events.seq nulls last,
                events.tx_id,
                events.leg
        ) as event_id,
        events.chain,
        events.wallet,
        events.token,
        events.tx_id,
        cast(events.leg as integer) as leg,
        events.block,
        cast(epoch_us(events.block_time) // 1000000 as bigint) as block_time_s,
        events.kind,
        cast(events.qty_raw as decimal(38, 0)) as qty_raw,
        cast(
            case events.kind
                when 'transfer_in' then usd_at_ratio(events.qty_raw, events.tick_value_usd, events.tick_qty_raw)
                else events.trade_usd
            end as decimal(38, 9)
        ) as value_usd,
        cast(events.value_native_raw as decimal(38, 0)) as value_native_raw,
        coalesce(events.is_wash_like, false) as is_wash_like,
        case when events.kind = 'transfer_out' then events.tick_value_usd end as tick_value_usd,
        case when events.kind = 'transfer_out' then events.tick_qty_raw end as tick_qty_raw
    from events
    inner join positions
        on
            events.method = positions.method
            and events.chain = positions.chain
            and events.wallet = positions.wallet
            and events.token = positions.token

)

select * from final
