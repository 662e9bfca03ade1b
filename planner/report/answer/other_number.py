"""One more number of a plan: what it is, its value with its unit, and how it follows."""

from dataclasses import dataclass

import numpy as np

from planner.report import words

_SMALL_SHARE = 0.02
_CENT = 0.1  # dollars: of less, cents say too little


@dataclass(frozen=True)
class OtherNumber:
    """A row: what, how much, in what, and how it follows or why there is none."""

    name: str  # for programs
    option: str | None  # the key of the way it is of; None where it is of two
    what: str
    value: float | None
    unit: str
    how: str

    @property
    def said(self) -> str:
        """The value as people write it."""
        if self.value is None:
            return "–"
        if self.unit.startswith("USD"):
            return _usd(self.value)
        if self.unit.startswith("share"):
            return words.percent(self.value, 1 if 0 < abs(self.value) < _SMALL_SHARE else 0)
        return number(self.value)


def number(value: float) -> str:
    """Three figures of a number, never 2e-05."""
    rounded = words.significant(value)
    return f"{rounded:,g}" if abs(rounded) >= 1 else np.format_float_positional(rounded, trim="-")


def _usd(value: float) -> str:
    if 0 < abs(value) < _CENT:
        return f"{'-' if value < 0 else ''}${number(abs(value))}"
    return words.usd(value)
