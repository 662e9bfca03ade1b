"""Benchmark a market study of one piece of work: processor time, against a matrix product in the same run."""

import time
from collections.abc import Callable, Iterator
from datetime import date

import numpy as np

from bench.catalogue import line
from planner.scenario.jobs import TrainingJob
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.speed.training import train
from planner.speed.training.across import across, unknown_speed
from planner.study.market.hours_needed import COUNTS
from planner.study.market.survey import market
from pricing import load_catalogue

DAY = date(2026, 11, 21)
WIDTH, REPEATS = 1_000, 5
RUNS = {
    "train Llama 3 8B": TrainingTask(model="llama-3-8b", tokens=1e12),
    "train Llama 3 70B within 30 days": TrainingTask(model="llama-3-70b", tokens=1e12, deadline_days=30.0),
    "train Mixtral 8x7B, the most layouts": TrainingTask(model="mixtral-8x7b", tokens=1e12),
    "fine-tune Llama 3 70B with adapters": TrainingTask(model="llama-3-70b", tokens=2e8, method="lora"),
}
CHAT = ServingTask(model="llama-3-70b", requests_per_s=20.0, peak_requests_per_s=50.0, ttft_ms=500.0, tpot_ms=60.0)
JOB = TrainingJob(model="llama-3-8b", accelerator="H100-SXM5-80GB", tokens=1e12)


def main() -> Iterator[str]:
    """One line for each thing measured: the least of several runs, on one core, and its ratio to the reference."""
    catalogue = load_catalogue()
    square = np.random.default_rng(1).random((WIDTH, WIDTH))
    reference = _least(lambda: square @ square)
    yield f"reference: two matrices of {WIDTH:,} x {WIDTH:,} multiplied in {1000 * reference:.1f} ms"
    works = {what: Work(accelerators=8, may_stop=True, train=run) for what, run in RUNS.items()}
    works["serve Llama 3 70B with promises"] = Work(serve=CHAT)
    for what, work in works.items():
        scenario = Scenario(accelerator=ANY_ACCELERATOR, work=(work,))
        begun = time.process_time()
        found = market(catalogue, scenario, DAY)
        first = time.process_time() - begun
        seconds = _least(lambda scenario=scenario: market(catalogue, scenario, DAY))  # type: ignore[misc]
        said = f"the whole market, {what}, {len(found.candidates):,} tries, front and reasons"
        yield f"{line(said, seconds, reference)}; {1000 * first:.0f} ms the first time"
    unknown = unknown_speed(catalogue)
    chips = tuple(key for key in catalogue.accelerators if key not in unknown)
    many = len(chips) * len(COUNTS)
    seconds = _least(lambda: list(across(catalogue, JOB, chips, COUNTS)))
    yield line(f"speed alone: {len(chips)} accelerators x {len(COUNTS)} numbers", seconds, reference)
    alone = _least(lambda: train(catalogue, JOB)) * many
    yield f"train() for each of those {many:,} would take {1000 * alone:,.0f} ms, {alone / seconds:.0f} times as long"


def _least(work: Callable[[], object]) -> float:
    """The least processor time of several runs: others on the machine do not count."""
    times = []
    for _ in range(REPEATS):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)
