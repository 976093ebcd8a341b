{# Every row fulfils the expression; one that gives null does not. Returns the rows that fail. #}
{% test expression_is_true(model, expression) %}
    select *
    from {{ model }}
    where not coalesce({{ expression }}, false)
{% endtest %}
