"""What one cell says: text, a number, a whole number, a day or a word from a list. What it cannot say is a wish.

Every function takes what stands in the file and returns a value, or raises ValueError with the wish, in words that fit
behind "want".
"""

import re
from datetime import date
from math import isfinite
from typing import Any, get_args

from pricing.choices import Area, Purchase
from pricing.days import as_day
from pricing.marks import unseen
from pricing.quotes.files import Row, brief, did_you_mean, either

LONGEST_TEXT = 200
WISHES = {
    "provider": "a provider's name",
    "accelerator": "an accelerator of the catalogue",
    "server": "a server of the catalogue",
    "accelerators_per_instance": "a whole number from 1 to 100,000",
    "accelerators": "a whole number from 1 to 100,000",
    "usd_per_accelerator_hour": "a price above 0 and at most 1,000 USD (leave it empty to ask for a quote)",
    "usd_per_instance_hour": "a price above 0 (leave it empty to ask for a quote)",
    "discount_share": "a share above 0 and below 1, such as 0.18 for 18 %",
    "price_usd": "a price above 0 and at most 10,000,000 USD",
    "low_usd": "a price above 0 and at most 10,000,000 USD, or nothing",
    "high_usd": "a price above 0 and at most 10,000,000 USD, or nothing",
    "valid_from": "a day such as 2026-01-31",
    "valid_until": "a day such as 2026-01-31",
}
KINDS = ("offer", "discount", "hardware")

_CHOICES: dict[str, tuple[str, ...]] = {"kind": KINDS, "purchase": get_args(Purchase), "area": get_args(Area)}
_NUMBERS = frozenset(
    {"usd_per_accelerator_hour", "usd_per_instance_hour", "discount_share", "price_usd", "low_usd", "high_usd"}
)
_WHOLE_NUMBERS = frozenset({"accelerators_per_instance", "accelerators"})
_DAYS = frozenset({"valid_from", "valid_until"})

_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")
_COMMA_DECIMAL = re.compile(r"[-+]?[0-9]+,[0-9]+")
_GROUPED = re.compile(r"[-+]?[0-9]{1,3}([,.' \u00a0\u202f][0-9]{3})+([.,][0-9]+)?")
_PERCENT = re.compile(r"([0-9]+(?:[.,][0-9]+)?)\s*%")
_SOME_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_LOOKS_GROUPED = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")
_LONGEST_NUMBER = 40


def read_cell(row: Row, column: str) -> Any:
    """The value of one filled cell, in the type its column wants."""
    cell = row.cells[column]
    if column in _NUMBERS:
        return _number(column, cell, row.decimal_comma)
    if column in _WHOLE_NUMBERS:
        return _whole(column, cell)
    if column in _DAYS:
        return _day(column, cell)
    return _choice(cell, _CHOICES[column]) if column in _CHOICES else plain_text(cell)


def looks_grouped(cell: object) -> bool:
    """Whether a number may have been meant as thousands: `32.500` is 32.5 to us and 32500 to half of Europe."""
    return isinstance(cell, str) and _LOOKS_GROUPED.fullmatch(cell) is not None


def plain_text(cell: object) -> str:
    """One line of text without anything invisible in it."""
    if not isinstance(cell, str):
        raise ValueError("text (in YAML, put it in quotes)")
    if len(cell) > LONGEST_TEXT:
        raise ValueError(f"at most {LONGEST_TEXT} characters")
    if unseen(cell):
        raise ValueError("one line of text without control or invisible characters")
    return cell


def _number(column: str, cell: object, decimal_comma: bool) -> float:
    if isinstance(cell, str):
        return _number_in_text(column, cell, decimal_comma)
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        raise ValueError(WISHES[column])
    return float(cell)


def _number_in_text(column: str, text: str, decimal_comma: bool) -> float:
    plain = text.replace(",", ".") if decimal_comma and _COMMA_DECIMAL.fullmatch(text) else text
    if len(plain) > _LONGEST_NUMBER or not _NUMBER.fullmatch(plain):
        raise ValueError(_wish_for(column, text[: 2 * _LONGEST_NUMBER]))
    number = float(plain)
    if not isfinite(number):
        raise ValueError(WISHES[column])
    return number


def _wish_for(column: str, text: str) -> str:
    """How to write what was probably meant."""
    if column == "discount_share" and (percent := _PERCENT.fullmatch(text)):
        share = float(percent[1].replace(",", ".")) / 100
        return f"a share: {brief(share)} for {text}"
    if _COMMA_DECIMAL.fullmatch(text) and not _GROUPED.fullmatch(text):
        return f"a decimal point: {text.replace(',', '.')}"
    if _GROUPED.fullmatch(text):
        return "a plain number without thousands separators, such as 1234.50"
    if (number := _SOME_NUMBER.search(text)) and not text.startswith("-"):
        return f"a plain number without currency or unit, such as {number[0]}"
    return WISHES[column]


def _whole(column: str, cell: object) -> int:
    if isinstance(cell, str) and re.fullmatch(r"[0-9]{1,9}", cell):
        return int(cell)
    if isinstance(cell, bool) or not isinstance(cell, int):
        raise ValueError(WISHES[column])
    return cell


def _day(column: str, cell: object) -> date:
    try:
        day = as_day(cell)
    except ValueError as error:
        raise ValueError("a day of the calendar") from error
    if not isinstance(day, date):
        raise ValueError(WISHES[column])
    return day


def _choice(cell: object, options: tuple[str, ...]) -> str:
    word = re.sub(r"[\s\-]+", "_", plain_text(cell).casefold())
    if word not in options:
        raise ValueError(either(options) + did_you_mean(word, options))
    return word
