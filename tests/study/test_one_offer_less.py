"""No seller decides: without any one, or without the newest price, an answer becomes a little more or less sure."""

import pytest

from bench.one_offer_less import without_each
from tests.frozen import live_catalogue

MOST = 0.08  # log


@pytest.mark.slow
@pytest.mark.parametrize(("chip", "accelerators", "busy"), [
    ("H100-SXM5-80GB", 1, 0.5), ("H100-SXM5-80GB", 8, 0.9), ("H100-SXM5-80GB", 64, 0.5), ("H200-SXM-141GB", 8, 0.9),
    ("B200-SXM-180GB", 64, 0.5), ("A100-SXM4-80GB", 1, 0.5), ("A100-SXM4-80GB", 64, 0.5), ("A100-SXM4-40GB", 8, 0.9),
    ("L40S-48GB", 64, 0.5), ("L4-24GB", 1, 0.5), ("RTX-4090-24GB", 1, 0.5), ("RTX-4090-24GB", 8, 0.9),
    ("RTX-5090-32GB", 64, 0.5), ("MI300X-192GB", 8, 0.9),
])  # fmt: skip
def test_without_one_seller_an_answer_moves_by_one_word_at_most(chip: str, accelerators: int, busy: float) -> None:
    there = live_catalogue()
    row = without_each(there, there.day, chip, accelerators, busy)
    assert row.words
    assert row.steps <= 1
    assert max(row.price_moves) <= MOST
