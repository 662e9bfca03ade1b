"""Published runs as plain numbers that any program can take, and our prediction of each without its source."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.evidence.serving.observed import read_observations
from planner.evidence.table import SERVING, TRAINING, published_runs
from planner.network.network import Network
from planner.speed.serving.cases import serving_rates
from planner.speed.serving.promise import concurrent_requests, output_tokens_per_s
from planner.speed.training.constants import default_calibration
from planner.speed.training.step import tokens_per_s
from pricing import Catalogue
from tools.calibration.cross_validation import leave_one_group_out_errors
from tools.calibration.observed import FittedObservations
from tools.calibration.serving import errors_without, fit
from tools.calibration.training import build_prior, build_sample, fitted, leave_source_out_errors

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """One published run: what was run on what, its rate, and by how much ours is off with its source left out."""

    id: str
    model: str  # the catalogue's name
    kind: str
    chip: str
    per_s: float  # output tokens of all accelerators, or tokens that each trains on
    ours: float  # logarithm of predicted over published
    plan: Mapping[str, Any]
    network: Mapping[str, float] = field(default_factory=dict)
    machine: Mapping[str, float] = field(default_factory=dict)

    def question(self) -> dict[str, Any]:
        """Return the question for another program: all but the answer."""
        return {name: value for name, value in asdict(self).items() if name not in ("per_s", "ours")}


def serving_cases(catalogue: Catalogue) -> list[Case]:
    """Runs that say how many tokens come out in a second; one user's engines left aside."""
    seen = read_observations(catalogue, published_runs(SERVING))
    observed = FittedObservations.of(seen)
    errors = leave_one_group_out_errors([one.source for one in seen], errors_without(observed, fit(observed)))
    found = []
    for one, error in zip(seen, errors.tolist(), strict=True):
        if one.kind != "rate" or one.run.kind == "single":
            continue
        case, chip = one.run.case, one.run.setup.chip
        plan = {
            "engine": one.run.setup.engine, "precision": one.run.setup.precision, "kv_bytes": float(case.widths.kv),
            "weight_bytes": float(case.widths.weight), "group": float(case.layout.group),
            "stages": float(case.layout.stages), "replicas": float(case.layout.replicas),
            "attention_ranks": float(case.layout.attention_ranks), "batch": float(concurrent_requests(case)),
            "input_tokens": float(case.traffic.input_tokens), "output_tokens": float(case.traffic.output_tokens),
        }  # fmt: skip
        machine = {
            "tflops_16": chip.flops_16bit / 1e12, "bandwidth_gb_s": float(case.machine.bandwidth) / 1e9,
            "memory_gb": float(case.machine.memory_bytes) / 1e9,
            "link_gb_s": float(case.machine.link_bytes_per_s) / 1e9,
        }  # fmt: skip
        shape = _shape(case.network)
        found.append(Case(one.id, one.run.model, one.run.kind, chip.name, one.per_s, error, plan, shape, machine))
    return found


def training_cases(catalogue: Catalogue) -> list[Case]:
    """Runs that say how many tokens an accelerator trains on in a second."""
    sample = build_sample(catalogue, published_runs(TRAINING))
    errors = leave_source_out_errors(sample, fitted(sample, build_prior(sample.runs)))
    found = []
    for place in np.flatnonzero(sample.usable).tolist():
        run = sample.runs[place]
        shape = _shape(run.shape)
        plan = {
            name: float(getattr(run.plan, name))
            for name in (
                "seq_len", "accelerators", "tp", "pp", "cp", "ep", "dp", "micro_batch", "global_batch", "recompute",
                "shard", "bits", "fused_attention",
            )
        }  # fmt: skip
        plan["all_weights"] = float(run.plan.trainable_share) >= 1
        machine = {
            name: float(getattr(run.chip, name))
            for name in ("tflops_16", "tflops_8", "bandwidth_gb_s", "memory_gb", "link_gb_s", "nic_gb_s", "domain")
        }
        found.append(
            Case(run.id, run.model or "", run.kind, run.chip_key, run.observed or 0.0, float(errors[place]), plan,
                 shape, machine)
        )  # fmt: skip
    return found


def _shape(network: Network) -> dict[str, float]:
    names = (
        "layers", "hidden", "vocab", "heads", "kv_heads", "ffn", "mlp_matrices", "moe_layers", "experts",
        "experts_per_token", "expert_ffn", "params",
    )  # fmt: skip
    return {name: float(getattr(network, name)) for name in names}


def own_predictions_per_second(catalogue: Catalogue) -> tuple[float, float]:
    """Return the training and serving runs that we predict per second of processor time, all at once."""
    known = default_calibration()
    sample = build_sample(catalogue, published_runs(TRAINING))
    observed = FittedObservations.of(read_observations(catalogue, published_runs(SERVING)))
    best = fit(observed)
    training = _seconds(lambda: tokens_per_s(sample.shape, sample.chip, sample.plan, known.constants))
    serving = _seconds(
        lambda: output_tokens_per_s(
            observed.case, serving_rates(best, observed.case.traits), batch=concurrent_requests(observed.case)
        )
    )
    return len(sample.runs) / training, len(observed.per_s) / serving


def _seconds(work: Any) -> float:
    times = []
    for _ in range(5):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)
