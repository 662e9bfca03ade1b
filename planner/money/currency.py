"""The money results are shown in. The engine reckons in US dollars; this is the one door out, and it opens once.

What comes out is no longer a number but a `Shown`, which nothing in the engine accepts: it cannot be converted again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from planner.money.formula import Num
from planner.scenario.terms import Currency

USD = "USD"


@dataclass(frozen=True, eq=False)
class Shown:
    """An amount in the money it is shown in, with the rate that led there."""

    amount: Num
    code: str
    usd_per_unit: float = 1.0
    day: date | None = None  # of the rate
    source: str | None = None


def in_currency(usd: Num, currency: Currency | None) -> Shown:
    """US dollars in the scenario's currency, at its one dated rate; US dollars where it names none."""
    if isinstance(usd, Shown):
        raise TypeError(f"already in {usd.code}: an amount is converted once")
    if currency is None:
        return Shown(usd, USD)
    return Shown(usd / currency.usd_per_unit, currency.code, currency.usd_per_unit, currency.day, currency.source)
