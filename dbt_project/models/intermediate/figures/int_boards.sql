with

methods as (

    select * from {{ ref('int_methods') }}

),

windows as (

    select * from {{ ref('int_windows') }}

),

criteria as (

    select * from {{ ref('eligibility_criteria') }}

),

listed as (

    select method, unnest(string_split(ranked_by, ' ')) as board
    from methods

),

-- A method that sets minimums for some windows only has no board in the others.
final as (

    select listed.method, listed.board, windows."window"
    from listed
    inner join windows on listed.method = windows.method
    where
        listed.method not in (select method from criteria)
        or (listed.method, windows."window") in (select (method, "window") from criteria)

)

select * from final
