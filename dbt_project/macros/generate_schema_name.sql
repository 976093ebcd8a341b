{# Schemas are named as configured, without the target's name in front: marts stand in `main`. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ target.schema if custom_schema_name is none else custom_schema_name | trim }}
{%- endmacro %}
