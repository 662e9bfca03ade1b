"""Sums over the lines of many rows at once, of which nobody reads a line.

A line is a product. Some of its factors differ between rows, some between months, and few between both: paths of prices
and months of ownership, which many lines share. Those are summed over the months once, and no line is calculated.
"""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from planner.money.formula import Num, Product
from planner.money.ledger import Line

Array = NDArray[np.float64]
MonthSums = dict[tuple[object, ...], tuple[Product, Array]]  # by factors, which are kept so that no other has their id


def worth_usd(lines: Iterable[Line], worth: Num, sums: MonthSums) -> Array:
    """Return the sum of lines for each row, a dollar of each month counted at what it is worth."""
    return _total(
        lines,
        lambda line: line.add_orders(line.product.rows * _month_sum(line.product, worth, sums)),
        lambda line: np.sum(line.priced_usd * worth, axis=-1, keepdims=True),
    )


def first_month_usd(lines: Iterable[Line]) -> Array:
    """Return the sum of lines for each row, today alone."""

    def usd(line: Line) -> Array:
        rows, months, both = line.product
        usd = rows * (months[:1] if isinstance(months, np.ndarray) else months)
        for each in both:
            usd = usd * each[..., :1]
        return line.add_orders(np.atleast_1d(usd))

    return _total(lines, usd, lambda line: line.priced_usd[..., :1])


def by_month_usd(lines: Iterable[Line]) -> Array:
    """Return the sum of lines for each row and month; not-a-number where an input is unknown."""
    groups: dict[tuple[int, ...], list[Product]] = {}
    for line in lines:
        groups.setdefault(tuple(map(id, line.product.both)), []).append(line.product)
    total = np.zeros(1)
    for several in groups.values():
        usd = sum((each.rows * each.months for each in several[1:]), several[0].rows * several[0].months)
        for each in several[0].both:
            usd = usd * each
        total = total + usd
    return total


def _total(lines: Iterable[Line], usd: Callable[[Line], Array], priced_usd: Callable[[Line], Array]) -> Array:
    """Return the sum of lines without its axis of months. Few amounts are unknown: those months count as nothing."""
    lines = tuple(lines)
    total = sum(map(usd, lines), np.zeros(1))
    if np.isnan(total).any():
        each = ((usd(line), line) for line in lines)
        total = sum((priced_usd(line) if np.isnan(sure).any() else sure for sure, line in each), np.zeros(1))
    return np.asarray(total[..., 0])


def _month_sum(product: Product, worth: Num, sums: MonthSums) -> Array:
    """Return the sum over months of a product without its rows; the same for all lines that share the rest."""
    months, both = product.months, product.both
    key = (*map(id, both), id(months) if isinstance(months, np.ndarray) else months, id(worth))
    if key not in sums:
        weights, (*smaller, largest) = months * worth, sorted(both, key=np.size) or [np.ones(1)]
        for each in smaller:  # the largest is read once and never copied
            weights = weights * each
        summed = np.einsum("...m,...m->...", largest, weights)
        sums[key] = product, np.asarray(summed)[..., None]
    return sums[key][1]
