"""Serving runs beside what is predicted of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from planner.evidence.cells import Row, number
from planner.evidence.checked import Checked, check_rows, unpredicted
from planner.evidence.serving.predict import predict
from planner.evidence.serving.runs import ServingRun, is_single, read_run
from planner.evidence.table import SERVING
from planner.speed.refused import UnknownChip
from planner.speed.serving.bands import band_of
from planner.speed.serving.chips import Chip
from planner.speed.serving.constants import ServingConstants
from planner.speed.serving.engine_data import known
from planner.speed.serving.lookup import find_chip
from planner.speed.serving.work import WorkRate, rate_on, server_share, work_called
from pricing.catalogue import Catalogue

_UNKNOWN_ALONE = 0.5  # an assumption: speed of single requests over full batches, where only batches were measured


def check_serving(
    catalogue: Catalogue, rows: Iterable[Row], constants: ServingConstants | None = None
) -> list[Checked]:
    """Every row predicted, or skipped for a stated reason. `constants` may be fitted to your own runs.

    A row's kind is dense, experts, hybrid, single, or the task of other work.
    """
    used = constants or known().values()
    return check_rows(
        rows,
        read=lambda row: read_run(catalogue, row),
        predict=lambda runs: _figures(runs, used),
        told=_told,
        skipped=lambda row, why: _other(catalogue, row, why),
    )


def _figures(runs: Sequence[ServingRun], constants: ServingConstants) -> Iterator[tuple[float, ...]]:
    """What is predicted, in the order of the columns, and whether it fits."""
    made = predict(runs, constants)
    columns = (made.output_tokens_per_s, made.requests_per_s, made.ttft_s * 1e3, made.tpot_s * 1e3, made.fits)
    return zip(*(column.tolist() for column in columns), strict=True)


def _told(row: Row, run: ServingRun, figures: tuple[float, ...]) -> Checked:
    band = band_of(run.setup, single=is_single(row), guessed=run.guessed).widened(run.unsaid)
    predicted = dict(zip(SERVING.predicts, figures[:-1], strict=True))
    made = _row(row, run.kind).banded(predicted, band)
    if made.rate is None:
        return made
    model = None if run.guessed else run.model
    made = replace(made, chip=run.setup.chip.name, model=model, guessed=run.guessed, fits=bool(figures[-1]))
    for column in ("output_tokens_per_s_total", "tpot_ms", "ttft_ms"):
        if (published := number(row, column)) is not None:
            ours = predicted[column]
            return made.beside(column, ours / published if column in SERVING.rates else (1 / ours) / (1 / published))
    return made


def _other(catalogue: Catalogue, row: Row, why: str) -> Checked:
    """Work that writes no tokens, carried over from measured tables; or a skip."""
    empty = _row(row, row.get("task") or "not stated")
    found = None if row.get("quality") == "C" else _work_rate(catalogue, row)
    if found is None:
        return empty.skipped(why)
    chip, rate = found
    (column,) = SERVING.rates[1:]
    per_s, published = rate.requests_per_s, number(row, column)
    made = replace(empty, chip=chip.name, predicted={column: per_s}, low=rate.low, high=rate.high)
    return made if published is None else made.beside(column, per_s / published)


def _row(row: Row, kind: str) -> Checked:
    return unpredicted(row, SERVING, kind=kind, scale=_scale)


def _scale(accelerators: float) -> str:
    return next((f"up to {most}" for most in (1, 2, 4, 8, 32) if accelerators <= most), "more than 32")


def _work_rate(catalogue: Catalogue, row: Row) -> tuple[Chip, WorkRate] | None:
    """The rate of a published row's work and on what, or nothing where its kind was never measured."""
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
    per_s, low, high = (each * share for each in (rate.requests_per_s, rate.low, rate.high))
    return chip, WorkRate(per_s, low, high, rate.measured, rate.carried_from)
