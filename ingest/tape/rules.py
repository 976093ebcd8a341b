"""What each file of a tape must look like (CONTRACTS 1), as data and SQL.

A rule set turns the text of one file into typed columns and a `fault` (`column:reason` or null).
The SQL reads its relation once, and may join the assets accepted before it.
"""

from dataclasses import dataclass

from ingest.cells import REASONS, first_fault

KINDS = "('swap', 'transfer_in', 'transfer_out', 'ambiguous', 'none', 'failed', 'unfetched')"
ROLES = "('native', 'stable', 'token')"
RESOLUTIONS = "('minute', 'hour', 'snapshot')"

# A price times raw units over 10^(decimals + 15) must stay inside the exact arithmetic.
MOST_DECIMALS = 23

BIGGEST = 2**63 - 1
BIGGEST_LEG = 2**31 - 1

TAPE_REASONS = REASONS | {
    "unknown_asset": "add the asset to the assets file",
    "same_asset": "an asset is not swapped for itself",
    "one_sided_swap": "a swap needs an asset and an amount above 0 on both sides",
    "unexpected_side": "this kind has nothing on this side",
    "no_side": "an ambiguous row names the one asset that moved",
    "two_sides": "an ambiguous row has one asset; write one row per asset",
    "no_native_asset": "fees need an asset of role native on this chain",
    "several_native_assets": "a chain has one native asset",
    "too_many_decimals": f"assets have at most {MOST_DECIMALS} decimals",
    "no_time_before": "no movement before it has a time",
}
"""Reason words of a tape's rejects, and how to mend each."""


@dataclass(frozen=True)
class TapeFile:
    """One file of the tape.

    Attributes:
        name: File name without extension, and the name of the normalised table.
        is_required: Whether a tape without it is refused.
        columns: Columns the file may have; true = it must have it.
        outputs: Normalised columns and their DuckDB types.
        key: Output columns that name a row; two rows with one key must be equal.
        key_column: The file's column that a conflict is told on.
        order: SQL of a total order over rows with different keys.
        sql: Select of `line`, the outputs and `fault` from relation `cells`.
    """

    name: str
    is_required: bool
    columns: dict[str, bool]
    outputs: dict[str, str]
    key: tuple[str, ...]
    key_column: str
    order: str
    sql: str


def _needed(*columns: str) -> dict[str, bool]:
    return dict.fromkeys(columns, True)


def _allowed(*columns: str) -> dict[str, bool]:
    return dict.fromkeys(columns, False)


ASSETS = TapeFile(
    name="assets",
    is_required=True,
    columns=_needed("chain", "address", "symbol", "decimals", "role")
    | _allowed("supply", "creator", "created_block"),
    outputs={
        "chain": "varchar",
        "address": "varchar",
        "symbol": "varchar",
        "decimals": "integer",
        "role": "varchar",
        "supply_raw": "decimal(38, 0)",
        "creator": "varchar",
        "created_block": "bigint",
    },
    key=("chain", "address"),
    key_column="address",
    order="chain, address",
    sql=f"""
with trimmed as (
    select
        line,
        chain,
        address,
        symbol,
        creator,
        cell(decimals) as decimals_text,
        cell(role) as role,
        cell(supply) as supply,
        cell(created_block) as created_block_text
    from cells
),
typed as (
    select
        *,
        whole(decimals_text) as decimals_value,
        case when decimals_value between 0 and {MOST_DECIMALS} then decimals_value end as decimals,
        units(supply, decimals) as supply_raw,
        whole(created_block_text) as created_block,
        count(distinct address) filter (where role = 'native')
            over (partition by chain) as native_assets
    from trimmed
)
select
    line,
    chain,
    address,
    symbol,
    decimals,
    role,
    supply_raw,
    creator,
    created_block,
    {
        first_fault(
            {
                "chain": "required(chain)",
                "address": "required(address)",
                "decimals": f'''coalesce(
                    required(decimals_text),
                    whole_fault(decimals_text, decimals_value, {BIGGEST}),
                    case when decimals_value > {MOST_DECIMALS} then 'too_many_decimals' end
                )''',
                "role": f'''coalesce(
                    word_fault(role, {ROLES}),
                    case when role = 'native' and native_assets > 1
                        then 'several_native_assets' end
                )''',
                "supply": "amount_fault(supply, supply_raw, decimals)",
                "created_block": f"whole_fault(created_block_text, created_block, {BIGGEST})",
            }
        )
    } as fault
from typed
""",
)

_SIDES = ("sent", "received")
_FEES = ("network_fee", "tip", "bot_fee", "other_fee", "deposit")
# What a failed transaction would have paid beside the network fee was rolled back.
_ROLLED_BACK = _FEES[1:]


def _asset_fault(side: str) -> str:
    return f"""case
        when kind = 'swap' and not ({side}_given) then 'one_sided_swap'
        when kind = 'ambiguous' and {side}_kept and '{side}' = 'received' and sent_kept
            then 'two_sides'
        when kind = 'ambiguous' and '{side}' = 'sent' and not (sent_kept or received_kept)
            then 'no_side'
        when {side}_kept and not {side}_wanted then 'unexpected_side'
        when {side}_kept and {side}_asset is null then 'missing_value'
        when {side}_kept and {side}_decimals is null then 'unknown_asset'
        when kind = 'swap' and '{side}' = 'received' and sent_asset = received_asset
            then 'same_asset'
    end"""


def _amount_fault(side: str) -> str:
    return f"""case when {side}_kept then coalesce(
        required({side}_amount),
        amount_fault({side}_amount, {side}_raw, {side}_decimals),
        case when kind = 'swap' and {side}_raw = 0 then 'one_sided_swap' end
    ) end"""


def _fee_fault(fee: str) -> str:
    judge = "signed_fault" if fee == "deposit" else "amount_fault"
    return f"""case
        when native_decimals is null and ({fee}_raw is null or {fee}_raw <> 0)
            then coalesce(decimal_fault({fee}), 'no_native_asset')
        else {judge}({fee}, {fee}_raw, native_decimals)
    end"""


def _fee_cell(fee: str) -> str:
    given = f"cell({fee})"
    if fee in _ROLLED_BACK:
        given = f"case when cell(kind) <> 'failed' then {given} end"
    return f"coalesce({given}, '0') as {fee}"


_FEE_OUTPUTS = ",\n    ".join(f"{fee}_raw as {fee}" for fee in _FEES)
_FEE_CELLS = ",\n        ".join(_fee_cell(fee) for fee in _FEES)
_FEE_UNITS = ",\n        ".join(
    f"units({fee}, coalesce(native_decimals, 0)) as {fee}_raw" for fee in _FEES
)

MOVEMENTS = TapeFile(
    name="movements",
    is_required=True,
    columns=_needed(
        "chain",
        "tx_id",
        "block",
        "block_time",
        "wallet",
        "kind",
        "sent_asset",
        "sent_amount",
        "received_asset",
        "received_amount",
    )
    | _allowed("tx_index", "leg", *_FEES, "reason", "venue", "source", "recognised_venue")
    | _allowed("pool", "seq"),
    outputs={
        "chain": "varchar",
        "tx_id": "varchar",
        "wallet": "varchar",
        "leg": "integer",
        "block": "bigint",
        "tx_index": "bigint",
        "seq": "bigint",
        "block_time": "timestamp",
        "kind": "varchar",
        "reason": "varchar",
        "sent_asset": "varchar",
        "sent_raw": "decimal(38, 0)",
        "received_asset": "varchar",
        "received_raw": "decimal(38, 0)",
        "network_fee": "decimal(38, 0)",
        "tip": "decimal(38, 0)",
        "bot_fee": "decimal(38, 0)",
        "other_fee": "decimal(38, 0)",
        "deposit": "decimal(38, 0)",
        "venue": "varchar",
        "route": "varchar",
        "source": "varchar",
        "recognised_venue": "boolean",
        "is_fee_payer": "boolean",
        "pool": "varchar",
        "rules": "varchar",
    },
    key=("chain", "tx_id", "wallet", "leg"),
    key_column="tx_id",
    order="chain, block, tx_index nulls last, seq nulls last, tx_id, leg, wallet nulls last",
    sql=f"""
with trimmed as (
    select
        line,
        chain,
        tx_id,
        wallet,
        reason,
        venue,
        source,
        pool,
        cell(block) as block_text,
        cell(tx_index) as tx_index_text,
        cell(seq) as seq_text,
        coalesce(cell(leg), '0') as leg_text,
        cell(block_time) as time_text,
        cell(kind) as kind,
        sent_asset,
        cell(sent_amount) as sent_amount,
        received_asset,
        cell(received_amount) as received_amount,
        {_FEE_CELLS},
        cell(recognised_venue) as recognised_text
    from cells
),
-- A zero on a side that the kind does not need says that nothing moved there.
kept as (
    select
        *,
        kind in ('swap', 'transfer_out', 'ambiguous') as sent_wanted,
        kind in ('swap', 'transfer_in', 'ambiguous') as received_wanted,
        sent_asset is not null or sent_amount is not null as sent_given,
        received_asset is not null or received_amount is not null as received_given,
        case
            when kind = 'failed' then false
            when kind in ('swap', 'transfer_out') then true
            when not sent_given then false
            when kind = 'ambiguous'
                then not (received_given and coalesce(is_zero(sent_amount), false))
            else not coalesce(is_zero(sent_amount), false)
        end as sent_kept,
        case
            when kind = 'failed' then false
            when kind in ('swap', 'transfer_in') then true
            when not received_given then false
            when kind = 'ambiguous'
                then not (sent_given and coalesce(is_zero(received_amount), false))
            else not coalesce(is_zero(received_amount), false)
        end as received_kept
    from trimmed
),
known as (
    select
        kept.*,
        sent_side.decimals as sent_decimals,
        received_side.decimals as received_decimals,
        native.decimals as native_decimals
    from kept
    left join assets as sent_side
        on kept.chain = sent_side.chain and kept.sent_asset = sent_side.address
    left join assets as received_side
        on kept.chain = received_side.chain and kept.received_asset = received_side.address
    left join assets as native
        on kept.chain = native.chain and native.role = 'native'
),
valued as (
    select
        *,
        whole(leg_text) as leg,
        whole(block_text) as block,
        whole(tx_index_text) as tx_index,
        whole(seq_text) as seq,
        moment(time_text) as block_time,
        case when sent_kept then units(sent_amount, sent_decimals) end as sent_raw,
        case when received_kept then units(received_amount, received_decimals) end as received_raw,
        {_FEE_UNITS}
    from known
)
select
    line,
    chain,
    tx_id,
    wallet,
    leg,
    block,
    tx_index,
    seq,
    block_time,
    kind,
    reason,
    case when sent_kept then sent_asset end as sent_asset,
    sent_raw,
    case when received_kept then received_asset end as received_asset,
    received_raw,
    {_FEE_OUTPUTS},
    venue,
    null as route,
    source,
    coalesce(truth(recognised_text), venue is not null) as recognised_venue,
    null as is_fee_payer,
    pool,
    '' as rules,
    {
        first_fault(
            {
                "chain": "required(chain)",
                "tx_id": "required(tx_id)",
                "block": f'''coalesce(
                    required(block_text),
                    whole_fault(block_text, block, {BIGGEST})
                )''',
                "tx_index": f"whole_fault(tx_index_text, tx_index, {BIGGEST})",
                "block_time": '''coalesce(
                    case when kind <> 'unfetched' then required(time_text) end,
                    moment_fault(time_text, block_time)
                )''',
                "leg": f"whole_fault(leg_text, leg, {BIGGEST_LEG})",
                "kind": f"word_fault(kind, {KINDS})",
                **{f"{side}_asset": _asset_fault(side) for side in _SIDES},
                **{f"{side}_amount": _amount_fault(side) for side in _SIDES},
                **{fee: _fee_fault(fee) for fee in _FEES},
                "recognised_venue": "truth_fault(recognised_text)",
                "seq": f"whole_fault(seq_text, seq, {BIGGEST})",
            }
        )
    } as fault
from valued
""",
)

PRICES = TapeFile(
    name="prices",
    is_required=True,
    columns=_needed("chain", "address", "time", "price_usd", "resolution", "source"),
    outputs={
        "chain": "varchar",
        "address": "varchar",
        "at": "timestamp",
        "price": "decimal(38, 24)",
        "resolution": "varchar",
        "source": "varchar",
    },
    key=("chain", "address", "at", "resolution", "source"),
    key_column="time",
    order='chain, address, resolution, "at", source',
    sql=f"""
with trimmed as (
    select
        cells.line,
        cells.chain,
        cells.address,
        cell(cells."time") as time_text,
        moment(time_text) as "at",
        cell(cells.price_usd) as price_text,
        price(price_text) as price,
        cell(cells.resolution) as resolution,
        cells.source,
        assets.decimals
    from cells
    left join assets on cells.chain = assets.chain and cells.address = assets.address
)
select
    line,
    chain,
    address,
    "at",
    price,
    resolution,
    source,
    {
        first_fault(
            {
                "chain": "required(chain)",
                "address": '''coalesce(
                    required(address),
                    case when decimals is null then 'unknown_asset' end
                )''',
                "time": 'coalesce(required(time_text), moment_fault(time_text, "at"))',
                "price_usd": "price_fault(price_text, price)",
                "resolution": f"word_fault(resolution, {RESOLUTIONS})",
                "source": "required(source)",
            }
        )
    } as fault
from trimmed
""",
)

WALLETS = TapeFile(
    name="wallets",
    is_required=False,
    columns=_needed("chain", "address")
    | _allowed("label", "tracked_since", "history_from", "history_truncated"),
    outputs={
        "chain": "varchar",
        "address": "varchar",
        "label": "varchar",
        "tracked_since": "timestamp",
        "history_from": "timestamp",
        "history_truncated": "boolean",
    },
    key=("chain", "address"),
    key_column="address",
    order="chain, address",
    sql=f"""
with trimmed as (
    select
        line,
        chain,
        address,
        label,
        cell(tracked_since) as tracked_text,
        moment(tracked_text) as tracked_moment,
        cell(history_from) as history_text,
        moment(history_text) as history_moment,
        cell(history_truncated) as truncated_text
    from cells
)
select
    line,
    chain,
    address,
    label,
    tracked_moment as tracked_since,
    history_moment as history_from,
    truth(truncated_text) as history_truncated,
    {
        first_fault(
            {
                "chain": "required(chain)",
                "address": "required(address)",
                "tracked_since": "moment_fault(tracked_text, tracked_moment)",
                "history_from": "moment_fault(history_text, history_moment)",
                "history_truncated": "truth_fault(truncated_text)",
            }
        )
    } as fault
from trimmed
""",
)

BALANCES = TapeFile(
    name="balances",
    is_required=False,
    columns=_needed("chain", "wallet", "address", "amount", "as_of"),
    outputs={
        "chain": "varchar",
        "wallet": "varchar",
        "address": "varchar",
        "amount_raw": "decimal(38, 0)",
        "as_of": "timestamp",
    },
    key=("chain", "wallet", "address", "as_of"),
    key_column="address",
    order="chain, wallet, address, as_of",
    sql=f"""
with trimmed as (
    select
        cells.line,
        cells.chain,
        cells.wallet,
        cells.address,
        cell(cells.amount) as amount_text,
        units(amount_text, assets.decimals) as amount_raw,
        cell(cells.as_of) as as_of_text,
        moment(as_of_text) as as_of_moment,
        assets.decimals
    from cells
    left join assets on cells.chain = assets.chain and cells.address = assets.address
)
select
    line,
    chain,
    wallet,
    address,
    amount_raw,
    as_of_moment as as_of,
    {
        first_fault(
            {
                "chain": "required(chain)",
                "wallet": "required(wallet)",
                "address": '''coalesce(
                    required(address),
                    case when decimals is null then 'unknown_asset' end
                )''',
                "amount": '''coalesce(
                    required(amount_text),
                    amount_fault(amount_text, amount_raw, decimals)
                )''',
                "as_of": "coalesce(required(as_of_text), moment_fault(as_of_text, as_of_moment))",
            }
        )
    } as fault
from trimmed
""",
)


def _reserve_fault(side: str) -> str:
    return (
        f"coalesce(required({side}_text), amount_fault({side}_text, {side}_raw, {side}_decimals))"
    )


POOLS = TapeFile(
    name="pools",
    is_required=False,
    columns=_needed(
        "chain", "pool", "base_address", "quote_address", "base_reserve", "quote_reserve", "as_of"
    ),
    outputs={
        "chain": "varchar",
        "pool": "varchar",
        "base_address": "varchar",
        "quote_address": "varchar",
        "base_reserve_raw": "decimal(38, 0)",
        "quote_reserve_raw": "decimal(38, 0)",
        "as_of": "timestamp",
    },
    key=("chain", "pool", "as_of"),
    key_column="pool",
    order="chain, pool, as_of",
    sql=f"""
with trimmed as (
    select
        cells.line,
        cells.chain,
        cells.pool,
        cells.base_address,
        cells.quote_address,
        cell(cells.base_reserve) as base_text,
        units(base_text, base.decimals) as base_raw,
        cell(cells.quote_reserve) as quote_text,
        units(quote_text, quote.decimals) as quote_raw,
        cell(cells.as_of) as as_of_text,
        moment(as_of_text) as as_of_moment,
        base.decimals as base_decimals,
        quote.decimals as quote_decimals
    from cells
    left join assets as base
        on cells.chain = base.chain and cells.base_address = base.address
    left join assets as quote
        on cells.chain = quote.chain and cells.quote_address = quote.address
)
select
    line,
    chain,
    pool,
    base_address,
    quote_address,
    base_raw as base_reserve_raw,
    quote_raw as quote_reserve_raw,
    as_of_moment as as_of,
    {
        first_fault(
            {
                "chain": "required(chain)",
                "pool": "required(pool)",
                "base_address": '''coalesce(
                    required(base_address),
                    case when base_decimals is null then 'unknown_asset' end
                )''',
                "quote_address": '''coalesce(
                    required(quote_address),
                    case
                        when quote_decimals is null then 'unknown_asset'
                        when base_address = quote_address then 'same_asset'
                    end
                )''',
                "base_reserve": _reserve_fault("base"),
                "quote_reserve": _reserve_fault("quote"),
                "as_of": "coalesce(required(as_of_text), moment_fault(as_of_text, as_of_moment))",
            }
        )
    } as fault
from trimmed
""",
)

# Assets first: the others are judged against those accepted.
FILES = (ASSETS, MOVEMENTS, PRICES, WALLETS, BALANCES, POOLS)
