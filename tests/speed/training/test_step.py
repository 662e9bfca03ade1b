"""The step time: parts that add up, arrays that equal scalars, and physics that points the right way."""

from dataclasses import fields, replace

import numpy as np
import pytest

from planner.network.guess import LayerStack, stack_network, typical_stack
from planner.network.network import Network, Reach
from planner.network.record import build_network
from planner.speed.arrays import stack_records, take_entries
from planner.speed.hardware import Hardware, hardware
from planner.speed.training import TrainingJob
from planner.speed.training.constants import default_calibration
from planner.speed.training.plan import TrainingPlan, stage_slots
from planner.speed.training.result import flops_per_token
from planner.speed.training.step import (
    TrainingStepParts,
    all_to_all_s,
    data_gb_s,
    data_s,
    elementwise_s,
    step_parts,
    tokens_per_s,
)
from planner.speed.training.train import base_plan
from pricing import Catalogue
from tests.rows import each_row

K = default_calibration().constants
MODELS = ["Llama-3-8B", "GPT-3-175B", "DeepSeek-V3", "gpt-oss-120b", "BERT-Large", "Nemotron-3-Nano-30B-A3B"]


def chip(catalogue: Catalogue, key: str = "H100-SXM5-80GB") -> Hardware:
    return hardware(key, catalogue.accelerators[key])


def plan(catalogue: Catalogue, **layout: float) -> TrainingPlan:
    job = TrainingJob(accelerator="H100", accelerators=64, seq_len=4_096)
    base = base_plan(job, batch=512)
    return replace(base, **({"tp": 4.0, "pp": 2.0, "vpp": 2.0, "cp": 1.0, "dp": 8.0, "shard": 1.0} | layout))


@each_row("name", MODELS)
def test_parts_add_up_and_none_is_negative(catalogue: Catalogue, name: str) -> None:
    parts = step_parts(build_network(catalogue.models[name]), chip(catalogue), plan(catalogue), K)
    seconds = [float(getattr(parts, field.name)) for field in fields(TrainingStepParts)]
    assert min(seconds) >= 0
    assert float(parts.total_s) == pytest.approx(sum(seconds))


def test_arrays_are_their_scalars(catalogue: Catalogue) -> None:
    shapes = [build_network(catalogue.models[name]) for name in MODELS]
    plans = [
        plan(catalogue, tp=float(tp), ep=float(ep))
        for tp, ep in zip([1, 2, 4, 8, 1, 2], [1, 2, 8, 4, 1, 8], strict=True)
    ]
    at_once = tokens_per_s(stack_records(shapes), chip(catalogue), stack_records(plans), K)
    one_by_one = [float(tokens_per_s(s, chip(catalogue), p, K)) for s, p in zip(shapes, plans, strict=True)]
    assert np.asarray(at_once) == pytest.approx(one_by_one, rel=1e-12)
    assert float(take_entries(stack_records(plans), 3).tp) == 8.0


def llama(layers: int = 32) -> Network:
    return stack_network(LayerStack(layers=layers, hidden=4_096, heads=32, ffn=14_336, vocab=128_256, kv_heads=8))


def test_twice_the_layers_take_about_twice_as_long(catalogue: Catalogue) -> None:
    once, twice = (float(step_parts(llama(n), chip(catalogue), plan(catalogue), K).total_s) for n in (32, 64))
    assert 1.85 < twice / once < 2.0


@each_row("link", ["link_gb_s", "nic_gb_s", "bandwidth_gb_s", "tflops_16"])
@each_row("layout", [{}, {"tp": 1.0, "pp": 1.0, "dp": 64.0, "shard": 3.0}, {"cp": 2.0, "dp": 4.0}])
def test_faster_hardware_never_slows(catalogue: Catalogue, link: str, layout: dict[str, float]) -> None:
    slow = chip(catalogue)
    fast = replace(slow, **{link: 2 * float(getattr(slow, link))})
    shape, asked = build_network(catalogue.models["Qwen3-30B-A3B"]), plan(catalogue, ep=8.0, **layout)
    assert float(tokens_per_s(shape, fast, asked, K)) >= float(tokens_per_s(shape, slow, asked, K))


def test_a_power_capped_part_is_slower_than_the_full_one(catalogue: Catalogue) -> None:
    full, capped = chip(catalogue), chip(catalogue, "H100-SXM-96GB-HBM2e-500W")
    assert full.power_share == 1.0
    assert float(capped.power_share) == pytest.approx(5 / 7, rel=0.01)
    same = replace(full, power_share=capped.power_share)
    assert float(tokens_per_s(llama(), same, plan(catalogue), K)) < float(
        tokens_per_s(llama(), full, plan(catalogue), K)
    )


@each_row(("slower", "faster"), [
    ({"recompute": 1.0}, {"recompute": 0.0}), ({"fused_attention": 0.0}, {"fused_attention": 1.0}),
    ({"year": 2023.5}, {"year": 2026.0}), ({"eager": 1.0}, {"eager": 0.0}), ({"vpp": 1.0}, {"vpp": 4.0}),
    ({"bits": 16.0}, {"bits": 8.0}), ({"bits": 32.0}, {"bits": 16.0}), ({"offload": 1.0}, {"offload": 0.0}),
    ({"backward": 2.0}, {"backward": 1.0}),
])  # fmt: skip
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
    assert float(with_head.bubble_s) - float(without.bubble_s) == pytest.approx(waits_s + bubble_s, rel=1e-4)


def test_python_launches_a_narrow_model_no_faster_than_one_twice_as_wide(catalogue: Catalogue) -> None:
    """vTrain's runs on A100 take 0.8 to 0.9 ms for each layer and pass, 1,024 wide as 2,048; graphs do not."""
    narrow, wide = (
        stack_network(LayerStack(layers=24, hidden=width, heads=16, ffn=4 * width, vocab=50_257))
        for width in (1_024, 2_048)
    )
    small = {"tp": 1.0, "pp": 1.0, "dp": 8.0, "seq_len": 1_024.0, "micro_batch": 1.0, "accelerators": 8.0}
    for ahead, least, most in ((0.0, 1.0, 1.4), (1.0, 1.7, 3.0)):
        asked = plan(catalogue, **small, launched_ahead=ahead, recompute=1.0)
        step_s = [float(step_parts(one, chip(catalogue), asked, K).total_s) for one in (narrow, wide)]
        assert least < step_s[1] / step_s[0] < most
    by_python = plan(catalogue, **small, launched_ahead=0.0, recompute=1.0)
    parts = step_parts(narrow, chip(catalogue), by_python, K)
    each_s = (parts.total_s - parts.optimizer_s - parts.data_traffic_s) / by_python.micro_batches / 24 / 4
    assert 0.0008 < float(each_s) < 0.001


def test_a_large_model_does_not_wait_for_the_host(catalogue: Catalogue) -> None:
    slow, fast = (
        float(step_parts(llama(), chip(catalogue), plan(catalogue, tp=1.0, dp=32.0, launched_ahead=ahead), K).total_s)
        for ahead in (0.0, 1.0)
    )
    assert 1 <= slow / fast < 1.02


@pytest.mark.parametrize(("key", "slower"), [("H100-SXM5-80GB", 1.3), ("A100-SXM4-80GB", 0.95)])
def test_attention_ran_with_kernels_of_the_chip_before_until_its_own_were_written(
    catalogue: Catalogue, key: str, slower: float
) -> None:
    """FlashAttention-3, July 2024: 1.5 to 2 times what FlashAttention-2 reaches on Hopper."""
    before, since = (
        float(step_parts(llama(), chip(catalogue, key), plan(catalogue, year=year), K).attention_s)
        for year in (2024.5, 2024.6)
    )
    assert slower < before / since < slower + 0.6


def test_stages_wait_for_the_one_with_most_layers_and_then_not_for_the_head(catalogue: Catalogue) -> None:
    """61 layers in 16 stages: four in the fullest, 64 places."""
    asked = plan(catalogue, tp=1.0, pp=16.0, dp=4.0, vpp=1.0)
    uneven, even = (step_parts(llama(layers), chip(catalogue), asked, K) for layers in (61, 64))
    head_s = 0.5 * float(even.head_s) * 15
    idle = ("bubble_s", "data_traffic_s", "optimizer_s", "drag_s")
    busy = [
        sum(float(getattr(parts, each.name)) for each in fields(TrainingStepParts) if each.name not in idle)
        for parts in (uneven, even)
    ]
    assert busy[0] + float(uneven.bubble_s) == pytest.approx(busy[1] + float(even.bubble_s) - head_s, rel=0.01)
    assert [float(stage_slots(layers, 16)) for layers in (61, 62, 64, 65)] == [64, 62, 64, 80]


def test_quantised_weights_are_unpacked_in_every_pass(catalogue: Catalogue) -> None:
    base = plan(catalogue, tp=1.0, pp=1.0, dp=64.0, backward=1.0, trainable_share=0.005, adapter_weight_bytes=2.0)
    whole, packed = (
        float(elementwise_s(llama(), chip(catalogue), replace(base, weight_bytes=size), K)) for size in (2.0, 0.56)
    )
    by_hand_s = 26 * float(llama().linear_params) * 2 / (float(chip(catalogue).bandwidth_gb_s) * 1e9)
    assert packed - whole == pytest.approx(by_hand_s)


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
        float(data_s(llama(), chip(catalogue), replace(base, trainable_share=share), K, 10.0))
        for share in (1.0, 0.01, 0.0)
    ]
    assert (sent[1] - sent[2]) / (sent[0] - sent[2]) == pytest.approx(0.01, rel=1e-6)


def test_no_exchange_hides_behind_more_than_is_computed(catalogue: Catalogue) -> None:
    """Cards that meet in their slots gather 8B weights of 16 bits longer than they compute with them."""
    cards = plan(catalogue, tp=1.0, pp=1.0, dp=8.0, accelerators=8.0, global_batch=8.0, micro_batch=1.0, shard=3.0)
    once_s = 8 * float(llama().params) * 7 / 8 / 25e9
    for busy_s, seen_s in ((0.0, once_s), (1.0, once_s - 1.0), (100.0, K.shard_exposed * once_s)):
        by_hand_s = seen_s + K.shard_ring_s * 7 * 32
        on_cards = data_s(llama(), chip(catalogue, "RTX-4090-24GB"), cards, K, busy_s)
        assert float(on_cards) == pytest.approx(by_hand_s, rel=1e-3)


def test_some_stacks_send_gradients_when_all_is_computed(catalogue: Catalogue) -> None:
    asked = plan(catalogue, tp=1.0, pp=1.0, dp=64.0, shard=1.0)
    hides, waits = (
        float(data_s(llama(), chip(catalogue), replace(asked, overlaps=over), K, 100.0)) for over in (1.0, 0.0)
    )
    ring_s = K.ring_s * 63 * 32
    assert (hides - ring_s) / (waits - ring_s) == pytest.approx(K.data_exposed)


def test_every_accelerator_of_a_rack_brings_its_adapter_to_a_ring(catalogue: Catalogue) -> None:
    """With eight tensor ranks, nine of 72 in a rack belong to one ring, one of eight in a node."""
    asked = plan(catalogue, tp=8.0, pp=1.0, dp=64.0, accelerators=512.0, shard=1.0)
    rack, node = chip(catalogue, "GB200-NVL72-186GB"), chip(catalogue, "B200-SXM-180GB")
    assert float(data_gb_s(rack, asked)) == pytest.approx(9 * float(rack.nic_gb_s))
    assert float(data_gb_s(node, asked)) == pytest.approx(float(node.nic_gb_s))


def test_adapters_go_round_a_bucket_at_a_time_and_take_bytes_of_their_own(catalogue: Catalogue) -> None:
    whole = plan(catalogue, tp=1.0, pp=1.0, dp=512.0, accelerators=512.0, shard=1.0)
    few = replace(whole, trainable_share=0.005, adapter_weight_bytes=2.0, backward=1.0)
    sent = [float(data_s(llama(), chip(catalogue), one, K, 100.0)) for one in (whole, few)]
    assert sent[1] < 0.05 * sent[0]
    plain = replace(few, adapter_weight_bytes=0.0)
    bytes_s = [float(elementwise_s(llama(), chip(catalogue), one, K)) for one in (plain, few)]
    assert bytes_s[1] / bytes_s[0] == pytest.approx(1 + 8 * 4_096 / (10 * 4_096 + 4 * 14_336), rel=1e-6)


def test_the_last_rank_of_a_ring_split_as_it_comes_attends_to_all_of_it(catalogue: Catalogue) -> None:
    long = plan(catalogue, seq_len=131_072.0, cp=8.0, dp=1.0, tp=8.0, pp=1.0)
    even, uneven = (
        float(step_parts(llama(), chip(catalogue), replace(long, ring_uneven=one), K).attention_s) for one in (0.0, 1.0)
    )
    assert uneven / even == pytest.approx(2 - 1 / 8)


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


@each_row("name", ["Llama-3-8B", "Llama-3.1-405B", "Qwen3-235B-A22B", "DeepSeek-V3", "GPT-3-175B", "Mixtral-8x7B"])
def test_counts_are_those_of_the_catalogue(catalogue: Catalogue, name: str) -> None:
    shape, model = build_network(catalogue.models[name]), catalogue.models[name]
    counted = shape.routed_params + shape.linear_params + shape.table_params
    assert float(counted) == pytest.approx(model.params_b * 1e9, rel=0.01)


@pytest.mark.parametrize(("name", "share"), [("Gemma-3-27B", 5 / 6), ("Gemma-2-9B", 0.5), ("OLMo-3-32B", 0.75)])
def test_only_some_layers_look_through_a_window(catalogue: Catalogue, name: str, share: float) -> None:
    shape = build_network(catalogue.models[name])
    assert float(shape.near.score_flops / shape.score_flops) == pytest.approx(share)
