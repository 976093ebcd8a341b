{#
  The columns together name a row; nulls count as equal. Returns the combinations that stand more than
  once. Equal combinations have equal hashes, so only rows whose hash repeats are compared as they are.
#}
{% test unique_combination(model, columns) %}
    {%- set key = columns | join(', ') %}
    select {{ key }}, count(*) as row_count
    from {{ model }}
    where hash({{ key }}) in (
        select hash({{ key }})
        from {{ model }}
        group by hash({{ key }})
        having count(*) > 1
    )
    group by {{ key }}
    having count(*) > 1
{% endtest %}
