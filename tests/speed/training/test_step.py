"""The step time: parts that add up, arrays that equal scalars, and physics that points the right way."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from planner.network.network import Network, Reach
from planner.network.record import network_of
from planner.network.stack import LayerStack, stack_network, typical_stack
from planner.speed.arrays import stacked, taken
from planner.speed.hardware import Hardware, hardware
from planner.speed.training import TrainingJob
from planner.speed.training.collectives import all_to_all_s, data_s
from planner.speed.training.constants import house_calibration
from planner.speed.training.plan import TrainingPlan
from planner.speed.training.step import StepParts, elementwise_s, step_parts, tokens_per_s
from planner.speed.training.train import base_plan
from planner.speed.training.waterfall import flops_per_token
from pricing import Catalogue

K = house_calibration().constants
MODELS = ["Llama-3-8B", "GPT-3-175B", "DeepSeek-V3", "gpt-oss-120b", "BERT-Large", "Nemotron-3-Nano-30B-A3B"]


def chip(catalogue: Catalogue, key: str = "H100-SXM5-80GB") -> Hardware:
    return hardware(key, catalogue.accelerators[key])


def plan(catalogue: Catalogue, **layout: float) -> TrainingPlan:
    job = TrainingJob(accelerator="H100", accelerators=64, seq_len=4_096)
    base = base_plan(job, batch=512)
    return replace(base, **({"tp": 4.0, "pp": 2.0, "vpp": 2.0, "cp": 1.0, "dp": 8.0, "shard": 1.0} | layout))


@pytest.mark.parametrize("name", MODELS)
def test_parts_add_up_and_none_is_negative(catalogue: Catalogue, name: str) -> None:
    parts = step_parts(network_of(catalogue.models[name]), chip(catalogue), plan(catalogue), K)
    seconds = [float(getattr(parts, field.name)) for field in fields(StepParts)]
    assert min(seconds) >= 0
    assert float(parts.total_s) == pytest.approx(sum(seconds))


def test_arrays_are_their_scalars(catalogue: Catalogue) -> None:
    shapes = [network_of(catalogue.models[name]) for name in MODELS]
    plans = [
        plan(catalogue, tp=float(tp), ep=float(ep))
        for tp, ep in zip([1, 2, 4, 8, 1, 2], [1, 2, 8, 4, 1, 8], strict=True)
    ]
    at_once = tokens_per_s(stacked(shapes), chip(catalogue), stacked(plans), K)
    one_by_one = [float(tokens_per_s(s, chip(catalogue), p, K)) for s, p in zip(shapes, plans, strict=True)]
    assert np.asarray(at_once) == pytest.approx(one_by_one, rel=1e-12)
    assert float(taken(stacked(plans), 3).tp) == 8.0


def llama(layers: int = 32) -> Network:
    return stack_network(LayerStack(layers=layers, hidden=4_096, heads=32, ffn=14_336, vocab=128_256, kv_heads=8))


def test_twice_the_layers_take_about_twice_as_long(catalogue: Catalogue) -> None:
    once, twice = (float(step_parts(llama(n), chip(catalogue), plan(catalogue), K).total_s) for n in (32, 64))
    assert 1.85 < twice / once < 2.0


@pytest.mark.parametrize("link", ["link_gb_s", "nic_gb_s", "bandwidth_gb_s", "tflops_16"])
@pytest.mark.parametrize("layout", [{}, {"tp": 1.0, "pp": 1.0, "dp": 64.0, "shard": 3.0}, {"cp": 2.0, "dp": 4.0}])
def test_faster_hardware_never_slows(catalogue: Catalogue, link: str, layout: dict[str, float]) -> None:
    slow = chip(catalogue)
    fast = replace(slow, **{link: 2 * float(getattr(slow, link))})
    shape, asked = network_of(catalogue.models["Qwen3-30B-A3B"]), plan(catalogue, ep=8.0, **layout)
    assert float(tokens_per_s(shape, fast, asked, K)) >= float(tokens_per_s(shape, slow, asked, K))


def test_a_power_capped_part_is_slower_than_the_full_one(catalogue: Catalogue) -> None:
    full, capped = chip(catalogue), chip(catalogue, "H100-SXM-96GB-HBM2e-500W")
    assert full.power_share == 1.0
    assert float(capped.power_share) == pytest.approx(5 / 7, rel=0.01)
    same = replace(full, power_share=capped.power_share)
    assert float(tokens_per_s(llama(), same, plan(catalogue), K)) < float(
        tokens_per_s(llama(), full, plan(catalogue), K)
    )


@pytest.mark.parametrize(
    ("slower", "faster"),
    [
        ({"recompute": 1.0}, {"recompute": 0.0}),
        ({"fused_attention": 0.0}, {"fused_attention": 1.0}),
        ({"year": 2023.5}, {"year": 2026.0}),
        ({"eager": 1.0}, {"eager": 0.0}),
        ({"vpp": 1.0}, {"vpp": 4.0}),
        ({"bits": 16.0}, {"bits": 8.0}),
        ({"bits": 32.0}, {"bits": 16.0}),
        ({"offload": 1.0}, {"offload": 0.0}),
        ({"backward": 2.0}, {"backward": 1.0}),
    ],
)
def test_what_is_said_of_the_software_counts(
    catalogue: Catalogue, slower: dict[str, float], faster: dict[str, float]
) -> None:
    rates = [float(tokens_per_s(llama(), chip(catalogue), plan(catalogue, **said), K)) for said in (slower, faster)]
    assert rates[0] < rates[1]


def test_micro_batches_that_enter_at_both_ends_leave_a_third_of_the_bubble(catalogue: Catalogue) -> None:
    """DeepSeek-V3's report, table 2, with a head that costs nothing, for which no stage would wait."""
    headless = replace(llama(), head_share=0.0)
    one_way, both_ways = (
        step_parts(headless, chip(catalogue), plan(catalogue, pp=4.0, dp=4.0, two_way=two_way), K)
        for two_way in (0.0, 1.0)
    )
    assert float(one_way.head_s) == 0
    assert float(one_way.bubble_s) > 0
    assert float(both_ways.bubble_s) == pytest.approx(float(one_way.bubble_s) / 3)


def test_three_of_four_stages_wait_half_as_long_as_the_head_takes_on_the_last(catalogue: Catalogue) -> None:
    """Without interleaving: 0.5 x 3/4 of the head for each micro-batch, and its part of the bubble."""
    four = plan(catalogue, pp=4.0, dp=4.0, vpp=1.0)
    with_head, without = (
        step_parts(shape, chip(catalogue), four, K) for shape in (llama(), replace(llama(), head_share=0.0))
    )
    whole_head_s = 4 * float(with_head.head_s)  # a stage's share of it is a quarter
    waits_s = 0.5 * 0.75 * whole_head_s
    bubble_s = K.bubble * whole_head_s / 4 * 3 / float(four.micro_batches)
    assert float(with_head.bubble_s) - float(without.bubble_s) == pytest.approx(waits_s + bubble_s)


def test_casts_to_8_bits_are_moved_on_top_of_what_16_bits_move(catalogue: Catalogue) -> None:
    wide, narrow = (
        float(elementwise_s(llama(), chip(catalogue), replace(plan(catalogue), bits=bits, eager=0.0), K))
        for bits in (16.0, 8.0)
    )
    assert narrow / wide == pytest.approx(1 + K.cast)


def test_a_token_crosses_to_another_node_only_if_its_expert_lives_there(catalogue: Catalogue) -> None:
    """Sixteen ranks on two nodes, one expert for each token: 15 of 16 leave their chip, half of them their node."""
    shape = replace(llama(), moe_layers=32.0, experts=16.0, experts_per_token=1.0, expert_groups=0.0)
    spread = replace(plan(catalogue, tp=1.0, pp=1.0, dp=64.0, ep=16.0), two_way=0.0)
    here = chip(catalogue)
    assert here.domain == 8
    gb = 8 * float(spread.tokens) * 32 * 4_096 / 1e9
    by_hand_s = K.expert_exposed * gb * (15 / 16 / float(here.link_gb_s) + 1 / 2 / float(here.nic_gb_s))
    assert float(all_to_all_s(shape, here, spread, K)) == pytest.approx(by_hand_s)


def test_sharded_adapters_send_all_weights_and_few_gradients(catalogue: Catalogue) -> None:
    """ZeRO 3 on a node: each micro-batch gathers 2 bytes of each weight twice, and sends 4 of what is trained."""
    base = replace(plan(catalogue, tp=1.0, pp=1.0, dp=8.0, shard=3.0), weight_bytes=2.0)
    sent = [
        float(data_s(llama(), chip(catalogue), replace(base, trainable_share=share), K)) for share in (1.0, 0.01, 0.0)
    ]
    assert (sent[1] - sent[2]) / (sent[0] - sent[2]) == pytest.approx(0.01, rel=1e-6)


def test_causal_attention_counts_half_and_a_window_less(catalogue: Catalogue) -> None:
    long = plan(catalogue, seq_len=65_536.0, global_batch=64.0)
    near = replace(llama(), far=Reach(), near=replace(llama().far, tokens=4_096.0))
    times = [float(step_parts(shape, chip(catalogue), long, K).attention_s) for shape in (llama(), near)]
    assert times[1] < times[0] / 5
    useful, done = flops_per_token(llama(), plan(catalogue))
    linear = 6 * (llama().params - 128_256 * 4_096)
    assert useful == pytest.approx(float(linear) + 6 * 32 * 4_096 * 4_096, rel=1e-3)
    assert done == useful


def test_what_a_mixer_makes_of_a_token_is_moved_and_not_multiplied(catalogue: Catalogue) -> None:
    """Convolved, scanned, gated, normed: six times all of it, in 16 bits, on top of norms and residuals."""
    job, part = plan(catalogue), chip(catalogue)
    hybrid = replace(llama(), mixer_values=10 * 32 * 4_096 / 6)  # as much as the ten widths around each layer
    plain, more = (elementwise_s(shape, part, job, K) for shape in (llama(), hybrid))
    around = 10 * 32 * 4_096
    assert float(more / plain) == pytest.approx(1 + around / (around + 32 * 4 * 14_336))
    assert step_parts(hybrid, part, job, K).linear_s == step_parts(llama(), part, job, K).linear_s


def test_no_prediction_beats_the_peak(catalogue: Catalogue) -> None:
    for key in ("H100-SXM5-80GB", "A100-SXM4-80GB", "RTX-4090-24GB", "TPU-v5p", "B200-SXM-180GB"):
        part = chip(catalogue, key)
        useful, _ = flops_per_token(llama(), plan(catalogue))
        assert float(tokens_per_s(llama(), part, plan(catalogue), K)) * useful < float(part.tflops_16) * 1e12


def test_a_guessed_shape_has_the_size_it_was_guessed_from() -> None:
    for params in (1.3e9, 8.9e9, 80e9, 1e12):
        assert float(typical_stack(params=params).active_params) == pytest.approx(params, rel=0.15)


@pytest.mark.parametrize(
    "name", ["Llama-3-8B", "Llama-3.1-405B", "Qwen3-235B-A22B", "DeepSeek-V3", "GPT-3-175B", "Mixtral-8x7B"]
)
def test_counts_are_those_of_the_catalogue(catalogue: Catalogue, name: str) -> None:
    shape, model = network_of(catalogue.models[name]), catalogue.models[name]
    counted = shape.routed_params + shape.linear_params + shape.table_params
    assert float(counted) == pytest.approx(model.params_b * 1e9, rel=0.01)


@pytest.mark.parametrize(("name", "share"), [("Gemma-3-27B", 5 / 6), ("Gemma-2-9B", 0.5), ("OLMo-3-32B", 0.75)])
def test_only_some_layers_look_through_a_window(catalogue: Catalogue, name: str, share: float) -> None:
    shape = network_of(catalogue.models[name])
    assert float(shape.near.score_flops / shape.score_flops) == pytest.approx(share)
