with

source as (

    select * from {{ source('replay', 'fills') }}

),

final as (

    select
        method,
        position_id,
        event_id,
        fill_no,
        lot_event_id,
        qty_raw,
        proceeds_usd,
        cost_usd,
        realized_usd,
        proceeds_native_raw,
        cost_native_raw,
        realized_native_raw,
        cost_known,
        left_out_reason
    from source

)

select * from final
