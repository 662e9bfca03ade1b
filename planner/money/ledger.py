"""The ledger: what one way of getting the work done costs, line by line. The single truth behind every total.

A line does not hold an amount. It holds a formula and the inputs used, and the amount is what the formula gives for
them; so a line can always be recomputed from what it prints, and a total can never disagree with its parts. Values may
be numbers or arrays (one entry for each offer, month or draw): the same line then stands for all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Literal

import numpy as np

from planner.money.formula import Num, formula

# What the money is for. The order is the order on every chart and table.
Part = Literal[
    "hardware", "network", "storage", "space", "power", "staff", "upkeep", "compute", "whole machines", "rounding",
    "idle", "commitment", "egress", "resale",
]  # fmt: skip


@dataclass(frozen=True)
class Origin:
    """Where an input came from."""

    said_by: str  # "your input", "your quote", a source's title, or "assumption"
    kind: str  # input, yours, assumption, list_price, spec ...
    since: date | None = None
    checked: date | None = None
    url: str | None = None
    note: str | None = None


YOUR_INPUT = Origin("your input", "input")
COMPUTED = Origin("computed above", "computed")
CONVENTION = Origin("convention", "convention")


@dataclass(frozen=True)
class Used:
    """One input as it was used."""

    name: str
    value: Num
    unit: str
    origin: Origin | Callable[[int], Origin]  # of one entry, where the value is an array


@dataclass(frozen=True)
class Line:
    """One item of a ledger. Costs are positive, money that comes back is negative."""

    name: str
    part: Part
    how: str
    used: tuple[Used, ...]
    note: str | None = None

    @cached_property
    def usd(self) -> Num:
        """What the formula gives for the inputs shown. Not-a-number where an input is unknown: not priced."""
        return formula(self.how)({one.name: one.value for one in self.used})

    def at(self, index: int) -> Line:
        """The same line for one entry of its arrays."""
        return replace(self, used=tuple(_one(used, index) for used in self.used))


@dataclass(frozen=True)
class Ledger:
    """All lines of one option, or of many options at once."""

    title: str
    lines: tuple[Line, ...]

    @cached_property
    def total_usd(self) -> Num:
        """The sum of the lines that are priced. Computed from them, never stored beside them."""
        return sum((np.nan_to_num(line.usd) for line in self.lines), start=np.float64(0.0))

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The lines whose price nobody knows. While there are any, the total is a lower bound."""
        return tuple(line.name for line in self.lines if np.isnan(line.usd).any())

    def part_usd(self, part: Part) -> Num:
        """The sum of the priced lines of one part."""
        return sum((np.nan_to_num(line.usd) for line in self.lines if line.part == part), start=np.float64(0.0))

    def at(self, index: int, title: str) -> Ledger:
        """The ledger of one entry of the arrays."""
        return Ledger(title, tuple(line.at(index) for line in self.lines))


def _one(used: Used, index: int) -> Used:
    value = float(used.value[index]) if isinstance(used.value, np.ndarray) else used.value
    return replace(used, value=value, origin=used.origin(index) if callable(used.origin) else used.origin)
