"""Selling idle hours of owned machines: what they bring, what selling costs, and why it cannot be computed.

The price that a buyer pays moves as rents do, in every future alike; a change of your own sets its typical path. The
share that finds a buyer has a range of its own, also around yours: an hour that is offered is not yet sold.
"""

from dataclasses import dataclass, replace

import numpy as np

from planner.money.formula import formula
from planner.money.inflation import WORTH, deflate_lines
from planner.money.ledger import CONVENTION, YOUR_INPUT, InputSheet, Line, Origin, end, origin
from planner.money.price_path import CHANGE, LEVEL, add_rent_path
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN
from planner.scenario.base import MONTHS_PER_YEAR

SOLD_SHARE, FEE = "sold-hours-share", "marketplace-fee-share"
PRICE, SHARE = "usd_per_hour_sold", "sold_share"
_RENT = "usd_per_accelerator_hour"
_HARDLY = 0.05  # of the hours of the machines


@dataclass(frozen=True)
class SellableHours:
    """The sellable hours as formulas: idle accelerators, their share of each month, and the extra power draw."""

    accelerators: str
    available: str
    more_kw: str | None = None  # what the idle machines draw more while they work; None where others pay for it
    with_people: bool = True  # whether those who sell are paid here; of several layers once


def sells(setting: PlanContext) -> bool:
    """Return whether idle hours are sold, at a price that is entered."""
    sell = setting.scenario.sell
    return sell is not None and sell.usd_per_accelerator_hour is not None


def no_sale_reason(setting: PlanContext) -> str | None:
    """Return why hours cannot be sold: no price is entered."""
    if setting.scenario.sell is None or sells(setting):
        return None
    prices, offer = setting.offers.prices, setting.offers.on_demand
    market = prices.of(offer).typical if prices is not None and offer in prices.places else float("nan")
    hint = f" (providers ask about {market:,.2f} USD today, and a newcomer gets less)" if market > 0 else ""
    return f"idle hours are to be sold on and no price is entered: say in sell what a buyer pays for one{hint}"


def is_resale_only(setting: PlanContext, accelerators: float) -> bool:
    """Return whether so many machines would do hardly any own work, and their hours are sold."""
    hours = accelerators * setting.terms.hours_per_month * setting.scenario.months
    return sells(setting) and setting.demand.all.busy_accelerator_hours < _HARDLY * hours


def hour_sale_lines(sheet: InputSheet, setting: PlanContext, idle: SellableHours) -> tuple[Line, ...]:
    """Return the lines of sold hours: income, the fee, the cost of selling, and their electricity beyond idling."""
    sell = setting.scenario.sell
    if sell is None or not sells(setting):
        return ()
    sheet.add("hours_per_month", setting.terms.hours_per_month, "hours", CONVENTION)
    sheet.add("sells", np.greater_equal(setting.timeline.month, sell.first_month) * 1.0, "1 where hours are sold", PLAN)
    sheet.add(PRICE, sell.usd_per_accelerator_hour or 0.0, "USD/accelerator-hour", YOUR_INPUT)
    sheet.fact("sale_fee_share", FEE, sell.fee_share)
    sheet.add("usd_per_month_to_sell", sell.usd_per_month_to_sell, "USD a month", YOUR_INPUT)
    _add_sold_share(sheet, setting, sell.share_sold)
    price = _add_price(sheet, setting, sell.price_change_per_year)
    hours = f"{idle.accelerators} * hours_per_month * ({idle.available} * sells) * {SHARE}"
    lines: tuple[Line, ...] = (
        sheet.line("Hours sold on", "income", f"-1 * {hours} * {price}"),
        sheet.line("Fee for selling them", "selling", f"sale_fee_share * {hours} * {price}"),
    )
    if idle.with_people and sell.usd_per_month_to_sell:
        people = f"usd_per_month_to_sell * ({idle.available} * sells)"
        lines = (*lines, *deflate_lines(setting, (sheet.line("People and billing to sell them", "selling", people),)))
    if idle.more_kw is None:
        return lines
    meter = "pue * usd_per_kwh * hours_per_month * (1 + power_price_change_per_year) ** begun_years"
    kwh = f"{idle.more_kw} * {meter} * ({idle.available} * sells) * {SHARE}"
    electricity = sheet.line("Electricity of hours sold", "power", kwh)
    return (*lines, *deflate_lines(setting, (electricity,), setting.timeline.begun_years))


def _add_sold_share(sheet: InputSheet, setting: PlanContext, yours: float | None) -> None:
    """The share of idle hours that finds a buyer: ours, or yours with as wide a range around it."""
    figure = setting.catalogue.facts[SOLD_SHARE].figure
    usual, where = figure.newest.typical, origin(setting.catalogue, figure)
    low, high = (end(figure.newest, case) / usual for case in ("low", "high"))
    middle = usual if yours is None else yours
    if yours is not None:
        note = f"yours; its range is {low:g} to {high:g} times that, as of our assumption: {figure.newest.note}"
        where = Origin("the plan", "yours", note=note)
    ends = min(middle * high, 1.0), middle * low  # more sold: cheaper
    sheet.add(SHARE, middle, "share of idle hours", where, ends)


def _add_price(sheet: InputSheet, setting: PlanContext, change_per_year: float | None) -> str:
    """Return the price of a sold hour by month; with your own change, rents only set how far futures stray."""
    set_after = setting.timeline.begun_years * MONTHS_PER_YEAR
    sheet.add("price_set_after_months", set_after, "months", PLAN)
    path = add_rent_path(sheet, setting, set_after)
    for name in (CHANGE, LEVEL):  # higher rents make this option cheaper
        if name in sheet.used and sheet.used[name].ends is not None:
            low, high = sheet.used[name].ends or (0.0, 0.0)
            sheet.used[name] = sheet.used[name]._replace(ends=(high, low))
    if change_per_year is None:
        return path.replace(_RENT, PRICE, 1)
    sheet.add("sold_price_change_per_year", change_per_year, "share a year", YOUR_INPUT)
    # The path of rents at typical figures, today's rent being 1; not its worth when it is paid.
    plain = replace(setting, tried={})
    expected = plain.input_sheet()
    expected.add("price_set_after_months", set_after, "months", PLAN)
    expected.add(_RENT, 1.0, "1", PLAN)
    rents = formula(add_rent_path(expected, plain, set_after))
    levels = rents({name: 1.0 if name == WORTH else expected.used[name].value for name in rents.names})
    sheet.add("expected_rents", levels, "times today's rent, as the plan expects", PLAN)
    strays = path.replace(_RENT, "1", 1)
    return f"{PRICE} * (1 + sold_price_change_per_year) ** (price_set_after_months / 12) * {strays} / expected_rents"
