import math
from dataclasses import replace

import numpy as np
import pytest

from planner.network.network import Reach
from planner.speed.arrays import stack_records, take_entries
from planner.speed.serving.cases import ByteWidths, ServingCase, ServingLayout, ServingMachine, serving_rates
from planner.speed.serving.chips import serving_data
from planner.speed.serving.promise import (
    batch_cycle,
    concurrent_at_share,
    concurrent_requests,
    normal_quantile,
    normal_share,
    output_tokens_per_s,
    prompt_wait_s,
    slot_wait_s,
    tokens_per_step,
    wait_probability,
)
from planner.speed.serving.step import (
    cache_bytes,
    cache_bytes_read,
    cache_copies,
    decode_step,
    expert_coverage,
    fits,
    max_requests,
    memory_held,
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


def test_prompts_take_longer_where_kernels_are_made_for_few_rows_and_attention_is_shared() -> None:
    one = case()
    slow = replace(one, traits=replace(one.traits, least_flop_s=10 / 1e12))
    spread = replace(slow, layout=ServingLayout(4.0, 1.0, 1.0, 4.0))
    beside_head = 2 * 300 * float(one.network.linear_params) / 1e12
    ideal = serving_rates(IDEAL, one.traits)

    def work_s(each: ServingCase) -> float:
        return float(np.asarray(prefill(each, ideal, prompts=3.0, tokens=100.0).arithmetic_s))

    assert work_s(slow) - work_s(one) == pytest.approx(9 * beside_head)
    assert work_s(spread) == work_s(replace(spread, traits=one.traits))


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


def test_weights_are_held_with_the_table_that_is_never_streamed() -> None:
    assert weights_bytes(case()) == 2 * 5e6
    alone = case(layout=ServingLayout(2.0, 1.0, 1.0, 2.0))
    assert weights_bytes(alone) == 2 * 6e6  # attention twice


def test_what_is_left_holds_caches() -> None:
    one = case()
    free = memory_held(one).free_bytes
    assert free == pytest.approx(0.9 * 10e9 - 1.5e9 - 10e6)
    fit = max_requests(one, input_tokens=100.0, output_tokens=100.0)
    assert fit == pytest.approx(free / (150 * 1_000 * 2))


def test_more_memory_never_stops_fitting() -> None:
    sizes = np.geomspace(1e6, 1e12, 60)
    many = case(machine=ServingMachine(1e12, 1e12, 1e9, sizes, 1e8, 1e7, 8.0))
    fit = fits(many)
    assert not fit[1]
    assert fit[-1]
    assert np.all(np.diff(fit[1:].astype(int)) >= 0)


def test_an_unknown_memory_is_not_called_too_small() -> None:
    assert fits(case(machine=ServingMachine(1e12, 1e12, 1e9, 0.0, 1e8, 1e7, 8.0)))


@pytest.mark.parametrize(("asked", "measured", "runs"), [(4.0, False, 4), (1e9, False, 4_096), (1e5, True, 1e5)])
def test_a_batch_is_what_was_asked_what_fits_or_what_really_ran(asked: float, measured: bool, runs: float) -> None:
    traffic = replace(case().traffic, batch=asked, held_by_memory=0.0 if measured else 1.0)
    assert concurrent_requests(case(traffic=traffic)) == runs


def test_an_unstated_batch_fills_the_memory() -> None:
    free = case(traffic=replace(case().traffic, batch=math.nan))
    small = replace(free, machine=replace(free.machine, memory_bytes=2e9))
    assert concurrent_requests(free) == 4_096
    assert concurrent_requests(small) == pytest.approx(max_requests(small, input_tokens=100.0, output_tokens=100.0))


def test_tokens_a_second_are_a_batch_of_answers_over_a_cycle() -> None:
    one = case()
    ideal = serving_rates(IDEAL, one.traits)
    full = batch_cycle(one, ideal, batch=4.0)
    assert full.seconds == pytest.approx(100 * full.step.total_s + full.prompt.total_s)
    assert output_tokens_per_s(one, ideal, batch=4.0) == pytest.approx(4 * 100 / full.seconds)
    assert full.token_s == pytest.approx(full.seconds / 100)


def test_replicas_multiply_and_stages_stream_their_own_share_of_requests() -> None:
    one, ideal = case(), serving_rates(IDEAL, case().traits)
    three = case(layout=ServingLayout(1.0, 1.0, 3.0, 1.0))
    assert output_tokens_per_s(three, ideal, batch=4.0) == pytest.approx(3 * output_tokens_per_s(one, ideal, batch=4.0))
    staged = case(layout=ServingLayout(1.0, 2.0, 1.0, 1.0))
    assert output_tokens_per_s(staged, ideal, batch=8.0) == pytest.approx(
        2 * output_tokens_per_s(one, ideal, batch=4.0)
    )


def test_one_host_plans_for_every_stage() -> None:
    busy = serving_rates(replace(IDEAL, inline_sequence_us=100.0), case().traits)
    alone = batch_cycle(case(), busy, batch=8.0).step.requests_s
    staged = batch_cycle(case(layout=ServingLayout(1.0, 4.0, 1.0, 1.0)), busy, batch=8.0).step.requests_s
    assert alone == staged == pytest.approx(8 * 100e-6)  # a micro-batch is a fourth, and there are four of them


def test_stages_wait_for_each_other() -> None:
    waiting, staged = (
        serving_rates(replace(IDEAL, bubble=0.4), case().traits),
        case(layout=ServingLayout(1.0, 4.0, 1.0, 1.0)),
    )
    smooth = batch_cycle(staged, serving_rates(IDEAL, case().traits), batch=8.0).step.total_s
    assert batch_cycle(staged, waiting, batch=8.0).step.total_s == pytest.approx(1.3 * smooth)
    assert (
        batch_cycle(case(), waiting, batch=8.0).step.total_s
        == batch_cycle(case(), replace(waiting, bubble=0.0), batch=8.0).step.total_s
    )


def test_drafts_write_several_tokens_a_step_and_cost_their_checking() -> None:
    assert tokens_per_step(0.0, 0.8) == 1
    assert tokens_per_step(3.0, 0.5) == pytest.approx(1 + 0.5 + 0.25 * 0.92 + 0.125 * 0.92**3)
    plain, ideal = case(), serving_rates(IDEAL, case().traits)
    drafted = replace(plain, traffic=replace(plain.traffic, draft_tokens=2.0, accepted_share=0.5))
    one, three = batch_cycle(plain, ideal, batch=4.0), batch_cycle(drafted, ideal, batch=4.0)
    assert three.steps == pytest.approx(100 / 1.73)
    assert three.step.arithmetic_s == pytest.approx(3 * 1.2 * one.step.arithmetic_s)  # two of ten layers' work on top
    assert three.step.weights_s == pytest.approx(1.2 * one.step.weights_s)
    assert three.token_s < one.token_s


def test_drafts_that_are_never_right_only_cost() -> None:
    plain, ideal = case(), serving_rates(IDEAL, case().traits)
    wrong = replace(plain, traffic=replace(plain.traffic, draft_tokens=2.0, accepted_share=0.0))
    assert batch_cycle(wrong, ideal, batch=4.0).token_s > batch_cycle(plain, ideal, batch=4.0).token_s


def test_engines_for_one_user_leave_the_input_table_to_the_host() -> None:
    served = case()
    local = replace(served, traits=replace(served.traits, local=1.0))
    assert memory_held(served).weights_bytes - memory_held(local).weights_bytes == pytest.approx(2 * 1e6)


def test_a_short_run_pays_for_its_last_batch() -> None:
    short = case(traffic=replace(case().traffic, requests_in_run=6.0))
    endless = case()
    ideal = serving_rates(IDEAL, endless.traits)
    whole = 6 * 100 / (batch_cycle(endless, ideal, batch=4.0).seconds + batch_cycle(endless, ideal, batch=2.0).seconds)
    assert output_tokens_per_s(short, ideal, batch=4.0) == pytest.approx(whole)
    assert whole < output_tokens_per_s(endless, ideal, batch=4.0)


def test_a_small_budget_of_tokens_a_step_slows_long_prompts() -> None:
    roomy = case(traffic=replace(case().traffic, input_tokens=10_000.0))
    tight = replace(roomy, limits=replace(roomy.limits, step_tokens=64.0))
    fitted = serving_rates(FITTED, roomy.traits)
    assert batch_cycle(tight, fitted, batch=4.0).seconds > batch_cycle(roomy, fitted, batch=4.0).seconds


def test_a_cached_prompt_is_not_worked_on_again_but_still_read() -> None:
    fresh = case()
    cached = case(traffic=replace(fresh.traffic, worked_share=0.1))
    ideal = serving_rates(IDEAL, fresh.traits)
    assert batch_cycle(cached, ideal, batch=4.0).prompt.total_s == pytest.approx(
        0.1 * batch_cycle(fresh, ideal, batch=4.0).prompt.total_s
    )
    assert batch_cycle(cached, ideal, batch=4.0).step.cache_s == batch_cycle(fresh, ideal, batch=4.0).step.cache_s


def test_a_bigger_batch_writes_more_and_each_waits_longer() -> None:
    one = case()
    fitted = serving_rates(FITTED, one.traits)
    batch = np.arange(1.0, 200.0)
    assert np.all(np.diff(np.asarray(output_tokens_per_s(one, fitted, batch=batch))) > 0)
    assert np.all(np.diff(np.asarray(batch_cycle(one, fitted, batch=batch).token_s)) > 0)


@pytest.mark.parametrize(("share", "quantile"), [(0.5, 0.0), (0.95, 1.6449), (0.99, 2.3263)])
def test_the_normal_distribution(share: float, quantile: float) -> None:
    assert normal_quantile(share) == pytest.approx(quantile, abs=1e-4)
    assert normal_share(quantile) == pytest.approx(share, abs=1e-5)


def erlang_c(places: int, load: float) -> float:
    """The exact share that waits, by the sum of its definition."""
    terms = [load**k / math.factorial(k) for k in range(places)]
    last = load**places / math.factorial(places) * places / (places - load)
    return last / (sum(terms) + last)


@pytest.mark.parametrize(("places", "load"), [(20, 16.0), (50, 45.0), (100, 85.0), (100, 98.0)])
def test_many_places_are_close_to_erlang(places: int, load: float) -> None:
    assert wait_probability(places=places, load=load) == pytest.approx(erlang_c(places, load), abs=0.06)


def test_everybody_waits_where_more_comes_than_is_done() -> None:
    assert wait_probability(places=10.0, load=10.0) == 1
    assert slot_wait_s(places=10.0, load=11.0, service_s=1.0, service_cv=1.0, share=0.99) == math.inf
    assert prompt_wait_s(busy_share=1.0, prompt_s=1.0, prompt_cv=1.0, share=0.99) == math.inf


def test_one_queue_is_the_textbooks_where_lengths_are_memoryless() -> None:
    # M/M/1: the wait exceeds t with chance busy * exp(-(1 - busy) t / service).
    busy, service, share = 0.8, 2.0, 0.99
    wait = float(np.asarray(prompt_wait_s(busy_share=busy, prompt_s=service, prompt_cv=1.0, share=share)))
    assert busy * math.exp(-(1 - busy) * wait / service) == pytest.approx(1 - share)


def test_uneven_lengths_wait_longer_by_the_square_of_how_uneven_they_are() -> None:
    """A queue half full: ln(0.5 / 0.01) = 3.912023 times 2 s over 0.5 is 15.648092 s, at cv 3 times (1 + 9) / 2."""
    for cv, seconds in ((0.0, 7.824046), (1.0, 15.648092), (3.0, 78.240460)):
        wait = prompt_wait_s(busy_share=0.5, prompt_s=2.0, prompt_cv=cv, share=0.99)
        assert float(np.asarray(wait)) == pytest.approx(seconds, rel=1e-7)
    even, uneven = (
        float(np.asarray(slot_wait_s(places=100.0, load=98.0, service_s=5.0, service_cv=cv, share=0.99)))
        for cv in (1.0, 3.0)
    )
    assert even > 0
    assert uneven == pytest.approx(5 * even)


def test_waits_rise_with_load_and_with_the_share_that_is_promised() -> None:
    load = np.linspace(1, 99, 50)
    waits = np.asarray(slot_wait_s(places=100.0, load=load, service_s=5.0, service_cv=1.0, share=0.99))
    assert np.all(np.diff(waits) >= 0)
    lower = np.asarray(slot_wait_s(places=100.0, load=load, service_s=5.0, service_cv=1.0, share=0.95))
    assert np.all(lower <= waits)


def test_more_run_together_at_times_but_never_more_than_fit() -> None:
    assert concurrent_at_share(load=100.0, share=0.99, places=1_000.0) == pytest.approx(100 + 2.3263 * 10, abs=0.01)
    assert concurrent_at_share(load=100.0, share=0.99, places=110.0) == 110
