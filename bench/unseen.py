"""The errors of the speed models on held-out runs, and the share of runs within their bands.

Published runs are split harder and harsher: whole sources, years, halves of all sources, and whole classes of runs. The
band of a run comes from fits and from quantiles that knew nothing of its source, or of its class.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.evidence.serving.observed import read_observations
from planner.evidence.table import SERVING, TRAINING, Row, RunTable, published_runs, text
from pricing import Catalogue, load_catalogue
from tools.calibration.cross_validation import ErrorsWithout, leave_half_out_errors, leave_one_group_out_errors
from tools.calibration.error_spread import (
    FittedRuns,
    HeldOutBands,
    HeldOutErrors,
    held_out_bands,
    held_out_class_bands,
    left_out,
)
from tools.calibration.observed import FittedObservations
from tools.calibration.serving import errors_without as served_without
from tools.calibration.serving import fit
from tools.calibration.serving import traits_in as served_traits
from tools.calibration.training import build_prior, build_sample, errors_without, fitted, traits_in

Array = NDArray[np.float64]
RowNames = NDArray[np.str_]
Mask = NDArray[np.bool_]
FEWEST = 20  # runs of a class that is worth a line
WORST = 20
MOST = 0.7  # of all runs: without such a class there is nothing of its kind to fit to


@dataclass(frozen=True, eq=False)
class Part:
    """Training or serving: its runs, what they are judged with, and fits to some of them."""

    table: RunTable
    near: float
    runs: FittedRuns
    kinds: RowNames
    rows: Sequence[Row]
    sources: RowNames
    without: ErrorsWithout  # begun at a fit to all
    afresh: ErrorsWithout


def main() -> Iterator[str]:
    """By split, then by class with the bands, then the worst rows; first training, then serving."""
    catalogue = load_catalogue()
    for part in (_training(catalogue), _serving(catalogue)):
        yield from _splits(part)
        found = left_out(part.runs, part.without)
        judged = held_out_bands(part.runs, found)
        yield f"{part.table.kind}, by class, source unknown: {_HEAD.format(part.near)}"
        yield from _class_lines(part, judged)
        yield f"{part.table.kind}, the class itself unknown:"
        yield from _held_out_class_lines(part, found)
        yield f"{part.table.kind}, the worst {WORST}, source unknown: published over predicted, and the band"
        yield from _worst_rows(part, judged)


_HEAD = "runs, median error, within {:.0%}, predicted/published; of the band inside, below, above"


def _training(catalogue: Catalogue) -> Part:
    rows = published_runs(TRAINING)
    sample, by_id = build_sample(catalogue, rows), {row["id"]: row for row in rows}
    best = fitted(sample, build_prior(sample.runs))
    kinds = np.array([run.kind if there else "" for run, there in zip(sample.runs, sample.usable, strict=True)])
    return Part(
        TRAINING, 0.20, traits_in(sample), kinds, [by_id[run.id] for run in sample.runs], sample.source,
        errors_without(sample, best), errors_without(sample),
    )  # fmt: skip


def _serving(catalogue: Catalogue) -> Part:
    rows = published_runs(SERVING)
    observations, by_id = read_observations(catalogue, rows), {row["id"]: row for row in rows}
    observed = FittedObservations.of(observations)
    without = served_without(observed, fit(observed))
    runs = served_traits(observations)
    kinds = np.array([one.run.kind if one.kind == "rate" else "time" for one in observations])
    return Part(SERVING, 0.25, runs, kinds, [by_id[one.id] for one in observations], runs.source, without, without)


def _splits(part: Part) -> Iterator[str]:
    """One line for each split: by kind the median error, the share that is near, and predicted over published."""
    splits: Mapping[str, tuple[RowNames, ErrorsWithout]] = {
        "its block": (part.runs.source, part.afresh),
        "its source": (part.sources, part.afresh),
        "its year": (np.array([text(row, "published")[:4] for row in part.rows]), part.afresh),
        **{f"its {name}": (part.runs.column(name), part.afresh) for name in part.runs.traits},
    }
    for name, (groups, without) in splits.items():
        yield _line(f"{part.table.kind}, {name}", leave_one_group_out_errors(groups, without), part)
    yield _line(f"{part.table.kind}, half of the sources", leave_half_out_errors(part.sources, part.afresh), part)


def _line(what: str, errors: Array, part: Part) -> str:
    several, kinds = np.atleast_2d(errors), sorted(set(part.kinds.tolist()) - {""})
    texts = [f"{kind} {_error_text(several[:, part.kinds == kind], part.near)}" for kind in kinds]
    return f"{what} unknown: " + "; ".join(texts)


def _error_text(errors: Array, near: float) -> str:
    seen = errors[np.isfinite(errors)]
    if not seen.size:
        return "none"
    ratio = np.exp(seen)
    return f"{np.median(np.abs(seen)):.1%}, {np.mean(np.abs(ratio - 1) <= near):.0%}, x{np.median(ratio):.2f}"


def _class_lines(part: Part, judged: HeldOutBands) -> Iterator[str]:
    """All runs, those of each kind, class and source of which there are enough."""
    yield _judged("all", judged, part.near)
    named = {"kind": part.kinds, "source": part.sources, **{name: part.runs.column(name) for name in part.runs.traits}}
    for name, column in named.items():
        for value in np.unique(column[judged.run]):
            here = judged.where(column[judged.run] == value)
            if len(here.run) >= FEWEST:
                yield _judged(f"{name} {value}", here, part.near)


def _held_out_class_lines(part: Part, found: HeldOutErrors) -> Iterator[str]:
    """Classes of which there are enough runs, judged by fits and bands that have seen none of them."""
    classes: dict[str, Mask] = {
        f"{name} {value}": part.runs.column(name) == value
        for name in part.runs.traits
        for value in np.unique(part.runs.column(name))
    }
    classes |= _together(part.runs)
    for name, out in classes.items():
        if (out & part.runs.usable).sum() >= FEWEST and out.mean() <= MOST:
            yield _judged(name, held_out_class_bands(part.runs, found, out, part.without), part.near)


def _together(runs: FittedRuns) -> Mapping[str, Mask]:
    """Classes of several traits that people run a lot and few publish."""
    if "software" not in runs.traits:
        return {}
    alone = (runs.column("software") != "library") & (runs.column("size") == "machine")
    return {"plain PyTorch on one machine": alone}


def _judged(name: str, judged: HeldOutBands, near: float) -> str:
    ratio, inside = np.exp(-judged.ratio), (judged.low <= judged.ratio) & (judged.ratio <= judged.high)
    return (
        f"  {name}: {len(ratio):,}, {np.median(np.abs(judged.ratio)):.1%}, {np.mean(np.abs(ratio - 1) <= near):.0%}, "
        f"x{np.median(ratio):.2f}; {np.mean(inside):.0%}, {np.mean(judged.ratio < judged.low):.0%}, "
        f"{np.mean(judged.ratio > judged.high):.0%}"
    )


def _worst_rows(part: Part, judged: HeldOutBands) -> Iterator[str]:
    for at in np.argsort(-np.abs(judged.ratio))[:WORST].tolist():
        row = part.rows[int(judged.run[at])]
        low, off, high = (float(np.exp(one[at])) for one in (judged.low, judged.ratio, judged.high))
        count = text(row, "n_accelerators")
        what = f"{text(row, 'model')} on {count} x {text(row, 'accelerator')}"
        yield f"  {row['id']} ({what}): x{off:.2f}, {low:.2f} to {high:.2f}"
