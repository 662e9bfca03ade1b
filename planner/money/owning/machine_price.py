"""The price of the plan's machine through time, new and used: one path for later orders, refreshes and every sale.

A new one of the same product costs today's price times its path; a used one of an age costs its share of a new one on
the same day. Your own yearly change is the whole path, and your own residual share wins over both.
"""

from dataclasses import dataclass, replace

import numpy as np

from planner.money.formula import Num
from planner.money.inflation import LESS_INFLATION, inflation_per_year, to_plan_terms
from planner.money.ledger import COMPUTED, TRIED, YOUR_INPUT, Case, InputSheet, Origin
from planner.money.setting import PlanContext
from planner.scenario.base import MONTHS_PER_YEAR
from pricing.finance import HardwareClass
from pricing.market.band import Z80
from pricing.market.constants import constants
from pricing.market.hardware import generation_factor, path_factor, used_share
from pricing.records import Accelerator

CHANGE = "hardware_price_change_per_year"
PATH = "hardware_price_position"  # of a new one: -1 is the 10th percentile of its path, 1 the 90th
POSITION = "residual_position"  # of a used one over a new one of the same day, likewise
TIMES = "residual_times"  # what is left of the price, times this
PROCESS = Origin(
    "Decision 0050: the price of a machine", "derived", url="docs/decisions/0050-the-price-of-a-machine.md"
)
_DAYS_PER_YEAR = 365.25
_BESIDE = "times its yearly change: age of the product, its successor, and the future that is drawn"
_RESALE = "price of a used one of that age on the day of the sale, over the price paid"
_SIDE: dict[Case, float] = {"low": 1.0, "typical": 0.0, "high": -1.0}  # a high resale is the cheap end


@dataclass(frozen=True)
class MachinePath:
    """The path of the price of one product."""

    product: HardwareClass
    change_per_year: Num  # in the terms of the plan
    inflation_per_year: float
    is_yours: bool  # the change is typed: nothing stands beside it, and nothing is drawn
    product_age_years: float  # 0 where nobody says when it came out
    successor_in_years: float | None
    position: Num

    def beside(self, years: Num) -> Num:
        """Return what the price is on a day over today's, beside its yearly change. [1]"""
        if self.is_yours:
            return np.ones_like(np.asarray(years, dtype=np.float64))
        generation = generation_factor(years, self.product, self.successor_in_years, self.product_age_years)
        return np.asarray(path_factor(years, self.product, self.position * Z80) * generation)

    def nominal(self, years: Num) -> Num:
        """Return the price on a day over today's, in dollars of both days. [1]"""
        change = (1 + self.change_per_year) * (1 + self.inflation_per_year)
        return np.asarray(change ** np.asarray(years, dtype=np.float64) * self.beside(years))


def product_class(setting: PlanContext) -> HardwareClass:
    """Return among what the plan's accelerator is bought and sold: boards where its name may mean several."""
    chip = _chip(setting)
    return "sxm" if chip is None else chip.hardware_class


def machine_path(setting: PlanContext, sheet: InputSheet) -> MachinePath:
    """Return the path of the plan's machine, with what is tried out of it."""
    chip, today = _chip(setting), setting.day.year + (setting.day.timetuple().tm_yday - 1) / _DAYS_PER_YEAR
    successor = None if chip is None or chip.successor is None else setting.catalogue.accelerators[chip.successor]
    launched, next_one = (None if each is None else each.launch_year for each in (chip, successor))
    return MachinePath(
        product=product_class(setting),
        change_per_year=sheet.used[CHANGE].value,
        inflation_per_year=inflation_per_year(setting),
        is_yours=setting.scenario.own.hardware_price_change_per_year is not None,
        product_age_years=0.0 if launched is None else max(today - launched, 0.0),
        successor_in_years=None if next_one is None else next_one - today,
        position=sheet.tried.get(PATH, 0.0),
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
    position = sheet.tried.get(POSITION, 0.0)
    if setting.case != "typical" and POSITION not in sheet.tried:
        position = _SIDE[setting.case] * _spread_at_ends(path, sold)
    new = path.nominal(sold) / path.nominal(priced)
    share = np.asarray(new * used_share(age, path.product, position * Z80) * times)
    is_tried = TIMES in sheet.tried or POSITION in sheet.tried or PATH in sheet.tried
    where = TRIED if is_tried else replace(PROCESS, note=_RESALE)
    sheet.add(name, float(share) if share.ndim == 0 else share, "share", where)


def _spread_at_ends(path: MachinePath, sold_years: Num) -> Num:
    """Return how far the ends of the ranges lie, in spreads of used prices: those of new ones, drawn beside, included.

    At the ends the path of new ones is the usual one, so that what is bought later has one price in both.
    """
    used = constants().used.spread
    new = 0.0 if path.is_yours else constants().hardware[path.product].spread
    return np.sqrt(used**2 + new**2 * np.asarray(sold_years)) / used
