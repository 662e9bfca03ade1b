"""No seller decides: without any one, or without the newest price, an answer becomes a little more or less sure."""

import pytest

from bench.one_offer_less import without_each
from tests.frozen import live_catalogue

MOST = 0.08  # log


@pytest.mark.slow
@pytest.mark.parametrize(("accelerators", "busy"), [(1, 0.5), (8, 0.9), (64, 0.5)])
@pytest.mark.parametrize(
    "chip",
    [
        "H100-SXM5-80GB",
        "H200-SXM-141GB",
        "B200-SXM-180GB",
        "A100-SXM4-80GB",
        "A100-SXM4-40GB",
        "L40S-48GB",
        "L4-24GB",
        "RTX-4090-24GB",
        "RTX-5090-32GB",
        "MI300X-192GB",
    ],
)
def test_without_one_seller_an_answer_moves_by_one_word_at_most(chip: str, accelerators: int, busy: float) -> None:
    there = live_catalogue()
    row = without_each(there, there.day, chip, accelerators, busy)
    assert row.words
    assert row.steps <= 1
    assert max(row.price_moves) <= MOST
