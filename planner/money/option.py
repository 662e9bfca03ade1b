"""Options: the ways to supply the work, each with its ledger, its range and what it warns of."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Case, Ledger
from planner.scenario.own import PurchaseOrder
from planner.scenario.ways import Way
from pricing.caching import cached_property, without

AtEnd = Callable[[Case], Ledger]


@dataclass(frozen=True)
class Option:
    """One way to supply the work of a scenario."""

    key: str  # its name in links and files: own, own-16, on_demand, mix ...
    way: Way
    title: str  # Buy 8 and run them
    what: str  # what exactly: server, place, provider, terms
    ledger: Ledger  # at typical figures
    at_end: AtEnd  # the same with every figure at its cheap or dear end
    useful_hours: NDArray[np.float64]  # accelerator-hours of work delivered, by month, entry 0 being today
    accelerators: float  # how many at once, at most
    orders: tuple[PurchaseOrder, ...] = ()  # in which what is owned is bought; empty: at once
    warnings: tuple[str, ...] = ()  # flags, not rulings: "may hold an embedded lease: ask accounting"

    @cached_property
    def low(self) -> Ledger:
        """Every figure at its cheap end. Reckoned when asked for: where futures are drawn, the range is theirs."""
        return self.at_end("low")

    @cached_property
    def high(self) -> Ledger:
        """Every figure at its dear end."""
        return self.at_end("high")

    def __getstate__(self) -> dict[str, object]:
        """What is sent to another process: not what can be made again."""
        return without(self, "low", "high")


_SIZED = re.compile(r"own-(\d+)")


def fleet_option_key(accelerators: int) -> str:
    """The key of a fleet whose size is not the one that was asked for: own-16."""
    return f"own-{accelerators}"


def fleet_size_from_key(key: str) -> int | None:
    """How many accelerators the key of an option names; None where it names no number."""
    found = _SIZED.fullmatch(key)
    return None if found is None else int(found[1])


@dataclass(frozen=True)
class SkippedOption:
    """A way that was not reckoned, and why."""

    way: Way
    reason: str
