"""Why a try lost: a kind with its number; the words are made from it."""

import pytest

from planner.study.market.candidate import Lost


@pytest.mark.parametrize(
    ("lost", "words", "counted"),
    [
        (Lost("speed_unknown", "memory is not on record"), "speed unknown: memory is not on record", "speed unknown"),
        (Lost("does_not_fit", "needs 160 GB of 80"), "does not fit: needs 160 GB of 80", "does not fit"),
        (Lost("over_a_year", amount=900.0), "takes 2.47 years: over a year", "takes so many years: over a year"),
        (Lost("outlasts_the_plan"), "takes longer than the plan", "takes longer"),
        (Lost("late", amount=1.0), "1 day late", "so many day late"),
        (Lost("late", amount=0.1), "2.4 hours late", "so many hours late"),
        (Lost("over_budget", amount=2e6), "over the budget by $2 million", "over the budget by $so many million"),
        (Lost("dearer_and_slower", "8 x H100"), "dearer and slower than 8 x H100", "dearer and slower"),
    ],
)  # fmt: skip
def test_the_words_say_it_and_the_kind_is_gone_by(lost: Lost, words: str, counted: str) -> None:
    assert str(lost) == words
    assert lost.counted == counted
    assert lost.is_dominated is (lost.kind == "dearer_and_slower")
