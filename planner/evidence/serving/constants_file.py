"""A file of serving constants: read, written after a fit, and written after a machine was measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import Field

from planner.evidence.constants_file import band_lines, entry, read_as, spread_lines
from planner.evidence.serving.likeness import DISTANCES
from planner.evidence.table import BadTable
from planner.speed.bands import Band, Spread
from planner.speed.serving.constants import FIXED, NAMES, ServingConstants
from planner.speed.serving.engine_data import Fitted, Likeness, known
from pricing import strict_yaml
from pricing.figure import Strict

COMMAND = "python -m planner calibrate serving"
_ABOUT = "about: Constants of the serving model, fitted to published runs, and the bands that the fit leaves."
_NOTE = (
    "# Written by the command below; ranges: what each constant became when one source after the other was left out.",
    "# Bands are published over predicted on runs whose source was left out: 10th and 90th percentile.",
)
_LIKENESS_NOTE = (
    "# What a measured run tells of another of its source: the share of its error they have in common in the same",
    "# place, and how fast that falls: for each e-fold of batch, prompt, answer or group, or where names differ.",
)
_FARTHEST = 30.0  # times ours: a constant beyond is a slip, not a machine
_Positive = Annotated[float, Field(gt=0)]


class _Constant(Strict):
    value: _Positive
    low: _Positive
    high: _Positive
    means: str = Field(max_length=400)


class _File(Strict):
    """What `calibrate serving --out` writes."""

    about: str = Field(max_length=400)
    fit: dict[str, Any]
    constants: dict[str, _Constant]
    bands: dict[str, Band] = Field(default_factory=dict)
    spread: Spread | None = None
    likeness: Likeness | None = None


def read_constants(text: str, file: str) -> ServingConstants:
    """The constants that `calibrate serving --out` wrote, or `BadTable` with what is wrong where."""
    writer = "`calibrate serving --out`"
    read = read_as(_File, strict_yaml.read(text, file=file), file=file, writer=writer)
    for name in read.constants:
        if name not in NAMES:
            near = get_close_matches(name, NAMES, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise BadTable(f"{file}: constants.{name}: there is no such constant.{hint}")
    missing = [name for name in NAMES if name not in read.constants]
    if missing:
        raise BadTable(f"{file}: constants: {missing[0]} is missing; want all {len(NAMES)}, they are a set.")
    values = {name: read.constants[name].value for name in NAMES}
    for name, value in values.items():
        ours = known().constants[name].value
        if not ours / _FARTHEST <= value <= ours * _FARTHEST or (name in FIXED and value != ours):
            wish = f"{ours:g}" if name in FIXED else f"within {_FARTHEST:g} times of {ours:g}"
            raise BadTable(f"{file}: constants.{name}: want {wish}, got {value:g}.")
    return ServingConstants(**values)


def constants_text(
    constants: Mapping[str, Fitted], bands: Mapping[str, Band], spread: Spread | None, likeness: Likeness | None,
    sources: Sequence[str], *, on: date,
) -> str:  # fmt: skip
    """The whole of serving_constants.yaml; `sources` has that of each figure. No likeness: no source has two runs."""
    fit = f"fit: {{on: {on}, command: {COMMAND}, rows: {len(sources)}, sources: {len(set(sources))}}}"
    lines = [_ABOUT, "", *_NOTE, fit, "constants:"]
    for name, one in constants.items():
        lines.append(entry(name, value=one.value, low=one.low, high=one.high, means=f'"{one.means}"'))
    lines += [*band_lines(bands), *spread_lines(spread)]
    if likeness is not None:
        lines += [*_LIKENESS_NOTE, "likeness:", f"  share: {likeness.share:.4g}"]
        lines += [f"  {name}: {getattr(likeness, name):.4g}" for name in DISTANCES]
    return "\n".join(lines) + "\n"


def as_measured(constants: ServingConstants, *, about: str, on: date) -> str:
    """A file of constants that `read_constants` reads, each with the range it has in ours."""
    lines = [f"about: {json.dumps(about)}", f"fit: {{on: {on}, command: python -m planner check gpu}}", "constants:"]
    for name in NAMES:
        value, ours = getattr(constants, name), known().constants[name]
        value, low, high = (f"{number:.6g}" for number in (value, min(ours.low, value), max(ours.high, value)))
        lines.append(entry(name, value=value, low=low, high=high, means=f'"{ours.means}"'))
    return "\n".join(lines) + "\n"
