"""Field reports B, C and D on small transactions of our own, built once."""

from dataclasses import dataclass

import pytest

from ingest.sample.chain import wallet_address
from ingest.sample.names import SOL, USDC
from tests.field_reports import solana_cases
from tests.field_reports.solana_cases import BIG, PEAR, PLUM, SHARE, TOKENS
from tests.support.solana_ledger import Ledger, build

FEE = 5_000
RENT_165 = 2_039_280


@dataclass(frozen=True)
class Reports:
    """The ledger of all cases, asked by a case's name and a wallet's label."""

    ledger: Ledger
    cases: dict[str, str]

    def rows(self, case, label):
        return self.ledger.movements[self.cases[case], wallet_address(label)]

    def one(self, case, label):
        return self.ledger.one(self.cases[case], wallet_address(label))


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> Reports:
    folder = tmp_path_factory.mktemp("field_reports")
    file = folder / "cases.jsonl"
    cases = solana_cases.write(file)
    return Reports(build([file], folder / "data"), cases)


def traded(row):
    return (
        row["kind"],
        row["sent_asset"],
        row["sent_raw"],
        row["received_asset"],
        row["received_raw"],
    )


def costs(row):
    return tuple(row[name] for name in ("network_fee", "tip", "bot_fee", "other_fee", "deposit"))


def test_b3_an_account_sold_out_and_closed_still_counts(reports):
    row = reports.one("B3", "b3")
    assert traded(row) == ("swap", PEAR.address, TOKENS, SOL, 7_000_000)
    assert costs(row) == (FEE, 0, 0, 0, -RENT_165)


def test_b4_the_loss_of_a_closed_account_is_its_owners(reports):
    row = reports.one("B4 closed", "b4")
    assert traded(row) == ("transfer_out", PEAR.address, TOKENS, None, None)
    friend = reports.one("B4 closed", "b4 friend")
    assert traded(friend) == ("transfer_in", None, None, PEAR.address, TOKENS)


def test_b4_an_account_that_changes_hands_moves_its_units(reports):
    row = reports.one("B4 handed over", "b4")
    assert traded(row) == ("transfer_out", PLUM.address, TOKENS, None, None)
    friend = reports.one("B4 handed over", "b4 friend")
    assert traded(friend) == ("transfer_in", None, None, PLUM.address, TOKENS)


def test_c1_a_large_amount_passing_by_is_no_price(reports):
    row = reports.one("C1", "c")
    assert traded(row) == ("ambiguous", SOL, 1_000, None, None)
    assert row["reason"] == "round_trip"


def test_c2_hops_of_a_router_are_one_swap(reports):
    row = reports.one("C2", "c")
    assert traded(row) == ("swap", USDC, 90_000_000, PEAR.address, 4_444_444)
    assert (row["venue"], row["route"]) == ("Jupiter v6", "Raydium AMM v4 > Raydium CPMM")


def test_c3_hops_without_a_router_are_one_swap(reports):
    row = reports.one("C3", "c")
    assert traded(row) == ("swap", USDC, 90_000_000, PEAR.address, 4_444_445)
    assert row["venue"] == "Raydium AMM v4"


def test_c4_two_swaps_in_one_are_no_trade(reports):
    rows = reports.rows("C4", "c")
    assert {row["reason"] for row in rows} == {"several_assets"}
    assert {(row["sent_asset"], row["sent_raw"]) for row in rows if row["sent_asset"]} == {
        (USDC, 50_000_000),
        (SOL, 70_000_000),
    }
    assert {
        (row["received_asset"], row["received_raw"]) for row in rows if row["received_asset"]
    } == {(PEAR.address, 3_000_000), (PLUM.address, 8_000_000)}


def test_c5_arbitrage_is_neither_a_buy_nor_a_sale(reports):
    row = reports.one("C5", "c")
    assert traded(row) == ("ambiguous", None, None, SOL, 700_000)
    assert row["reason"] == "round_trip"


def test_c7_no_asset_is_swapped_for_itself(reports):
    swaps = [
        row for rows in reports.ledger.movements.values() for row in rows if row["kind"] == "swap"
    ]
    # B3, C2, C3, C8, C13, D1 and D5.
    assert len(swaps) == 7
    assert all(row["sent_asset"] != row["received_asset"] for row in swaps)


def test_c8_the_wallets_own_change_is_the_amount(reports):
    row = reports.one("C8", "c")
    assert traded(row) == ("swap", SOL, 450_000_000, PEAR.address, 32_090_000)


def test_c13_the_trader_is_whose_balances_moved(reports):
    row = reports.one("C13", "c13")
    assert traded(row) == ("swap", PEAR.address, 2_000_000, SOL, 33_000_000)
    assert (row["is_fee_payer"], costs(row)) == (False, (0, 0, 0, 0, 0))
    sponsor = reports.one("C13", "c13 sponsor")
    assert traded(sponsor) == ("none", None, None, None, None)
    # Two signatures were paid for.
    assert (sponsor["is_fee_payer"], sponsor["network_fee"]) == (True, 2 * FEE)


@pytest.mark.parametrize(
    ("case", "given"),
    [
        ("C15", {(SOL, 40_000_000), (PEAR.address, 9_000_000)}),
        ("C15 one-sided", {(SOL, 40_000_000)}),
    ],
)
def test_c15_adding_liquidity_is_no_trade(reports, case, given):
    rows = reports.rows(case, "c15")
    assert {row["reason"] for row in rows} == {"liquidity"}
    assert {(row["sent_asset"], row["sent_raw"]) for row in rows if row["sent_asset"]} == given
    assert [row["received_asset"] for row in rows if row["received_asset"]] == [SHARE.address]


def test_pools_have_no_rows(reports):
    assert reports.ledger.wallets(reports.cases["C8"]) == {wallet_address("c")}


def test_d1_rent_of_a_new_account_is_not_in_the_price(reports):
    row = reports.one("D1", "d1")
    assert traded(row) == ("swap", SOL, 1_000_000, BIG.address, 555_000)
    # 175 bytes: 303 x 6,960 lamports, so 3,108,880 left the wallet for a trade of 1,000,000.
    assert costs(row) == (FEE, 0, 0, 0, 2_108_880)


@pytest.mark.parametrize(("case", "deposit"), [("D2 opened", RENT_165), ("D2 closed", -RENT_165)])
def test_d2_wrapping_is_rent_and_nothing_else(reports, case, deposit):
    row = reports.one(case, "d2")
    assert traded(row) == ("none", None, None, None, None)
    assert costs(row) == (FEE, 0, 0, 0, deposit)


def test_d3_rent_follows_the_size_of_the_account(reports):
    # 182 bytes: 310 x 6,960 lamports.
    assert costs(reports.one("D3", "d3")) == (FEE, 0, 0, 0, 2_157_600)


def test_d5_tips_are_summed_wherever_they_were_paid(reports):
    row = reports.one("D5", "d5")
    assert traded(row) == ("swap", SOL, 80_000_000, PEAR.address, 6_000_000)
    assert costs(row) == (FEE, 1_250_000, 0, 0, 0)


def test_d5_a_failed_transaction_keeps_its_fee_only(reports):
    row = reports.one("D5 failed", "d5")
    assert traded(row) == ("failed", None, None, None, None)
    assert costs(row) == (FEE, 0, 0, 0, 0)


def test_d7_wrapped_and_native_sol_are_one_asset(reports):
    row = reports.one("D7", "d3")
    assert traded(row) == ("none", None, None, None, None)
    assert costs(row) == (FEE, 0, 0, 0, RENT_165)


def test_a8_a_signature_that_says_two_things_is_known_but_not_read(reports):
    row = reports.one("C13 told twice", "c13")
    assert traded(row) == ("unfetched", None, None, None, None)
    assert row["reason"] == "duplicate_signature_different_body"
    told = [r for r in reports.ledger.rejects if r["signature"] == reports.cases["C13 told twice"]]
    assert [r["reason"] for r in told] == ["duplicate_signature_different_body"] * 2


def test_a6_a_transaction_that_was_not_seen_leaves_a_gap_of_its_size(reports):
    tipper = wallet_address("d5")
    assert [
        (row["account"], row["mint"], row["after_tx_id"], row["before_tx_id"], row["missing_raw"])
        for row in reports.ledger.breaks
    ] == [(tipper, SOL, reports.cases["D5"], reports.cases["D5 failed"], -123_456 - FEE)]
