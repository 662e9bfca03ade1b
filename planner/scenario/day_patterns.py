"""How work may come through a day, by a name to start from. A scenario holds the 24 numbers, never the name."""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from planner.scenario.base import Label, ScenarioModel, Share
from pricing import strict_yaml
from pricing.caching import cached

FILE = Path(__file__).parent / "days.yaml"


class DayPattern(ScenarioModel):
    """One shape of a day: the part of the most that each hour wants, what it means, and who says so."""

    name: Label
    by_hour: Annotated[tuple[Share, ...], Field(min_length=24, max_length=24)] = Field(
        description="the part of the most that each hour wants, from midnight"
    )
    says: Annotated[str, Field(min_length=1, max_length=400)] = Field(description="what that means, in a sentence")
    source: Label = Field(description="who says so, or that it is an assumption of ours")


@cached(1)
def days() -> dict[str, DayPattern]:
    """The shapes by name, in the order in which they are shown."""
    data = strict_yaml.read(FILE.read_text(encoding="utf-8"), file=FILE.name)
    return {name: DayPattern.model_validate({"name": name, **fields}) for name, fields in data.items()}


def day_of(by_hour: tuple[float, ...]) -> DayPattern | None:
    """The day with these hours; None where it is one of its own."""
    return next((one for one in days().values() if one.by_hour == by_hour), None)
