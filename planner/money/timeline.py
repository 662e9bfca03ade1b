"""The months of a plan. Entry 0 is today, entry m is month m; flags say what happens when."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.formula import Num
from planner.money.ledger import LedgerInput, Origin
from planner.scenario.base import MONTHS_PER_YEAR
from pricing.caching import cached, cached_property

PLAN = Origin("the months of the plan", "computed")
NEARLY = 1e-9  # 36.0000000001 months are 36


@dataclass(frozen=True)
class Timeline:
    """A plan of `months`, which need not be whole: the last month then runs in part."""

    months: float

    @property
    def last(self) -> int:
        """The number of the last month."""
        return int(np.ceil(self.months - NEARLY))

    @cached_property
    def month(self) -> NDArray[np.float64]:
        """The numbers of the months: 0 today, 1, 2 ... up to the last."""
        return np.arange(self.last + 1, dtype=np.float64)

    @cached_property
    def begun_years(self) -> NDArray[np.float64]:
        """Years from today to the beginning of each month, when its prices are set."""
        return np.maximum(self.month - 1, 0.0) / MONTHS_PER_YEAR

    @cached_property
    def runs(self) -> NDArray[np.float64]:
        """The share of each month in which the plan runs: 0 today, 1 in whole months, less in a last one cut short."""
        return np.clip(self.months - (self.month - 1), 0.0, 1.0) * (self.month > 0)

    @cached_property
    def starts(self) -> NDArray[np.float64]:
        """1 today, 0 afterwards."""
        return np.equal(self.month, 0).astype(np.float64)

    @cached_property
    def ends(self) -> NDArray[np.float64]:
        """1 in the last month, 0 before."""
        return np.equal(self.month, self.last).astype(np.float64)

    @cached_property
    def flags(self) -> tuple[LedgerInput, ...]:
        """The three flags as inputs of a ledger line."""
        return (
            LedgerInput("starts", self.starts, "1 today, else 0", PLAN),
            LedgerInput("runs", self.runs, "share of each month", PLAN),
            LedgerInput("ends", self.ends, "1 in the last month, else 0", PLAN),
        )


@cached(64)
def cached_timeline(months: float) -> Timeline:
    """The timeline of so many months, made once."""
    return Timeline(months)


@dataclass(frozen=True, eq=False)
class Holding:
    """When something of one's own is there: from its delivery to its sale, replaced every so often.

    Numbers, or arrays (draws, 1). What would come at the end or later never comes, and the whole plan waits.
    """

    plan: Timeline
    lead_time_months: Num = 0.0
    until_months: Num = np.inf  # sold then, at the latest at the end of the plan
    refresh_months: Num = np.inf  # after so many months it is replaced
    ordered_months: Num = 0.0  # after so many months it is ordered, which sets its price

    @cached_property
    def comes(self) -> Num:
        """1 where the machines are delivered before they would be sold, else 0."""
        end = np.minimum(self.until_months, self.plan.months)
        return np.where(np.asarray(self._waited) < end - NEARLY, 1.0, 0.0)[()]

    @property
    def _waited(self) -> Num:
        """Months from today until a machine ordered then would come."""
        waited: Num = self.ordered_months + self.lead_time_months
        return waited

    @property
    def ordered_years(self) -> Num:
        """Years from today to the order."""
        years: Num = self.ordered_months / MONTHS_PER_YEAR
        return years

    @cached_property
    def ordered(self) -> NDArray[np.float64]:
        """1 in the month of the order (today where nothing is put off), else 0."""
        return np.equal(self.plan.month, self.ordered_months).astype(np.float64)

    @cached_property
    def start(self) -> Num:
        """Months from today to the delivery."""
        return np.where(self.comes, self._waited, self.plan.months)[()]

    @cached_property
    def stop(self) -> Num:
        """Months from today to the sale."""
        return np.where(self.comes, np.minimum(self.until_months, self.plan.months), self.plan.months)[()]

    @cached_property
    def waits(self) -> NDArray[np.float64]:
        """The share of each month before the delivery."""
        return self._between(0.0, self.start)

    @cached_property
    def owns(self) -> NDArray[np.float64]:
        """The share of each month in which the machines run."""
        return self._between(self.start, self.stop)

    @cached_property
    def gone(self) -> NDArray[np.float64]:
        """The share of each month after the sale, within the plan."""
        return self._between(self.stop, self.plan.months)

    @cached_property
    def delivered(self) -> NDArray[np.float64]:
        """1 in the month of the delivery (today where there is nothing to wait for), else 0."""
        return np.asarray(np.equal(self.plan.month, self.delivery_month) * self.comes)

    @cached_property
    def sold(self) -> NDArray[np.float64]:
        """1 in the month of the sale, else 0."""
        return np.asarray(np.equal(self.plan.month, np.ceil(self.stop - NEARLY)) * self.comes)

    @cached_property
    def delivery_month(self) -> Num:
        """The number of the month in which the machines are delivered."""
        return np.ceil(np.asarray(self.start) - NEARLY)[()]

    @property
    def months(self) -> Num:
        """Return how many months the machines are held."""
        elapsed: Num = self.stop - self.start
        return elapsed

    @cached_property
    def refresh_count(self) -> Num:
        """Return how often the machines are replaced. At the end they are sold, not replaced."""
        cycles = np.asarray(self.months) / self.refresh_months
        return np.asarray(np.maximum(np.ceil(cycles - NEARLY) - 1, 0.0))[()]

    @cached_property
    def refreshes(self) -> NDArray[np.float64]:
        """1 in the months in which the machines are replaced, else 0."""
        number = self._refresh_number
        due = self.start + number * self._cycle
        this_month = np.equal(np.ceil(due - NEARLY), self.plan.month)
        return np.asarray((number >= 1) & (number <= self.refresh_count) & this_month, dtype=np.float64)

    @cached_property
    def new_price_after_months(self) -> NDArray[np.float64]:
        """Months from today to the day the price of the new machines of a refresh was set: the day they come."""
        return np.asarray(self.start + self._refresh_number * self._cycle)

    @cached_property
    def old_price_after_months(self) -> NDArray[np.float64]:
        """When the price of what a refresh takes away was set: with the order for the first, else when it came."""
        number = np.maximum(self._refresh_number - 1, 0.0)
        return np.asarray(np.where(number > 0, self.start + number * self._cycle, self.ordered_months))

    @cached_property
    def last_price_after_months(self) -> Num:
        """Months from today to the day the price of the machines that are sold in the end was set."""
        last = self.start + self.refresh_count * self._cycle
        return np.where(self.refresh_count > 0, last, self.ordered_months)[()]

    @cached_property
    def last_age_months(self) -> Num:
        """Return how old the machines that are sold in the end are by then."""
        return np.asarray(self.months - self.refresh_count * self._cycle)[()]

    def beyond(self, age_months: Num) -> NDArray[np.float64]:
        """The share of each month in which the running machines are older than so many months."""

        if np.all(np.isinf(self.refresh_months)):
            return self._between(self.start + age_months, self.stop)
        elapsed = np.clip(self.plan.month, self.start, self.stop) - self.start
        cycle = np.minimum(self.refresh_months, self.plan.months + 1)
        whole = np.floor(elapsed / cycle + NEARLY)
        so_far = whole * np.maximum(cycle - age_months, 0.0) + np.maximum(elapsed - whole * cycle - age_months, 0.0)
        return np.diff(so_far, axis=-1, prepend=0.0)

    @cached_property
    def _cycle(self) -> Num:
        return np.where(np.isinf(self.refresh_months), 0.0, self.refresh_months)[()]

    @cached_property
    def _refresh_number(self) -> NDArray[np.float64]:
        return np.asarray(np.floor(np.maximum(self.plan.month - self.start, 0.0) / self.refresh_months + NEARLY))

    def _between(self, first: Num, last: Num) -> NDArray[np.float64]:
        """Return the share of each month between two times; 0 today, as neither is before it."""
        month = self.plan.month
        share = np.asarray(np.minimum(last, month) - np.maximum(first, month - 1))
        return np.clip(share, 0.0, 1.0, out=share)

    def flags(self, where: Origin | Callable[[int], Origin] = PLAN) -> tuple[LedgerInput, ...]:
        """The flags as inputs of a ledger line."""
        return (
            LedgerInput("delivered", self.delivered, "1 in the month of delivery, else 0", where),
            LedgerInput("owns", self.owns, "share of each month in which it runs", where),
            LedgerInput("sold", self.sold, "1 in the month of the sale, else 0", where),
        )
