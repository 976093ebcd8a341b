with

native_transfers as (

    select * from {{ source('decoded', 'native_transfers') }}

),

final as (

    select
        signature,
        outer_index,
        inner_index,
        source,
        destination,
        lamports,
        kind,
        parse_filename(filename, true) as raw_file
    from native_transfers

)

select * from final
