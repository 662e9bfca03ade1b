"""What a person asks of a network that learns from pictures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from planner.scenario.base import Count, ScenarioModel
from planner.scenario.vocabulary import Team


class ImageJob(ScenarioModel):
    """One training run, counted in pictures. What is left out is what is usual for the network."""

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
