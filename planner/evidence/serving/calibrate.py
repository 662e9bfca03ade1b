"""From published runs to the fitted part of the data file: constants with their ranges, and bands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.evidence.cells import Row
from planner.evidence.checked import Group, band_of_errors, group_of
from planner.evidence.serving.fit import fit, leave_halves_out, leave_one_out
from planner.evidence.serving.likeness import DISTANCES, fit_likeness, with_one_run_known
from planner.evidence.serving.observed import Observation, Observed, observe
from planner.speed.bands import Band
from planner.speed.serving.bands import band_name
from planner.speed.serving.constants import FIXED, NAMES, ServingConstants
from planner.speed.serving.engine_data import Fitted, Likeness, known
from pricing.catalogue import Catalogue

COMMAND = "python -m planner calibrate serving"
_ABOUT = "about: Constants of the serving model, fitted to published runs, and the bands that the fit leaves."
_NOTE = (
    "# Written by the command below; ranges: what each constant became when one source after the other was left out.",
    "# Bands are published over predicted on runs whose source, or half of all sources, was left out: a tenth lies",
    "# below, a tenth above.",
)
_LIKENESS_NOTE = (
    "# What a measured run tells of another of its source: the share of its error they have in common in the same",
    "# place, and how fast that falls: for each e-fold of batch, prompt, answer or group, or where names differ.",
)
_FIGURES = {"rate": "rate", "token": "time between tokens", "step": "time of a step", "first": "first token"}
BY = ("all", "kind", "source")
_FEWEST_ROWS = 10  # fewer say nothing about how wide a band is


@dataclass(frozen=True)
class ServingCalibration:
    """What runs say: constants with ranges, bands by kind, errors when each source is left out."""

    on: date
    rows: int
    sources: int
    constants: dict[str, Fitted]
    bands: dict[str, Band]
    likeness: Likeness | None  # None where no source has two runs
    left_out: list[Group]  # how far off we are on sources that were not fitted


def calibrate(catalogue: Catalogue, rows: Sequence[Row], *, on: date) -> ServingCalibration:
    """Fit, then fit again without each source: the ranges of constants and the bands come from that."""
    observations = observe(catalogue, rows)
    best = fit(Observed.of(observations))
    errors, without = leave_one_out(observations, [one.source for one in observations])
    halves, found = leave_halves_out(observations), dict[str, list[int]]()
    for place, one in enumerate(observations):
        if np.isfinite(errors[place]):
            found.setdefault(band_name(one.run.setup, single=one.kind == "first"), []).append(place)
    return ServingCalibration(
        on=on,
        rows=len(observations),
        sources=len({one.source for one in observations}),
        constants={name: _fitted(name, best, list(without.values())) for name in NAMES},
        likeness=fit_likeness(observations, errors),
        left_out=_judged(observations, errors),
        bands={
            name: band_of_errors(errors[places]).or_wider(_band_without(observations, halves, places))
            for name, places in sorted(found.items())
            if len(places) >= _FEWEST_ROWS
        },
    )


def _band_without(observations: Sequence[Observation], halves: NDArray[np.float64], places: Sequence[int]) -> Band:
    """The band of some figures when half of the sources are not known; a source counts as the root of its figures."""
    source = np.array([observations[place].source for place in places])
    errors, sources = halves[:, places], np.broadcast_to(source, (len(halves), len(places)))
    there = np.isfinite(errors)
    if not there.any():
        return band_of_errors([0.0])
    counts = Counter(sources[there].tolist())
    return band_of_errors(errors[there], weights=[counts[name] ** -0.5 for name in sources[there].tolist()])


def _judged(observations: Sequence[Observation], errors: NDArray[np.float64]) -> list[Group]:
    """All, by kind, by source with the worst first; and what is left once one run of the same kind is known."""
    members: dict[tuple[str, str], list[float]] = {}
    for one, error in zip(observations, errors, strict=True):
        for key in (("all", "all"), ("kind", f"{one.group}: {_FIGURES[one.kind]}"), ("source", one.source)):
            members.setdefault(key, []).append(float(error))
    groups = [group_of(by, name, found) for (by, name), found in members.items()]
    pairs = group_of("pair", "one run of the same model, chip, engine known", with_one_run_known(observations, errors))
    return [*sorted(groups, key=lambda one: (BY.index(one.by), -one.median_error)), pairs]


def _fitted(name: str, best: ServingConstants, others: Sequence[ServingConstants]) -> Fitted:
    values = [getattr(one, name) for one in others] + [getattr(best, name)]
    round_to = 4 if name not in FIXED else 6
    low, value, high = (float(f"{x:.{round_to}g}") for x in (min(values), getattr(best, name), max(values)))
    return Fitted(value=value, low=low, high=high, means=known().constants[name].means)


def as_yaml(made: ServingCalibration) -> str:
    """The whole of serving_constants.yaml."""
    lines = [
        _ABOUT,
        "",
        *_NOTE,
        f"fit: {{on: {made.on}, command: {COMMAND}, rows: {made.rows}, sources: {made.sources}}}",
        "constants:",
    ]
    for name, one in made.constants.items():
        lines.append(f'  {name}: {{value: {one.value}, low: {one.low}, high: {one.high}, means: "{one.means}"}}')
    lines.append("bands:")
    for name, band in made.bands.items():
        lines.append(f"  {name}: {{low: {band.low}, high: {band.high}, rows: {band.rows}}}")
    if made.likeness is not None:
        lines += [*_LIKENESS_NOTE, "likeness:", f"  share: {made.likeness.share:.4g}"]
        lines += [f"  {name}: {getattr(made.likeness, name):.4g}" for name in DISTANCES]
    return "\n".join(lines) + "\n"
