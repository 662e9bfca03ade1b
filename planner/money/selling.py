"""Selling: idle hours of one's own machines that somebody else pays for, what that costs, and why it cannot be said.

What a buyer pays moves as rents do, in every future alike; a change of your own says where it lies in the middle. The
share that finds a buyer has a range of its own, also around yours: an hour that is offered is not yet sold.
"""

from dataclasses import dataclass, replace

import numpy as np

from planner.money.formula import Num, formula
from planner.money.inflation import WORTH, agreed
from planner.money.ledger import CONVENTION, YOUR_INPUT, Case, InputSheet, Line, Origin, end, origin
from planner.money.price_path import add_rent_path
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.own import IdleSaleInputs

SOLD_SHARE, FEE = "sold-hours-share", "marketplace-fee-share"
PRICE, SHARE = "usd_per_hour_sold", "sold_share"
_RENT = "usd_per_accelerator_hour"
_HARDLY = 0.05  # of the hours of the machines
_OTHER_END: dict[Case, Case] = {"low": "high", "typical": "typical", "high": "low"}  # what sells more costs less


@dataclass(frozen=True)
class SellableHours:
    """What is sold of, as formulas: idle accelerators, the share of each month they are there, what busy ones draw."""

    accelerators: str
    available: str
    more_kw: str | None = None  # what the idle machines draw more while they work; None where others pay for it
    with_people: bool = True  # whether those who sell are paid here; of several layers once


def sells(setting: PlanContext) -> bool:
    """Whether hours are sold on, at a price that somebody said."""
    sell = setting.scenario.sell
    return sell is not None and sell.usd_per_accelerator_hour is not None


def no_sale_reason(setting: PlanContext) -> str | None:
    """Why hours cannot be sold as they are asked to be: nobody says what a buyer pays."""
    if setting.scenario.sell is None or sells(setting):
        return None
    prices, offer = setting.offers.prices, setting.offers.on_demand
    market = prices.of(offer).typical if prices is not None and offer in prices.places else float("nan")
    hint = f" (providers ask about {market:,.2f} USD today, and a newcomer gets less)" if market > 0 else ""
    return f"idle hours are to be sold on and no price is entered: say in sell what a buyer pays for one{hint}"


def is_resale_only(setting: PlanContext, accelerators: float) -> bool:
    """Whether so many machines would do hardly any work of one's own, and their hours are sold."""
    hours = accelerators * setting.terms.hours_per_month * setting.scenario.months
    return sells(setting) and setting.demand.all.busy_accelerator_hours < _HARDLY * hours


def hour_sale_lines(sheet: InputSheet, setting: PlanContext, idle: SellableHours) -> tuple[Line, ...]:
    """What the sold hours bring, the fee, what selling costs, and the electricity that they take beside idling."""
    sell = setting.scenario.sell
    if sell is None or not sells(setting):
        return ()
    price = _say(sheet, setting, sell)
    hours = f"{idle.accelerators} * hours_per_month * ({idle.available} * sells) * {SHARE}"
    lines: tuple[Line, ...] = (
        sheet.line("Hours sold on", "income", f"-1 * {hours} * {price}"),
        sheet.line("Fee for selling them", "selling", f"sale_fee_share * {hours} * {price}"),
    )
    if idle.with_people and sell.usd_per_month_to_sell:
        people = f"usd_per_month_to_sell * ({idle.available} * sells)"
        lines = (*lines, *agreed(setting, (sheet.line("People and billing to sell them", "selling", people),)))
    return (*lines, *_electricity(sheet, setting, idle))


def _electricity(sheet: InputSheet, setting: PlanContext, idle: SellableHours) -> tuple[Line, ...]:
    if idle.more_kw is None:
        return ()
    meter = "pue * usd_per_kwh * hours_per_month * (1 + power_price_change_per_year) ** begun_years"
    drawn = sheet.line(
        "Electricity of hours sold", "power", f"{idle.more_kw} * {meter} * ({idle.available} * sells) * {SHARE}"
    )
    return agreed(setting, (drawn,), setting.timeline.begun_years)


def _say(sheet: InputSheet, setting: PlanContext, sell: IdleSaleInputs) -> str:
    """Says the inputs of a sale; gives back what an hour brings, as a formula."""
    sheet.add("hours_per_month", setting.terms.hours_per_month, "hours", CONVENTION)
    sheet.add("sells", np.greater_equal(setting.timeline.month, sell.first_month) * 1.0, "1 where hours are sold", PLAN)
    sheet.add(PRICE, sell.usd_per_accelerator_hour or 0.0, "USD/accelerator-hour", YOUR_INPUT)
    sheet.fact("sale_fee_share", FEE, sell.fee_share)
    sheet.add("usd_per_month_to_sell", sell.usd_per_month_to_sell, "USD a month", YOUR_INPUT)
    _add_sold_share(sheet, setting, sell.share_sold)
    return _say_price(sheet, setting, sell.price_change_per_year)


def _add_sold_share(sheet: InputSheet, setting: PlanContext, yours: float | None) -> None:
    """The share of idle hours that finds a buyer: ours, or yours with as wide a range around it."""
    figure = setting.catalogue.facts[SOLD_SHARE].figure
    usual, here = figure.newest.typical, end(figure.newest, _OTHER_END[sheet.case])
    where = origin(setting.catalogue, figure)
    if yours is not None:
        low, high = end(figure.newest, "low") / usual, end(figure.newest, "high") / usual
        note = f"yours; its range is {low:g} to {high:g} times that, as of our assumption: {figure.newest.note}"
        where, here = Origin("the plan", "yours", note=note), min(yours * here / usual, 1.0)
    sheet.add(SHARE, here, "share of idle hours", where)


def _say_price(sheet: InputSheet, setting: PlanContext, change_per_year: float | None) -> str:
    """The price of a sold hour through the months; with a change of yours, rents only say how far futures stray."""
    set_after = setting.timeline.begun_years * MONTHS_PER_YEAR
    sheet.add("price_set_after_months", set_after, "months", PLAN)
    other_end = replace(setting, case=_OTHER_END[setting.case])  # the dearer rents are, the cheaper this way
    path = add_rent_path(sheet, other_end, set_after)
    if change_per_year is None:
        return path.replace(_RENT, PRICE, 1)
    sheet.add("sold_price_change_per_year", change_per_year, "share a year", YOUR_INPUT)
    sheet.add(
        "expected_rents", _expected_rent_path(setting, set_after), "times today's rent, as the plan expects", PLAN
    )
    strays = path.replace(_RENT, "1", 1)
    return f"{PRICE} * (1 + sold_price_change_per_year) ** (price_set_after_months / 12) * {strays} / expected_rents"


def _expected_rent_path(setting: PlanContext, set_after: Num) -> Num:
    """The path of rents at typical figures, today's rent being 1; not what it is worth when it is paid."""
    plain = replace(setting, case="typical", tried={})
    sheet = plain.input_sheet()
    sheet.add("price_set_after_months", set_after, "months", PLAN)
    sheet.add(_RENT, 1.0, "1", PLAN)
    path = formula(add_rent_path(sheet, plain, np.asarray(set_after)))
    return path({name: 1.0 if name == WORTH else sheet.used[name].value for name in path.names})
