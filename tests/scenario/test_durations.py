"""Lengths of time as people say them: the right unit, never "1 days", and longer never reads as shorter."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.scenario.durations import (
    format_duration,
    hours_words,
    months_words,
    range_words,
    seconds_words,
    span_words,
    time_mark,
    years_words,
)

SECOND = 1 / 86_400
DAYS = {"ms": SECOND / 1e3, "s": SECOND, "minute": 60 * SECOND, "hour": 1 / 24, "day": 1.0, "year": 365.0}
LENGTHS = st.floats(0.001 * SECOND, 3_650.0) | st.sampled_from(
    [unit * near for unit in DAYS.values() for near in (0.999, 0.9999, 1.0, 1.0001, 1.001, 2.0)]
)


def read(said: str) -> float:
    """The days that a length of time says."""
    number, unit = said.split(" ")
    assert unit in DAYS or unit.removesuffix("s") in DAYS, said
    plural = unit.removesuffix("s") in DAYS and unit not in DAYS
    assert plural == (number != "1") or unit in ("ms", "s"), said
    return float(number.replace(",", "")) * DAYS[unit if unit in DAYS else unit.removesuffix("s")]


@pytest.mark.parametrize(("days", "said"), [
    (0.412 * SECOND, "412 ms"), (68 * SECOND, "1.13 minutes"), (45 * SECOND, "45 s"), (0.01, "14.4 minutes"),
    (59.99 / 1_440, "1 hour"), (1 / 24, "1 hour"), (0.5, "12 hours"), (1.0, "1 day"), (1.004, "1 day"),
    (18.24, "18.2 days"), (365.0, "365 days"), (730.0, "2 years"), (1_234.5, "3.38 years"), (0.0, "0 days"),
    (float("inf"), "never done"),
])  # fmt: skip
def test_a_length_of_time_reads_in_the_unit_of_its_size(days: float, said: str) -> None:
    assert format_duration(days) == said


@settings(max_examples=500)
@given(LENGTHS, LENGTHS)
def test_a_longer_time_never_reads_as_a_shorter_one(one: float, other: float) -> None:
    shorter, longer = sorted((one, other))
    assert read(format_duration(shorter)) <= read(format_duration(longer)) * (1 + 1e-9)
    assert read(format_duration(one)) == pytest.approx(one, rel=0.006)


@settings(max_examples=500)
@given(LENGTHS, st.floats(0.05, 1.0), st.floats(1.0, 20.0))
def test_a_range_reads_in_one_unit_where_its_ends_are_alike(typical: float, down: float, up: float) -> None:
    low, high = typical * down, typical * up
    said = range_words(low, typical, high)
    units = re.findall(r"[a-z]{1,}", said.replace(" to ", " "))
    if down >= 0.1 + 1e-6 and up <= 10 - 1e-6:
        assert len(units) == 1, said
    for unit in ("day", "hour", "minute", "year"):
        assert re.search(rf"(?<![\d.,])1 {unit}s", said) is None, said
    together = span_words(low, high)
    if high <= 9.99 * low:
        assert len(re.findall(r"[a-z]+", together.replace(" to ", " "))) == 1, together
    assert re.search(r"(?<![\d.,])1 (days|hours|minutes|years)", together) is None, together


def test_a_range_of_a_day_is_told_in_days() -> None:
    assert range_words(18.8 / 24, 1.004, 1.38) == "1 day (0.783 to 1.38)"
    assert range_words(0.01, 1.0, 100.0) == "1 day (14.4 minutes to 100 days)"
    assert span_words(18.8 / 24, 1.38) == "18.8 to 33.1 hours"
    assert range_words(2.0, 2.0, 2.0) == "2 days"


@pytest.mark.parametrize(
    ("months", "said"),
    [(1, "1 month"), (12, "1 year"), (36, "3 years"), (18, "18 months"), (7.5, "7.5 months"), (12 / 365, "1 day")],
)
def test_a_term_in_months_and_years(months: float, said: str) -> None:
    assert months_words(months) == said
    assert [years_words(value) for value in (1, 3, 1.5, 0.25)] == ["1 year", "3 years", "18 months", "3 months"]


def test_hours_seconds_and_marks_go_by_the_same_rule() -> None:
    assert (hours_words(1), hours_words(0.25), seconds_words(2.5)) == ("1 hour", "15 minutes", "2.5 s")
    assert [time_mark(days) for days in (10 / 1_440, 1 / 24, 3.0, 1_000.0)] == ["10 min", "1 h", "3 d", "1,000 d"]
