"""When money spent has come back: counted plainly, and counted at what it is worth today."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.formula import Num
from planner.money.outcome import Reason

ALWAYS = Reason("always", "never costs more than the baseline")
REACHED = Reason("found", "payback reached and not reversed")
REACHED_AND_LOST = Reason("found", "paid back, but a later expense exceeds what had come back by then")
NEVER_SAVES = Reason("never", "once the money is out, no month brings any back")
NEVER_IN_TIME = Reason("never", "what comes back does not reach what went out", " within these months")
NOT_COMPARED = Reason("none", "there are no two ways to compare")
ENDINGS = (ALWAYS, REACHED_AND_LOST, REACHED, NEVER_SAVES, NEVER_IN_TIME, NOT_COMPARED)
_WORDS = np.array(
    [
        f"no payback needed: {one.detail}" if one is ALWAYS else one.detail if one.word == "found" else str(one)
        for one in ENDINGS
    ]
)

_DUST = 1e-12  # of all money moved: what a sum of exact opposites may leave behind


@dataclass(frozen=True, eq=False)
class Payback:
    """The month in which the money is back, for each entry, and how that ended."""

    month: Num  # the first whole month with everything back, 0 where always; not-a-number where never
    months: Num  # the same to the part of a month, money moving evenly within it
    ending: NDArray[np.intp]  # its place in ENDINGS

    @property
    def reason(self) -> NDArray[np.str_]:
        """Why there is a month, or none, in words."""
        return np.asarray(_WORDS[self.ending])

    @property
    def found(self) -> NDArray[np.bool_]:
        """Whether the money comes back, for each entry."""
        return np.asarray(np.isfinite(self.month))

    def at(self, index: int) -> Payback:
        """The payback of one entry."""
        month, months = (float(np.asarray(number)[index]) for number in (self.month, self.months))
        return Payback(month, months, np.asarray(self.ending[index]))


def simple_payback(*, usd: NDArray[np.float64]) -> Payback:
    """The month by which the sum of all amounts is no longer negative. [month]

    Entry 0 is today, entry m is month m; money saved or coming in is positive, money paid out negative. Money that only
    goes out later (an order with a lead time) counts from then. Amounts are cash: taking depreciation off them as well
    would count the purchase twice. What comes after, and the price of waiting, are left out.

    References
    ----------
    Brealey, Myers, Allen: Principles of Corporate Finance, 13th ed. 2020, ch. 5, payback and discounted payback.
    """
    usd = np.asarray(usd, dtype=np.float64)
    balance = np.cumsum(usd, axis=-1)
    in_debt = balance < -_DUST * np.cumsum(np.abs(usd), axis=-1)
    was_in_debt = np.logical_or.accumulate(in_debt, axis=-1)
    back = was_in_debt & ~in_debt
    month = np.argmax(back, axis=-1)
    ever, always = back.any(axis=-1), ~in_debt.any(axis=-1)
    lost = (in_debt & np.logical_or.accumulate(back, axis=-1)).any(axis=-1)
    saves = (was_in_debt[..., :-1] & (usd[..., 1:] > 0)).any(axis=-1)
    ended = {ALWAYS: always, REACHED_AND_LOST: ever & lost, REACHED: ever, NEVER_SAVES: ~saves}
    ending = np.select(list(ended.values()), [ENDINGS.index(one) for one in ended], ENDINGS.index(NEVER_IN_TIME))
    whole = np.where(always, 0.0, np.where(ever, month, np.nan))
    parts = np.where(ever, month - _left_over(usd, balance, month), whole)
    return Payback(whole[()], parts[()], ending)


def _left_over(usd: NDArray[np.float64], balance: NDArray[np.float64], month: NDArray[np.int64]) -> NDArray[np.float64]:
    """The part of the last month that was not needed to get the money back."""
    came, over = (np.take_along_axis(array, month[..., None], axis=-1)[..., 0] for array in (usd, balance))
    return np.clip(over / np.where(came > 0, came, 1.0), 0.0, 1.0)
