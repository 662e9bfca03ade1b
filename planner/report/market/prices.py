"""Offers as rows for `prices`, as text, JSON and CSV; prices across accelerators and through time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from datetime import date
from typing import TYPE_CHECKING, Any

from planner.report import words
from planner.report.table import Table, aligned
from planner.scenario.shown_money import shown_money
from pricing import Catalogue, Figure
from pricing.belief import PriceEstimate, in_their_markets
from pricing.market.band import OrderBand
from pricing.market.depth import DAY_MONTHS
from pricing.market.depth import Purchase as Buying
from pricing.market.sellers import TERM_MONTHS, band_of
from pricing.orderable import Order, at_once, free_accelerators, places_in, run_coordinates, sales
from pricing.query import freshness, price, trust
from pricing.records import Offer

if TYPE_CHECKING:  # `prices` loads no engine
    from planner.study.market.price_history import PriceHistory, PriceSpread

_MOST_PLACES = 3
_UNIONS = {"EU": "European Union", "EEA": "European Economic Area"}
_PRICE_KEYS = (
    "usd_per_accelerator_hour", "usd_per_instance_hour", "low", "high", "today_usd_per_accelerator_hour", "today_low",
    "today_high", "repriced_chance", "still_there_chance", "market_moved_share", "sellers", "since", "checked",
    "age_days",
)  # fmt: skip
HEAD = (
    "USD/GPU-h", "today", "provider", "accelerator", "GPUs", "at once", "terms", "region", "checked", "age", "trust",
    "notes",
)  # fmt: skip
ASSUMED = "A number at once that is assumed is ours: its seller publishes none."


def offer_rows(
    catalogue: Catalogue, offers: Sequence[str], day: date, areas: frozenset[str] = frozenset()
) -> list[dict[str, Any]]:
    """Return one flat record for each offer: price, product, age and source.

    `where` is the region, and which of its places lie in `areas`, where these are restricted.
    """
    prices = in_their_markets(catalogue, day, offers)
    rows = (_row(catalogue, key, prices.at(place), day) for place, key in enumerate(offers))
    return [row | {"where": region_words(catalogue, row["id"], areas)} for row in rows]


def region_words(catalogue: Catalogue, key: str, areas: frozenset[str]) -> str:
    """Return an offer's region; of several places those in `areas`: Norway (of Canada/Norway/US)."""
    offer = catalogue.offers[key]
    places = run_coordinates(catalogue, offer) if areas else ()
    inside = places_in(catalogue, offer, areas) if areas else ()
    if areas and not places and offer.area == "anywhere":
        return f"{offer.region} (not stated where)"
    if len(inside) == len(places) and (not inside or offer.area != "anywhere"):
        return offer.region
    labels = [catalogue.lands[place].label if place in catalogue.lands else _UNIONS[place] for place in inside]
    more = f" and {len(labels) - _MOST_PLACES} more" if len(labels) > _MOST_PLACES else ""
    return f"{', '.join(labels[:_MOST_PLACES])}{more} (of {offer.region})"


def _row(catalogue: Catalogue, key: str, estimate: PriceEstimate, day: date) -> dict[str, Any]:
    offer, capacity, most = catalogue.offers[key], sales(catalogue)[key], at_once(catalogue, key, day)
    figure = offer.usd_per_accelerator_hour
    row: dict[str, Any] = {
        "id": key,
        "provider": catalogue.providers[offer.provider].label,
        "accelerator": offer.accelerator,
        "accelerators_per_instance": offer.accelerators_per_instance,
        "purchase": offer.purchase,
        "region": offer.region,
        "area": offer.area,
        "sku": offer.sku,
        "sold_as": capacity.kind,
        "sizes": list(capacity.sizes),
        "sizes_are_published": not capacity.sizes_assumed,
        "most_at_once": most.accelerators,
        "most_is_published": not most.assumed,
        "free_now": free_accelerators(offer, day),
        "fabric": capacity.fabric,
        "largest_job": capacity.reach.accelerators,
        "largest_job_is_published": not capacity.reach.assumed,
        "country": capacity.country,
        **dict.fromkeys(_PRICE_KEYS),
        "freshness": freshness(offer, day),
        "trust": "no public price",
        "yours": False,
        "kind": None,
        "source": None,
        "source_url": None,
        "doubts": list(offer.doubts),
        "note": offer.note,
    }
    return row if figure is None else row | _priced(catalogue, offer, figure, estimate, day)


def _priced(catalogue: Catalogue, offer: Offer, figure: Figure, estimate: PriceEstimate, day: date) -> dict[str, Any]:
    value = figure.newest
    source = catalogue.sources[value.source]
    return {
        "usd_per_accelerator_hour": value.typical,
        "usd_per_instance_hour": round(value.typical * offer.accelerators_per_instance, 6),
        "low": value.low,
        "high": value.high,
        "today_usd_per_accelerator_hour": words.round_significant(estimate.typical, 6),
        "today_low": words.round_significant(estimate.low, 6),
        "today_high": words.round_significant(estimate.high, 6),
        "repriced_chance": round(estimate.repriced, 4),
        "still_there_chance": round(estimate.available, 4),
        "market_moved_share": round(estimate.moved, 4),
        "sellers": estimate.sellers,
        "since": figure.since,
        "checked": figure.checked,
        "age_days": figure.age_days(day),
        "trust": trust(catalogue, value),
        "yours": source.via == "yours",
        "kind": value.kind,
        "source": source.title,
        "source_url": source.url,
    }


def order_data(
    catalogue: Catalogue, accelerators: Iterable[str], purchases: frozenset[str], order: Order, day: date
) -> list[dict[str, Any]]:
    """Return what an order of each accelerator pays on the market, on demand or in each kind of purchase."""
    kinds = [kind for kind in purchases if kind in TERM_MONTHS or kind in ("spot", "on_demand")] or ["on_demand"]
    rows = []
    for key in sorted(accelerators):
        for kind in sorted(kinds, key=lambda kind: TERM_MONTHS.get(kind, 0.0)):
            buying: Buying = "reserved" if kind in TERM_MONTHS else "spot" if kind == "spot" else "on_demand"
            band = band_of(catalogue, key, order, day, buying, TERM_MONTHS.get(kind, DAY_MONTHS))
            if band is not None:
                rows.append({
                    "accelerator": key, "accelerators": order.accelerators, "purchase": kind, **asdict(band),
                })  # fmt: skip
    return rows


def order_line(catalogue: Catalogue, row: dict[str, Any]) -> str:
    """Return one of these in a sentence, as the answer of a plan has it."""
    band = OrderBand(**{field.name: row[field.name] for field in fields(OrderBand)})
    order = (
        f"{row['accelerators']:,} {catalogue.accelerator_label(row['accelerator'])} {words.PURCHASE[row['purchase']]}"
    )
    if band.standing == "unavailable":
        return f"An order of {order} is likely not available; {band.even_chance_count:,} are, with an even chance."
    seller = band.cheapest_seller and catalogue.providers[band.cheapest_seller].label
    return f"An order of {order}: {words.market_price(band, seller)}."


def sort_offers(catalogue: Catalogue, offers: Sequence[str], by: str, day: date) -> list[str]:
    """Return the offers in a total and stable order: unknown values last, equal ones by id."""

    def rank(key: str) -> tuple[Any, ...]:
        offer = catalogue.offers[key]
        figure = offer.usd_per_accelerator_hour
        keys: dict[str, Any] = {
            "price": price(offer),
            "instance": price(offer) * offer.accelerators_per_instance,
            "age": figure.age_days(day) if figure else float("inf"),
            "provider": catalogue.providers[offer.provider].label.casefold(),
            "accelerator": offer.accelerator,
            "region": offer.region.casefold(),
        }
        return (keys[by], price(offer), key)

    return sorted(offers, key=rank)


def offer_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Return the rows as a table for CSV; lists become one text."""
    return Table.of(row | {name: " ".join(map(str, row[name])) for name in ("doubts", "sizes")} for row in rows)


def offer_text(rows: Sequence[dict[str, Any]]) -> str:
    """Return the rows as aligned text for a terminal; sizes that we assume are marked (`ASSUMED`)."""
    return aligned([HEAD, *(_cells(row) for row in rows)], right={0})


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    known = " free" if row["free_now"] is not None else "" if row["most_is_published"] else " assumed"
    usd, today = row["usd_per_accelerator_hour"], row["today_usd_per_accelerator_hour"]
    low, high = row["today_low"], row["today_high"]
    return (
        words.NOT_PRICED if usd is None else _dollars(usd),
        "" if usd is None else f"{_dollars(today)} ({_dollars(low)} to {_dollars(high)})",
        row["provider"],
        row["accelerator"],
        str(row["accelerators_per_instance"]),
        f"{row['most_at_once']:,}{known}",
        words.PURCHASE[row["purchase"]],
        row["where"],
        "" if row["checked"] is None else row["checked"].isoformat(),
        "" if row["age_days"] is None else f"{row['age_days']} d",
        row["trust"],
        "; ".join(words.DOUBT[doubt] for doubt in row["doubts"]),
    )


def _dollars(usd: float) -> str:
    return f"{usd:.3g}" if usd < 1 else f"{usd:.2f}"


MOST_ROWS = 16
_FEWEST_OFFERS = 3
_MOST_SENTENCES = 3


def chart_row_order(catalogue: Catalogue, rows: Sequence[PriceSpread], selected: str) -> list[tuple[str, str]]:
    """Return the accelerators to draw, as (id, label): those with the most offers and the selected one, by price."""
    common = sorted(rows, key=lambda row: (-row.offers, row.accelerator))[:MOST_ROWS]
    if all(row.accelerator != selected for row in common):
        common += [row for row in rows if row.accelerator == selected]
    common.sort(key=lambda row: (row.median_usd, row.accelerator))
    labels = [(row.accelerator, catalogue.accelerator_label(row.accelerator)) for row in common]
    return [(key, f"<b>{label}</b>" if key == selected else label) for key, label in labels]


def value_for_money_summary(catalogue: Catalogue, rows: Sequence[PriceSpread], selected: str) -> str:
    """Return the accelerators with the cheapest arithmetic and memory, and the selected one beside them."""
    common = [row for row in rows if row.offers >= _FEWEST_OFFERS]
    by_arithmetic = [row for row in common if row.usd_per_pflop_hour is not None]
    by_memory = sorted((row for row in common if row.usd_per_gb_hour), key=lambda row: row.usd_per_gb_hour or 0)
    if not by_arithmetic or not by_memory:
        return "Too few offers fit the filters to compare accelerators."
    fast, roomy = by_arithmetic[0], by_memory[0]
    text = (
        f"By published median, arithmetic is cheapest on {catalogue.accelerator_label(fast.accelerator)} "
        f"({words.usd(fast.usd_per_pflop_hour or 0)} an hour for 1 PFLOP/s of dense 16-bit). Memory is cheapest on "
        f"{catalogue.accelerator_label(roomy.accelerator)} ({_gb_price(roomy.usd_per_gb_hour)} an hour for 1 GB)."
    )
    own = next((row for row in rows if row.accelerator == selected), None)
    if own is None or own.usd_per_pflop_hour is None:
        return text
    return (
        f"{text} {catalogue.accelerator_label(selected)} costs {words.usd(own.usd_per_pflop_hour)} and "
        f"{_gb_price(own.usd_per_gb_hour)}, at {words.usd(own.lowest_usd)} to {words.usd(own.highest_usd)} a GPU-hour."
    )


def _gb_price(usd: float | None) -> str:
    money = shown_money()
    return "an unknown amount" if usd is None else f"{money.mark}{words.round_significant(money.amount(usd), 2):g}"


def value_for_money_table(catalogue: Catalogue, rows: Sequence[PriceSpread]) -> Table:
    """Return each accelerator's spread of prices, and the cost of its arithmetic and memory."""
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


def price_history_summary(catalogue: Catalogue, lines: Sequence[PriceHistory], selected: str) -> str:
    """Return the moves of the best-documented price histories, indices first."""
    if not lines:
        return f"No history of prices for {catalogue.accelerator_label(selected)} is in the catalogue yet."
    indices = [line for line in lines if line.measure == "index"]
    return " ".join(_history_sentence(line) for line in (indices or list(lines))[:_MOST_SENTENCES])


def _history_sentence(line: PriceHistory) -> str:
    readings = [(usd, day) for day, usd in zip(line.days, line.usd, strict=True) if usd is not None]
    (first, start), (last, end) = readings[0], readings[-1]
    since = f"from {words.usd_per_hour(first)} on {words.day(start)} to"
    moved = "stayed at" if last == first else f"{'rose' if last > first else 'fell'} {since}"
    extremes = [(usd, day) for usd, day in (min(readings), max(readings)) if usd not in (first, last)]
    via = words.listed([f"{words.usd_per_hour(usd)} on {words.day(day)}" for usd, day in extremes])
    return (
        f"{line.label} {moved} {words.usd_per_hour(last)} on {words.day(end)}{f'. Between them: {via}' if via else ''}."
    )


def history_table(lines: Sequence[PriceHistory]) -> Table:
    """Return every reading of every line."""
    return Table.of(
        (
            {"Line": line.label, "Terms": words.PURCHASE[line.purchase], "Day": day, "USD per GPU-hour": usd}
            for line in lines
            for day, usd in zip(line.days, line.usd, strict=True)
            if usd is not None
        ),
        ("Line", "Terms", "Day", "USD per GPU-hour"),
    )
