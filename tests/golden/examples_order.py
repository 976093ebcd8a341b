"""Order inside a block and the edges of every window: FIELD_REPORTS A10 and G4 as examples."""

from __future__ import annotations

from tests.golden.example import DAY, Collection, Example

order = Collection()


@order()
def one_block(x: Example) -> None:
    # First in the file and by id, third in the block: the average of 40 and 20 over 20 units.
    x.sell(0, "10", "50", tx_id="a", tx_index=7)
    x.buy(0, "10", "40", tx_id="b", tx_index=5)
    x.buy(0, "10", "20", tx_id="c", tx_index=6)


@order()
def unknown_place(x: Example) -> None:
    # A sale whose place in the block nobody gives stands after the known ones.
    x.sell(0, "10", "50", tx_id="d", tx_index=None)
    x.buy(0, "10", "40", tx_id="e", tx_index=9)


@order(start=0)
def window_edges(x: Example) -> None:
    # The n-th purchase costs 10 to the n dollars: a window's volume shows which ones are in it.
    edges = [(30, 0), (30, 1), (7, 0), (7, 1), (1, 0), (1, 1), (0, 0), (0, 1)]
    for number, (days, shift) in enumerate(edges):
        x.buy(shift - days * DAY, "1", str(10**number))
