"""The price of the plan's machine through time, new and used: one path for later orders, refreshes and every sale.

A new one of the same product costs today's price times its path; a used one of an age costs its share of a new one on
the same day. What is bought used starts at its age. Your own yearly change is the whole path, and your own residual
share wins over both.
The channel of a purchase: from stock, used, ordered at the maker, or with priority; and how long each takes.
"""

from dataclasses import dataclass, replace

import numpy as np

from planner.money.formula import Num
from planner.money.inflation import LESS_INFLATION, inflation_per_year, to_plan_terms
from planner.money.ledger import COMPUTED, TRIED, YOUR_INPUT, InputSheet, Origin
from planner.money.setting import PlanContext
from planner.scenario.base import MONTHS_PER_YEAR
from pricing import Figure
from pricing.choices import Channel
from pricing.finance import HardwareClass
from pricing.market.band import Z80
from pricing.market.constants import constants
from pricing.market.hardware import generation_factor, path_factor, used_share
from pricing.record import Delivery
from pricing.records import Accelerator


def channel(setting: PlanContext) -> Channel:
    """Return the channel: yours; else used where only used ones have a price; else the usual one of such machines."""
    chip = setting.catalogue.accelerators.get(setting.scenario.accelerator)
    if setting.scenario.own.channel is not None:
        return setting.scenario.own.channel
    return "used" if chip is not None and chip.priced_used else _closest(setting, None).channel


def lead_time(setting: PlanContext) -> Figure:
    """Return how many months machines take through the channel of the plan."""
    return _closest(setting, channel(setting)).lead_time_month


def _closest(setting: PlanContext, wanted: Channel | None) -> Delivery:
    """Return the delivery through a channel, None for the usual one, that names the chip, else its class, else any."""
    key, chip = setting.scenario.accelerator, setting.catalogue.accelerators.get(setting.scenario.accelerator)
    product = "sxm" if chip is None else chip.hardware_class

    def closeness(delivery: Delivery) -> int:
        if delivery.accelerators:
            return 2 if key in delivery.accelerators else -1
        return (1 if product in delivery.products else -1) if delivery.products else 0

    every = setting.catalogue.deliveries.values()
    return max((item for item in every if item.channel == wanted or (wanted is None and item.usual)), key=closeness)


CHANGE = "hardware_price_change_per_year"
PATH = "hardware_price_position"  # of a new one: -1 is the 10th percentile of its path, 1 the 90th
POSITION = "residual_position"  # of a used one over a new one of the same day, likewise
BOUGHT_USED = "bought_used_share"
TIMES = "residual_times"  # what is left of the price, times this
PROCESS = Origin(
    "Decision 0050: the price of a machine", "derived", url="docs/decisions/0050-the-price-of-a-machine.md"
)
_DAYS_PER_YEAR = 365.25
_BESIDE = "times its yearly change: age of the product, its successor, and the future that is drawn"
_RESALE = "price of a used one of that age on the day of the sale, over the price paid"


@dataclass(frozen=True)
class MachinePath:
    """The path of the price of one product."""

    product: HardwareClass
    change_per_year: Num  # in the terms of the plan
    inflation_per_year: float
    is_yours: bool  # the change is typed: nothing stands beside it, and nothing is drawn
    product_age_years: float  # 0 where nobody says when it came out
    successor_in_years: float | None
    is_used: bool  # what is bought
    bought_age_years: float | None  # yours, of used ones; 0 of new ones
    position: Num
    used_position: Num

    def new_beside(self, years: Num) -> Num:
        """Return what a new one costs on a day over today, beside its yearly change. [1]"""
        if self.is_yours:
            return np.ones_like(np.asarray(years, dtype=np.float64))
        generation = generation_factor(years, self.product, self.successor_in_years, self.product_age_years)
        return np.asarray(path_factor(years, self.product, self.position * Z80) * generation)

    def beside(self, years: Num) -> Num:
        """Return what is paid on a day over today, beside the yearly change: used ones on offer grow older too. [1]"""
        return np.asarray(self.new_beside(years) * self.bought_share(years) / self.bought_share(0.0))

    def nominal(self, years: Num) -> Num:
        """Return the price of a new one on a day over today's, in dollars of both days. [1]"""
        change = (1 + self.change_per_year) * (1 + self.inflation_per_year)
        return np.asarray(change ** np.asarray(years, dtype=np.float64) * self.new_beside(years))

    def age(self, years: Num) -> Num:
        """Return how old the machines are that are bought on a day. [years]"""
        if self.bought_age_years is not None:
            return self.bought_age_years
        passed = 0.0 if self.is_yours else np.asarray(years, dtype=np.float64)
        return constants().used.bought_age * (self.product_age_years + passed)

    def bought_share(self, years: Num) -> Num:
        """Return what is paid on a day over a new one of that day; today's price is known, whatever is drawn. [1]"""
        position = np.where((np.asarray(years) > 0) & (not self.is_yours), self.used_position, 0.0)
        return used_share(self.age(years), self.product, position * Z80)


def product_class(setting: PlanContext) -> HardwareClass:
    """Return among what the plan's accelerator is bought and sold: boards where its name may mean several."""
    chip = _chip(setting)
    return "sxm" if chip is None else chip.hardware_class


def machine_path(setting: PlanContext, sheet: InputSheet) -> MachinePath:
    """Return the path of the plan's machine, with what is tried out of it."""
    chip, today = _chip(setting), setting.day.year + (setting.day.timetuple().tm_yday - 1) / _DAYS_PER_YEAR
    successor = None if chip is None or chip.successor is None else setting.catalogue.accelerators[chip.successor]
    is_used = channel(setting) == "used"
    launched, next_one = (None if each is None else each.launch_year for each in (chip, successor))
    return MachinePath(
        product=product_class(setting),
        change_per_year=sheet.used[CHANGE].value,
        inflation_per_year=inflation_per_year(setting),
        is_yours=setting.scenario.own.hardware_price_change_per_year is not None,
        product_age_years=0.0 if launched is None else max(today - launched, 0.0),
        successor_in_years=None if next_one is None else next_one - today,
        is_used=is_used,
        bought_age_years=setting.scenario.own.age_years if is_used else 0.0,
        position=sheet.tried.get(PATH, 0.0),
        used_position=sheet.tried.get(POSITION, 0.0),
    )


def _chip(setting: PlanContext) -> Accelerator | None:
    return setting.catalogue.accelerators.get(setting.scenario.accelerator)


def add_price_path(sheet: InputSheet, setting: PlanContext) -> None:
    """Add the yearly change of the price of a new one: yours, else that of its class."""
    yours, unit = setting.scenario.own.hardware_price_change_per_year, "share a year"
    if yours is not None:
        sheet.add(CHANGE, yours, unit, YOUR_INPUT)
        return
    product = product_class(setting)
    note = f"new ones of the same product, class {product}"
    if inflation_per_year(setting) != 0:
        note = f"{note}. {LESS_INFLATION}"
    change = to_plan_terms(setting, float(np.expm1(constants().hardware[product].drift)))
    sheet.add(CHANGE, change, unit, replace(PROCESS, note=note))


def add_path_beside(sheet: InputSheet, setting: PlanContext, name: str, years: Num, since_years: Num = 0.0) -> None:
    """Add what stands beside the yearly change between two days; nothing where the path is yours."""
    path = machine_path(setting, sheet)
    if not path.is_yours:
        times = np.asarray(path.beside(years) / path.beside(since_years))
        sheet.add(name, float(times) if times.ndim == 0 else times, "times", replace(COMPUTED, note=_BESIDE))


def add_used_price(sheet: InputSheet, setting: PlanContext, *, is_whole: bool) -> None:
    """Add the price of a used one over that of a new one, where the plan buys used and the catalogue's price is new."""
    path, chip = machine_path(setting, sheet), _chip(setting)
    if path.is_used and (is_whole or chip is None or not chip.priced_used):
        share = float(np.max(path.bought_share(0.0)))  # today's price is the same in every draw
        note = f"used, {float(np.max(path.age(0.0))):.1f} years old"
        sheet.add(BOUGHT_USED, share, "share of a new one", replace(PROCESS, note=note))


def add_residual_share(
    sheet: InputSheet, setting: PlanContext, name: str, *, priced_months: Num, sold_months: Num, age_months: Num
) -> None:
    """Add the share of the price left at a sale: yours, else the price of a used one over the price that was paid."""
    times = sheet.tried.get(TIMES, 1.0)
    yours = sheet.tried.get("residual_share", setting.scenario.own.residual_share)
    if yours is not None:
        tried = "residual_share" in sheet.tried or TIMES in sheet.tried
        sheet.add(name, yours * times, "share", TRIED if tried else YOUR_INPUT)
        return
    path = machine_path(setting, sheet)
    sold, priced, age = (np.asarray(months) / MONTHS_PER_YEAR for months in (sold_months, priced_months, age_months))
    moved = path.nominal(sold) / path.nominal(priced) / path.bought_share(priced) * times

    def share(position: Num) -> Num:
        # Nobody pays more for it than for one of the age that the plan buys, on the same day.
        used = np.minimum(used_share(path.age(priced) + age, path.product, position * Z80), path.bought_share(sold))
        of_paid = np.asarray(moved * used)
        return float(of_paid) if of_paid.ndim == 0 else of_paid

    if TIMES in sheet.tried or POSITION in sheet.tried or PATH in sheet.tried:
        sheet.add(name, share(path.used_position), "share", TRIED)
        return
    spread = _spread_at_ends(path, sold)
    ends = share(spread), share(-spread)  # a high resale is the cheap end
    sheet.add(name, share(path.used_position), "share", replace(PROCESS, note=_RESALE), ends)


def _spread_at_ends(path: MachinePath, sold_years: Num) -> Num:
    """Return how far the ends of the ranges lie, in spreads of used prices: those of new ones, drawn beside, included.

    At the ends the path of new ones is the usual one, so that what is bought later has one price in both.
    """
    used = constants().used.spread
    new = 0.0 if path.is_yours else constants().hardware[path.product].spread
    return np.sqrt(used**2 + new**2 * np.asarray(sold_years)) / used
