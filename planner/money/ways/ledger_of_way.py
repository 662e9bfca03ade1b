"""What every way of supply gives back: its lines at one setting, or the reason why there are none."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger, Line
from planner.money.price_path import with_forward_fee
from planner.money.setting import PlanContext
from planner.money.tax.lines import taxed
from planner.scenario.own import PurchaseOrder


@dataclass(frozen=True)
class OptionLedger:
    """One way at one setting."""

    title: str
    what: str
    lines: tuple[Line, ...]
    useful_hours: NDArray[np.float64]
    accelerators: float
    orders: tuple[PurchaseOrder, ...] = ()  # in which what is owned is bought; empty: at once
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unavailable:
    """Why a way cannot be reckoned, as a sentence that says what to enter."""

    reason: str


def complete_ledger(setting: PlanContext, title: str, lines: Iterable[Line]) -> Ledger:
    """The lines of a way with what it pays once for all of them: the fee for an agreed rent, and tax."""
    return taxed(setting, Ledger(title, with_forward_fee(setting, lines)))


Builder = Callable[[PlanContext], OptionLedger | Unavailable]


def under(heading: str, lines: Iterable[Line]) -> tuple[Line, ...]:
    """Lines renamed to stand under a heading, without those that never cost anything."""
    return tuple(line.called(f"{heading}: {line.name[0].lower()}{line.name[1:]}") for line in lines if moves(line))


def moves(line: Line) -> bool:
    """Whether a line ever costs or brings anything, or is not known to."""
    return bool(line.usd.any())  # what is not a number is something
