"""The context of a plan: facts, scenario, chosen offers, the end of the ranges, and inputs that are tried out.

Every ledger is built from one of these and from nothing else, so the same setting gives the same ledger.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import date
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.money.capital import CapitalCost, capital_cost
from planner.money.demand.lost_time import RATE, LostHours, LostTime, lost_time_by_work
from planner.money.demand.stream import Demand, demand
from planner.money.formula import Num, OrderStack
from planner.money.ledger import COMPUTED, CONVENTION, YOUR_INPUT, InputSheet, Origin, Tried, judged
from planner.money.row_sums import MonthSums
from planner.money.timeline import Timeline, cached_timeline
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.scenario import Scenario
from planner.scenario.shown_money import show_money_of
from planner.scenario.terms import Currency, FinancialTerms
from planner.scenario.work import Work
from planner.speed.work_to_hours import ScenarioInHours
from pricing import Catalogue
from pricing.belief import PriceEstimates
from pricing.caching import cached_property, derive, forget, with_cached, without
from pricing.exchange import rates
from pricing.market.band import OrderBand
from pricing.stale import as_of

RENT_CHANGE = "rent-change-per-year"
COST_OF_MONEY = "cost-of-capital-enterprise"
BUSY_FACTOR = "busy_factor"  # every share of busy hours is multiplied by it
_NO_HOURS = 1e-9
_DISK_NEEDED = judged("data, checkpoints and weights of the work, or what goes with such machines; assumed")
HOURS_FACTOR = "hours_factor"  # times the hours that a named model was predicted to take


@dataclass(frozen=True)
class MarketPrice:
    """What the market asks for an order of the plan, at the terms of one of its offers: low, typical and high."""

    offer: str | None  # None where nobody can take the order: then `count` of it can be rented, and the rest waits
    months: float  # of commitment; 0: none
    count: int
    sellers: int
    band: OrderBand


@dataclass(frozen=True)
class Reservation:
    """One reservation: of which offer (none: at your own price), after how many months it begins, for how many."""

    offer: str | None
    after_months: int
    term_months: float

    @property
    def until(self) -> float:
        """Months from today to its end."""
        return self.after_months + self.term_months


@dataclass(frozen=True)
class ReservationTier:
    """Machines that are reserved together, one reservation after the other; what lies between is rented on demand."""

    bookings: tuple[Reservation, ...]
    most: int | None = None  # accelerators; None: as many as the work wants above the tiers before it
    is_fixed: bool = False  # so many whatever the work wants


@dataclass(frozen=True)
class ChosenOffers:
    """The offers a plan rents from, by kind; empty where there is none. Chosen once, at typical figures."""

    on_demand: str | None = None
    reserved: str | None = None
    reserved_tiers: tuple[ReservationTier, ...] = ()  # what is reserved when, from the first machines up
    base_reservations: tuple[Reservation, ...] = ()  # the reservations of machines that the work wants all along
    spot: str | None = None
    one_year: str | None = None  # two quotes of one seller, where there are: what they imply together is shown
    three_years: str | None = None
    prices: PriceEstimates | None = None  # what the prices of all offers that the plan could take are worth on its day
    market: tuple[MarketPrice, ...] = ()  # of the orders of the plan, where neither you nor a quote has a price
    lacks: Mapping[str, str] = field(
        default_factory=dict, hash=False
    )  # by kind of purchase: why no offer can take the order

    @property
    def reserved_months(self) -> float:
        """Return the term of the first reservation; 0 where there is none. [month]"""
        return self.reserved_tiers[0].bookings[0].term_months if self.reserved_tiers else 0.0

    def market_price(self, offer: str | None, months: float = 0.0) -> MarketPrice | None:
        """Return the market's price of the order that is placed at an offer for so many months; None: its own price."""
        return next((price for price in self.market if price.offer == offer and price.months == months), None)

    @property
    def booked(self) -> tuple[str, ...]:
        """The offers of all reservations."""
        every = (*self.base_reservations, *(booking for tier in self.reserved_tiers for booking in tier.bookings))
        return tuple(dict.fromkeys(item.offer for item in every if item.offer is not None))


def _work_of(setting: PlanContext) -> tuple[object, ...]:
    """Return what decides how much work there is."""
    return (*_usual_work_of(setting), *(setting.tried.get(name) for name in _OF_WORK))


def _usual_work_of(setting: PlanContext) -> tuple[object, ...]:
    return (setting.catalogue, setting.day, setting.resolved, *_OF_SCENARIO(setting.scenario))


_OF_SCENARIO = attrgetter(
    "work", "accelerator", "years", "site", "failures", "rent.hours_per_session", "terms.hours_per_month"
)
_OF_WORK = (BUSY_FACTOR, HOURS_FACTOR, RATE)  # what is tried out of it changes how much work there is


def reporting_currency(catalogue: Catalogue, shown: Currency, day: date) -> Currency | None:
    """Return a currency with its rate, the day and the source of that; None where nobody has a rate of it."""
    if shown.usd_per_unit is not None:
        return shown.model_copy(update={"day": shown.day or day, "source": shown.source or "the plan"})
    rate = rates(as_of(catalogue, shown.day or day)).get(shown.code)
    return rate and shown.model_copy(update={"usd_per_unit": rate.usd, "day": rate.day, "source": rate.said_by})


def show_money_in_plan(catalogue: Catalogue, scenario: Scenario, day: date) -> None:
    """Show amounts in the currency of a scenario, from here on; call it before the plan is made, which has texts."""
    show_money_of(scenario.currency and reporting_currency(catalogue, scenario.currency, day))


@dataclass(frozen=True, eq=False)
class PlanContext:
    """Everything a ledger depends on. Never changed, and itself its only equal: what follows from one is kept by it."""

    catalogue: Catalogue
    scenario: Scenario
    day: date
    offers: ChosenOffers = ChosenOffers()
    tried: Tried = field(default_factory=dict)
    resolved: ScenarioInHours | None = None  # the scenario as it was written, where it names models, and what they need
    column_axes: int = 0  # of rows, in the columns that the scenario holds
    order_months: NDArray[np.float64] | None = None  # of several orders of a fleet, along the first axis
    shows_orders: bool = True  # each with its own lines; False: only sums are read

    @property
    def written(self) -> Scenario:
        """The scenario as somebody wrote it: with models where `scenario` has plain hours."""
        return self.scenario if self.resolved is None else self.resolved.written

    @cached_property
    def currency(self) -> Currency | None:
        """The money that tables and files show, with its rate: the plan's own, else the catalogue's."""
        shown = self.scenario.currency
        return shown and reporting_currency(self.catalogue, shown, self.day)

    @cached_property.of(_work_of)
    def demand(self) -> Demand:
        """Return what the work asks for."""
        return self.demand_of(self.scenario)

    def demand_of(self, scenario: Scenario) -> Demand:
        """Return what the work of a scenario asks for, with what is tried out of it."""
        return demand(
            scenario,
            busy_factor=self.tried.get(BUSY_FACTOR, 1.0),
            hours_factor=self.tried.get(HOURS_FACTOR, 1.0),
            predicted=self.predicted,
            lost=self.lost,
            starts_in=self.day.month,
        )

    @cached_property.of(_usual_work_of)
    def usual_demand(self) -> Demand:
        """The demand as the scenario tells it, whatever is tried out: a fleet is bought for that."""
        if all(name not in self.tried for name in _OF_WORK):
            return self.demand
        return demand(self.scenario, lost=self._lost_at(None), starts_in=self.day.month)

    @cached_property.of(_work_of)
    def lost(self) -> dict[Work, LostTime]:
        """Return what failures take of the hours of each kind of work."""
        return self._lost_at(self.tried.get(RATE))

    @cached_property
    def lost_hours(self) -> LostHours | None:
        """The hours lost over all work, at typical figures; None where no loss is known.

        A lost hour costs what an hour of the option costs on average: it is a part of its cost, not an addition to it.
        """
        losses = []
        for work, lost in self.lost.items():
            alone = self.demand_of(self.scenario.model_copy(update={"work": (work,)}))
            losses.append((alone.all.busy_accelerator_hours * lost.usual_share, lost))
        busy_hours, lost_hours = self.demand.all.busy_accelerator_hours, sum(hours for hours, _ in losses)
        if busy_hours <= _NO_HOURS or lost_hours <= _NO_HOURS:
            return None
        counted = sum(hours for hours, lost in losses if lost.is_counted)
        largest = max(losses, key=lambda loss: loss[0])[1]
        return LostHours(lost_hours, lost_hours / busy_hours, counted > lost_hours / 2, largest)

    def _lost_at(self, rate: Num | None) -> dict[Work, LostTime]:
        return lost_time_by_work(self.catalogue, self.scenario, self.resolved, rate)

    @cached_property.of(_usual_work_of)
    def predicted(self) -> tuple[Work, ...]:
        """The work whose hours come from a model that was named, and so from a prediction."""
        pairs = zip(self.scenario.work, self.written.work, strict=True)
        return tuple(work for work, written in pairs if written.train or written.serve or written.run)

    @cached_property.of(lambda setting: (setting.scenario.years,))
    def timeline(self) -> Timeline:
        """The months of the plan."""
        return cached_timeline(self.scenario.years * MONTHS_PER_YEAR)

    @property
    def disk_origin(self) -> Origin:
        """Return who says how much is kept on disk."""
        return _DISK_NEEDED if any(work.storage_tb is None for work in self.written.work) else YOUR_INPUT

    @property
    def terms(self) -> FinancialTerms:
        return self.scenario.terms

    @property
    def discount_rate_per_year(self) -> float:
        """Return what money costs: yours, or the catalogue's."""
        yours, built = self.terms.discount_rate_per_year, self.capital
        if yours is None and built is not None:
            return built.per_year
        return self.catalogue.facts[COST_OF_MONEY].figure.newest.typical if yours is None else yours

    @cached_property.of(lambda setting: (setting.catalogue, setting.scenario.capital, setting.scenario.site))
    def capital(self) -> CapitalCost | None:
        """Return the parts of the discount rate, where the plan builds it from them."""
        given = self.scenario.capital
        return None if given is None else capital_cost(self.catalogue, self.scenario.site, given)

    def input_sheet(self) -> InputSheet:
        """An empty sheet for the inputs of one ledger."""
        return InputSheet(self.catalogue, self.tried, typed=self.scenario.typed, stack=self.order_stack)

    def work_sheet(self) -> InputSheet:
        """A sheet with the months of the plan, their hours, and how much of the usual work each of them has."""
        sheet = self.input_sheet()
        sheet.add_all(self.timeline.flags)
        sheet.add("hours_per_month", self.terms.hours_per_month, "hours", CONVENTION)
        sheet.add("work_level", self.demand.work_level, "times the usual work", COMPUTED)
        return sheet

    @cached_property
    def row_axes(self) -> int:
        """Return the number of axes before the months: 0 of one plan, 1 of rows, 2 of rows with values along them."""
        return max(self.column_axes, *(np.ndim(value) - 1 for value in self.tried.values()), 0)

    @property
    def order_stack(self) -> OrderStack | None:
        """Return how several orders stand in arrays; None of one."""
        return None if self.order_months is None else OrderStack(len(self.order_months), self.order_months.ndim)

    def __getstate__(self) -> dict[str, object]:
        """Return what is sent to another process: not what can be made again."""
        return without(self, "fleets", "order_contexts", "month_sums")

    def with_offers(self, offers: ChosenOffers) -> PlanContext:
        """This setting with other offers taken. Its work stays what it is."""
        return derive(self, offers=offers)

    @cached_property
    def order_contexts(self) -> dict[Hashable, PlanContext]:
        """The settings of a fleet's orders, each made once."""
        return {}

    @cached_property
    def fleets(self) -> dict[Hashable, Any]:
        """Fleets that were computed here, for ways that pay for the same one."""
        return {}

    @cached_property
    def month_sums(self) -> MonthSums:
        """Sums over months that lines of several ways share."""
        return {}

    def release(self) -> None:
        """Forget what is large of a thousand futures: what is kept by setting would hold on to it."""
        for context in self.order_contexts.values():
            context.release()
        if "demand" in self.__dict__:
            self.demand.layers.clear()
        forget(self, "order_contexts", "demand", "fleets", "month_sums")

    @property
    def base_context(self) -> PlanContext | None:
        """The setting in which nothing is tried out yet, where this one was made of it; itself, if nothing is."""
        return self._untried if self.tried else self

    @cached_property
    def _untried(self) -> PlanContext | None:
        return None

    def with_tried(self, tried: Tried) -> PlanContext:
        """This setting with more inputs tried out, beside those that already are."""
        first = ("usual_demand",) if "demand" in self.__dict__ else ()
        return with_cached(derive(self, *first, tried={**self.tried, **tried}), _untried=self.base_context)
