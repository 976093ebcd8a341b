with

rejects as (

    select * from {{ ref('int_rejects') }}

),

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

final as (

    select
        as_of.as_of,
        rejects.door,
        rejects.file,
        cast(rejects."row" as bigint) as "row",
        rejects."column",
        rejects.reason,
        cast(rejects.signature as varchar) as signature
    from rejects
    cross join as_of

)

select * from final
