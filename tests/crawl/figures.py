"""Figures by the name of what they measure, from wherever they stand, each with how far it was rounded."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Name = tuple[str, str]  # an option by its title, or "the plan"; and a measure, with its unit
PLAN = "the plan"
_SCALE = {"k": 1e3, "M": 1e6, "B": 1e9, " million": 1e6, " billion": 1e9}
_NUMBER = re.compile(r"(-?)\$?(\d[\d,]*(?:\.(\d+))?)(k\b|M\b|B\b| million| billion)?(%)?")
HALF, CENT = 0.501, 0.006  # of the last digit shown; of a sum in a file
_THREE_DIGITS, _EXACT = 0.00501, 1e-6  # of a value: rounded to three figures; not rounded


@dataclass
class Figures:
    """All figures of a crawl, and those of one name that differ by more than they were rounded."""

    found: dict[Name, list[tuple[float, float, str]]] = field(default_factory=lambda: defaultdict(list))
    texts: dict[Name, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, option: str, measure: str, value: Any, where: str, rounded: float = 0.0) -> None:
        """Note an exact figure, or one that was rounded by so much at most."""
        number = np.nan if value is None else float(np.asarray(value).flat[0])
        if np.isfinite(number):
            self.found[option, measure].append((number, rounded + _EXACT * abs(number), where))

    def read(self, option: str, measure: str, text: str, where: str) -> None:
        """Note a figure as it is written: the first number of a text."""
        match = _NUMBER.search(text.replace("\\", ""))
        if match is None:
            return
        sign, digits, decimals, scale, percent = match.groups()
        unit = _SCALE.get(scale or "", 0.01 if percent else 1.0)
        value = float(digits.replace(",", "")) * unit * (-1 if sign else 1)
        self.add(
            option, measure, value, where, max(0.501 * unit / 10 ** len(decimals or ""), _THREE_DIGITS * abs(value))
        )

    def say(self, name: str, text: str) -> None:
        """Note words that must be the same wherever they stand."""
        self.texts[PLAN, name].add(text.replace("\\", ""))

    @property
    def compared(self) -> int:
        """Return how many figures stand beside another of their name."""
        return sum(len(values) for values in self.found.values() if len(values) > 1)

    def differences(self) -> list[str]:
        """Return a line for each name whose figures differ by more than their rounding."""
        lines = [f"{name}: {sorted(texts)}" for name, texts in self.texts.items() if len(texts) > 1]
        for name, values in self.found.items():
            low, high = max(value - by for value, by, _ in values), min(value + by for value, by, _ in values)
            if low > high:
                least, most = min(values), max(values)
                lines.append(f"{name}: {least[0]:,.6g} ({least[2]}) and {most[0]:,.6g} ({most[2]})")
        return lines
