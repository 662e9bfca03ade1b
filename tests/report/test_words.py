"""Numbers as people write them."""

import re
from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planner.report import words
from planner.scenario.durations import years_words
from tests.rows import each_row


@each_row(("value", "text"), [
    (0, "$0"), (0.854, "$0.85"), (99.994, "$100"), (2.189, "$2.19"), (276_432, "$276,000"), (999_950, "$1 million"),
    (1_240_000, "$1.24 million"), (2.5e12, "$2500 billion"), (-431.7, "-$432"), (float("nan"), "ask for a quote"),
    (float("inf"), "ask for a quote"),
])  # fmt: skip
def test_usd(value: float, text: str) -> None:
    assert words.usd(value) == text


@each_row(("value", "text"), [
    (276_432, "$276k"), (1_240_000, "$1.24M"), (-31_000, "-$31k"), (0.5, "$0.50"), (250, "$250"),
    (float("nan"), "not priced"),
])  # fmt: skip
def test_usd_short(value: float, text: str) -> None:
    assert words.format_usd_short(value) == text


@given(st.floats(-1e11, 1e11))
def test_short_money_fits_a_phone(value: float) -> None:
    assert len(words.format_usd_short(value)) <= 9


@given(st.floats(1e-3, 1e9))
def test_three_figures_are_within_half_a_percent(value: float) -> None:
    assert words.round_significant(value) == pytest.approx(value, rel=0.0051)


def test_days_ages_and_lists() -> None:
    assert words.day(date(2026, 11, 5)) == "5 Nov 2026"
    assert [words.age(days) for days in (0, 1, 2_000)] == ["today", "1 day old", "2,000 days old"]
    assert words.listed(["a", "b", "c"]) == "a, b and c"
    assert words.listed(["a"]) == "a"
    assert words.listed([]) == ""
    assert [years_words(value) for value in (1, 3, 1.5, 0.25)] == ["1 year", "3 years", "18 months", "3 months"]


def outside_code(escaped: str) -> str:
    """What of a Markdown text stands outside code, in which nothing is live."""
    plain, at = "", 0
    while at < len(escaped):
        if escaped[at] == "\\":
            plain += escaped[at : at + 2]
            at += 2
        elif escaped[at] == "`":
            fence = re.match("`+", escaped[at:])[0]  # type: ignore[index]
            end = re.search(f"(?<!`){fence}(?!`)", escaped[at + len(fence) :])
            assert end is not None, "code that nothing ends"
            at += 2 * len(fence) + end.start()
        else:
            plain += escaped[at]
            at += 1
    return plain


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["http://", "www.", "x@y.z", "`", "``", " ", "a", "\\"])).map("".join)
)
@example("0@@")
@example("see http://evil.example/`x`, www.evil.example and me@evil.example")
def test_escaped_text_holds_no_live_markup(text: str) -> None:
    plain = outside_code(words.markdown(text))
    for position, mark in enumerate(plain):
        if mark in "$*_[]<>`":
            assert plain[position - 1] == "\\"
    bare = plain.replace("\\", "").lower()
    assert not re.search(r"[a-z]://\S|www\.\S|[a-z0-9.+_-]@[a-z0-9]", bare)
