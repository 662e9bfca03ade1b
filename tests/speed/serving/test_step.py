from dataclasses import replace

import numpy as np
import pytest

from planner.network.network import Reach
from planner.speed.arrays import stack_records, take_entries
from planner.speed.serving.cases import ByteWidths, ServingLayout, serving_rates
from planner.speed.serving.chips import serving_data
from planner.speed.serving.step import (
    cache_bytes,
    cache_bytes_read,
    cache_copies,
    decode_step,
    expert_coverage,
    prefill,
    weight_bytes_read,
    weights_bytes,
)
from tests.speed.serving.helpers import IDEAL, case, network

FITTED = serving_data().values()


def test_a_step_is_the_sum_of_its_roofline() -> None:
    one = case()
    step = decode_step(one, serving_rates(IDEAL, one.traits), batch=4.0, context=150.0)
    assert step.weights_s == pytest.approx(2 * 4e6 / 1e9)  # 4 million weights of 2 bytes, without the embedding table
    assert step.arithmetic_s == pytest.approx(2 * 4 * 4e6 / 1e12)
    assert step.cache_s == pytest.approx(4 * 150 * 1_000 * 2 / 1e9)
    assert step.traffic_s == step.layers_s == step.requests_s == 0
    assert step.total_s == pytest.approx(step.weights_s + step.arithmetic_s + step.cache_s)


def test_two_accelerators_share_the_work_and_talk() -> None:
    two = case(layout=ServingLayout(group=2.0, stages=1.0, replicas=1.0, attention_ranks=1.0))
    step = decode_step(two, serving_rates(replace(IDEAL, allreduce_us=5.0), two.traits), batch=4.0, context=150.0)
    assert step.weights_s == pytest.approx(4e-3)
    assert step.traffic_s == pytest.approx(2 * 10 * 1.0 * 4 * 100 * 2 / 1e8)  # 2 all-reduces a layer, ring factor 1
    assert step.layers_s == pytest.approx(2 * 10 * 5e-6)


def test_a_window_stops_the_cache_from_growing() -> None:
    half = Reach(kept=500.0, read=500.0)
    windowed = case(network=network(far=half, near=replace(half, tokens=100.0)))
    assert cache_bytes(windowed, context=50.0) == 50 * 1_000 * 2
    assert cache_bytes(windowed, context=1_000.0) == (1_000 * 500 + 100 * 500) * 2


def test_a_state_is_kept_once_and_read_and_written_by_each_step() -> None:
    hybrid = case(network=network(state_values=5_000.0))
    assert cache_bytes(hybrid, context=50.0) == 50 * 1_000 * 2 + 4 * 5_000
    assert cache_bytes_read(hybrid, context=50.0) == 50 * 1_000 * 2 + 2 * 4 * 5_000
    shared = case(network=network(state_values=5_000.0), layout=ServingLayout(16.0, 1.0, 1.0, 1.0))
    assert cache_bytes(shared, context=0.0) == 4 * 5_000  # its heads divide, where those of the cache are kept twice


def test_what_is_chosen_is_kept_whole_and_read_in_part() -> None:
    chosen = case(network=network(far=Reach(kept=10.0, read=10.0), chosen=Reach(tokens=200.0, kept=90.0, read=90.0)))
    assert cache_bytes(chosen, context=1_000.0) == 1_000 * 100 * 2
    assert cache_bytes_read(chosen, context=1_000.0) == (1_000 * 10 + 200 * 90) * 2
    assert cache_bytes_read(chosen, context=100.0) == cache_bytes(chosen, context=100.0)


def test_a_mixture_in_two_formats_is_stored_and_read_part_by_part() -> None:
    net = network(moe_layers=1.0, expert_params=1e6, experts=8.0, experts_per_token=8.0, shared_params=3e5)
    parts = case(network=net, widths=ByteWidths(weight=0.5, other=1.0, attention=2.0, head=4.0, kv=2.0))
    # routed experts, shared ones and the dense network, attention, head and the table of words
    stored = 0.5 * 8e6 + 1.0 * (2e6 + 3e5) + 2.0 * 1e6 + 4.0 * 2e6
    assert weights_bytes(parts) == pytest.approx(stored)
    read = weight_bytes_read(parts, serving_rates(IDEAL, parts.traits), tokens=4.0)
    assert read == pytest.approx(stored - 4.0 * 1e6)


def test_more_accelerators_than_key_heads_keep_copies() -> None:
    wide = case(layout=ServingLayout(group=16.0, stages=1.0, replicas=1.0, attention_ranks=1.0))
    assert cache_copies(wide) == 2
    alone = case(layout=ServingLayout(group=16.0, stages=1.0, replicas=1.0, attention_ranks=16.0))
    assert cache_copies(alone) == 1


def test_few_tokens_touch_few_experts() -> None:
    mixture = case(network=network(moe_layers=1.0, expert_params=1e6, experts=8.0, experts_per_token=2.0))
    assert expert_coverage(mixture, tokens=1.0, skew=1.0) == pytest.approx(0.25)
    assert expert_coverage(mixture, tokens=11.0, skew=1.0) == pytest.approx(0.95, abs=0.01)
    assert mixture.network.active_params == pytest.approx(4e6 + 2e6)


def test_prompts_cost_arithmetic() -> None:
    one = case()
    ideal = serving_rates(IDEAL, one.traits)
    assert prefill(one, ideal, prompts=3.0, tokens=100.0).total_s == pytest.approx(3 * 2 * 100 * 4e6 / 1e12)


def test_many_cases_at_once_are_the_same_as_one_by_one() -> None:
    cases = [
        case(),
        case(widths=ByteWidths(1.0, 1.0, 1.0, 2.0, 1.0)),
        case(network=network(moe_layers=10.0, expert_params=1e5, experts=8.0, experts_per_token=2.0)),
        case(layout=ServingLayout(4.0, 2.0, 1.0, 4.0)),
    ]
    many = stack_records(cases)
    together = decode_step(many, serving_rates(FITTED, many.traits), batch=7.0, context=300.0).total_s
    alone = [decode_step(one, serving_rates(FITTED, one.traits), batch=7.0, context=300.0).total_s for one in cases]
    assert np.asarray(together) == pytest.approx(np.array(alone, dtype=float))
    assert take_entries(many, np.array([1])).widths.weight.tolist() == [1.0]


@pytest.mark.parametrize("better", ["flops", "flops_16bit", "bandwidth", "link_bytes_per_s"])
def test_a_faster_machine_is_never_slower(better: str) -> None:
    slow = case(layout=ServingLayout(4.0, 1.0, 1.0, 1.0))
    fast = replace(slow, machine=replace(slow.machine, **{better: 3 * getattr(slow.machine, better)}))
    batch = np.geomspace(1, 1_000, 20)
    before = decode_step(slow, serving_rates(FITTED, slow.traits), batch=batch, context=500.0).total_s
    after = decode_step(fast, serving_rates(FITTED, fast.traits), batch=batch, context=500.0).total_s
    assert np.all(after <= before)
