"""What ways emit, as the page and the files say it."""

import pytest

from planner.money.verdict.answer import build_answer
from planner.report.answer.notes import DIFFER, carbon_sentences
from planner.report.answer.sentences import summarize_answer
from planner.report.answer.tables import options_table
from planner.report.title import title
from planner.scenario.terms import FinancialTerms
from tests.money.test_carbon import planned


def test_two_ways_that_differ_have_a_sentence_with_both_and_their_ranges() -> None:
    plan = planned(site="NO", years=3)
    answer = build_answer(plan)
    assert answer.pair is not None
    kg = [way.emissions.total_kg for way in answer.pair]
    assert kg[1].typical > DIFFER * kg[0].typical
    (sentence,) = carbon_sentences(answer)
    assert sentence in summarize_answer(plan, answer).sentences
    assert sentence.startswith("Owning (Norway) would emit about ")
    assert " of what renting does: about " in sentence
    assert sentence.endswith("network, disks, buildings and transport are not counted.")


def test_two_ways_that_emit_alike_have_none() -> None:
    answer = build_answer(planned(site="WORLD", years=5, busy=0.9))
    assert carbon_sentences(answer) == ()


def test_the_table_has_the_same_tonnes_as_the_answer() -> None:
    plan = planned(site="NO", years=3)
    answer = build_answer(plan)
    table = options_table(answer)
    for row, way in enumerate(answer.ranked):
        one = way.emissions
        assert table["t CO2e, operation"][row] == pytest.approx(one.operation_kg.typical / 1_000)
        assert table["t CO2e, making"][row] == pytest.approx(one.making_kg.typical / 1_000)
    own = next(row for row, way in enumerate(answer.ranked) if way.option.key == "own")
    water_l = answer.ranked[own].emissions.water_l
    assert water_l is not None
    assert table["Water of electricity, m3"][own] == pytest.approx(water_l / 1_000)


def test_the_title_says_that_nothing_keeps_to_the_limit() -> None:
    answer = build_answer(planned(terms=FinancialTerms(most_t_co2e=1.0), ways=("own",)))
    assert title(answer).startswith("Nothing keeps to your limit on emissions: the least that any way emits (buying)")
