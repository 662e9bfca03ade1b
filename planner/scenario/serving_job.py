"""What a person asks to be served. Bounds here, arithmetic elsewhere."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from planner.scenario.base import LONGEST_TEXT, ScenarioModel
from planner.scenario.measured import Measured
from planner.scenario.own_model import OwnModel
from planner.scenario.vocabulary import USUAL_ACCEPTED_SHARE, CachePrecision, EngineName, Mode, ServingPrecision
from pricing.days import Day

_Tokens = Annotated[int, Field(ge=1, le=LONGEST_TEXT)]
_Rate = Annotated[float, Field(gt=0, le=1e7)]
_Milliseconds = Annotated[float, Field(gt=0, le=1e7)]


class ServingJob(ScenarioModel):
    """A model to be served on one kind of accelerator."""

    model: str = Field(default="", max_length=160, description="a model of the catalogue, loosely spelled")
    accelerator: str = Field(min_length=1, max_length=160)
    mig_profile: str | None = Field(default=None, max_length=40, description="one slice of it, such as 1g.10gb")
    accelerators: int | None = Field(default=None, ge=1, le=100_000, description="what there is; absent: as few as fit")
    engine: EngineName = "vllm"
    engine_on: Day | None = Field(default=None, description="how engines were on that day; absent: the newest known")
    weight_precision: ServingPrecision | None = Field(default=None, description="absent: as the model is published")
    cache_precision: CachePrecision | None = None
    tensor_parallel: int | None = Field(default=None, ge=1, le=1_024)
    pipeline_parallel: int = Field(default=1, ge=1, le=1_024)
    spread_experts: bool | None = Field(default=None, description="experts whole on one accelerator each")
    mode: Mode = "offline"
    input_tokens: _Tokens = 1_000
    output_tokens: _Tokens = 300
    cached_input_share: float = Field(default=0.0, ge=0, le=0.99, description="part of prompts that is in the cache")
    draft_tokens: int = Field(default=0, ge=0, le=16, description="guessed ahead of each step: speculative decoding")
    accepted_share: float = Field(default=USUAL_ACCEPTED_SHARE, ge=0, le=0.99, description="of guesses that are right")
    length_cv: float = Field(default=1.0, ge=0, le=10, description="spread of answer lengths over their mean")
    batch: int | None = Field(default=None, ge=1, le=1_000_000, description="at once, over all accelerators")
    average_requests_per_s: _Rate | None = None
    peak_requests_per_s: _Rate | None = None
    ttft_ms: _Milliseconds | None = Field(default=None, description="promised for the percentile below")
    tpot_ms: _Milliseconds | None = None
    percentile: float = Field(default=0.99, ge=0.5, le=0.999)
    memory_gb: float | None = Field(default=None, gt=0, le=1e6, description="of a server, for each of its processors")
    lora_adapters: int = Field(default=0, ge=0, le=10_000)
    lora_rank: int = Field(default=16, ge=1, le=1_024)
    power_cap_w: float | None = Field(default=None, gt=0, le=10_000)
    load_gb_per_s: float = Field(default=2.0, gt=0, le=1_000, description="weights into a new replica")
    boot_s: float = Field(default=60.0, ge=0, le=86_400, description="until a new replica begins to load")
    measured_over_predicted: float | None = Field(default=None, gt=0.01, le=100, description="from a run of your own")
    models: tuple[OwnModel, ...] = Field(default=(), description="that may be named beside the catalogue's")
    measured: tuple[Measured, ...] = Field(default=(), description="what runs of your own say, by accelerator")

    @model_validator(mode="after")
    def _peak_is_not_below_average(self) -> ServingJob:
        average, peak = self.average_requests_per_s, self.peak_requests_per_s
        if average is not None and peak is not None and peak < average:
            raise ValueError(f"want a peak of at least the average of {average} requests per second, got {peak}")
        return self
