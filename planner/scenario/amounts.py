"""Large numbers as people type and read them: 15T, 300 B, 2e12, 1,000,000, 1.4 trillion."""

from __future__ import annotations

import re

_SIZES = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_GROUPED = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_AMOUNT = re.compile(rf"([0-9]+(?:\.[0-9]*)?(?:e\+?[0-9]{{1,2}})?)\s*({'|'.join(_SIZES)})")
_WRITTEN = ((1e12, "T"), (1e9, "B"), (1e6, "M"))


def read_amount(text: str) -> float | None:
    """The number that a text stands for; None where it stands for none. A comma only parts thousands."""
    found = _AMOUNT.fullmatch(_GROUPED.sub("", text.strip().casefold()))
    return None if found is None else float(found[1]) * _SIZES[found[2]]


def amount_text(value: float) -> str:
    """A number as its largest unit and no digit lost: 1 T, 1.4 T, 12,000. `read_amount` reads it back the same."""
    for size, letter in _WRITTEN:
        if value >= size and read_amount(short := f"{value / size:.12g} {letter}") == value:
            return short
    return f"{value:,.0f}" if value == int(value) else f"{value:.17g}"
