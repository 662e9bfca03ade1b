"""Tasks: work told by the model it is about. The speed room turns them into accelerators and hours."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from planner.scenario.base import Id, Inputs
from planner.scenario.vocabulary import CachePrecision, EngineName, Method, ServingPrecision, TrainingPrecision

_Tokens = Annotated[int, Field(ge=1, le=10_000_000)]
_Rate = Annotated[float, Field(ge=0.0001, le=1e6)]
_Milliseconds = Annotated[float, Field(ge=0.1, le=1e6)]
_RunsPerMonth = Annotated[float, Field(ge=0.001, le=100_000.0, description="empty: one run, at once")]
_Days = Annotated[float, Field(ge=0.01, le=3_650.0)]
_OwnRuns = Annotated[
    float, Field(ge=0.05, le=20.0, description="how fast a run of yours was, over what is predicted of it")
]
# What a piece of work waits for: matrix units, plain arithmetic of 32 or 64 bits, or memory.
Bound = Literal["compute", "fp32", "fp64", "bandwidth"]


class Train(Inputs):
    """A model to be trained, from the beginning or further; once, or so many times a month."""

    model: Id
    tokens: (
        Annotated[float, Field(ge=1e3, le=1e16, description="of one run; empty: twenty for each parameter")] | None
    ) = None
    images: Annotated[float, Field(ge=1, le=1e14, description="of one run, where it learns from pictures")] | None = (
        None
    )
    unique_tokens: (
        Annotated[float, Field(ge=1e3, le=1e16, description="of text there are; the rest are repeats")] | None
    ) = None
    method: Method = "full"
    precision: TrainingPrecision = "bf16"
    seq_len: Annotated[int, Field(ge=16, le=16_777_216)] = 4_096
    runs_per_month: _RunsPerMonth | None = None
    deadline_days: _Days | None = None
    choose_count: Annotated[bool, Field(description="as many accelerators as are cheapest and in time")] = False
    measured_over_predicted: _OwnRuns | None = None


class Serve(Inputs):
    """A model to be answered with, or other work by the request (images, speech, classifying), around the clock."""

    model: Id
    requests_per_s: _Rate = 1.0
    peak_requests_per_s: _Rate | None = None
    input_tokens: _Tokens = 1_000
    output_tokens: _Tokens = 300
    ttft_ms: _Milliseconds | None = None
    tpot_ms: _Milliseconds | None = None
    weight_precision: ServingPrecision | None = None
    cache_precision: CachePrecision | None = None
    engine: EngineName = "vllm"
    mig_profile: Annotated[str, Field(min_length=1, max_length=40, description="one slice: 1g.10gb")] | None = None
    lora_adapters: Annotated[int, Field(ge=0, le=10_000)] = 0
    cached_input_share: Annotated[float, Field(ge=0.0, le=0.99, description="of prompts that is in the cache")] = 0.0
    rise_per_minute: (
        Annotated[float, Field(ge=0.0, le=1e6, description="requests a second on top within a minute: kept ready")]
        | None
    ) = None
    measured_over_predicted: _OwnRuns | None = None

    @model_validator(mode="after")
    def _peak_is_the_top(self) -> Serve:
        if self.peak_requests_per_s is not None and self.peak_requests_per_s < self.requests_per_s:
            raise ValueError(f"peak_requests_per_s is below the average of {self.requests_per_s:g}")
        return self


class Run(Inputs):
    """Any other work: a simulation, a rendering, a Monte Carlo. Known by the hours it took on one accelerator.

    It is carried over to the accelerator of the plan by what bounds it, and spread evenly over all that are asked for.
    """

    measured_on: Id
    hours: Annotated[float, Field(ge=0.001, le=1e7, description="of one run on one of those")]
    bound: Bound = "compute"
    runs_per_month: _RunsPerMonth | None = None
    deadline_days: _Days | None = None
