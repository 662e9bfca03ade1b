"""A rent agreed today for later: in its months it stands in place of the path of rents, in every future."""

from collections.abc import Iterable

import numpy as np

from planner.money.inflation import inflation_per_year, worth_when_paid
from planner.money.input_sheet import Basis
from planner.money.ledger import COMPUTED, YOUR_INPUT, Line
from planner.money.setting import Setting
from planner.money.timeline import PLAN

PRICE_AGREED = "forward_usd_per_accelerator_hour"
WORTH_AGREED = "worth_of_agreed_when_paid"
FEE = "forward_fee_usd"
_FIRST = "forward_from_month"


def say_forward(basis: Basis, setting: Setting, path: str) -> str:
    """The price of an hour as a formula: what was agreed from its first month on, before it the path."""
    rent = setting.scenario.rent
    if rent.forward_usd_per_accelerator_hour is None:
        return path
    basis.say(PRICE_AGREED, rent.forward_usd_per_accelerator_hour, "USD/accelerator-hour", YOUR_INPUT)
    basis.say(_FIRST, float(rent.forward_from_month), "number of the month", YOUR_INPUT)
    basis.say("month", setting.timeline.month, "its number", PLAN)
    agreed = PRICE_AGREED
    if inflation_per_year(setting) != 0:
        worth = worth_when_paid(setting, 0.0)
        basis.say(WORTH_AGREED, worth, "dollars of today", PLAN)
        agreed = f"{agreed} * {WORTH_AGREED}"
    return f"where(month >= {_FIRST}, {agreed}, {path})"


def forward_note(setting: Setting) -> tuple[str, ...]:
    """What to say where hours on demand have an agreed price."""
    rent = setting.scenario.rent
    if rent.forward_usd_per_accelerator_hour is None or rent.forward_from_month > setting.timeline.last:
        return ()
    usd, month = rent.forward_usd_per_accelerator_hour, rent.forward_from_month
    return (f"from month {month} on an hour on demand costs the {usd:g} USD that were agreed, wherever rents go",)


def with_fee(setting: Setting, lines: Iterable[Line]) -> tuple[Line, ...]:
    """The lines of a way, and the fee for the agreement where it rents at that price."""
    rent, lines = setting.scenario.rent, tuple(lines)
    if rent.forward_fee_usd is None:
        return lines
    agreed = [line for line in lines if any(one.name == PRICE_AGREED for one in line.used)]
    months = setting.timeline.month >= rent.forward_from_month
    rents = sum((np.any((line.usd != 0) & months, axis=-1, keepdims=True) for line in agreed), np.zeros(1)) > 0
    if not np.any(rents):
        return lines
    basis = setting.basis()
    basis.flags(setting.timeline.flags)
    basis.say(FEE, rent.forward_fee_usd, "USD", YOUR_INPUT)
    uses = rents.astype(np.float64) if rents.ndim > 1 else float(rents[0])
    basis.say("rents_as_agreed", uses, "1 where any hour is rented at the agreed price, else 0", COMPUTED)
    return (*lines, basis.line("Fee for the agreed rent", "commitment", f"{FEE} * rents_as_agreed * starts"))
