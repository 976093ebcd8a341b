{# Return in percent, on what the method's axis `roi` names; null where it names nothing or the divisor is 0. #}
{% macro roi_pct(figures) -%}
    case
        when {{ figures }}.roi = 'cost_of_sold' and {{ figures }}.cost_of_sold_usd > 0
            then
                cast({{ figures }}.realized_usd as double)
                / cast({{ figures }}.cost_of_sold_usd as double) * 100
    end
{%- endmacro %}
