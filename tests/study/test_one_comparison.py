"""One comparison decides the title, the sentence, the chances and the order of the table."""

import pytest

from bench.one_comparison import answers, complaints, retyped_choice
from planner.report.title import title
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from pricing import load_catalogue

pytestmark = pytest.mark.slow  # bench/one_comparison.py looks at two thousand


def test_no_plan_contradicts_itself() -> None:
    verdicts = set()
    for scenario, judged in answers(load_catalogue(), 100, seed=250):
        assert list(complaints(judged)) == [], scenario.model_dump(exclude_defaults=True)
        verdicts.add(judged.answer.verdict)
    assert len(verdicts) >= 3  # the plans are not all alike


def test_to_type_what_the_program_chose_changes_no_word() -> None:
    catalogue, typed = load_catalogue(), 0
    for scenario, judged in answers(catalogue, 60, seed=1050):
        again = retyped_choice(judged)
        if again is None:
            continue
        typed += 1
        same = decided(planned(catalogue, again, catalogue.day))
        assert (title(same.answer), same.answer.verdict) == (title(judged.answer), judged.answer.verdict), scenario
        assert same.answer.share_cheaper == judged.answer.share_cheaper, scenario
    assert typed
