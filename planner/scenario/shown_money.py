"""The money in which amounts are shown. The engine calculates in US dollars; every text and chart converts here.

A verb and a run of a page say once which money is shown: that of the plan. What a person typed stays as it was typed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeVar

from pricing.exchange import DOLLAR, mark_of

if TYPE_CHECKING:
    from planner.scenario.terms import Currency

P = ParamSpec("P")
T = TypeVar("T")


class ShownMoney(NamedTuple):
    """A currency with its rate in dollars, and where that is from."""

    code: str = DOLLAR
    usd_per_unit: float = 1.0
    rate_text: str = ""

    @property
    def mark(self) -> str:
        """Return what stands before an amount: $, €, CHF and a space."""
        return mark_of(self.code)

    def amount(self, usd: float) -> float:
        """Return dollars in this money."""
        return usd / self.usd_per_unit


_DOLLARS = ShownMoney()
_SHOWN: ContextVar[ShownMoney] = ContextVar("shown_money", default=_DOLLARS)


def money_of(currency: Currency | None) -> ShownMoney:
    """Return a currency with its rate; dollars where there is none."""
    if currency is None or currency.usd_per_unit is None or currency.code == DOLLAR:
        return _DOLLARS
    rate = f"1 {currency.code} = {currency.usd_per_unit:.6g} USD of {currency.day} ({currency.source})"
    return ShownMoney(currency.code, currency.usd_per_unit, rate)


def show_money_of(currency: Currency | None) -> None:
    """Show amounts in a currency from now on."""
    _SHOWN.set(money_of(currency))


def shown_money() -> ShownMoney:
    """Return the money that is shown."""
    return _SHOWN.get()


def with_money(money: ShownMoney, function: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Return the result of a function that shows this money, in whatever thread or process it runs."""
    token = _SHOWN.set(money)
    try:
        return function(*args, **named)
    finally:
        _SHOWN.reset(token)


def write_usd(usd: float, form: str = ",.2f") -> str:
    """Return an amount with its mark, its number in a format: $2.69."""
    money = _SHOWN.get()
    amount = money.amount(usd)
    return f"{'-' if amount < 0 else ''}{money.mark}{abs(amount):{form}}"
