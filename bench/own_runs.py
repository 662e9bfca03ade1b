"""The value of own runs: half of a source's runs on an accelerator predict the other half, out of sample.

Every error is that of a fit without the run's source. Several splits by chance, with a seed. And one run predicts each
other of its setup, by how far their sizes are apart: doublings of accelerators, batch and lengths, the largest of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from math import inf, log, log2

import numpy as np

from planner.evidence.checked import FactorTable, OwnRun, compared, factors
from planner.evidence.serving.check import own_serving_runs
from planner.evidence.serving.observed import read_observations
from planner.evidence.table import SERVING, TRAINING, Row, number, published_runs, text
from planner.evidence.training.check import own_training_runs
from planner.scenario.vocabulary import Kind
from planner.speed.pace import NO_RUNS, SpeedCorrection, combine_runs, credibility, prior_runs
from planner.speed.serving.case_of import level_name
from pricing import Catalogue, load_catalogue
from tools.calibration.observed import FittedObservations
from tools.calibration.serving import fit, leave_one_group_out
from tools.calibration.training import build_prior, build_sample, fitted, leave_source_out_errors

SPLITS = 10
NEAR = 0.2
DOUBLINGS = ((0.0, inf), (0.0, 1.05), (1.05, 2.05), (2.05, 3.05), (3.05, inf))
_SIZES = (
    "n_accelerators", "tp", "pp", "concurrency_or_batch", "input_tokens", "output_tokens",
    "global_batch_sequences", "seq_len",
)  # fmt: skip


@dataclass(frozen=True)
class Seen:
    """A published run with the error of a fit that had not seen its source."""

    source: str
    run: OwnRun
    error: float
    setup: Hashable
    sizes: tuple[float | None, ...]

    def doublings_to(self, other: Seen) -> float:
        """Return how far apart the sizes are that both state; the farthest counts."""
        pairs = [(one, two) for one, two in zip(self.sizes, other.sizes, strict=True) if one and two]
        return max((abs(log2(one / two)) for one, two in pairs), default=0.0)


def main() -> Iterator[str]:
    """For each kind: how far off without own runs, with them, and the band that they leave."""
    catalogue = load_catalogue()
    kinds: Mapping[Kind, list[Seen]] = {"training": _training(catalogue), "serving": _serving(catalogue)}
    for kind, seen in kinds.items():
        yield from _evaluate_halves(kind, seen)
        yield from _evaluate_one(kind, seen)


def _evaluate_halves(kind: Kind, seen: list[Seen]) -> Iterator[str]:
    places: Mapping[tuple[str, str], list[Seen]] = defaultdict(list)
    for one in seen:
        places[one.source, one.run.accelerator].append(one)
    chance = np.random.default_rng(1)
    left: Mapping[str, list[tuple[float, float]]] = defaultdict(list)
    for there in places.values():
        for _ in range(SPLITS if len(there) > 1 else 0):
            order = chance.permutation(len(there))
            known, unseen = order[: len(there) // 2], order[len(there) // 2 :]
            said = factors(kind, [there[place].run for place in known], source="", day=None)
            for place in unseen:
                one = there[place]
                pace = _correction(kind, said, one.run)
                left["all"].append((one.error, one.error + log(pace.ratio)))
                left[pace.like or "none"].append(left["all"][-1])
                if pace.like == "job":
                    left["job, one run" if pace.runs == 1 else "job, several"].append(left["all"][-1])
    for name, pairs in left.items():
        before, after = np.array(pairs).T
        low, high = np.exp(-np.quantile(after, [0.9, 0.1]))
        yield (
            f"{kind}, {name}: {len(pairs) // SPLITS:,} runs, median error {_percent(before)} -> {_percent(after)}, "
            f"within 20 % {_near(before)} -> {_near(after)}, four of five between {low:.2f} and {high:.2f}"
        )


def _evaluate_one(kind: Kind, seen: list[Seen]) -> Iterator[str]:
    """One run and each other of its setup, by their distance; one vote for each setup."""
    setups: Mapping[Hashable, list[Seen]] = defaultdict(list)
    for one in seen:
        setups[one.setup].append(one)
    kept = credibility(1, prior_runs("job"))
    for least, most in DOUBLINGS:
        votes = []
        for there in setups.values():
            pairs = [(one, two) for one in there for two in there if one is not two]
            near = [(one.error, two.error) for one, two in pairs if least <= one.doublings_to(two) < most]
            if near:
                one, two = np.abs(np.array(near)).T, np.array(near).T
                votes.append((float(np.median(one[1])), float(np.median(np.abs(two[1] - kept * two[0])))))
        before, after = np.median(np.array(votes), axis=0)
        yield (
            f"{kind}, one run, {least:g} to {most:g} doublings away: {len(votes)} setups, "
            f"median error {before * 100:.1f} % -> {after * 100:.1f} %"
        )


def _correction(kind: Kind, said: FactorTable, run: OwnRun) -> SpeedCorrection:
    """Return the correction of a run by the known half, as in `planner.speed.pace`."""
    every = [one.run for one in said.factors]
    like = dict(run.like or {})
    same = [one for one in every if all(getattr(one, key) == value for key, value in like.items())]
    if same:
        return combine_runs(same, "job")
    return combine_runs(every, "accelerator") if kind == "training" else NO_RUNS


def _percent(errors: np.ndarray) -> str:
    return f"{np.median(np.abs(errors)) * 100:.1f} %"


def _near(errors: np.ndarray) -> str:
    return f"{np.mean(np.abs(np.exp(errors) - 1) <= NEAR) * 100:.0f} %"


def _training(catalogue: Catalogue) -> list[Seen]:
    rows = published_runs(TRAINING)
    sample = build_sample(catalogue, rows)
    errors = leave_source_out_errors(sample, fitted(sample, build_prior(sample.runs)))
    runs = {one.id: one for one in own_training_runs(catalogue, rows) if one.like is not None}
    by_id = {row["id"]: row for row in rows}
    return [
        _seen(run.source, runs[run.id], float(error), (run.level,), by_id[run.id])
        for run, error, usable in zip(sample.runs, errors, sample.usable, strict=True)
        if usable and np.isfinite(error) and run.id in runs
    ]


def _serving(catalogue: Catalogue) -> list[Seen]:
    rows = published_runs(SERVING)
    observations = read_observations(catalogue, rows)
    observed = FittedObservations.of(observations)
    errors, _ = leave_one_group_out(observed, [one.source for one in observations], fit(observed))
    runs = {one.id: one for one in own_serving_runs(catalogue, rows) if one.like is not None}
    by_id = {row["id"]: row for row in rows}
    return [
        _seen(one.source, runs[one.id], float(error), (level_name(one.run.setup),), by_id[one.id])
        for one, error in zip(observations, errors, strict=True)
        if np.isfinite(error) and one.id in runs and one.kind == "rate"
    ]


def _seen(source: str, run: OwnRun, error: float, level: tuple[str, ...], row: Row) -> Seen:
    predicted = run.predicted or 1.0
    seen = compared(run, predicted=predicted, error=error, like=run.like or {})
    sizes = tuple(number(row, name) for name in _SIZES if name in row)
    return Seen(source, seen, error, (source, text(row, "published"), *level), sizes)
