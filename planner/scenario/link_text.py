"""The value of one short key as text, and back: numbers to the last bit, shares as percent, money in any currency."""

import re
from decimal import Decimal
from typing import Any

from planner.scenario.base import EnteredAmount
from planner.scenario.path import set_value
from planner.scenario.question import PERCENT_PLACES, LinkKey
from planner.scenario.typed_money import AmountError, is_money, parse_money, to_dollars
from pricing.exchange import Rates
from pricing.formulas import unseen

_LONGEST_NUMBER = 40
_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,3})?", re.ASCII)
_TWO_READINGS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{2}0", re.ASCII)  # somebody typed it: links write no last 0
_SMALLEST_PLAIN, _LARGEST_PLAIN = Decimal("1e-9"), Decimal("1e15")
_SWITCH = {"1": True, "true": True, "0": False, "false": False}


def entered_amounts(key: LinkKey, text: str, rates: Rates) -> tuple[EnteredAmount, ...]:
    """Return what was typed in another currency; nothing where it is plain dollars, or no money at all."""
    data: dict[str, Any] = {}
    set_value(data, key.path, text)
    return () if is_number(text) else to_dollars(data, rates).typed


def unusable_reason(key: LinkKey, text: str, rates: Rates) -> str:
    """Why a text cannot be used, to stand behind it."""
    kind = key.shape.kind
    if mark := unseen(text):
        return f", in which {mark} does not show"
    if is_money(key.path):
        try:
            parse_money(text, rates)
        except AmountError as error:
            return f": {error}"
        return f", outside {key.range}{'' if is_number(text) else ' USD'}"
    if kind not in ("whole", "number") or not is_number(text):
        return f", not {f'a number, {key.range}' if kind == 'number' else key.shape.wish}"
    is_part = kind == "whole" and key.shape.holds(float(text))
    return f", not {key.shape.wish}" if is_part else f", outside {key.range}"


def is_number(text: str) -> bool:
    """Return whether a text is a plain number."""
    return len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text) is not None


def parse_value(key: LinkKey, text: str, rates: Rates) -> Any:
    """The value a text stands for, or None."""
    kind = key.shape.kind
    if unseen(text):
        return None
    if kind == "switch":
        return _SWITCH.get(text.casefold())
    if kind == "choice":
        return text if text in key.shape.choices else None
    if kind == "text":
        return text if len(text) <= (key.shape.longest or 0) else None
    two_readings = is_money(key.path) and _TWO_READINGS.fullmatch(text)
    return _number(key, text) if is_number(text) and not two_readings else _parse_dollars(key, text, rates)


def _parse_dollars(key: LinkKey, text: str, rates: Rates) -> float | None:
    try:
        usd = parse_money(text, rates)[0] if is_money(key.path) else None
    except AmountError:
        return None
    return usd if usd is not None and key.shape.holds(usd) else None


def _number(key: LinkKey, text: str) -> float | int | None:
    exact = Decimal(text).scaleb(-PERCENT_PLACES if key.percent else 0)
    if key.shape.kind == "whole":
        return int(exact) if key.shape.holds(float(exact)) and exact == int(exact) else None
    value = float(exact)
    return value if key.shape.holds(value) else None


def format_value(key: LinkKey, value: Any) -> str:
    """The text that stands for a value."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if not isinstance(value, int | float):
        return str(value)
    exact = Decimal(repr(value)).scaleb(PERCENT_PLACES if key.percent else 0).normalize()
    plain = exact == 0 or _SMALLEST_PLAIN <= abs(exact) <= _LARGEST_PLAIN
    return f"{exact:f}" if plain else f"{exact:e}"
