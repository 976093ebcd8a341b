with

methods as (

    select * from {{ ref('int_methods') }}

),

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

listed as (

    select method, unnest(string_split(windows, ' ')) as "window"
    from methods

),

-- `all` has no start; an hour or day window begins after its start, which stands outside it.
bounds as (

    select
        listed.method,
        listed."window",
        case
            when regexp_full_match(listed."window", '[0-9]+h')
                then as_of.as_of - to_hours(cast(regexp_extract(listed."window", '[0-9]+') as integer))
            when regexp_full_match(listed."window", '[0-9]+d')
                then as_of.as_of - to_days(cast(regexp_extract(listed."window", '[0-9]+') as integer))
        end as starts_at,
        as_of.as_of as ends_at
    from listed
    cross join as_of

),

final as (

    select
        method,
        "window",
        cast(
            row_number() over (partition by method order by starts_at desc nulls last) as integer
        ) as window_no,
        starts_at,
        ends_at
    from bounds

)

select * from final
