{# Whether a method takes a swap as a trade: its axes `trade_rule` and `token_for_token` (METHODS 3, 6). #}
{% macro is_taken(method, trade) -%}
    (
        case {{ method }}.trade_rule
            when 'any' then true
            when 'recognised_venue' then {{ trade }}.recognised_venue
            when 'recognised_venue_and_cash' then {{ trade }}.recognised_venue and {{ trade }}.has_cash_side
        end
        and ({{ trade }}.has_cash_side or {{ method }}.token_for_token <> 'none')
    )
{%- endmacro %}


{# Whether a method calls a trade dust; an unpriced trade is not. #}
{% macro is_dust(method, trade) -%}
    coalesce({{ trade }}.value_usd < {{ method }}.dust_below_usd, false)
{%- endmacro %}


{#
  The number of the shortest of a method's windows that holds a moment, windows counted from the
  shortest. `starts` lists the windows' starts; a window is (as_of - w, as_of], its start outside.
#}
{% macro window_ring(moment, starts) -%}
    cast(1 + len(list_filter({{ starts }}, lambda s: s >= {{ moment }})) as integer)
{%- endmacro %}
