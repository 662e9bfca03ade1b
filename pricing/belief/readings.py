"""Every reading of every rental price, as arrays: what the index, the rates and the belief in a price rest on.

An offer's price counts where it is a price to rent by. Its days are those on which somebody read it: each day from
which a value holds, and the last day on which the newest value was looked at again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import compress, pairwise
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pricing import strict_yaml
from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.choices import Purchase
from pricing.figure import StrictModel, Text
from pricing.query import MILD
from pricing.quotes.overlay import is_yours
from pricing.records import Offer, Provider

FILE = Path(__file__).parent / "constants.yaml"

# What prices of a kind have in common: a hyperscaler's list hardly moves, a marketplace moves every month.
PriceClass = Literal["list", "term", "posted", "market", "spot", "hosted"]

Positive = Annotated[float, Field(gt=0)]
_Share = Annotated[float, Field(ge=0, le=1)]


class PriceClassConstants(StrictModel):
    """Behaviour of prices of one class before anything is known of a provider."""

    repricings_per_month: Positive = Field(description="how often a price of this class is changed")
    spread: Positive = Field(description="log half width of the 80 % range once a repricing is certain")
    available: _Share = Field(description="chance that an offer can be had on the day it was read")
    stays_days: Positive = Field(description="time constant with which offers go")


class MarketLowConstants(StrictModel):
    """The market's low price from the votes of sellers, and how far an old price may lie below it."""

    lower_share: _Share = Field(description="of the votes by weight: the mean of these, the cheapest, is the low")
    weight_days: Positive = Field(description="time constant with which a vote loses weight")
    least_weight: Positive = Field(description="what is left of the weight of a forgotten price")
    doubt: Positive = Field(description="log; by how much more expensive an offer votes that is certainly gone")
    most_below: Positive = Field(description="log; how far an old price can lie below the low and be believed")
    gone_spread: Positive = Field(description="log standard deviation of what is paid where the named offer is gone")
    thin_spread: Positive = Field(description="the same of a market whose votes weigh as one read today")
    most_spread: Positive = Field(description="log standard deviation that no price exceeds")
    spot_over_on_demand: _Share = Field(description="usual price of spot machines, as a share of that on demand")
    spot_vote_days: Positive = Field(description="the vote of that usual price weighs as much as one of this age")


class MarketIndexConstants(StrictModel):
    """The market's moves from products that were read more than once."""

    knot_days: int = Field(description="days between two knots of the index")
    span_days: int = Field(description="how far back it reaches")
    least_pairs: int = Field(description="with fewer repeat readings the index is flat")
    ridge: Positive = Field(description="how strongly the path is drawn towards flat")
    robust_from: Positive = Field(description="log; larger changes count less")
    rounds: int = Field(description="how often the robust weights are made anew")
    gap_weight: Positive = Field(description="variance of a change at once")
    gap_weight_per_day: Positive = Field(description="variance that each day between two readings adds")


class EstimateConstants(StrictModel):
    """All of them, as the file beside this module holds them."""

    about: Text = Field(description="what the file holds, and where it came from")
    source: Text = Field(description="the decision that says how they were measured")
    classes: dict[PriceClass, PriceClassConstants] = Field(description="by class of price")
    learning_months: Positive = Field(description="so many months of its class's rate stand beside a seller's own")
    same_price: Positive = Field(description="a log change no larger than this is no repricing")
    known_days: int = Field(description="older readings say nothing about how often prices move today")
    read_spread: Positive = Field(description="log half width of a price read today")
    most_market_move: Positive = Field(description="log; no price is carried further than this by the market")
    once: _Share = Field(description="by how much an offer read on one day only is doubted, at most")
    settling_days: Positive = Field(description="over which a fresh price turns into an old one")
    fading_from_days: Positive = Field(description="from here on an old vote loses what weight it has left")
    forgotten_days: Positive = Field(description="from here on it has none")
    votes: MarketLowConstants = Field(description="how sellers together say what the market's low price is")
    index: MarketIndexConstants = Field(description="how the market's moves are read off")


@cached(1)
def constants() -> EstimateConstants:
    return EstimateConstants.model_validate(strict_yaml.read(FILE.read_text(encoding="utf-8"), file=FILE.name))


Floats = NDArray[np.float64]
Places = NDArray[np.intp]
CLASSES: tuple[PriceClass, ...] = ("list", "term", "posted", "market", "spot")
_OF_KIND: dict[str, PriceClass] = {"hyperscaler": "list", "marketplace": "market"}


def price_class(offer: Offer, provider: Provider) -> PriceClass:
    """Return the class of an offer's price: by the purchase, else by the seller."""
    return purchase_price_class(offer.purchase, provider)


def purchase_price_class(purchase: Purchase, provider: Provider) -> PriceClass:
    if purchase == "spot":
        return "spot"
    if purchase.startswith("reserved") or purchase == "capacity_block":
        return "term"
    return _OF_KIND.get(provider.kind, "posted")


class RepeatReadings(NamedTuple):
    """Two readings of one offer, one after the other, for each offer that was read twice or more."""

    offer: Places
    from_day: Floats  # days as ordinals
    to_day: Floats
    log_change: Floats


@dataclass(frozen=True, eq=False)
class Readings:
    """The prices of a catalogue; an entry for each offer that has one."""

    place: dict[str, int]  # of an offer in the arrays
    offers: tuple[Offer, ...]
    usd: Floats  # as it was read last
    log_usd: Floats
    read_on: Floats  # the last day, as an ordinal
    days_read: Floats  # on how many days anybody read it
    of_class: Places  # in CLASSES
    provider: Places
    accelerator: Places
    yours: NDArray[np.bool_]
    counts: NDArray[np.bool_]  # no doubt about it: it is learnt from, and it votes
    pairs: RepeatReadings
    voting: dict[str, list[str]]  # by accelerator, the offers that say what their market asks
    kept: dict[object, object] = field(default_factory=dict)  # what follows from these readings alone, by day


@cached(6, same=lambda catalogue: (catalogue.offers, catalogue.providers))
def readings(catalogue: Catalogue) -> Readings:
    priced = {key: offer for key, offer in catalogue.offers.items() if offer.usd_per_accelerator_hour is not None}
    offers = tuple(priced.values())
    histories = [list(_history(offer)) for offer in offers]
    figures = [offer.usd_per_accelerator_hour for offer in offers if offer.usd_per_accelerator_hour]
    newest = [figure.newest for figure in figures]
    usd = np.array([value.typical for value in newest], dtype=np.float64)
    kinds = [CLASSES.index(price_class(offer, catalogue.providers[offer.provider])) for offer in offers]
    counts = np.array([MILD.issuperset(offer.doubts) for offer in offers], dtype=np.bool_)
    voting: dict[str, list[str]] = {}
    for key in compress(priced, counts):
        voting.setdefault(priced[key].accelerator, []).append(key)
    return Readings(
        place={key: at for at, key in enumerate(priced)},
        offers=offers,
        usd=usd,
        log_usd=np.log(np.where(usd > 0, usd, np.nan)),
        read_on=np.array([figure.checked.toordinal() for figure in figures], dtype=np.float64),
        days_read=np.array([len(history) for history in histories], dtype=np.float64),
        of_class=np.array(kinds, dtype=np.intp),
        provider=_encode_names([offer.provider for offer in offers]),
        accelerator=_encode_names([offer.accelerator for offer in offers]),
        yours=np.array([is_yours(value) for value in newest], dtype=np.bool_),
        counts=counts,
        pairs=_pairs(histories, counts),
        voting=voting,
    )


def _history(offer: Offer) -> Iterator[tuple[date, float]]:
    """Yield the days on which the price was read, and what it was; prices of your own are no news of the market."""
    figure = offer.usd_per_accelerator_hour
    assert figure is not None  # only priced offers come here
    market = sorted((day, value.typical) for day, value in figure.values.items() if not is_yours(value))
    yield from market
    if market and market[-1][0] == figure.since < figure.checked:
        yield figure.checked, market[-1][1]


def _pairs(histories: list[list[tuple[date, float]]], counts: NDArray[np.bool_]) -> RepeatReadings:
    pairs = [
        (at, earlier[0].toordinal(), later[0].toordinal(), np.log(later[1] / earlier[1]))
        for at, history in enumerate(histories)
        if counts[at]
        for earlier, later in pairwise(history)
        if earlier[1] > 0 and later[1] > 0
    ]
    newest = max((row[2] for row in pairs), default=0)
    recent = [row for row in pairs if row[1] >= newest - constants().known_days]
    columns = np.array(recent, dtype=np.float64).reshape(-1, len(RepeatReadings._fields)).T
    return RepeatReadings(columns[0].astype(np.intp), *columns[1:])


def _encode_names(names: list[str]) -> Places:
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.intp)


DAYS_PER_MONTH = 30.4
_INDEXED = tuple(CLASSES.index(name) for name in ("posted", "market"))


class MarketIndex(NamedTuple):
    """The log level of on-demand prices on some days, 0 on the last of them; between them it goes straight."""

    days: Floats
    level: Floats

    def moved(self, since: Floats) -> Floats:
        """By how much, in logs, the market has moved from each of these days to the last."""
        return -np.interp(since, self.days, self.level)


def market_index(readings: Readings, day: int) -> MarketIndex:
    """The level of on-demand prices of neoclouds and marketplaces up to `day`; flat where too few were read again.

    Least squares on changes between two readings of one offer, a knot each month back from `day`: large changes count
    less (Huber), a seller of many offers counts less than they are many, and the path is drawn towards flat.
    """
    facts = constants().index
    days = np.arange(day - facts.span_days, day + 1, facts.knot_days, dtype=np.float64)
    pairs = _market_pairs(readings, day)
    if len(pairs.offer) < facts.least_pairs:
        return MarketIndex(days, np.zeros(len(days)))
    slopes = _knot_shares(days, pairs.to_day) - _knot_shares(days, pairs.from_day)
    trust = _weights(readings, pairs)
    steps = np.diff(np.eye(len(days)), axis=0)
    calm = facts.ridge * steps.T @ steps + 1e-6 * np.eye(len(days))
    robust = np.ones_like(trust)
    level: Floats = np.zeros(len(days))
    for _ in range(facts.rounds):
        weighted = slopes * (trust * robust)[:, None]
        level = np.asarray(np.linalg.solve(weighted.T @ slopes + calm, weighted.T @ pairs.log_change))
        robust = 1 / np.maximum(1, np.abs(pairs.log_change - slopes @ level) / facts.robust_from)
    return MarketIndex(days, level - level[-1])


def _market_pairs(readings: Readings, day: int) -> RepeatReadings:
    pairs = readings.pairs
    within = np.isin(readings.of_class[pairs.offer], _INDEXED) & (pairs.to_day <= day)
    return RepeatReadings(pairs.offer[within], pairs.from_day[within], pairs.to_day[within], pairs.log_change[within])


def _knot_shares(knots: Floats, days: Floats) -> Floats:
    inside = np.clip(days, knots[0], knots[-1])
    left = np.clip(np.searchsorted(knots, inside, "right") - 1, 0, len(knots) - 2)
    right_share = (inside - knots[left]) / (knots[1] - knots[0])
    shares = np.zeros((len(days), len(knots)))
    rows = np.arange(len(days))
    shares[rows, left] = 1 - right_share
    shares[rows, left + 1] += right_share
    return shares


def _weights(readings: Readings, pairs: RepeatReadings) -> Floats:
    """Return the weight of each pair: the offers of one seller and accelerator share a vote, long gaps say less."""
    provider, accelerator = readings.provider[pairs.offer], readings.accelerator[pairs.offer]
    cell = provider * (int(readings.accelerator.max()) + 1) + accelerator
    cells, in_cell, of_cell = np.unique(cell, return_inverse=True, return_counts=True)
    sellers = np.bincount(cells // (int(readings.accelerator.max()) + 1), minlength=int(provider.max()) + 1)
    gap = np.maximum(pairs.to_day - pairs.from_day, 1)
    facts = constants().index
    variance = facts.gap_weight + facts.gap_weight_per_day * gap
    weight = 1 / of_cell[in_cell] / np.sqrt(sellers[provider]) / variance
    return np.asarray(weight / weight.mean())


def repricings_per_month(readings: Readings, day: int) -> Floats:
    """Return the price changes of each offer in a month: those its seller showed so far, beside its class's.

    Prices of one seller move together, so it is a mean over the offers of that seller and class.
    """
    facts = constants()
    usual = np.array([facts.classes[name].repricings_per_month for name in CLASSES])
    cell = readings.provider * len(CLASSES) + readings.of_class
    pairs = readings.pairs
    until = pairs.to_day <= day
    offer = pairs.offer[until]
    size = int(cell.max(initial=0)) + 1
    distinct = np.unique(np.stack([cell[offer], offer]), axis=1)[0]  # each offer of a cell once
    offers = np.bincount(distinct, minlength=size).astype(np.float64)
    months = _sum(cell[offer], (pairs.to_day - pairs.from_day)[until] / DAYS_PER_MONTH, size)
    changes = _sum(cell[offer], np.abs(pairs.log_change[until]) > facts.same_price, size)
    each = np.maximum(offers, 1)
    learnt = (changes / each + facts.learning_months * usual[np.arange(size) % len(CLASSES)]) / (
        months / each + facts.learning_months
    )
    return np.asarray(learnt[cell])


def _sum(cell: Places, value: Floats | np.ndarray[tuple[int], np.dtype[np.bool_]], size: int) -> Floats:
    return np.asarray(np.bincount(cell, weights=value.astype(np.float64), minlength=size), dtype=np.float64)
