"""What a unit of another currency is worth in US dollars, and amounts as people type them: 1.85 EUR, £2, CHF 250k."""

import re
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from pricing.catalogue import Catalogue

DOLLAR = "USD"
_FACT = "exchange-rate-"
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
    """What one unit of a currency is worth, on which day, and who says so."""

    code: str
    usd: float
    day: date
    said_by: str


Rates = Mapping[str, ExchangeRate]


def rates(catalogue: Catalogue) -> Rates:
    """The newest rate of every currency that the catalogue has one for."""
    found = {}
    for key, fact in catalogue.facts.items():
        if key.startswith(_FACT):
            code, figure = key.removeprefix(_FACT).upper(), fact.figure
            source = catalogue.sources[figure.newest.source]
            found[code] = ExchangeRate(code, figure.newest.typical, figure.since, source.publisher or source.title)
    return found


class CurrencyAmount(NamedTuple):
    """A text as an amount of some currency, the number still as it was typed."""

    number: str
    code: str


def amount_in(text: str) -> CurrencyAmount | None:
    """The number and the currency in a text; dollars where it names none. None where it is no amount."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None or (found["before"] and found["after"]):
        return None
    mark = (found["before"] or found["after"] or DOLLAR).upper()
    return CurrencyAmount(found["number"], _MARKS.get(mark, mark))


def unknown_currency(code: str, known: Rates) -> str:
    """What to say of a currency without a rate."""
    if code in _SHARED:
        return f"{code.lower()} may be {_SHARED[code]}: write which"
    return f"no rate of {code} is known; there are {', '.join((DOLLAR, *sorted(known)))}"
