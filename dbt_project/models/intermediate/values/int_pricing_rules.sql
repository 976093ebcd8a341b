with

methods as (

    select * from {{ ref('int_methods') }}

),

final as (

    select distinct pricing_rule, cash_rule, stable_usd, sol_usd, token_for_token
    from methods

)

select * from final
