with

source as (

    select * from {{ source('replay', 'positions') }}

),

final as (

    select
        method,
        position_id,
        open_qty_raw,
        open_cost_usd,
        open_cost_native_raw,
        estimated_qty_raw,
        unknown_cost_qty_raw
    from source

)

select * from final
