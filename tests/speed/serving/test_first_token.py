"""How long the first token takes, by hand: a prompt alone, among others, behind others; then what follows."""

import math
from dataclasses import replace

import numpy as np
import pytest

from planner.scenario.jobs import ServingJob
from planner.speed.arrays import Num
from planner.speed.serving import serve
from planner.speed.serving.cases import ServingCase, ServingLayout, ServingRates, serving_rates
from planner.speed.serving.chips import serving_data
from planner.speed.serving.promise import (
    batch_cycle,
    launch_s,
    loaded_first_token_s,
    prompt_blocking_s,
    prompt_queue_wait_s,
    unloaded_first_token_s,
)
from pricing import load_catalogue
from tests.speed.serving.helpers import IDEAL, case, network

FITTED = serving_data().values()
SLOW_HOST = replace(IDEAL, first_token_ms=2.0, prompt_layer_us=500.0)
WORK_S = 2 * 100 * 4e6 / 1e12  # of a prompt of 100 tokens and four million parameters
WEIGHTS_S = 8e-3  # two bytes of each, at a GB a second


def among(one: ServingCase, rate: ServingRates, batch: Num) -> Num:
    return loaded_first_token_s(one, rate, batch=batch, token_s=batch_cycle(one, rate, batch=batch).token_s)


def test_a_prompt_alone_reads_the_weights_once() -> None:
    one = case()
    assert unloaded_first_token_s(one, serving_rates(IDEAL, one.traits), tokens=100.0) == pytest.approx(
        WEIGHTS_S + WORK_S
    )


def test_a_pass_takes_the_larger_of_host_and_accelerators() -> None:
    one = case()
    rate = serving_rates(SLOW_HOST, one.traits)
    assert launch_s(one, rate) == pytest.approx(2e-3 + 10 * 5e-4)
    assert unloaded_first_token_s(one, rate, tokens=100.0) == pytest.approx(WEIGHTS_S + WORK_S)  # 8.8 ms against 7
    slower = serving_rates(replace(SLOW_HOST, prompt_layer_us=1_000.0), one.traits)
    assert unloaded_first_token_s(one, slower, tokens=100.0) == pytest.approx(12e-3)
    assert unloaded_first_token_s(one, slower, tokens=10_000.0) > 12e-3


def test_experts_and_latent_attention_have_more_to_launch_and_compiled_engines_nothing() -> None:
    rate = serving_rates(replace(SLOW_HOST, prompt_moe_layer_us=200.0, prompt_latent_layer_us=300.0), case().traits)
    mixture = case(network=network(moe_layers=4.0, expert_params=1e6, experts=8.0, experts_per_token=2.0, latent=1.0))
    assert launch_s(mixture, rate) == pytest.approx(2e-3 + 10 * 5e-4 + 4 * 2e-4 + 10 * 3e-4)
    compiled = replace(case().traits, native_scheduler=1.0)
    assert launch_s(mixture, serving_rates(SLOW_HOST, compiled)) == 0


def test_among_others_it_waits_for_steps_and_longer_where_requests_are_looked_for_seldom() -> None:
    one = case()
    rate = serving_rates(replace(IDEAL, steps_waited=0.5, spread_steps_waited=7.0), one.traits)
    token = float(np.asarray(batch_cycle(one, rate, batch=4.0).token_s))
    alone = WEIGHTS_S + WORK_S
    assert among(one, rate, 1.0) == pytest.approx(alone)
    assert among(one, rate, 4.0) == pytest.approx(alone + 0.5 * token)
    seldom = case(limits=replace(one.limits, polled_steps=30.0))
    assert among(seldom, rate, 4.0) == pytest.approx(alone + 15.5 * token)
    spread = case(layout=ServingLayout(group=2.0, stages=1.0, replicas=1.0, attention_ranks=2.0))
    token = float(np.asarray(batch_cycle(spread, rate, batch=4.0).token_s))
    assert among(spread, rate, 4.0) == pytest.approx(
        float(np.asarray(unloaded_first_token_s(spread, rate, tokens=100.0))) + 7 * token
    )


def test_prompts_queue_one_behind_the_other() -> None:
    # Half busy, prompts of 0.1 s with a spread of half their mean: 0.5 x 0.1 x 1.25 / 2 / 0.5 (Pollaczek, Khinchine).
    assert prompt_queue_wait_s(prompt=0.1, requests_per_s=5.0, most=math.inf) == pytest.approx(0.0625)
    assert prompt_queue_wait_s(prompt=0.1, requests_per_s=50.0, most=3.0) == pytest.approx(
        0.15
    )  # never more than three
    waits = [
        prompt_queue_wait_s(prompt=0.1, requests_per_s=8.0, most=math.inf, share=share) for share in (0.5, 0.95, 0.99)
    ]
    assert sorted(map(float, waits)) == list(map(float, waits))


def test_short_prompts_share_a_pass_and_its_launches() -> None:
    one = case(limits=replace(case().limits, step_tokens=1_000.0))
    rate = serving_rates(replace(SLOW_HOST, prompt_layer_us=10_000.0), one.traits)
    assert prompt_blocking_s(one, rate) == pytest.approx(0.1 * 0.102)  # a tenth of a pass of 1,000 tokens


def test_more_at_once_wait_longer() -> None:
    one = case()
    batch = np.arange(1.0, 200.0)
    assert np.all(np.diff(np.asarray(among(one, serving_rates(FITTED, one.traits), batch))) > 0)


def test_a_number_at_once_without_a_rate_is_a_closed_loop() -> None:
    job = ServingJob(model="llama-3.1-8b", accelerator="H100-SXM5-80GB", input_tokens=4_000)
    assert serve(load_catalogue(), job).ttft is None
    few, many = (serve(load_catalogue(), job.model_copy(update={"batch": batch})) for batch in (2, 64))
    assert few.ttft.p99_ms < many.ttft.p99_ms
    assert many.ttft.p50_ms <= many.ttft.p99_ms
    assert few.tpot.p50_ms < many.tpot.p50_ms


def test_a_tighter_promise_of_the_first_token_needs_more_accelerators() -> None:
    asked = {"model": "llama-3.1-70b", "accelerator": "H100-SXM5-80GB", "peak_requests_per_s": 40.0, "tpot_ms": 60.0}
    needed = [
        serve(load_catalogue(), ServingJob.model_validate({**asked, "ttft_ms": ttft})).accelerators_at_peak
        for ttft in (20_000.0, 2_000.0, 500.0)
    ]
    assert all(count is not None for count in needed)
    assert sorted(needed) == needed  # type: ignore[type-var]
