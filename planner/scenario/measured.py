"""Models of one's own, and runs of one's own against their prediction."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from planner.scenario.base import Id, ScenarioModel, unit
from planner.scenario.vocabulary import EngineName, Kind
from pricing.figure import Day
from pricing.formulas import reject_invisible
from pricing.model import NetworkShape

MOST_MODELS = 4  # more would not go into a link
MOST_FACTORS = 16  # more would not go into a link
LEAST_RATIO, MOST_RATIO = 0.05, 20.0  # beyond, units were mistaken
FARTHEST_END = 10.0  # how far beyond these the ends of a spread may lie
_Ratio = Annotated[float, Field(ge=LEAST_RATIO, le=MOST_RATIO), unit("times what is predicted")]
_RatioEnd = Annotated[
    float, Field(ge=LEAST_RATIO / FARTHEST_END, le=MOST_RATIO * FARTHEST_END), unit("times what is predicted")
]

Bits = Literal["bf16", "fp8", "fp4"]
Trained = Literal["full", "lora"]


class MeasuredRun(ScenarioModel):
    """Some runs of one's own, alike. How much of it is believed follows from their number and their spread."""

    kind: Kind
    accelerator: Id
    model: Annotated[Id, Field(description="empty: of several models")] | None = None
    precision: Annotated[Bits, Field(description="of training; bf16 is all of 16 bits; empty: any")] | None = None
    method: Annotated[Trained, Field(description="of training: all weights, or adapters; empty: either")] | None = None
    engine: Annotated[EngineName, Field(description="of serving; empty: any")] | None = None
    ratio: Annotated[_Ratio, Field(description="measured over predicted, the middle of the runs")]
    low: (
        Annotated[_RatioEnd, Field(description="10th percentile of such runs: 1 in 10 is slower; empty: not known")]
        | None
    ) = None
    high: Annotated[_RatioEnd, Field(description="90th percentile: 1 in 10 is faster")] | None = None
    runs: Annotated[int, Field(ge=1, le=10_000), unit("runs of your own")] = 1
    day: Day | None = None
    source: Annotated[str, Field(min_length=1, max_length=60), AfterValidator(reject_invisible)] = "my own runs"

    @model_validator(mode="after")
    def _check_consistency(self) -> MeasuredRun:
        if (self.low is None) != (self.high is None):
            raise ValueError("low and high come together: want both or neither")
        if self.low is not None and self.high is not None and not self.low <= self.ratio <= self.high:
            raise ValueError(f"ratio {self.ratio:g} must lie between low, {self.low:g}, and high, {self.high:g}")
        if self.kind == "training" and self.engine is not None:
            raise ValueError("engine is of serving; leave it out of a training entry")
        if self.kind == "serving" and (self.precision or self.method):
            raise ValueError("precision and method are of training; leave them out of a serving entry")
        return self


class OwnModel(NetworkShape):
    """A network that the catalogue does not have, named like a model of the catalogue; it goes before one so named."""

    name: Id
    modality: Annotated[
        Literal["text", "text_encoder", "text_encoder_decoder"],
        Field(description="whether it writes, reads both ways and writes nothing, or does one with each half"),
    ] = "text"
