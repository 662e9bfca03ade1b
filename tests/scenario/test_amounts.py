"""Large numbers as people type them, and back."""

import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from planner.money.plan import plan
from planner.report.answer.phrases import echo, question_text
from planner.scenario.amounts import AmbiguousNumberError, format_amount, parse_amount, parse_sum
from planner.scenario.durations import (
    format_duration,
    hours_words,
    months_words,
    range_words,
    seconds_words,
    time_mark,
    years_words,
)
from planner.scenario.link import scenario_from_link, scenario_to_link
from planner.scenario.own import PowerCurvePoint, PurchaseOrder
from planner.scenario.question import HOURS
from planner.scenario.scenario import Scenario
from planner.scenario.typed_money import (
    ORDERS_EXAMPLE,
    POWER_EXAMPLE,
    format_orders,
    format_power_curve,
    parse_orders,
    parse_power_curve,
)
from planner.scenario.work import Work
from planner.study.uncertainty.break_even_map import scenario_with_inputs
from pricing import load_catalogue
from tests.examples import at_most
from tests.rows import each_row


@each_row(("text", "value"), [
    ("1T", 1e12), ("1 T", 1e12), ("15t", 15e12), ("300B", 3e11), ("2e12", 2e12), ("1.4 trillion", 1.4e12),
    ("1,000,000,000,000", 1e12), ("1,234.5", 1234.5), ("12k", 12e3), ("20 million", 2e7), (" 7 ", 7.0),
])  # fmt: skip
def test_what_people_type_is_read(text: str, value: float) -> None:
    assert parse_amount(text) == value


@each_row("text", ["", "T", "1,5 T", "1.2.3", "-5", "1e999", "nan", "inf", "12 Q", "1 T T", "1,00"])
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


@each_row(("text", "value"), [
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


@each_row("text", ["1.2.3", "1,2,3", "25 00", "1,234,5", "1.234.5", "1..2", ",5", "", "1,,2", "1 2,3"])
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


@each_row(("days", "said"), [
    (0.412 * SECOND, "412 ms"), (68 * SECOND, "1.13 minutes"), (45 * SECOND, "45 s"), (0.01, "14.4 minutes"),
    (59.99 / 1_440, "1 hour"), (1 / 24, "1 hour"), (0.5, "12 hours"), (1.0, "1 day"), (1.004, "1 day"),
    (18.24, "18.2 days"), (365.0, "365 days"), (730.0, "2 years"), (1_234.5, "3.38 years"), (0.0, "0 days"),
    (float("inf"), "never done"),
])  # fmt: skip
def test_a_length_of_time_reads_in_the_unit_of_its_size(days: float, said: str) -> None:
    assert format_duration(days) == said


@at_most(500)
@given(LENGTHS, LENGTHS)
def test_a_longer_time_never_reads_as_a_shorter_one(one: float, other: float) -> None:
    shorter, longer = sorted((one, other))
    assert read(format_duration(shorter)) <= read(format_duration(longer)) * (1 + 1e-9)
    assert read(format_duration(one)) == pytest.approx(one, rel=0.006)


@at_most(500)
@given(LENGTHS, st.floats(0.05, 1.0), st.floats(1.0, 20.0))
def test_a_range_reads_in_one_unit_where_its_ends_are_alike(typical: float, down: float, up: float) -> None:
    low, high = typical * down, typical * up
    text = range_words(low, typical, high)
    units = re.findall(r"[a-z]{1,}", text.replace(" to ", " "))
    if down >= 0.1 + 1e-6 and up <= 10 - 1e-6:
        assert len(units) == 1, text
    for unit in ("day", "hour", "minute", "year"):
        assert re.search(rf"(?<![\d.,])1 {unit}s", text) is None, text


def test_a_range_of_a_day_is_told_in_days() -> None:
    assert range_words(18.8 / 24, 1.004, 1.38) == "1 day (0.783 to 1.38)"
    assert range_words(0.01, 1.0, 100.0) == "1 day (14.4 minutes to 100 days)"
    assert range_words(2.0, 2.0, 2.0) == "2 days"


@each_row(
    ("months", "said"),
    [(1, "1 month"), (12, "1 year"), (36, "3 years"), (18, "18 months"), (7.5, "7.5 months"), (12 / 365, "1 day")],
)
def test_a_term_in_months_and_years(months: float, said: str) -> None:
    assert months_words(months) == said
    assert [years_words(value) for value in (1, 3, 1.5, 0.25)] == ["1 year", "3 years", "18 months", "3 months"]


def test_hours_seconds_and_marks_go_by_the_same_rule() -> None:
    assert (hours_words(1), hours_words(0.25), seconds_words(2.5)) == ("1 hour", "15 minutes", "2.5 s")
    assert [time_mark(days) for days in (10 / 1_440, 1 / 24, 3.0, 1_000.0)] == ["10 min", "1 h", "3 d", "1,000 d"]


THREE = (
    PurchaseOrder(accelerators=16), PurchaseOrder(accelerators=8, month=18), PurchaseOrder(accelerators=8, month=30),
)  # fmt: skip


@pytest.mark.parametrize("text", [ORDERS_EXAMPLE, "16,8 in month 18; 8 IN 30,", " 16 in 0 , 8 in 18, 8 in 30 "])
def test_orders_are_read(text: str) -> None:
    assert parse_orders(text) == THREE
    assert format_orders(THREE) == ORDERS_EXAMPLE


def test_nothing_typed_is_no_order() -> None:
    assert parse_orders("  ") == ()
    assert format_orders(()) == ""


@each_row("text", ["eight", "8 in 3, 8 in 3", "8 in 18, 8", "0", "8 in 500", "8, 8", "-8", "1e3"])
def test_what_is_no_list_of_orders_is_none(text: str) -> None:
    assert parse_orders(text) is None


def test_the_terms_of_an_order_stay_with_its_month() -> None:
    dear = PurchaseOrder(accelerators=8, month=18, usd_per_server=300_000.0)
    assert parse_orders("24, 16 in 18", (PurchaseOrder(accelerators=16), dear)) == (
        PurchaseOrder(accelerators=24),
        PurchaseOrder(accelerators=16, month=18, usd_per_server=300_000.0),
    )


CURVE = tuple(PowerCurvePoint(load=load, power_share=share) for load, share in ((0.0, 0.25), (0.5, 0.6), (1.0, 0.76)))


@pytest.mark.parametrize("text", [POWER_EXAMPLE, "0:25,50:60,100:76", " 0 % : 25 % ; 50:60.0; 100:76;"])
def test_pairs_are_read(text: str) -> None:
    assert parse_power_curve(text) == CURVE
    assert format_power_curve(CURVE) == POWER_EXAMPLE


def test_nothing_typed_is_no_curve() -> None:
    assert parse_power_curve("  ") == ()
    assert format_power_curve(()) == ""


@each_row(
    "text",
    ["0:25", "25, 76", "0:25, 100:760", "0:25, 100:10", "10:25, 100:76", "0:25, 50, 100:76", "0:25, 0:30, 100:40"],
)
def test_what_is_no_curve_is_none(text: str) -> None:
    assert parse_power_curve(text) is None


DAY = date(2026, 11, 22)


@pytest.mark.parametrize(("told", "hours"), [
    ({"people": 10}, 10 * 160),
    ({"people": 3, "hours_per_person": 300.0}, 900),
    ({"jobs_per_week": 4.0}, 4 * 730 / 168 * 8 * 8),  # eight hours on all eight
    ({"jobs_per_week": 20.0, "hours_per_job": 6.0, "accelerators_per_job": 2}, 20 * 730 / 168 * 6 * 2),
])  # fmt: skip
def test_people_and_jobs_come_to_hours(told: dict[str, float], hours: float) -> None:
    work = Work.model_validate({"accelerators": 8, **told})
    assert work.stated_hours_per_month == pytest.approx(hours)
    assert work.effective_utilization == pytest.approx(hours / (8 * 730))


def test_they_cost_what_the_same_hours_cost() -> None:
    facts = load_catalogue()
    by_people = plan(facts, Scenario(work=(Work(people=20),)), DAY)
    by_hours = plan(facts, Scenario(work=(Work(accelerator_hours_per_month=3_200.0),)), DAY)
    assert [float(option.ledger.total_usd) for option in by_people.options] == [
        float(one.ledger.total_usd) for one in by_hours.options
    ]


@each_row(("told", "said"), [
    ({"people": 10, "busy_share": 0.5}, "want one of busy_share and people"),
    ({"people": 10, "jobs_per_week": 5.0}, "want one of people and jobs_per_week"),
    ({"people": 50}, "8,000 accelerator-hours a month do not fit on 8 accelerators, which have 5,840"),
    ({"jobs_per_week": 30.0}, "do not fit on 8 accelerators"),
    ({"hours_per_person": 20.0}, "hours_per_person wants people beside it"),
    ({"hours_per_job": 20.0}, "hours_per_job wants jobs_per_week beside it"),
    ({"people": 0}, "greater than or equal to 1"),
    ({"people": 10**12}, "less than or equal to 1000000"),
])  # fmt: skip
def test_what_cannot_be_is_told(told: dict[str, float], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Work.model_validate({"accelerators": 8, **told})


@pytest.mark.parametrize(("held", "said", "sum_of_it"), [
    ({"team": "10"}, "a team of 10", "= 1,600 GPU-hours a month: 10 x 160 hours each."),
    ({"team": "1"}, "one person", "= 160 GPU-hours a month: 1 x 160 hours each."),
    (
        {"weekly": "20", "jobhours": "6", "job": "2"},
        "20 jobs a week of 6 hours",
        "= 1,040 GPU-hours a month: 20 jobs a week x 4.35 weeks x 6 hours x 2 GPUs.",
    ),
])  # fmt: skip
def test_the_sentence_says_it_and_the_line_below_adds_it_up(held: dict[str, str], said: str, sum_of_it: str) -> None:
    facts = load_catalogue()
    assert question_text(facts, HOURS, held).endswith(said)
    asked, told = scenario_from_link(held)
    assert not told
    assert scenario_to_link(asked) == held
    assert echo(plan(facts, asked, DAY), asked, HOURS.name) == sum_of_it


def test_another_share_that_is_tried_out_takes_their_place() -> None:
    tried = scenario_with_inputs(plan(load_catalogue(), Scenario(work=(Work(people=10),)), DAY), {"busy_share": 0.8})
    assert tried.work[0].people is None
    assert tried.work[0].busy_share == 0.8
