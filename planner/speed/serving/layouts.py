"""The layout of a service that does not name one: the layout that needs the fewest accelerators for its load."""

import math
from contextlib import suppress

from planner.scenario.jobs import ServingJob
from planner.speed.hardware import InvalidJobError
from planner.speed.serving.case_of import GROUPS, ServingSetup, engine_limits, job_layout, make_case, spreads_evenly
from planner.speed.serving.cases import ServingConstants, ServingLayout, ServingTraffic, serving_rates
from planner.speed.serving.promise import LatencyTarget, concurrent_requests, max_requests_per_s
from planner.speed.serving.step import fits, memory_held

USUAL_PROMISE = LatencyTarget(2.0, 0.1)
_PROMISES = {"server": USUAL_PROMISE, "interactive": LatencyTarget(0.5, 0.04)}  # usual ones, where none is given
_WIDE_GROUPS = (8, 16, 32, 64, 72)  # accelerators that hold a mixture's experts between them
_LITTLE_SHARE = 0.25  # of what a machine of a desk answers: so few need little memory beside the weights; an assumption
_PROMPT_SHARES = (0.25, 0.5)  # of the accelerators, that may only work on prompts


def best_layout(setup: ServingSetup, job: ServingJob, constants: ServingConstants) -> ServingLayout:
    """Return the layout of the job; where it leaves that open, the one that needs the fewest accelerators.

    The usual group, which leaves room for caches, is weighed against smaller ones that hold the model with some room;
    of a mixture also against ranks that attend to requests of their own with experts spread over many, and prompts
    apart from answers. Of equals the plainer is taken.
    """
    plain = job_layout(setup, job)
    stated = (job.tensor_parallel, job.expert_parallel, job.attention_dp, job.prefill_accelerators, job.spread_experts,
        job.batch, job.mig_profile)  # fmt: skip
    load = job.accelerators or job.peak_requests_per_s or job.requests_per_s
    closed = any(each is not None for each in stated) or job.pipeline_parallel > 1 or not load
    if closed:
        return plain
    layouts = [plain]
    for size in (size for size in GROUPS if size < plain.group and job.accelerators is None):
        with suppress(InvalidJobError):
            layouts.append(job_layout(setup, job.model_copy(update={"tensor_parallel": size})))
    spreads = setup.shape.experts > 1 and setup.period.attends_apart
    for size in _WIDE_GROUPS if spreads else ():
        if size > setup.chip.domain or not spreads_evenly(setup.shape, size):
            continue
        wide = job.model_copy(update={"expert_parallel": size, "attention_dp": True})
        some = job.accelerators or 0
        pools = [int(share * some / size) * size for share in _PROMPT_SHARES if latency_target(job) is not None]
        for prompting in (None, *(pool for pool in dict.fromkeys(pools) if pool)):
            with suppress(InvalidJobError):
                layouts.append(job_layout(setup, wide.model_copy(update={"prefill_accelerators": prompting})))
    return plain if len(layouts) == 1 else max(layouts, key=lambda layout: _worth(setup, job, layout, constants))


def _worth(setup: ServingSetup, job: ServingJob, layout: ServingLayout, constants: ServingConstants) -> float:
    """Return requests a second of all there are; where their number is open, accelerators needed, counted down."""
    case = make_case(setup, layout, engine_limits(setup.period), job_traffic(job, math.nan))
    if not bool(fits(case)):
        return -math.inf
    most, rate = float(concurrent_requests(case)), serving_rates(constants, case.traits)
    within = max_requests_per_s(case, rate, most=most, promise=latency_target(job), cv=job.length_cv)
    if job.accelerators is not None:
        return within * float(layout.replicas)
    wanted = job.peak_requests_per_s or job.requests_per_s or 0.0
    little = within * _LITTLE_SHARE if setup.chip.kind in ("apple", "edge") else 0.0
    is_enough = within > 0 and (wanted <= little or not memory_held(case).is_tight)
    return -math.ceil(wanted / within) * float(layout.group) if is_enough else -math.inf


def job_traffic(job: ServingJob, batch: float) -> ServingTraffic:
    """Return the tokens and the requests at once of a job; not a number where memory decides."""
    worked_share = 1 - job.cached_input_share
    return ServingTraffic(float(job.input_tokens), float(job.output_tokens), batch, math.inf, worked_share, 1.0,
        float(job.draft_tokens), job.accepted_share, float(job.load_start == "all_at_once"),
        float(job.load_start != "steady"))  # fmt: skip


def latency_target(job: ServingJob) -> LatencyTarget | None:
    usual = _PROMISES.get(job.mode)
    if usual is None and job.ttft_ms is None and job.tpot_ms is None:
        return None
    first = job.ttft_ms / 1e3 if job.ttft_ms else (usual.ttft_s if usual else math.inf)
    token = job.tpot_ms / 1e3 if job.tpot_ms else (usual.tpot_s if usual else math.inf)
    return LatencyTarget(first, token, job.percentile)
