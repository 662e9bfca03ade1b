"""One comparison decides the title, the sentence, the chances and the order of the table."""

from __future__ import annotations

import pytest

from bench.one_comparison import answers, complaints
from pricing import load_catalogue


@pytest.mark.parametrize("plans", [12, pytest.param(250, marks=pytest.mark.slow)])
def test_no_plan_contradicts_itself(plans: int) -> None:
    verdicts = set()
    for scenario, judged in answers(load_catalogue(), plans, seed=plans):
        assert list(complaints(judged)) == [], scenario.model_dump(exclude_defaults=True)
        verdicts.add(judged.answer.verdict)
    assert len(verdicts) >= 3  # the plans are not all alike
