with

source as (

    select * from {{ source('replay', 'lots') }}

),

final as (

    select
        method,
        position_id,
        event_id,
        qty_raw,
        cost_usd,
        cost_native_raw,
        cost_known,
        qty_left_raw,
        cost_left_usd,
        cost_left_native_raw
    from source

)

select * from final
