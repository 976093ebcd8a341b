"""Random streams: the kernel against the plain-Python replay, and what always holds."""

import itertools
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagster_project.lib.replay import ReplayAxes, replay
from tests.property import reference_replay
from tests.property.reference_replay import Event
from tests.property.streams import as_table, as_tuples

AXES = [
    ReplayAxes(basis, transfer_in, estimated, oversell, unpriced)
    for basis, transfer_in, estimated, oversell, unpriced in itertools.product(
        ("moving_average", "fifo"),
        ("estimated", "unknown_cost", "ignored"),
        ("sale", "share"),
        ("zero_profit", "unknown_cost"),
        ("estimated", "unknown_cost"),
    )
]
KINDS = ("buy", "sell", "transfer_in", "transfer_out")
# Small numbers meet ties and thresholds; large ones leave 64 bits.
QTY = st.one_of(st.integers(1, 12), st.integers(1, 10**19), st.integers(1, 10**30))
MONEY = st.one_of(
    st.integers(0, 12), st.integers(0, 3 * 10**9), st.integers(0, 10**17), st.integers(0, 10**30)
)
MAYBE = st.one_of(MONEY, MONEY, MONEY, st.none())


@st.composite
def streams(draw, kinds=KINDS, value=MAYBE, qty=QTY):
    events = []
    for position_id in range(draw(st.integers(1, 3))):
        for _ in range(draw(st.integers(1, 12))):
            events.append(
                Event(
                    position_id=position_id,
                    event_id=len(events),
                    kind=draw(st.sampled_from(kinds)),
                    time_s=100 * len(events),
                    qty=draw(qty),
                    usd=draw(value),
                    native=draw(value),
                    wash=draw(st.integers(0, 9)) == 0,
                    tick_usd=draw(value),
                    tick_qty=draw(qty),
                )
            )
    return events


def check_against_reference(events, axes):
    expected = reference_replay.replay(events, axes)
    result = replay(as_table(events), axes)
    for name in ("fills", "lots", "positions", "closed_trades"):
        table = getattr(result, name)
        table.validate(full=True)
        assert as_tuples(name, table) == getattr(expected, name), name


@pytest.mark.parametrize("axes", AXES, ids=lambda a: "-".join(str(v) for v in vars(a).values()))
@settings(max_examples=25, deadline=None)
@given(events=streams())
def test_any_stream_gives_what_plain_python_gives(axes, events):
    check_against_reference(events, axes)


# Either side of every width at which the arithmetic takes another way.
EDGES = st.sampled_from([2**width for width in (50, 53, 61, 62, 63, 64, 65)])
AT_AN_EDGE = st.builds(lambda edge, step: edge + step, EDGES, st.integers(-2, 2))
SMALL_OR_AT_AN_EDGE = st.one_of(st.integers(1, 10**6), AT_AN_EDGE)


@settings(max_examples=300, deadline=None)
@given(
    events=streams(value=SMALL_OR_AT_AN_EDGE, qty=SMALL_OR_AT_AN_EDGE), axes=st.sampled_from(AXES)
)
def test_amounts_of_all_widths_mix_in_one_stream(events, axes):
    check_against_reference(events, axes)


@settings(max_examples=80, deadline=None)
@given(events=streams(), axes=st.sampled_from(AXES))
def test_units_add_up(events, axes):
    result = replay(as_table(events), axes)
    fills = as_tuples("fills", result.fills)
    moves = axes.transfer_in != "ignored"
    for position in as_tuples("positions", result.positions):
        held = sold = 0
        for e in (e for e in events if e.position_id == position[0]):
            if e.kind == "buy" or (moves and e.kind == "transfer_in"):
                held += e.qty
            elif e.kind == "sell" or moves:
                held = max(0, held - e.qty)
            sold += e.qty if e.kind == "sell" else 0
        assert position[1] == held
        assert sold == sum(f[4] for f in fills if f[0] == position[0])


PRICED = st.integers(0, 10**15)


@settings(max_examples=80, deadline=None)
@given(events=streams(("buy", "sell"), PRICED), axes=st.sampled_from(AXES))
def test_cost_in_is_cost_removed_and_cost_left(events, axes):
    result = replay(as_table(events), axes)
    fills = as_tuples("fills", result.fills)
    for position in as_tuples("positions", result.positions):
        mine = [e for e in events if e.position_id == position[0]]
        removed = [f for f in fills if f[0] == position[0] and f[-1] != "oversold"]
        buys = [e for e in mine if e.kind == "buy"]
        assert sum(e.usd for e in buys) == sum(f[6] for f in removed) + position[2]
        assert sum(e.qty for e in buys) == sum(f[4] for f in removed) + position[1]


@st.composite
def round_trips(draw):
    """Bought, priced and sold to the last unit, never more than held."""
    events, held = [], 0
    for n in range(draw(st.integers(2, 14))):
        kind = draw(st.sampled_from(("buy", "sell"))) if held else "buy"
        qty = draw(st.integers(1, held)) if kind == "sell" else draw(QTY)
        held += qty if kind == "buy" else -qty
        events.append(Event(0, n, kind, n, qty, draw(PRICED)))
    if held:
        events.append(Event(0, len(events), "sell", len(events), held, draw(PRICED)))
    return events


@settings(max_examples=80, deadline=None)
@given(events=round_trips(), axes=st.sampled_from(AXES))
def test_a_closed_position_earns_what_was_received_less_what_was_paid(events, axes):
    """So first-in first-out and moving average agree on it (METHODS 5)."""
    fills = as_tuples("fills", replay(as_table(events), axes).fills)
    received = sum(e.usd for e in events if e.kind == "sell")
    paid = sum(e.usd for e in events if e.kind == "buy")
    assert sum(f[7] for f in fills) == received - paid


@settings(max_examples=50, deadline=None)
@given(
    qty=st.integers(2, 10**20),
    cost=st.integers(0, 10**20),
    data=st.data(),
    axes=st.sampled_from(AXES),
)
def test_a_partial_sale_keeps_the_unit_cost_of_what_remains(qty, cost, data, axes):
    """Field report F4: within the rounding of one unit of account."""
    sold = data.draw(st.integers(1, qty - 1))
    events = [Event(0, 0, "buy", 0, qty, cost), Event(0, 1, "sell", 1, sold, 5 * 10**9)]
    (position,) = as_tuples("positions", replay(as_table(events), axes).positions)
    assert abs(position[2] - Fraction(cost * (qty - sold), qty)) <= Fraction(1, 2)


@settings(max_examples=50, deadline=None)
@given(events=streams(), sold=st.integers(1, 10**20))
def test_a_sale_leaves_every_lot_but_the_oldest_as_it_was(events, sold):
    axes = ReplayAxes("fifo")
    last = events[-1].position_id
    before = as_tuples("lots", replay(as_table(events), axes).lots)
    more = [*events, Event(last, len(events), "sell", 10**9, sold, 1)]
    after = as_tuples("lots", replay(as_table(more), axes).lots)
    changed = [(b, a) for b, a in zip(before, after, strict=True) if a != b]
    # All but the last lot touched are used up; an untouched lot keeps units and cost.
    assert all(a[6] == 0 for _, a in changed[:-1])
    assert sum(b[6] - a[6] for b, a in changed) <= sold


@settings(max_examples=50, deadline=None)
@given(
    events=streams(value=st.integers(0, 10**7), qty=st.integers(1, 10**20)),
    axes=st.sampled_from([a for a in AXES if a.basis == "fifo"]),
    k=st.sampled_from((2, 7, 1000)),
)
def test_prices_times_k_are_figures_times_k(events, axes, k):
    """Exactly so for lots at a whole price per unit, where nothing is rounded."""
    whole = [Event(**{**vars(e), "usd": e.usd * e.qty}) for e in events]
    scaled = [Event(**{**vars(e), "usd": e.usd * k}) for e in whole]
    plain = as_tuples("fills", replay(as_table(whole), axes).fills)
    times = as_tuples("fills", replay(as_table(scaled), axes).fills)
    for one, many in zip(plain, times, strict=True):
        expected = [None if one[column] is None else one[column] * k for column in (5, 6, 7)]
        assert list(many[5:8]) == expected


def test_the_same_stream_gives_the_same_bytes():
    events = [Event(0, n, KINDS[n % 4], n, n % 7 + 1, n * 10**9, n) for n in range(200)]
    for axes in AXES:
        first, second = replay(as_table(events), axes), replay(as_table(events), axes)
        for name in ("fills", "lots", "positions", "closed_trades"):
            assert getattr(first, name).equals(getattr(second, name))


def test_a_stream_in_slices_of_arrow_is_the_same_stream():
    events = [
        Event(n // 40, n, KINDS[n % 4], n, n % 7 + 1, n * 10**9 if n % 5 else None)
        for n in range(120)
    ]
    table = as_table(events)
    chunked = pa.concat_tables([table.slice(0, 13), table.slice(13, 50), table.slice(63)])
    padded = pa.concat_tables([table.slice(0, 3), table]).combine_chunks().slice(3)
    for axes in AXES:
        expected = replay(table, axes)
        for other in (replay(chunked, axes), replay(padded, axes)):
            assert other.fills.equals(expected.fills)
            assert other.positions.equals(expected.positions)


def test_the_axes_of_these_tests_are_all_there_are():
    assert len(AXES) == 48
    assert {a.close_below_usd for a in AXES} == {Decimal(1)}
