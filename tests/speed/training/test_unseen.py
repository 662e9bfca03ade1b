"""What a table of runs leaves open, and what mixtures exchange."""

from dataclasses import replace

import pytest

from planner.evidence.training.check import check_training
from planner.evidence.training.rows import read_run
from planner.network.record import build_network
from planner.scenario.jobs import TrainingJob
from planner.speed.hardware import hardware
from planner.speed.training.constants import default_calibration
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.step import all_to_all_s, experts_s, step_parts
from planner.speed.training.train import train
from pricing import Catalogue

# DeepSeek-V3 Technical Report, 2024: 14.8T tokens in 2.664 million hours of an H800, and the layout of section 3.
PUBLISHED = 14.8e12 / 2.664e6 / 3_600
DEEPSEEK = {
    "id": "x", "model": "DeepSeek-V3", "accelerator": "H800", "n_accelerators": "2048", "precision": "FP8",
    "seq_len": "4096", "global_batch_sequences": "15360", "tp": "1", "pp": "16", "ep": "64", "dp": "128",
    "micro_batch": "1", "activation_recompute": "selective", "sharding": "ZeRO-1", "framework": "HAI-LLM",
    "published": "2024-12",
}  # fmt: skip
LAYOUT = ("tp", "pp", "ep", "dp", "micro_batch", "activation_recompute", "sharding")


def plan_of(catalogue: Catalogue, **changes: str) -> TrainingPlan:
    return read_run(catalogue, {**DEEPSEEK, **changes}).plan


@pytest.mark.parametrize("left_out", [(), LAYOUT])
def test_deepseek_v3_lies_in_its_band_with_and_without_its_layout(
    catalogue: Catalogue, left_out: tuple[str, ...]
) -> None:
    said = check_training(catalogue, [{**DEEPSEEK, **dict.fromkeys(left_out, "")}])[0]
    assert (said.low or 0) < PUBLISHED < (said.high or 0)


def test_a_job_like_deepseek_v3_takes_as_long_as_theirs_took(catalogue: Catalogue) -> None:
    """2.664 million hours on 2,048 H800 are 54.2 days, without saying how they laid it out."""
    job = TrainingJob(
        model="DeepSeek-V3", accelerator="H800-SXM5-80GB", accelerators=2_048, precision="fp8", tokens=14.8e12,
        global_batch_sequences=15_360,
    )  # fmt: skip
    speed = train(catalogue, job).speed
    assert speed.layout.plan.pp > 1
    assert speed.days.low < 54.2 < speed.days.typical < 75


def test_a_two_way_pipeline_idles_less_and_hides_its_exchanges(catalogue: Catalogue) -> None:
    run = read_run(catalogue, DEEPSEEK)
    constants = default_calibration().constants
    two, one = (step_parts(run.shape, run.chip, replace(run.plan, two_way=flag), constants) for flag in (1.0, 0.0))
    assert float(two.expert_traffic_s) == 0 < float(one.expert_traffic_s)
    assert float(two.bubble_s) < 0.65 * float(one.bubble_s)
    assert plan_of(catalogue).two_way == 1
    assert plan_of(catalogue, framework="Megatron-LM").two_way == 0


def test_a_token_crosses_to_a_node_once_and_to_no_more_groups_than_routing_allows(catalogue: Catalogue) -> None:
    shape, chip = (
        build_network(catalogue.models["DeepSeek-V3"]),
        hardware("H800", catalogue.accelerators["H800-SXM5-80GB"]),
    )
    plan, constants = replace(plan_of(catalogue), two_way=0.0), default_calibration().constants
    limited = float(all_to_all_s(shape, chip, plan, constants))
    free = float(all_to_all_s(replace(shape, expert_groups=0.0), chip, plan, constants))
    each = 8 * plan.tokens * shape.moe_layers * shape.hidden * constants.expert_exposed / 1e9
    every_copy = float(each * 8 * 7 / 8 / chip.nic_gb_s)
    assert shape.expert_groups == 4
    assert limited < free < every_copy


def test_wide_experts_reach_nearly_what_dense_products_do(catalogue: Catalogue) -> None:
    chip, constants = hardware("H100", catalogue.accelerators["H100-SXM5-80GB"]), default_calibration().constants
    rates = []
    for name in ("Qwen3-30B-A3B", "Mixtral-8x7B", "Mixtral-8x22B"):
        shape = build_network(catalogue.models[name])
        plan = replace(plan_of(catalogue), ep=8.0, year=2026.0, bits=16.0)
        work = 2 * plan.tokens * plan.passes * shape.moe_layers * shape.experts_per_token * shape.expert_params
        rates.append(float(work / experts_s(shape, chip, plan, constants, 1.0) / chip.tflops_16 / 1e12))
    assert rates == sorted(rates)
    assert rates[-1] > 0.65 * constants.e16 > rates[0]


def test_a_mixture_without_a_layout_takes_the_fastest_that_fits(catalogue: Catalogue) -> None:
    run = read_run(catalogue, {**DEEPSEEK, **dict.fromkeys(LAYOUT, "")})
    assert not run.layout_stated
    assert run.plan.ep >= 8 > run.plan.tp
    assert run.plan.tp * run.plan.pp * run.plan.cp * run.plan.dp == 2_048


@pytest.mark.parametrize(("published", "recompute"), [("2023-06", 1.0), ("2026-06", 0.0)])
def test_what_did_not_fit_was_recomputed_before_software_could_do_less(
    catalogue: Catalogue, published: str, recompute: float
) -> None:
    row = {
        "id": "x", "model": "GPT-3 175B", "accelerator": "A100-SXM4-80GB", "n_accelerators": "64", "tp": "8",
        "pp": "4", "precision": "bf16", "global_batch_sequences": "512", "published": published,
    }  # fmt: skip
    assert read_run(catalogue, row).plan.recompute == recompute
    assert read_run(catalogue, {**row, "activation_recompute": "none"}).plan.recompute == 0


def test_adapters_on_sharded_weights_that_do_not_fit_were_recomputed_in_any_year(catalogue: Catalogue) -> None:
    row = {
        "id": "x", "model": "Llama-3-70B", "accelerator": "H100-SXM5-80GB", "n_accelerators": "8", "tp": "2", "pp": "1",
        "dp": "4", "precision": "bf16", "micro_batch": "2", "global_batch_sequences": "32", "seq_len": "4096",
        "sharding": "fsdp", "published": "2026-06", "framework": "NeMo AutoModel",
    }  # fmt: skip
    assert read_run(catalogue, {**row, "task": "lora"}).plan.recompute == 1
    assert read_run(catalogue, {**row, "task": "lora", "micro_batch": "1", "seq_len": "512"}).plan.recompute == 0
    assert read_run(catalogue, {**row, "task": "sft"}).plan.recompute == 0


@pytest.mark.parametrize(("framework", "stated", "fused"), [
    ("Megatron-DeepSpeed", "", 0.0), ("Megatron-DeepSpeed", "yes", 1.0), ("Megatron-LM", "", 1.0),
    ("Megatron-LM", "no", 0.0), ("Megatron-DeepSpeed + flash-attn", "", 1.0),
])  # fmt: skip
def test_scores_are_written_out_where_a_stack_must_be_asked_not_to(
    catalogue: Catalogue, framework: str, stated: str, fused: float
) -> None:
    row = {
        "id": "x", "model": "GPT-3 175B", "accelerator": "A100-SXM4-80GB", "n_accelerators": "64", "tp": "8",
        "pp": "4", "precision": "fp16", "global_batch_sequences": "512", "published": "2024",
    }  # fmt: skip
    assert read_run(catalogue, {**row, "framework": framework, "fused_attention": stated}).plan.fused_attention == fused


@pytest.mark.parametrize(("published", "bits"), [("2023-01", 16.0), ("2025-01", 8.0)])
def test_bits_that_are_not_stated_are_those_of_the_year(catalogue: Catalogue, published: str, bits: float) -> None:
    assert plan_of(catalogue, precision="", published=published).bits == bits
    assert plan_of(catalogue, precision="BF16-mixed", published=published).bits == 16


def test_an_unknown_mixture_is_predicted_from_its_sizes_with_a_wider_band(catalogue: Catalogue) -> None:
    row = {**DEEPSEEK, "framework": "Megatron-LM", "ep": "8", "n_accelerators": "2048"}
    known, guessed = check_training(
        catalogue, [row, {**row, "model": "Unheard-of", "params_b": "671", "active_params_b": "37.5"}]
    )
    assert guessed.rate == pytest.approx(known.rate, rel=0.35)
    assert (guessed.high or 0) / (guessed.low or 1) > (known.high or 1) / (known.low or 1)
