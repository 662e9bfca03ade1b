"""Tasks: work named by its model. `planner.speed` turns them into accelerators and hours."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from planner.scenario.base import LONGEST_TEXT, Id, ScenarioModel, ask, unit
from planner.scenario.vocabulary import (
    USUAL_ACCEPTED_SHARE,
    CachePrecision,
    EngineName,
    Method,
    ServingPrecision,
    TrainingPrecision,
)

_Tokens = Annotated[int, Field(ge=1, le=LONGEST_TEXT), unit("tokens")]
_Rate = Annotated[float, Field(ge=0.0001, le=1e6), unit("requests a second")]
_Milliseconds = Annotated[float, Field(ge=0.1, le=1e6), unit("milliseconds")]
_RunsPerMonth = Annotated[
    float, Field(ge=0.001, le=100_000.0, description="empty: one run, at once"), unit("runs a month")
]
_Days = Annotated[float, Field(ge=0.01, le=3_650.0), unit("days")]
_OwnRuns = Annotated[
    float,
    Field(ge=0.05, le=20.0, description="how fast a run of yours was, over what is predicted of it"),
    unit("times what is predicted"),
]
# What a piece of work waits for: matrix units, plain arithmetic of 32 or 64 bits, or memory.
Bound = Literal["compute", "fp32", "fp64", "bandwidth"]


class TrainingSpec(ScenarioModel):
    """The model to train, and how: what a task of a plan and a question of the speed model have in common."""

    model: Annotated[Id, ask("train", "Which model is trained?",
        "The hours follow from how fast it trains on your choice of GPUs.", usual="none: hours are given")]  # fmt: skip
    tokens: Annotated[float | None, Field(ge=1e3, le=1e16, description="of one run; empty: twenty for each parameter"),
        unit("tokens of one run"), ask("tokens", "Tokens of one run", amount=True,
        usual="twenty for each parameter")] = None  # fmt: skip
    unique_tokens: Annotated[
        float | None, Field(ge=1e3, le=1e16, description="of text there are; the rest are repeats"), unit("tokens")
    ] = None
    method: Annotated[Method, ask("method", "How is it trained?", usual="full")] = "full"
    precision: Annotated[TrainingPrecision, ask("bits", "Precision of training", usual="bf16")] = "bf16"
    seq_len: Annotated[
        int, Field(ge=16, le=LONGEST_TEXT), unit("tokens"), ask("seq", "Tokens of a sequence", usual="4,096")
    ] = 4_096
    measured_over_predicted: _OwnRuns | None = None


class TrainingTask(TrainingSpec):
    """A model to be trained, from the beginning or further; once, or so many times a month."""

    images: Annotated[float | None, Field(ge=1, le=1e14, description="of one run, where it learns from pictures"),
        unit("images of one run")] = None  # fmt: skip
    runs_per_month: Annotated[_RunsPerMonth | None, ask("runs", "Runs a month", usual="one run, at once")] = None
    deadline_days: Annotated[_Days | None, ask("due", "Due within, days", usual="no deadline")] = None
    choose_count: Annotated[bool, Field(description="as many accelerators as are cheapest and in time"), ask("choose",
        "Choose how many", "As many as are cheapest and in time.", usual="no")] = False  # fmt: skip


class ServingSpec(ScenarioModel):
    """The model to serve, its requests, and how: what a task of a plan and a question of the speed model share."""

    model: Annotated[Id, ask("serve", "Which model answers?", "The GPUs follow from the requests.", usual="none")]
    requests_per_s: _Rate | None = None
    peak_requests_per_s: Annotated[_Rate | None, ask("peak", "Requests a second, at the peak", usual="the average")] = (
        None
    )
    input_tokens: Annotated[_Tokens, ask("in", "Tokens read for each request", usual="1,000")] = 1_000
    output_tokens: Annotated[_Tokens, ask("out", "Tokens written for each", usual="300")] = 300
    ttft_ms: Annotated[
        _Milliseconds | None, ask("ttft", "First word within, ms", "For 99 of 100 requests.", usual="no promise")
    ] = None
    tpot_ms: Annotated[_Milliseconds | None, ask("tpot", "Each further token within, ms", "For 99 of 100 requests.",
        usual="no promise")] = None  # fmt: skip
    weight_precision: Annotated[
        ServingPrecision | None, ask("weights", "Precision of the weights", usual="as it is published")
    ] = None
    cache_precision: CachePrecision | None = None
    engine: EngineName = "vllm"
    engine_release: Annotated[str | None, Field(min_length=1, max_length=20,
        description="of the engine: 1.0; empty: today's")] = None  # fmt: skip
    expert_parallel: Annotated[int | None, Field(ge=1, le=1_024,
        description="that hold whole experts each; empty: chosen"), unit("accelerators")] = None  # fmt: skip
    attention_dp: Annotated[bool | None, Field(
        description="each accelerator attends to requests of its own; empty: chosen")] = None  # fmt: skip
    mig_profile: Annotated[str, Field(min_length=1, max_length=40, description="one slice: 1g.10gb")] | None = None
    lora_adapters: Annotated[int, Field(ge=0, le=10_000), unit("adapters")] = 0
    cached_input_share: Annotated[
        float, Field(ge=0.0, le=0.99, description="of prompts that is in the cache"), unit("share: 0.1 is 10 %")
    ] = 0.0
    draft_tokens: Annotated[int, Field(ge=0, le=16,
        description="guessed ahead of each step: speculative decoding"), unit("tokens")] = 0  # fmt: skip
    accepted_share: Annotated[
        float, Field(ge=0.0, le=0.99, description="of guesses that are right"), unit("share: 0.1 is 10 %")
    ] = USUAL_ACCEPTED_SHARE
    measured_over_predicted: _OwnRuns | None = None

    @model_validator(mode="after")
    def _check_peak(self) -> Self:
        average, peak = self.requests_per_s, self.peak_requests_per_s
        if average is not None and peak is not None and peak < average:
            raise ValueError(f"peak_requests_per_s is below the average of {average:g}")
        return self


class ServingTask(ServingSpec):
    """A model to be answered with, or other work by the request (images, speech, classifying), around the clock."""

    requests_per_s: Annotated[_Rate, ask("rps", "Requests a second, on average", usual="1")] = 1.0
    own_weights: Annotated[bool | None, Field(description="whether the weights are your own, so that no seller by the "
        "token has them; empty: where the plan trains the model"), ask("ownweights", "Your own weights?",
        "Trained or tuned by you: sellers by the token serve only theirs.",
        usual="where the plan trains the model")] = None  # fmt: skip
    rise_per_minute: Annotated[float | None, Field(ge=0.0, le=1e6,
        description="requests a second on top within a minute: kept ready"),
        unit("requests a second more within a minute")] = None  # fmt: skip


class FixedRun(ScenarioModel):
    """Any other work: a simulation, a rendering, a Monte Carlo. Known by the hours it took on one accelerator.

    It is carried over to the accelerator of the plan by what bounds it, and spread evenly over all of the plan's.
    """

    measured_on: Id
    hours: Annotated[float, Field(ge=0.001, le=1e7, description="of one run on one of those"), unit("hours")]
    bound: Bound = "compute"
    runs_per_month: _RunsPerMonth | None = None
    deadline_days: _Days | None = None
