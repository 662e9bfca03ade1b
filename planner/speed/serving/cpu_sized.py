"""Services that need no GPU: what processors of the catalogue, or machines at hand, can carry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from planner.scenario.jobs import ServingJob
from planner.speed.arrays import Num
from planner.speed.hardware import InvalidJobError, MissingAcceleratorDataError
from planner.speed.serving.bands import serving_band, serving_correction
from planner.speed.serving.case_of import misfit_reason
from planner.speed.serving.cases import ServingConstants
from planner.speed.serving.chips import WEIGHT_BYTES, ServingAccelerator, serving_data
from planner.speed.serving.layouts import USUAL_PROMISE
from planner.speed.serving.lookup import find_chip
from planner.speed.serving.non_llm import is_non_llm_work, non_llm_serving
from planner.speed.serving.promise import concurrent_requests, latency_curve, max_rate_within_target
from planner.speed.serving.serve import build_serving_plan
from pricing import names
from pricing.catalogue import Catalogue

Verdict = Literal["enough", "perhaps", "too slow", "does not fit"]
SOCKETS = 2  # processors of an ordinary server
USUAL_TOKENS_PER_S = 10.0  # for one person, where no time between tokens is promised: the usual promise of 100 ms
_MOST_TRIED = 8  # machines of somebody's own
_SMALL_WEIGHTS = "int4"  # what processors and desks run, where nobody says


@dataclass(frozen=True)
class CpuAlternative:
    """One machine that is no data-centre GPU, and what it carries: one processor, or one of what is there.

    Rates are requests a second within the promise: typical, and at the ends of the band. `count` is how many carry the
    peak even at the low end; 0 where none would.
    """

    accelerator: str
    label: str
    machines: int  # of them that make one server
    yours: bool
    requests_per_s: float
    low: float
    high: float
    count: int
    verdict: Verdict
    how: str


@dataclass(frozen=True)
class CpuFeasibility:
    """Machines that carry the peak without a GPU, and the size of model from which a service needs one."""

    model: str
    peak_requests_per_s: float | None
    tokens_per_s: float  # for one person
    machines: tuple[CpuAlternative, ...]
    rule_on: str  # the processor that the rule is about
    rule: ModelSizeLimit | None  # of models that write

    @property
    def enough(self) -> CpuAlternative | None:
        """The machine that carries it: one of yours before one of the catalogue's."""
        fitting = [machine for machine in self.machines if machine.verdict == "enough"]
        return min(fitting, key=lambda machine: (not machine.yours, machine.count), default=None)


def cpu_feasibility(
    catalogue: Catalogue, job: ServingJob, have: Sequence[str] = (), constants: ServingConstants | None = None
) -> CpuFeasibility:
    """Return whether each processor, of the catalogue and those the user has, can run the service at its peak.

    A promise that is not given is the usual one of a service, first tokens in 2 s and further ones in 100 ms.
    """
    peak = job.peak_requests_per_s or job.requests_per_s
    processors = [key for key, record in catalogue.accelerators.items() if record.kind == "cpu"]
    yours = list(dict.fromkeys(names.accelerator(catalogue, name) for name in have))[:_MOST_TRIED]
    tried = [(key, True) for key in yours] + [(key, False) for key in processors if key not in yours]
    alternatives = (_try_machine(catalogue, job, key, yours=own, peak=peak, constants=constants) for key, own in tried)
    pace = 1e3 / job.tpot_ms if job.tpot_ms else USUAL_TOKENS_PER_S
    fastest = max(processors, key=lambda key: find_chip(catalogue, key).bandwidth)
    return CpuFeasibility(
        model=job.model,
        peak_requests_per_s=peak,
        tokens_per_s=pace,
        machines=tuple(machine for machine in alternatives if machine is not None),
        rule_on=catalogue.accelerator_label(fastest),
        rule=None
        if is_non_llm_work(job.model)
        else max_model_size(find_chip(catalogue, fastest), tokens_per_s=pace, constants=constants),
    )


def _try_machine(
    catalogue: Catalogue,
    job: ServingJob,
    key: str,
    *,
    yours: bool,
    peak: float | None,
    constants: ServingConstants | None,
) -> CpuAlternative | None:
    """One machine; None where the catalogue knows too little of it."""
    changed = {"accelerator": key, "accelerators": 1, "tensor_parallel": None, "pipeline_parallel": 1}
    if catalogue.accelerators[key].kind != "cpu":
        changed["memory_gb"] = None
    asks = ServingJob.model_validate(job.model_dump() | changed | {"mig_profile": None, "power_cap_w": None})
    try:
        if is_non_llm_work(job.model):
            result = non_llm_serving(catalogue, asks)
            rates = (result.requests_per_s, result.low, result.high) if result.fits else (0.0, 0.0, 0.0)
            how, fits = result.how if result.reason is None else result.reason, True
        else:
            rates, how, fits = _llm_requests_per_s(catalogue, asks, constants)
    except (MissingAcceleratorDataError, InvalidJobError):
        return None
    typical, low, high = rates
    machines = SOCKETS if catalogue.accelerators[key].kind == "cpu" else 1
    return CpuAlternative(
        accelerator=key, label=catalogue.accelerator_label(key), machines=machines, yours=yours,
        requests_per_s=typical, low=low, high=high,
        count=math.ceil((peak or 0.0) / low - 1e-9) if low > 0 and peak else int(low > 0),
        verdict=_verdict(peak, low=low * machines, typical=typical * machines, fits=fits),
        how=how,
    )  # fmt: skip


def _llm_requests_per_s(
    catalogue: Catalogue, job: ServingJob, constants: ServingConstants | None
) -> tuple[tuple[float, float, float], str, bool]:
    """Requests a second of one machine, typical and at the band's ends, in which precision, and whether it fits."""
    local = catalogue.accelerators[job.accelerator].kind in ("cpu", "apple", "edge")
    changed: dict[str, object] = {"engine": "local", "weight_precision": job.weight_precision or _SMALL_WEIGHTS}
    asks = ServingJob.model_validate(job.model_dump() | (changed if local else {}))
    worked = build_serving_plan(catalogue, asks, constants or serving_data().values())
    reason = misfit_reason(worked.case)
    if reason is not None:
        return (0.0, 0.0, 0.0), f"does not fit: {reason}", False
    batch = float(concurrent_requests(worked.case))
    band = serving_band(worked.setup, worked.layout, batch=batch)
    promise, own = worked.promise or USUAL_PROMISE, serving_correction(catalogue, asks, job.accelerator)
    seen = latency_curve(worked.case, worked.rate, most=batch, cv=asks.length_cv, shares=(promise.percentile,))
    paces = (own.ratio, own.ratio * band.low, own.ratio * band.high)
    typical, low, high = (pace * max_rate_within_target(seen, promise.at_pace(pace)) for pace in paces)
    return (typical, low, high), f"weights in {worked.setup.precision}", True


def _verdict(peak: float | None, *, low: float, typical: float, fits: bool) -> Verdict:
    if not fits:
        return "does not fit"
    needed = peak or 0.0
    if low > 0 and low >= needed:
        return "enough"
    return "perhaps" if typical > 0 and typical >= needed else "too slow"


_FOUR_BITS = WEIGHT_BYTES["q4_k_m"]


@dataclass(frozen=True)
class ModelSizeLimit:
    """Active parameters in 1e9, with the range that published runs leave open."""

    params_b: Num
    low_b: Num
    high_b: Num


def max_params_b(*, bandwidth: Num, tokens_per_s: Num, bytes_per_weight: Num, bandwidth_share: Num) -> Num:
    """Parameters that can be read for each token at that pace. [1e9] Prompts and caches are left out."""
    return bandwidth * bandwidth_share / (tokens_per_s * bytes_per_weight) / 1e9


def max_model_size(
    chip: ServingAccelerator, *, tokens_per_s: float, constants: ServingConstants | None = None
) -> ModelSizeLimit:
    """The largest model in 4 bits that writes so many tokens a second for one person on that chip.

    Of a mixture of experts only the active parameters count, though all of them have to fit.
    """
    fitted = constants or serving_data().values()
    share = fitted.local_bandwidth_share * fitted.local_four_bit * (fitted.local_stacked if chip.hbm else 1.0)
    typical = max_params_b(
        bandwidth=chip.bandwidth, tokens_per_s=tokens_per_s, bytes_per_weight=_FOUR_BITS, bandwidth_share=share
    )
    data = serving_data()
    band = data.assumed_bands["processor"] if chip.kind == "cpu" else data.bands["single"]
    return ModelSizeLimit(typical, typical * band.low, typical * band.high)
