"""Questions of speed: train or serve this model, on these accelerators, so. Bounds here, arithmetic elsewhere.

The cost of failures in time: how often a job stops, how long a restart and a repair take.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from planner.scenario.base import WORK, Count, ScenarioModel, ask, unit
from planner.scenario.measured import MeasuredRun, OwnModel
from planner.scenario.task import ServingSpec, TrainingSpec
from planner.scenario.vocabulary import LoadStart, Mode, Optimizer, Recompute, Team, TrainingEngine, Zero
from pricing.figure import Day

Regime = Literal["calm", "rough"]
Stated = Literal["all", "useful"]


class Failures(ScenarioModel):
    """Hours lost to failures: work done again, restarts, checkpoints written, machines that others wait for.

    `calm` is a well-run cluster: Llama 3, one unexpected stop in some 50,700 accelerator-hours. `rough` counts every
    cause, own errors included: Meta's research clusters, one in some 9,200 (a job on 8) or 8,100 (on 1,024). Where
    nothing is said it is the calm one.
    Checkpoints are written as often as wastes least (Young, Daly).
    """

    regime: Annotated[Regime | None, ask("regime", "How often jobs fail", "As at Llama 3 (calm), or as on shared "
        "research clusters, own errors included (rough).", group=WORK, rare=True, usual="calm")] = None  # fmt: skip
    hours_between_failures: Annotated[
        float | None, Field(ge=10.0, le=1e8, description="of one accelerator; wins over `regime`"), unit("hours")
    ] = None
    checkpoint_minutes: Annotated[float | None, Field(ge=0.001, le=1_440.0), unit("minutes to write one")] = None
    restart_minutes: Annotated[float | None, Field(ge=0.0, le=1_440.0), unit("minutes to be at work again")] = None
    straggler_share: Annotated[
        float, Field(ge=0.0, le=0.9, description="of the time, in which a job waits for its slowest machines"),
        unit("share: 0.1 is 10 %"),
    ] = 0.0  # fmt: skip
    repair_hours: Annotated[
        float | None,
        Field(ge=0.0, le=8_760.0, description="until a machine of your own is back; what is rented is replaced"),
        unit("hours"),
    ] = None
    stated_hours: Annotated[
        Stated, Field(description="what hours and busy shares that you state count: all, lost ones included, or the "
                                  "useful ones, and what is lost comes on top")
    ] = "all"  # fmt: skip


MeasuredLike = Literal["job", "accelerator"]  # the measured run was of the same job, or only on the same accelerator
_Accelerator = Annotated[str, Field(min_length=1, max_length=160, examples=["H100-SXM5-80GB"])]
_ProcessorGb = Annotated[float, Field(gt=0, le=1e6, description="of a server, for each of its processors")]
_Watts = Annotated[float, Field(gt=0, le=10_000, description="of each accelerator")]


def _recompute_level(value: Any) -> Any:
    """Old files say true or false."""
    return ("full" if value else "none") if isinstance(value, bool) else value


class TrainingJob(TrainingSpec):
    """One training run. What is left out is chosen: the layout by search, the tokens by what fits the model best."""

    model: str = Field(default="", max_length=160)
    accelerator: _Accelerator
    accelerators: Count = 8
    mig_profile: str | None = Field(default=None, max_length=40)
    global_batch_sequences: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    trainable_share: Annotated[float, Field(gt=0, le=1)] | None = None
    optimizer: Optimizer = "adamw"
    offload_optimizer: bool = False
    tp: Count | None = None
    pp: Count | None = None
    virtual_stages: Count | None = None
    cp: Count | None = None
    ep: Count | None = None
    dp: Count | None = None
    micro_batch: Annotated[int, Field(ge=1, le=65_536)] | None = None
    zero: Zero | None = None
    recompute: Annotated[Recompute | None, BeforeValidator(_recompute_level)] = None
    engine: TrainingEngine = "vendor"
    software_year: Annotated[float, Field(ge=2018, le=2040)] = 2026.0
    fused_attention: bool | None = None
    compiled: bool | None = None
    power_cap_w: _Watts | None = None
    network_gb_s: Annotated[float, Field(gt=0, le=10_000)] | None = None
    memory_gb: _ProcessorGb | None = None
    team: Team = "experienced"
    failures: Failures = Failures()
    measured_like: MeasuredLike = "job"
    models: tuple[OwnModel, ...] = ()  # that may be named beside the catalogue's
    measured: tuple[MeasuredRun, ...] = ()  # runs of one's own, by accelerator


class ServingJob(ServingSpec):
    """A model to be served on one kind of accelerator."""

    model: str = Field(default="", max_length=160, description="a model of the catalogue, loosely spelled")
    accelerator: _Accelerator
    accelerators: int | None = Field(default=None, ge=1, le=100_000, description="what there is; absent: as few as fit")
    engine_on: Day | None = Field(default=None, description="how engines were on that day; absent: the newest known")
    tensor_parallel: int | None = Field(default=None, ge=1, le=1_024)
    pipeline_parallel: int = Field(default=1, ge=1, le=1_024)
    spread_experts: bool | None = Field(default=None, description="experts whole on one accelerator each")
    prefill_accelerators: int | None = Field(default=None, ge=1, le=100_000, description="that only work on prompts")
    load_start: LoadStart = "random"
    mode: Mode = "offline"
    length_cv: float = Field(default=1.0, ge=0, le=10, description="spread of answer lengths over their mean")
    batch: int | None = Field(default=None, ge=1, le=1_000_000, description="at once, over all accelerators")
    percentile: float = Field(default=0.99, ge=0.5, le=0.999)  # that ttft_ms and tpot_ms are promised for
    memory_gb: _ProcessorGb | None = None
    lora_rank: int = Field(default=16, ge=1, le=1_024)
    power_cap_w: _Watts | None = None
    load_gb_per_s: float = Field(default=2.0, gt=0, le=1_000, description="weights into a new replica")
    boot_s: float = Field(default=60.0, ge=0, le=86_400, description="until a new replica begins to load")
    models: tuple[OwnModel, ...] = Field(default=(), description="that may be named beside the catalogue's")
    measured: tuple[MeasuredRun, ...] = Field(default=(), description="runs of your own, by accelerator")


class ImageJob(ScenarioModel):
    """A training run of an image network. What is left out is what is usual for the network."""

    model: str = Field(min_length=1, max_length=160)
    accelerator: str = Field(min_length=1, max_length=80)
    accelerators: Count = 8
    images: Annotated[float, Field(ge=1, le=1e14)] | None = None
    epochs: Annotated[float, Field(gt=0, le=100_000)] | None = None
    team: Team = "experienced"

    @model_validator(mode="after")
    def _check_amount(self) -> ImageJob:
        if self.images is not None and self.epochs is not None:
            raise ValueError("want images or epochs, got both")
        return self
