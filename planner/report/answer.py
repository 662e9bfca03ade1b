"""The answer in words: a title, sentences that give both totals and what would turn them, four figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from planner.inputs.need import Need
from planner.inputs.terms import Terms
from planner.money.answer import Answer, Way
from planner.report import words
from pricing import Catalogue

TITLES = {
    "buy": "Buy.",
    "probably buy": "Probably buy.",
    "close": "Too close to call.",
    "probably rent": "Probably rent.",
    "rent": "Rent.",
}
TIMINGS = {
    "month_end": "the end of each month",
    "month_middle": "the middle of each month",
    "year_end": "the end of each year",
    "year_middle": "the middle of each year",
}
NOT_COUNTED = "taxes, loans, a delay before delivery, support plans, your engineers' time"


class Figure(NamedTuple):
    """One of the four figures under the answer."""

    label: str
    value: str
    range: str
    detail: str


@dataclass(frozen=True)
class Told:
    """The answer as it is shown."""

    title: str
    sentences: tuple[str, ...]
    figures: tuple[Figure, ...]


def told(catalogue: Catalogue, need: Need, terms: Terms, found: Answer) -> Told:
    """Title, sentences and figures, all from the one answer."""
    return Told(
        TITLES[found.verdict],
        (
            _totals(catalogue, need, terms, found),
            _range(found),
            *_close(found),
            _busy(need, found),
            *_flip(catalogue, found),
            *_timing(terms, found),
        ),
        _figures(need, found),
    )


def missing(catalogue: Catalogue, need: Need, has_rent: bool) -> Told:
    """What to say when a price to compare with is missing."""
    label = catalogue.accelerator_label(need.accelerator)
    lacks = "buying" if has_rent else "renting"
    hint = "Enter a hardware quote on the Compare page." if has_rent else "Enter a rental quote on the Compare page."
    return Told("Not enough to answer yet.", (f"Nobody publishes a price for {lacks} {label}. {hint}",), ())


def seller(catalogue: Catalogue, offer: str) -> str:
    """Who rents it out, and on which terms."""
    record = catalogue.offers[offer]
    who = words.seller(catalogue.providers[record.provider].label, record.sku)
    return f"{who}, {words.PURCHASE[record.purchase]}"


def _totals(catalogue: Catalogue, need: Need, terms: Terms, found: Answer) -> str:
    plan = f"{need.accelerators:,} x {catalogue.accelerator_label(need.accelerator)}"
    return (
        f"Over {words.years(need.years)}, {plan} busy {words.percent(need.busy_share)} of the time cost about "
        f"{words.usd(found.rent.present_usd)} rented from {seller(catalogue, found.offer)}, or "
        f"{words.usd(found.buy.present_usd)} bought and run: in today's money, at "
        f"{words.percent(terms.discount_rate_per_year)} a year."
    )


def _range(found: Answer) -> str:
    return (
        f"If rents fall or rise as they have, renting comes to {words.usd(found.rent.low_usd)} to "
        f"{words.usd(found.rent.high_usd)}; with every figure at its cheap or dear end, buying to "
        f"{words.usd(found.buy.low_usd)} to {words.usd(found.buy.high_usd)}."
    )


def _close(found: Answer) -> tuple[str, ...]:
    if found.verdict != "close":
        return ()
    today = words.usd(found.cash_today_usd)
    return (f"So choose on cash and freedom: buying takes {today} on day one, renting can be stopped.",)


def _busy(need: Need, found: Answer) -> str:
    if found.busy.value is None:
        return f"Within {words.years(need.years)}, {found.busy.reason}."
    return f"Buying wins above {words.percent(found.busy.value)} busy; you are at {words.percent(need.busy_share)}."


def _flip(catalogue: Catalogue, found: Answer) -> tuple[str, ...]:
    figure = catalogue.offers[found.offer].usd_per_accelerator_hour
    if found.rent_usd_per_hour.value is None or figure is None:
        return ()
    now, turn = words.usd_per_hour(figure.newest.typical), words.usd_per_hour(found.rent_usd_per_hour.value)
    return (f"At a rent of {turn} per GPU-hour instead of {now} both would cost the same.",)


def _timing(terms: Terms, found: Answer) -> tuple[str, ...]:
    if not found.turned_by_timing:
        return ()
    other = words.listed((TIMINGS[one] for one in found.turned_by_timing), "or")
    return (
        f"The convention alone turns this: it reckons with payments at {TIMINGS[terms.timing]}; "
        f"at {other} the other way is cheaper.",
    )


def _figures(need: Need, found: Answer) -> tuple[Figure, ...]:
    busy = found.busy.value
    back = found.payback.month
    paid = "does not pay back" if not found.payback.found.all() else f"pays back in month {float(back):.0f}"
    return (
        _total("Rent", found.rent),
        _total("Buy", found.buy),
        Figure(
            "Break-even use",
            "none" if busy is None else words.percent(busy),
            f"you: {words.percent(need.busy_share)}",
            found.busy.reason if busy is None else "The share of busy hours at which both cost the same",
        ),
        Figure(
            "Cash on day one",
            words.usd_short(found.cash_today_usd),
            paid,
            "What buying takes today; renting takes none",
        ),
    )


def _total(label: str, way: Way) -> Figure:
    ends = f"{words.usd_short(way.low_usd)} to {words.usd_short(way.high_usd)}"
    return Figure(label, words.usd_short(way.present_usd), ends, "The whole plan in today's money, and its range")


def cash_table(found: Answer) -> pd.DataFrame:
    """Cash and present value by year, both ways, and the cumulative difference; the lines sum to the totals."""
    rows = []
    months = len(found.buy.cumulative_usd)
    for year in range((months + 10) // 12 + 1):
        first, last = (0, 0) if year == 0 else (12 * year - 11, min(12 * year, months - 1))
        rent = float(found.rent.ledger.monthly_usd[first : last + 1].sum())
        buy = float(found.buy.ledger.monthly_usd[first : last + 1].sum())
        rows.append(
            {
                "Year": "today" if year == 0 else str(year),
                "Rent, USD": rent,
                "Buy, USD": buy,
                "Rent so far, today's money": float(found.rent.cumulative_usd[last]),
                "Buy so far, today's money": float(found.buy.cumulative_usd[last]),
                "Buying saves so far": float(found.rent.cumulative_usd[last] - found.buy.cumulative_usd[last]),
            }
        )
    return pd.DataFrame(rows)
