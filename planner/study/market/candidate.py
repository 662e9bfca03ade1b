"""One candidate of a market study: an accelerator, a count and a way to pay; and the reason against it."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from planner.money.ways import WAYS
from planner.scenario.durations import months_words, time_parts
from planner.scenario.shown_money import shown_money
from planner.scenario.ways import Way
from planner.speed.training.result import Interval
from pricing.market.band import OrderBand

NEARLY = 1e-9
# Times the cost of what few sell, of what one does, and of what is bought where another is rented beside it.
_CLEARLY, _TWICE, _BESIDE = 1.25, 2.0, 1.5
_SEVERAL = 2.0  # sellers


def split_amount(usd: float) -> tuple[str, str]:
    """Return an amount to three figures as its mark and number, and its suffix."""
    money = shown_money()
    size = float(f"{money.amount(usd):.3g}")
    for unit, name in ((1e9, " billion"), (1e6, " million")):
        if size >= unit:
            return f"{money.mark}{size / unit:g}", name
    return f"{money.mark}{size:{',.0f' if size >= 100 else ',.2f'}}", ""


def format_usd(usd: float) -> str:
    """Return an amount in words, to three figures."""
    return "".join(split_amount(usd))


def format_usd_rounded_up(usd: float) -> str:
    """Return a budget that covers an amount, to three figures."""
    money = shown_money()
    amount = money.amount(usd)
    step = 10.0 ** max(math.floor(math.log10(max(amount, 1.0))) - 2, 0)
    return format_usd(math.ceil(amount / step) * step * money.usd_per_unit)


Kind = Literal[
    "speed_unknown", "does_not_divide", "does_not_fit", "never_ends", "too_slow", "too_few", "over_a_year", "no_price",
    "outlasts_the_plan", "too_late", "late", "over_budget", "costs_more", "slower", "costs_more_and_slower",
    "no_network", "steep", "unavailable", "by_quote",
]  # fmt: skip
DOMINATED: frozenset[Kind] = frozenset({"costs_more", "slower", "costs_more_and_slower"})
_AMOUNT: dict[Kind, Callable[[float], tuple[str, str]]] = {
    "late": time_parts, "over_a_year": time_parts, "over_budget": split_amount,
}  # fmt: skip
# The reason that candidates share; and the rest of the sentence for one of them.
_HEADINGS: dict[Kind, str] = {
    "speed_unknown": "speed unknown", "does_not_divide": "does not divide", "does_not_fit": "does not fit",
    "never_ends": "it stops more often", "too_slow": "too slow", "too_few": "too few",
    "over_a_year": "takes {}: over a year", "no_price": "no price", "outlasts_the_plan": "takes longer",
    "too_late": "too late",
    "late": "{} late", "over_budget": "over the budget by {}", "costs_more": "more expensive", "slower": "slower",
    "costs_more_and_slower": "more expensive and slower", "no_network": "no network joins them",
    "unavailable": "so many are likely not available", "by_quote": "sold only by quote",
    "steep": "each day saved costs over ten times a day of the run",
}  # fmt: skip
_DETAILS: dict[Kind, str] = {
    "never_ends": " than it restarts: it never ends",
    "outlasts_the_plan": " than the plan",
    "too_late": ": the machines come when the work is done",
    **dict.fromkeys(DOMINATED, " than {}"),
}


@dataclass(frozen=True)
class Rejection:
    """The first reason against a candidate."""

    kind: Kind
    detail: str = ""  # what lacks, what is needed, or which candidate is better
    amount: float = 0.0  # days that it takes, or is late; USD over the budget

    @property
    def is_dominated(self) -> bool:
        """Return whether it does the work at a known price, and another candidate is cheaper or faster."""
        return self.kind in DOMINATED

    def __str__(self) -> str:
        """more expensive than 8 x H100 SXM5 80 GB on demand."""
        return self.heading() + _DETAILS.get(self.kind, ": {}" if self.detail else "").format(self.detail)

    def heading(self, number: str = "") -> str:
        """Return the reason without names, and for counts by reason with a word in place of its number."""
        shown, unit = _AMOUNT[self.kind](self.amount) if self.kind in _AMOUNT else ("", "")
        return _HEADINGS[self.kind].format(f"{number or shown}{unit}")


@dataclass(frozen=True)
class MarketCandidate:
    """One accelerator x count x way to pay, with its time and cost, and the reason against it."""

    accelerator: str  # empty where tokens are bought
    accelerators: int  # of one run; at the peak of a service
    way: Way
    offer: str | None
    provider: str | None
    days: Interval | None  # to train, with the lead time of purchased machines; None for a service
    usd: Interval | None  # the whole bill of one run, or of a month of continuous work; None without a price
    tokens_per_s_per_accelerator: float | None
    layout: str
    why_not: Rejection | None
    on_front: bool
    label: str = ""  # of the accelerator
    at_once: int = 0  # concurrent accelerators: runs of a month may overlap
    tpot_p99_ms: float | None = None  # of a service: between two tokens, 99th percentile
    age_days: int | None = None  # of the price
    bound_months: float = 0.0  # of a reservation
    wait_days: float = 0.0  # for purchased machines that nobody rents out meanwhile
    band: OrderBand | None = None  # what such an order pays on the market

    @property
    def words(self) -> str:
        """8 x H100 SXM5 80 GB on demand."""
        if not self.accelerator:
            return f"by the token{f' at {self.provider}' if self.provider else ''}"
        return f"{self.accelerators:,} x {self.label or self.accelerator} {self.purchase_text}"

    @property
    def is_likely(self) -> bool:
        """Return whether so many at once are likely available; nothing is known against what is bought."""
        return self.band is None or self.band.standing == "likely"

    @property
    def can_be_signed(self) -> bool:
        """Return whether a named seller likely has so many for this term; tokens and machines to buy have sellers."""
        return not self.accelerator or self.way == "own" or (self.provider is not None and self.is_likely)

    @property
    def purchase_text(self) -> str:
        """on demand; reserved for 1 month."""
        bound = f" for {months_words(self.bound_months)}" if self.bound_months else ""
        return f"{WAYS[self.way].purchase_text}{bound}"

    @property
    def seller_text(self) -> str:
        """Return who sells it: by quote where no seller of the market is likely to have it."""
        if self.provider or self.band is None:
            return self.provider or ""
        return "by quote"

    @property
    def speed(self) -> float:
        """The time measure of the front: days of a run, milliseconds of a service; infinite if not known."""
        if self.days is not None:
            return self.days.typical
        return float("inf") if self.tpot_p99_ms is None else self.tpot_p99_ms

    @property
    def cost(self) -> float:
        """The typical bill [USD]; infinite without a price."""
        return float("inf") if self.usd is None else self.usd.typical


def usual_accelerators(candidates: Iterable[MarketCandidate]) -> set[str]:
    """Return the accelerators that many rent out."""
    return {it.accelerator for it in candidates if it.band is not None and not it.band.has_few_sellers}


def sold_by_many(
    least: MarketCandidate, candidates: Iterable[MarketCandidate], cost: Callable[[MarketCandidate], float]
) -> MarketCandidate:
    """Return a candidate, or in its place one of an accelerator that many rent out, where it costs little more."""
    usual = usual_accelerators(candidates)
    if not least.accelerator or least.accelerator in usual:
        return least
    has_several = least.band is not None and least.band.effective_sellers >= _SEVERAL
    most = cost(least) * (_CLEARLY if has_several else _TWICE)
    able = (it for it in candidates if it.way == least.way and it.accelerator in usual and it.is_likely and it.usd)
    return min((it for it in able if cost(it) <= most), key=cost, default=least)


@dataclass(frozen=True)
class MarketLimits:
    """The deadline and the budget of a study."""

    deadline_days: float | None
    budget_usd: float | None

    def late_days(self, candidate: MarketCandidate) -> float:
        """Return the days beyond the deadline; zero or less where it is kept."""
        if self.deadline_days is None or candidate.days is None:
            return 0.0
        return candidate.days.typical - self.deadline_days * (1 + NEARLY)

    def over_usd(self, candidate: MarketCandidate) -> float:
        """Return the cost beyond the budget. [USD]"""
        return 0.0 if self.budget_usd is None else candidate.cost - self.budget_usd * (1 + NEARLY)

    def rejection(self, candidate: MarketCandidate) -> Rejection | None:
        """Return the limit that a candidate breaks."""
        late, over = self.late_days(candidate), self.over_usd(candidate)
        if late > 0:
            return Rejection("late", amount=late)
        return Rejection("over_budget", amount=over) if over > 0 else None

    def miss(self, candidate: MarketCandidate) -> float:
        """Return how far a candidate misses deadline and budget, as shares of them."""
        late = max(self.late_days(candidate), 0.0) / (self.deadline_days or 1.0)
        return late + max(self.over_usd(candidate), 0.0) / max(self.budget_usd or 1.0, 1.0)


@dataclass(frozen=True)
class MarketStudy:
    """All candidates for one piece of work, their Pareto front of time and cost, and the recommendation."""

    title: str
    candidates: tuple[MarketCandidate, ...]
    best: MarketCandidate | None  # the cheapest within the limits; of one run without a deadline the fastest as cheap
    fastest: MarketCandidate | None  # within the budget
    deadline_days: float | None
    budget_usd: float | None
    reasons: tuple[str, ...]
    nearest_miss: MarketCandidate | None = None  # where no candidate keeps to the limits
    monthly: bool = False  # costs are for a month
    is_service: bool = False  # no time to train: the front weighs milliseconds
    day: date | None = None
    day_usd: float = 0.0  # the worth of a run that ends a day sooner

    @property
    def front(self) -> tuple[MarketCandidate, ...]:
        """The candidates that nothing beats on both time and cost, the fastest first."""
        front = (candidate for candidate in self.candidates if candidate.on_front)
        return tuple(sorted(front, key=lambda candidate: (candidate.speed, candidate.cost)))

    @property
    def owned(self) -> tuple[MarketCandidate, ...]:
        """The candidates that are purchased and do the work within the limits at a known price."""
        owned = (candidate for candidate in self.candidates if candidate.way == "own")
        return tuple(it for it in owned if it.why_not is None or it.why_not.is_dominated)

    @property
    def selected(self) -> MarketCandidate | None:
        """The candidate to plan with: the best, or the nearest miss."""
        return self.best or self.nearest_miss

    @property
    def selected_accelerator(self) -> MarketCandidate | None:
        """The candidate to plan with that has an accelerator: purchased tokens have none."""
        selected = self.selected
        if selected is not None and selected.accelerator:
            return self._rented_beside(selected) if selected.way == "own" else selected
        usable = [c for c in self.candidates if c.accelerator and c.usd is not None and c.speed < float("inf")]
        usable = [c for c in usable if c.is_likely and c.way != "own"] or usable
        least = min(usable, key=lambda candidate: (candidate.cost, candidate.speed), default=None)
        return least and sold_by_many(least, usable, lambda candidate: candidate.cost)

    def _rented_beside(self, bought: MarketCandidate) -> MarketCandidate:
        """Return what is bought, or what is rented where nobody rents out the same: a plan compares the two.

        It may cost half as much again, and a named seller has it, where one does.
        """
        rented = [
            candidate
            for candidate in self.candidates
            if (reason := candidate.why_not) is None or reason.is_dominated or reason.kind == "by_quote"
            if candidate.usd is not None and candidate.is_likely and WAYS[candidate.way].rents_machines
        ]
        if any(candidate.accelerator == bought.accelerator for candidate in rented):
            return bought
        near = [candidate for candidate in rented if candidate.cost <= _BESIDE * bought.cost]
        return min(near, key=lambda candidate: (not candidate.can_be_signed, candidate.cost), default=bought)
