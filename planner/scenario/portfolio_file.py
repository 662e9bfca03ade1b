"""A portfolio as a file: the plans that share fleets, whose they are, and when each begins."""

from typing import Annotated

import pydantic
from pydantic import Field

from planner.scenario.base import Label, ScenarioModel, unit
from planner.scenario.file import read_yaml
from planner.scenario.known_names import ScenarioError, first_error

MOST_PLANS = 24


class PortfolioEntry(ScenarioModel):
    """One plan of a portfolio."""

    plan: Annotated[str, Field(min_length=1, max_length=500, description="a file beside this one, the key of a preset, "
        "or the name of a kept plan")]  # fmt: skip
    name: Annotated[Label | None, Field(description="empty: the name in the plan")] = None
    team: Annotated[str, Field(max_length=120, description="or cost centre; empty: the folder of a kept plan")] = ""
    tags: Annotated[tuple[Label, ...], Field(max_length=20)] = ()
    starts_in_month: Annotated[
        int, Field(ge=1, le=120, description="of the portfolio"), unit("number of the month")
    ] = 1


class PortfolioFile(ScenarioModel):
    """The plans that share fleets; those of one kind of GPU and one place share one."""

    plans: Annotated[tuple[PortfolioEntry, ...], Field(min_length=2, max_length=MOST_PLANS)]


def read_portfolio(text: bytes, name: str) -> PortfolioFile:
    """Return the portfolio in a file, or raise `ScenarioError` with its line."""
    data, lines = read_yaml(text, name)
    try:
        return PortfolioFile.model_validate(data)
    except pydantic.ValidationError as error:
        path, wish = first_error(error)
        steps = tuple(map(str, path))
        line = next((lines[steps[:n]] for n in range(len(steps), 0, -1) if steps[:n] in lines), None)
        raise ScenarioError(name, line, wish) from error
