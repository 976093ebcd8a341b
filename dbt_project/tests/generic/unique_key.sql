{# Fails on every key that stands on more than one row; nulls are equal to each other here. #}
{% test unique_key(model, columns) %}

select
    {{ columns | join(', ') }},
    count(*) as rows_with_this_key
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1

{% endtest %}
