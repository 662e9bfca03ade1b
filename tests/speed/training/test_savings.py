"""What saves memory, one change at a time, and the stairs from the peak down to what counts."""

import itertools
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.scenario.vocabulary import Recompute, TrainingPrecision
from planner.speed.hardware import InvalidJobError
from planner.speed.training import TrainingJob, train
from planner.speed.training.result import PEAK, waterfall_steps
from planner.speed.training.savings import AS_IT_IS, MemorySaving, memory_savings
from pricing import Catalogue, load_catalogue

H100 = "H100-SXM5-80GB"


def job(**said: Any) -> TrainingJob:
    return TrainingJob(**({"model": "Llama-3-8B", "accelerator": H100, "accelerators": 64} | said))


def by_words(found: tuple[MemorySaving, ...]) -> dict[str, float]:
    return {one.words: float(one.memory.total_gb) for one in found}


def test_the_first_line_is_the_job_as_it_was_answered(catalogue: Catalogue) -> None:
    answer, found = train(catalogue, job()), memory_savings(catalogue, job())
    assert found[0].words == AS_IT_IS
    assert found[0].memory.total_gb == pytest.approx(answer.speed.memory.total_gb)
    assert found[0].memory_gb == pytest.approx(answer.memory_gb)
    rate = answer.speed.tokens_per_s_per_accelerator.typical
    assert found[0].tokens_per_s_per_accelerator == pytest.approx(rate)


def test_each_way_fits_exactly_where_its_parts_stay_under_the_line(catalogue: Catalogue) -> None:
    found = memory_savings(catalogue, job())
    assert len({one.words for one in found}) == len(found) > 6
    assert {one.fits for one in found} == {True, False}
    for one in found:
        assert one.fits == (float(one.memory.total_gb) <= one.memory_gb), one.words


def test_what_shards_or_computes_again_or_narrows_never_needs_more(catalogue: Catalogue) -> None:
    found = memory_savings(catalogue, job())
    total, now = by_words(found), float(found[0].memory.total_gb)
    assert total["ZeRO 1: states sharded"] < total["nothing sharded"]
    for words in ("activations recomputed", "one sequence at a time", "optimizer in 8 bits", "optimizer on the host"):
        assert total[words] < now, words
    again = next(one for one in found if one.words == "activations recomputed")
    assert again.tokens_per_s_per_accelerator < found[0].tokens_per_s_per_accelerator


def test_pipeline_stages_leave_only_the_sharding_that_goes_with_them(catalogue: Catalogue) -> None:
    words = by_words(memory_savings(catalogue, job(pp=4, tp=1)))
    assert "nothing sharded" in words or "ZeRO 1: states sharded" in words
    assert not any("ZeRO 2" in word or "ZeRO 3" in word for word in words)


def test_what_does_not_fit_starts_from_the_leanest_layout_and_names_enough_accelerators(catalogue: Catalogue) -> None:
    asked = job(model="Llama-3-70B", accelerators=8)
    answer, found = train(catalogue, asked), memory_savings(catalogue, asked)
    assert not answer.fits
    assert float(found[0].memory.total_gb) == pytest.approx(answer.least_memory_gb)
    more = [one for one in found if one.accelerators > 8]
    assert [one.accelerators for one in more] == [answer.ways_to_fit[-1].accelerators]
    assert more[0].fits


def test_a_job_without_a_legal_layout_has_nothing_to_show(catalogue: Catalogue) -> None:
    assert memory_savings(catalogue, job(accelerators=7, global_batch_sequences=5)) == ()


@pytest.mark.parametrize("more", [{}, {"model": "DeepSeek-V3", "accelerators": 2_048}, {"method": "lora"}])
def test_the_stairs_go_down_without_a_gap_to_the_length_of_the_run(catalogue: Catalogue, more: dict[str, Any]) -> None:
    answer = train(catalogue, job(**more))
    assert answer.speed is not None
    steps = waterfall_steps(answer.speed)
    assert steps[0].name == PEAK
    for above, below in itertools.pairwise(steps):
        assert below.before == pytest.approx(above.after)
        assert below.after <= below.before * (1 + 1e-9)
    seconds = answer.tokens / (steps[-1].after * answer.accelerators)
    assert seconds / 86_400 == pytest.approx(answer.speed.days.typical)


ON_HOST, EIGHT, LORA, QLORA = (
    "optimizer on the host", "optimizer in 8 bits", "LoRA: only adapters trained", "QLoRA: on 4-bit weights",
)  # fmt: skip
GB = 1e9


@pytest.mark.parametrize("asked", [
    {"model": "Llama-3.1-70B", "accelerators": 512},  # norms and activations are computed again
    {"model": "Llama-3-8B", "accelerators": 64, "zero": "hybrid"},  # sharded within each machine
    {"model": "DeepSeek-V3", "accelerators": 1_024},
    {"model": "Llama-3-8B", "accelerators": 1},  # fits nowhere: the leanest layout
])  # fmt: skip
def test_the_optimizer_on_the_host_takes_its_twelve_bytes_a_parameter_away_and_nothing_else(
    catalogue: Catalogue, asked: dict[str, Any]
) -> None:
    now, there = (found_by(memory_savings(catalogue, job(**asked)), words) for words in (AS_IT_IS, ON_HOST))
    assert float(now.memory.states_gb) > 0
    assert float(there.memory.states_gb) == 0
    for part in ("weights_gb", "gradients_gb", "activations_gb", "logits_gb", "working_gb", "context_gb"):
        assert float(getattr(there.memory, part)) == pytest.approx(float(getattr(now.memory, part))), part
    saved = float(now.memory.total_gb) - float(there.memory.total_gb)
    assert saved == pytest.approx(float(now.memory.states_gb))


def test_bytes_of_each_parameter_by_hand(catalogue: Catalogue) -> None:
    # Llama 3 8B on one accelerator: 8.03 billion parameters, of which two tables of 128,256 x 4,096.
    params, tables, adapters = 8.030e9, 2 * 128_256 * 4_096, 0.005 * 8.030e9
    found = memory_savings(catalogue, job(accelerators=1))
    full, host, lora, qlora = (found_by(found, words).memory for words in (AS_IT_IS, ON_HOST, LORA, QLORA))
    assert float(full.weights_gb) == pytest.approx(2 * params / GB, rel=1e-3)
    assert float(full.gradients_gb) == pytest.approx(4 * params / GB, rel=1e-3)
    assert float(full.states_gb) == pytest.approx(12 * params / GB, rel=1e-3)  # masters and two moments
    on_device = host.weights_gb + host.gradients_gb + host.states_gb
    assert float(on_device) == pytest.approx(6 * params / GB, rel=1e-3)
    # Adapters of half a percent: 2 bytes of weights, 4 of gradients and 12 of states for each of theirs.
    held = [float(one.weights_gb + one.gradients_gb + one.states_gb) for one in (lora, qlora)]
    assert held[0] == pytest.approx((2 * params + 18 * adapters) / GB, rel=1e-3)
    # Blocks of 64 values of 4 bits share one of 32: 4.5 bits a value. Tables stay in 16 bits.
    assert held[1] == pytest.approx((0.56 * (params - tables) + 2 * tables + 18 * adapters) / GB, rel=1e-3)
    # One matrix at a time, 4,096 x 14,336, is unpacked into 16 bits. Frozen weights keep nothing of what came in.
    assert float(qlora.working_gb) == pytest.approx(2 * 4_096 * 14_336 / GB)
    assert float(qlora.activations_gb) == float(lora.activations_gb)


TEXT = sorted(key for key, model in load_catalogue().models.items() if model.modality == "text")


@pytest.mark.slow
@given(
    model=st.sampled_from(TEXT),
    accelerators=st.sampled_from([1, 2, 8, 24, 64, 512]),
    seq_len=st.sampled_from([512, 4_096, 131_072]),
    precision=st.sampled_from(get_args(TrainingPrecision)),
    recompute=st.sampled_from([None, *get_args(Recompute)]),
    zero=st.sampled_from([None, "none", "zero1", "zero3", "hybrid"]),
    accelerator=st.sampled_from([H100, "B200-SXM-180GB", "MI300X-192GB", "RTX-4090-24GB"]),
)
def test_what_does_less_needs_no_more(**asked: Any) -> None:
    try:
        found = memory_savings(load_catalogue(), TrainingJob(**asked))
    except InvalidJobError:
        return  # its shape is not on record
    total = by_words(found)
    if not total:
        return  # no layout is legal
    assert total.get(QLORA, 0) <= total.get(LORA, 0) <= total[AS_IT_IS] * (1 + 1e-9)
    for words in (ON_HOST, EIGHT, "activations recomputed", "one sequence at a time"):
        assert total.get(words, 0) <= total[AS_IT_IS] * (1 + 1e-9), words
    sharded = [total[words] for words in total if words.startswith(("nothing sharded", "ZeRO 1", "ZeRO 2"))]
    assert sharded == sorted(sharded, reverse=True)


def found_by(found: tuple[MemorySaving, ...], words: str) -> MemorySaving:
    return next(one for one in found if one.words == words)


def test_of_layouts_about_as_fast_the_leaner_is_taken(catalogue: Catalogue) -> None:
    """Rented H100 that hold adapters either way: sharding costs nothing there and frees a little."""
    answer = train(catalogue, job(method="lora"))
    best, *others = (answer.speed.layout, *answer.speed.runners_up)
    for other in others:
        gain = other.tokens_per_s_per_accelerator / best.tokens_per_s_per_accelerator - 1
        assert gain <= 0.01 * (other.memory_gb - best.memory_gb) / answer.memory_gb + 1e-9
