{# None of the columns is null in any row. One query reads them together. Returns the rows that fail. #}
{% test never_null(model, columns) %}
    select {{ columns | join(', ') }}
    from {{ model }}
    where {% for column in columns %}{{ ' or ' if not loop.first }}{{ column }} is null{% endfor %}
{% endtest %}
