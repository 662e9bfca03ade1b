"""Presets: real situations with their numbers stated, as data. Each is a scenario, and what it says about itself."""

from pathlib import Path
from typing import Annotated, Any

import pydantic
from pydantic import Field

from planner.scenario.base import Id, Label, ScenarioModel
from planner.scenario.known_names import ScenarioError, format_errors
from planner.scenario.scenario import Scenario
from pricing import strict_yaml
from pricing.caching import cached
from pricing.figure import Day

FOLDER = Path(__file__).parent / "presets"

Sentence = Annotated[str, Field(min_length=1, max_length=400)]


Figures = tuple[Annotated[str, Field(min_length=1, max_length=160, description="path of a figure")], ...]


class PresetSource(ScenarioModel):
    """A page that states figures of a preset, or that states others of the kind."""

    title: Label
    url: Annotated[str, Field(pattern="^https://", max_length=500, description="where it can be read")]
    read: Day = Field(description="the day it was read")
    states: Sentence = Field(description="what it states")
    figures: Figures = Field(default=(), description="what is taken from it; empty: it is there to compare with")

    @property
    def sentence(self) -> str:
        """Return what it states, and what that is to the preset; without its address."""
        use = "Taken from" if self.figures else "To compare"
        return f"{use}: {self.title}, read {self.read.isoformat()}: {self.states}"


class Preset(ScenarioModel):
    """One situation. `says` is what a reader must know before believing the numbers."""

    key: Id
    place: Annotated[int, Field(ge=1, le=99)] = Field(description="in the row of presets")
    title: Label = Field(description="as a page calls it")
    short: Annotated[str, Field(min_length=1, max_length=20)] = Field(description="what the row of presets calls it")
    what: Sentence = Field(description="the situation in a sentence")
    says: tuple[Sentence, ...] = Field(description="what a reader must know before believing the numbers")
    sources: tuple[PresetSource, ...] = Field(default=(), description="who states figures of it, or others of the kind")
    illustration: Figures = Field(description="paths of the figures that we chose freely: our illustration")
    scenario: Scenario = Field(description="the plan: what differs from the defaults")

    @property
    def illustrated(self) -> str:
        """Return which of its figures are our illustration."""
        rest = " but those that are taken from a source" if any(source.figures for source in self.sources) else ""
        return f"Our illustration: every figure of this example{rest}."

    @property
    def about(self) -> tuple[str, ...]:
        """Return what it is, what a reader must know, and where its figures come from."""
        sources = (f"{source.sentence} {source.url}" for source in self.sources)
        return (self.what, *self.says, self.illustrated, *sources)


@cached(1)
def load_presets() -> tuple[Preset, ...]:
    """Every preset, in the order in which they are shown."""
    return tuple(sorted((_read(path) for path in sorted(FOLDER.glob("*.yaml"))), key=lambda preset: preset.place))


def find_preset(name: str) -> Preset | None:
    """The preset with this key, or with this title in any case."""
    plain = name.strip().casefold()
    path = next((each for each in FOLDER.glob("*.yaml") if each.stem.casefold() == plain), None)
    if path is not None:  # one is read sooner than all
        return _read(path)
    return next((each for each in load_presets() if each.title.casefold() == plain), None)


@cached(None)
def _read(path: Path) -> Preset:
    data: dict[str, Any] = strict_yaml.read(path.read_text(encoding="utf-8"), file=path.name)
    try:
        return Preset.model_validate({"key": path.stem, **data})
    except pydantic.ValidationError as error:
        raise ScenarioError(path.name, None, format_errors(error)[0][1]) from error
