"""Why something is not worked out. Each text is a sentence for a person, with what was wanted."""

from __future__ import annotations

from pricing import PricingError

BEYOND = "its numbers are beyond what a run can be"


class BadJob(PricingError):
    """A job that cannot exist. The text says what, why, and the nearest values that can."""


class UnknownChip(PricingError):
    """The catalogue lacks what speed cannot be had without. The text says what."""


class BadTable(PricingError):
    """A table of runs that cannot be read at all. The text names line and column."""


class Skipped(PricingError):
    """Why a row is not predicted."""
