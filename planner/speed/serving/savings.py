"""What a served model holds in memory, and what one change at a time would make of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from planner.scenario.serving_job import ServingJob
from planner.speed.hardware import InvalidJobError
from planner.speed.serving.result import ServingResult
from planner.speed.serving.serve import serve
from pricing import Catalogue

AS_IT_IS = "as it is"
_WIDE, _EIGHT, _FOUR = ("fp32", "bf16", "fp16"), ("fp8", "int8"), ("fp4", "mxfp4", "int4")
_HALF = 2


@dataclass(frozen=True)
class ServingVariant:
    """The service with one thing changed."""

    words: str
    found: ServingResult


def serving_variants(catalogue: Catalogue, job: ServingJob) -> tuple[ServingVariant, ...]:
    """The service as it is, then each way to need less memory, or to have more. Refused layouts are left out."""
    now = serve(catalogue, job)
    found = [ServingVariant(AS_IT_IS, now)]
    for words, changed in _ways(job, now):
        try:
            found.append(ServingVariant(words, serve(catalogue, job.model_copy(update=changed))))
        except InvalidJobError:
            continue  # heads that cannot be shared so: no way at all
    return tuple(found)


def _ways(job: ServingJob, now: ServingResult) -> Iterator[tuple[str, dict[str, Any]]]:
    kept = {"tensor_parallel": now.accelerators_per_replica // job.pipeline_parallel}
    if now.weight_precision in _WIDE:
        yield "weights in 8 bits", {**kept, "weight_precision": "fp8"}
    if now.weight_precision not in _FOUR:
        yield "weights in 4 bits", {**kept, "weight_precision": "int4"}
    if job.cache_precision not in _EIGHT:
        yield "cache in 8 bits", {**kept, "cache_precision": "fp8"}
    if job.input_tokens > 1:
        shorter = {"input_tokens": job.input_tokens // _HALF, "output_tokens": max(job.output_tokens // _HALF, 1)}
        yield "prompts and answers half as long", kept | shorter
    wider = kept["tensor_parallel"] * _HALF
    if job.mig_profile is None and (job.accelerators is None or wider <= job.accelerators):
        yield "twice as many share it", {"tensor_parallel": wider}
