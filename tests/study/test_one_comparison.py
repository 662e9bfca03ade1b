"""One comparison decides the title, the sentence, the chances and the order of the table."""

from __future__ import annotations

import pytest

from bench.one_comparison import answers, complaints, own_choice
from planner.report.title import title
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from pricing import load_catalogue


@pytest.mark.parametrize("plans", [12, pytest.param(250, marks=pytest.mark.slow)])
def test_no_plan_contradicts_itself(plans: int) -> None:
    verdicts = set()
    for scenario, judged in answers(load_catalogue(), plans, seed=plans):
        assert list(complaints(judged)) == [], scenario.model_dump(exclude_defaults=True)
        verdicts.add(judged.answer.verdict)
    assert len(verdicts) >= 3  # the plans are not all alike


@pytest.mark.parametrize("plans", [15, pytest.param(150, marks=pytest.mark.slow)])
def test_to_type_what_the_program_chose_changes_no_word(plans: int) -> None:
    catalogue, typed = load_catalogue(), 0
    for scenario, judged in answers(catalogue, plans, seed=7 * plans):
        again = own_choice(judged)
        if again is None:
            continue
        typed += 1
        same = decided(planned(catalogue, again, catalogue.day))
        assert (title(same.answer), same.answer.verdict) == (title(judged.answer), judged.answer.verdict), scenario
        assert same.answer.share_cheaper == judged.answer.share_cheaper, scenario
    assert typed
