with

created_accounts as (

    select * from {{ source('decoded', 'created_accounts') }}

),

final as (

    select
        signature,
        outer_index,
        inner_index,
        account,
        funder,
        lamports,
        space,
        kind,
        parse_filename(filename, true) as raw_file
    from created_accounts

)

select * from final
