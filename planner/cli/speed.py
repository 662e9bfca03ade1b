"""From arguments to a job: what is out of bounds is told by the argument's own name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import pydantic

from planner.cli.common import BadInput
from planner.inputs.base import Inputs
from planner.inputs.refusal import shown

J = TypeVar("J", bound=Inputs)


def job_of(kind: type[J], said: Mapping[str, Any], flags: Mapping[str, str]) -> J:
    """The job somebody typed; what is outside its bounds is told by the argument's own name."""
    try:
        return kind(**{name: value for name, value in said.items() if value is not None})
    except pydantic.ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        message = str(first["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
        if not name:
            raise BadInput(f"{message}.") from error
        flag = flags.get(name, f"--{name.replace('_', '-')}")
        raise BadInput(f"{flag}: want {message}, got {shown(first['input'])}.") from error
