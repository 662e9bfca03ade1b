"""Why a try lost: a kind with its number; the words are made from it."""

import pytest

from planner.study.market.candidate import Rejection


@pytest.mark.parametrize(("lost", "words", "counted"), [
    (Rejection("speed_unknown", "no memory on record"), "speed unknown: no memory on record", "speed unknown"),
    (Rejection("does_not_fit", "needs 160 GB of 80"), "does not fit: needs 160 GB of 80", "does not fit"),
    (Rejection("over_a_year", amount=900.0), "takes 2.47 years: over a year", "takes so many years: over a year"),
    (Rejection("outlasts_the_plan"), "takes longer than the plan", "takes longer"),
    (Rejection("late", amount=1.0), "1 day late", "so many day late"),
    (Rejection("late", amount=0.1), "2.4 hours late", "so many hours late"),
    (Rejection("over_budget", amount=2e6), "over the budget by $2 million", "over the budget by $so many million"),
    (Rejection("dearer_and_slower", "A"), "more expensive and slower than A", "more expensive and slower"),
])  # fmt: skip
def test_the_words_say_it_and_the_kind_is_gone_by(lost: Rejection, words: str, counted: str) -> None:
    assert str(lost) == words
    assert lost.group_label == counted
    assert lost.is_dominated is (lost.kind == "dearer_and_slower")
