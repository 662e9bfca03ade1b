"""From arguments to a job: what is out of bounds is told by the argument's own name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import pydantic

from planner.cli.common import BadInput
from planner.scenario.base import Inputs
from pricing.wishes import first_wish

J = TypeVar("J", bound=Inputs)


def job_of(kind: type[J], said: Mapping[str, Any], flags: Mapping[str, str]) -> J:
    """The job somebody typed; what is outside its bounds is told by the argument's own name."""
    try:
        return kind(**{name: value for name, value in said.items() if value is not None})
    except pydantic.ValidationError as error:
        place, wish, _ = first_wish(error)
        if not place:
            raise BadInput(f"{wish}.") from error
        name = str(place[0])
        flag = flags.get(name, f"--{name.replace('_', '-')}")
        raise BadInput(f"{flag}: {wish}.") from error
