{#
  One integer that orders transactions by (block, tx_index), unknown places after the known ones of
  their block (METHODS 6, Order). ASOF joins take a single inequality, so the pair becomes a number.
#}
{% macro tx_order(block, tx_index) -%}
    (cast({{ block }} as hugeint) * 9223372036854775808 + coalesce({{ tx_index }}, 9223372036854775807))
{%- endmacro %}
