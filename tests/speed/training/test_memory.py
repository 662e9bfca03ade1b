"""Memory by part: against a published ablation, and properties."""

from dataclasses import replace

import numpy as np
import pytest

from planner.evidence.training.check import check_training
from planner.evidence.training.rows import read_run
from planner.network.network import Network
from planner.network.record import build_network
from planner.speed.hardware import hardware
from planner.speed.training import TrainingJob
from planner.speed.training.fitting import WAYS, fits, layer_activation_bytes, peak_memory, reduce_to_fit
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.stated import find_software_stack
from planner.speed.training.train import base_plan
from pricing import Catalogue
from tests.rows import each_row

# torchtune's own table: Llama 3.2 3B in pure bf16 on one A100, taken as 8,192 packed tokens a step, which the logits
# imply. Each line stands on top of the last.
ABLATION = [
    ("packed and compiled", {}, 51.0), ("loss in chunks", {"loss_chunks": 8.0}, 42.9),
    ("activations recomputed", {"recompute": 1.0}, 24.9), ("update in backward", {"update_in_backward": 1.0}, 23.1),
    ("activations on the host", {"activation_offload": 1.0}, 21.8),
    ("8-bit AdamW", {"state_bytes": 2.0, "wide_embedding_moments": 1.0}, 17.6),
]  # fmt: skip


def plan_of(catalogue: Catalogue, method: str = "full") -> TrainingPlan:
    job = TrainingJob.model_validate(
        {"accelerator": "A100-SXM4-80GB", "accelerators": 1, "optimizer": "adamw_bf16", "engine": "pytorch",
         "software_year": 2025.0, "compiled": True, "seq_len": 2_048, "method": method}
    )  # fmt: skip
    return replace(base_plan(job, batch=4), micro_batch=4.0, loss_chunks=1.0)


@each_row("line", range(len(ABLATION)))
def test_the_published_ablation_is_met(catalogue: Catalogue, line: int) -> None:
    plan = plan_of(catalogue)
    for _, change, _ in ABLATION[: line + 1]:
        plan = replace(plan, **change)
    memory = peak_memory(build_network(catalogue.models["Llama-3.2-3B"]), plan)
    assert memory.allocated_gb == pytest.approx(ABLATION[line][2], rel=0.10)


@pytest.mark.parametrize(("method", "published_gb"), [("lora", 8.5), ("qlora", 4.6)])
def test_adapters_are_met(catalogue: Catalogue, method: str, published_gb: float) -> None:
    plan = replace(plan_of(catalogue, method), loss_chunks=8.0, recompute=1.0, activation_offload=1.0)
    memory = peak_memory(build_network(catalogue.models["Llama-3.2-3B"]), plan)
    assert memory.allocated_gb == pytest.approx(published_gb, rel=0.10)


def test_adam_in_mixed_precision_takes_eighteen_bytes_a_parameter(catalogue: Catalogue) -> None:
    shape = build_network(catalogue.models["Llama-3-8B"])
    plan = replace(plan_of(catalogue), grad_bytes=4.0, state_bytes=12.0, eager=0.0)
    memory = peak_memory(shape, plan)
    held_gb = memory.weights_gb + memory.gradients_gb + memory.states_gb
    assert held_gb == pytest.approx(18 * 8.03, rel=0.01)


def test_four_hundredths_of_what_comes_and_goes_cannot_be_used_again(catalogue: Catalogue) -> None:
    """Activations, logits and gathered weights: of each layer, which is at work while the next arrives, 2 x 2 bytes.

    Llama 3 8B has 218,112,000 parameters in a layer, whose gradients leave in 4 bytes, and 525,336,576 in each of two
    tables.
    """
    shape = build_network(catalogue.models["Llama-3-8B"])
    alone = peak_memory(shape, plan_of(catalogue))
    assert float(alone.fragmentation_gb) == pytest.approx(0.04 * float(alone.activations_gb + alone.logits_gb))
    spread = peak_memory(shape, at_8b(catalogue, shard=3.0))
    gathered_gb = (4 + 4) * 0.218112000 + 2 * 2 * 0.525336576
    held_gb = float(spread.activations_gb + spread.logits_gb) + gathered_gb
    assert float(spread.fragmentation_gb) == pytest.approx(0.04 * held_gb, rel=1e-3)


def test_a_mixtures_experts_are_spread(catalogue: Catalogue) -> None:
    shape = build_network(catalogue.models["DeepSeek-V3"])
    plan = replace(plan_of(catalogue), accelerators=256.0, dp=64.0, pp=4.0, global_batch=64.0, micro_batch=1.0)
    together, spread = (float(peak_memory(shape, replace(plan, ep=ep)).weights_gb) for ep in (1.0, 64.0))
    assert together == pytest.approx(2 * 671 / 4, rel=0.03)
    assert spread < together / 8


@each_row("way", WAYS)
def test_no_way_to_save_memory_costs_any(catalogue: Catalogue, way: object) -> None:
    shape = build_network(catalogue.models["Llama-3-8B"])
    plan = replace(plan_of(catalogue), dp=8.0, accelerators=8.0, global_batch=64.0, grad_bytes=4.0, state_bytes=12.0)
    changed = next(one for one in WAYS if one is way).change(plan)
    assert float(peak_memory(shape, changed).total_gb) < float(peak_memory(shape, plan).total_gb)


def test_ways_are_taken_in_order_and_only_where_open(catalogue: Catalogue) -> None:
    shape = build_network(catalogue.models["Llama-3-8B"])
    chip = hardware("A100-SXM4-80GB", catalogue.accelerators["A100-SXM4-80GB"])
    plan = replace(plan_of(catalogue), grad_bytes=4.0, state_bytes=12.0, eager=0.0)
    both = replace(plan, micro_batch=np.array([1.0, 1.0]))
    fitted = reduce_to_fit(shape, chip, both, free={"recompute": np.array([1.0, 0.0]), "shard": 0.0})
    assert fitted.fits.all()
    assert np.asarray(fitted.plan.recompute).tolist() == [1.0, 0.0]
    large = replace(chip, memory_gb=1_000.0)
    assert reduce_to_fit(shape, large, plan, free={}).ways == 0
    small = replace(chip, memory_gb=4.0)
    nowhere = reduce_to_fit(shape, small, plan, free={})
    assert not nowhere.fits
    assert nowhere.ways == -1
    assert float(nowhere.memory.total_gb) == float(peak_memory(shape, plan).total_gb)


def at_8b(catalogue: Catalogue, **changes: float) -> TrainingPlan:
    """Llama 3 8B on 64 accelerators in eight nodes."""
    return replace(
        plan_of(catalogue), accelerators=64.0, dp=64.0, global_batch=64.0, micro_batch=1.0, seq_len=8_192.0, eager=0.0,
        grad_bytes=4.0, state_bytes=12.0, **changes,
    )  # fmt: skip


def test_selective_recompute_lies_between_none_and_full(catalogue: Catalogue) -> None:
    shape = build_network(catalogue.models["Llama-3-8B"])
    none, selective, full = (
        float(peak_memory(shape, at_8b(catalogue, **how)).activations_gb)
        for how in ({}, {"selective": 1.0}, {"recompute": 1.0})
    )
    assert full < selective < none
    # Of 34 bytes of each width of a layer the norms and the product of the gates go: 4 and 7 of about 32.
    assert selective / none == pytest.approx(21 / 32, rel=0.1)
    scores, dropped = (
        float(peak_memory(shape, replace(at_8b(catalogue, **how), fused_attention=0.0)).activations_gb)
        for how in ({}, {"selective": 1.0})
    )
    assert dropped < 0.2 * scores  # written-out scores are most of it


def test_hybrid_sharding_holds_what_its_group_shares(catalogue: Catalogue) -> None:
    shape = build_network(catalogue.models["Llama-3-8B"])
    whole, within, all_of_them = (
        peak_memory(shape, at_8b(catalogue, **how)) for how in ({}, {"shard": 3.0, "shard_ranks": 8.0}, {"shard": 3.0})
    )
    assert float(within.states_gb) == pytest.approx(float(whole.states_gb) / 8)
    assert float(within.weights_gb) == pytest.approx(8 * float(all_of_them.weights_gb))


@pytest.mark.parametrize("bits", [8.0, 16.0])
def test_frozen_weights_keep_less_and_fewer_bits_less(catalogue: Catalogue, bits: float) -> None:
    shape = build_network(catalogue.models["Llama-3-8B"])
    trained, frozen = (
        float(layer_activation_bytes(shape, at_8b(catalogue, bits=bits, trainable_share=share)))
        for share in (1.0, 0.005)
    )
    assert frozen < trained
    assert trained <= float(layer_activation_bytes(shape, at_8b(catalogue)))


# What LitGPT's table of October 2023 says of LoRA with Llama 2 on A100s of 40 GB; none of these rows is in our data.
LITGPT = {"accelerator": "A100-SXM4-40GB", "n_accelerators": "1", "precision": "bf16", "framework": "LitGPT",
          "published": "2023-10-20", "task": "lora", "seq_len": "1304", "tp": "1", "pp": "1"}  # fmt: skip
PEAKS = [
    ("Llama 2 7B", {"micro_batch": "1"}, 21.30),
    ("Llama 2 7B", {"micro_batch": "2"}, 29.07),
    ("Llama 2 7B", {"micro_batch": "1", "task": "qlora"}, 14.14),
    ("Llama 2 7B", {"micro_batch": "1", "n_accelerators": "2", "sharding": "zero3/fsdp", "dp": "2"}, 22.18),
]


@pytest.mark.parametrize(("model", "how", "gb"), PEAKS)
def test_peaks_that_were_not_in_our_data_are_met(
    catalogue: Catalogue, model: str, how: dict[str, str], gb: float
) -> None:
    run = read_run(catalogue, {**LITGPT, "id": "x", "model": model, **how})
    assert float(peak_memory(run.shape, run.plan).allocated_gb) == pytest.approx(gb, rel=0.12)


OUT_OF_MEMORY = [("Llama 2 7B", {"micro_batch": "4"}), ("Llama 2 13B", {"micro_batch": "2"}),
                 ("Llama 2 13B", {"micro_batch": "4"}), ("Falcon 40B", {"micro_batch": "1"})]  # fmt: skip


@pytest.mark.parametrize(("model", "how"), OUT_OF_MEMORY)
def test_runs_that_ran_out_of_memory_do_not_fit(catalogue: Catalogue, model: str, how: dict[str, str]) -> None:
    sizes = {"params_b": "41.3", "layers": "60", "hidden": "8192", "heads": "128", "vocab": "65024"}
    run = read_run(catalogue, {**LITGPT, "id": "x", "model": model, **(sizes if "Falcon" in model else {}), **how})
    assert not fits(peak_memory(run.shape, run.plan), run.chip)


def test_a_peak_is_compared_with_what_its_tool_counts(catalogue: Catalogue) -> None:
    row = {**LITGPT, "id": "x", "model": "Llama 2 7B", "micro_batch": "1"}
    peaks = {name: check_training(catalogue, [row | {"framework": name}])[0].predicted["peak_memory_gb"]
             for name in ("LitGPT", "NeMo 24.07")}  # fmt: skip
    memory = peak_memory(*_of(catalogue, row | {"framework": "NeMo 24.07"}))
    assert peaks["NeMo 24.07"] == pytest.approx(float(memory.total_gb))
    memory = peak_memory(*_of(catalogue, row))
    assert peaks["LitGPT"] == pytest.approx(float(memory.allocated_gb))
    assert float(memory.allocated_gb) < float(memory.reserved_gb) < float(memory.total_gb)


def _of(catalogue: Catalogue, row: dict[str, str]) -> tuple[Network, TrainingPlan]:
    run = read_run(catalogue, row)
    return run.shape, run.plan


@each_row(("framework", "precision", "counts", "bytes_each"), [
    ("Megatron-DeepSpeed", "fp16", "device", 18), ("Megatron-DeepSpeed", "bf16", "device", 18),
    ("torchtitan", "bf16", "reserved", 14), ("Megatron-Bridge 26.04", "fp8", "device", 14),
    ("Megatron-LM", "bf16", "device", 16), ("", "", "device", 16),
])  # fmt: skip
def test_a_stack_keeps_what_its_code_says(framework: str, precision: str, counts: str, bytes_each: float) -> None:
    stack = find_software_stack(framework, precision)
    assert stack.counts == counts
    assert stack.gradients + stack.always + stack.states == bytes_each
    assert stack.source
