"""The other side of `bench.peers`: each engine replays the events through its public interface.

Run by the interpreter of the peers' environment, which has nothing of tradebasis, as
`python peers_engines.py ENGINE EVENTS.csv ROWS`; prints the seconds that the engine took. The peer
is measured at its best: its objects are made beforehand, and its seconds are the processor's, so
what else runs on the machine does not count.
"""

import contextlib
import csv
import io
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

START = datetime(2024, 1, 1, tzinfo=UTC)


def _rows(path, limit):
    """Read (asset, moment, is_buy, quantity, price per unit, value), in order.

    An asset's events are a day apart: engines that pool what happens in a day have nothing to pool.
    """
    days = Counter()
    with Path(path).open(newline="") as file:
        for number, (position, kind, qty_raw, value) in enumerate(csv.reader(file)):
            if number == limit:
                return
            qty, usd = Decimal(qty_raw).scaleb(-6), Decimal(value).scaleb(-9)
            moment = START + timedelta(days=days[position])
            days[position] += 1
            yield f"T{position}", moment, kind == "buy", qty, usd / qty, usd


def _seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def coinbasis(rows):
    """First in, first out per wallet and asset, in Decimal."""
    from coinbasis import Buy, CostBasisMethod, Portfolio, Sell

    events = [
        (Buy if is_buy else Sell)(moment, "wallet", asset, qty, price, Decimal(0))
        for asset, moment, is_buy, qty, price, _ in rows
    ]
    portfolio = Portfolio.from_transactions(events)
    return _seconds(lambda: portfolio.realized_gains(CostBasisMethod.FIFO))


def bittytax(rows):
    """The section 104 pool: an average cost per asset, in Decimal."""
    # Its package reads the command line when it is imported.
    sys.argv = sys.argv[:1]
    from bittytax.bt_types import TaxRules, TrType
    from bittytax.t_record import TransactionRecord
    from bittytax.tax import TaxCalculator
    from bittytax.transactions import Buy, Sell

    events = []
    for asset, moment, is_buy, qty, _, usd in rows:
        side = (Buy if is_buy else Sell)(TrType.TRADE, qty, asset, usd)
        sides = (side, None) if is_buy else (None, side)
        TransactionRecord(TrType.TRADE, *sides, None, "wallet", moment, "", None)
        side.set_tid()
        events.append(side)
    calculator = TaxCalculator(events, TaxRules.UK_INDIVIDUAL)

    def calculate():
        calculator.pool_same_day()
        calculator.process_section104(skip_integrity_check=True)

    seconds = _seconds(calculate)
    assert calculator.tax_events
    return seconds


def beancount(rows):
    """Inventory booking, first in, first out, one account per asset, in Decimal."""
    import copy

    from beancount.core import amount, data, position
    from beancount.core.number import MISSING
    from beancount.parser import booking, options

    entries, opened = [], set()
    cash, income = "Assets:Cash", "Income:Gains"
    for number, (asset, moment, is_buy, qty, price, usd) in enumerate(rows):
        account, day, meta = f"Assets:{asset}", moment.date(), data.new_metadata("events", number)
        if asset not in opened:
            opened.add(asset)
            entries.append(data.Open(meta, day, account, None, data.Booking.FIFO))
        if is_buy:
            cost = position.CostSpec(price, None, "USD", day, str(number), False)
            moved, others = amount.Amount(qty, asset), [(cash, amount.Amount(MISSING, "USD"))]
            quote = None
        else:
            cost = position.CostSpec(MISSING, None, MISSING, None, None, False)
            moved, quote = amount.Amount(-qty, asset), amount.Amount(price, "USD")
            others = [(cash, amount.Amount(usd, "USD")), (income, amount.Amount(MISSING, "USD"))]
        postings = [data.Posting(account, moved, cost, quote, None, dict(meta))]
        postings += [data.Posting(name, a, None, None, None, dict(meta)) for name, a in others]
        nothing = frozenset()
        entries.append(data.Transaction(meta, day, "*", None, "", nothing, nothing, postings))
    settings = copy.deepcopy(options.OPTIONS_DEFAULTS)

    def book():
        _, errors = booking.book(entries, settings)
        if errors:
            raise ValueError(errors[0])

    return _seconds(book)


RP2_SETTINGS = """[general]
assets = {assets}
exchanges = exchange
holders = holder
[in_header]
timestamp = 0
[out_header]
timestamp = 0
[intra_header]
timestamp = 0
"""


def rp2(rows):
    """First in, first out per asset, in Decimal."""
    from prezzemolo.avl_tree import AVLTree
    from rp2.accounting_engine import AccountingEngine
    from rp2.configuration import MAX_DATE, MIN_DATE, Configuration
    from rp2.in_transaction import InTransaction
    from rp2.input_data import InputData
    from rp2.out_transaction import OutTransaction
    from rp2.plugin.accounting_method.fifo import AccountingMethod
    from rp2.plugin.country.us import US
    from rp2.rp2_decimal import ZERO, RP2Decimal
    from rp2.tax_engine import compute_tax
    from rp2.transaction_set import TransactionSet

    rows = list(rows)
    assets = list(dict.fromkeys(row[0] for row in rows))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.ini"
        path.write_text(RP2_SETTINGS.format(assets=", ".join(assets)))
        settings = Configuration(str(path), US())
    sets = {
        asset: {
            kind: TransactionSet(settings, kind, asset, MIN_DATE, MAX_DATE)
            for kind in ("IN", "OUT", "INTRA")
        }
        for asset in assets
    }
    for number, (asset, moment, is_buy, qty, price, _) in enumerate(rows, 1):
        at = (
            settings,
            moment.isoformat(),
            asset,
            "exchange",
            "holder",
            "BUY" if is_buy else "SELL",
        )
        price, qty = RP2Decimal(str(price)), RP2Decimal(str(qty))
        if is_buy:
            sets[asset]["IN"].add_entry(InTransaction(*at, price, qty, row=number))
        else:
            sets[asset]["OUT"].add_entry(OutTransaction(*at, price, qty, ZERO, row=number))
    inputs = [
        InputData(asset, *(sets[asset][kind] for kind in ("IN", "OUT", "INTRA")))
        for asset in assets
    ]
    methods = AVLTree()
    methods.insert_node(MIN_DATE.year, AccountingMethod())
    engine = AccountingEngine(methods)

    def compute():
        for one in inputs:
            compute_tax(settings, engine, one)

    return _seconds(compute)


def vectorbt(rows):
    """Orders and the trades made of them, an average entry price per column, in floats."""
    import numpy as np
    import vectorbt as vbt

    rows = list(rows)
    columns = len({row[0] for row in rows})
    shape = (columns, len(rows) // columns)
    size = np.array([float(row[3] if row[2] else -row[3]) for row in rows]).reshape(shape).T
    price = np.array([float(row[4]) for row in rows]).reshape(shape).T

    def simulate():
        portfolio = vbt.Portfolio.from_orders(price, size, init_cash=np.inf)
        return portfolio.exit_trades.values["pnl"].sum()

    simulate()
    return min(_seconds(simulate) for _ in range(5))


ENGINES = {engine.__name__: engine for engine in (coinbasis, bittytax, beancount, rp2, vectorbt)}


def main() -> None:
    """Time one engine on the first rows of a file of events."""
    name, path, limit = sys.argv[1:]
    with contextlib.redirect_stdout(io.StringIO()):
        seconds = ENGINES[name](_rows(path, int(limit)))
    print(seconds)


if __name__ == "__main__":
    main()
