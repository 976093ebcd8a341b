with

rules as (

    select * from {{ ref('int_pricing_rules') }}

),

-- Tables that belong to no method value by the finest rule in use: the minute where there is one.
final as (

    select cash_rule, sol_usd
    from rules
    qualify row_number() over (order by sol_usd <> 'minute', cash_rule) = 1

)

select * from final
