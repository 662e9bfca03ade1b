"""Numbers, units and periods in a line of plain English, and what the match of a rule states."""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from planner.scenario.amounts import parse_amount
from planner.scenario.base import (
    HOURS_PER_DAY,
    HOURS_PER_MONTH,
    HOURS_PER_YEAR,
    SECONDS_PER_HOUR,
)
from planner.study.one_line.line_words import WORDS

BLANK = "|"
MONTH_NAMES = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
MOST_GROWTH = 9.0  # a year, that a plan may have
DAYS_PER_WEEK, WORKING_DAYS, OFFICE_HOURS_PER_WEEK = 7, 5, 40
NIGHT_HOURS, EVENING_HOURS, SHIFT_HOURS = 10, 4, 8  # a night from 8 in the evening to 6: assumptions
HOURS_OF_UNIT = {
    "s": 1 / SECONDS_PER_HOUR, "mi": 60 / SECONDS_PER_HOUR, "h": 1.0, "d": HOURS_PER_DAY,
    "n": HOURS_PER_DAY, "ev": HOURS_PER_DAY, "mor": HOURS_PER_DAY,
    "w": HOURS_PER_DAY * DAYS_PER_WEEK, "mo": HOURS_PER_MONTH, "m": HOURS_PER_MONTH, "pm": HOURS_PER_MONTH,
    "y": HOURS_PER_YEAR, "an": HOURS_PER_YEAR, "q": HOURS_PER_YEAR / 4, "sem": HOURS_PER_YEAR / 2,
    "fo": HOURS_PER_DAY * DAYS_PER_WEEK * 2,
}  # fmt: skip
_WORDS: dict[str, float] = {  # others are in digits before a rule reads them
    "zero": 0, "a": 1, "an": 1, "one": 1, "another": 1, "a single": 1, "single": 1, "once": 1, "twice": 2, "dual": 2,
    "quad": 4,
}  # fmt: skip
_SIZES = {"mn": "m", "mio": "m", "mil": "m", "bn": "b", "tn": "t", "thousand": "k"}
_SIZE = r"(?:\s?(?:k|mn|mio|mil|m|bn|b|tn|t|thousand|million|billion|trillion)(?![a-z0-9]))"
_DIGITS = r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:e\+?[0-9]{1,2})?"
_SPELT = "|".join(sorted((re.escape(word) for word in _WORDS), key=len, reverse=True))
NUMBER = rf"(?<![\w.,-])(?:{_DIGITS}{_SIZE}?|(?:{_SPELT})(?![\w-]))"
PLAIN = rf"(?<![\w.,-])(?:{_DIGITS}|(?:{_SPELT})(?![\w-]))"  # without million: 5 m is five months
UNIT = (
    r"(?P<unit>seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|d|nights?|evenings?|mornings?|weeks?|wks?|w"
    r"(?<!\d\d\dw)"
    r"|months?|mos?|mths?|quarters?"
    r"|semesters?|fortnights?|years?|yrs?|y)(?![a-z0-9])"
)
LONG_UNIT = UNIT.replace("seconds?|secs?|s|minutes?|mins?|", "")  # 4090s are cards
EVERY = r"\s*(?:/|(?:per|an?|each|every|p|in (?:one|a single)(?= (?:day|hour|minute|second)))(?![a-z]))\s*"
RATE_UNIT = rf"(?:{EVERY}{UNIT}|\s*(?P<ly>hourly|daily|nightly|weekly|monthly|quarterly|yearly|annually))"
REQUESTS = (
    r"(?:(?!(?:for|and|to|with|in|on|at|of|x|gpus?|cards?|sdxl|flux) )[a-z]+ )?"
    rf"(?:{WORDS['requests'].replace(' ', '|')})"
)
TOKENS = r"(?:training |text |output |input )?(?:tokens?|toks?)(?: input(?= per| a| /))?(?![a-z])"
WHO = rf"(?:{WORDS['people'].replace(' ', '|')})(?![a-z])"
ASKERS = r"(?:users|customers|clients|visitors|subscribers|citizens|residents|players|patients|readers|learners)"


class Rule(NamedTuple):
    """A pattern, the quantity it states, and how its value follows from a match."""

    name: str
    pattern: re.Pattern[str]
    value: Callable[[re.Match[str]], Any]


def parse_number(text: str) -> float:
    """Return a number in digits or words: 100M, 1,5 is none, a dozen."""
    plain = text.strip()
    if plain in _WORDS:
        return _WORDS[plain]
    for long, short in _SIZES.items():
        plain = re.sub(rf"(?<=[\d\s]){long}$", short, plain)
    return parse_amount(plain) or 0.0


def hours_of(unit: str) -> float:
    """Return the hours of a unit of time, by its first letters."""
    return next(HOURS_OF_UNIT[unit[:letters]] for letters in (3, 2, 1) if unit[:letters] in HOURS_OF_UNIT)


def per_hours(match: re.Match[str]) -> float | None:
    """Return the hours of the period of a rate; None where a match names none."""
    name = match["unit"] or match["ly"]
    return hours_of(name) if name else None


def take(line: str, rules: tuple[Rule, ...]) -> Iterator[tuple[str, Any, int, int]]:
    """Yield what each rule states, with its place; a rule takes nothing of what one before it took."""
    for rule in rules:
        for match in rule.pattern.finditer(line):
            yield rule.name, rule.value(match), match.start(), match.end()
            line = blank(line, match.start(), match.end())


def blank(line: str, start: int, end: int) -> str:
    """Return the line with a part blanked out."""
    return line[:start] + BLANK * (end - start) + line[end:]


def number_in(match: re.Match[str]) -> float:
    return parse_number(match["n"] or match.groupdict().get("n2") or "")


def per_second(match: re.Match[str]) -> float:
    return number_in(match) / ((per_hours(match) or 1.0) * SECONDS_PER_HOUR)


def gpu_hours(match: re.Match[str]) -> tuple[float, float | None]:
    return number_in(match) * hours_of(match["span"]), per_hours(match)


def clock_share(match: re.Match[str]) -> float:
    """Return the share of the hours between two times of the day: 6 pm to 6 am."""
    times = []
    for text in (match["from"], match["to"]):
        hour, minute = int(re.findall(r"\d+", text)[0]), int((re.findall(r":(\d+)", text) or ["0"])[0])
        times.append(hour % 12 + 12 * ("pm" in text) + minute / 60 if text.endswith("m") else hour + minute / 60)
    share = ((times[1] - times[0]) % HOURS_PER_DAY or HOURS_PER_DAY) / HOURS_PER_DAY
    return share * (WORKING_DAYS / DAYS_PER_WEEK if match["weekdays"] else 1.0)
