with

methods as (

    select * from {{ ref('methods') }}

),

final as (

    select
        *,
        stable_usd || '|' || sol_usd || '|' || token_for_token as pricing_rule,
        stable_usd || '|' || sol_usd as cash_rule,
        -- An aggregate average has no pool and no lots to carry from event to event.
        basis in ('moving_average', 'fifo') as replays
    from methods

)

select * from final
