with

windows as (

    select * from {{ ref('int_windows') }}

),

final as (

    select
        method,
        coalesce(
            list(starts_at order by window_no) filter (where starts_at is not null),
            cast([] as timestamp[])
        ) as starts
    from windows
    group by method

)

select * from final
