"""Large numbers as people type them, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.scenario.amounts import AmbiguousNumberError, format_amount, parse_amount, parse_sum


@pytest.mark.parametrize(("text", "value"), [
    ("1T", 1e12), ("1 T", 1e12), ("15t", 15e12), ("300B", 3e11), ("2e12", 2e12), ("1.4 trillion", 1.4e12),
    ("1,000,000,000,000", 1e12), ("1,234.5", 1234.5), ("12k", 12e3), ("20 million", 2e7), (" 7 ", 7.0),
])  # fmt: skip
def test_what_people_type_is_read(text: str, value: float) -> None:
    assert parse_amount(text) == value


@pytest.mark.parametrize("text", ["", "T", "1,5 T", "1.2.3", "-5", "1e999", "nan", "inf", "12 Q", "1 T T", "1,00"])
def test_what_is_no_amount_is_none(text: str) -> None:
    assert parse_amount(text) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e12, "1 T"), (1.4e12, "1.4 T"), (2e8, "200 M"), (12_000.0, "12,000"), (1_234_567_891.0, "1.234567891 B")],
)
def test_a_number_reads_as_its_largest_unit(value: float, text: str) -> None:
    assert format_amount(value) == text


@given(st.floats(1e3, 1e16))
def test_a_number_comes_back_to_the_last_bit(value: float) -> None:
    assert parse_amount(format_amount(value)) == value


# Thousands and decimals: "1.234.567,89".
CONVENTIONS = [
    (",", "."), (".", ","), (" ", ","), (" ", "."), ("\u00a0", ","), ("\u202f", ","), ("'", "."), ("\u2019", "."),
    ("", "."), ("", ","),
]  # fmt: skip


def _written(value: int, cents: int, thousands: str, decimal: str) -> str:
    return f"{value:,}".replace(",", thousands) + f"{decimal}{cents:02d}"


@given(st.integers(0, 10**12), st.integers(0, 99), st.sampled_from(CONVENTIONS))
def test_a_sum_with_cents_is_read_in_every_convention(value: int, cents: int, marks: tuple[str, str]) -> None:
    assert parse_sum(_written(value, cents, *marks)) == float(f"{value}.{cents:02d}")


@given(st.integers(10**6, 10**12), st.sampled_from([marks for marks in CONVENTIONS if marks[0]]))
def test_thousands_that_are_parted_twice_need_no_cents(value: int, marks: tuple[str, str]) -> None:
    assert parse_sum(f"{value:,}".replace(",", marks[0])) == value


@pytest.mark.parametrize(("text", "value"), [
    ("1,85", 1.85), ("12,5", 12.5), ("0.085", 0.085), ("0,085", 0.085), ("25,000", 25_000.0),
    ("1234.567", 1234.567),
    ("1234,567", 1234.567), ("25.000,-", 25_000.0), ("1'250.\u2013", 1_250.0), ("250k", 250_000.0), ("1,2M", 1.2e6),
    ("1.234k", 1_234.0), ("1,00,000", 100_000.0), ("1e6", 1e6), ("5.", 5.0),
])  # fmt: skip
def test_a_sum_that_can_be_read_one_way_is_read(text: str, value: float) -> None:
    assert parse_sum(text) == value


@pytest.mark.parametrize(("text", "large", "small"), [
    ("250.000", "250000", "250.00"), ("1.850", "1850", "1.85"), ("1.125", "1125", "1.1250"),
    ("12.500", "12500", "12.50"),
])  # fmt: skip
def test_one_point_before_three_digits_can_be_read_two_ways_and_each_can_be_written(
    text: str, large: str, small: str
) -> None:
    with pytest.raises(AmbiguousNumberError) as two:
        parse_sum(text)
    assert (two.value.large, two.value.small) == (large, small)
    assert parse_sum(large) == float(text.replace(".", ""))
    assert parse_sum(small) == float(text)


@pytest.mark.parametrize("text", ["1.2.3", "1,2,3", "25 00", "1,234,5", "1.234.5", "1..2", ",5", "", "1,,2", "1 2,3"])
def test_marks_in_other_places_are_no_sum(text: str) -> None:
    assert parse_sum(text) is None


@given(st.text("0123456789.,' k-e", max_size=12))
def test_any_text_is_a_sum_or_none_or_asked_about(text: str) -> None:
    try:
        found = parse_sum(text)
    except AmbiguousNumberError as two:
        assert (parse_sum(two.large), parse_sum(two.small)) == (float(two.large), float(two.small))
    else:
        assert found is None or found >= 0
