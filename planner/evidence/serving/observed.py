"""Which published figures the constants are fitted to, and what each of them measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.evidence.plausible import is_possible, serving_figures
from planner.evidence.serving.runs import ServingRun, host_limits, is_single, read_run, uses_row_split
from planner.evidence.table import Row, SkippedRunError, is_yes, number
from planner.speed.arrays import Num, stack_records, take_entries
from planner.speed.serving.cases import ServingCase, ServingConstants, serving_rates
from planner.speed.serving.chips import excluded_runs
from planner.speed.serving.first_token import computed_prompt_tokens, unloaded_first_token_s
from planner.speed.serving.promise import batch_cycle, concurrent_requests, output_tokens_per_s
from planner.speed.serving.step import fits
from pricing.catalogue import Catalogue

ObservationKind = Literal["rate", "token", "step", "first"]
KINDS: tuple[ObservationKind, ...] = ("rate", "token", "step", "first")


@dataclass(frozen=True)
class ServingObservation:
    """One published figure: output tokens per second, or the inverse of a time."""

    id: str
    source: str
    kind: ObservationKind
    run: ServingRun
    per_s: float

    @property
    def batch(self) -> float:
        """Requests at once on each replica; not a number where the engine fills its memory."""
        return float(self.run.case.traffic.batch)

    @property
    def group(self) -> str:
        """How it is judged: one user or many, dense or with experts."""
        return self.run.kind


@dataclass(frozen=True)
class ServingObservations:
    """Many of them, as arrays."""

    case: ServingCase
    kind: NDArray[np.int_]
    per_s: NDArray[np.float64]
    source: NDArray[np.str_]

    @classmethod
    def of(cls, observations: Sequence[ServingObservation]) -> ServingObservations:
        """The arrays of a list."""
        return cls(
            case=stack_records([one.run.case for one in observations]),
            kind=np.array([KINDS.index(one.kind) for one in observations]),
            per_s=np.array([one.per_s for one in observations]),
            source=np.array([f"{one.source} {one.kind}" for one in observations]),
        )

    def where(self, mask: NDArray[np.bool_]) -> ServingObservations:
        """The runs that a mask selects."""
        return take_entries(self, np.flatnonzero(mask))

    def log_errors(self, constants: ServingConstants) -> NDArray[np.float64]:
        """Logarithm of predicted over published, for each."""
        return np.asarray(np.log(self._per_s(constants) / self.per_s))

    def _per_s(self, constants: ServingConstants) -> Num:
        rate = serving_rates(constants, self.case.traits)
        batch = np.asarray(concurrent_requests(self.case))
        full = batch_cycle(self.case, rate, batch=batch)
        first = unloaded_first_token_s(self.case, rate, tokens=computed_prompt_tokens(self.case))
        choices = [
            output_tokens_per_s(self.case, rate, batch=batch),
            1 / full.token_s,
            full.output_tokens / full.decode_s,
            1 / first,
        ]
        return np.select([self.kind == place for place in range(len(KINDS))], choices)


def read_observations(
    catalogue: Catalogue, rows: Sequence[Row], *, any_machine: bool = False
) -> list[ServingObservation]:
    """The rows that say something about the constants; with `any_machine`, all whose speed is predicted at all."""
    found = (_observe(catalogue, row, any_machine) for row in rows)
    return [one for one in found if one is not None]


def _observe(catalogue: Catalogue, row: Row, any_machine: bool) -> ServingObservation | None:
    try:
        run = read_run(catalogue, row)
    except SkippedRunError:
        return None
    fitted = not run.setup.shape.is_hybrid and run.setup.chip.kind in ("gpu", "apple", "edge")
    if (
        row.get("id") in excluded_runs()
        or run.guessed
        or not (fitted or any_machine)
        or (row.get("task") or "llm") != "llm"
    ):
        return None
    if not all(map(is_possible, serving_figures(row, run.setup, run.case))):
        return None
    kind, value = _figure(run, row)
    if kind is None or value is None:
        return None
    output = number(row, "output_tokens_per_s_total")
    if kind in ("token", "step") and output is not None:
        # How many were there is an input here: rate times latency, by Little's law.
        there = output * (number(row, "tpot_ms") or 0.0) / 1e3
        batch = max(there / float(run.case.layout.replicas), 1.0)
        traffic = replace(run.case.traffic, batch=batch, held_by_memory=0.0)
        run = replace(run, case=replace(run.case, traffic=traffic))
    return ServingObservation(row.get("id", ""), row.get("source_title", ""), kind, run, value)


def _figure(run: ServingRun, row: Row) -> tuple[ObservationKind | None, float | None]:
    """What the row measures, if it is speed and nothing else."""
    output, token, first = (number(row, name) for name in ("output_tokens_per_s_total", "tpot_ms", "ttft_ms"))
    if (run.setup.engine == "local" and not bool(fits(run.case))) or uses_row_split(run, row):
        return None, None
    if (
        host_limits(row)
        or np.isfinite(run.limit_tpot_s)
        or run.case.traffic.draft_tokens
        or "token_position" in row.get("source_title", "")
        or is_yes(row, "overloaded")
    ):
        return None, None
    if is_single(row):
        return ("first", 1e3 / first) if first and output is None else ("rate", output)
    if run.prompt_replicas or np.isfinite(run.arrivals_per_s):
        return ("step" if run.prompt_replicas else "token", 1e3 / token) if token else (None, None)
    if output is None and token is not None and number(row, "concurrency_or_batch") is not None:
        return "token", 1e3 / token  # so many users, each waiting for an answer before the next question
    return "rate", output
