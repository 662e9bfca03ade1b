"""The rules of a line: numbers, units and periods, tried in their order; what one takes is blanked for the others."""

import math
import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any, NamedTuple

from planner.scenario.amounts import parse_amount
from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, SECONDS_PER_HOUR
from planner.study.one_line.line_words import WORDS

BLANK, DAYS = "|", "montuewedthufrisatsun"
MONTH_NAMES = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
MOST_GROWTH, MOST_AN_HOUR = 9.0, 20  # of a year; dollars: a smaller sum without a period is the rent of an hour
DAYS_PER_WEEK, WORKING_DAYS, SHIFT_HOURS = 7, 5, 8  # hours: an assumption
HOURS_OF_PATTERN = {name: float(hours) for name, hours in WORDS["hours_of_pattern"].items()}
HOURS_OF_UNIT = {
    "s": 1 / SECONDS_PER_HOUR, "mi": 60 / SECONDS_PER_HOUR, "h": 1.0, "d": HOURS_PER_DAY, "wd": HOURS_PER_DAY * 7 / 5,
    "n": HOURS_PER_DAY, "ev": HOURS_PER_DAY, "mor": HOURS_PER_DAY, "w": HOURS_PER_DAY * DAYS_PER_WEEK,
    "fo": HOURS_PER_DAY * DAYS_PER_WEEK * 2, "mo": HOURS_PER_MONTH, "m": HOURS_PER_MONTH, "pm": HOURS_PER_MONTH,
    "y": HOURS_PER_YEAR, "an": HOURS_PER_YEAR, "q": HOURS_PER_YEAR / 4, "sem": HOURS_PER_YEAR / 2,
}  # fmt: skip
_WORDS = {word: float(number) for word, number in WORDS["counts"].items()}


class Rule(NamedTuple):
    """A pattern, the quantity it states, how its value follows from a match, and what the whole line must have."""

    name: str
    pattern: re.Pattern[str]
    value: Callable[[re.Match[str]], Any]
    holds: re.Pattern[str]


def parse_number(text: str) -> float:
    """Return a number in digits or words: 100M, 1,5 is none, a dozen."""
    plain, sizes = text.strip(), rf"(?<=[\d\s])(?:{'|'.join(WORDS['sizes'])})$"
    return _WORDS.get(plain) or parse_amount(re.sub(sizes, lambda it: WORDS["sizes"][it[0]], plain)) or 0.0


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
        for match in rule.pattern.finditer(line) if rule.holds.search(line) else ():
            yield rule.name, rule.value(match), match.start(), match.end()
            line = blank(line, match.start(), match.end())


def blank(line: str, start: int, end: int) -> str:
    """Return the line with a part blanked out."""
    return line[:start] + BLANK * (end - start) + line[end:]


def number_in(match: re.Match[str]) -> float:
    return parse_number(match["n"] or match.groupdict().get("n2") or "")


def per_second(match: re.Match[str]) -> float:
    return number_in(match) / ((per_hours(match) or 1.0) * SECONDS_PER_HOUR)


def clock_share(match: re.Match[str]) -> float:
    """Return the share of the hours between two times of the day: 6 pm to 6 am; 9 to 5 are eight hours."""
    start, end = _hour_of(match["from"]), _hour_of(match["to"])
    turn = HOURS_PER_DAY if max(start, end) > 12 or match["to"].endswith("m") else HOURS_PER_DAY / 2
    return ((end - start) % turn or turn) / HOURS_PER_DAY * days_of(match["weekdays"]) / DAYS_PER_WEEK


def days_of(text: str | None) -> int:
    """Return how many days of a week a text names: mon-sat, weekdays; none: all."""
    days = [DAYS.index(day) // 3 for day in re.findall("mon|tue|wed|thu|fri|sat|sun", text or "")]
    return days[-1] - days[0] + 1 if len(days) > 1 else WORKING_DAYS if text else DAYS_PER_WEEK


def _hour_of(text: str) -> float:
    hour, minute = int(re.findall(r"\d+", text)[0]), int((re.findall(r":(\d+)", text) or ["0"])[0])
    return hour % 12 + 12 * ("pm" in text) + minute / 60 if text.endswith("m") else hour + minute / 60


def months_between(match: re.Match[str]) -> int:
    """Return how many months lie from one to another, the last with them unless it is `until` that one."""
    first, last = (MONTH_NAMES.index(match[name][:3]) for name in ("from", "to"))
    is_until = (match["sep"] or "").startswith(("until", "til"))
    return (last - first) % len(MONTH_NAMES) + (not is_until) if first != last else len(MONTH_NAMES)


def day_of(match: re.Match[str], day: date) -> date:
    """Return the next date of that name."""
    if named := match["feast"] or match["season"]:
        feasts, stated = WORDS["feasts"], match["year3"] or match["year4"] or 0
        named_days = [date.fromisoformat(f"{year}-{feasts.get(f'{named} {year}', feasts[named])}")
            for year in ([int(stated)] if stated else [day.year, day.year + 1])]  # fmt: skip
        return next((each for each in named_days if each > day), day)
    if iso := (match["iso"] or "").replace("-", ""):
        return max(date.fromisoformat(f"{iso[:6]}01") + timedelta(int(iso[6:]) - 1), day)
    year, month = (match["year"] or match["year2"] or match["only"] or (
        day.year + match["this"].startswith("next") if match["this"] else None)), match["month"]  # fmt: skip
    ends = not (match["day"] or match["day2"]) and (month or match["quarter"]) and PATTERNS["last_day"].search(
        "|" * ("||||" in match.string[: match.start()]) + match["way"].strip())  # fmt: skip
    part = (match["part"] or ("end" if ends else ""))[:3]
    number = MONTH_NAMES.index(month[:3]) + 1 if month else 3 * int(match["quarter"][1]) - 2 * (part != "end") if (
        match["quarter"]) else {"mid": 6, "end": 12}.get(part, 1)  # fmt: skip
    days = {"mid": 14, "end": monthrange(int(year or day.year), number)[1] - 1}.get(
        part, int(match["day"] or match["day2"] or 1) - 1)  # fmt: skip
    first = date(int(year or day.year), number, 1)
    first = first.replace(year=first.year + 1) if not year and first + timedelta(days) <= day else first
    return max(first + timedelta(days), day)


SPACE = re.compile(r"(\(\?<[=!][^)]*\))|(?<!\[-) (?![*+{])(\??)")  # not in a look-behind or a class


def rule(name: str, pattern: str, value: Callable[[re.Match[str]], Any] | Any, holds: str = "any") -> Rule:
    """Build a rule; each space in its pattern stands for some of them."""
    spaced = SPACE.sub(lambda match: match[1] or (" *" if match[2] else " +"), pattern)
    return Rule(name, re.compile(spaced), value if callable(value) else lambda _: value, PATTERNS[holds])


_PART = re.compile(r"\{([A-Z][A-Z0-9_]*)\}")
# What a pattern has in braces: lists of words, then the parts of line_words.yaml, each of those before it.
PARTS: dict[str, str] = {
    "SPELT": "|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True)),
    "NOUNS": "|".join(word for word in WORDS["requests"].split() if len(word) > len("r|q")),
    "NATIONS": "|".join(WORDS["nationalities"]), "INSTITUTES": "|".join(WORDS["institutes"]),
    **{f"ANY_{of.upper()}": WORDS[of].replace(" ", "|") for of in ("people", "machines", "requests", "organizations")},
}  # fmt: skip


def whole(pattern: str) -> str:
    """Return a pattern with its parts in it."""
    return _PART.sub(lambda part: PARTS[part[1]], pattern)


for _name, _part in WORDS["parts"].items():
    PARTS[_name] = whole(_part)
PATTERNS: Mapping[str, re.Pattern[str]] = {name: re.compile(whole(text)) for name, text in WORDS["patterns"].items()}

_LEAST_MS, _MOST_LOG_GROWTH, _WEEK = 20, 9.0, HOURS_OF_UNIT["w"]  # of a time without a unit; beyond what a plan has
# How the value of a rule follows from what it matches, by the name that line_words.yaml has for it.
_VALUES: Mapping[str, Any] = {
    "currency": lambda match: (WORDS["currencies"].get(match["code"].removesuffix("s")) or match["code"]).upper(),
    **{name: float(hours) / _WEEK for name, hours in WORDS["hours_of_week"].items()},
    **{name: lambda of, times=times: number_in(of) * float(times) for name, times in WORDS["multiplied_by"].items()},
    **{name: lambda of, by=by: number_in(of) / float(by) for name, by in WORDS["divided_by"].items()},
    "books_a_second": lambda of: per_second(of) * 300, "words_a_second": lambda of: per_second(of) / 375,
    "mean_share": lambda match: (number_in(match) + parse_number(match["n2"])) / 200,
    "whole_number": lambda of: int(number_in(of)), "multiple": lambda of: float(WORDS["times"][of["times"]]),
    "multiple_of_span": lambda match: (
        float(WORDS["times"].get(match["times"], match["times"])), number_in(match) * hours_of(match["unit"])),
    "in_thousands": lambda match: number_in(match) * (1_000.0 if match["size"].startswith(("p", "m")) else 1.0),
    "number_of_many": lambda match: (number_in(match), parse_number(match["many"])),
    "pages_of_tokens": lambda of: number_in(of) * parse_number(of["many"]) / 400,
    "pages_of_words": lambda of: number_in(of) * parse_number(of["many"]) / 300,
    "times_many": lambda of: number_in(of) * parse_number(of["many"]), "weekday": lambda of: of["weekday"][:3],
    "power_of_ten": lambda match: float(match["n"]) * 10.0 ** int(match["power"]),
    "milliseconds": lambda match: number_in(match) * (
        1.0 if match["time"] == "ms" or (not match["time"] and number_in(match) >= _LEAST_MS) else 1_000.0),
    "ms_of_each": lambda it: 1_000 / max(number_in(it), 0.01), "rest_share": lambda match: 1 - number_in(match) / 100,
    "rate": lambda match: number_in(match) / ((per_hours(match) or 1 / SECONDS_PER_HOUR) * SECONDS_PER_HOUR),
    "words_per_second": lambda match: per_second(match) * 4 / 3, "per_second": per_second,
    "sum_per_second": lambda match: per_second(match) * (1 + parse_number(match["many"]) / number_in(match)),
    "many_per_second": lambda match: per_second(match) * parse_number(match["many"]),
    "per_units": lambda of: number_in(of) / (parse_number(of["many"]) * hours_of(of["unit"]) * SECONDS_PER_HOUR),
    "read_and_written": lambda of: (per_second(of), per_second(of) * parse_number(of["out"]) / number_in(of)),
    "split_in_two": lambda of: tuple(
        per_second(of) * float(of[it]) / (float(of["in"]) + float(of["out"])) for it in ("in", "out")),
    "rates_of_two": lambda of: (_VALUES["rate"](of), _VALUES["rate"](of) * parse_number(of["many"]) / number_in(of)),
    "rise": lambda of: (_VALUES["rate"](of), parse_number(of["many"]) / max(number_in(of), 1e-9), (
        parse_number(of["length"] or "1") * hours_of(of["span"]) if of["span"] else 3 * HOURS_PER_YEAR)),
    "hours": lambda of: number_in(of) * hours_of(of["unit"]), "words": lambda of: float(round(number_in(of) * 4 / 3)),
    "hours_of_frames": lambda of: (number_in(of) * parse_number(of["many"]) * hours_of(of["span"]), per_hours(of)),
    "months": lambda match: round(number_in(match) * hours_of(match["unit"]) / HOURS_PER_MONTH, 1),
    "hours_of_many": lambda match: number_in(match) * hours_of(match["unit"]) * parse_number(match["many"]),
    "hours_of_span": lambda of: number_in(of) * hours_of(of["span"]), "date": lambda of: of,
    "hours_of_period": lambda match: number_in(match) / (per_hours(match) or HOURS_PER_MONTH),
    "months_of_year": lambda match: months_between(match) / len(MONTH_NAMES), "clock_share": clock_share,
    "days_between": lambda match: HOURS_PER_DAY * max(int(match["to"]) - int(match["from"]) + 1, 1),
    "months_between": lambda match: HOURS_PER_MONTH * months_between(match),
    "gpu_hours": lambda match: (number_in(match) * hours_of(match["span"]), per_hours(match)),
    "gpu_hours_at_once": lambda match: (number_in(match) * hours_of(match["span"]), None),
    "gpu_hours_of_period": lambda of: number_in(of) * hours_of(of["span"]) / (per_hours(of) or HOURS_PER_MONTH),
    "share_of_period": lambda of: (
        number_in(of) * hours_of(of["span"] or of["span2"]) / hours_of(of["unit"] or of["ly"] or of["unit2"])),
    "sound": lambda of: number_in(of) * hours_of(of["span"]) / SECONDS_PER_HOUR / (per_hours(of) or HOURS_PER_DAY),
    "sound_of_many": lambda match: _VALUES["sound"](match) * parse_number(match["many"]),
    "yearly_growth": lambda match: math.expm1(min(
        HOURS_PER_YEAR / (per_hours(match) or HOURS_PER_YEAR) * math.log1p(number_in(match) / 100), _MOST_LOG_GROWTH)),
    "multiplied": lambda match: float(WORDS["times"].get(match["times"], match["times"])) ** min(
        HOURS_PER_YEAR / (parse_number(match["n"] or "1")) / (per_hours(match) or 1.0), 60.0) - 1,
    "busy_share": lambda of: min(number_in(of) / (per_hours(of) or 1.0) * days_of(of["weekdays"]) / DAYS_PER_WEEK, 1.0),
    "clock_of_days": lambda match: clock_share(match) * parse_number(match["many"]) / DAYS_PER_WEEK,
    "clock_and_weekends": lambda match: clock_share(match) * WORKING_DAYS / DAYS_PER_WEEK + 2 / DAYS_PER_WEEK,
    "shifts": lambda of: SHIFT_HOURS * parse_number(of["n"]) * parse_number(of.groupdict().get("many") or "5") / _WEEK,
    "hours_of_named_days": lambda match: number_in(match) * days_of(match["weekdays"]) / _WEEK,
    "hours_of_days": lambda match: number_in(match) * parse_number(match["many"]) / hours_of(match["unit"]),
    "week_and_weekend": lambda of: (number_in(of) * WORKING_DAYS + parse_number(of["many"]) * 2) / _WEEK,
    "on_and_off": lambda of: number_in(of) / (number_in(of) + parse_number(of["many"])), "number": number_in,
    "share_of_frames": lambda of: _VALUES["hours_of_frames"](of)[0] / (per_hours(of) or HOURS_PER_MONTH),
    "days_named": lambda match: days_of(match[0]) / DAYS_PER_WEEK,
    "minutes_of_period": lambda match: number_in(match) / 60 / (per_hours(match) or HOURS_PER_DAY),
    "runs_a_month": lambda match: number_in(match) * HOURS_PER_MONTH / (per_hours(match) or 1.0),
    "every": lambda match: HOURS_PER_MONTH / hours_of(match.groupdict().get("unit") or match[0]),
    "every_many": lambda match: HOURS_PER_MONTH / hours_of(match["unit"]) / parse_number(match["many"]),
    "year": lambda match: 2000 + int(match["year"] or match.groupdict()["year2"]) % 100,
    "precision": lambda match: {"4": "int4", "8": "int8", "16": "bf16"}.get(
        match["bits"] or match["q"] or ("4" if match["four"] else ""), match["format"]),
}  # fmt: skip
RULES, VERBS = (tuple(
    rule(str(name), whole(str(pattern)), _VALUES.get(str(value), value), *map(str, holds))
    for name, value, pattern, *holds in WORDS[kind]) for kind in ("rules", "verbs"))  # fmt: skip
STRAY: tuple[Rule, ...] = (rule("stray", whole("(?<![a-z|]){RATE_UNIT}"), per_hours),)
