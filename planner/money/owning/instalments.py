"""Payments month by month: when they fall due, and as formulas what part of them is interest."""

from dataclasses import dataclass

import numpy as np

from planner.money.formula import Num, formula
from planner.money.input_sheet import Basis
from planner.money.timeline import PLAN, Holding
from planner.scenario.base import MONTHS_PER_YEAR

_NEARLY = 1e-9
# Below this rate a year no interest is reckoned: its formula would divide nothing by nothing.
_FLAT = "1e-6"


@dataclass(frozen=True)
class Instalments:
    """Level payments from the delivery on, the last of them at the latest when the machines are sold."""

    held: Holding
    months: Num  # whole ones
    in_advance: bool = False

    def say(self, put: Basis, name: str) -> None:
        """Says the number of payments and the months they fall in as inputs; `name` tells loans from leases."""
        number = self.held.since_delivery + float(self.in_advance)
        last = self.held.delivery_month + self.months
        sold_in = np.ceil(np.asarray(self.held.stop) - _NEARLY)
        due = (number >= 1) & (number <= self.months) & (self.held.plan.month <= sold_in)
        pays = np.asarray(due * self.held.comes, dtype=np.float64)
        settles = np.equal(self.held.plan.month, np.minimum(last, sold_in)) * self.held.comes
        made = np.asarray(np.sum(pays, axis=-1, keepdims=np.ndim(pays) > 1), dtype=np.float64)
        put.say(f"{name}_months", self.months, "months", PLAN)
        put.say("month", self.held.plan.month, "its number", PLAN)
        put.say("delivery_month", self.held.delivery_month, "its number", PLAN)
        put.say("payments_made", made if made.ndim else float(made), "payments", PLAN)
        put.say("pays", pays, "1 in months with a payment, else 0", PLAN)
        put.say("settles", settles, "1 in the month in which all is settled, else 0", PLAN)


def whole_months(years: Num | None, otherwise_months: Num) -> Num:
    """The number of payments."""
    months = otherwise_months if years is None else np.asarray(years) * MONTHS_PER_YEAR
    return np.maximum(np.ceil(np.asarray(months, dtype=np.float64) - _NEARLY), 1.0)[()]


def first_principal(rate: str, months: str) -> str:
    """The part of a loan that its first level payment in arrears repays; each later one repays (1 + rate) more."""
    some = f"((1 + {rate}) ** (1 / 12) - 1) / max((1 + {rate}) ** ({months} / 12) - 1, 1e-9)"
    return f"where({rate} > {_FLAT}, {some}, 1 / {months})"


def grown(rate: str) -> str:
    """What a dollar has grown to from the first month after the delivery to each month: to 1 in that month."""
    return f"(1 + {rate}) ** ((month - 1) / 12) / (1 + {rate}) ** (delivery_month / 12)"


def owed_share(rate: str, months: str, made: str) -> str:
    """The part of a loan that is owed after so many level payments in arrears."""
    end = f"(1 + {rate}) ** ({months} / 12)"
    some = f"({end} - (1 + {rate}) ** ({made} / 12)) / max({end} - 1, 1e-9)"
    return f"where({rate} > {_FLAT}, {some}, ({months} - {made}) / {months})"


def level_payment(rate: str, months: str, left: str, *, in_advance: bool) -> str:
    """The level payment for each dollar lent, of which a share is left owing at the end."""
    one = f"(1 - (1 + {rate}) ** (-1 / 12))" if in_advance else f"((1 + {rate}) ** (1 / 12) - 1)"
    some = f"{one} * ((1 - {left}) / max(1 - (1 + {rate}) ** (-1 * {months} / 12), 1e-9) + {left})"
    return f"where({rate} > {_FLAT}, {some}, (1 - {left}) / {months})"


def value(put: Basis, how: str) -> Num:
    """What a formula gives for the inputs that were said."""
    return formula(how)({name: put.used[name].value for name in formula(how).names})
