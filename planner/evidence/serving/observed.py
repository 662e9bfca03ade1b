"""Published figures of serving beside what is predicted: rates, and the inverse of times."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from planner.evidence.plausible import is_possible, serving_figures
from planner.evidence.serving.runs import ServingRun, host_limits, is_single, read_run, uses_row_split
from planner.evidence.table import Row, SkippedRunError, is_yes, number
from planner.speed.arrays import stack_records
from planner.speed.serving.cases import ServingCase, ServingConstants, serving_rates
from planner.speed.serving.chips import serving_data
from planner.speed.serving.promise import (
    batch_cycle,
    computed_prompt_tokens,
    concurrent_requests,
    output_tokens_per_s,
    unloaded_first_token_s,
)
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


@dataclass(frozen=True)
class ServingObservations:
    """Many of them, as arrays."""

    case: ServingCase
    kind: NDArray[np.int_]
    per_s: NDArray[np.float64]

    @classmethod
    def of(cls, observations: Sequence[ServingObservation]) -> Self:
        """Return the arrays of a list."""
        return cls(
            case=stack_records([each.run.case for each in observations]),
            kind=np.array([KINDS.index(each.kind) for each in observations]),
            per_s=np.array([each.per_s for each in observations]),
        )

    def log_errors(self, constants: ServingConstants) -> NDArray[np.float64]:
        """Return the logarithm of predicted over published for each."""
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
        return np.asarray(np.log(np.select([self.kind == index for index in range(len(KINDS))], choices) / self.per_s))


def read_observations(
    catalogue: Catalogue, rows: Sequence[Row], *, any_machine: bool = False
) -> list[ServingObservation]:
    """Return the rows that are informative about constants; with `any_machine`, all whose speed is predicted."""
    return [each for row in rows if (each := _observe(catalogue, row, any_machine)) is not None]


def _observe(catalogue: Catalogue, row: Row, any_machine: bool) -> ServingObservation | None:
    try:
        run = read_run(catalogue, row)
    except SkippedRunError:
        return None
    unusual = any(row.get("id") in group.runs for group in serving_data().left_out)  # no column says how they ran
    excluded = unusual or (row.get("task") or "llm") != "llm" or run.guessed
    fitted = not run.setup.shape.is_hybrid and run.setup.chip.kind in ("gpu", "apple", "edge")
    figures = serving_figures(row, run.setup, run.case)
    if excluded or not (fitted or any_machine) or not all(map(is_possible, figures)):
        return None
    kind, value = _figure(run, row)
    if kind is None or value is None:
        return None
    output = number(row, "output_tokens_per_s_total")
    if kind in ("token", "step") and output is not None:
        # The concurrency is an input here: rate times latency, by Little's law.
        concurrency = output * (number(row, "tpot_ms") or 0.0) / 1e3
        batch = max(concurrency / float(run.case.layout.replicas), 1.0)
        traffic = replace(run.case.traffic, batch=batch, held_by_memory=0.0)
        run = replace(run, case=replace(run.case, traffic=traffic))
    return ServingObservation(row.get("id", ""), row.get("source_title", ""), kind, run, value)


def _figure(run: ServingRun, row: Row) -> tuple[ObservationKind | None, float | None]:
    output, token, first = (number(row, name) for name in ("output_tokens_per_s_total", "tpot_ms", "ttft_ms"))
    if (
        (run.setup.engine == "local" and not bool(fits(run.case)))
        or uses_row_split(run, row)
        or host_limits(row)
        or np.isfinite(run.limit_tpot_s)
        or run.case.traffic.draft_tokens
        or "token_position" in row.get("source_title", "")
        or is_yes(row, "overloaded")
    ):
        return None, None
    if is_single(row):
        return ("first", 1e3 / first) if first and output is None else ("rate", output)
    apart = float(run.case.layout.prompt_replicas) > 0
    if apart or np.isfinite(run.arrivals_per_s):
        return ("step" if apart else "token", 1e3 / token) if token else (None, None)
    if output is None and token is not None and number(row, "concurrency_or_batch") is not None:
        return "token", 1e3 / token  # users who each wait for an answer before the next question
    return "rate", output
