"""Lengths of time as people say them: one rule for every sentence, table and axis."""

import math
from itertools import pairwise
from typing import NamedTuple

from planner.scenario.base import DAYS_PER_MONTH, DAYS_PER_YEAR, HOURS_PER_DAY, MONTHS_PER_YEAR, SECONDS_PER_HOUR

SECONDS_PER_DAY = HOURS_PER_DAY * SECONDS_PER_HOUR
NEVER = "never done"
_ALIKE = 10.0  # a range whose ends lie so many times apart, or less, is said in one unit


class _Unit(NamedTuple):
    """A unit, from which length on it is used, and what follows one and several of it."""

    days: float
    least_days: float
    one: str
    several: str
    mark: str  # on an axis


_SECOND, _MINUTE, _HOUR = 1 / SECONDS_PER_DAY, 60 / SECONDS_PER_DAY, 1 / HOURS_PER_DAY
_UNITS = (
    _Unit(_SECOND / 1e3, 0.0, "ms", "ms", "ms"),
    _Unit(_SECOND, _SECOND, "s", "s", "s"),
    _Unit(_MINUTE, _MINUTE, "minute", "minutes", "min"),
    _Unit(_HOUR, _HOUR, "hour", "hours", "h"),
    _Unit(1.0, 1.0, "day", "days", "d"),
    _Unit(DAYS_PER_YEAR, 2.0 * DAYS_PER_YEAR, "year", "years", "y"),
)


def format_duration(days: float, digits: int = 3) -> str:
    """A length of time: 1 day, 18.2 days, 45 minutes, 3.4 years. `digits` are significant."""
    number, unit = time_parts(days, digits)
    return f"{number}{unit}"


def time_parts(days: float, digits: int = 3) -> tuple[str, str]:
    """The same as a number and what follows it."""
    if not math.isfinite(days):
        return NEVER, ""
    if days == 0:
        return "0", " days"
    return _said(days, _unit_of(days, digits), digits)


def range_words(low: float, typical: float, high: float) -> str:
    """A length of time and its range, in one unit where they are alike: 1 day (0.8 to 1.38)."""
    usual, ends = format_duration(typical), range_ends(low, typical, high)
    return usual if low == typical == high else f"{usual} ({ends})"


def range_ends(low: float, typical: float, high: float) -> str:
    """The ends of a range, in the unit of the typical length where they are alike."""
    alike = math.isfinite(high) and 0 < low <= typical <= _ALIKE * low and high <= _ALIKE * typical
    unit = _unit_of(typical, 3) if alike else None
    ends = (format_duration(end) if unit is None else _number(end, unit, 3) for end in (low, high))
    return " to ".join(ends)


def seconds_words(seconds: float) -> str:
    """A length of time in seconds: 412 ms, 68 s, 2.3 minutes."""
    return format_duration(seconds / SECONDS_PER_DAY)


def hours_words(hours: float, digits: int = 3) -> str:
    """A length of time in hours."""
    return format_duration(hours / HOURS_PER_DAY, digits)


def years_words(years: float) -> str:
    """A term in years, to a month: 3 years, 18 months."""
    months = years * MONTHS_PER_YEAR
    return months_words(round(months) if months >= 1 else months)


def months_words(months: float) -> str:
    """A term: 1 month, 18 months, 3 years; days where it is less than a month."""
    if months < 1:
        return format_duration(months * DAYS_PER_MONTH)
    whole = months % MONTHS_PER_YEAR == 0
    number, unit = (months / MONTHS_PER_YEAR, "year") if whole else (months, "month")
    shown = f"{float(f'{number:.3g}'):,g}"
    return f"{shown} {unit}" if shown == "1" else f"{shown} {unit}s"


def time_mark(days: float) -> str:
    """A round length of time in short, as an axis has it: 10 min, 1 h, 3 d."""
    unit = next((unit for unit in reversed(_UNITS[:-1]) if days >= unit.days * (1 - 1e-9)), _UNITS[0])
    return f"{_number(days, unit, 3)} {unit.mark}"


def _unit_of(days: float, digits: int) -> _Unit:
    """The unit of a length of time as it is shown: 59.99 minutes are an hour."""
    for unit, larger in pairwise(_UNITS):
        if _rounded(days / unit.days, digits) * unit.days < larger.least_days * (1 - 1e-9):
            return unit
    return _UNITS[-1]


def _said(days: float, unit: _Unit, digits: int) -> tuple[str, str]:
    number = _number(days, unit, digits)
    return number, f" {unit.one if number == '1' else unit.several}"


def _number(days: float, unit: _Unit, digits: int) -> str:
    return f"{_rounded(days / unit.days, digits):,.12g}"


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
