"""The griefing-proof choice of axis `estimated` (METHODS 3.1, 6): only the estimated share goes."""

from __future__ import annotations

from dataclasses import replace

from tests.golden.example import AS_OF, D, Example, tape_of
from tests.golden.examples_basis import closed, fill
from tests.reference.axes import MOVING_AVERAGE
from tests.reference.evaluate import evaluate

BY_SHARE = replace(MOVING_AVERAGE, estimated="share")


def test_only_the_estimated_share_of_a_sale_is_left_out() -> None:
    x = Example("share")
    x.tick(0, "2")
    x.arrive(60, "10")  # cost 20, estimated
    x.buy(120, "10", "60")
    x.sell(300, "10", "80")
    x.sell(400, "10", "90")
    # 10 of 20 units: cost 80 x 10/20 = 40, of which 10 x 10/20 = 5 units are estimated: 40 of the
    # proceeds and 20 of the cost. Known: 40 - 20 = 20. The second sale: 45 - 20 = 25 the same way.
    x.expect(
        "fills",
        fill("5", "40", "20", "20", cost_known=True),
        fill("5", "40", "20", None, "estimated_cost", cost_known=False),
        fill("5", "45", "20", "25", cost_known=True),
        fill("5", "45", "20", None, "estimated_cost", cost_known=False),
    )
    # It counts by its known part.
    x.expect("closed_trades", closed("45", bought_usd=D(60), sold_usd=D(170)))
    assert not x.check(evaluate(tape_of([x]), AS_OF, BY_SHARE))


def test_one_unit_from_a_stranger_taints_one_unit() -> None:
    x = Example("griefing")
    x.buy(0, "99", "99")
    x.arrive(60, "1")  # at its tick of $1
    x.sell(300, "100", "200")
    x.expect(
        "fills",
        fill("99", "198", "99", "99"),
        fill("1", "2", "1", None, "estimated_cost"),
    )
    assert not x.check(evaluate(tape_of([x]), AS_OF, BY_SHARE))
    x.expectations.clear()
    x.expect("fills", fill("100", "200", "100", None, "estimated_cost"))
    assert not x.check(evaluate(tape_of([x]), AS_OF))
