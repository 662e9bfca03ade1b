"""How far the speed models are off on what they were not fitted to: harsher and harsher splits of published runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planner.evidence.cells import Row, text
from planner.evidence.left_out import without_each, without_halves
from planner.evidence.serving.fit import errors_without as served_without
from planner.evidence.serving.fit import fit
from planner.evidence.serving.observed import Observation, Observed, observe
from planner.evidence.table import SERVING, TRAINING, published_runs
from planner.evidence.training.fit import Sample, errors_without, sample_of
from pricing import load_catalogue

Array = NDArray[np.float64]
Names = NDArray[np.str_]
SIZES = ((8.0, "up to 8"), (64.0, "up to 64"), (512.0, "up to 512"), (np.inf, "more"))
NEAR_TRAINING, NEAR_SERVING = 0.20, 0.25


def main() -> Iterator[str]:
    """One line for each split and half: median error, share within 20 % (serving 25 %), and bias, by kind."""
    catalogue = load_catalogue()
    rows = published_runs(TRAINING)
    sample, by_id = sample_of(catalogue, rows), {row["id"]: row for row in rows}
    kinds = np.array([run.kind for run in sample.runs])
    kinds[~sample.usable] = ""
    for name, names in _training_splits(sample, [by_id[run.id] for run in sample.runs]).items():
        yield _line(f"training, {name}", without_each(names, errors_without(sample)), kinds, NEAR_TRAINING)
    yield _line(
        "training, half of the sources", without_halves(sample.source, errors_without(sample)), kinds, NEAR_TRAINING
    )
    rows = published_runs(SERVING)
    observations, by_id = observe(catalogue, rows), {row["id"]: row for row in rows}
    kinds = np.array([one.group if one.kind == "rate" else "" for one in observations])
    observed = Observed.of(observations)
    best = fit(observed)
    without = served_without(observed, best)
    yield _line("serving, nothing", observed.log_errors(best), kinds)
    for name, of in SERVED.items():
        groups = [of(one, by_id[one.id]) for one in observations]
        yield _line(f"serving, {name}", without_each(groups, without), kinds)
    yield _line(
        "serving, half of the sources", without_halves(np.array([one.source for one in observations]), without), kinds
    )


def _training_splits(sample: Sample, rows: Sequence[Row]) -> Mapping[str, Names]:
    count = [float(run.plan.accelerators) for run in sample.runs]
    return {
        "its block": sample.block,
        "its source": sample.source,
        "its year": np.array([text(row, "published")[:4] for row in rows]),
        "its stack": np.array([text(row, "framework").split(" ")[0].lower() for row in rows]),
        "its precision": np.array([f"{float(run.plan.bits):g}" for run in sample.runs]),
        "its size": np.array([next(name for most, name in SIZES if number <= most) for number in count]),
        "its chip's family": np.array([run.family for run in sample.runs]),
    }


SERVED: Mapping[str, Callable[[Observation, Row], str]] = {
    "its source": lambda one, _: one.source,
    "its year": lambda _, row: row["published"][:4],
    "its engine": lambda one, _: one.run.setup.engine,
    "its precision": lambda one, _: one.run.setup.precision,
    "its chip's family": lambda one, _: one.run.setup.chip.architecture,
    "its model's family": lambda one, _: one.run.model.split("-")[0],
}


def _line(what: str, errors: Array, kinds: Names, near: float = NEAR_SERVING) -> str:
    several = np.atleast_2d(errors)
    told = [f"{kind} {_told(several[:, kinds == kind], near)}" for kind in sorted(set(kinds.tolist()) - {""})]
    return f"{what} unknown: " + "; ".join(told)


def _told(errors: Array, near: float) -> str:
    seen = errors[np.isfinite(errors)]
    if not seen.size:
        return "none"
    ratio = np.exp(seen)
    return f"{np.median(np.abs(seen)):.1%}, {np.mean(np.abs(ratio - 1) <= near):.0%}, x{np.median(ratio):.2f}"
