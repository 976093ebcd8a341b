{#
  Whole units of a raw integer amount as an exact decimal string: no exponent, no trailing zeros.
  Null when the amount or the asset's decimals are unknown.
#}
{% macro units_text(raw, decimals) -%}
    {%- set digits -%}
        cast(abs(cast({{ raw }} as decimal(38, 0))) as varchar)
    {%- endset -%}
    {%- set padded -%}
        lpad({{ digits }}, cast(greatest({{ decimals }} + 1, length({{ digits }})) as integer), '0')
    {%- endset -%}
    case
        when {{ decimals }} = 0 then cast(cast({{ raw }} as decimal(38, 0)) as varchar)
        {#- The decimals of nearly every amount: what fits 18 digits is shifted as a number, four times as fast. #}
        {%- for places in (6, 9) %}
        when {{ decimals }} = {{ places }} and {{ raw }} between -999999999999999999 and 999999999999999999
            then
                regexp_replace(
                    cast(
                        cast({{ raw }} as decimal(18, 0)) * cast('0.{{ '0' * (places - 1) }}1' as decimal({{ places }}, {{ places }}))
                        as varchar
                    ),
                    '[.]?0*$',
                    ''
                )
        {%- endfor %}
        else
            case when {{ raw }} < 0 then '-' else '' end
            || left({{ padded }}, length({{ padded }}) - {{ decimals }})
            || rtrim(rtrim('.' || right({{ padded }}, {{ decimals }}), '0'), '.')
    end
{%- endmacro %}
