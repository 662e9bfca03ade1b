"""One try of a market study: an accelerator in a number, paid for in one way."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from planner.money.ways import WAYS
from planner.scenario.ways import Way
from planner.speed.training.result import Range
from planner.study.market.lost import Lost


@dataclass(frozen=True)
class Try:
    """One accelerator x number x way of paying, with what it comes to, and why it lost where it did."""

    accelerator: str  # empty where the work is bought by the token
    accelerators: int  # of one run; at the peak of a service
    way: Way
    offer: str | None
    provider: str | None
    days: Range | None  # to train, the wait for machines that are bought included; none for a service
    usd: Range | None  # the whole bill of one run, or of a month of work that goes on; none where nobody says a price
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
    tries: tuple[Try, ...]
    best: Try | None  # the cheapest within the limits; of one run without a deadline the soonest that costs as much
    fastest: Try | None  # of those within the budget
    deadline_days: float | None
    budget_usd: float | None
    why: tuple[str, ...]
    nearest: Try | None = None  # where nothing keeps to the limits: what comes nearest
    monthly: bool = False  # money is for a month
    service: bool = False  # no time to train: the front weighs milliseconds
    day: date | None = None

    @property
    def front(self) -> tuple[Try, ...]:
        """The tries that nothing beats on both time and money, the soonest first."""
        return tuple(sorted((one for one in self.tries if one.on_front), key=lambda one: (one.speed, one.cost)))

    @property
    def taken(self) -> Try | None:
        """What to plan with: the best, or what comes nearest."""
        return self.best or self.nearest

    @property
    def accelerated(self) -> Try | None:
        """The try to plan with that has an accelerator: what is bought by the token has none."""
        if self.taken is None or self.taken.accelerator:
            return self.taken
        able = [one for one in self.tries if one.accelerator and one.usd is not None and one.speed < float("inf")]
        return min(able, key=lambda one: (one.cost, one.speed), default=None)
