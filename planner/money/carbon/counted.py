"""What the lines of a ledger count besides money: kilowatt-hours, hours of rented accelerators, machines."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.money.formula import Num, formula
from planner.money.inflation import WORTH
from planner.money.ledger import Ledger, LedgerInput, Line, Part
from planner.money.owning.lines import CARDS, SERVERS
from planner.money.price_path import CHANGE, LEVEL, PRICE_AGREED, STEP, WORTH_AGREED
from planner.money.renting.offer_inputs import PRICE

METER = "usd_per_kwh"
ALL_IN = "running_usd_per_month"
_POWER_PRICE = "power_price_change_per_year"
# Each price at one, and nothing that moves it: what is left of a formula is what it counts.
_AT_ONE: dict[str, Num] = {METER: 1.0, _POWER_PRICE: 0.0, PRICE: 1.0, CHANGE: 0.0, LEVEL: 1.0, STEP: 1.0, WORTH: 1.0,
                            PRICE_AGREED: 1.0, WORTH_AGREED: 1.0}  # fmt: skip
_BUSY: frozenset[Part] = frozenset({"compute", "interruptions"})  # the rest of what is rented waits
_AFTER_THE_PLAN: Part = "commitment"


@dataclass(frozen=True)
class RentedHours:
    """Accelerator-hours of one line of rent."""

    line: Line
    hours: Num
    is_busy: bool


@dataclass(frozen=True)
class Fleet:
    """Machines that are bought for the plan."""

    servers: Num
    accelerators: Num  # in whole servers
    cards: Num  # where cards are bought one by one
    years: Num  # that they are there
    times: Num  # bought: once, and at each replacement


def metered_kwh(ledger: Ledger) -> Num:
    """What one's own machines draw, with what cooling them takes. [kWh]"""
    return sum((_counted(line) for line in ledger.lines if _uses(line, METER)), np.zeros(()))


def rented_hours(ledger: Ledger) -> Iterator[RentedHours]:
    """The hours that rented accelerators are there for the plan, line by line."""
    for line in ledger.lines:
        if _uses(line, PRICE) and line.part != _AFTER_THE_PLAN:
            yield RentedHours(line, _counted(line), line.part in _BUSY)


def fleets(ledger: Ledger) -> tuple[Fleet, ...]:
    """The machines that are bought, order by order; none where they never come."""
    powered: dict[int, Line] = {}
    replaced: dict[int, Num] = {}
    for line in ledger.lines:
        names = {one.name: one.value for one in line.used}
        if METER in names and "accelerators_per_server" in names and np.any(np.asarray(names["owns"]) > 0):
            powered.setdefault(line.order, line)
        if "refreshes" in names:
            replaced.setdefault(line.order, names["refreshes"])
    return tuple(_purchased_machines(line, replaced.get(order, 0.0)) for order, line in powered.items())


def _purchased_machines(line: Line, replaced: Num) -> Fleet:
    names = {one.name: one.value for one in line.used}
    names.setdefault("spare_share", 0.0)
    months = np.sum(np.asarray(names["owns"]), axis=-1)
    servers = _plain(formula(SERVERS)(names))
    return Fleet(
        servers=servers,
        accelerators=servers * _plain(names["accelerators_per_server"]),
        cards=_plain(formula(CARDS)(names)),
        years=months / 12,
        times=1.0 + np.sum(np.atleast_1d(np.asarray(replaced)), axis=-1),
    )


def unsaid(ledger: Ledger) -> str | None:
    """Why nobody can say what this takes to run; None where the lines say it."""
    if any(_uses(line, ALL_IN) for line in ledger.lines):
        return "your sum for running it says nothing of electricity"
    if any(line.part == "tokens" and np.any(np.nan_to_num(line.usd, nan=1.0) != 0) for line in ledger.lines):
        return "nobody says what the tokens of a hosted model take"
    return None


def price_of(line: Line) -> LedgerInput:
    """The price of an hour, as a line of rent used it."""
    return next(one for one in line.used if one.name == PRICE)


def _uses(line: Line, name: str) -> bool:
    return any(one.name == name for one in line.used)


def _counted(line: Line) -> Num:
    names = {one.name: _AT_ONE.get(one.name, one.value) for one in line.used}
    counted: Num = np.sum(np.atleast_1d(np.asarray(formula(line.how)(names))), axis=-1)
    return counted


def _plain(value: Num) -> Num:
    """One for each draw, without the axis of months along which it does not change."""
    array = np.asarray(value)
    return array[..., 0] if array.ndim else float(array)
