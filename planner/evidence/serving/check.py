"""Serving runs beside their predictions, and services corrected by runs that somebody measured."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from planner.evidence.plausible import MeasuredFigure, serving_figures
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
from planner.speed.serving.first_token import (
    computed_prompt_tokens,
    loaded_first_token_s,
    prompt_blocking_s,
    prompt_queue_wait_s,
    prompt_wait_s,
    unloaded_first_token_s,
)
from planner.speed.serving.lookup import find_chip
from planner.speed.serving.non_llm import NonLlmRate, match_non_llm_work, non_llm_rate, server_share
from planner.speed.serving.promise import batch_cycle, concurrent_requests, output_tokens_per_s
from planner.speed.serving.step import fits, prefill
from pricing import names
from pricing.catalogue import Catalogue

_UNKNOWN_ALONE = 0.5  # an assumption: speed of single requests over full batches, where only batches were measured


def check_serving(
    catalogue: Catalogue, rows: Iterable[Row], constants: ServingConstants | None = None
) -> list[CheckedRun]:
    """Every row predicted, or skipped for a stated reason. `constants` may be fitted to your own runs.

    A row's kind is dense, experts, hybrid, single, or the task of other work.
    """
    used = constants or serving_data().values()
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


def _told(row: Row, run: ServingRun, figures: tuple[float, ...]) -> CheckedRun:
    batch = float(run.case.traffic.batch)
    band = serving_band(run.setup, run.case.layout, batch=batch, guessed=run.guessed).widened(run.unsaid)
    predicted = dict(zip(SERVING.predicts, figures[:-1], strict=True))
    made = _row(row, run.kind).with_band(predicted, band)
    if made.rate is None:
        return made
    model = None if run.guessed else run.model
    made = replace(made, chip=run.setup.chip.name, model=model, guessed=run.guessed, fits=bool(figures[-1]))
    compared = next((name for name in _COMPARED if number(row, name) is not None), "")
    if compared:
        ours, published = predicted[compared], number(row, compared) or 0.0
        made = made.beside(compared, ours / published if compared in SERVING.rates else published / ours)
    return made.with_doubts(_speeds(serving_figures(row, run.setup, run.case), predicted))


_COMPARED = ("output_tokens_per_s_total", "requests_per_s", "tpot_ms", "ttft_ms")


def _speeds(
    figures: Iterable[MeasuredFigure], predicted: Mapping[str, float]
) -> Iterator[tuple[MeasuredFigure, float]]:
    """Each figure with the speed that it says over ours."""
    for one in figures:
        ours = predicted[one.column]
        yield one, ours / one.value if one.is_time else one.value / ours


def _other(catalogue: Catalogue, row: Row, why: str) -> CheckedRun:
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


def _row(row: Row, kind: str) -> CheckedRun:
    return empty_check(row, SERVING, kind=kind, scale=_scale)


def _scale(accelerators: float) -> str:
    return next((f"up to {most}" for most in (1, 2, 4, 8, 32) if accelerators <= most), "more than 32")


def _work_rate(catalogue: Catalogue, row: Row) -> tuple[ServingAccelerator, NonLlmRate] | None:
    """The rate of a published row's work and on what, or nothing where its kind was never measured."""
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
    return chip, NonLlmRate(per_s, low, high, rate.measured, rate.carried_from)


_WORST_OVER_MEAN = 1.18  # of the time between tokens: 99th percentile over mean in published services
_PERCENTILE, _PROMPT_CV = 0.99, 0.0  # prompts are cut and mixed: hardly any spread in what each waits for
_SLACK = 0.95  # of what a service could take on average, so that waiting stays short
_HALVINGS = 40

Array = NDArray[np.float64]


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
    """What the model says about each run."""
    case = stack_records([run.case for run in runs])
    rate = serving_rates(constants, case.traits)
    most = np.asarray(concurrent_requests(case))
    limit = np.array([run.limit_tpot_s for run in runs])
    prompt_limit = np.array([run.limit_ttft_s for run in runs])
    arrivals = np.array([run.arrivals_per_s for run in runs])
    prompting = np.array([run.prompt_replicas for run in runs])
    apart = prompting > 0
    promised = max_batch_within_target(case, rate, most=most, tpot_s=limit, ttft_s=prompt_limit)
    capacity = np.where(
        apart, _disaggregated(case, rate, promised, prompting), output_tokens_per_s(case, rate, batch=promised)
    )
    capacity = np.where(np.isfinite(limit), capacity * _SLACK, capacity)
    output = np.minimum(capacity, arrivals * case.traffic.output_tokens)
    counted = 1 / np.array([run.beams for run in runs], dtype=np.float64)
    busy = np.where(np.isfinite(arrivals), batch_at_rate(case, rate, most=promised, requests_per_s=arrivals), promised)
    full = batch_cycle(case, rate, batch=busy)
    return ServingPredictions(
        output_tokens_per_s=np.asarray(output * counted),
        requests_per_s=np.asarray(output / case.traffic.output_tokens),
        ttft_s=first_token_s(case, rate, busy=busy, arrivals_per_s=arrivals, prompting=prompting),
        tpot_s=np.asarray(np.where(apart, full.decode_s / full.output_tokens, full.token_s)),
        batch=busy,
        fits=np.asarray(fits(case)),
    )


def _disaggregated(case: ServingCase, rate: ServingRates, batch: Array, prompting: Array) -> Array:
    """Closed loop on accelerators that only decode: a request is there for its first token and all others."""
    full = batch_cycle(case, rate, batch=batch)
    alone = unloaded_first_token_s(case, rate, tokens=computed_prompt_tokens(case))
    answer = full.decode_s + alone
    closed = case.layout.replicas * batch / answer
    prompts = prompting / prefill(case, rate, prompts=1.0, tokens=case.traffic.input_tokens).total_s
    return np.asarray(np.minimum(closed, prompts) * case.traffic.output_tokens)


def first_token_s(
    case: ServingCase, rate: ServingRates, *, busy: Array, arrivals_per_s: Num, prompting: Array
) -> Array:
    """The mean time to the first token where so many are at work in each replica: prompts before it, and its own."""
    apart, each = prompting > 0, prompt_blocking_s(case, rate)
    open_loop = np.isfinite(arrivals_per_s)
    full = batch_cycle(case, rate, batch=busy)
    coming = np.where(open_loop, arrivals_per_s / case.layout.replicas, busy / full.seconds)
    pools = np.where(apart, case.layout.replicas / np.maximum(prompting, 1e-9), 1.0)
    most = np.where(open_loop, np.inf, np.maximum(busy * pools - 1, 0.0))
    behind = prompt_queue_wait_s(prompt=each, requests_per_s=coming * pools, most=most)
    alone = unloaded_first_token_s(case, rate, tokens=computed_prompt_tokens(case))
    return np.asarray(
        np.where(apart, alone, loaded_first_token_s(case, rate, batch=busy, token_s=full.token_s)) + behind
    )


def max_batch_within_target(case: ServingCase, rate: ServingRates, *, most: Array, tpot_s: Num, ttft_s: Num) -> Array:
    """The most requests at once that keep the time between tokens, and to the first, within what is promised."""
    low, high = np.ones_like(most), most.copy()

    def kept(batch: Array) -> NDArray[np.bool_]:
        full = batch_cycle(case, rate, batch=batch)
        prompt = full.prompt.total_s * case.layout.stages / batch
        wait = prompt_wait_s(
            busy_share=batch / full.seconds * prompt, prompt_s=prompt, prompt_cv=_PROMPT_CV, share=_PERCENTILE
        )
        first = loaded_first_token_s(case, rate, batch=batch, token_s=full.token_s) + np.where(
            np.isfinite(ttft_s), wait, 0.0
        )
        return np.asarray((full.token_s * _WORST_OVER_MEAN <= tpot_s) & (first <= ttft_s))

    whole = kept(most)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        good = kept(middle)
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return np.where(whole, most, low)


def batch_at_rate(case: ServingCase, rate: ServingRates, *, most: Array, requests_per_s: Num) -> Array:
    """Requests at once when so many arrive each second: as many as come while one is answered (Little's law)."""
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
    catalogue: Catalogue,
    job: ServingJob,
    rows: Sequence[Row],
    *,
    file: str,
    constants: ServingConstants | None = None,
) -> CorrectedJob[ServingJob]:
    """The job, corrected by measured runs of its model and engine there. `BadTable` where no run is usable."""
    found = factors("serving", own_serving_runs(catalogue, rows, constants), source="", day=None)
    refuse_unusable(found, file=file)
    return with_factors(catalogue, job, names.accelerator(catalogue, job.accelerator), found, matching_runs)


def _seen(
    catalogue: Catalogue, rows: Sequence[Row], constants: ServingConstants
) -> tuple[dict[int, ServingObservation], dict[int, float]]:
    """The rows that measure what is predicted, by their place, and by how much each prediction misses its own."""
    seen = {
        place: one for place, row in enumerate(rows) for one in read_observations(catalogue, [row], any_machine=True)
    }
    if not seen:
        return {}, {}
    with np.errstate(all="ignore"):  # what is beyond all sense is not finite, and left out
        errors = ServingObservations.of(list(seen.values())).log_errors(constants)
    return seen, {place: float(error) for place, error in zip(seen, errors, strict=True) if np.isfinite(error)}


_UNITS = {"rate": "tokens/s", "token": "tokens/s of one request", "step": "steps/s"}
_NO_ENGINE = "no plan asks for its engine: want one of {}"
GUESSED = "its shape was guessed from its size: no plan asks for a model that the catalogue does not have"
NOTHING_MEASURED = "no speed is measured that we predict: want output_tokens_per_s_total, or tpot_ms of a service"


def own_serving_runs(
    catalogue: Catalogue, rows: Sequence[Row], constants: ServingConstants | None = None
) -> tuple[OwnRun, ...]:
    """Each row beside what is predicted of it: tokens a second of all accelerators, of one request, or requests."""
    checked = check_serving(catalogue, rows)
    seen, errors = _seen(catalogue, rows, constants or serving_data().values())
    usable = {place for place in errors if seen[place].kind in _UNITS}
    return tuple(
        _measured(row, one, seen[place], errors[place]) if place in usable else _other_work(catalogue, row, one)
        for place, (row, one) in enumerate(zip(rows, checked, strict=True))
    )


def _measured(row: Row, one: CheckedRun, seen: ServingObservation, error: float) -> OwnRun:
    setup = seen.run.setup
    run = OwnRun(one.id, setup.chip.name, text(row, "model"), unit=_UNITS[seen.kind], doubt=one.doubt)
    like = {"accelerator": setup.chip.name, "model": seen.run.model, "engine": setup.engine}
    found = compared(run, predicted=seen.per_s * float(np.exp(error)), error=error, like=like)
    asked = get_args(EngineName)
    return found if setup.engine in asked else replace(found, like=None, why_not=_NO_ENGINE.format(", ".join(asked)))


def _other_work(catalogue: Catalogue, row: Row, one: CheckedRun) -> OwnRun:
    """Work that writes no tokens, whose rate is known from tables; or a row that cannot be gone by."""
    said = text(row, "model")
    work = match_non_llm_work(said, exactly=True)
    if work is None or one.rate is None or one.compared != "requests_per_s":
        return OwnRun(one.id, one.accelerator, said, why_not=_why_not(one), guessed=one.guessed)
    run = OwnRun(one.id, one.chip, said, unit="requests/s")
    return compared(run, predicted=one.rate, error=one.error or 0.0, like={"accelerator": one.chip, "model": work})


def _why_not(one: CheckedRun) -> str:
    return one.skipped_reason or one.doubt or (GUESSED if one.guessed else NOTHING_MEASURED)
