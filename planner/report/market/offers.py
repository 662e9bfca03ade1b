"""Offers as rows: the same rows for the text table, JSON and CSV of `python -m planner prices`."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from planner.report import words
from planner.report.table import Table, aligned
from pricing import Catalogue, Figure
from pricing.belief import PriceEstimate, in_their_markets
from pricing.orderable import OfferCapacity, Order, places_in, run_coordinates, sale
from pricing.query import freshness, price, trust
from pricing.records import Offer


def offer_rows(
    catalogue: Catalogue, offers: Sequence[str], day: date, order: Order | None = None,
    areas: frozenset[str] = frozenset(),
) -> list[dict[str, Any]]:  # fmt: skip
    """One flat record for each offer that can take the order: price, what it is for, how old it is, who says so.

    `where` is the region, and which of its places lie in `areas`, where a person wants these parts of the world.
    """
    prices = in_their_markets(catalogue, day, offers, order)
    rows = (_row(catalogue, key, prices.at(place), day) for place, key in enumerate(offers))
    return [row | {"where": region_words(catalogue, row["id"], areas)} for row in rows]


def region_words(catalogue: Catalogue, key: str, areas: frozenset[str]) -> str:
    """An offer's region; of several places those in `areas`: Norway (of Canada/Norway/US)."""
    offer = catalogue.offers[key]
    every = run_coordinates(catalogue, offer) if areas else ()
    inside = places_in(catalogue, offer, areas) if areas else ()
    if areas and not every and offer.area == "anywhere":
        return f"{offer.region} (not stated where)"
    if len(inside) == len(every) and (not inside or offer.area != "anywhere"):
        return offer.region
    labels = [catalogue.lands[one].label if one in catalogue.lands else _UNIONS[one] for one in inside]
    more = f" and {len(labels) - _MOST_PLACES} more" if len(labels) > _MOST_PLACES else ""
    return f"{', '.join(labels[:_MOST_PLACES])}{more} (of {offer.region})"


_MOST_PLACES = 3
_UNIONS = {"EU": "European Union", "EEA": "European Economic Area"}


def _row(catalogue: Catalogue, key: str, price_now: PriceEstimate, day: date) -> dict[str, Any]:
    offer = catalogue.offers[key]
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
        **_sold(sale(catalogue, key)),
        **dict.fromkeys(_OF_PRICE),
        "freshness": freshness(offer, day),
        "trust": "no public price",
        "yours": False,
        "kind": None,
        "source": None,
        "source_url": None,
        "doubts": list(offer.doubts),
        "note": offer.note,
    }
    return row if figure is None else row | _priced(catalogue, offer, figure, price_now, day)


_OF_PRICE = (
    "usd_per_accelerator_hour", "usd_per_instance_hour", "low", "high", "today_usd_per_accelerator_hour", "today_low",
    "today_high", "repriced_chance", "still_there_chance", "market_moved_share", "sellers", "since", "checked",
    "age_days",
)  # fmt: skip


def _sold(sold: OfferCapacity) -> dict[str, Any]:
    """What is sold, how many at once, and what joins them."""
    return {
        "sold_as": sold.kind,
        "sizes": list(sold.sizes),
        "sizes_are_published": not sold.sizes_assumed,
        "most_at_once": sold.most.accelerators,
        "most_is_published": not sold.most.assumed,
        "fabric": sold.fabric,
        "largest_job": sold.reach.accelerators,
        "largest_job_is_published": not sold.reach.assumed,
        "country": sold.country,
    }


def _priced(catalogue: Catalogue, offer: Offer, figure: Figure, price_now: PriceEstimate, day: date) -> dict[str, Any]:
    """The price as it was read, what it is worth today, and who says so."""
    value = figure.newest
    source = catalogue.sources[value.source]
    return {
        "usd_per_accelerator_hour": value.typical,
        "usd_per_instance_hour": round(value.typical * offer.accelerators_per_instance, 6),
        "low": value.low,
        "high": value.high,
        "today_usd_per_accelerator_hour": words.round_significant(price_now.typical, 6),
        "today_low": words.round_significant(price_now.low, 6),
        "today_high": words.round_significant(price_now.high, 6),
        "repriced_chance": round(price_now.repriced, 4),
        "still_there_chance": round(price_now.there, 4),
        "market_moved_share": round(price_now.moved, 4),
        "sellers": price_now.sellers,
        "since": figure.since,
        "checked": figure.checked,
        "age_days": figure.age_days(day),
        "trust": trust(catalogue, value),
        "yours": source.via == "yours",
        "kind": value.kind,
        "source": source.title,
        "source_url": source.url,
    }


def sort_offers(catalogue: Catalogue, offers: Sequence[str], by: str, day: date) -> list[str]:
    """A total and stable order: what is unknown comes last, equal entries go by id."""

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
    """The rows as a table for CSV; lists become one text."""
    return Table.of([row | {name: " ".join(map(str, row[name])) for name in ("doubts", "sizes")} for row in rows])


HEAD = (
    "USD/GPU-h", "today", "provider", "accelerator", "GPUs", "at once", "terms", "region", "checked", "age", "trust",
    "notes",
)  # fmt: skip


ASSUMED = "A number at once with ? is one that we assume: its seller publishes none."


def offer_text(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as aligned text for a terminal; a question mark means `ASSUMED`."""
    return aligned([HEAD, *(_cells(row) for row in rows)], right={0})


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    usd, today = row["usd_per_accelerator_hour"], row["today_usd_per_accelerator_hour"]
    low, high = row["today_low"], row["today_high"]
    return (
        words.NOT_PRICED if usd is None else _dollars(usd),
        "" if usd is None else " ".join((_dollars(today), f"({_dollars(low)} to {_dollars(high)})")),
        row["provider"],
        row["accelerator"],
        str(row["accelerators_per_instance"]),
        f"{row['most_at_once']:,}{'' if row['most_is_published'] else '?'}",
        words.PURCHASE[row["purchase"]],
        row["where"],
        "" if row["checked"] is None else row["checked"].isoformat(),
        "" if row["age_days"] is None else f"{row['age_days']} d",
        row["trust"],
        "; ".join(words.DOUBT[doubt] for doubt in row["doubts"]),
    )


def _dollars(usd: float) -> str:
    return f"{usd:.3g}" if usd < 1 else f"{usd:.2f}"
