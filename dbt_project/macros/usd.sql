{# Billionths of a dollar as an integer: DECIMAL(38,9) without its point, for exact comparisons. #}
{% macro nano_usd(usd) -%}
    (
        cast(cast({{ usd }} - {{ usd }} % 1 as decimal(38, 0)) as hugeint) * 1000000000
        + cast(cast({{ usd }} % 1 as decimal(10, 9)) * 1000000000 as hugeint)
    )
{%- endmacro %}


{# Whole cents of a dollar amount, rounded half to even on integers (METHODS 6, Boards). #}
{% macro whole_cents(usd) -%}
    cast(
        sign({{ nano_usd(usd) }}) * (
            abs({{ nano_usd(usd) }}) // 10000000
            + case
                when abs({{ nano_usd(usd) }}) % 10000000 > 5000000 then 1
                when abs({{ nano_usd(usd) }}) % 10000000 < 5000000 then 0
                else (abs({{ nano_usd(usd) }}) // 10000000) % 2
            end
        ) as decimal(38, 0)
    )
{%- endmacro %}


{# An exact sum of dollars: DuckDB widens a sum of decimals, the contracts want DECIMAL(38,9). #}
{% macro sum_usd(usd) -%}
    cast(sum({{ usd }}) as decimal(38, 9))
{%- endmacro %}
