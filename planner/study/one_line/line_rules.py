"""The rules of a line of plain English: what its verbs and quantities are, read from line_words.yaml.

They are tried in their order. A part of the line that one of them took is blanked out for those after it.
"""

import math
from collections.abc import Mapping
from typing import Any

from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, SECONDS_PER_HOUR
from planner.study.one_line.line_patterns import rule, whole
from planner.study.one_line.line_words import WORDS
from planner.study.one_line.quantities import (
    DAYS_PER_WEEK,
    EVENING_HOURS,
    HOURS_OF_UNIT,
    MONTH_NAMES,
    MOST_GROWTH,
    NIGHT_HOURS,
    OFFICE_HOURS_PER_WEEK,
    RATE_UNIT,
    SHIFT_HOURS,
    WORKING_DAYS,
    Rule,
    clock_share,
    gpu_hours,
    hours_of,
    number_in,
    parse_number,
    per_hours,
    per_second,
)

_LEAST_MS = 20  # a time without a unit: 500 is in milliseconds, 2 in seconds
_MOST_LOG_GROWTH = 9.0  # beyond what a plan may have, which it says
_WEEK = HOURS_OF_UNIT["w"]
# How the value of a rule follows from what it matches, by the name that line_words.yaml has for it.
_VALUES: Mapping[str, Any] = {
    "number": number_in, "whole_number": lambda match: int(number_in(match)),
    "share": lambda match: number_in(match) / 100,
    "rest_share": lambda match: 1 - number_in(match) / 100,
    "in_thousands": lambda match: number_in(match) * (1_000.0 if match["size"].startswith(("p", "m")) else 1.0),
    "number_of_many": lambda match: (number_in(match), parse_number(match["many"])),
    "times_many": lambda match: number_in(match) * parse_number(match["many"]),
    "power_of_ten": lambda match: float(match["n"]) * 10.0 ** int(match["power"]),
    "milliseconds": lambda match: number_in(match) * (
        1.0 if match["time"] == "ms" or (not match["time"] and number_in(match) >= _LEAST_MS) else 1_000.0),
    "ms_of_each": lambda match: 1_000 / max(number_in(match), 0.01),
    "rate": lambda match: number_in(match) / ((per_hours(match) or 1 / SECONDS_PER_HOUR) * SECONDS_PER_HOUR),
    "thirds": lambda match: number_in(match) / 3,
    "words": lambda match: float(round(number_in(match) * 4 / 3)),
    "words_per_second": lambda match: per_second(match) * 4 / 3,
    "per_second": per_second, "per_minute": lambda match: number_in(match) / 60,
    "per_day": lambda match: number_in(match) / HOURS_PER_DAY / SECONDS_PER_HOUR,
    "many_per_second": lambda match: per_second(match) * parse_number(match["many"]),
    "per_units": lambda match: (
        number_in(match) / (parse_number(match["many"]) * hours_of(match["unit"]) * SECONDS_PER_HOUR)),
    "read_and_written": lambda match: (
        per_second(match), per_second(match) * parse_number(match["out"]) / number_in(match)),
    "hours": lambda match: number_in(match) * hours_of(match["unit"]),
    "hours_of_many": lambda match: number_in(match) * hours_of(match["unit"]) * parse_number(match["many"]),
    "hours_of_span": lambda match: number_in(match) * hours_of(match["span"]),
    "hours_of_period": lambda match: number_in(match) / (per_hours(match) or HOURS_PER_MONTH),
    "months_between": lambda match: HOURS_PER_MONTH * (
        (MONTH_NAMES.index(match["to"][:3]) - MONTH_NAMES.index(match["from"][:3])) % 12 or 12),
    "one_weekend": 2 * HOURS_PER_DAY, "date": lambda match: match,
    "gpu_hours": gpu_hours, "gpu_hours_at_once": lambda match: (number_in(match) * hours_of(match["span"]), None),
    "gpu_hours_of_period": lambda match: gpu_hours(match)[0] / (per_hours(match) or HOURS_PER_MONTH),
    "share_of_month": lambda match: number_in(match) / HOURS_PER_MONTH,
    "share_of_period": lambda match: (number_in(match) * hours_of(match["span"] or match["span2"])
        / hours_of(match["unit"] or match["ly"] or match["unit2"])),
    "sound": lambda match: gpu_hours(match)[0] / SECONDS_PER_HOUR / (per_hours(match) or HOURS_PER_DAY),
    "sound_of_hour": lambda match: gpu_hours(match)[0] / SECONDS_PER_HOUR / (per_hours(match) or 1.0),
    "sound_of_many": lambda match: (
        gpu_hours(match)[0] / SECONDS_PER_HOUR * parse_number(match["many"]) / (per_hours(match) or HOURS_PER_DAY)),
    "yearly_growth": lambda match: math.expm1(min(
        HOURS_PER_YEAR / (per_hours(match) or HOURS_PER_YEAR) * math.log1p(number_in(match) / 100), _MOST_LOG_GROWTH)),
    "doubling": lambda match: min(
        float(2 ** (HOURS_PER_YEAR / number_in(match) / hours_of(match["unit"]))) - 1, MOST_GROWTH),
    "busy_share": lambda match: min(number_in(match) / (per_hours(match) or 1.0) * (
        WORKING_DAYS / DAYS_PER_WEEK if match["weekdays"] else 1.0), 1.0),
    "clock_share": clock_share, "nights": NIGHT_HOURS / HOURS_PER_DAY,
    "evenings": EVENING_HOURS / HOURS_PER_DAY, "weekends": 2 / DAYS_PER_WEEK,
    "nights_and_weekends": (NIGHT_HOURS * WORKING_DAYS + 2 * HOURS_PER_DAY) / _WEEK,
    "office_hours": OFFICE_HOURS_PER_WEEK / _WEEK,
    "shifts": lambda match: SHIFT_HOURS * parse_number(match["n"]) * WORKING_DAYS / _WEEK,
    "evenings_a_week": lambda match: number_in(match) * EVENING_HOURS / _WEEK,
    "hours_of_working_days": lambda match: number_in(match) * WORKING_DAYS / _WEEK,
    "hours_of_days_a_week": lambda match: number_in(match) * parse_number(match["many"]) / _WEEK,
    "days_a_week": lambda match: number_in(match) / DAYS_PER_WEEK,
    "minutes_of_period": lambda match: number_in(match) / 60 / (per_hours(match) or HOURS_PER_DAY),
    "parts": lambda match: number_in(match) / (3 if match["of"] == "thirds" else 4),
    "runs_a_month": lambda match: number_in(match) * HOURS_PER_MONTH / (per_hours(match) or 1.0),
    "every": lambda match: HOURS_PER_MONTH / hours_of(match.groupdict().get("unit") or match[0]),
    "every_many": lambda match: HOURS_PER_MONTH / hours_of(match["unit"]) / parse_number(match["many"]),
    "every_second": lambda match: HOURS_PER_MONTH / hours_of(match["unit"]) / 2,
    "year": lambda match: int(match["year"]),
    "short_year": lambda match: 2000 + int(match["year"]),
    "precision": lambda match: {"4": "int4", "8": "int8", "16": "bf16"}.get(
        match["bits"] or match["q"] or ("4" if match["four"] else ""), match["format"]),
}  # fmt: skip
RULES, VERBS = (
    tuple(rule(str(name), whole(str(pattern)), _VALUES.get(str(value), value)) for name, value, pattern in WORDS[kind])
    for kind in ("rules", "verbs")
)
STRAY: tuple[Rule, ...] = (rule("stray", rf"(?<![a-z|]){RATE_UNIT}", per_hours),)
