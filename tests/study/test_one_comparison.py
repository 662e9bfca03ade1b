"""One comparison decides the title, the sentence, the chances and the order of the table."""

import pytest

from bench.one_comparison import answers, complaints, retyped_choice
from planner.money.verdict.contender import SKEWED
from planner.report.futures.counted import medians_table
from planner.report.title import title
from planner.scenario.presets import load_presets
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided, median_shifts
from pricing import load_catalogue

pytestmark = pytest.mark.slow  # bench/one_comparison.py looks at two thousand


def test_no_plan_contradicts_itself() -> None:
    verdicts = set()
    for scenario, judged in answers(load_catalogue(), 50, seed=250):
        assert list(complaints(judged)) == [], scenario.model_dump(exclude_defaults=True)
        verdicts.add(judged.answer.verdict)
    assert len(verdicts) >= 3  # the plans are not all alike


def test_a_median_away_from_the_cost_as_entered_has_its_reason_in_how_sure() -> None:
    """As entered and the median differ by more than a twentieth only where a row of "How sure" says why."""
    catalogue = load_catalogue()
    examples = [decided(planned(catalogue, preset.scenario, catalogue.day)) for preset in load_presets()]
    explained = 0
    for judged in (*examples, *(judged for _, judged in answers(catalogue, 30, seed=77))):
        shifts, futures = median_shifts(judged.answer, judged.futures), judged.futures
        apart = [each for each in judged.answer.ranked if futures and futures.row(each.option.key) is not None
                 and abs(each.present_usd - each.as_entered_usd) > SKEWED * abs(each.as_entered_usd)]  # fmt: skip
        assert [shift.title for shift in shifts] == [each.option.title for each in apart]
        for shift in shifts:  # the reason is one: without it the median lies closer
            assert abs(shift.without_usd - shift.as_entered_usd) < abs(shift.median_usd - shift.as_entered_usd), shift
        assert len(medians_table(judged.answer, shifts)) == len(shifts)
        explained += len(shifts)
    assert explained > 10


def test_to_type_what_the_program_chose_changes_no_word() -> None:
    catalogue, typed = load_catalogue(), 0
    for scenario, judged in answers(catalogue, 30, seed=1050):
        again = retyped_choice(judged)
        if again is None:
            continue
        typed += 1
        same = decided(planned(catalogue, again, catalogue.day))
        assert (title(same.answer), same.answer.verdict) == (title(judged.answer), judged.answer.verdict), scenario
        assert same.answer.share_cheaper == judged.answer.share_cheaper, scenario
    assert typed
