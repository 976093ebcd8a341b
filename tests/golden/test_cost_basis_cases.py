"""Cases restated from the test suites of other engines, on the axes of METHODS 3.

A policy maps so: capitalised fees go into a purchase's value and reduced proceeds out of a sale's;
`fifo` and `wac` are the two bases; a receipt at a value is a transfer in at an estimated cost,
whose sales keep their cost and proceeds on their fills though realized leaves them out. Each value
and each split is rounded to 1e-9 dollar here, so a case may differ by that much per event beyond
the tolerance of its source.
"""

import json
from collections import defaultdict
from datetime import datetime
from fractions import Fraction

import pytest

from dagster_project.lib.replay import ReplayAxes, replay
from tests.property.reference_replay import Event
from tests.property.streams import as_table, as_tuples

BASIS = {"fifo": "fifo", "wac": "moving_average"}
STEP = Fraction(1, 10**9)

NO_AXIS = {
    "carry": "cost that travels with a transfer: no axis links two wallets' positions",
    "global": "one pool over several wallets: positions are per wallet and token",
    "expense": "fees expensed when paid: a fee is in the value or beside PnL, never between",
    "error": "an oversell that is an error: the axis oversell always sells the excess, and says so",
    "zero_cost": "profit at cost zero on an oversell: an unknown cost is never 0",
    "agg": "an aggregate average has no replay: it is a formula over sums in SQL",
}
NOT_EXPRESSED = {
    "beancount-avg-insufficient": "error",
    "beancount-fifo-two-reductions-overflow": "error",
    "coinbasis-wac-transfer-pool": "carry",
    "ghostfolio-jnug-two-cycles": "expense",
    "hledger-avgall-21": "global",
    "hledger-avgall-27-transfer": "global",
    "hledger-transfer-fee-then-sell": "carry",
    "hledger-transfer-multilot": "carry",
    "hummingbot-agg-4trades": "agg",
    "nautilus-btcusdt-interleaved": "expense",
    "nautilus-buy-sell": "expense",
    "nautilus-no-change": "expense",
    "nautilus-tt-ethusdt-first4": "expense",
    "nautilus-two-buys-one-sell": "expense",
    "pp-1498-wac-global": "global",
    "pp-1909-wac-global": "global",
    "pp-allianz-transfer": "carry",
    "rotki-sell-with-no-buy": "zero_cost",
}


@pytest.fixture(scope="module")
def cases(shared):
    path = shared / "data" / "cost_basis" / "cases.jsonl"
    if not path.is_file():
        pytest.skip("no cost-basis cases in the shared data")
    return [json.loads(line) for line in path.read_text().splitlines()]


def why_not_expressed(case):
    """Which entry of NO_AXIS a case's policy falls under, if any."""
    policy, expected = case["policy"], case["expected"]
    gains_expected = "realized" in expected or "per_sale" in expected
    checks = {
        "agg": case["method"] == "agg",
        "global": policy["pool"] == "global",
        "carry": policy["transfer_in"] == "carry",
        "expense": "expense" in (policy["buy_fee"], policy["sell_fee"]),
        "error": "error" in expected,
        "zero_cost": policy["oversell"] == "zero_cost" and gains_expected,
    }
    return next((name for name, holds in checks.items() if holds), None)


def moment(text):
    try:
        return float(text)
    except ValueError:
        return datetime.fromisoformat(text).timestamp()


def value_of(event, policy):
    """The value with the costs that the policy counts in it, in 1e-9 dollar."""
    value, fee = Fraction(event["value_usd"]), Fraction(event["fee_usd"])
    if event["kind"] == "buy" and policy["buy_fee"] == "capitalise":
        value += fee
    if event["kind"] == "sell" and policy["sell_fee"] == "reduce_proceeds":
        value -= fee
    return round(value / STEP)


def to_events(case):
    """The case's events sorted by position, and the raw units of one unit.

    An event of no units is no event here (the ledger drops it), so it earns and moves nothing.
    """
    decimals = max(len(e["qty"].partition(".")[2]) for e in case["events"])
    unit = 10**decimals
    ordered = sorted(case["events"], key=lambda e: moment(e["t"]))
    keys = sorted({(e.get("wallet", ""), e.get("asset", "")) for e in ordered})
    events = [
        Event(
            position_id=keys.index((e.get("wallet", ""), e.get("asset", ""))),
            event_id=number,
            kind=e["kind"],
            time_s=number,
            qty=int(Fraction(e["qty"]) * unit),
            usd=None if e["kind"] == "transfer_out" else value_of(e, case["policy"]),
        )
        for number, e in enumerate(ordered)
        if Fraction(e["qty"])
    ]
    return sorted(events, key=lambda e: e.position_id), unit


def replayed(case):
    """What the kernel says, in the words of the cases; exact fractions."""
    events, unit = to_events(case)
    axes = ReplayAxes(BASIS[case["method"]], "estimated", "sale", "unknown_cost", "unknown_cost")
    result = replay(as_table(events), axes)
    fills = as_tuples("fills", result.fills)
    positions = as_tuples("positions", result.positions)
    gains, costs, unmatched = defaultdict(Fraction), defaultdict(Fraction), 0
    for fill in fills:
        if fill[12] == "oversold":
            unmatched += Fraction(fill[4], unit)
            continue
        assert fill[12] in (None, "estimated_cost")
        gains[fill[1]] += (fill[5] - fill[6]) * STEP
        costs[fill[1]] += fill[6] * STEP
    ordered = sorted(case["events"], key=lambda e: moment(e["t"]))
    sales = [number for number, e in enumerate(ordered) if e["kind"] == "sell"]
    qty = Fraction(sum(p[1] for p in positions), unit)
    cost = sum(p[2] for p in positions) * STEP
    lots = [lot for lot in as_tuples("lots", result.lots) if lot[6]]
    return {
        "realized": sum(gains.values()),
        "per_sale": [gains[sale] for sale in sales],
        "per_sale_cost": [costs[sale] for sale in sales],
        "remaining_qty": qty,
        "remaining_cost": cost,
        "avg_cost": cost / qty if qty else None,
        "remaining_lots": [[Fraction(lot[6], unit), lot[7] * STEP] for lot in lots],
        "unmatched_qty": unmatched,
    }


def flat(value):
    """The numbers of an expectation in order."""
    if isinstance(value, list):
        return [number for part in value for number in flat(part)]
    return [Fraction(value)]


def test_every_case_gives_its_figures_or_stands_in_the_list(cases):
    assert len(cases) == 112
    wrong = []
    for case in cases:
        if case["id"] in NOT_EXPRESSED:
            continue
        tolerance = Fraction(case["tolerance"]) + STEP * len(case["events"])
        result = replayed(case)
        for name, expected in case["expected"].items():
            want, got = flat(expected), flat(result[name])
            if len(want) != len(got) or any(
                abs(w - g) > tolerance for w, g in zip(want, got, strict=True)
            ):
                wrong.append((case["id"], name, expected, [float(g) for g in got]))
    assert wrong == []


def test_the_cases_that_no_axis_expresses_are_exactly_these(cases):
    found = {case["id"]: why_not_expressed(case) for case in cases}
    assert {name: why for name, why in found.items() if why} == NOT_EXPRESSED
    assert set(NOT_EXPRESSED.values()) == set(NO_AXIS)
