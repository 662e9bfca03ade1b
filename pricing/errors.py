"""Errors of the facts.

PricingError
├── CatalogError     a data file of ours is wrong: the program must not start
├── QuoteError       a file the user brought cannot be read at all
└── NameLookupError       a name nobody can place
    ├── UnknownNameError      no such thing; carries the nearest names
    └── AmbiguousNameError    several things; carries all of them
"""

from collections.abc import Sequence
from dataclasses import dataclass


class PricingError(Exception):
    """Any refusal of this package. Its text is one clear sentence for people."""


@dataclass(frozen=True)
class FilePosition:
    """A position in a file: `sites/us.yaml, line 14: sites.US-TX.usd_per_kwh`."""

    file: str
    line: int | None = None
    key: str = ""

    def __str__(self) -> str:
        line = f", line {self.line}" if self.line else ""
        key = f": {self.key}" if self.key else ""
        return f"{self.file}{line}{key}"


class CatalogError(PricingError):
    """A data file is wrong. Says which file, which line, which key and what was wanted."""

    def __init__(self, place: FilePosition, wish: str) -> None:
        super().__init__(f"{place}: {wish}")
        self.place = place
        self.wanted = wish


class QuoteError(PricingError):
    """A quote file that cannot be read as a whole (too large, not text, no header)."""


class NameLookupError(PricingError):
    """A name that does not lead to exactly one thing."""

    def __init__(self, text: str, candidates: Sequence[str]) -> None:
        super().__init__(text)
        self.candidates = tuple(candidates)


class UnknownNameError(NameLookupError):
    """Nothing is called that."""


class AmbiguousNameError(NameLookupError):
    """Several things are called that, and guessing would change the price."""
