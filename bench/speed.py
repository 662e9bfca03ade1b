"""Benchmark the speed models, against multiplying matrices in the same run."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from bench.catalogue import best, line
from planner.evidence.serving.check import check_serving
from planner.evidence.table import SERVING, TRAINING, published_runs
from planner.evidence.training.check import check_training
from planner.network.record import build_network
from planner.scenario.jobs import ServingJob, TrainingJob
from planner.speed.hardware import hardware
from planner.speed.serving import serve
from planner.speed.training.constants import default_calibration
from planner.speed.training.layout import search_layouts
from planner.speed.training.plan import ANY_LAYOUT
from planner.speed.training.train import base_plan
from pricing import load_catalogue

GPT_3 = TrainingJob(
    model="GPT-3-175B", accelerator="A100-SXM4-80GB", accelerators=4_096, seq_len=2_048, global_batch_sequences=4_096
)
CHAT = ServingJob(model="llama-3.1-8b", accelerator="H100-SXM5-80GB", mode="server")
RUNS = 1_000
WIDTH = 1_000


def main() -> Iterator[str]:
    """One line for each thing measured: the best of several runs, and its ratio to the reference."""
    catalogue = load_catalogue()
    square = np.random.default_rng(1).random((WIDTH, WIDTH))
    reference = best(lambda: square @ square)
    yield f"reference: two matrices of {WIDTH:,} x {WIDTH:,} multiplied in {1000 * reference:.1f} ms"
    shape = build_network(catalogue.models[GPT_3.model])
    chip = hardware(GPT_3.accelerator, catalogue.accelerators[GPT_3.accelerator])
    base = base_plan(GPT_3, batch=4_096)
    weigh = partial(search_layouts, shape, chip, base, default_calibration().constants, wish=ANY_LAYOUT)
    layouts, seconds = weigh().evaluated, best(weigh)
    yield line(f"GPT-3 175B on 4,096 GPUs, all {layouts:,} legal layouts", seconds, reference)
    yield f"layouts: {layouts / seconds:,.0f} a second"
    training = published_runs(TRAINING)[:RUNS]
    serving = published_runs(SERVING)[:RUNS]
    yield line(f"check training, {RUNS:,} runs", best(lambda: check_training(catalogue, training), 3), reference)
    yield line(f"check serving, {RUNS:,} runs", best(lambda: check_serving(catalogue, serving), 3), reference)
    yield line("serve(), with latencies", best(lambda: serve(catalogue, CHAT)), reference)
