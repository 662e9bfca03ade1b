"""The comparison as a table: one row for each way to get the machines, cheapest plan first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, get_args

import pandas as pd

from planner.inputs.need import Need
from planner.money.ledger import Ledger, Part
from planner.money.owned import Buying
from planner.money.rented import Bills
from planner.report import words
from pricing import Catalogue
from pricing.query import freshness, trust
from pricing.records import Offer

BUY_ID = "buy"

# Column names are units and meanings; the screen and the CSV use the same ones.
COLUMNS = (
    "Provider", "Terms", "Product", "Plan total USD", "Total is", "USD per busy GPU-h", "Sticker USD/GPU-h",
    "Against buying", "Checked", "Days old", "Freshness", "Trust", "GPUs per machine", "Region", "Notes", "Source",
)  # fmt: skip


def compare_table(catalogue: Catalogue, need: Need, bills: Bills, buying: Buying | None, day: date) -> pd.DataFrame:
    """Every bill and the purchase, ranked. The index holds the offer ids, so that a choice survives a new order."""
    own_usd = None if buying is None else buying.total_usd
    rows = [(bills.offers[i], _rent_row(catalogue, bills, int(i), own_usd, day)) for i in bills.rank]
    if buying is not None:
        rows.insert(_place(rows, own_usd), (BUY_ID, _buy_row(need, buying)))
    frame = pd.DataFrame([row for _, row in rows], index=[key for key, _ in rows], columns=list(COLUMNS))
    frame.index.name = "offer"
    return frame


def _place(rows: list[tuple[str, dict[str, Any]]], own_usd: float | None) -> int:
    """Where buying stands in the ranking: behind every plan that costs less."""
    if own_usd is None:
        return len(rows)
    return sum(row["Plan total USD"] is not None and row["Plan total USD"] <= own_usd for _, row in rows)


def _rent_row(catalogue: Catalogue, bills: Bills, index: int, own_usd: float | None, day: date) -> dict[str, Any]:
    offer = catalogue.offers[bills.offers[index]]
    figure = offer.usd_per_accelerator_hour
    total = _known(bills.total_usd[index])
    missing = bills.not_priced(index) if total is not None else ()
    return {
        "Provider": catalogue.providers[offer.provider].label,
        "Terms": words.PURCHASE[offer.purchase],
        "Product": offer.sku or "",
        "GPUs per machine": offer.accelerators_per_instance,
        "Region": offer.region,
        "Sticker USD/GPU-h": None if figure is None else figure.newest.typical,
        "USD per busy GPU-h": _known(bills.usd_per_busy_hour[index]),
        "Plan total USD": total,
        "Total is": words.NOT_PRICED if total is None else "at least" if missing else "complete",
        "Against buying": None if total is None or own_usd is None else round(total / own_usd - 1, 2),
        "Checked": None if figure is None else figure.checked,
        "Days old": None if figure is None else figure.age_days(day),
        "Freshness": freshness(offer, day),
        "Trust": "no public price" if figure is None else trust(catalogue, figure.newest),
        "Notes": _notes(offer, bills.part_usd("idle", index) > 0, missing),
        "Source": None if figure is None else catalogue.sources[figure.newest.source].url,
    }


def _buy_row(need: Need, buying: Buying) -> dict[str, Any]:
    return {
        "Provider": "Buy and run it",
        "Terms": f"kept {words.years(need.years)}",
        "Product": buying.what,
        "GPUs per machine": buying.accelerators_per_server,
        "Region": buying.site_label,
        "Sticker USD/GPU-h": None,
        "USD per busy GPU-h": buying.usd_per_busy_hour,
        "Plan total USD": buying.total_usd,
        "Total is": "complete" if not buying.ledger.unpriced else "at least",
        "Against buying": 0.0,
        "Checked": buying.price.checked,
        "Days old": None,
        "Freshness": "",
        "Trust": buying.trust,
        "Notes": "a first estimate",
        "Source": buying.price_url,
    }


def _notes(offer: Offer, idle: bool, missing: tuple[str, ...]) -> str:
    notes = ["bills idle hours"] if idle else []
    notes += [f"{name.lower()} not priced" for name in missing]
    notes += [words.DOUBT[doubt] for doubt in offer.doubts]
    if offer.note:
        notes.append(offer.note)
    return "; ".join(notes)


def _known(value: Any) -> float | None:
    return None if math.isnan(value) else float(value)


def pickable(table: pd.DataFrame) -> list[str]:
    """The rows that have a total and so can be drawn, in the order of the table."""
    return [str(key) for key, _ in table["Plan total USD"].dropna().items()]


def opened(picks: Sequence[str], table: pd.DataFrame, bills: Bills, buying: Buying | None) -> list[Ledger]:
    """The ledgers of the chosen rows, each under a name of its own."""
    names = unique(
        [f"{table.at[key, 'Provider']}, {table.at[key, 'Terms']}, {table.at[key, 'Region']}" for key in picks]
    )
    return [
        replace(buying.ledger, title=name) if key == BUY_ID and buying else bills.one(key, name)
        for key, name in zip(picks, names, strict=True)
    ]


def parts_table(ledgers: Sequence[Ledger]) -> pd.DataFrame:
    """Options as columns, parts as rows, and the totals below; only parts that somebody pays for."""
    rows = []
    for part in get_args(Part):
        amounts = [float(ledger.part_usd(part)) for ledger in ledgers]
        if any(amounts):
            rows.append([part, *amounts])
    rows.append(["total", *(float(ledger.total_usd) for ledger in ledgers)])
    return pd.DataFrame(rows, columns=["Part, USD", *(ledger.title for ledger in ledgers)])


def unique(titles: Sequence[str]) -> list[str]:
    """Titles told apart: a second 'AWS' becomes 'AWS (2)'."""
    seen: dict[str, int] = {}
    told = []
    for title in titles:
        seen[title] = seen.get(title, 0) + 1
        told.append(title if seen[title] == 1 else f"{title} ({seen[title]})")
    return told
