"""Bills in FOCUS, as clouds export them: CSV or Parquet, versions 1.0 to 1.4, read into dollars and hours by day.

What exports are known to do is allowed for: NULL as text, times without T and Z, the names that version 1.0 had for
quantities, columns of their own. What cannot be read is refused with its line and its column.
"""

import csv
import io
import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from pricing import PricingError
from pricing.exchange import DOLLAR, Rates

ON_DEMAND, COMMITTED, SPOT = "On demand", "Committed", "Spot"
KINDS = {"standard": ON_DEMAND, "committed": COMMITTED, "dynamic": SPOT}
_NEEDED = ("BilledCost", "BillingCurrency", "ChargeCategory", "ChargePeriodStart")
_QUANTITIES = {"PricingQuantity": "PricingUnit", "UsageQuantity": "UsageUnit", "ConsumedQuantity": "ConsumedUnit"}
# What is read beside the numbers: rows that are alike in all of it are counted alike.
_KNOWN = (*_NEEDED[1:], *_QUANTITIES.values(), "PricingCategory", "ServiceCategory", "CommitmentDiscountId", "x_Option",
          "ServiceProviderName", "ProviderName", "InvoiceIssuerName")  # fmt: skip
_Key = tuple[date, str, str, bool, bool]
_HOURS = {"hour": 1.0, "hours": 1.0, "hrs": 1.0, "hr": 1.0, "units/hour": 1.0, "seconds": 1 / 3600, "second": 1 / 3600}
_MACHINES = frozenset({"compute", "ai and machine learning"})
MOST_BYTES, MOST_ROWS = 50_000_000, 1_000_000
_PARQUET = b"PAR1"


class BillError(PricingError):
    """A bill that cannot be read: what is wrong, on which line, in which column, and what was wanted."""


class Charge(NamedTuple):
    """What was billed for one day and kind of supply, by the option that a file of this program names."""

    day: date
    option: str  # empty in the bills of clouds
    kind: str  # of hours, else the category of the service
    has_hours: bool  # whether it is billed by the hour
    is_accelerator: bool  # whether hours are those of single accelerators, not of machines
    usd: float
    hours: float


class Bill(NamedTuple):
    """The charges of a file, and who sent it."""

    name: str
    charges: tuple[Charge, ...]
    rows: int
    providers: tuple[str, ...]
    each: int | None = None  # accelerators of a machine that is billed by the hour, where that was said


def bill_by_month(bill: Bill, days: Sequence[date]) -> Bill:
    """Return a bill with one charge for each month between these days and kind of supply, dated as the month begins."""
    sums: dict[tuple[Any, ...], list[float]] = {}
    for charge in bill.charges:
        month = bisect_right(days, charge.day)
        if 1 <= month < len(days):
            total = sums.setdefault((days[month - 1], *charge[1:5]), [0.0, 0.0])
            total[0] += charge.usd
            total[1] += charge.hours
    return bill._replace(charges=tuple(Charge(*key, *total) for key, total in sums.items()))


def joined_bill(bills: Sequence[Bill]) -> Bill | None:
    """Return bills as one, the last imported first: of one sender it holds for the months that it covers."""
    kept: list[Bill] = []
    for bill in bills:
        newer = (other for other in kept if set(other.providers) & set(bill.providers) or other.name == bill.name)
        covered = {charge.day for other in newer for charge in other.charges}
        left = tuple(charge for charge in bill.charges if charge.day not in covered)
        kept += [bill._replace(charges=left)] if left else []
    if not kept:
        return None
    providers = dict.fromkeys(provider for bill in kept for provider in bill.providers)
    return Bill(
        ", ".join(dict.fromkeys(bill.name for bill in kept)), tuple(charge for bill in kept for charge in bill.charges),
        sum(bill.rows for bill in kept), tuple(providers), next((bill.each for bill in kept if bill.each), None),
    )  # fmt: skip


def read_bill(data: bytes, name: str, rates: Rates) -> Bill:
    """Return the charges of a file, or raise `BillError`."""
    if len(data) > MOST_BYTES:
        size = f"{len(data) / 1e6:,.0f} MB, and at most {MOST_BYTES / 1e6:.0f} are read"
        raise BillError(f"{name} has {size}: export fewer days or columns.")
    rows = _parquet_rows(data, name) if data[:4] == _PARQUET else _csv_rows(data, name)
    columns = {str(column).strip(): place for place, column in enumerate(next(rows, ()))}
    missing = [column for column in _NEEDED if column not in columns]
    if missing:
        raise BillError(f"{name}, line 1: no column {missing[0]}; a bill in FOCUS has {', '.join(_NEEDED)}.")
    counter, line = _Counter(columns, rates), 1
    try:
        for line, cells in enumerate(rows, start=2):
            counter.add(cells)
            if line > MOST_ROWS:
                raise BillError(f"{name} has more than {MOST_ROWS:,} rows: export it by the day, or fewer months.")
    except _CellError as wrong:
        raise BillError(f"{name}, line {line}, {wrong}.") from None
    if line == 1:
        raise BillError(f"{name} has no rows below its head: export a period with charges.")
    return counter.bill(name, line - 1)


class _Counter:
    """The sums of a bill while it is read."""

    def __init__(self, columns: Mapping[str, int], rates: Rates) -> None:
        self.columns, self.rates = columns, rates
        self.places = tuple(columns.get(column, -1) for column in _KNOWN)
        self.sums: dict[_Key, list[float]] = {}
        self.entries: dict[tuple[Any, ...], _Entry] = {}

    def add(self, cells: Sequence[Any]) -> None:
        """Count one row."""
        row = [*cells, *[None] * (len(self.columns) - len(cells)), None]  # what a column lacks is read from the end
        known = tuple([row[place] for place in self.places])
        entry = self.entries.get(known)
        if entry is None:
            entry = self.entries[known] = _entry(dict(zip(_KNOWN, map(_text, known), strict=True)), self.rates)
        total = self.sums.setdefault(entry.key, [0.0, 0.0])
        total[0] += _number(row[self.columns["BilledCost"]], "BilledCost") * entry.usd
        if entry.quantity:
            total[1] += _number(row[self.columns[entry.quantity]], entry.quantity) * entry.hours

    def bill(self, name: str, rows: int) -> Bill:
        """Return what was counted."""
        charges = tuple(Charge(*key, usd, hours) for key, (usd, hours) in self.sums.items())
        return Bill(
            name,
            charges,
            rows,
            tuple(dict.fromkeys(entry.provider for entry in self.entries.values() if entry.provider)),
        )


class _CellError(Exception):
    """A cell that cannot be read: its column, what stands there, and what is wanted."""

    def __init__(self, column: str, text: str, want: str) -> None:
        super().__init__(f"{column}: {text[:40] or 'nothing'!r} is given; want {want}")


class _Entry(NamedTuple):
    """Where a row is counted, and how: the same for all rows that say the same but for their numbers."""

    key: _Key
    provider: str
    usd: float  # of one unit of the currency
    quantity: str  # the column of the hours; empty where none are counted
    hours: float  # of one unit of it


def _text(cell: Any) -> str:
    text = "" if cell is None else str(cell).strip()
    return "" if text.upper() == "NULL" else text


def _number(cell: Any, column: str) -> float:
    try:
        value = float(cell)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise _CellError(column, _text(cell), "a number such as 12.34, without separators or symbols")
    return value


def _entry(row: Mapping[str, str], rates: Rates) -> _Entry:
    code, start = row["BillingCurrency"], row["ChargePeriodStart"]
    if code != DOLLAR and code not in rates:
        raise _CellError("BillingCurrency", code, "USD or a currency with a rate, by its three letters")
    try:
        day = date.fromisoformat(start[:10])
    except ValueError:
        raise _CellError("ChargePeriodStart", start, "a day such as 2026-11-01T00:00:00Z") from None
    quantity, hours, is_accelerator = _hours(row)
    kind, is_committed = row["ServiceCategory"] or "Other", bool(row["CommitmentDiscountId"])
    is_machine = kind.casefold() in _MACHINES and bool(quantity or is_committed)
    if is_machine:
        kind = COMMITTED if is_committed else KINDS.get(row["PricingCategory"].casefold(), ON_DEMAND)
    if not is_machine or (is_committed and row["ChargeCategory"] == "Purchase"):  # a fee buys no hours by itself
        quantity = ""
    provider = row["ServiceProviderName"] or row["ProviderName"] or row["InvoiceIssuerName"]
    usd = 1.0 if code == DOLLAR else rates[code].usd
    return _Entry((day, row["x_Option"], kind, is_machine, is_accelerator), provider, usd, quantity, hours)


def _hours(row: Mapping[str, str]) -> tuple[str, float, bool]:
    """Return the column of the hours that rows are billed for, hours in one of it, and whether of one accelerator."""
    for quantity, unit in _QUANTITIES.items():
        name = row[unit].casefold()
        is_accelerator = ("gpu" in name or "accelerator" in name) and "hour" in name
        if is_accelerator or name in _HOURS:
            return quantity, _HOURS.get(name, 1.0), is_accelerator
    return "", 0.0, False


def _csv_rows(data: bytes, name: str) -> Iterator[Sequence[Any]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BillError(f"{name}, line {line}: not UTF-8 text; save it as CSV in UTF-8, or as Parquet.") from error
    first = text[:10_000].partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count))
    try:
        yield from (row for row in reader if row)
    except csv.Error as error:
        raise BillError(f"{name}, line {reader.line_num}: {error}; want quotes that are closed.") from error


def _parquet_rows(data: bytes, name: str) -> Iterator[Sequence[Any]]:
    import pyarrow as pa  # Streamlit brings it along; loaded where such a file comes
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(data))
    except (pa.ArrowException, OSError) as error:
        raise BillError(f"{name} cannot be read as Parquet ({str(error)[:80]}): export it again, or as CSV.") from error
    yield table.column_names
    columns: Iterable[list[Any]] = (column.to_pylist() for column in table.columns)
    yield from zip(*columns, strict=True)
