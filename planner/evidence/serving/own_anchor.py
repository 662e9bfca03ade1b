"""Predictions that go by somebody's own measured runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from planner.evidence.cells import Row, text
from planner.evidence.checked import Checked, by_reason
from planner.evidence.factors import OwnRun, compared
from planner.evidence.serving.check import check_serving
from planner.evidence.serving.likeness import Places, expected_error, likeness, places_of
from planner.evidence.serving.observed import Observation, Observed, observe
from planner.evidence.table import BadTable
from planner.scenario.vocabulary import EngineName
from planner.speed.arrays import taken
from planner.speed.serving.constants import ServingConstants
from planner.speed.serving.engine_data import known
from planner.speed.serving.plan import ServingPlan
from planner.speed.serving.result import Anchor
from planner.speed.serving.work import work_called
from pricing.catalogue import Catalogue

MOST_RUNS = 300  # go into one prediction: what is farther says nothing that nearer ones do not
LEAST_SHARED = 0.15  # of an error: runs farther away are not named
_MOST_REASONS = 3
NARROWEST = 0.5  # of the band: nearer than that, two of three published pairs lay inside and not four of five


@dataclass(frozen=True)
class OwnServingRuns:
    """Somebody's own runs, and by how much predictions missed them."""

    ids: tuple[str, ...]
    places: Places
    errors: NDArray[np.float64]  # logarithm of predicted over measured
    unused: tuple[tuple[str, str], ...]  # why a row cannot be gone by, and its id

    def anchor(self, worked: ServingPlan, batch: float) -> Anchor | None:
        """What the runs say of a job; None where none is of the same engine and near."""
        setup, traffic, by = worked.setup, worked.traffic, known().likeness
        sizes = [batch, float(traffic.input_tokens), float(traffic.output_tokens), float(worked.devices)]
        here = Places(
            np.log(np.array([sizes])),
            np.array([(setup.shape.label, setup.chip.name, setup.precision)]),
            np.array([setup.engine]),
        )
        shared = likeness(here.distances(self.places), by)[0]
        nearest = np.argsort(-shared)[:MOST_RUNS]
        nearest = nearest[shared[nearest] > 0]
        named = tuple(self.ids[int(place)] for place in nearest if shared[place] >= LEAST_SHARED)
        if not named:
            return None
        there = taken(self.places, nearest)
        among = likeness(there.distances(there), by)
        error, width = expected_error(shared[nearest], among, self.errors[nearest])
        return Anchor(named, float(np.exp(-error)), max(width, NARROWEST))


def own_runs(catalogue: Catalogue, rows: Sequence[Row], constants: ServingConstants | None = None) -> OwnServingRuns:
    """The rows of a table that measure what is predicted. `BadTable` where none does."""
    seen, errors = _seen(catalogue, rows, constants or known().values())
    left = [row for place, row in enumerate(rows) if place not in errors]
    unused = tuple((_why_not(one), one.id) for one in check_serving(catalogue, left))
    if not errors:
        why = "; ".join(f"{reason} ({len(ids):,} x)" for reason, ids in list(by_reason(unused).items())[:_MOST_REASONS])
        raise BadTable(f"None of the {len(rows):,} runs can be gone by: {why or 'the table holds none'}.")
    kept = [seen[place] for place in errors]
    return OwnServingRuns(tuple(one.id for one in kept), places_of(kept), np.array(list(errors.values())), unused)


def _seen(
    catalogue: Catalogue, rows: Sequence[Row], constants: ServingConstants
) -> tuple[dict[int, Observation], dict[int, float]]:
    """The rows that measure what is predicted, by their place, and by how much each prediction misses its own."""
    seen = {place: one for place, row in enumerate(rows) for one in observe(catalogue, [row], any_machine=True)}
    if not seen:
        return {}, {}
    with np.errstate(all="ignore"):  # what is beyond all sense is not finite, and left out
        errors = Observed.of(list(seen.values())).log_errors(constants)
    return seen, {place: float(error) for place, error in zip(seen, errors, strict=True) if np.isfinite(error)}


_UNITS = {"rate": "tokens/s", "token": "tokens/s of one request", "step": "steps/s"}
_NO_ENGINE = "no plan asks for its engine: want one of {}"
GUESSED = "its shape was guessed from its size: no plan asks for a model that the catalogue does not have"
NOTHING_MEASURED = "no speed is measured that we predict: want output_tokens_per_s_total, or tpot_ms of a service"


def serving_runs(catalogue: Catalogue, rows: Sequence[Row]) -> tuple[OwnRun, ...]:
    """Each row beside what is predicted of it: tokens a second of all accelerators, of one request, or requests."""
    checked = check_serving(catalogue, rows)
    seen, errors = _seen(catalogue, rows, known().values())
    usable = {place for place in errors if seen[place].kind in _UNITS}
    return tuple(
        _measured(row, one, seen[place], errors[place]) if place in usable else _other(catalogue, row, one)
        for place, (row, one) in enumerate(zip(rows, checked, strict=True))
    )


def _measured(row: Row, one: Checked, seen: Observation, error: float) -> OwnRun:
    setup = seen.run.setup
    run = OwnRun(one.id, setup.chip.name, text(row, "model"), unit=_UNITS[seen.kind], doubt=one.doubt)
    like = {"accelerator": setup.chip.name, "model": seen.run.model, "engine": setup.engine}
    found = compared(run, predicted=seen.per_s * float(np.exp(error)), error=error, like=like)
    asked = get_args(EngineName)
    return found if setup.engine in asked else replace(found, like=None, why_not=_NO_ENGINE.format(", ".join(asked)))


def _other(catalogue: Catalogue, row: Row, one: Checked) -> OwnRun:
    """Work that writes no tokens, whose rate is known from tables; or a row that cannot be gone by."""
    said = text(row, "model")
    work = work_called(said, exactly=True)
    if work is None or one.rate is None or one.compared != "requests_per_s":
        return OwnRun(one.id, one.accelerator, said, why_not=_why_not(one), guessed=one.guessed)
    run = OwnRun(one.id, one.chip, said, unit="requests/s")
    return compared(run, predicted=one.rate, error=one.error or 0.0, like={"accelerator": one.chip, "model": work})


def _why_not(one: Checked) -> str:
    return one.skipped_reason or one.doubt or (GUESSED if one.guessed else NOTHING_MEASURED)
