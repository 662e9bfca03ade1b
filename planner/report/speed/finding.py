"""How fast, and does it fit: the finding of the Speed page in words, with its four figures."""

import math
from dataclasses import dataclass

from planner.money.renting.cheapest_offer import JobHourQuote
from planner.report import words
from planner.report.forms import describe_offer
from planner.report.speed.fit_words import (
    evidence_text,
    first_token_confidence_text,
    layout_words,
    serving_tiles,
    training_tiles,
)
from planner.report.speed.runs import correction_text
from planner.report.speed.serving_words import known_run_texts, other_work_texts, usd_per_million_tokens
from planner.report.speed.training_words import other_team_durations
from planner.report.words import Tile
from planner.scenario.base import SECONDS_PER_HOUR
from planner.scenario.durations import format_duration, range_ends, range_words, seconds_words, time_parts
from planner.scenario.task import TrainingTask
from planner.speed.scenario_jobs import ScenarioServing, ScenarioTraining
from planner.speed.serving import LatencyPercentiles, ServingResult
from planner.speed.training import TrainingResult
from planner.speed.training.result import Interval, TrainingSpeed
from planner.speed.work_to_hours import ScenarioInHours
from pricing import Catalogue

_MINUTES = 60.0
_DONE = {"full": "trains", "frozen": "is tuned", "lora": "is fine-tuned (LoRA)", "qlora": "is fine-tuned (QLoRA)"}
NO_MODEL = "Name a model to see how fast it runs"


@dataclass(frozen=True)
class SpeedSummary:
    """What a page says before it shows anything."""

    title: str
    sentences: tuple[str, ...]
    figures: tuple[Tile, ...] = ()


def no_model_summary() -> SpeedSummary:
    """What there is to say where the work is plain GPU-hours."""
    return SpeedSummary(
        NO_MODEL,
        (
            "This plan asks for GPU-hours, so there is nothing to work out yet.",
            "Name a model in the question above, or start from one of these.",
        ),
    )


def example_summary(said: SpeedSummary) -> SpeedSummary:
    """The finding for a model that nobody asked for, which says so first."""
    first = "An example, as your question names no model: it is not part of your plan until you take it."
    return SpeedSummary(f"For example: {said.title}", (first, *said.sentences), said.figures)


def otherwise(catalogue: Catalogue, asked: ScenarioInHours) -> SpeedSummary | None:
    """The finding for work that writes no tokens, and for runs of known hours; None where there is none."""
    parts = [other_work_texts(one, catalogue.accelerator_label(one.accelerator)) for one in asked.others]
    parts += [known_run_texts(one, catalogue.accelerator_label(one.accelerator)) for one in asked.runs]
    if not parts:
        return None
    (title, rest), *others = parts
    said = [f"{rest[:1].upper()}{rest[1:]}", *(": ".join(filter(None, one)) for one in others)]
    return SpeedSummary(title, tuple(f"{one}." for one in said if one))


def refused(problems: tuple[str, ...]) -> SpeedSummary:
    """What there is to say where a model was named and nothing could be worked out."""
    return SpeedSummary("Not enough to say how fast", tuple(f"{one[:1].upper()}{one[1:]}." for one in problems))


def told(catalogue: Catalogue, work: ScenarioTraining | ScenarioServing, cost: JobHourQuote | None) -> SpeedSummary:
    """The finding for one model."""
    if isinstance(work, ScenarioTraining):
        return _trained(catalogue, work, cost)
    return _served(catalogue, work, cost)


def _format_3_digits(value: float) -> str:
    """Three digits that matter, thousands set apart."""
    rounded = words.round_significant(value)
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:,g}"


def many(number: float) -> str:
    """1 trillion, 400 billion, 50 million, 12,000."""
    for limit, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= limit:
            return f"{words.round_significant(number / limit):,g} {name}"
    return f"{number:,.0f}"


def machines(catalogue: Catalogue, count: int, accelerator: str) -> str:
    """64 x H100 SXM5 80 GB."""
    return f"{count:,} x {catalogue.accelerator_label(accelerator)}"


def _own_run_sentences(catalogue: Catalogue, work: ScenarioTraining | ScenarioServing) -> tuple[str, ...]:
    """Which runs of one's own corrected the prediction; empty where none did."""
    said = correction_text(catalogue, work.job, work.found.accelerator)
    return (said,) if said else ()


def _trained(catalogue: Catalogue, work: ScenarioTraining, cost: JobHourQuote | None) -> SpeedSummary:
    found, on = work.found, machines(catalogue, work.found.accelerators, work.found.accelerator)
    speed = found.speed
    if speed is None:
        return _not_fitting(found, on)
    if not math.isfinite(speed.days.typical):
        return SpeedSummary(
            f"{found.model} never finishes on {on}",
            ("So many accelerators stop more often than a job on all of them can start again. Use fewer.",),
        )
    run = "One run of " if work.task.runs_per_month is not None else ""
    length = range_words(speed.days.low, speed.days.typical, speed.days.high)
    title = f"{run}{found.model} {_DONE[work.job.method]} in {length} on {on}"
    sentences = (
        f"{many(found.tokens)} tokens take {words.round_significant(speed.accelerator_hours.typical):,.0f} GPU-hours.",
        layout_words(speed),
        *_deadline(work.task, speed),
        *_own_run_sentences(catalogue, work),
        *found.data_facts,
        evidence_text(speed.band),
        f"The range covers how far off we were on {words.count(speed.band.rows, 'published run')} whose source "
        f"was not fitted, and what a team reaches of a published speed: {words.percent(speed.team.low)} to "
        f"{words.percent(speed.team.high)}.",
        other_team_durations(speed),
        *(f"Look again: {warning}." for warning in found.warnings),
    )
    return SpeedSummary(title, sentences, (*_training_figures(speed, cost), *training_tiles(found)))


def _deadline(task: TrainingTask, speed: TrainingSpeed) -> tuple[str, ...]:
    due = task.deadline_days
    if due is None:
        return ()
    if speed.days.high <= due:
        return (f"That is within the {format_duration(due)} there are, even at the slow end.",)
    if speed.days.typical <= due:
        return (f"That is within the {format_duration(due)} there are, but the slow end is not.",)
    return (f"That is later than the {format_duration(due)} there are.",)


def _not_fitting(found: TrainingResult, on: str) -> SpeedSummary:
    if not found.can_be_spread:
        reasons = words.listed(f"{number:,} where {why}" for why, number in found.excluded.items() if number)
        near = words.listed([way.words for way in found.ways_to_fit], last="or")
        would = (f"What divides: {near}.",) if near else ()
        return SpeedSummary(f"{found.model} cannot be spread over {on}", (f"No layout is legal: {reasons}.", *would))
    needs, has = _format_3_digits(found.least_memory_gb), _format_3_digits(found.memory_gb)
    ways = "; or ".join(way.words for way in found.ways_to_fit)
    return SpeedSummary(
        f"{found.model} does not fit on {on}: needs {needs} GB on each, has {has}",
        (
            f"That is the leanest of {words.count(found.layouts_evaluated, 'layout')}.",
            f"What would make it fit, the cheapest first: {ways}." if ways else "Nothing that was tried makes it fit.",
            "The memory below shows what each change would do.",
        ),
        training_tiles(found),
    )


def _training_figures(speed: TrainingSpeed, cost: JobHourQuote | None) -> tuple[Tile, ...]:
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
        _cost_figure(hours, cost),
        Tile(
            "Tokens/s each", _format_3_digits(rate.typical),
            f"{_format_3_digits(rate.low)} to {_format_3_digits(rate.high)}",
            f"On each accelerator while it runs; {words.percent(speed.mfu)} of the peak rate does the model's own "
            "operations (MFU).",
        ),
    )  # fmt: skip


def _cost_figure(hours: Interval, cost: JobHourQuote | None) -> Tile:
    if cost is None:
        return Tile("Cost of the run", "not priced", "", "No offer of the catalogue rents these by the hour.")
    low, typical, high = (words.format_usd_short(each * cost.usd_per_accelerator_hour) for each in
                          (hours.low, hours.typical, hours.high))  # fmt: skip
    return Tile("Cost of the run", typical, f"{low} to {high}", f"At {describe_offer(cost)}.")


def _short(value: float) -> str:
    """At most seven characters: 32,700 or 1.24M."""
    value = words.round_significant(value)
    for limit, letter in ((1e9, "B"), (1e6, "M")):
        if value >= limit:
            return f"{value / limit:g}{letter}"
    return _format_3_digits(value)


def usd_per_million(work: ScenarioServing, cost: JobHourQuote | None) -> float | None:
    """Dollars for a million tokens written, where what the peak needs is rented around the clock."""
    found, needed = work.found, work.found.accelerators_at_peak
    if not found.fits or needed is None:
        return None
    could = needed * found.output_tokens_per_accelerator_hour
    busy_share = work.task.requests_per_s * work.task.output_tokens * SECONDS_PER_HOUR / could
    return usd_per_million_tokens(found, cost, busy_share)


def _served(catalogue: Catalogue, work: ScenarioServing, cost: JobHourQuote | None) -> SpeedSummary:
    found, task = work.found, work.task
    if not found.fits:
        return _unserved_summary(catalogue, found)
    needed = found.accelerators_at_peak or found.accelerators_per_replica
    on = machines(catalogue, needed, found.accelerator)
    replicas = max(needed // found.accelerators_per_replica, 1)
    per_s = found.output_tokens_per_s / max(found.replicas, 1) * replicas
    latency = "" if found.ttft is None else f", first token within {seconds_words(found.ttft.p99_ms / 1e3)}"
    usd = usd_per_million(work, cost)
    price = "" if usd is None else f", {words.usd(usd)} a million tokens"
    return SpeedSummary(
        f"{found.model} writes {_format_3_digits(per_s)} tokens/s on {on}{latency}{price}",
        (
            f"That is enough for {task.requests_per_s:g} request{'s' * (task.requests_per_s != 1)} a second on average"
            + (f" and {task.peak_requests_per_s:g} at the peak" if task.peak_requests_per_s else "")
            + f", {words.count(task.input_tokens, 'token')} in and {task.output_tokens:,} out: "
            f"{words.count(replicas, 'replica')} of {found.accelerators_per_replica}, weights in "
            f"{found.weight_precision}.",
            *_own_run_sentences(catalogue, work),
            *((evidence_text(found.band),) if found.band else ()),
            *_waiting(found),
            *_around_the_clock(found, usd),
            *(f"Look again: {warning}." for warning in found.warnings),
        ),
        (*_serving_figures(work, cost, per_s), *serving_tiles(found, replicas * found.accelerators_per_replica)),
    )


def _around_the_clock(found: ServingResult, usd: float | None) -> tuple[str, ...]:
    """What the price of a token is based on, where the plan itself pays another price."""
    needed, usual = found.accelerators_at_peak, found.accelerators_at_average
    if usd is None or not needed or not usual or usual >= needed:
        return ()
    return (
        f"The price is for {needed:,} rented around the clock; rented as needed, {usual:,} on average, a million "
        f"tokens cost {words.usd(usd * usual / needed)}: so the Answer and Compare reckon.",
    )


def _waiting(found: ServingResult) -> tuple[str, ...]:
    if found.ttft is None or found.tpot is None:
        return ()
    return (
        f"Of 100 requests 99 see their first token within {seconds_words(found.ttft.p99_ms / 1e3)} and then one every "
        f"{seconds_words(found.tpot.p99_ms / 1e3)} or sooner.",
        *((first_token_confidence_text(found.first_token_band),) if found.first_token_band else ()),
    )


def _unserved_summary(catalogue: Catalogue, found: ServingResult) -> SpeedSummary:
    on = machines(catalogue, found.accelerators_per_replica, found.accelerator)
    ways = "; or ".join(way.change for way in found.ways_to_fit)
    return SpeedSummary(
        f"{found.model} does not fit on {on}: {found.reason}",
        (f"What would make it fit, the cheapest first: {ways}." if ways else "Nothing that was tried makes it fit.",),
        serving_tiles(found, 0),
    )


def _serving_figures(work: ScenarioServing, cost: JobHourQuote | None, per_s: float) -> tuple[Tile, ...]:
    found, usd = work.found, usd_per_million(work, cost)
    low, high = (per_s * end / found.output_tokens_per_s for end in
                 (found.output_tokens_per_s_low, found.output_tokens_per_s_high))  # fmt: skip
    return (
        Tile("Tokens/s written", _format_3_digits(per_s), f"{_format_3_digits(low)} to {_format_3_digits(high)}",
            "At full load, all replicas."),
        _latency_figure("First token", found.ttft),
        _latency_figure("Then one every", found.tpot),
        Tile(
            "Per M tokens", "not priced" if usd is None else words.format_usd_short(usd),
            "",
            "A million tokens written, prompts included, with what the peak needs rented around the clock"
            + (f"; {describe_offer(cost)}." if cost else "."),
        ),
    )  # fmt: skip


def _latency_figure(label: str, latency: LatencyPercentiles | None) -> Tile:
    told = "At the average rate, with queueing: 99 of 100 requests see less."
    if latency is None:
        return Tile(label, "not asked", "", told)
    return Tile(label, seconds_words(latency.p99_ms / 1e3), f"half: {seconds_words(latency.p50_ms / 1e3)}", told)
