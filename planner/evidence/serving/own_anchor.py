"""Services that go by somebody's own measured runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from planner.evidence.anchored import Anchored, with_factors
from planner.evidence.cells import Row, text
from planner.evidence.checked import Checked
from planner.evidence.factors import OwnRun, compared, factors, refuse_unusable
from planner.evidence.serving.check import check_serving
from planner.evidence.serving.observed import Observation, Observed, observe
from planner.scenario.serving_job import ServingJob
from planner.scenario.vocabulary import EngineName
from planner.speed.serving.constants import ServingConstants
from planner.speed.serving.engine_data import known
from planner.speed.serving.own_pace import alike
from planner.speed.serving.work import work_called
from pricing import names
from pricing.catalogue import Catalogue


def anchored(
    catalogue: Catalogue,
    job: ServingJob,
    rows: Sequence[Row],
    *,
    file: str,
    constants: ServingConstants | None = None,
) -> Anchored[ServingJob]:
    """The job, corrected by measured runs of its model and engine there. `BadTable` where no run is usable."""
    found = factors("serving", serving_runs(catalogue, rows, constants), source="", day=None)
    refuse_unusable(found, file=file)
    return with_factors(catalogue, job, names.accelerator(catalogue, job.accelerator), found, alike)


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


def serving_runs(
    catalogue: Catalogue, rows: Sequence[Row], constants: ServingConstants | None = None
) -> tuple[OwnRun, ...]:
    """Each row beside what is predicted of it: tokens a second of all accelerators, of one request, or requests."""
    checked = check_serving(catalogue, rows)
    seen, errors = _seen(catalogue, rows, constants or known().values())
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
