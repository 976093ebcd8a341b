"""SQL macros that judge and convert cells of text, shared by the doors that take files.

A `…_fault` macro gives the reason why a cell can't be right, or null; the macro without the suffix
gives the value and may be anything where there is a fault. Every macro takes null for null.
"""

import duckdb

REASONS = {
    "missing_value": "the cell must not be empty",
    "unknown_word": "the contract lists the words of this column",
    "not_an_integer": "write a whole number",
    "negative_integer": "must be 0 or more",
    "not_a_boolean": "write true or false",
    "unparsable_time": "write ISO 8601 with Z or an integer of epoch seconds",
    "epoch_not_in_seconds": "divide epoch milliseconds by 1000",
    "not_a_decimal": "write plain digits such as 12.5, no exponent, no separators",
    "negative_amount": "amounts are 0 or more; only deposit may be negative",
    "too_many_places": "more decimal places than the asset has",
    "too_large": "the number has more than 38 digits in smallest units",
    "not_positive": "a price must be above 0",
    "wrong_number_of_cells": "the row must have as many cells as the header",
    "conflicting_rows": "rows with one key must be equal; none of them is taken",
}
"""Reasons every file knows, and how to mend each."""

_ISO_TIME = (
    r"^(\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?"
    r"(?: ?([Zz]|UTC|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?))?)?$"
)

_MACROS = rf"""
create or replace temp macro cell(v) as nullif(trim(v, e' \t\r\n'), '');

create or replace temp macro required(v) as case when v is null then 'missing_value' end;

create or replace temp macro word_fault(v, words) as
    case when v is null then 'missing_value' when v not in words then 'unknown_word' end;

create or replace temp macro whole(v) as case
    when regexp_full_match(v, '[0-9]{{1,18}}') then cast(v as bigint)
    when regexp_full_match(v, '-?[0-9]+(\.0*)?') then try_cast(split_part(v, '.', 1) as bigint)
end;

create or replace temp macro whole_fault(v, value, largest) as case
    when v is null or value between 0 and largest then null
    when not regexp_full_match(v, '-?[0-9]+(\.0*)?') then 'not_an_integer'
    when starts_with(v, '-') then 'negative_integer'
    else 'too_large'
end;

create or replace temp macro truth(v) as lower(v) in ('true', 't', '1');

create or replace temp macro truth_fault(v) as
    case when lower(v) not in ('true', 't', '1', 'false', 'f', '0') then 'not_a_boolean' end;

create or replace temp macro is_epoch(v) as regexp_full_match(v, '[0-9]+(\.[0-9]*)?');

create or replace temp macro offset_s(o) as case
    when o in ('', 'Z', 'z', 'UTC') then 0
    else (case when starts_with(o, '-') then -1 else 1 end) * (
        3600 * cast(substr(o, 2, 2) as integer)
        + 60 * (case when length(o) > 3 then cast(right(o, 2) as integer) else 0 end)
    )
end;

create or replace temp macro iso_time(part) as
    try_cast(
        concat(
            part.d,
            ' ',
            case length(part.t) when 0 then '00:00:00' when 5 then part.t || ':00' else part.t end
        ) as timestamp
    ) - to_seconds(offset_s(part.o));

create or replace temp macro moment(v) as case
    when regexp_full_match(v, '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}Z')
        then try_cast(left(v, 19) as timestamp)
    when is_epoch(v) then
        case when length(ltrim(split_part(v, '.', 1), '0')) <= 11
            then make_timestamp(1000000 * cast(split_part(v, '.', 1) as bigint)) end
    else iso_time(regexp_extract(v, '{_ISO_TIME}', ['d', 't', 'o']))
end;

create or replace temp macro moment_fault(v, value) as case
    when v is null or value is not null then null
    when is_epoch(v) then 'epoch_not_in_seconds'
    else 'unparsable_time'
end;

create or replace temp macro is_zero(v) as regexp_full_match(v, '-?(0+\.?0*|\.0+)');

create or replace temp macro is_decimal(v) as
    regexp_full_match(v, '-?([0-9]+\.?[0-9]*|\.[0-9]+)');

create or replace temp macro decimal_fault(v) as
    case when not is_decimal(v) then 'not_a_decimal' end;

create or replace temp macro places(v) as length(rtrim(split_part(v, '.', 2), '0'));

create or replace temp macro units(v, decimals) as case
    when v = '0' then cast(0 as decimal(38, 0))
    when is_decimal(v) and places(v) <= decimals then try_cast(
        concat(
            split_part(v, '.', 1),
            rpad(rtrim(split_part(v, '.', 2), '0'), cast(decimals as integer), '0')
        ) as decimal(38, 0)
    )
end;

create or replace temp macro signed_fault(v, value, decimals) as case
    when v is null or value is not null then null
    when not is_decimal(v) then 'not_a_decimal'
    when places(v) > decimals then 'too_many_places'
    when decimals is not null then 'too_large'
end;

create or replace temp macro amount_fault(v, value, decimals) as case
    when value >= 0 then null
    when value < 0 or (is_decimal(v) and starts_with(v, '-')) then 'negative_amount'
    else signed_fault(v, value, decimals)
end;

create or replace temp macro price(v) as
    case when is_decimal(v) then try_cast(v as decimal(38, 24)) end;

create or replace temp macro price_fault(v, value) as case
    when value > 0 then null
    when v is null then 'missing_value'
    when not is_decimal(v) then 'not_a_decimal'
    when starts_with(v, '-') or is_zero(v) then 'not_positive'
    when value = 0 then 'too_many_places'
    else 'too_large'
end;
"""


def define_macros(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the macros of this module known to `connection`."""
    connection.execute(_MACROS)


def first_fault(faults: dict[str, str]) -> str:
    """SQL for `column:reason` of the first column with a fault, or null.

    Args:
        faults: Column name to the SQL of its reason, in the order in which they are told.
    """
    told = ",\n    ".join(f"'{column}:' || ({reason})" for column, reason in faults.items())
    return f"coalesce(\n    {told}\n)"
