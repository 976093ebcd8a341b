with

source as (

    select * from {{ source('tape', 'rejects') }}

),

final as (

    select
        file,
        "row",
        "column",
        reason
    from source

)

select * from final
