"""Large numbers as people type them, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.scenario.amounts import amount_text, read_amount


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1T", 1e12), ("1 T", 1e12), ("15t", 15e12), ("300B", 3e11), ("2e12", 2e12), ("1.4 trillion", 1.4e12),
        ("1,000,000,000,000", 1e12), ("1,234.5", 1234.5), ("12k", 12e3), ("20 million", 2e7), (" 7 ", 7.0),
    ],
)  # fmt: skip
def test_what_people_type_is_read(text: str, value: float) -> None:
    assert read_amount(text) == value


@pytest.mark.parametrize("text", ["", "T", "1,5 T", "1.2.3", "-5", "1e999", "nan", "inf", "12 Q", "1 T T", "1,00"])
def test_what_is_no_amount_is_none(text: str) -> None:
    assert read_amount(text) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e12, "1 T"), (1.4e12, "1.4 T"), (2e8, "200 M"), (12_000.0, "12,000"), (1_234_567_891.0, "1.234567891 B")],
)
def test_a_number_reads_as_its_largest_unit(value: float, text: str) -> None:
    assert amount_text(value) == text


@given(st.floats(1e3, 1e16))
def test_a_number_comes_back_to_the_last_bit(value: float) -> None:
    assert read_amount(amount_text(value)) == value
