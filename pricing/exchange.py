"""Exchange rates into US dollars, and amounts as people type them: 1.85 EUR, £2, CHF 250k."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pricing.catalogue import Catalogue

DOLLAR = "USD"
FACT = "exchange-rate-"
_DAYS_PER_YEAR = 365.25
# Marks that stand for one currency; ¥ and kr stand for several.
_MARKS = {
    "€": "EUR",
    "£": "GBP",
    "$": DOLLAR,
    "US$": DOLLAR,
    "₹": "INR",
    "₩": "KRW",
    "₪": "ILS",
    "฿": "THB",
    "₺": "TRY",
}
_SHARED = {"¥": "JPY or CNY", "KR": "DKK, ISK, NOK or SEK"}
_MARK = r"US\$|[€£$₹₩₪฿₺¥]|(?<![A-Za-z])(?:[A-Za-z]{3}|[Kk][Rr])"
_AMOUNT = re.compile(rf"(?P<before>{_MARK})?\s*(?P<number>-?[0-9.].*?)\s*(?P<after>{_MARK})?")


class ExchangeRate(NamedTuple):
    """The worth of one unit of a currency, with its day and source."""

    code: str
    usd: float
    day: date
    said_by: str


Rates = Mapping[str, ExchangeRate]


def rates(catalogue: Catalogue) -> Rates:
    """Return the newest rate of every currency that the catalogue has one for."""
    by_code = {}
    for key, fact in catalogue.facts.items():
        if key.startswith(FACT):
            code, figure = key.removeprefix(FACT).upper(), fact.figure
            source = catalogue.sources[figure.newest.source]
            by_code[code] = ExchangeRate(code, figure.newest.typical, figure.since, source.publisher or source.title)
    return by_code


def moves_per_year(catalogue: Catalogue) -> Mapping[str, float]:
    """Return how far each currency moved against the dollar in a year: the root mean square between dated rates.

    A currency counts by half, and all together by half: few dates say little of one.
    """
    squares = {}
    for key, fact in catalogue.facts.items():
        dated = sorted(fact.figure.values.items())
        if key.startswith(FACT) and len(dated) > 1:
            squares[key.removeprefix(FACT).upper()] = fmean(
                math.log(after.typical / before.typical) ** 2 / ((day - earlier).days / _DAYS_PER_YEAR)
                for (earlier, before), (day, after) in pairwise(dated)
            )
    return {code: math.sqrt((square + fmean(squares.values())) / 2) for code, square in squares.items()}


class CurrencyAmount(NamedTuple):
    """A text as an amount of some currency, the number still as it was typed."""

    number: str
    code: str


def mark_of(code: str) -> str:
    """Return what stands before an amount of a currency: its mark, else its code and a space."""
    return next((mark for mark, each in _MARKS.items() if each == code), f"{code} ")


def amount_in(text: str) -> CurrencyAmount | None:
    """Return the number and the currency in a text; dollars where it names none. None where it is no amount."""
    match = _AMOUNT.fullmatch(text.strip())
    if match is None or (match["before"] and match["after"]):
        return None
    mark = (match["before"] or match["after"] or DOLLAR).upper()
    return CurrencyAmount(match["number"], _MARKS.get(mark, mark))


def unknown_currency(code: str, rates_of: Rates) -> str:
    """Return the message about a currency without a rate."""
    if code in _SHARED:
        return f"{code.lower()} may be {_SHARED[code]}: write which"
    return f"no rate of {code} is known; there are {', '.join((DOLLAR, *sorted(rates_of)))}"
