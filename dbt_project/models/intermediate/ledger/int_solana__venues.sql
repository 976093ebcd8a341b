with

calls as (

    select
        *,
        case
            when venue_kind = 'aggregator' then 0
            when meaning in ('order_place', 'order_fill') then 1
            when venue_kind <> 'other' then 2
            else 3
        end as precedence
    from {{ ref('int_solana__venue_calls') }}

),

ranked as (

    select
        *,
        row_number() over (
            partition by signature order by precedence, stack_height, outer_index, inner_index
        ) as place
    from calls

),

outermost as (

    select signature, venue, venue_kind, program_id, meaning from ranked where place = 1

),

pools as (

    select
        ranked.signature,
        ranked.venue,
        min(ranked.outer_index * 100000 + ranked.inner_index) as first_seen
    from ranked
    inner join outermost on ranked.signature = outermost.signature
    where ranked.venue <> outermost.venue and ranked.venue_kind <> 'other'
    group by ranked.signature, ranked.venue

),

routes as (

    select signature, string_agg(venue, ' > ' order by first_seen) as route
    from pools
    group by signature

),

facts as (

    select signature, bool_or(meaning is distinct from 'liquidity' and precedence < 3) as has_swap_call
    from calls
    group by signature

),

final as (

    select
        outermost.signature,
        outermost.venue,
        outermost.venue_kind,
        outermost.meaning as venue_meaning,
        routes.route,
        facts.has_swap_call
    from outermost
    inner join facts on outermost.signature = facts.signature
    left join routes on outermost.signature = routes.signature

)

select * from final
