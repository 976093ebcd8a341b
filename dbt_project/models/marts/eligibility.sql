with

measured as (

    select * from {{ ref('int_criteria_measured') }}

),

methods as (

    select * from {{ ref('int_methods') }}

),

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

final as (

    select
        measured.method,
        methods.method_version,
        as_of.as_of,
        measured."window",
        measured.chain,
        measured.wallet,
        measured.criterion,
        measured.value,
        measured.comparison,
        measured.threshold,
        measured.passed
    from measured
    cross join as_of
    inner join methods on measured.method = methods.method

)

select * from final
