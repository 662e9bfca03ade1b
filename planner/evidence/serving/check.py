"""Predicted beside published, row by row, and what that says about the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.evidence.cells import Row, number
from planner.evidence.checked import BEYOND, Checked
from planner.evidence.serving.predict import predict
from planner.evidence.serving.runs import ServingRun, is_single, read_run
from planner.evidence.table import Skipped
from planner.speed.refused import UnknownChip
from planner.speed.serving.bands import band_of
from planner.speed.serving.constants import ServingConstants
from planner.speed.serving.engine_data import known
from planner.speed.serving.lookup import find_chip
from planner.speed.serving.work import WorkRate, rate_on, server_share, work_called
from pricing.catalogue import Catalogue

_UNKNOWN_ALONE = 0.5  # an assumption: speed of single requests over full batches, where only batches were measured


@dataclass(frozen=True, kw_only=True)
class ServingChecked(Checked):
    """What is predicted of a row. Its kind is dense, experts, hybrid, single, or the task of other work."""

    predicted_output_tokens_per_s_total: float | None = None
    predicted_requests_per_s: float | None = None
    predicted_ttft_ms: float | None = None
    predicted_tpot_ms: float | None = None


def check_serving(
    catalogue: Catalogue, rows: Sequence[Row], constants: ServingConstants | None = None
) -> list[ServingChecked]:
    """Every row predicted, or skipped for a stated reason. `constants` may be fitted to your own runs."""
    understood: list[ServingRun | str] = [_read(catalogue, row) for row in rows]
    runs = [run for run in understood if isinstance(run, ServingRun)]
    figures = iter(_figures(runs, constants or known().values()))
    return [
        _checked(row, run, next(figures)) if isinstance(run, ServingRun) else _other(catalogue, row, run)
        for row, run in zip(rows, understood, strict=True)
    ]


def _read(catalogue: Catalogue, row: Row) -> ServingRun | str:
    try:
        run = read_run(catalogue, row)
    except Skipped as why:
        return str(why)
    return run


@dataclass(frozen=True)
class _Figures:
    output: float
    requests: float
    ttft: float
    tpot: float
    fits: bool


def _figures(runs: Sequence[ServingRun], constants: ServingConstants) -> list[_Figures]:
    if not runs:
        return []
    with np.errstate(all="ignore"):  # a row of somebody's own may be beyond all sense; it is skipped below
        made = predict(runs, constants)
    columns = (made.output_tokens_per_s, made.requests_per_s, made.ttft_s * 1e3, made.tpot_s * 1e3)
    numbers = zip(*(column.tolist() for column in columns), made.fits.tolist(), strict=True)
    return [_Figures(*entry) for entry in numbers]


def _checked(row: Row, run: ServingRun, figures: _Figures) -> ServingChecked:
    if not np.isfinite(figures.output) or figures.output <= 0:
        return replace(_nothing(row, run.kind), skipped_reason=BEYOND)
    band = band_of(run.setup, single=is_single(row), guessed=run.guessed)
    band = band.widened(run.unsaid)
    pairs = (
        (figures.output, number(row, "output_tokens_per_s_total")),
        (1 / figures.tpot, _inverse(number(row, "tpot_ms"))),
        (1 / figures.ttft, _inverse(number(row, "ttft_ms"))),
    )
    compared = next(((mine, theirs) for mine, theirs in pairs if theirs is not None), None)
    return replace(
        _nothing(row, run.kind),
        model=None if run.guessed else run.model,
        guessed=run.guessed,
        predicted_output_tokens_per_s_total=figures.output,
        predicted_requests_per_s=figures.requests,
        predicted_ttft_ms=figures.ttft,
        predicted_tpot_ms=figures.tpot,
        fits=figures.fits,
        low=figures.output * band.low,
        high=figures.output * band.high,
        error=_off(compared),
    )


def _other(catalogue: Catalogue, row: Row, why: str) -> ServingChecked:
    """Work that writes no tokens, carried over from measured tables; or a skip."""
    empty = _nothing(row, row.get("task") or "not stated")
    rate = None if row.get("quality") == "C" else _work_rate(catalogue, row)
    if rate is None:
        return replace(empty, skipped_reason=why)
    published = number(row, "requests_per_s")
    return replace(
        empty,
        predicted_requests_per_s=rate.requests_per_s,
        low=rate.low,
        high=rate.high,
        error=None if published is None else _off((rate.requests_per_s, published)),
    )


def _nothing(row: Row, kind: str) -> ServingChecked:
    """The row itself, nothing predicted yet."""
    count = number(row, "n_accelerators") or 0.0
    return ServingChecked(
        id=row.get("id", ""),
        source=row.get("source_title", ""),
        accelerator=row.get("accelerator", ""),
        engine=row.get("engine", ""),
        precision=row.get("weight_precision", ""),
        kind=kind,
        accelerators=count,
        scale=_scale(count),
    )


def _off(compared: tuple[float, float] | None) -> float | None:
    """The logarithm of predicted over published, where both are numbers one can compare."""
    if compared is None or not 0 < compared[0] / compared[1] < np.inf:
        return None
    return float(np.log(compared[0] / compared[1]))


def _inverse(value: float | None) -> float | None:
    return None if value is None else 1 / value


def _scale(accelerators: float) -> str:
    return next((f"up to {most}" for most in (1, 2, 4, 8, 32) if accelerators <= most), "more than 32")


def _work_rate(catalogue: Catalogue, row: Row) -> WorkRate | None:
    """The rate of a published row's work, or nothing where its kind was never measured."""
    name = work_called(row.get("model", ""), exactly=True)
    if name is None:
        return None
    try:
        chip = find_chip(catalogue, row.get("accelerator", ""))
        rate = rate_on(catalogue, name, chip, accelerators=number(row, "n_accelerators") or 1.0)
    except UnknownChip:
        return None
    alone = known().work[name].alone_share or _UNKNOWN_ALONE
    share = {"server": server_share(chip), "single_stream": alone}.get(row.get("mode", ""), 1.0)
    if number(row, "concurrency_or_batch") is not None:
        share = 1.0
    return WorkRate(rate.requests_per_s * share, rate.low * share, rate.high * share, rate.measured, rate.carried_from)
