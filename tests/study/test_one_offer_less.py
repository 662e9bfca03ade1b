"""No single old reading decides: without any one of them an answer becomes a little more or less sure, and no other."""

import pytest

from bench.one_offer_less import without_each
from tests.frozen import live_catalogue

UNSURE = 2  # in the middle of the words, from renting for sure to owning for sure
PLACES = {"rent": 0, "probably rent": 1, "close": UNSURE, "probably own": 3, "own": 4}


@pytest.mark.slow
@pytest.mark.parametrize(("accelerators", "busy"), [(1, 0.5), (8, 0.9), (32, 0.5)])
@pytest.mark.parametrize(
    "chip", ["H100-SXM5-80GB", "H200-SXM-141GB", "B200-SXM-180GB", "A100-SXM4-80GB", "L40S-48GB", "L4-24GB"]
)
def test_without_one_old_offer_an_answer_moves_by_one_word_at_most(chip: str, accelerators: int, busy: float) -> None:
    there = live_catalogue()
    found = without_each(there, there.day, chip, accelerators, busy)
    assert found.words
    before = PLACES[found.word]
    for word in found.words:
        assert abs(PLACES[word] - before) <= 1
        assert (PLACES[word] - UNSURE) * (before - UNSURE) >= 0  # never from one side to the other
