{# Rows of a decoded Solana table that belong to an accepted, successful transaction, each once: a body that
   stands twice in one raw file brings equal rows, a body in two files is read from the accepted one. #}
{% macro solana_accepted(relation) -%}
    select decoded.*
    from {{ relation }} as decoded
    inner join {{ ref('int_solana__transactions') }} as accepted
        on decoded.signature = accepted.signature and decoded.raw_file = accepted.raw_file
    where not accepted.is_failed and accepted.copies_in_file = 1
    union all
    select distinct decoded.*
    from {{ relation }} as decoded
    inner join {{ ref('int_solana__transactions') }} as accepted
        on decoded.signature = accepted.signature and decoded.raw_file = accepted.raw_file
    where not accepted.is_failed and accepted.copies_in_file > 1
{%- endmacro %}
