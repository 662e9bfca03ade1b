"""Times to the first token under load: which published ones say something, and the constants that they ask for.

They are fitted after all others, which stay as they are: how long a prompt works is known from rates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.evidence.serving.check import first_token_s, predict
from planner.evidence.serving.runs import ServingRun, host_limits, is_single, read_run
from planner.evidence.table import Row, SkippedRunError, number
from planner.speed.arrays import stack_records, take_entries
from planner.speed.serving.cases import ServingCase, ServingConstants, serving_rates
from planner.speed.serving.chips import unfitted_first_tokens
from pricing.catalogue import Catalogue
from tools.calibration.cross_validation import leave_one_group_out_errors
from tools.calibration.least_squares import CAUCHY, Array, LeastSquaresProblem, SolverSettings, minimize

# Where the fit starts and is pulled to, and by how much, in logarithms: expectations, no results. A kernel takes the
# host five to ten microseconds, a layer has some forty of them, one with experts or latent attention more.
EXPECTED: dict[str, tuple[float, float]] = {
    "first_token_ms": (10.0, 1.0), "prompt_layer_us": (300.0, 1.0), "prompt_moe_layer_us": (500.0, 1.0),
    "prompt_latent_layer_us": (500.0, 1.0), "steps_waited": (0.5, 0.7), "compiled_steps_waited": (1.0, 0.7),
    "spread_steps_waited": (10.0, 1.0),
}  # fmt: skip
FIRST_TOKEN = tuple(EXPECTED)
_NOISE, _OUTLIER = 0.25, 0.25  # errors of this size are usual; far beyond, one pulls hardly at all
_STEPS = SolverSettings(rounds=40, tries=8, shorter=5, least_damping=1e-6, enough_share=1e-5)


@dataclass(frozen=True)
class FirstTokenRuns:
    """Published times to the first token, as arrays; how many were at work is what the other constants make of it."""

    ids: tuple[str, ...]
    runs: tuple[ServingRun, ...]
    source: NDArray[np.str_]
    case: ServingCase
    busy: Array
    arrivals_per_s: Array
    limit_s: Array
    published_s: Array

    def where(self, mask: NDArray[np.bool_]) -> FirstTokenRuns:
        """Some of them."""
        kept = np.flatnonzero(mask)
        return replace(
            take_entries(self, kept), ids=tuple(self.ids[at] for at in kept), runs=tuple(self.runs[at] for at in kept)
        )

    def log_errors(self, constants: ServingConstants) -> Array:
        """Logarithm of predicted over published rate of first tokens: below nought where we say too long."""
        predicted = first_token_s(
            self.case, serving_rates(constants, self.case.traits), busy=self.busy, arrivals_per_s=self.arrivals_per_s,
            limit_s=self.limit_s,
        )  # fmt: skip
        return np.asarray(np.log(self.published_s / predicted))


def waited(catalogue: Catalogue, rows: Sequence[Row], constants: ServingConstants) -> FirstTokenRuns | None:
    """The rows that tell how long first tokens took among others; None where there is none."""
    found = [(row, run) for row in rows if (run := _read_usable_run(catalogue, row)) is not None]
    if not found:
        return None
    runs = [run for _, run in found]
    made = predict(runs, constants)
    return FirstTokenRuns(
        ids=tuple(row.get("id", "") for row, _ in found), runs=tuple(runs),
        source=np.array([row.get("source_title", "") for row, _ in found]),
        case=stack_records([run.case for run in runs]), busy=made.batch,
        arrivals_per_s=np.array([run.arrivals_per_s for run in runs]),
        limit_s=np.array([run.limit_ttft_s for run in runs]),
        published_s=np.array([(number(row, "ttft_ms") or 0.0) / 1e3 for row, _ in found]),
    )  # fmt: skip


def _read_usable_run(catalogue: Catalogue, row: Row) -> ServingRun | None:
    names = {row.get("id", ""), row.get("source_title", "")}
    if not number(row, "ttft_ms") or names & unfitted_first_tokens() or is_single(row) or host_limits(row):
        return None
    try:
        run = read_run(catalogue, row)
    except SkippedRunError:
        return None
    served = run.setup.chip.kind == "gpu" and run.setup.engine != "local"
    return run if served and not run.guessed else None


def fit_first_tokens(seen: FirstTokenRuns, base: ServingConstants) -> ServingConstants:
    """Return the constants, those of first tokens fitted and all others as they are."""

    def constants(place: Array) -> ServingConstants:
        return replace(base, **dict(zip(FIRST_TOKEN, np.exp(place).tolist(), strict=True)))

    counts = Counter(seen.source.tolist())
    centre = np.array([np.log(value) for value, _ in EXPECTED.values()])
    problem = LeastSquaresProblem(
        errors=lambda place: seen.log_errors(constants(place)),
        weight=np.array([counts[name] ** -0.5 for name in seen.source.tolist()]) / _NOISE**2,
        centre=centre, sd=np.array([sd for _, sd in EXPECTED.values()]), outlier=_OUTLIER, loss=CAUCHY,
    )  # fmt: skip
    return constants(minimize(problem, centre, _STEPS))


def leave_one_source_out_errors(seen: FirstTokenRuns, base: ServingConstants) -> tuple[Array, list[ServingConstants]]:
    """Errors of each by constants fitted without its source; and those constants."""
    without: list[ServingConstants] = []

    def errors(out: NDArray[np.bool_]) -> Array:
        without.append(fit_first_tokens(seen.where(~out), base))
        return seen.where(out).log_errors(without[-1])

    return leave_one_group_out_errors(seen.source, errors), without
