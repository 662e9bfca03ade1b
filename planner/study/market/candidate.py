"""One try of a market study: an accelerator in a number, paid for in one way; and why it lost."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from planner.money.ways import WAYS
from planner.scenario.durations import time_parts
from planner.scenario.ways import Way
from planner.speed.training.result import Interval


def split_amount(usd: float) -> tuple[str, str]:
    """A sum, to three figures, as a number and what follows it."""
    size = float(f"{usd:.3g}")
    for unit, name in ((1e9, " billion"), (1e6, " million")):
        if size >= unit:
            return f"{size / unit:g}", name
    return (f"{size:,.0f}" if size >= 100 else f"{size:,.2f}"), ""


def usd_words(usd: float) -> str:
    """A sum as people say it, to three figures."""
    return "$" + "".join(split_amount(usd))


def format_usd_rounded_up(usd: float) -> str:
    """A budget that a sum fits into, to three figures."""
    step = 10.0 ** max(math.floor(math.log10(max(usd, 1.0))) - 2, 0)
    return usd_words(math.ceil(usd / step) * step)


Kind = Literal[
    "speed_unknown", "does_not_divide", "does_not_fit", "never_ends", "too_slow", "too_few", "over_a_year", "no_price",
    "outlasts_the_plan", "late", "over_budget", "dearer", "slower", "dearer_and_slower",
]  # fmt: skip
BEATEN: frozenset[Kind] = frozenset({"dearer", "slower", "dearer_and_slower"})
SO_MANY = "so many"


_AMOUNT: dict[Kind, Callable[[float], tuple[str, str]]] = {
    "late": time_parts,
    "over_a_year": time_parts,
    "over_budget": split_amount,
}
# What tries that lost alike have in common; and what follows it of one of them.
_HEAD: dict[Kind, str] = {
    "speed_unknown": "speed unknown",
    "does_not_divide": "does not divide",
    "does_not_fit": "does not fit",
    "never_ends": "it stops more often",
    "too_slow": "too slow",
    "too_few": "too few",
    "over_a_year": "takes {}: over a year",
    "no_price": "no price",
    "outlasts_the_plan": "takes longer",
    "late": "{} late",
    "over_budget": "over the budget by ${}",
    "dearer": "dearer",
    "slower": "slower",
    "dearer_and_slower": "dearer and slower",
}
_REST: dict[Kind, str] = {
    "never_ends": " than it starts again: it never ends",
    "outlasts_the_plan": " than the plan",
    **dict.fromkeys(BEATEN, " than {}"),
}


@dataclass(frozen=True)
class Lost:
    """The first reason for which a try lost."""

    kind: Kind
    detail: str = ""  # what lacks, what is needed, or which try beat it
    amount: float = 0.0  # days that it takes, or is late; USD over the budget

    @property
    def is_dominated(self) -> bool:
        """Whether it does the work at a price that can be believed, and another one does it for less or sooner."""
        return self.kind in BEATEN

    @property
    def counted(self) -> str:
        """The reason without its numbers and names, to count how many lost for it."""
        return self._head(SO_MANY)

    def __str__(self) -> str:
        """dearer than 8 x H100 SXM5 80 GB on demand."""
        rest = _REST.get(self.kind, ": {}" if self.detail else "")
        return f"{self._head('')}{rest.format(self.detail)}"

    def _head(self, number: str) -> str:
        if self.kind not in _AMOUNT:
            return _HEAD[self.kind]
        shown, unit = _AMOUNT[self.kind](self.amount)
        return _HEAD[self.kind].format(f"{number or shown}{unit}")


@dataclass(frozen=True)
class MarketCandidate:
    """One accelerator x number x way of paying, with what it comes to, and why it lost where it did."""

    accelerator: str  # empty where the work is bought by the token
    accelerators: int  # of one run; at the peak of a service
    way: Way
    offer: str | None
    provider: str | None
    days: Interval | None  # to train, the wait for machines that are bought included; none for a service
    usd: (
        Interval | None
    )  # the whole bill of one run, or of a month of work that goes on; none where nobody says a price
    tokens_per_s_per_accelerator: float | None
    layout: str
    why_not: Lost | None
    on_front: bool
    label: str = ""  # what people call the accelerator
    at_once: int = 0  # runs of a month may need several at once
    tpot_p99_ms: float | None = None  # of a service: between two tokens, for 99 of 100 requests
    age_days: int | None = None  # of the price
    bound_months: float = 0.0  # of a reservation
    wait_days: float = 0.0  # until machines that are bought come

    @property
    def words(self) -> str:
        """8 x H100 SXM5 80 GB on demand."""
        if not self.accelerator:
            return f"by the token{f' at {self.provider}' if self.provider else ''}"
        return f"{self.accelerators:,} x {self.label or self.accelerator} {WAYS[self.way].paid_for}"

    @property
    def speed(self) -> float:
        """What the front weighs against money: days of a run, milliseconds of a service; infinite where not known."""
        if self.days is not None:
            return self.days.typical
        return float("inf") if self.tpot_p99_ms is None else self.tpot_p99_ms

    @property
    def cost(self) -> float:
        """The typical bill; infinite without a price."""
        return float("inf") if self.usd is None else self.usd.typical


@dataclass(frozen=True)
class Market:
    """All tries of one piece of work, the front of time and money among them, and the recommendation."""

    what: str
    tries: tuple[MarketCandidate, ...]
    best: (
        MarketCandidate | None
    )  # the cheapest within the limits; of one run without a deadline the soonest that costs as much
    fastest: MarketCandidate | None  # of those within the budget
    deadline_days: float | None
    budget_usd: float | None
    why: tuple[str, ...]
    nearest: MarketCandidate | None = None  # where nothing keeps to the limits: what comes nearest
    monthly: bool = False  # money is for a month
    service: bool = False  # no time to train: the front weighs milliseconds
    day: date | None = None

    @property
    def front(self) -> tuple[MarketCandidate, ...]:
        """The tries that nothing beats on both time and money, the soonest first."""
        return tuple(sorted((one for one in self.tries if one.on_front), key=lambda one: (one.speed, one.cost)))

    @property
    def taken(self) -> MarketCandidate | None:
        """What to plan with: the best, or what comes nearest."""
        return self.best or self.nearest

    @property
    def selected_accelerator(self) -> MarketCandidate | None:
        """The try to plan with that has an accelerator: what is bought by the token has none."""
        if self.taken is None or self.taken.accelerator:
            return self.taken
        able = [one for one in self.tries if one.accelerator and one.usd is not None and one.speed < float("inf")]
        return min(able, key=lambda one: (one.cost, one.speed), default=None)
