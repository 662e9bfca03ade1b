import math
from dataclasses import replace

import numpy as np
import pytest

from planner.speed.serving.cases import ServingLayout, ServingMachine, serving_rates
from planner.speed.serving.chips import serving_data
from planner.speed.serving.promise import batch_cycle, concurrent_requests, output_tokens_per_s, tokens_per_step
from planner.speed.serving.step import fits, max_requests, memory_held, weights_bytes
from tests.speed.serving.helpers import IDEAL, case

FITTED = serving_data().values()


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
    many = case(machine=ServingMachine(1e12, 1e12, 1e9, sizes, 1e8))
    fit = fits(many)
    assert not fit[1]
    assert fit[-1]
    assert np.all(np.diff(fit[1:].astype(int)) >= 0)


def test_an_unknown_memory_is_not_called_too_small() -> None:
    assert fits(case(machine=ServingMachine(1e12, 1e12, 1e9, 0.0, 1e8)))


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
    assert tokens_per_step(3.0, 0.5) == pytest.approx(1 + 0.5 + 0.25 + 0.125)
    plain, ideal = case(), serving_rates(IDEAL, case().traits)
    drafted = replace(plain, traffic=replace(plain.traffic, draft_tokens=2.0, accepted_share=0.5))
    one, three = batch_cycle(plain, ideal, batch=4.0), batch_cycle(drafted, ideal, batch=4.0)
    assert three.steps == pytest.approx(100 / 1.75)
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
