"""Filters of offers. Nothing is dropped in silence: hidden offers are counted by reason."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Literal

from pricing.caching import arguments, cached
from pricing.catalogue import Catalogue
from pricing.choices import TRUST_ORDER, Trust
from pricing.figure import FigureValue
from pricing.orderable import Order, Refusal, is_in, refusal_reason, sales
from pricing.records import ListingDoubt, Offer, Server

# How old a price is, in words. A stale price is taken only where none is fresher.
FRESH_DAYS = 7
AGEING_DAYS = 30
Freshness = Literal["fresh", "ageing", "stale", "no public price"]

# Doubts that only say "look closer"; offers with other doubts are hidden unless a query wants them.
MILD: frozenset[ListingDoubt] = frozenset({"converted", "restricted"})

Reason = Literal[
    "another accelerator", "accelerator not stated", "another provider", "another network", "another kind of purchase",
    "another region", "another machine size", "price too old", "not trusted enough", "not a price to rent by", Refusal,
]  # fmt: skip
OTHER_CHIP: Reason = "another accelerator"
UNSAID_CHIP: Reason = "accelerator not stated"


@dataclass(frozen=True)
class OfferFilter:
    """The filter of a person. An empty set or None asks for anything."""

    accelerators: frozenset[str] = frozenset()
    providers: frozenset[str] = frozenset()
    fabrics: frozenset[str] = frozenset()
    purchases: frozenset[str] = frozenset()
    areas: frozenset[str] = frozenset()
    region: str | None = None
    accelerators_per_instance: int | None = None
    order: Order | None = None
    max_age_days: int | None = None
    least_trust: Trust = "estimated"
    doubtful: bool = False

    @property
    def said(self) -> str:
        """All of it as one text: equal wishes say the same, in whatever order their sets came to be."""
        parts = (getattr(self, entry.name) for entry in fields(self))
        return "; ".join(" ".join(sorted(part)) if isinstance(part, frozenset) else str(part) for part in parts)


@dataclass(frozen=True)
class OfferSearchResult:
    """The ids that fit, cheapest first, and how many were hidden for which first reason."""

    ids: tuple[str, ...]
    hidden: dict[Reason, int] = field(default_factory=dict)


def find(catalogue: Catalogue, wish: OfferFilter, day: date) -> OfferSearchResult:
    """Return the offers that fit `wish`, by price, then id; offers without a price come last."""
    ids: list[str] = []
    keys, hidden = _offers_of_accelerators(catalogue, wish)
    for key in keys:
        reason = _hidden_reason(catalogue, key, wish, day)
        if reason is None:
            ids.append(key)
        else:
            hidden[reason] = hidden.get(reason, 0) + 1
    ids.sort(key=lambda key: (price(catalogue.offers[key]), key))
    return OfferSearchResult(tuple(ids), hidden)


def _offers_of_accelerators(catalogue: Catalogue, wish: OfferFilter) -> tuple[Iterable[str], dict[Reason, int]]:
    """The offers of the accelerators wished for, and how many are of others: nearly all, so they are not looked at."""
    if not wish.accelerators:
        return catalogue.offers, {}
    by_chip = _offers_by_accelerator(catalogue.offers)
    wide = (key for key, name in catalogue.ambiguous.items() if not wish.accelerators.isdisjoint(name.candidates))
    maybe = frozenset(wide) - wish.accelerators
    keys = [key for chip in wish.accelerators for key in by_chip.get(chip, ())]
    unsaid = sum(len(by_chip.get(chip, ())) for chip in maybe)
    counts: dict[Reason, int] = {OTHER_CHIP: len(catalogue.offers) - len(keys) - unsaid, UNSAID_CHIP: unsaid}
    return keys, {reason: count for reason, count in counts.items() if count}


@cached(4, same=arguments)
def _offers_by_accelerator(offers: Mapping[str, Offer]) -> Mapping[str, list[str]]:
    by_accelerator: dict[str, list[str]] = {}
    for key, offer in offers.items():
        by_accelerator.setdefault(offer.accelerator, []).append(key)
    return by_accelerator


def servers_with(catalogue: Catalogue, accelerator: str) -> tuple[Server, ...]:
    """Return the servers that are known to hold an accelerator, by name."""
    return _servers_by_accelerator(catalogue.servers).get(accelerator, ())


@cached(4, same=arguments)
def _servers_by_accelerator(servers: Mapping[str, Server]) -> Mapping[str, tuple[Server, ...]]:
    by_accelerator: dict[str, tuple[Server, ...]] = {}
    for _, server in sorted(servers.items()):
        by_accelerator[server.accelerator] = (*by_accelerator.get(server.accelerator, ()), server)
    return by_accelerator


def price(offer: Offer) -> float:
    """Return the newest price for an accelerator-hour, or infinity (so that it sorts last) when one has to ask."""
    figure = offer.usd_per_accelerator_hour
    return float("inf") if figure is None else figure.newest.typical


def _hidden_reason(catalogue: Catalogue, key: str, wish: OfferFilter, day: date) -> Reason | None:
    offer = catalogue.offers[key]
    if wish.providers and offer.provider not in wish.providers:
        return "another provider"
    if wish.fabrics and sales(catalogue)[key].fabric not in wish.fabrics:
        return "another network"
    if wish.purchases and offer.purchase not in wish.purchases:
        return "another kind of purchase"
    elsewhere = bool(wish.areas) and not is_in(catalogue, offer, wish.areas)
    if elsewhere or (wish.region is not None and wish.region.casefold() not in offer.region.casefold()):
        return "another region"
    if wish.accelerators_per_instance not in (None, offer.accelerators_per_instance):
        return "another machine size"
    refusal = refusal_reason(catalogue, key, wish.order) if wish.order is not None else None
    return refusal or _trust_reason(catalogue, offer, wish, day)


def _trust_reason(catalogue: Catalogue, offer: Offer, wish: OfferFilter, day: date) -> Reason | None:
    if not wish.doubtful and not MILD.issuperset(offer.doubts):
        return "not a price to rent by"
    figure = offer.usd_per_accelerator_hour
    if figure is None:
        return None
    if wish.max_age_days is not None and figure.age_days(day) > wish.max_age_days:
        return "price too old"
    if TRUST_ORDER[trust(catalogue, figure.newest)] < TRUST_ORDER[wish.least_trust]:
        return "not trusted enough"
    return None


def trust(catalogue: Catalogue, value: FigureValue) -> Trust:
    """Return the basis of a value, as a badge."""
    via = catalogue.sources[value.source].via
    if via == "yours":
        return "yours"
    if value.kind in ("derived", "assumption"):
        return "estimated"
    if value.kind == "quote":
        return "quote"
    return {"price_api": "API", "official_page": "published", "document": "published"}.get(via, "collected")  # type: ignore[return-value]


def freshness(offer: Offer, day: date) -> Freshness:
    """Return the age of the price, as a badge."""
    figure = offer.usd_per_accelerator_hour
    if figure is None:
        return "no public price"
    age = figure.age_days(day)
    return "fresh" if age <= FRESH_DAYS else "ageing" if age <= AGEING_DAYS else "stale"
