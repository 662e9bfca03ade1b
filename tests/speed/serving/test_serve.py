from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from planner.network.record import build_text_decoder
from planner.speed.hardware import InvalidJobError
from planner.speed.serving import ServingJob, ServingResult, serve
from planner.speed.serving.case_of import valid_tensor_degrees
from pricing import Catalogue
from tests.facts import CATALOGUE
from tests.network.models import with_model
from tests.rows import each_row


def served(catalogue: Catalogue = CATALOGUE, **wish: Any) -> ServingResult:
    """Llama 3.1 8B on one H100, unless wished otherwise."""
    return serve(catalogue, ServingJob(**{"model": "llama-3.1-8b", "accelerator": "H100-SXM5-80GB", **wish}))


def test_a_small_model_fits_and_says_how_fast_and_where_the_time_goes() -> None:
    result = served()
    assert result.fits
    assert result.output_tokens_per_s_low < result.output_tokens_per_s < result.output_tokens_per_s_high
    assert result.requests_per_s == pytest.approx(result.output_tokens_per_s / 300)
    assert sum(part.share for part in result.time_shares) == pytest.approx(1)
    assert result.output_tokens_per_accelerator_hour == pytest.approx(3_600 * result.output_tokens_per_s)
    memory = result.memory
    parts = memory.weights_gb + memory.adapters_gb + memory.working_gb + memory.cache_gb + memory.unused_gb
    assert parts == pytest.approx(memory.device_gb)
    assert memory.weights_gb == pytest.approx(16.06, abs=0.01)


def test_what_does_not_fit_says_why_and_what_would_help_cheapest_first() -> None:
    result = served(model="llama-3.3-70b", accelerators=1)
    assert not result.fits
    assert result.reason is not None
    assert "142.6 GB" in result.reason
    assert [way.change.split()[0] for way in result.ways_to_fit[:3]] == ["store", "share", "take"]
    two = served(model="llama-3.3-70b", tensor_parallel=result.ways_to_fit[1].accelerators_per_replica)
    assert two.fits
    assert served(model="llama-3.3-70b", accelerators=1, weight_precision="fp8").fits


def test_a_long_context_is_helped_by_a_narrower_cache() -> None:
    result = served(model="llama-3.1-8b", accelerator="RTX-4090-24GB", accelerators=1, input_tokens=60_000)
    assert not result.fits
    assert result.ways_to_fit[0].change == "keep the cache in 8 bits"


@pytest.mark.parametrize(("wish", "says"), [
    ({"model": "llama-3.3-70b", "tensor_parallel": 6}, "nearest: 4 or 8"),
    ({"pipeline_parallel": 40}, "at most one each"),
    ({"model": "qwen3-30b-a3b", "tensor_parallel": 3}, "nearest: 2 or 4"),
    ({"tensor_parallel": 8, "accelerators": 4}, "there are 4"),
    ({"accelerator": "A100-SXM4-80GB", "mig_profile": "1g.10gb", "tensor_parallel": 2}, "cannot talk"),
])  # fmt: skip
def test_a_layout_that_cannot_be_is_refused_with_the_nearest_that_can(wish: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidJobError, match=says):
        served(**wish)


def test_legal_degrees_divide_heads_and_do_not_split_a_key_head() -> None:
    assert valid_tensor_degrees(build_text_decoder(CATALOGUE.models["Llama-3-70B"]), most=64) == (
        1, 2, 4, 8, 16, 32, 64,
    )  # fmt: skip
    assert valid_tensor_degrees(build_text_decoder(CATALOGUE.models["Phi-4-14B"]), most=16) == (1, 2, 5, 10)


@each_row("wish", [
    {"input_tokens": 0}, {"accelerators": 0}, {"batch": -1}, {"percentile": 1.5}, {"engine": "abacus"},
    {"weight_precision": "fp7"}, {"unheard_of": 1}, {"ttft_ms": float("nan")}, {"input_tokens": "many"},
    {"requests_per_s": 10.0, "peak_requests_per_s": 1.0},
])  # fmt: skip
def test_nonsense_is_refused(wish: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        served(**wish)


def test_a_service_needs_accelerators_for_its_peak() -> None:
    result = served(mode="server", requests_per_s=50.0, peak_requests_per_s=300.0)
    assert result.accelerators_at_average is not None
    assert result.accelerators_at_peak is not None
    assert result.accelerators_at_average < result.accelerators_at_peak
    assert result.requests_per_s_within_promise <= result.requests_per_s
    assert result.ttft.p50_ms <= result.ttft.p95_ms <= result.ttft.p99_ms <= 2_000
    assert result.tpot.p50_ms <= result.tpot.p95_ms <= result.tpot.p99_ms <= 100


def test_drafts_keep_a_promise_that_one_token_a_step_cannot() -> None:
    tight = {"model": "deepseek-r1", "accelerator": "b200", "accelerators": 8, "engine": "sglang", "tpot_ms": 7.0}
    long = {"weight_precision": "fp4", "input_tokens": 800, "output_tokens": 3_700, "ttft_ms": 1_500.0}
    assert served(**tight, **long).requests_per_s_within_promise == 0
    drafted = served(**tight, **long, draft_tokens=3)
    assert drafted.requests_per_s_within_promise > 0.5
    assert sum(part.share for part in drafted.time_shares) == pytest.approx(1)


@pytest.mark.parametrize(("tighter", "looser"), [({"tpot_ms": 10.0}, {"tpot_ms": 40.0}), ({"ttft_ms": 60.0}, {})])
def test_a_tighter_promise_takes_fewer_requests(tighter: dict[str, Any], looser: dict[str, Any]) -> None:
    few, many = served(mode="server", **tighter), served(mode="server", **looser)
    assert few.requests_per_s_within_promise < many.requests_per_s_within_promise


def test_waiting_grows_with_the_rate() -> None:
    calm, busy = (served(mode="server", accelerators=1, requests_per_s=rate) for rate in (1.0, 15.0))
    assert calm.ttft.p99_ms < busy.ttft.p99_ms


def test_offline_work_has_no_latency() -> None:
    assert served().ttft is None
    assert served().accelerators_at_peak is None


def test_narrower_weights_are_faster_and_a_power_cap_slower() -> None:
    assert served(weight_precision="fp8").output_tokens_per_s > served().output_tokens_per_s
    capped = served(power_cap_w=350.0)
    assert capped.output_tokens_per_s < served().output_tokens_per_s
    assert (capped.joules_per_output_token or 0) < (served().joules_per_output_token or 0)


def test_a_cached_prompt_makes_room_for_more_answers() -> None:
    assert served(cached_input_share=0.8).output_tokens_per_s > served().output_tokens_per_s


def test_adapters_take_memory_and_cost_a_fifth() -> None:
    plain, many = served(), served(lora_adapters=100, lora_rank=64)
    assert many.memory.adapters_gb == pytest.approx(100 * 2 * 4 * 64 * 2 * 4_096 * 32 / 1e9)
    assert many.most_requests_per_replica < plain.most_requests_per_replica
    assert many.output_tokens_per_s < 0.81 * plain.output_tokens_per_s
    assert any("adapters" in text for text in many.warnings)


def test_a_slice_serves_a_small_model_and_not_a_large_one() -> None:
    assert served(model="llama-3.2-3b", accelerator="A100-SXM4-80GB", mig_profile="1g.10gb").fits
    assert not served(accelerator="A100-SXM4-80GB", mig_profile="1g.10gb").fits


def test_a_measurement_of_ones_own_moves_and_narrows_the_band() -> None:
    plain, anchored = served(), served(measured_over_predicted=0.8)
    assert anchored.output_tokens_per_s == pytest.approx(0.8 * plain.output_tokens_per_s)
    wide = plain.output_tokens_per_s_high / plain.output_tokens_per_s_low
    assert anchored.output_tokens_per_s_high / anchored.output_tokens_per_s_low < wide


LLAMA = {
    "attention": "GQA", "params_b": 8.0, "layers": 32, "hidden": 4_096, "heads": 32, "kv_heads": 8, "head_dim": 128,
    "ffn_hidden": 14_336, "vocab": 128_256, "gated": True, "tied_embeddings": False,
}  # fmt: skip


def own(**shape: Any) -> Catalogue:
    return with_model(CATALOGUE, "Ours", **shape)


def test_a_model_of_ones_own_is_counted_from_its_record() -> None:
    ours = served(own(**LLAMA), model="Ours")
    # Published runs tell how fast that of the catalogue is, of one's own nobody has: the level is a few per cent.
    assert ours.output_tokens_per_s == pytest.approx(served().output_tokens_per_s, rel=0.1)
    assert ours.model == "Ours"


def test_a_mixture_of_ones_own_is_that_of_the_catalogue() -> None:
    shape = {
        "attention": "MLA", "params_b": 671.0, "layers": 61, "hidden": 7_168, "heads": 128, "head_dim": 192,
        "ffn_hidden": 18_432, "vocab": 129_280, "gated": True, "tied_embeddings": False, "experts": 256,
        "experts_per_token": 8, "shared_experts": 1, "moe_ffn_hidden": 2_048, "moe_layers": 58, "dense_layers": 3,
        "q_lora": 1_536, "kv_lora": 512, "qk_nope_dim": 128, "qk_rope_dim": 64, "v_head_dim": 128,
    }  # fmt: skip
    ours, known = served(own(**shape), model="Ours", weight_precision="fp8"), served(model="deepseek-v3")
    assert ours.memory.weights_gb == pytest.approx(known.memory.weights_gb)
    assert ours.ways_to_fit[0].accelerators_per_replica == known.ways_to_fit[0].accelerators_per_replica


def test_twice_the_layers_take_about_twice_as_long() -> None:
    short, long = (
        served(own(**{**LLAMA, "layers": layers}), model="Ours", batch=16, accelerators=1) for layers in (32, 64)
    )
    assert 1.8 < short.output_tokens_per_s / long.output_tokens_per_s < 2.1


def test_processors_and_apples_serve_small_models_with_a_wide_band() -> None:
    for accelerator in ("CPU-Xeon-8480plus", "Apple-M4-Max-128GB"):
        result = served(accelerator=accelerator, engine="local", weight_precision="int4", batch=1)
        assert 5 < result.output_tokens_per_s < 200
        assert result.accelerators_per_replica == 1
    assert any("processor" in text for text in served(accelerator="CPU-Xeon-8480plus", engine="local").warnings)


def test_a_new_replica_has_to_load_its_weights() -> None:
    assert served(boot_s=30.0, load_gb_per_s=1.0).cold_start_s == pytest.approx(30 + 16.06, abs=0.01)


@settings(deadline=None)
@given(st.integers(1, 3_000), st.integers(1, 16), st.sampled_from([None, 1, 2, 4]))
@example(1, 4, None)
@example(3, 8, 2)
def test_a_number_of_requests_at_once_is_that_of_all_accelerators_together(at_once: int, count: int, tp: int) -> None:
    if tp is not None and tp > count:
        return
    result = served(batch=at_once, accelerators=count, tensor_parallel=tp)
    busy = min(result.replicas, at_once)
    assert result.idle_replicas == result.replicas - busy
    assert result.batch_per_replica >= 1
    room = result.most_requests_per_replica * busy
    assert result.requests_at_once == pytest.approx(at_once if at_once <= room else min(at_once, room), rel=0.16)
    if at_once <= room:
        assert result.requests_at_once == pytest.approx(at_once)
        assert (
            result.output_tokens_per_s
            <= served(batch=at_once + 1, accelerators=count, tensor_parallel=tp).output_tokens_per_s
        )
    shares = result.accelerators_per_replica * result.replicas * result.output_tokens_per_accelerator_hour
    assert shares == pytest.approx(3_600 * result.output_tokens_per_s)


def test_one_request_on_four_accelerators_is_one_request() -> None:
    alone, four = served(batch=1, accelerators=1), served(batch=1, accelerators=4, tensor_parallel=1)
    assert (four.requests_at_once, four.replicas, four.idle_replicas) == (1, 4, 3)
    assert four.output_tokens_per_s == pytest.approx(alone.output_tokens_per_s)
    assert four.output_tokens_per_accelerator_hour == pytest.approx(alone.output_tokens_per_accelerator_hour / 4)
    assert any("3 of 4 replicas have no request" in warning for warning in four.warnings)
    assert served(batch=1, accelerators=4, tensor_parallel=4).warnings == alone.warnings
