{# SQL `true` when this build's ledger comes in by the door of that name (`raw` or `tape`), else `false`. #}
{% macro ledger_is(door) -%}
    {{ 'true' if var('ledger') == door else 'false' }}
{%- endmacro %}
