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
        else
            case when {{ raw }} < 0 then '-' else '' end
            || left({{ padded }}, length({{ padded }}) - {{ decimals }})
            || rtrim(rtrim('.' || right({{ padded }}, {{ decimals }}), '0'), '.')
    end
{%- endmacro %}
