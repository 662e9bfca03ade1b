"""Serving runs compared with predictions, and services corrected by measured runs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from planner.evidence.checked import (
    CheckedRun,
    CorrectedJob,
    OwnRun,
    check_rows,
    compared,
    empty_check,
    factors,
    refuse_unusable,
    with_factors,
)
from planner.evidence.plausible import serving_figures
from planner.evidence.serving.observed import ServingObservation, ServingObservations, read_observations
from planner.evidence.serving.runs import ServingRun, read_run
from planner.evidence.table import SERVING, Row, number, text
from planner.scenario.jobs import ServingJob
from planner.scenario.vocabulary import EngineName
from planner.speed.arrays import Num, stack_records
from planner.speed.hardware import MissingAcceleratorDataError
from planner.speed.serving.bands import matching_runs, serving_band
from planner.speed.serving.cases import ServingCase, ServingConstants, ServingRates, serving_rates
from planner.speed.serving.chips import ServingAccelerator, serving_data
from planner.speed.serving.lookup import find_chip
from planner.speed.serving.non_llm import NonLlmRate, match_non_llm_work, non_llm_rate, server_share
from planner.speed.serving.promise import (
    Array,
    batch_cycle,
    concurrent_requests,
    loaded_first_token_s,
    one_wave_wait_s,
    output_tokens_per_s,
    prompt_pace_s,
    prompt_queue_wait_s,
    prompt_wait_s,
)
from planner.speed.serving.step import fits
from pricing import names
from pricing.catalogue import Catalogue

_UNKNOWN_ALONE = 0.5  # an assumption: speed of single requests over full batches, where only batches were measured


def check_serving(
    catalogue: Catalogue, rows: Iterable[Row], constants: ServingConstants | None = None
) -> list[CheckedRun]:
    """Return every row predicted, or skipped for a stated reason. `constants` may be fitted to your own runs.

    A row's kind is dense, experts, hybrid, single, or the task of other work.
    """
    constants = constants or serving_data().values()
    return check_rows(
        rows,
        read=lambda row: read_run(catalogue, row),
        predict=lambda runs: _figures(runs, constants),
        check=_check,
        skipped=lambda row, reason: _other(catalogue, row, reason),
    )


def _figures(runs: Sequence[ServingRun], constants: ServingConstants) -> Iterator[tuple[float, ...]]:
    """Return predictions in the order of the columns, and whether each run fits."""
    found = predict(runs, constants)
    columns = (found.output_tokens_per_s, found.requests_per_s, found.ttft_s * 1e3, found.tpot_s * 1e3, found.fits)
    return zip(*(column.tolist() for column in columns), strict=True)


def _check(row: Row, run: ServingRun, figures: tuple[float, ...]) -> CheckedRun:
    batch = float(run.case.traffic.batch)
    band = serving_band(run.setup, run.case.layout, batch=batch, guessed=run.guessed).widened(run.unsaid)
    predicted = dict(zip(SERVING.predicts, figures[:-1], strict=True))
    checked = empty_check(row, SERVING, kind=run.kind, scale=_scale).with_band(predicted, band)
    if checked.rate is None:
        return checked
    model = None if run.guessed else run.model
    checked = replace(checked, chip=run.setup.chip.name, model=model, guessed=run.guessed, fits=bool(figures[-1]))
    column = next((name for name in _COMPARED if number(row, name) is not None), "")
    if column:
        published = number(row, column) or 0.0
        ratio = predicted[column] / published if column in SERVING.rates else published / predicted[column]
        checked = checked.with_error(column, ratio)
    return checked.with_doubts(
        (figure, predicted[figure.column] / figure.value if figure.is_time else figure.value / predicted[figure.column])
        for figure in serving_figures(row, run.setup, run.case)
    )


_COMPARED = ("output_tokens_per_s_total", "requests_per_s", "tpot_ms", "ttft_ms")


def _other(catalogue: Catalogue, row: Row, reason: str) -> CheckedRun:
    """Return work without tokens, carried over from measured tables; or a skip."""
    empty = empty_check(row, SERVING, kind=row.get("task") or "not stated", scale=_scale)
    work = None if row.get("quality") == "C" else _work_rate(catalogue, row)
    if work is None:
        return empty.skipped(reason)
    chip, rate = work
    (column,) = SERVING.rates[1:]
    published = number(row, column)
    checked = replace(empty, chip=chip.name, predicted={column: rate.requests_per_s}, low=rate.low, high=rate.high)
    return checked if published is None else checked.with_error(column, rate.requests_per_s / published)


def _scale(accelerators: float) -> str:
    return next((f"up to {most}" for most in (1, 2, 4, 8, 32) if accelerators <= most), "more than 32")


def _work_rate(catalogue: Catalogue, row: Row) -> tuple[ServingAccelerator, NonLlmRate] | None:
    """Return the rate of a published row's work and its accelerator; None if its kind was never measured."""
    name = match_non_llm_work(row.get("model", ""), exactly=True)
    if name is None:
        return None
    try:
        chip = find_chip(catalogue, row.get("accelerator", ""))
        rate = non_llm_rate(catalogue, name, chip, accelerators=number(row, "n_accelerators") or 1.0)
    except MissingAcceleratorDataError:
        return None
    alone = serving_data().work[name].alone_share or _UNKNOWN_ALONE
    share = {"server": server_share(chip), "single_stream": alone}.get(row.get("mode", ""), 1.0)
    if number(row, "concurrency_or_batch") is not None:
        share = 1.0
    per_s, low, high = (each * share for each in (rate.requests_per_s, rate.low, rate.high))
    return chip, replace(rate, requests_per_s=per_s, low=low, high=high)


_WORST_OVER_MEAN = 1.18  # of the time between tokens: 99th percentile over mean in published services
_PERCENTILE, _PROMPT_CV = 0.99, 0.0  # prompts are cut and mixed: hardly any spread in what each waits for
_MEAN_OF_PROMISE = 0.25  # of a promised 99th percentile: the mean of published services that are held to one
_SLACK = 0.95  # of what a service could take on average, so that waiting stays short
_HALVINGS = 40


@dataclass(frozen=True)
class ServingPredictions:
    """One entry for each run."""

    output_tokens_per_s: Array
    requests_per_s: Array
    ttft_s: Array
    tpot_s: Array
    batch: Array  # of one replica
    fits: NDArray[np.bool_]


def predict(runs: Sequence[ServingRun], constants: ServingConstants) -> ServingPredictions:
    case = stack_records([run.case for run in runs])
    rate = serving_rates(constants, case.traits)
    most = np.asarray(concurrent_requests(case))
    names = ("limit_tpot_s", "limit_ttft_s", "arrivals_per_s")
    limit, prompt_limit, arrivals = (np.array([getattr(run, name) for run in runs]) for name in names)
    promised = max_batch_within_target(case, rate, most=most, tpot_s=limit, ttft_s=prompt_limit)
    capacity = output_tokens_per_s(case, rate, batch=promised)
    capacity = np.where(np.isfinite(limit), capacity * _SLACK, capacity)
    output = np.minimum(capacity, arrivals * case.traffic.output_tokens)
    counted = 1 / np.array([run.beams for run in runs], dtype=np.float64)
    busy = np.where(np.isfinite(arrivals), batch_at_rate(case, rate, most=promised, requests_per_s=arrivals), promised)
    full = batch_cycle(case, rate, batch=busy)
    endless = arrivals * case.traffic.output_tokens > output_tokens_per_s(case, rate, batch=most)
    first = first_token_s(case, rate, busy=busy, arrivals_per_s=arrivals, limit_s=prompt_limit)
    return ServingPredictions(
        output_tokens_per_s=np.asarray(output * counted),
        requests_per_s=np.asarray(output / case.traffic.output_tokens),
        ttft_s=np.where(endless & np.isfinite(arrivals), np.nan, first),  # more comes than is answered
        tpot_s=np.asarray(full.token_s),
        batch=busy,
        fits=np.asarray(fits(case)),
    )


def first_token_s(
    case: ServingCase, rate: ServingRates, *, busy: Array, arrivals_per_s: Num, limit_s: Num = np.inf
) -> Array:
    """Return the mean time to the first token with so many requests per replica: prompts before it, and its own. [s]

    Who measures a service at its promise raises the load until the slowest reach it, so the mean goes by both.
    """
    each, open_loop = prompt_pace_s(case, rate), np.isfinite(arrivals_per_s)
    full = batch_cycle(case, rate, batch=busy)
    coming = np.where(open_loop, arrivals_per_s / case.layout.replicas, busy / full.seconds)
    most = np.where(open_loop, np.inf, np.maximum(busy - 1, 0.0))
    behind = prompt_queue_wait_s(
        prompt=each, requests_per_s=coming, most=most, arrival_cv=np.asarray(case.traffic.arrival_cv)
    )
    behind = np.where(np.asarray(case.traffic.all_at_once) > 0, one_wave_wait_s(case, each, busy, full.seconds), behind)
    own = np.asarray(loaded_first_token_s(case, rate, batch=busy, token_s=full.token_s) + behind)
    return np.where(np.isfinite(limit_s), np.sqrt(own * _MEAN_OF_PROMISE * np.asarray(limit_s)), own)


def max_batch_within_target(case: ServingCase, rate: ServingRates, *, most: Array, tpot_s: Num, ttft_s: Num) -> Array:
    """Return the most concurrent requests within the promised time between tokens, and to the first."""
    low, high = np.ones_like(most), most.copy()

    def within(batch: Array) -> NDArray[np.bool_]:
        full = batch_cycle(case, rate, batch=batch)
        prompt = full.prompt.total_s * case.layout.stages / batch
        wait = prompt_wait_s(
            busy_share=batch / full.seconds * prompt, prompt_s=prompt, prompt_cv=_PROMPT_CV, share=_PERCENTILE
        )
        first = loaded_first_token_s(case, rate, batch=batch, token_s=full.token_s) + np.where(
            np.isfinite(ttft_s), wait, 0.0
        )
        return np.asarray((full.token_s * _WORST_OVER_MEAN <= tpot_s) & (first <= ttft_s))

    all_within = within(most)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        good = within(middle)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return np.where(all_within, most, low)


def batch_at_rate(case: ServingCase, rate: ServingRates, *, most: Array, requests_per_s: Num) -> Array:
    """Return the concurrent requests at an arrival rate: as many as arrive while one is answered (Little's law)."""
    share = requests_per_s / case.layout.replicas
    share = np.where(np.isfinite(share), share, 0.0)
    low, high = np.full_like(most, 1e-3), most.copy()
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        seconds = batch_cycle(case, rate, batch=middle).token_s * case.traffic.output_tokens
        waiting = share * seconds > middle
        low, high = np.where(waiting, middle, low), np.where(waiting, high, middle)
    return np.maximum(high, 1.0)


def anchored(
    catalogue: Catalogue, job: ServingJob, rows: Sequence[Row], *, file: str, constants: ServingConstants | None = None
) -> CorrectedJob[ServingJob]:
    """Return the job corrected by measured runs of its model and engine; raise `PricingError` if none is usable."""
    table = factors("serving", own_serving_runs(catalogue, rows, constants), source="", day=None)
    refuse_unusable(table, file=file)
    return with_factors(catalogue, job, names.accelerator(catalogue, job.accelerator), table, matching_runs)


_UNITS = {"rate": "tokens/s", "token": "tokens/s of one request", "step": "steps/s"}
_NO_ENGINE = "no plan asks for its engine: want one of {}"
GUESSED = "its shape was guessed from its size: no plan asks for a model that is not in the catalog"
NOTHING_MEASURED = "no speed is measured: want output_tokens_per_s_total, or tpot_ms of a service"


def own_serving_runs(
    catalogue: Catalogue, rows: Sequence[Row], constants: ServingConstants | None = None
) -> tuple[OwnRun, ...]:
    """Return each row with its prediction: tokens/s of all accelerators, of one request, or requests/s."""
    observed = {
        index: observation
        for index, row in enumerate(rows)
        for observation in read_observations(catalogue, [row], any_machine=True)
    }
    errors = np.zeros(0)
    if observed:
        with np.errstate(all="ignore"):  # an impossible figure is not finite, and left out
            errors = ServingObservations.of(list(observed.values())).log_errors(constants or serving_data().values())
    usable = {
        index: (observation, float(error))
        for (index, observation), error in zip(observed.items(), errors, strict=True)
        if np.isfinite(error) and observation.kind in _UNITS
    }
    checked = zip(rows, check_serving(catalogue, rows), strict=True)
    return tuple(
        _measured(row, run, *usable[index]) if index in usable else _other_work(row, run)
        for index, (row, run) in enumerate(checked)
    )


def _measured(row: Row, checked: CheckedRun, observation: ServingObservation, error: float) -> OwnRun:
    setup, engines = observation.run.setup, get_args(EngineName)
    run = OwnRun(checked.id, setup.chip.name, text(row, "model"), unit=_UNITS[observation.kind], doubt=checked.doubt)
    like = {"accelerator": setup.chip.name, "model": observation.run.model, "engine": setup.engine}
    run = compared(run, predicted=observation.per_s * float(np.exp(error)), error=error, like=like)
    return run if setup.engine in engines else replace(run, like=None, why_not=_NO_ENGINE.format(", ".join(engines)))


def _other_work(row: Row, checked: CheckedRun) -> OwnRun:
    """Return work without tokens, whose rate is known from tables; or a row that cannot be used."""
    model = text(row, "model")
    work = match_non_llm_work(model, exactly=True)
    if work is None or checked.rate is None or checked.compared != "requests_per_s":
        reason = checked.skipped_reason or checked.doubt or (GUESSED if checked.guessed else NOTHING_MEASURED)
        return OwnRun(checked.id, checked.accelerator, model, why_not=reason, guessed=checked.guessed)
    run = OwnRun(checked.id, checked.chip, model, unit="requests/s")
    like = {"accelerator": checked.chip, "model": work}
    return compared(run, predicted=checked.rate, error=checked.error or 0.0, like=like)
