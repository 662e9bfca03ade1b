"""What saves memory, one change at a time, and the stairs from the peak down to what counts."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from planner.speed.training import TrainingJob, train
from planner.speed.training.savings import AS_IT_IS, Saving, savings
from planner.speed.training.stairs import PEAK, stairs
from pricing import Catalogue

H100 = "H100-SXM5-80GB"


def job(**said: Any) -> TrainingJob:
    return TrainingJob(**({"model": "Llama-3-8B", "accelerator": H100, "accelerators": 64} | said))


def by_words(found: tuple[Saving, ...]) -> dict[str, float]:
    return {one.words: float(one.memory.total_gb) for one in found}


def test_the_first_line_is_the_job_as_it_was_answered(catalogue: Catalogue) -> None:
    answer, found = train(catalogue, job()), savings(catalogue, job())
    assert answer.speed is not None
    assert found[0].words == AS_IT_IS
    assert found[0].memory.total_gb == pytest.approx(answer.speed.memory.total_gb)
    assert found[0].memory_gb == pytest.approx(answer.memory_gb)
    rate = answer.speed.tokens_per_s_per_accelerator.typical
    assert found[0].tokens_per_s_per_accelerator == pytest.approx(rate)


def test_each_way_fits_exactly_where_its_parts_stay_under_the_line(catalogue: Catalogue) -> None:
    found = savings(catalogue, job())
    assert len({one.words for one in found}) == len(found) > 6
    assert {one.fits for one in found} == {True, False}
    for one in found:
        assert one.fits == (float(one.memory.total_gb) <= one.memory_gb), one.words


def test_what_shards_or_computes_again_or_narrows_never_needs_more(catalogue: Catalogue) -> None:
    found = savings(catalogue, job())
    total, now = by_words(found), float(found[0].memory.total_gb)
    assert total["ZeRO 1: states sharded"] < total["nothing sharded"]
    for words in ("activations recomputed", "one sequence at a time", "optimizer in 8 bits", "optimizer on the host"):
        assert total[words] < now, words
    again = next(one for one in found if one.words == "activations recomputed")
    assert again.tokens_per_s_per_accelerator < found[0].tokens_per_s_per_accelerator


def test_pipeline_stages_leave_only_the_sharding_that_goes_with_them(catalogue: Catalogue) -> None:
    words = by_words(savings(catalogue, job(pp=4, tp=1)))
    assert "nothing sharded" in words or "ZeRO 1: states sharded" in words
    assert not any("ZeRO 2" in one or "ZeRO 3" in one for one in words)


def test_what_does_not_fit_starts_from_the_leanest_layout_and_names_enough_accelerators(catalogue: Catalogue) -> None:
    asked = job(model="Llama-3-70B", accelerators=8)
    answer, found = train(catalogue, asked), savings(catalogue, asked)
    assert not answer.fits
    assert float(found[0].memory.total_gb) == pytest.approx(answer.least_memory_gb)
    more = [one for one in found if one.accelerators > 8]
    assert [one.accelerators for one in more] == [answer.ways_to_fit[-1].accelerators]
    assert more[0].fits


def test_a_job_without_a_legal_layout_has_nothing_to_show(catalogue: Catalogue) -> None:
    assert savings(catalogue, job(accelerators=7, global_batch_sequences=5)) == ()


@pytest.mark.parametrize("more", [{}, {"model": "DeepSeek-V3", "accelerators": 2_048}, {"method": "lora"}])
def test_the_stairs_go_down_without_a_gap_to_the_length_of_the_run(catalogue: Catalogue, more: dict[str, Any]) -> None:
    answer = train(catalogue, job(**more))
    assert answer.speed is not None
    steps = stairs(answer.speed)
    assert steps[0].name == PEAK
    for above, below in itertools.pairwise(steps):
        assert below.before == pytest.approx(above.after)
        assert below.after <= below.before * (1 + 1e-9)
    seconds = answer.tokens / (steps[-1].after * answer.accelerators)
    assert seconds / 86_400 == pytest.approx(answer.speed.days.typical)
