"""Published cases as data: what somebody stated, from which inputs, and how this engine reckons it.

The form of a file and of a mapping is explained in docs/published-cases.md. Text in, records out: nothing here opens a
file, and nothing knows any case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pydantic
from pydantic import BaseModel, ConfigDict, Field

from planner.inputs.base import Inputs, Label
from pricing import PricingError
from pricing.strict_yaml import lines, read
from pricing.wishes import first_wish, shown

MOST_CASES = 500
USUAL_TOLERANCE = 0.005

Formula = Annotated[str | float, Field(union_mode="left_to_right")]
Formulas = dict[str, Formula]


class CasesError(PricingError):
    """A file of cases, or one mapping in it, cannot be used. The text is one sentence with its place."""


class _Foreign(BaseModel):
    """A record in somebody else's file: what it says beyond these fields is left alone."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, allow_inf_nan=False)


class Check(_Foreign):
    """One number (or word) that was stated, and what an independent recomputation of it gave."""

    metric: Annotated[str, Field(min_length=1, max_length=200)]
    unit: str | float | None = None
    stated: float | str | None = None
    recomputed: float | str | None = None
    tolerance_rel: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    match: bool | None = None
    note: str | None = None


class Each(Inputs):
    """The same steps and checks for every item of a list or map in the inputs; `{key}` in a metric is the item's."""

    of: str
    steps: Formulas = Field(default_factory=dict)
    scenario: dict[str, Any] | None = None
    checks: Formulas


class Ours(Inputs):
    """How the engine reckons a case: names for its inputs, steps, scenarios of the planner, and the checks."""

    names: dict[str, str] = Field(default_factory=dict)
    steps: Formulas = Field(default_factory=dict)
    scenario: dict[str, Any] | None = None
    variants: dict[str, dict[str, Any]] = Field(default_factory=dict)
    bare: bool = True
    checks: Formulas = Field(default_factory=dict)
    each: tuple[Each, ...] = ()
    errors: dict[str, str] = Field(default_factory=dict)
    not_comparable: dict[str, str] = Field(default_factory=dict)
    notes: dict[str, str] = Field(default_factory=dict)


class Case(_Foreign):
    """One publication."""

    id: Label
    url: str | None = None
    inputs: dict[Any, Any] = Field(default_factory=dict)
    checks: tuple[Check, ...]
    ours: Ours | None = None


class Cases(_Foreign):
    """A file of cases. `bare` is the scenario in which everything that a case does not mention costs nothing."""

    cases: Annotated[tuple[Case, ...], Field(min_length=1, max_length=MOST_CASES)]
    bare: dict[str, Any] = Field(default_factory=dict)


class _Mappings(Inputs):
    ours: dict[str, Ours]


def cases_in(text: str, *, file: str) -> Cases:
    """The cases of a file; `file` names it in errors."""
    found: Cases = _checked(Cases, text, file)
    ids = [case.id for case in found.cases]
    twice = next((one for one in ids if ids.count(one) > 1), None)
    if twice is not None:
        raise CasesError(f"{file}: the case {twice!r} stands here twice.")
    return found


def mappings_in(text: str, *, file: str) -> Mapping[str, Ours]:
    """The mappings of a file that holds nothing else: `ours:` and below it one for each case id."""
    found: _Mappings = _checked(_Mappings, text, file)
    return found.ours


def _checked(kind: type[Any], text: str, file: str) -> Any:
    data = read(text, file=file)
    if not isinstance(data, dict):
        raise CasesError(f"{file}: want a map with {' and '.join(kind.model_fields)}, got {shown(data)}.")
    try:
        return kind.model_validate(data)
    except pydantic.ValidationError as error:
        raise CasesError(_sentence(error, data, text, file)) from error


def _sentence(error: pydantic.ValidationError, data: Any, text: str, file: str) -> str:
    found, wish, first = first_wish(error)
    path = tuple(map(str, found))
    where = lines(text, file=file)
    known = next((path[:n] for n in range(len(path), 0, -1) if path[:n] in where), ())
    place = f"{file}, line {where[known]}" if known else file
    if path[:1] == ("cases",) and len(path) > 1 and isinstance(data["cases"], tuple):
        case = data["cases"][int(path[1])]
        path = (str(case.get("id", path[1])) if isinstance(case, dict) else path[1], *path[2:])
    if first["type"] == "extra_forbidden":
        wish += f"; there are {', '.join((Each if 'each' in path else Ours).model_fields)}"
    if path[-1] == "each" and isinstance(first["input"], dict):
        wish = f"want a list, each entry with {', '.join(Each.model_fields)}: write - before its first key"
    if first["input"] is None and {"checks", "steps", "names"} & set(path):
        wish = "want a formula; one with a comma inside { } stands in quotes"
    return f"{place}: {'.'.join(path)}: {wish}."
