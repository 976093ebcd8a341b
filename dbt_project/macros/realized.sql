{#
  Realized of a set of sales (METHODS 6, Sums and nulls): 0 without a sale, or null where the method's
  axis `no_sale` says so; null when there were sales and none is known; else the sum of the known ones.
#}
{% macro realized_of_sales(sales, known_fills, known_sum, no_sale) -%}
    case
        when {{ sales }} = 0 then case {{ no_sale }} when 'zero' then 0 end
        when {{ known_fills }} > 0 then {{ known_sum }}
    end
{%- endmacro %}


{# Two parts of which an unknown one counts as absent: null only when both are. #}
{% macro total_of(realized, unrealized) -%}
    case
        when {{ realized }} is not null or {{ unrealized }} is not null
            then coalesce({{ realized }}, 0) + coalesce({{ unrealized }}, 0)
    end
{%- endmacro %}
