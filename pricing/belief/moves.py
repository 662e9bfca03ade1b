"""What the market did since a price was read, and how often its seller changes prices: both from repeat readings."""

from typing import NamedTuple

import numpy as np

from pricing.belief.constants import constants
from pricing.belief.readings import CLASSES, Floats, Places, Readings, RepeatReadings

DAYS_PER_MONTH = 30.4
_INDEXED = tuple(CLASSES.index(name) for name in ("posted", "market"))


class Index(NamedTuple):
    """The log level of on-demand prices on some days, 0 on the last of them; between them it goes straight."""

    days: Floats
    level: Floats

    def moved(self, since: Floats) -> Floats:
        """By how much, in logs, the market has moved from each of these days to the last."""
        return -np.interp(since, self.days, self.level)


def market_index(readings: Readings, day: int) -> Index:
    """The level of on-demand prices of neoclouds and marketplaces up to `day`; flat where too few were read again.

    Least squares on changes between two readings of one offer, a knot each month back from `day`: large changes count
    less (Huber), a seller of many offers counts less than they are many, and the path is drawn towards flat.
    """
    known = constants().index
    days = np.arange(day - known.span_days, day + 1, known.knot_days, dtype=np.float64)
    pairs = _market_pairs(readings, day)
    if len(pairs.offer) < known.least_pairs:
        return Index(days, np.zeros(len(days)))
    slopes = _knot_shares(days, pairs.to_day) - _knot_shares(days, pairs.from_day)
    trust = _weights(readings, pairs)
    steps = np.diff(np.eye(len(days)), axis=0)
    calm = known.ridge * steps.T @ steps + 1e-6 * np.eye(len(days))
    robust = np.ones_like(trust)
    level: Floats = np.zeros(len(days))
    for _ in range(known.rounds):
        weighted = slopes * (trust * robust)[:, None]
        level = np.asarray(np.linalg.solve(weighted.T @ slopes + calm, weighted.T @ pairs.log_change))
        robust = 1 / np.maximum(1, np.abs(pairs.log_change - slopes @ level) / known.robust_from)
    return Index(days, level - level[-1])


def _market_pairs(readings: Readings, day: int) -> RepeatReadings:
    pairs = readings.pairs
    within = np.isin(readings.of_class[pairs.offer], _INDEXED) & (pairs.to_day <= day)
    return RepeatReadings(pairs.offer[within], pairs.from_day[within], pairs.to_day[within], pairs.log_change[within])


def _knot_shares(knots: Floats, days: Floats) -> Floats:
    """The share of each knot in the level on each day."""
    inside = np.clip(days, knots[0], knots[-1])
    left = np.clip(np.searchsorted(knots, inside, "right") - 1, 0, len(knots) - 2)
    right_share = (inside - knots[left]) / (knots[1] - knots[0])
    shares = np.zeros((len(days), len(knots)))
    rows = np.arange(len(days))
    shares[rows, left] = 1 - right_share
    shares[rows, left + 1] += right_share
    return shares


def _weights(readings: Readings, pairs: RepeatReadings) -> Floats:
    """What a pair counts: the offers of one seller and accelerator share a vote, long gaps tell less of each day."""
    provider, accelerator = readings.provider[pairs.offer], readings.accelerator[pairs.offer]
    cell = provider * (int(readings.accelerator.max()) + 1) + accelerator
    cells, in_cell, of_cell = np.unique(cell, return_inverse=True, return_counts=True)
    sellers = np.bincount(cells // (int(readings.accelerator.max()) + 1), minlength=int(provider.max()) + 1)
    gap = np.maximum(pairs.to_day - pairs.from_day, 1)
    known = constants().index
    variance = known.gap_weight + known.gap_weight_per_day * gap
    weight = 1 / of_cell[in_cell] / np.sqrt(sellers[provider]) / variance
    return np.asarray(weight / weight.mean())


def repricings_per_month(readings: Readings, day: int) -> Floats:
    """How often each offer's price changes in a month: what its seller showed so far, beside what its class does.

    Prices of one seller move together, so it is a mean over the offers of that seller and class.
    """
    known = constants()
    usual = np.array([known.classes[name].repricings_per_month for name in CLASSES])
    cell = readings.provider * len(CLASSES) + readings.of_class
    pairs = readings.pairs
    until = pairs.to_day <= day
    offer = pairs.offer[until]
    size = int(cell.max(initial=0)) + 1
    offers = _count_distinct_offers(cell[offer], offer, size)
    months = _sum(cell[offer], (pairs.to_day - pairs.from_day)[until] / DAYS_PER_MONTH, size)
    changes = _sum(cell[offer], np.abs(pairs.log_change[until]) > known.same_price, size)
    each = np.maximum(offers, 1)
    learnt = (changes / each + known.learning_months * usual[np.arange(size) % len(CLASSES)]) / (
        months / each + known.learning_months
    )
    return np.asarray(learnt[cell])


def _count_distinct_offers(cell: Places, offer: Places, size: int) -> Floats:
    """How many different offers each cell has."""
    first = np.unique(np.stack([cell, offer]), axis=1)[0]
    return np.asarray(np.bincount(first, minlength=size), dtype=np.float64)


def _sum(cell: Places, value: Floats | np.ndarray[tuple[int], np.dtype[np.bool_]], size: int) -> Floats:
    return np.asarray(np.bincount(cell, weights=value.astype(np.float64), minlength=size), dtype=np.float64)
