"""Options: the ways to supply the work, each with its ledger, its range and what it warns of."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger
from planner.scenario.own import Order
from planner.scenario.ways import Way


@dataclass(frozen=True)
class Option:
    """One way to supply the work of a scenario."""

    key: str  # its name in links and files: own, own-16, on_demand, mix ...
    way: Way
    title: str  # Buy 8 and run them
    what: str  # what exactly: server, place, provider, terms
    ledger: Ledger  # at typical figures
    low: Ledger  # every figure at its cheap end
    high: Ledger  # every figure at its dear end
    useful_hours: NDArray[np.float64]  # accelerator-hours of work delivered, by month, entry 0 being today
    accelerators: float  # how many at once, at most
    orders: tuple[Order, ...] = ()  # in which what is owned is bought; empty: at once
    warnings: tuple[str, ...] = ()  # flags, not rulings: "may hold an embedded lease: ask accounting"


_SIZED = re.compile(r"own-(\d+)")


def sized_key(accelerators: int) -> str:
    """The key of a fleet whose size is not the one that was asked for: own-16."""
    return f"own-{accelerators}"


def size_in(key: str) -> int | None:
    """How many accelerators the key of an option names; None where it names no number."""
    found = _SIZED.fullmatch(key)
    return None if found is None else int(found[1])


@dataclass(frozen=True)
class Absent:
    """A way that was not reckoned, and why."""

    way: Way
    reason: str
