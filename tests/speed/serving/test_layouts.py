"""Layouts of mixtures, prompts apart, releases, how load starts; and what must never come out of them."""

from datetime import date
from typing import Any

import pytest

from planner.speed.hardware import InvalidJobError
from planner.speed.serving import ServingResult
from tests.facts import CATALOGUE
from tests.shell import run
from tests.speed.serving.test_serve import served

NVL72: dict[str, Any] = {
    "model": "deepseek-r1", "accelerator": "GB200-NVL72-186GB", "accelerators": 72, "weight_precision": "fp4",
    "input_tokens": 1_024, "output_tokens": 1_024,
}  # fmt: skip


def on_a_rack(**wish: Any) -> ServingResult:
    """DeepSeek-R1 in 4 bits on a rack of 72."""
    return served(**{**NVL72, **wish})


@pytest.mark.parametrize(("wish", "says"), [
    ({"expert_parallel": 7}, "256 experts cannot be spread evenly over 7; nearest: 4 or 8"),
    ({"prefill_accelerators": 72}, "want fewer than all of 72 accelerators, got 72"),
    ({"accelerators": None, "prefill_accelerators": 8}, "want fewer than all"),
    ({"engine": "trtllm", "engine_release": "9.9"}, "9.9 is no known release; want one of: 0.17"),
    ({"model": "llama-3.1-8b", "expert_parallel": 8}, "has no experts to spread over 8"),
    ({"tensor_parallel": 8, "expert_parallel": 16}, "want a number that divides the 8"),
])  # fmt: skip
def test_a_layout_or_release_that_cannot_be_is_refused_in_one_sentence(wish: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidJobError, match=says):
        on_a_rack(**wish)


@pytest.mark.parametrize("rate", [0.01, 3.0, 40.0])
@pytest.mark.parametrize(("model", "accelerator"), [
    ("llama-3.1-8b", "RTX-4090-24GB"), ("llama-3.3-70b", "H100-SXM5-80GB"), ("deepseek-v3", "M3-Ultra-512GB"),
])  # fmt: skip
def test_no_stated_group_needs_fewer_than_the_open_one(model: str, accelerator: str, rate: float) -> None:
    job: dict[str, Any] = {"model": model, "accelerator": accelerator, "requests_per_s": rate}
    stated = [served(**job, tensor_parallel=size) for size in (1, 2, 4, 8)]
    needed = served(**job).accelerators_at_average
    assert needed is not None
    assert needed <= min(each.accelerators_at_average or needed for each in stated if each.fits)


def test_the_command_line_refuses_it_with_code_two(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("serve", "--model", "deepseek-r1", "--accelerator", "gb200", "--count", "72", "--ep", "7")
    code, out, told = run(capsys, *asked)
    assert (code, out) == (2, "")
    assert "cannot be spread evenly" in told


def test_a_rack_is_one_domain_and_wide_experts_are_chosen_for_every_engine_that_has_them() -> None:
    for engine in ("vllm", "sglang", "trtllm"):
        best, plain = on_a_rack(engine=engine), on_a_rack(engine=engine, tensor_parallel=8, attention_dp=False)
        assert best.output_tokens_per_s > 1.5 * plain.output_tokens_per_s
        assert not any("machine" in warning for warning in best.warnings)


def test_whole_machines_keep_second_copies_of_experts_where_their_number_does_not_divide() -> None:
    """288 of 256 experts on 48 or 72, as DeepSeek and SGLang publish it; the weights of experts take an eighth more."""
    even, copied = (on_a_rack(expert_parallel=size, attention_dp=True, accelerators=size) for size in (64, 72))
    assert copied.memory.weights_gb / even.memory.weights_gb == pytest.approx(1.12, abs=0.02)
    assert on_a_rack(expert_parallel=48, attention_dp=True, prefill_accelerators=24).fits
    assert on_a_rack().accelerators_per_replica == 72


# Tokens a second written on a rack with prompts apart: InferenceX (SemiAnalysis), dynamo-trt on GB200, 5 February 2026.
RACKS = (
    (59_952.0, 19.4, {"expert_parallel": 32, "batch": 1_127, "output_tokens": 922}),
    (35_086.0, 17.3, {"expert_parallel": 32, "batch": 564, "output_tokens": 7_373}),
    (199_737.0, 49.1, {"expert_parallel": 16, "batch": 8_192, "output_tokens": 7_373}),
)


@pytest.mark.parametrize(("published", "tpot_ms", "wish"), RACKS)
def test_published_racks_lie_in_their_bands(published: float, tpot_ms: float, wish: dict[str, Any]) -> None:
    usual = {"accelerators": 40, "prefill_accelerators": 8, "attention_dp": True, "engine": "trtllm",
             "weight_precision": "fp8", "input_tokens": 922, "engine_on": date(2026, 2, 5)}  # fmt: skip
    rack = on_a_rack(**usual, **wish)
    assert rack.output_tokens_per_s_low < published < rack.output_tokens_per_s_high
    assert rack.tpot is not None
    assert rack.tpot.mean_ms == pytest.approx(tpot_ms, rel=0.3)


def test_a_published_pool_of_answers_is_the_same_where_prompts_keep_up() -> None:
    """LMSYS, 16 June 2025: 7,583 tokens/s on each of 48 GB200 that only answer, prompts of 2,000 tokens not counted."""
    usual = {"expert_parallel": 48, "attention_dp": True, "engine": "sglang", "weight_precision": "fp8",
             "input_tokens": 2_000, "output_tokens": 1_000, "batch": 48 * 768,
             "engine_on": date(2025, 6, 16)}  # fmt: skip
    kept_up = on_a_rack(**usual, accelerators=48 + 96, prefill_accelerators=96)
    starved = on_a_rack(**usual, prefill_accelerators=24)
    assert kept_up.output_tokens_per_s == pytest.approx(48 * 7_583, rel=0.25)
    assert kept_up.output_tokens_per_s_low < 48 * 7_583 < kept_up.output_tokens_per_s_high
    assert starved.output_tokens_per_s < 0.7 * kept_up.output_tokens_per_s
    assert starved.time_shares[0].name == "waiting for prompts"
    assert sum(part.share for part in starved.time_shares) == pytest.approx(1)


def test_beyond_its_domain_a_group_needs_the_network() -> None:
    wide = {"accelerator": "H200-SXM-141GB", "accelerators": 32, "weight_precision": "fp8", "attention_dp": True}
    inside, beyond = on_a_rack(**wide, expert_parallel=8), on_a_rack(**wide, expert_parallel=32)
    assert not any("network" in warning for warning in inside.warnings)
    assert any("network" in warning for warning in beyond.warnings)


def test_where_prompts_are_worked_on_apart_they_do_not_stand_between_tokens() -> None:
    wish = {"expert_parallel": 8, "attention_dp": True, "engine": "sglang"}
    together, apart = on_a_rack(**wish, batch=9 * 256), on_a_rack(**wish, batch=6 * 256, prefill_accelerators=24)
    assert apart.tpot.mean_ms < together.tpot.mean_ms  # type: ignore[union-attr]
    assert apart.replicas == 6
    assert sum(part.share for part in apart.time_shares) == pytest.approx(1)


def test_all_at_once_the_first_token_waits_and_those_between_do_not() -> None:
    random, at_once = (served(batch=64, load_start=start) for start in ("random", "all_at_once"))
    assert at_once.ttft.mean_ms > 2 * random.ttft.mean_ms  # type: ignore[union-attr]
    assert at_once.tpot.mean_ms < random.tpot.mean_ms  # type: ignore[union-attr]


def test_a_mixture_gets_faster_with_its_software_and_a_dense_model_hardly() -> None:
    releases = ("0.20", "1.1")
    old, new = (
        on_a_rack(engine="trtllm", batch=72, engine_release=release).output_tokens_per_s for release in releases
    )
    assert new > 1.1 * old
    old, new = (served(engine="trtllm", engine_release=one).output_tokens_per_s for one in releases)
    assert new == pytest.approx(old, rel=0.05)


CHIPS = ("H100-SXM5-80GB", "H200-SXM-141GB", "B200-SXM-180GB")


@pytest.mark.parametrize(
    ("model", "active_b"), [("llama-3.3-70b", 70.6), ("gpt-oss-120b", 5.1), ("qwen3-235b-a22b", 22.0)]
)
def test_more_and_newer_accelerators_write_more_and_none_beyond_three_fifths_of_its_peak(
    model: str, active_b: float
) -> None:
    before = 0.0
    for name in CHIPS:
        peak = CATALOGUE.accelerators[name].fp8_dense_tflops.newest.typical  # type: ignore[union-attr]
        rates = [
            served(model=model, accelerator=name, accelerators=count, weight_precision="fp8").output_tokens_per_s
            for count in (8, 16, 32)
        ]
        assert rates == sorted(rates)
        assert rates[0] > before
        before = rates[0]
        # Prompts are 1,000 tokens for 300 written: all of them are worked on.
        flops = 2e9 * active_b * rates[0] / 8 * (1_300 / 300)
        assert flops < 0.6e12 * peak


def test_fewer_bits_write_more_where_the_chip_computes_in_them() -> None:
    for name in CHIPS:
        widths = ("bf16", "fp8", "fp4") if name.startswith("B") else ("bf16", "fp8")
        rates = [
            served(model="llama-3.3-70b", accelerator=name, accelerators=8, weight_precision=each).output_tokens_per_s
            for each in widths
        ]
        assert rates == sorted(rates)


def test_a_chip_without_a_run_has_the_range_between_chips() -> None:
    usual = served(accelerator="H100-SXM5-80GB", engine="trtllm", weight_precision="fp8")
    for name in ("Gaudi3-128GB", "RTX-5090-32GB", "T4-16GB"):
        odd = served(model="llama-3.2-3b", accelerator=name, accelerators=1)
        assert odd.band.high / odd.band.low > usual.band.high / usual.band.low  # type: ignore[union-attr]
