"""Tasks: work told by the model it is about. The speed room turns them into accelerators and hours."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from planner.inputs.base import Id, Inputs
from planner.inputs.serving_job import Precision as ServingPrecision
from planner.inputs.training_job import Method, Precision

_Tokens = Annotated[int, Field(ge=1, le=10_000_000)]
_Rate = Annotated[float, Field(ge=0.0001, le=1e6)]
_Milliseconds = Annotated[float, Field(ge=0.1, le=1e6)]


class Train(Inputs):
    """A model to be trained, from the beginning or further; once, or so many times a month."""

    model: Id
    tokens: (
        Annotated[float, Field(ge=1e3, le=1e16, description="of one run; empty: twenty for each parameter")] | None
    ) = None
    method: Method = "full"
    precision: Precision = "bf16"
    seq_len: Annotated[int, Field(ge=16, le=16_777_216)] = 4_096
    runs_per_month: Annotated[float, Field(ge=0.001, le=100_000.0, description="empty: one run, at once")] | None = None
    deadline_days: Annotated[float, Field(ge=0.01, le=3_650.0)] | None = None
    choose_count: Annotated[bool, Field(description="as many accelerators as are cheapest and in time")] = False


class Serve(Inputs):
    """A model to be answered with, around the clock."""

    model: Id
    requests_per_s: _Rate = 1.0
    peak_requests_per_s: _Rate | None = None
    input_tokens: _Tokens = 1_000
    output_tokens: _Tokens = 300
    ttft_ms: _Milliseconds | None = None
    tpot_ms: _Milliseconds | None = None
    weight_precision: ServingPrecision | None = None

    @model_validator(mode="after")
    def _peak_is_the_top(self) -> Serve:
        if self.peak_requests_per_s is not None and self.peak_requests_per_s < self.requests_per_s:
            raise ValueError(f"peak_requests_per_s is below the average of {self.requests_per_s:g}")
        return self
