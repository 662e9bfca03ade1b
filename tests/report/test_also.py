"""What every plan also tells: by hand on a plan without ranges, and the same as headline and drawer."""

import math

import pytest
from hypothesis import given

from planner.money.plan import plan
from planner.money.verdict.answer import Answer, build_answer
from planner.report.answer.other_measures import (
    OtherMeasure,
    OtherMeasures,
    cheaper_below_and_above,
    curve_table,
    other_measures,
    other_measures_table,
)
from planner.report.answer.tables import discounted_ledgers
from planner.report.files.csv import results_table
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.sure_verdict import decided
from pricing import load_catalogue
from tests.examples import at_most
from tests.facts import DAY
from tests.money import anyplan
from tests.money.test_breakeven import toy


def found(scenario: Scenario) -> tuple[Answer, OtherMeasures]:
    made = plan(load_catalogue(), scenario, DAY)
    there = build_answer(made)
    told = other_measures(made, there)
    assert told is not None
    return there, told


def value(told: OtherMeasures, name: str, option: str | None = None) -> float | None:
    (row,) = (one for one in told.rows if one.name == name and option in (None, one.option))
    return row.value


def test_eighty_machines_at_ten_thousand_by_hand() -> None:
    """800,000 and 5,000 a month for five years, against 10,000 hours a month at 2.00; money costs nothing."""
    _, told = found(toy(own={"hardware_price_change_per_year": 0.0}))
    assert value(told, "usd_per_useful_hour", "own") == pytest.approx(1_100_000 / 600_000)
    assert value(told, "usd_per_useful_hour", "on_demand") == pytest.approx(2.0)
    assert value(told, "break_even_hours") == pytest.approx(1_100_000 / 2 / 80 / 60)
    assert value(told, "even_rent_usd") == pytest.approx(1_100_000 / 600_000)
    assert value(told, "payback_discounted_months") == pytest.approx(800_000 / 15_000)
    assert value(told, "cash_today_usd", "own") == pytest.approx(800_000)
    assert value(told, "peak_cash_usd", "own") == pytest.approx(1_100_000)  # nothing is sold in the end
    assert value(told, "peak_cash_usd", "on_demand") == pytest.approx(1_200_000)
    assert value(told, "wait_a_month_usd") == pytest.approx(15_000)
    assert value(told, "late_year_usd") == pytest.approx(180_000)
    assert value(told, "idle_hours") == pytest.approx(80 * 730 * 60 - 600_000)
    assert value(told, "hardware_share") == pytest.approx(8 / 11)
    assert value(told, "people_and_the_rest_share") == pytest.approx(3 / 11)
    assert [row.name for row in told.rows if row.name.startswith("rule_")] == []  # nothing was drawn


def test_the_most_cash_out_is_what_has_to_be_funded_and_stands_discounted_beside_it() -> None:
    """10,000 hours a month at 2.00 for five years: 1,200,000 are paid; at 10 % a year sixty payments are 47.539."""
    there, told = found(toy(terms={**toy().terms.model_dump(), "discount_rate_per_year": 0.1, "timing": "month_end"}))
    assert value(told, "peak_cash_usd", "on_demand") == pytest.approx(1_200_000)
    assert value(told, "peak_cash_discounted_usd", "on_demand") == pytest.approx(950_770, abs=1)
    labels = {row.name: row.label for row in told.rows if row.option == "on_demand"}
    assert labels["peak_cash_usd"].startswith("Most cash out: ")
    assert labels["peak_cash_discounted_usd"].startswith("Most cash out, discounted: ")
    row = results_table(there.plan, there).to_pandas().set_index("option").loc["on_demand"]
    assert row["peak_cash_usd"] == pytest.approx(1_200_000)
    assert row["peak_cash_discounted_usd"] == pytest.approx(950_770, abs=1)
    assert "Cash on day one and the most cash out are not discounted." in told.sentences[0]


def test_the_rule_of_thumb_says_which_way_wins_where() -> None:
    _, told = found(toy())
    rule = next(sentence for sentence in told.sentences if sentence.startswith("Rule of thumb"))
    assert "below about 110 hours a month of one GPU renting costs less, above about 110 buying" in rule
    assert "50/30/20" in told.sentences[-1]
    assert "without a citable source" in told.sentences[-1]
    assert "Here it is 73/0/27; it differs most in power with cooling, 0% instead of 30%" in told.sentences[-1]
    assert "a GPU costs $10,000 after resale, $0 for power and $3,750 for the rest" in told.sentences[-1]
    assert told.sentences[-1].endswith("hold power and people, which cannot be separated.")


def test_two_ways_to_buy_have_names_of_their_own() -> None:
    there, _ = found(toy(ways=("own", "loan")))
    assert cheaper_below_and_above(there.pair, there.pair[0]) == ("buying on credit", "buying")
    there, _ = found(toy())
    assert cheaper_below_and_above(there.pair, there.pair[0]) == ("renting", "buying")
    assert cheaper_below_and_above(there.pair, there.pair[1]) == ("buying", "renting")


def test_the_curve_passes_through_the_break_even() -> None:
    there, told = found(toy())
    busy = there.break_even("busy_share")
    shares = {point.years: point.busy_share for point in told.curve}
    assert shares[5.0] == pytest.approx(busy.value, abs=1e-3)
    assert dict(zip(curve_table(told)["Years"], curve_table(told)["Hours a month of one GPU"], strict=True))[5.0] == (
        pytest.approx(114.6, abs=0.5)
    )


def test_one_set_of_numbers() -> None:
    made = plan(load_catalogue(), Scenario(), DAY)
    sure = decided(made)
    there, told = sure.answer, other_measures(made, sure.answer, sure.futures)
    assert told is not None
    assert there.pair is not None
    drawer = {ledger.title: float(ledger.total_usd) for ledger in discounted_ledgers(made, there)}
    for way in there.pair:
        hour = value(told, "usd_per_useful_hour", way.option.key)
        assert hour == pytest.approx(float(way.measures.usd_per_useful_hour.value))
    owner = there.pair[0]
    usd = {row.name: row for row in told.rows if row.option == owner.option.key}
    shares = [row.value or 0.0 for name, row in usd.items() if name.endswith("_share") and name != "idle_share"]
    assert sum(shares) == pytest.approx(1.0)
    hardware, rented = usd["hardware_share"], usd["rented_beside_usd"]
    assert hardware.value is not None
    assert rented.value is not None
    assert 0 < hardware.value * (drawer[owner.option.title] - rented.value) < owner.present_usd
    busy, hours = there.break_even("busy_share"), value(told, "break_even_hours")
    assert busy.value is not None
    assert hours == pytest.approx(busy.value * 730)
    low, high = value(told, "rule_low_hours"), value(told, "rule_high_hours")
    assert low is not None
    assert high is not None
    assert low < hours < high


def test_a_service_is_told_by_the_request_and_by_the_token() -> None:
    served = {"serve": {"model": "llama-3.1-8b", "requests_per_s": 2.0, "output_tokens": 500}}
    there, told = found(Scenario.model_validate({"work": (served,)}))
    for way in there.pair or ():
        request, tokens = (value(told, f"usd_per_{kind}", way.option.key) for kind in ("request", "million_tokens"))
        assert request is not None
        assert tokens == pytest.approx(request * 2_000)
        # All requests of the plan together cost what the way does, money of each month counted alike.
        assert request * 2 * 3_600 * 730 * 36 > way.present_usd


@pytest.mark.parametrize("ways", [("on_demand",), ("own",), ("own", "loan"), ("reserved", "on_demand")])
def test_any_ways_are_told(ways: tuple[str, ...]) -> None:
    _, told = found(Scenario.model_validate({"ways": ways}))
    table = other_measures_table(told)
    assert len(table) == len(told.rows) > 0
    assert all(row.how for row in told.rows)
    assert len({row.label for row in told.rows}) == len(told.rows)
    assert told.sentences[0].startswith("All sums are discounted to today")


@pytest.mark.slow
@given(scenario=anyplan.plans())
@at_most(30)
def test_whatever_is_asked_the_numbers_are_those_of_the_answer(scenario: Scenario) -> None:
    made = anyplan.of(scenario)
    there = build_answer(made)
    told = other_measures(made, there)
    assert (told is None) == (there.best is None)
    if told is None:
        return
    by_key = {way.option.key: way for way in there.ranked}
    for row in told.rows:
        assert row.how
        assert row.value is None or math.isfinite(row.value), row
        if row.name == "cash_today_usd":
            assert row.option is not None
            assert row.value == float(by_key[row.option].measures.cash_today_usd)
        if row.name == "idle_share":
            assert 0 <= (row.value or 0.0) <= 1 + 1e-9, row
    shares = [row.value or 0.0 for row in told.rows if row.unit == "share of what own machines cost"]
    assert not shares or sum(shares) == pytest.approx(1.0)


def test_nothing_is_told_without_an_answer() -> None:
    too_large = {"accelerator": "L4-24GB", "work": ({"accelerators": 1, "train": {"model": "llama-3.1-405b"}},)}
    made = plan(load_catalogue(), Scenario.model_validate(too_large), DAY)
    assert other_measures(made, build_answer(made)) is None


def test_small_sums_are_written_out() -> None:
    said = [OtherMeasure("", None, "", usd, "USD per request", "").text for usd in (0.0000123456, 0.5, None, -2_540.0)]
    assert said == ["$0.0000123", "$0.50", "–", "-$2,540"]
