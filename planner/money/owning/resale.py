"""What the machines bring when they go: the market's price, one agreed today, or at least what somebody guarantees.

Shares are shares of the dollars that were paid. What is sold at a replacement is sold on the terms of what is sold in
the end, and the new machines have a guarantee of their own.
"""

from dataclasses import dataclass, replace

import numpy as np

from planner.money.formula import Num, formula
from planner.money.inflation import agreed
from planner.money.ledger import COMPUTED, TRIED, YOUR_INPUT, InputSheet, Line
from planner.money.owning.inputs import TIMES
from planner.money.setting import PlanContext
from planner.money.timeline import PLAN, Holding
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.own import OwnInputs

_NEARLY = 1e-9
# Below this rate a year no interest is reckoned: its formula would divide nothing by nothing.
_FLAT = "1e-6"


@dataclass(frozen=True)
class Installments:
    """Level payments from the delivery on, the last of them at the latest when the machines are sold."""

    holding: Holding
    months: Num  # whole ones
    in_advance: bool = False

    def add_to(self, sheet: InputSheet, name: str) -> None:
        """Says the number of payments and the months they fall in as inputs; `name` tells loans from leases."""
        number = self.holding.since_delivery + float(self.in_advance)
        last = self.holding.delivery_month + self.months
        sold_in = np.ceil(np.asarray(self.holding.stop) - _NEARLY)
        due = (number >= 1) & (number <= self.months) & (self.holding.plan.month <= sold_in)
        pays = np.asarray(due * self.holding.comes, dtype=np.float64)
        settles = np.equal(self.holding.plan.month, np.minimum(last, sold_in)) * self.holding.comes
        made = np.asarray(np.sum(pays, axis=-1, keepdims=np.ndim(pays) > 1), dtype=np.float64)
        sheet.add(f"{name}_months", self.months, "months", PLAN)
        sheet.add("month", self.holding.plan.month, "its number", PLAN)
        sheet.add("delivery_month", self.holding.delivery_month, "its number", PLAN)
        sheet.add("payments_made", made if made.ndim else float(made), "payments", PLAN)
        sheet.add("pays", pays, "1 in months with a payment, else 0", PLAN)
        sheet.add("settles", settles, "1 in the month in which all is settled, else 0", PLAN)


def whole_months(years: Num | None, otherwise_months: Num) -> Num:
    """The number of payments."""
    months = otherwise_months if years is None else np.asarray(years) * MONTHS_PER_YEAR
    return np.maximum(np.ceil(np.asarray(months, dtype=np.float64) - _NEARLY), 1.0)[()]


def first_principal_share(rate: str, months: str) -> str:
    """The part of a loan that its first level payment in arrears repays; each later one repays (1 + rate) more."""
    some = f"((1 + {rate}) ** (1 / 12) - 1) / max((1 + {rate}) ** ({months} / 12) - 1, 1e-9)"
    return f"where({rate} > {_FLAT}, {some}, 1 / {months})"


def grown(rate: str) -> str:
    """What a dollar has grown to from the first month after the delivery to each month: to 1 in that month."""
    return f"(1 + {rate}) ** ((month - 1) / 12) / (1 + {rate}) ** (delivery_month / 12)"


def outstanding_share(rate: str, months: str, made: str) -> str:
    """The part of a loan that is owed after so many level payments in arrears."""
    end = f"(1 + {rate}) ** ({months} / 12)"
    some = f"({end} - (1 + {rate}) ** ({made} / 12)) / max({end} - 1, 1e-9)"
    return f"where({rate} > {_FLAT}, {some}, ({months} - {made}) / {months})"


def level_payment(rate: str, months: str, left: str, *, in_advance: bool) -> str:
    """The level payment for each dollar lent, of which a share is left owing at the end."""
    one = f"(1 - (1 + {rate}) ** (-1 / 12))" if in_advance else f"((1 + {rate}) ** (1 / 12) - 1)"
    some = f"{one} * ((1 - {left}) / max(1 - (1 + {rate}) ** (-1 * {months} / 12), 1e-9) + {left})"
    return f"where({rate} > {_FLAT}, {some}, (1 - {left}) / {months})"


def value(sheet: InputSheet, how: str) -> Num:
    """What a formula gives for the inputs that were said."""
    return formula(how)({name: sheet.used[name].value for name in formula(how).names})


LATER = "(1 + hardware_price_change_per_year)"
PRICED = "priced_after_years"  # of an order with a price of its own: from today to the month it is typed for
HOST = "host_part"  # of the price
COST, GUARANTEED = "guarantee_cost_share", "guaranteed_residual_share"
_REPLACED = " of what is replaced"


@dataclass(frozen=True, eq=False)
class _SaleTiming:
    """When machines come or go, and of which day their price is."""

    when: str  # its months; of a replacement, with what prices have changed by
    priced_after_years: Num
    of: str = ""  # what its lines say behind their names
    left: str = "residual_share"  # the input that says what is left of the price


def sale_lines(
    sheet: InputSheet, setting: PlanContext, price: str, host_part: str | None, held: Holding, *, replaced: str | None
) -> tuple[Line, ...]:
    """The lines of every sale. `host_part` is the formula for the host's part of the price; None where it has none.

    `price` is that of the order; `replaced` the price that what replaces it starts from, None where nothing does.
    """
    own = setting.scenario.own
    _say(sheet, own)
    if host_part is not None and own.host_residual_share is not None:
        sheet.add(HOST, value(sheet, host_part), "share of the price", replace(COMPUTED, note=host_part))
    come = {_SaleTiming("delivered", held.ordered_years): price}
    go = {_SaleTiming("sold", held.ordered_years): price}
    if replaced is not None:
        come[_later(sheet, "new", "refreshes", _REPLACED)] = replaced
        old = _later(sheet, "old", "refreshes", _REPLACED, "residual_share_at_refresh")
        go = {old: replaced, _later(sheet, "last", "sold"): replaced}
    guaranteed = {} if own.guaranteed_residual_share is None else come
    parts = [(one, _guarantee_fee_lines(sheet, paid, one)) for one, paid in guaranteed.items()]
    parts += [(one, _sold(sheet, own, paid, one)) for one, paid in go.items()]
    return tuple(line for part, lines in parts for line in agreed(setting, lines, part.priced_after_years))


def become(sheet: InputSheet, name: str) -> str:
    """By how much the price of the machines has changed on a later day: since today, or since its own day."""
    return f"{LATER} ** ({name} - {PRICED})" if PRICED in sheet.used else f"{LATER} ** {name}"


def _later(sheet: InputSheet, which: str, flag: str, of: str = "", left: str = "residual_share") -> _SaleTiming:
    """A moment of a plan that replaces its machines: those at hand were bought at the price of another day."""
    name = f"{which}_price_after_years"
    return _SaleTiming(f"{become(sheet, name)} * {flag}", sheet.used[name].value, of, left)


def _say(sheet: InputSheet, own: OwnInputs) -> None:
    """Says what was agreed on the resale, and what is left of the host where that is another share."""
    for name in (GUARANTEED, COST, "forward_residual_share"):
        sheet.add(name, getattr(own, name) or 0.0, "share of the price", YOUR_INPUT)
    if own.host_residual_share is not None:
        times = sheet.tried.get(TIMES, 1.0)
        where = TRIED if TIMES in sheet.tried else YOUR_INPUT
        sheet.add("host_residual_share", own.host_residual_share * times, "share of the host's price", where)


def _guarantee_fee_lines(sheet: InputSheet, price: str, moment: _SaleTiming) -> tuple[Line, ...]:
    """What the guarantee costs, paid when the machines come."""
    how = f"{price} * {COST} * {moment.when}"
    return (sheet.line(f"Guarantee of the resale{moment.of}", "resale", how),)


def _sold(sheet: InputSheet, own: OwnInputs, price: str, moment: _SaleTiming) -> tuple[Line, ...]:
    """What one sale brings: what was agreed, or what the market pays and what a guarantee pays above it."""
    if own.forward_residual_share is not None:
        how = f"-1 * {price} * forward_residual_share * {moment.when}"
        return (sheet.line(f"Resale{moment.of}", "resale", how, treatment="sale"),)
    sold, left = f"-1 * {price} * (1 - selling_cost_share)", moment.left
    shares = {"Resale": left}
    if HOST in sheet.used:
        shares = {"Resale, GPUs": f"(1 - {HOST}) * {left}", "Resale, hosts": f"{HOST} * host_residual_share"}
        left = " + ".join(shares.values())
    lines = tuple(
        sheet.line(f"{name}{moment.of}", "resale", f"{sold} * {share} * {moment.when}", treatment="sale")
        for name, share in shares.items()
    )
    if own.guaranteed_residual_share is None:
        return lines
    short = f"max({GUARANTEED} - (1 - selling_cost_share) * ({left}), 0)"
    how = f"-1 * {price} * {short} * {moment.when}"
    return (*lines, sheet.line(f"Paid up to the guarantee{moment.of}", "resale", how, treatment="sale"))
