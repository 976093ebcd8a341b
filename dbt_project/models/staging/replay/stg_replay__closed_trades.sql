with

source as (

    select * from {{ source('replay', 'closed_trades') }}

),

final as (

    select
        method,
        position_id,
        number,
        opened_event_id,
        closed_event_id,
        make_timestamp(opened_at_s * 1000000) as opened_at,
        make_timestamp(closed_at_s * 1000000) as closed_at,
        bought_usd,
        sold_usd,
        profit_usd,
        outcome,
        counted,
        not_counted_reason,
        hold_s
    from source

)

select * from final
