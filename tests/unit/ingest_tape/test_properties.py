"""Amounts against Python's own decimals, and raw units there and back."""

from decimal import Decimal, localcontext

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.cells import define_macros


@pytest.fixture(scope="module")
def judge():
    connection = duckdb.connect()
    define_macros(connection)

    def run(text, decimals):
        return connection.execute(
            "select units(text, decimals) as raw, amount_fault(text, raw, decimals) "
            "from (select $1::varchar as text, $2 as decimals)",
            [text, decimals],
        ).fetchall()[0]

    yield run
    connection.close()


decimals = st.integers(0, 23)


@settings(max_examples=150, deadline=None)
@given(raw=st.integers(0, 10**38 - 1), decimals=decimals, zeros=st.integers(0, 5))
def test_every_raw_amount_survives_its_decimal_text(judge, raw, decimals, zeros):
    digits = str(raw).rjust(decimals + 1, "0")
    whole, places = digits[: len(digits) - decimals], digits[len(digits) - decimals :]
    text = f"{whole}.{places}{'0' * zeros}"

    assert judge(text, decimals) == (Decimal(raw), None)


@settings(max_examples=200, deadline=None)
@given(text=st.from_regex(r"-?[0-9]{0,42}\.?[0-9]{0,30}", fullmatch=True), decimals=decimals)
def test_an_amount_is_taken_exactly_when_it_is_whole_units_of_at_most_38_digits(
    judge, text, decimals
):
    raw, fault = judge(text or None, decimals)
    if not any(c.isdigit() for c in text):
        assert fault == ("not_a_decimal" if text else None)
        return
    with localcontext(prec=200):
        exact = Decimal(text).scaleb(decimals)
        fits = exact == exact.to_integral_value() and 0 <= exact < 10**38
    assert (fault is None) == fits
    if fits:
        assert raw == exact


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=12), decimals=decimals)
def test_no_text_upsets_the_judge(judge, text, decimals):
    _, fault = judge(text, decimals)

    plain = text.isascii() and text.lstrip("-").replace(".", "", 1).isdigit()
    if not plain or text.count("-") > 1:
        assert fault == "not_a_decimal"
