"""The answer: rent or buy, from the discounted cash flows of both, with what would turn it.

One function makes the verdict, the totals, the range and the break-evens, so that they cannot contradict each other.
The range takes the figures of buying at their dear and at their cheap end, and rents that fall or rise as they have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from planner.inputs.need import Need
from planner.inputs.terms import Terms, Timing
from planner.money.finance import discount_factors, flow_years, npv_usd
from planner.money.ledger import Ledger
from planner.money.owned import Buying, buying, typical
from planner.money.payback import Payback, discounted_payback
from planner.money.rented import bills
from pricing import Catalogue

# What a verdict needs: below the first gap it is too close, and only beyond the range it is certain.
CLOSE_GAP = 0.05
LOWEST_BUSY, HIGHEST_BUSY = 0.01, 1.0
RENT_CHANGE = "rent-change-per-year"
COST_OF_MONEY = "cost-of-capital-enterprise"
_LEAST_CHANGE, _MOST_CHANGE = -0.6, 0.5

Verdict = Literal["buy", "probably buy", "close", "probably rent", "rent"]


@dataclass(frozen=True)
class Way:
    """One way to get the work done, in today's money."""

    ledger: Ledger
    present_usd: float
    low_usd: float
    high_usd: float
    cumulative_usd: NDArray[np.float64]  # discounted, by month
    low_cumulative_usd: NDArray[np.float64]
    high_cumulative_usd: NDArray[np.float64]


@dataclass(frozen=True)
class BreakEven:
    """Where the two ways cost the same, or why they never do."""

    value: float | None
    reason: str


@dataclass(frozen=True)
class Answer:
    """Everything the Answer page says."""

    verdict: Verdict
    buy: Way
    rent: Way
    bought: Buying
    offer: str
    gap_share: float  # by how much the dearer way costs more than the cheaper one
    busy: BreakEven
    rent_usd_per_hour: BreakEven
    payback: Payback
    cash_today_usd: float
    turned_by_timing: tuple[Timing, ...]  # conventions under which the other way is cheaper

    @property
    def cheaper(self) -> Literal["buy", "rent"]:
        """The way that costs less in today's money."""
        return "buy" if self.buy.present_usd < self.rent.present_usd else "rent"


def usual_terms(catalogue: Catalogue) -> Terms:
    """The terms of somebody who said nothing: both are figures of the catalogue."""
    return Terms(
        discount_rate_per_year=catalogue.facts[COST_OF_MONEY].figure.newest.typical,
        rent_change_per_year=catalogue.facts[RENT_CHANGE].figure.newest.typical,
    )


def answer(catalogue: Catalogue, need: Need, terms: Terms, offer: str) -> Answer | None:
    """Rent from `offer`, or buy? None where the accelerator has no price to buy at."""
    bought = buying(catalogue, need)
    if bought is None:
        return None
    change = catalogue.facts[RENT_CHANGE].figure.newest
    falls = terms.rent_change_per_year + (change.typical if change.low is None else change.low)
    rises = terms.rent_change_per_year + (change.typical if change.high is None else change.high)
    changes = (terms.rent_change_per_year, falls, rises)
    rent = _way(terms, *(_rent(catalogue, need, terms, offer, change) for change in changes))
    buy = _way(terms, bought.ledger, bought.low, bought.high)
    gap = abs(buy.present_usd - rent.present_usd) / min(buy.present_usd, rent.present_usd)
    return Answer(
        verdict=_verdict(buy, rent, gap),
        buy=buy,
        rent=rent,
        bought=bought,
        offer=offer,
        gap_share=gap,
        busy=_busy(catalogue, need, terms, offer),
        rent_usd_per_hour=_rent_price(catalogue, terms, offer, rent, buy),
        payback=_payback(terms, rent.ledger, buy.ledger),
        cash_today_usd=float(buy.ledger.monthly_usd[0]),
        turned_by_timing=_turned(terms, rent.ledger, buy.ledger),
    )


def _rent(catalogue: Catalogue, need: Need, terms: Terms, offer: str, change: float) -> Ledger:
    bounded = min(max(change, _LEAST_CHANGE), _MOST_CHANGE)
    provider = catalogue.providers[catalogue.offers[offer].provider].label
    return bills(catalogue, need, (offer,), bounded).one(offer, f"Rent from {provider}")


def _way(terms: Terms, middle: Ledger, low: Ledger, high: Ledger) -> Way:
    present = [_present(terms, one) for one in (middle, low, high)]
    paths = [np.cumsum(_discounted(terms, one)) for one in (middle, low, high)]
    return Way(middle, present[0], present[1], present[2], paths[0], paths[1], paths[2])


def _years(terms: Terms, ledger: Ledger) -> NDArray[np.float64]:
    return flow_years(months=ledger.monthly_usd.shape[-1] - 1, timing=terms.timing)


def _present(terms: Terms, ledger: Ledger) -> float:
    usd = npv_usd(usd=ledger.monthly_usd, rate_per_year=terms.discount_rate_per_year, years=_years(terms, ledger))
    return float(usd)


def _discounted(terms: Terms, ledger: Ledger) -> NDArray[np.float64]:
    years = _years(terms, ledger)
    return ledger.monthly_usd * discount_factors(rate_per_year=terms.discount_rate_per_year, years=years)


def _verdict(buy: Way, rent: Way, gap: float) -> Verdict:
    """Certain only where the ranges do not touch; too close where the middle of both is within a twentieth."""
    if gap < CLOSE_GAP:
        return "close"
    if buy.present_usd < rent.present_usd:
        return "buy" if buy.high_usd < rent.low_usd else "probably buy"
    return "rent" if rent.high_usd < buy.low_usd else "probably rent"


def _saving(catalogue: Catalogue, need: Need, terms: Terms, offer: str, busy_share: float) -> float:
    """What buying saves in today's money at this share of busy hours."""
    busy = need.model_copy(update={"busy_share": busy_share})
    bought = typical(catalogue, busy)
    assert bought is not None
    rented = _rent(catalogue, busy, terms, offer, terms.rent_change_per_year)
    return _present(terms, rented) - _present(terms, bought)


def _busy(catalogue: Catalogue, need: Need, terms: Terms, offer: str) -> BreakEven:
    """The share of busy hours at which both cost the same. Both costs are straight lines in it, so two points do."""
    low, high = (_saving(catalogue, need, terms, offer, share) for share in (LOWEST_BUSY, HIGHEST_BUSY))
    if low > 0 and high > 0:
        return BreakEven(None, "buying is cheaper at every level of use")
    if low <= 0 and high <= 0:
        return BreakEven(None, "renting is cheaper at every level of use")
    share = LOWEST_BUSY - low * (HIGHEST_BUSY - LOWEST_BUSY) / (high - low)
    return BreakEven(share, "found")


def _rent_price(catalogue: Catalogue, terms: Terms, offer: str, rent: Way, buy: Way) -> BreakEven:
    """The sticker at which renting costs what buying does: the lines with the price in them are proportional to it."""
    priced = Ledger("", tuple(line for line in rent.ledger.lines if "usd_per_accelerator_hour" in line.how))
    by_price = _present(terms, priced)
    figure = catalogue.offers[offer].usd_per_accelerator_hour
    assert figure is not None
    usd = figure.newest.typical * (buy.present_usd - (rent.present_usd - by_price)) / by_price
    if usd <= 0:
        return BreakEven(None, "buying costs less than the disk and traffic of renting")
    return BreakEven(usd, "found")


def _payback(terms: Terms, rent: Ledger, buy: Ledger) -> Payback:
    saved = rent.monthly_usd - buy.monthly_usd
    return discounted_payback(usd=saved, rate_per_year=terms.discount_rate_per_year, years=_years(terms, buy))


def _turned(terms: Terms, rent: Ledger, buy: Ledger) -> tuple[Timing, ...]:
    """The conventions of discounting under which the cheaper way is the other one."""

    def saves(timing: Timing) -> bool:
        other = terms.model_copy(update={"timing": timing})
        return _present(other, rent) > _present(other, buy)

    return tuple(timing for timing in get_args(Timing) if saves(timing) != saves(terms.timing))
