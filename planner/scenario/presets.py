"""Presets: real situations with their numbers stated, as data. Each is a scenario, and what it says about itself."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import pydantic
from pydantic import Field

from planner.scenario.base import Id, Inputs, Label
from planner.scenario.refusal import ScenarioError, complaints
from planner.scenario.scenario import Scenario
from pricing import strict_yaml

FOLDER = Path(__file__).parent / "presets"

Sentence = Annotated[str, Field(min_length=1, max_length=400)]


class Preset(Inputs):
    """One situation. `says` is what a reader must know before believing the numbers."""

    key: Id
    place: Annotated[int, Field(ge=1, le=99)] = Field(description="in the row of presets")
    title: Label = Field(description="as a page calls it")
    short: Annotated[str, Field(min_length=1, max_length=20)] = Field(description="what the row of presets calls it")
    what: Sentence = Field(description="the situation in a sentence")
    says: tuple[Sentence, ...] = Field(description="what a reader must know before believing the numbers")
    source: Label = Field(description="who states the numbers")
    scenario: Scenario = Field(description="the plan: what differs from the defaults")


@lru_cache(maxsize=1)
def presets() -> tuple[Preset, ...]:
    """Every preset, in the order in which they are shown."""
    return tuple(sorted((_read(path) for path in sorted(FOLDER.glob("*.yaml"))), key=lambda one: one.place))


def preset(name: str) -> Preset | None:
    """The preset with this key, or with this title in any case."""
    wanted = name.strip().casefold()
    return next((one for one in presets() if wanted in (one.key.casefold(), one.title.casefold())), None)


def _read(path: Path) -> Preset:
    data: dict[str, Any] = strict_yaml.read(path.read_text(encoding="utf-8"), file=path.name)
    try:
        return Preset.model_validate({"key": path.stem, **data})
    except pydantic.ValidationError as error:
        raise ScenarioError(path.name, None, complaints(error)[0][1]) from error
