"""Published cases as data: what somebody stated, from which inputs, and how this engine reckons it.

The form of a file and of a mapping is explained in docs/published-cases.md. Text in, records out: nothing here opens a
file, and nothing knows any case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pydantic
from pydantic import BaseModel, ConfigDict, Field

from planner.scenario.base import Inputs, Label
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

    metric: Annotated[str, Field(min_length=1, max_length=200)] = Field(description="what the number is of")
    unit: str | float | None = Field(default=None, description="its unit")
    stated: float | str | None = Field(default=None, description="the number or word of the source")
    recomputed: float | str | None = Field(default=None, description="what its own inputs give by its own formula")
    tolerance_rel: Annotated[float, Field(ge=0.0, le=1.0)] | None = Field(
        default=None, description="by how much the two may differ"
    )
    match: bool | None = Field(default=None, description="whether they agree")
    note: str | None = Field(default=None, description="why not, or what else to know")


class Each(Inputs):
    """Steps and checks that are repeated for every item of a list or map; `{key}` in a metric is the item's."""

    of: str = Field(description="the list or map of the inputs to go through")
    steps: Formulas = Field(default_factory=dict, description="formulas worked out in their order")
    scenario: dict[str, Any] | None = Field(default=None, description="laid over the bare one")
    checks: Formulas = Field(description="a formula for each number that was stated")


class Ours(Inputs):
    """How the engine reckons a case: names for its inputs, steps, scenarios of the planner, and the checks."""

    names: dict[str, str] = Field(default_factory=dict, description="short names for inputs of the case")
    steps: Formulas = Field(default_factory=dict, description="formulas worked out in their order")
    scenario: dict[str, Any] | None = Field(default=None, description="laid over the bare one")
    variants: dict[str, dict[str, Any]] = Field(default_factory=dict, description="changes of that scenario, by name")
    bare: bool = Field(default=True, description="whether all else costs nothing")
    checks: Formulas = Field(default_factory=dict, description="a formula for each number that was stated")
    each: tuple[Each, ...] = Field(default=(), description="the same for every item of a list or map")
    errors: dict[str, str] = Field(default_factory=dict, description="what the source got wrong, by metric")
    not_comparable: dict[str, str] = Field(
        default_factory=dict, description="what cannot be compared, by metric, and why"
    )
    notes: dict[str, str] = Field(default_factory=dict, description="what else to know, by metric")


class Case(_Foreign):
    """One publication."""

    id: Label = Field(description="its name, once in a file")
    url: str | None = Field(default=None, description="where it can be read")
    inputs: dict[Any, Any] = Field(default_factory=dict, description="what the source reckons with")
    checks: tuple[Check, ...] = Field(description="what it states")
    ours: Ours | None = Field(default=None, description="how this engine reckons it")


class Cases(_Foreign):
    """A file of cases. `bare` is the scenario in which everything that a case does not mention costs nothing."""

    cases: Annotated[tuple[Case, ...], Field(min_length=1, max_length=MOST_CASES)] = Field(
        description="one for each publication"
    )
    bare: dict[str, Any] = Field(
        default_factory=dict, description="the scenario in which what a case does not mention costs nothing"
    )


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
