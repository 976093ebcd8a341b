{# A raw quantity at a row of int_prices_now, whichever of the two forms its price has. #}
{% macro value_now(qty_raw, price_now) -%}
    coalesce(
        usd_at_price({{ qty_raw }}, {{ price_now }}.price, {{ price_now }}.decimals),
        usd_at_ratio({{ qty_raw }}, {{ price_now }}.tick_usd, {{ price_now }}.tick_raw)
    )
{%- endmacro %}
