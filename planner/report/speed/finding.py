"""The finding of the Speed page in words, with its large figures: how fast, and does it fit."""

import math
from dataclasses import dataclass, replace

from planner.money.renting.cheapest_offer import JobHourQuote
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.forms import describe_offer
from planner.report.speed.fit_words import (
    evidence_text,
    first_token_confidence_text,
    layout_words,
    measuring_text,
    serving_tiles,
    training_tiles,
)
from planner.report.speed.runs import correction_text
from planner.report.speed.serving_words import known_run_texts, other_work_texts, usd_per_million_tokens
from planner.report.speed.training_words import other_team_durations
from planner.report.words import Tile
from planner.scenario.amounts import large
from planner.scenario.base import SECONDS_PER_HOUR
from planner.scenario.durations import format_duration, range_ends, range_words, seconds_words, time_parts
from planner.speed.scenario_jobs import ScenarioServing, ScenarioTraining
from planner.speed.serving import LatencyPercentiles, ServingResult
from planner.speed.training import TrainingResult
from planner.speed.training.result import Interval, TrainingSpeed
from planner.speed.work_to_hours import ScenarioInHours
from planner.study.market.survey import is_single_model_work
from pricing import Catalogue

_VERBS = {"full": "trains", "frozen": "is tuned", "lora": "is fine-tuned (LoRA)", "qlora": "is fine-tuned (QLoRA)"}
_NOTHING_FITS = "Nothing that was tried makes it fit."


@dataclass(frozen=True)
class SpeedSummary:
    """The head of a page: a title, sentences and large figures."""

    title: str
    sentences: tuple[str, ...]
    figures: tuple[Tile, ...] = ()
    details: tuple[str, ...] = ()  # what the title rests on
    more_figures: tuple[Tile, ...] = ()


def no_model_summary() -> SpeedSummary:
    """Return the finding for plain GPU-hours."""
    return SpeedSummary(
        "Name a model to see how fast it runs",
        (
            "This plan asks for GPU-hours, so there is nothing to work out yet.",
            "Name a model in the question above, or start from one of these.",
        ),
    )


def example_summary(summary: SpeedSummary) -> SpeedSummary:
    """Return the finding for an example model, marked as an example."""
    first = "Your question names no model: this example is not part of your plan until you take it."
    return replace(summary, title=f"For example: {summary.title}", sentences=(first, *summary.sentences))


def other_work_summary(catalogue: Catalogue, scenario: ScenarioInHours) -> SpeedSummary | None:
    """Return the finding for work without tokens and for runs of known hours; None where there is none."""
    parts = [other_work_texts(work, catalogue.accelerator_label(work.accelerator)) for work in scenario.others]
    parts += [known_run_texts(run, catalogue.accelerator_label(run.accelerator)) for run in scenario.runs]
    if not parts:
        return None
    (title, rest), *others = parts
    sentences = (f"{rest[:1].upper()}{rest[1:]}", *(": ".join(filter(None, texts)) for texts in others))
    return SpeedSummary(title, tuple(f"{sentence}." for sentence in sentences if sentence))


def refused_summary(problems: tuple[str, ...]) -> SpeedSummary:
    """Return the finding where a model was named and nothing could be worked out."""
    return SpeedSummary("Not enough to say how fast", tuple(f"{it[:1].upper()}{it[1:]}." for it in problems))


def speed_summary(
    catalogue: Catalogue, work: ScenarioTraining | ScenarioServing, cost: JobHourQuote | None,
    answer: Answer | None = None,
) -> SpeedSummary:  # fmt: skip
    """Return the finding for one model; a plan of one run costs what its answer says."""
    if isinstance(work, ScenarioTraining):
        return _training_summary(catalogue, work, cost, answer)
    return _serving_summary(catalogue, work, cost)


def _format_3_digits(value: float) -> str:
    rounded = words.round_significant(value)
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:,g}"


def _machines(catalogue: Catalogue, count: int, accelerator: str) -> str:
    return f"{count:,} x {catalogue.accelerator_label(accelerator)}"


def _own_run_sentences(catalogue: Catalogue, work: ScenarioTraining | ScenarioServing) -> tuple[str, ...]:
    """Return which of your runs corrected the prediction; where none did, how to measure one if the range is wide."""
    corrected = correction_text(catalogue, work.job, work.result.accelerator)
    hint = "The range is wide: one measured step of yours narrows it. How far to trust it says how."
    return tuple(filter(None, (corrected, hint if measuring_how(work) and not corrected else "")))


def measuring_how(work: ScenarioTraining | ScenarioServing) -> str:
    """Return what to measure where the range is wide and no run of yours narrows it; else nothing."""
    speed = work.result.speed if isinstance(work, ScenarioTraining) else work.result
    if speed is None or speed.band is None or work.job.measured or work.job.measured_over_predicted is not None:
        return ""
    return measuring_text(speed.band, training=isinstance(work, ScenarioTraining))


def _training_summary(
    catalogue: Catalogue, work: ScenarioTraining, cost: JobHourQuote | None, answer: Answer | None
) -> SpeedSummary:
    result, on = work.result, _machines(catalogue, work.result.accelerators, work.result.accelerator)
    speed = result.speed
    if speed is None:
        return _unfit_training_summary(result, on)
    if not math.isfinite(speed.days.typical):
        why = "So many accelerators stop more often than a job on all of them can start again. Use fewer."
        return SpeedSummary(f"{result.model} never finishes on {on}", (why,))
    run = "One run of " if work.task.runs_per_month is not None else ""
    length = range_words(speed.days.low, speed.days.typical, speed.days.high)
    title = f"{run}{result.model} {_VERBS[work.job.method]} in {length} on {on}"
    gpu_hours = words.round_significant(speed.accelerator_hours.typical)
    sentences = (
        f"{large(result.tokens)} tokens take {gpu_hours:,.0f} GPU-hours.",
        *_deadline_sentences(work.task.deadline_days, speed.days),
        *_own_run_sentences(catalogue, work),
        *(f"Look again: {warning}." for warning in result.warnings),
    )
    details = (
        layout_words(speed),
        *result.data_facts,
        evidence_text(speed.band),
        f"The range covers our error on {words.count(speed.band.rows, 'published run')} whose source was not fitted. "
        f"It also covers what a team reaches of a published speed: {words.percent(speed.team.low)} to "
        f"{words.percent(speed.team.high)}.",
        other_team_durations(speed),
    )
    length_tile, hours, rate = _training_figures(speed)
    memory, *spread = training_tiles(result)
    figures = (length_tile, _cost_figure(work, speed.accelerator_hours, cost, answer), rate, memory)
    return SpeedSummary(title, sentences, figures, details, (hours, *spread))


def _deadline_sentences(due: float | None, days: Interval) -> tuple[str, ...]:
    if due is None:
        return ()
    if days.high <= due:
        return (f"That is within the {format_duration(due)} there are, even at the slow end.",)
    if days.typical <= due:
        return (f"That is within the {format_duration(due)} there are, but the slow end is not.",)
    return (f"That is later than the {format_duration(due)} there are.",)


def _unfit_training_summary(result: TrainingResult, on: str) -> SpeedSummary:
    changes = [change.words for change in result.ways_to_fit]
    if not result.can_be_spread:
        reasons = words.listed(f"{number:,} where {why}" for why, number in result.excluded.items() if number)
        near = (f"What divides: {words.listed(changes, last='or')}.",) if changes else ()
        return SpeedSummary(f"{result.model} cannot be spread over {on}", (f"No layout is legal: {reasons}.", *near))
    needs, has = _format_3_digits(result.least_memory_gb), _format_3_digits(result.memory_gb)
    return SpeedSummary(
        f"{result.model} does not fit on {on}: needs {needs} GB on each, has {has}",
        (
            f"That is the leanest of {words.count(result.layouts_evaluated, 'layout')}.",
            _changes_text(changes),
            "The memory below shows the effect of each change.",
        ),
        training_tiles(result),
    )


def _changes_text(changes: list[str]) -> str:
    return f"Changes that make it fit, the cheapest first: {'; or '.join(changes)}." if changes else _NOTHING_FITS


def _training_figures(speed: TrainingSpeed) -> tuple[Tile, Tile, Tile]:
    hours, rate = speed.accelerator_hours, speed.tokens_per_s_per_accelerator
    length, unit = time_parts(speed.days.typical)
    unit = unit.strip().removesuffix("s").capitalize()
    return (
        Tile(
            f"{unit}s to train", length, range_ends(speed.days.low, speed.days.typical, speed.days.high),
            "Stops, restarts and checkpoints included, and what a team reaches of a published speed.",
        ),
        Tile(
            "GPU-hours", _short(hours.typical), f"{_short(hours.low)} to {_short(hours.high)}",
            "All accelerators together, from the first step to the last.",
        ),
        Tile(
            "Tokens/s each", _format_3_digits(rate.typical),
            f"{_format_3_digits(rate.low)} to {_format_3_digits(rate.high)}",
            f"On each accelerator while it runs; the model's own operations reach {words.percent(speed.mfu)} of the "
            "peak rate (MFU).",
        ),
    )  # fmt: skip


def _cost_figure(work: ScenarioTraining, hours: Interval, cost: JobHourQuote | None, answer: Answer | None) -> Tile:
    best = None if answer is None or not is_single_model_work(answer.plan.setting) else answer.best
    if best is not None and work.task.runs_per_month is None:
        low, usd, high = map(words.format_usd_short, (best.low_usd, best.present_usd, best.high_usd))
        detail = f"As on Answer: {best.option.title}, the whole plan discounted to today, the median of all futures."
        return Tile("Cost of the run", usd, f"{low} to {high}", detail)
    if cost is None:
        return Tile("Cost of the run", "not priced", "", "No offer of the catalogue rents these by the hour.")
    low, typical, high = (words.format_usd_short(end * cost.usd_per_accelerator_hour) for end in
                          (hours.low, hours.typical, hours.high))  # fmt: skip
    detail = f"At {describe_offer(cost)}. GPUs alone: people, disks and traffic come on top."
    return Tile("Cost of the run", typical, f"{low} to {high}", detail)


def _short(value: float) -> str:
    """Return at most seven characters: 32,700 or 1.24M."""
    value = words.round_significant(value)
    for limit, letter in ((1e9, "B"), (1e6, "M")):
        if value >= limit:
            return f"{value / limit:g}{letter}"
    return _format_3_digits(value)


def usd_per_million(work: ScenarioServing, cost: JobHourQuote | None) -> float | None:
    """Return dollars per million tokens written, with the peak's accelerators rented around the clock."""
    result, needed = work.result, work.result.accelerators_at_peak
    if not result.fits or needed is None:
        return None
    capacity = needed * result.output_tokens_per_accelerator_hour
    utilization = work.task.requests_per_s * work.task.output_tokens * SECONDS_PER_HOUR / capacity
    return usd_per_million_tokens(result, cost, utilization)


def _serving_summary(catalogue: Catalogue, work: ScenarioServing, cost: JobHourQuote | None) -> SpeedSummary:
    result, task, each = work.result, work.task, work.result.accelerators_per_replica
    if not result.fits:
        title = f"{result.model} does not fit on {_machines(catalogue, each, result.accelerator)}: {result.reason}"
        changes = [change.change for change in result.ways_to_fit]
        return SpeedSummary(title, (_changes_text(changes),), serving_tiles(result, 0))
    needed = result.accelerators_at_peak or each
    replicas, per_s = result.replicas_at_peak, result.output_tokens_per_s_at_peak
    latency = "" if result.ttft is None else f", first token within {seconds_words(result.ttft.p99_ms / 1e3)}"
    usd = usd_per_million(work, cost)
    price = "" if usd is None else f", {words.usd(usd)} a million tokens"
    on = _machines(catalogue, needed, result.accelerator)
    peak = f" and {task.peak_requests_per_s:g} at the peak" if task.peak_requests_per_s else ""
    return SpeedSummary(
        f"{result.model} writes {_format_3_digits(per_s)} tokens/s on {on}{latency}{price}",
        (
            f"That is enough for {task.requests_per_s:g} request{'s' * (task.requests_per_s != 1)} a second on average"
            f"{peak}: {words.count(task.input_tokens, 'token')} in and {task.output_tokens:,} out, "
            f"{words.count(replicas, 'replica')} of {each}, weights in {result.weight_precision}.",
            *_own_run_sentences(catalogue, work),
            *(f"Look again: {warning}." for warning in result.warnings),
        ),
        _serving_figures(result, cost, usd, per_s),
        (
            *((evidence_text(result.band),) if result.band else ()),
            *_latency_sentences(result),
            *_price_sentences(result, usd),
        ),
        serving_tiles(result, replicas * each),
    )


def _price_sentences(result: ServingResult, usd: float | None) -> tuple[str, ...]:
    """Return the basis of the price of a token, where the plan itself pays another price."""
    needed, average = result.accelerators_at_peak, result.accelerators_at_average
    if usd is None or not needed or not average or average >= needed:
        return ()
    return (
        f"The price is for {needed:,} rented around the clock; rented as needed, {average:,} on average, a million "
        f"tokens cost {words.usd(usd * average / needed)}: so Answer and Compare calculate.",
    )


def _latency_sentences(result: ServingResult) -> tuple[str, ...]:
    if result.ttft is None or result.tpot is None:
        return ()
    most = _format_3_digits(result.requests_per_s / result.replicas * result.replicas_at_peak)
    return (
        f"Of 100 requests 99 see their first token within {seconds_words(result.ttft.p99_ms / 1e3)} and then one "
        f"every {seconds_words(result.tpot.p99_ms / 1e3)} or sooner.",
        *((first_token_confidence_text(result.first_token_band),) if result.first_token_band else ()),
        f"Above {most} requests a second the wait grows without end.",
    )


def _serving_figures(
    result: ServingResult, cost: JobHourQuote | None, usd: float | None, per_s: float
) -> tuple[Tile, ...]:
    low, high = (_format_3_digits(per_s * end / result.output_tokens_per_s) for end in
                 (result.output_tokens_per_s_low, result.output_tokens_per_s_high))  # fmt: skip
    offer = f"; {describe_offer(cost)}." if cost else "."
    price = "A million tokens written, prompts included, with the accelerators of the peak rented around the clock"
    return (
        Tile("Tokens/s written", _format_3_digits(per_s), f"{low} to {high}", "At full load, all replicas."),
        _latency_figure("First token", result, result.ttft),
        _latency_figure("Each further token", result, result.tpot),
        Tile("Per M tokens", "not priced" if usd is None else words.format_usd_short(usd), "", price + offer),
    )


def _latency_figure(label: str, result: ServingResult, latency: LatencyPercentiles | None) -> Tile:
    detail = "At the average rate, with queueing: 99 of 100 requests see less."
    if latency is None:
        return Tile(label, "queue grows" if result.grows_without_end else "no rate", "", detail)
    return Tile(label, seconds_words(latency.p99_ms / 1e3), f"half: {seconds_words(latency.p50_ms / 1e3)}", detail)
