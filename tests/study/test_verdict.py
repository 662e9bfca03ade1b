"""The verdict of the futures: every word of the table at its threshold, and nothing surer than what was counted."""

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.measures import present_usd
from planner.money.plan import Plan, plan
from planner.money.setting import BUSY_FACTOR
from planner.money.verdict.answer import Answer, build_answer
from planner.money.verdict.contender import SKEWED
from planner.money.verdict.shares import PLAIN, PROBABLY
from planner.report.answer.sentences import summarize_answer
from planner.report.futures.counted import confidence_sentences, medians_table
from planner.report.title import title
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.sure_verdict import decided, median_shifts
from tests.examples import at_most
from tests.facts import DAY, options_of_side
from tests.money.test_answer import option
from tests.rows import each_row
from tests.study.planned import catalogue, planned

COUNT = 100


def said(
    wins: int, *, gap: float = 0.2, first: str = "own", second: str = "on_demand", chosen: bool = True, **others: Any
) -> Answer:  # fmt: skip
    """The answer where the first way costs 100, and the second so much more in `wins` of 100 futures, else less."""
    made = plan(catalogue(), Scenario(ways=("own", "on_demand") if chosen else ()), DAY)
    amounts = {first: 100.0, second: 100.0 * (1 + gap), **others}
    made = replace(made, options=tuple(option(made, key, usd) for key, usd in amounts.items()))
    return build_answer(made, drawn(made, wins, gap).costs)


def drawn(made: Plan, wins: int, gap: float) -> Futures:
    present = np.repeat([[float(one.ledger.total_usd)] for one in made.options], COUNT, axis=1)
    present[1, wins:] = present[0, 0] * (1 - gap)
    return Futures(made, (), made.options, present, present)


@each_row(("wins", "gap", "verdict"), [
    (100, 0.2, "own"), (90, 0.2, "own"), (89, 0.2, "probably own"), (70, 0.2, "probably own"), (69, 0.2, "close"),
    (100, 0.01, "own"),
])  # fmt: skip
def test_the_words_at_their_thresholds(wins: int, gap: float, verdict: str) -> None:
    answer = said(wins, gap=gap)
    assert answer.verdict == verdict
    assert answer.share_cheaper == pytest.approx(wins / 100)


@pytest.mark.parametrize(
    ("first", "second", "sure", "likely"),
    [("on_demand", "own", "rent", "probably rent"), ("keep", "on_demand", "keep", "probably keep")],
)
def test_each_side_has_its_words(first: str, second: str, sure: str, likely: str) -> None:
    both = {"on_demand": 150.0} if first == "keep" and second != "on_demand" else {}
    assert said(96, first=first, second=second, **both).verdict == sure
    assert said(80, first=first, second=second, **both).verdict == likely


@each_row(("wins", "gap", "first", "second", "text"), [
    (60, 0.2, "own", "on_demand", "Buy or rent: owning is cheapest in 60 of 100."),
    (60, 0.04, "own", "on_demand", "Buy or rent: about the same."),
    (40, 0.2, "own", "on_demand", "Rent or buy: renting is cheapest in 60 of 100."),
    (60, 0.2, "reserved", "on_demand", "Rent, reserved."),  # nobody needs to choose whether to own
    (59, 0.2, "reserved", "on_demand", "Rent, reserved or on demand."),
    (59, 0.04, "reserved", "on_demand", "Rent; reserved or on demand costs about the same."),
])  # fmt: skip
def test_about_the_same_only_where_the_medians_are(wins: int, gap: float, first: str, second: str, text: str) -> None:
    assert title(said(wins, gap=gap, first=first, second=second, chosen=False)) == text


def test_two_ways_of_renting_are_a_question_where_they_were_chosen() -> None:
    answer = said(60, first="reserved", second="on_demand")
    assert title(answer) == "Rent on demand or reserved: reserving is cheapest in 60 of 100."


def test_a_lead_on_the_price_of_one_seller_says_so() -> None:
    found = replace(said(40, chosen=False), verdict="close", share_cheaper=0.97)
    assert title(found) == "Rent or buy: renting is cheapest in 97 of 100, on the price of one seller."


def test_what_leads_and_what_is_cheapest_in_the_middle_differ() -> None:
    made = planned()
    made = replace(made, options=tuple(option(made, key, 100.0) for key in ("own", "lease", "on_demand")))
    present = np.array([[90.0] * 30 + [120.0] * 70, [120.0] * 30 + [90.0] * 30 + [120.0] * 40, [110.0] * 100])
    answer = build_answer(made, Futures(made, (), made.options, present, present).costs)
    assert title(answer) == "Own or rent: owning is cheapest in 60 of 100, renting in the median."


def test_where_futures_speak_for_the_other_side_it_leads() -> None:
    answer = said(20)
    assert answer.verdict == "probably rent"
    assert confidence_sentences(answer) == ("Renting is the cheapest in 80 of 100 simulated futures.",)


def test_the_figure_of_an_option_is_the_median_and_its_range_is_not_stretched() -> None:
    judged = decided(planned())
    assert judged.futures is not None
    for each in judged.answer.ranked:
        band = judged.futures.present(each.option.key)
        assert (each.low_usd, each.present_usd, each.high_usd) == tuple(band)
        assert each.as_entered_usd == pytest.approx(float(present_usd(judged.answer.plan.setting, each.option.ledger)))
        low, middle, high = each.cumulative_range_usd
        assert np.all((low <= middle) & (middle <= high))


def test_words_count_and_ranges_come_from_the_same_futures() -> None:
    made = planned()
    judged = decided(made)
    shares = judged.answer.shares
    assert judged.answer.share_cheaper == max(shares.group_share.values())
    assert shares.share == judged.futures.cheapest_share
    text = summarize_answer(made, judged.answer, judged.futures)
    assert any(
        f"in {judged.answer.share_cheaper * 100:.0f} of 100 simulated futures" in line for line in text.sentences
    )


def test_a_median_away_from_the_cost_as_entered_has_a_reason_that_was_tried() -> None:
    always = Scenario.model_validate({"years": 5, "work": ({"accelerators": 8, "busy_share": 1.0},)})
    judged = decided(plan(catalogue(), always, DAY))
    shifts = median_shifts(judged.answer, judged.futures)
    skewed = [way for way in judged.answer.ranked if abs(way.present_usd / way.as_entered_usd - 1) > SKEWED]
    assert [one.title for one in shifts] == [one.option.title for one in skewed]
    for shift in shifts:  # held at its typical value, the input lets the median come back
        assert abs(shift.without_usd - shift.as_entered_usd) < abs(shift.median_usd - shift.as_entered_usd)
    rented = next(shift for shift in shifts if shift.title == "Rent on demand")
    assert rented.input.name == BUSY_FACTOR
    why = medians_table(judged.answer, [rented])["Why"]
    assert why[0].startswith("Use cannot exceed 100 %: it can only fall. With that at its typical value the median")


def test_what_stands_alone_is_in_no_futures_cheaper() -> None:
    lone = plan(catalogue(), Scenario(ways=("on_demand",)), DAY)
    found = decided(lone).answer
    assert found.verdict == "rent"
    assert found.share_cheaper is None
    nothing = plan(catalogue(), Scenario(accelerator="TPU-v3"), DAY)
    assert decided(nothing).answer.verdict == "incomplete"


@at_most(8)
@given(st.floats(0.05, 1.0), st.floats(0.5, 8.0), st.integers(0, 3))
def test_nothing_is_surer_than_what_was_counted(busy: float, usd: float, seed: int) -> None:
    scenario = Scenario.model_validate({
        "work": ({"accelerators": 8, "busy_share": busy},), "rent": {"usd_per_accelerator_hour": usd},
        "ways": ("own", "on_demand"), "seed": seed,
    })  # fmt: skip
    made = plan(catalogue(), scenario, date(2026, 11, 21))
    found = decided(made, 128).answer
    share = round(found.shares.lead_share, 2)
    assert found.best is not None
    if found.verdict in ("own", "rent"):
        assert share >= PLAIN
    if found.verdict != "close":
        assert share >= PROBABLY
        assert found.best.option.way in options_of_side(*(("own", "keep") if "own" in found.verdict else ("rent",)))
    else:
        assert share < PROBABLY
