with

token_transfers as (

    select * from {{ source('decoded', 'token_transfers') }}

),

final as (

    select
        signature,
        outer_index,
        inner_index,
        kind,
        source,
        destination,
        authority,
        mint,
        amount,
        parse_filename(filename, true) as raw_file
    from token_transfers

)

select * from final
