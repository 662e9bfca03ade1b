"""What a person asks: train this model, on these accelerators, so."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from planner.scenario.base import LONGEST_TEXT, Count, ScenarioModel
from planner.scenario.failures import Failures
from planner.scenario.measured import Measured
from planner.scenario.own_model import OwnModel
from planner.scenario.vocabulary import Method, Optimizer, Recompute, Team, TrainingEngine, TrainingPrecision, Zero

MeasuredLike = Literal["job", "accelerator"]  # what the measured run was of: the same in all, or only on the same chip


def _recompute_level(said: Any) -> Any:
    """Files of before there were levels say true or false."""
    return ("full" if said else "none") if isinstance(said, bool) else said


class TrainingJob(ScenarioModel):
    """One training run. What is left out is chosen: the layout by search, the tokens by what fits the model best."""

    model: str = Field(default="", max_length=160)
    accelerator: str = Field(min_length=1, max_length=80)
    accelerators: Count = 8
    mig_profile: str | None = Field(default=None, max_length=40)
    tokens: Annotated[float, Field(gt=0, le=1e16)] | None = None
    unique_tokens: Annotated[float, Field(gt=0, le=1e16)] | None = None
    seq_len: Annotated[int, Field(ge=16, le=LONGEST_TEXT)] = 4_096
    global_batch_sequences: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    precision: TrainingPrecision = "bf16"
    method: Method = "full"
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
    power_cap_w: Annotated[float, Field(gt=0, le=10_000, description="of each accelerator")] | None = None
    network_gb_s: Annotated[float, Field(gt=0, le=10_000)] | None = None
    memory_gb: Annotated[float, Field(gt=0, le=1e6, description="of a server, for each of its processors")] | None = (
        None
    )
    team: Team = "experienced"
    measured_over_predicted: Annotated[float, Field(gt=0, le=100)] | None = None
    failures: Failures = Failures()
    measured_like: MeasuredLike = "job"
    models: tuple[OwnModel, ...] = ()  # that may be named beside the catalogue's
    measured: tuple[Measured, ...] = ()  # what runs of one's own say, by accelerator
