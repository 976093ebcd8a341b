"""The sample market by itself: chain laws, determinism, encodings, and what the plan promises."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter

import pytest
from solders.transaction import VersionedTransaction

from ingest.sample.actors import PROFILES
from ingest.sample.market import generate, write_sample
from ingest.sample.names import SOL, USDC
from ingest.sample.numbers import MarketNumbers, rent

SMALL = MarketNumbers(skilled=6, unlucky=2, busy=1, casual=6, washers=1, bots=3)


@pytest.fixture(scope="module")
def chain():
    return generate(7, SMALL)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sample")
    return folder, write_sample(folder, 7, SMALL)


@pytest.fixture(scope="module")
def truth(written):
    _, summary = written
    return json.loads(gzip.decompress(summary.truth.read_bytes()))


def test_lamports_are_conserved_but_for_the_fee(chain):
    for built in chain.built:
        before = sum(b.lamports for b in built.before.values())
        after = sum(b.lamports for b in built.after.values())
        assert before - after == built.fee


def test_token_units_are_conserved_but_for_minted_shares(chain):
    shares = chain.planner.tokens.shares.address
    for built in chain.built:
        units = Counter()
        for sign, side in ((-1, built.before), (1, built.after)):
            for balance in side.values():
                if balance.token and balance.token.mint.address != SOL:
                    units[balance.token.mint.address] += sign * balance.token.amount
        assert {mint for mint, change in units.items() if change} <= {shares}


def test_every_balance_starts_where_it_last_ended(chain):
    last = {}
    for built in chain.built:
        for key in built.keys:
            assert built.before[key] == last.get(key, built.before[key])
            last[key] = built.after[key]


def test_wrapped_accounts_hold_their_rent_and_their_amount(chain):
    for built in chain.built:
        for balance in built.after.values():
            if balance.token and balance.token.mint.address == SOL:
                assert balance.lamports == rent(165) + balance.token.amount


def test_movements_account_for_every_lamport_of_a_wallet(chain):
    """Change = SOL in - SOL out - fees - deposits, with wrapped SOL counted as SOL."""
    expected = Counter()
    for entry in chain.entries:
        m = entry.movement
        change = -(m.network_fee + m.tip + m.bot_fee + m.other_fee + m.deposit)
        change += m.received_raw if m.received_asset == SOL else 0
        change -= m.sent_raw if m.sent_asset == SOL else 0
        expected[entry.tx_id, m.wallet] += change
    wallets = chain.planner.wallets
    for built, line in zip(chain.built, chain.lines, strict=True):
        if line.get("meta") is None:
            continue
        real = Counter()
        for sign, side in ((-1, built.before), (1, built.after)):
            for key, balance in side.items():
                if key in wallets:
                    real[key] += sign * balance.lamports
                elif balance.token and balance.token.mint.address == SOL:
                    real[balance.token.holder] += sign * balance.token.amount
        signature = _signature(line)
        for wallet in wallets.keys() & real.keys():
            assert real[wallet] == expected.get((signature, wallet), 0)


def test_movements_account_for_every_token_unit_of_a_wallet(chain):
    expected = Counter()
    for entry in chain.entries:
        m = entry.movement
        for asset, raw, sign in (
            (m.sent_asset, m.sent_raw, -1),
            (m.received_asset, m.received_raw, 1),
        ):
            if asset not in (None, SOL):
                expected[entry.tx_id, m.wallet, asset] += sign * raw
    for built, line in zip(chain.built, chain.lines, strict=True):
        if line.get("meta") is None:
            continue
        real = Counter()
        for sign, side in ((-1, built.before), (1, built.after)):
            for balance in side.values():
                token = balance.token
                if token and token.mint.address != SOL and token.holder in chain.planner.wallets:
                    real[_signature(line), token.holder, token.mint.address] += sign * token.amount
        through = sum(1 for change in real.values() if change)
        for key, change in real.items():
            # A route may leave crumbs of the asset it passed through; they are no leg.
            crumb = key not in expected and key[2] == USDC and through > 1
            assert change == expected.get(key, 0) or crumb


def _signature(line):
    if "signature" in line:
        return line["signature"]
    transaction = line["transaction"]
    if isinstance(transaction, list):
        raw = base64.b64decode(transaction[0])
        return str(VersionedTransaction.from_bytes(raw).signatures[0])
    return transaction["signatures"][0]


def test_same_seed_same_bytes_and_another_seed_other_bytes(written, tmp_path):
    folder, summary = written
    write_sample(tmp_path / "again", 7, SMALL)
    write_sample(tmp_path / "other", 8, SMALL)
    for path in (summary.transactions, summary.candles, summary.truth):
        again = (tmp_path / "again" / path.name).read_bytes()
        assert again == path.read_bytes()
        assert (tmp_path / "other" / path.name).read_bytes() != again
    assert sorted(p.name for p in folder.iterdir()) == [
        "candles.csv",
        "transactions.jsonl.gz",
        "truth.json.gz",
    ]


def test_every_encoding_and_version_appears(chain):
    seen = Counter()
    for line in chain.lines:
        if line.get("meta") is None:
            continue
        transaction = line["transaction"]
        if isinstance(transaction, list):
            encoding = "base64"
        else:
            first = transaction["message"]["accountKeys"][0]
            encoding = "jsonParsed" if isinstance(first, dict) else "json"
        seen[encoding, line["version"]] += 1
    assert set(seen) == {(e, v) for e in ("json", "jsonParsed", "base64") for v in ("legacy", 0, 1)}


def test_binary_bodies_decode_to_the_keys_their_balances_stand_for(chain):
    for line in chain.lines:
        if line.get("meta") is None or not isinstance(line["transaction"], list):
            continue
        message = VersionedTransaction.from_bytes(base64.b64decode(line["transaction"][0])).message
        loaded = line["meta"]["loadedAddresses"]
        keys = len(message.account_keys) + len(loaded["writable"]) + len(loaded["readonly"])
        assert keys == len(line["meta"]["preBalances"]) == len(line["meta"]["postBalances"])


def test_breaks_are_the_planted_ones(chain):
    missing = [line for line in chain.lines if line.get("meta") is None]
    assert {"signature" in line for line in missing} == {True, False}
    lost = {a for a, label in chain.planner.wallets.items() if label.startswith("lost")}
    # Each missing sale leaves a hole in the wallet's lamports and in one token account.
    assert len(chain.breaks) == 2 * len(missing)
    assert {b.wallet for b in chain.breaks} == lost
    for b in chain.breaks:
        assert (b.missing_raw > 0) == (b.account == b.wallet)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda p: p.label)
def test_narrow_wallets_miss_exactly_what_their_label_says(truth, profile):
    address = next(a for a, label in truth["wallets"].items() if label == profile.label)
    failing = {
        (row["window"], criterion)
        for row in truth["moving_average"]
        if row["wallet"] == address
        for criterion in row["failing"]
    }
    words = profile.label.split()
    names = {"closed": "closed_trades", "volume": "volume_usd", "tokens": "tokens_traded"}
    names |= {"days": "days_tracked", "wash": "wash_share"}
    expected = {(words[1], names[words[2]])} if words[0] == "misses" else set()
    assert failing == expected


def test_several_wallets_are_ranked_in_every_window(written):
    _, summary = written
    assert set(summary.ranked) == {"24h", "7d", "30d", "all"}
    assert min(summary.ranked.values()) >= 5


def test_prices_five_minutes_old_count_and_six_do_not(truth):
    hole = next(a for a, label in truth["wallets"].items() if label == "hole trader")
    row = next(r for r in truth["moving_average"] if r["wallet"] == hole and r["window"] == "all")
    # Of six trades at the edges of holes: one purchase six minutes after the last candle, one
    # fifteen minutes into the second hole (its 5-minute candle six minutes old), one sale.
    assert row["trades_not_priced"] == 3
