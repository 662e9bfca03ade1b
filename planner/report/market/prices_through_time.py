"""The market in tables and sentences: prices across accelerators, and prices through time."""

from collections.abc import Sequence

from planner.report import words
from planner.report.table import Table
from planner.study.market.price_history import History, PriceSpread
from pricing import Catalogue

MOST_ROWS = 16
_FEWEST_OFFERS = 3
_MOST_SENTENCES = 3


def chart_row_order(catalogue: Catalogue, rows: Sequence[PriceSpread], chosen: str) -> list[tuple[str, str]]:
    """The accelerators to draw, as (id, label): those with the most offers, by price; the chosen one always there."""
    widely = sorted(rows, key=lambda row: (-row.offers, row.accelerator))[:MOST_ROWS]
    if all(row.accelerator != chosen for row in widely):
        widely += [row for row in rows if row.accelerator == chosen]
    widely.sort(key=lambda row: (row.median_usd, row.accelerator))
    return [(row.accelerator, _label(catalogue, row.accelerator, chosen)) for row in widely]


def _label(catalogue: Catalogue, key: str, chosen: str) -> str:
    label = catalogue.accelerator_label(key)
    return f"<b>{label}</b>" if key == chosen else label


def value_for_money_summary(catalogue: Catalogue, rows: Sequence[PriceSpread], chosen: str) -> str:
    """Which accelerator's arithmetic and memory are cheapest, and where the chosen one stands."""
    common = [row for row in rows if row.offers >= _FEWEST_OFFERS]
    flops = [row for row in common if row.usd_per_pflop_hour is not None]
    memory = sorted(
        (row for row in common if row.usd_per_gb_hour is not None), key=lambda row: row.usd_per_gb_hour or 0
    )
    if not flops or not memory:
        return "Too few offers fit the filters to compare accelerators."
    best, roomy = flops[0], memory[0]
    said = (
        f"By published median, arithmetic is cheapest on {catalogue.accelerator_label(best.accelerator)} "
        f"({words.usd(best.usd_per_pflop_hour or 0)} an hour for 1 PFLOP/s of dense 16-bit) and memory on "
        f"{catalogue.accelerator_label(roomy.accelerator)} ({_cents(roomy.usd_per_gb_hour)} an hour for 1 GB)."
    )
    own = next((row for row in rows if row.accelerator == chosen), None)
    if own is None or own.usd_per_pflop_hour is None:
        return said
    return (
        f"{said} {catalogue.accelerator_label(chosen)} costs {words.usd(own.usd_per_pflop_hour)} and "
        f"{_cents(own.usd_per_gb_hour)}, at {words.usd(own.lowest_usd)} to {words.usd(own.highest_usd)} a GPU-hour."
    )


def _cents(usd: float | None) -> str:
    return "an unknown amount" if usd is None else f"${words.round_significant(usd, 2):g}"


def value_for_money_table(catalogue: Catalogue, rows: Sequence[PriceSpread]) -> Table:
    """Each accelerator's spread of prices, and what its arithmetic and memory cost."""
    return Table.from_columns(
        {
            "Accelerator": [catalogue.accelerator_label(row.accelerator) for row in rows],
            "Offers": [row.offers for row in rows],
            "Lowest USD/GPU-h": [row.lowest_usd for row in rows],
            "Median USD/GPU-h": [row.median_usd for row in rows],
            "Highest USD/GPU-h": [row.highest_usd for row in rows],
            "USD per PFLOP/s-hour": [row.usd_per_pflop_hour for row in rows],
            "USD per GB-hour": [row.usd_per_gb_hour for row in rows],
        }
    )


def price_history_summary(catalogue: Catalogue, lines: Sequence[History], chosen: str) -> str:
    """How the best-kept histories moved, the indices first."""
    if not lines:
        return f"No history of prices for {catalogue.accelerator_label(chosen)} is in the catalogue yet."
    indices = [line for line in lines if line.measure == "index"]
    return " ".join(_moved(line) for line in (indices or list(lines))[:_MOST_SENTENCES])


def _moved(line: History) -> str:
    readings = [(price, day) for day, price in zip(line.days, line.usd, strict=True) if price is not None]
    (first, began), (last, now) = readings[0], readings[-1]
    since = f"from {words.usd_per_hour(first)} on {words.day(began)} to"
    moved = "stayed at" if last == first else f"{'rose' if last > first else 'fell'} {since}"
    low, high = min(readings), max(readings)
    turns = [
        f"{words.usd_per_hour(price)} on {words.day(day)}" for price, day in (low, high) if price not in (first, last)
    ]
    by_way = f", by way of {words.listed(turns)}" if turns else ""
    return f"{line.label} {moved} {words.usd_per_hour(last)} on {words.day(now)}{by_way}."


def history_table(lines: Sequence[History]) -> Table:
    """Every reading of every line."""
    return Table.of(
        [
            {"Line": line.label, "Terms": words.PURCHASE[line.purchase], "Day": day, "USD per GPU-hour": price}
            for line in lines
            for day, price in zip(line.days, line.usd, strict=True)
            if price is not None
        ],
        ("Line", "Terms", "Day", "USD per GPU-hour"),
    )
