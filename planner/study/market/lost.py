"""Why a try of a market study lost: a kind with its number, and the one place where that becomes words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from planner.scenario.durations import time_parts
from planner.study.market.amounts import sum_of_money

Kind = Literal[
    "speed_unknown", "does_not_divide", "does_not_fit", "never_ends", "too_slow", "too_few", "over_a_year", "no_price",
    "outlasts_the_plan", "late", "over_budget", "dearer", "slower", "dearer_and_slower",
]  # fmt: skip
BEATEN: frozenset[Kind] = frozenset({"dearer", "slower", "dearer_and_slower"})
SO_MANY = "so many"


_AMOUNT: dict[Kind, Callable[[float], tuple[str, str]]] = {
    "late": time_parts,
    "over_a_year": time_parts,
    "over_budget": sum_of_money,
}
# What tries that lost alike have in common; and what follows it of one of them.
_HEAD: dict[Kind, str] = {
    "speed_unknown": "speed unknown",
    "does_not_divide": "does not divide",
    "does_not_fit": "does not fit",
    "never_ends": "it stops more often",
    "too_slow": "too slow",
    "too_few": "too few",
    "over_a_year": "takes {}: over a year",
    "no_price": "no price",
    "outlasts_the_plan": "takes longer",
    "late": "{} late",
    "over_budget": "over the budget by ${}",
    "dearer": "dearer",
    "slower": "slower",
    "dearer_and_slower": "dearer and slower",
}
_REST: dict[Kind, str] = {
    "never_ends": " than it starts again: it never ends",
    "outlasts_the_plan": " than the plan",
    **dict.fromkeys(BEATEN, " than {}"),
}


@dataclass(frozen=True)
class Lost:
    """The first reason for which a try lost."""

    kind: Kind
    detail: str = ""  # what lacks, what is needed, or which try beat it
    amount: float = 0.0  # days that it takes, or is late; USD over the budget

    @property
    def beaten(self) -> bool:
        """Whether it does the work at a price that can be believed, and another one does it for less or sooner."""
        return self.kind in BEATEN

    @property
    def counted(self) -> str:
        """The reason without its numbers and names, to count how many lost for it."""
        return self._head(SO_MANY)

    def __str__(self) -> str:
        """dearer than 8 x H100 SXM5 80 GB on demand."""
        rest = _REST.get(self.kind, ": {}" if self.detail else "")
        return f"{self._head('')}{rest.format(self.detail)}"

    def _head(self, number: str) -> str:
        if self.kind not in _AMOUNT:
            return _HEAD[self.kind]
        shown, unit = _AMOUNT[self.kind](self.amount)
        return _HEAD[self.kind].format(f"{number or shown}{unit}")
