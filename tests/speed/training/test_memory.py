"""Memory by part: against a published ablation, and properties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.speed.hardware import hardware
from planner.speed.shape import model_shape
from planner.speed.training import TrainingJob
from planner.speed.training.fitting import WAYS, made_to_fit
from planner.speed.training.memory import peak_memory
from planner.speed.training.plan import Plan
from planner.speed.training.train import base_plan
from pricing import Catalogue

# torchtune's own table: Llama 3.2 3B in pure bf16 on one A100, taken as 8,192 packed tokens a step, which the logits
# imply. Each line stands on top of the last.
ABLATION = [
    ("packed and compiled", {}, 51.0),
    ("loss in chunks", {"loss_chunks": 8.0}, 42.9),
    ("activations recomputed", {"recompute": 1.0}, 24.9),
    ("update in backward", {"update_in_backward": 1.0}, 23.1),
    ("activations on the host", {"activation_offload": 1.0}, 21.8),
    ("8-bit AdamW", {"state_bytes": 2.0, "wide_embedding_moments": 1.0}, 17.6),
]


def plan_of(catalogue: Catalogue, method: str = "full") -> Plan:
    job = TrainingJob.model_validate(
        {"accelerator": "A100-SXM4-80GB", "accelerators": 1, "optimizer": "adamw_bf16", "engine": "pytorch",
         "software_year": 2025.0, "compiled": True, "seq_len": 2_048, "method": method}
    )  # fmt: skip
    chip = hardware("A100-SXM4-80GB", catalogue.accelerators["A100-SXM4-80GB"])
    return replace(base_plan(job, chip, batch=4), micro_batch=4.0, loss_chunks=1.0)


@pytest.mark.parametrize("line", range(len(ABLATION)), ids=[name for name, _, _ in ABLATION])
def test_the_published_ablation_is_met(catalogue: Catalogue, line: int) -> None:
    plan = plan_of(catalogue)
    for _, change, _ in ABLATION[: line + 1]:
        plan = replace(plan, **change)
    memory = peak_memory(model_shape(catalogue.models["Llama-3.2-3B"]), plan)
    assert memory.allocated_gb == pytest.approx(ABLATION[line][2], rel=0.10)


@pytest.mark.parametrize(("method", "published_gb"), [("lora", 8.5), ("qlora", 4.6)])
def test_adapters_are_met(catalogue: Catalogue, method: str, published_gb: float) -> None:
    plan = replace(plan_of(catalogue, method), loss_chunks=8.0, recompute=1.0, activation_offload=1.0)
    memory = peak_memory(model_shape(catalogue.models["Llama-3.2-3B"]), plan)
    assert memory.allocated_gb == pytest.approx(published_gb, rel=0.10)


def test_adam_in_mixed_precision_takes_eighteen_bytes_a_parameter(catalogue: Catalogue) -> None:
    shape = model_shape(catalogue.models["Llama-3-8B"])
    plan = replace(plan_of(catalogue), grad_bytes=4.0, state_bytes=12.0, eager=0.0)
    memory = peak_memory(shape, plan)
    held_gb = memory.weights_gb + memory.gradients_gb + memory.states_gb
    assert held_gb == pytest.approx(18 * 8.03, rel=0.01)


def test_a_mixtures_experts_are_spread(catalogue: Catalogue) -> None:
    shape = model_shape(catalogue.models["DeepSeek-V3"])
    plan = replace(plan_of(catalogue), accelerators=256.0, dp=64.0, pp=4.0, global_batch=64.0, micro_batch=1.0)
    together, spread = (float(peak_memory(shape, replace(plan, ep=ep)).weights_gb) for ep in (1.0, 64.0))
    assert together == pytest.approx(2 * 671 / 4, rel=0.03)
    assert spread < together / 8


@pytest.mark.parametrize("way", WAYS, ids=[way.name for way in WAYS])
def test_no_way_to_save_memory_costs_any(catalogue: Catalogue, way: object) -> None:
    shape = model_shape(catalogue.models["Llama-3-8B"])
    plan = replace(plan_of(catalogue), dp=8.0, accelerators=8.0, global_batch=64.0, grad_bytes=4.0, state_bytes=12.0)
    changed = next(one for one in WAYS if one is way).change(plan)
    assert float(peak_memory(shape, changed).total_gb) < float(peak_memory(shape, plan).total_gb)


def test_ways_are_taken_in_order_and_only_where_open(catalogue: Catalogue) -> None:
    shape = model_shape(catalogue.models["Llama-3-8B"])
    chip = hardware("A100-SXM4-80GB", catalogue.accelerators["A100-SXM4-80GB"])
    plan = replace(plan_of(catalogue), grad_bytes=4.0, state_bytes=12.0, eager=0.0)
    both = replace(plan, micro_batch=np.array([1.0, 1.0]))
    fitted = made_to_fit(shape, chip, both, free={"recompute": np.array([1.0, 0.0]), "shard": 0.0})
    assert fitted.fits.all()
    assert np.asarray(fitted.plan.recompute).tolist() == [1.0, 0.0]
    large = replace(chip, memory_gb=1_000.0)
    assert made_to_fit(shape, large, plan, free={}).ways == 0
    small = replace(chip, memory_gb=4.0)
    nowhere = made_to_fit(shape, small, plan, free={})
    assert not nowhere.fits
    assert nowhere.ways == -1
    assert float(nowhere.memory.total_gb) == float(peak_memory(shape, plan).total_gb)
