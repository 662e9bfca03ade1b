"""The errors of price estimates: the lowest price of a market, forecast 1 to 90 days ahead from older readings.

The truth is the lowest price read in a window of days, for accelerators of which four sellers or more were read in it.
What is known is cut off so many days before. Beside the estimator stands the rule it replaced: the cheapest price of
the last thirty days, failing that the cheapest of a year.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np

from pricing import Catalogue, load_catalogue
from pricing.belief import believed
from pricing.query import MILD
from pricing.stale import as_of

WINDOWS = (
    (date(2026, 7, 30), date(2026, 8, 1)),
    (date(2026, 8, 20), date(2026, 8, 27)),
    (date(2026, 9, 4), date(2026, 9, 21)),
    (date(2026, 10, 1), date(2026, 10, 10)),
)
AHEAD_DAYS = (1, 30, 60, 90)
FRESH_DAYS, KNOWN_DAYS = 30, 365
MOST_OFF = 0.2  # log


class Case(NamedTuple):
    """One accelerator in one window, foretold so many days ahead."""

    now: float  # log of what is foretold over the lowest price that was read
    before: float  # the same by the rule that was replaced
    held: bool  # the lowest lies in the range
    second_held: bool
    left_out: float  # how far the estimate moves, in logs, without the offer that moves it most


def main() -> Iterator[str]:
    """The errors of both, over all offers known and over those that were read again."""
    catalogue = load_catalogue()
    for same, name in ((False, "all offers known"), (True, "only products read again")):
        cases = [case for window in WINDOWS for ahead in AHEAD_DAYS for case in _cases(catalogue, *window, ahead, same)]
        now, before = (np.array([getattr(case, key) for case in cases]) for key in ("now", "before"))
        yield f"{name}, {len(cases)} cases"
        for label, error in (("believed", now), ("the rule before", before)):
            yield (
                f"  {label:16} mean error {np.abs(error).mean():.3f} (log), bias {error.mean():+.3f}, "
                f"{(error < -MOST_OFF).mean():.0%} over a fifth too low, {(error > MOST_OFF).mean():.0%} too high"
            )
        yield (
            f"  range holds the lowest {np.mean([case.held for case in cases]):.0%}, the second lowest "
            f"{np.mean([case.second_held for case in cases]):.0%}"
        )
        apart = np.array([case.left_out for case in cases])
        middle, tenth = np.quantile(apart, (0.5, 0.9))
        yield f"  without any one offer it moves {middle:.1%} in the middle, {tenth:.1%} in one case of ten"


def _cases(catalogue: Catalogue, first: date, last: date, ahead: int, same: bool) -> Iterator[Case]:
    then = as_of(catalogue, first - timedelta(days=ahead))
    truth = _prices_in_window(catalogue, first, last)
    for chip, read in truth.items():
        lowest = sorted({who: min(usd for key, usd in read.items() if catalogue.offers[key].provider == who)
                         for who in {catalogue.offers[key].provider for key in read}}.values())  # fmt: skip
        keys = [key for key in _known(then, chip, last) if not same or key in read]
        if len(lowest) < 4 or len({catalogue.offers[key].provider for key in keys}) < 3:
            continue
        found = believed(then, last, keys)
        at = int(np.argmin(found.typical))
        yield Case(
            now=float(np.log(found.typical[at] / lowest[0])),
            before=float(np.log(_previous_rule(then, keys, last) / lowest[0])),
            held=bool(found.low[at] <= lowest[0] <= found.high[at]),
            second_held=bool(found.low[at] <= lowest[1] <= found.high[at]),
            left_out=max(
                abs(float(np.log(believed(then, last, [key for key in keys if key != out]).typical.min()))
                    - float(np.log(found.typical[at]))) for out in keys
            ),
        )  # fmt: skip


def _prices_in_window(catalogue: Catalogue, first: date, last: date) -> dict[str, dict[str, float]]:
    """By accelerator, the newest price that each offer was read at within the window."""
    found: dict[str, dict[str, float]] = {}
    for key, offer in catalogue.offers.items():
        figure = offer.usd_per_accelerator_hour
        if figure is None or offer.purchase != "on_demand" or not MILD.issuperset(offer.doubts):
            continue
        days = [day for day in figure.values if first <= day <= last]
        if days:
            found.setdefault(offer.accelerator, {})[key] = figure.values[max(days)].typical
    return found


def _known(then: Catalogue, chip: str, day: date) -> list[str]:
    return [
        key
        for key, offer in then.offers.items()
        if offer.accelerator == chip and offer.purchase == "on_demand" and MILD.issuperset(offer.doubts)
        if offer.usd_per_accelerator_hour is not None and offer.usd_per_accelerator_hour.age_days(day) <= KNOWN_DAYS
    ]


def _previous_rule(then: Catalogue, keys: list[str], day: date) -> float:
    priced = [(figure.age_days(day), figure.newest.typical) for key in keys
              if (figure := then.offers[key].usd_per_accelerator_hour) is not None]  # fmt: skip
    fresh = [usd for age, usd in priced if age <= FRESH_DAYS]
    return min(fresh or [usd for _, usd in priced])
