"""A training job worked out, as text for a terminal, rows for CSV and data for JSON."""

from dataclasses import asdict, fields
from typing import Any

import numpy as np

from planner.money.renting.cheapest_offer import JobHourQuote
from planner.report import words
from planner.report.forms import bullet_list, cost_data, finite, join_sections, offer_data, to_plain_data, usd_words
from planner.report.speed.fit_words import MEMORY_PARTS, evidence_text, held_words
from planner.report.table import Table, text_table
from planner.scenario.base import HOURS_PER_DAY
from planner.scenario.durations import format_duration, hours_words, range_words, seconds_words
from planner.speed.training.goodput import team_hours_ratio
from planner.speed.training.images import ImageTrainingResult, is_image_network
from planner.speed.training.result import (
    NOT_SPREAD,
    TrainingFitSuggestion,
    TrainingLayout,
    TrainingResult,
    TrainingSpeed,
)
from planner.speed.work_to_hours import ScenarioInHours

_FEW = 5
_ZERO = ("none", "ZeRO 1", "ZeRO 2", "ZeRO 3")


def training_title(found: TrainingResult) -> str:
    """One sentence: whether it fits, how fast it is, how long it takes."""
    cut = "" if found.mig_profile is None else f", slice {found.mig_profile}"
    what = f"{found.model}, {words.large(found.tokens)} tokens, on {found.accelerators:,} x {found.accelerator}{cut}"
    speed = found.speed
    if not found.can_be_spread:
        near = words.listed([way.words for way in found.ways_to_fit], last="or")
        return f"{what}: {NOT_SPREAD}; {near} would do." if near else f"{what}: {NOT_SPREAD}."
    if speed is None:
        return f"{what}: does not fit, {found.least_memory_gb:,.1f} GB of {found.memory_gb:,.1f} GB at best."
    rate, days = speed.tokens_per_s_per_accelerator, speed.days
    return (
        f"{what}: {range_words(days.low, days.typical, days.high)}, {rate.typical:,.0f} tokens/s "
        f"on each ({rate.low:,.0f} to {rate.high:,.0f})."
    )


def in_short(found: TrainingResult, label: str) -> str:
    """The training in short for whoever asks what it costs: how much work, on what, how long."""
    cut = "" if found.mig_profile is None else f", slice {found.mig_profile}"
    run = f"One run of {found.model} on {words.large(found.tokens)} tokens"
    where = f"{found.accelerators:,} x {label}{cut}"
    if found.speed is None:
        return f"{run} does not fit on {where}."
    days = found.speed.days
    return f"{run} takes {range_words(days.low, days.typical, days.high)} on {where}."


def hours_to_train(asked: ScenarioInHours | None) -> float | None:
    """How long one run takes on what it asks for, the longest where several models are trained; None where none is.

    Alike for every way, as a run is never put on fewer than it asks for. Neither a queue nor interruptions are in it.
    """
    if asked is None:
        return None
    hours = [one.speed.days.typical * HOURS_PER_DAY for one in asked.trainings if one.speed is not None]
    ran = [one for one in asked.written.work if one.run or (one.train and is_image_network(one.train.model))]
    # The runs of known hours stand in the order of their works; those that are trainings learn from pictures.
    hours += [run.hours for work, run in zip(ran, asked.runs, strict=False) if work.train]
    return max(hours, default=None)


def training_text(found: TrainingResult, cost: JobHourQuote | None) -> str:
    """Everything that is known of the job, one section after the other."""
    sections = [("", training_title(found))]
    speed = found.speed
    if speed is None:
        ways = bullet_list(_way(way, found.accelerators) for way in found.ways_to_fit)
        if found.can_be_spread:
            sections.append(("What would make it fit", ways or "Nothing that was tried."))
    else:
        sections += [
            ("Layout and runners-up", text_table(layouts_table(speed))),
            ("Time", "\n".join(_times(found, speed))),
            ("Cost", _cost(found, speed, cost)),
            (f"Memory, GB of {found.memory_gb:,.1f} on the fullest accelerator", text_table(memory_table(speed))),
            ("Where a step goes", text_table(waterfall_table(speed))),
        ]
    sections.append(("Data", "\n".join(found.data_facts)))
    sections.append(("Layouts", "\n".join(_layout_search_lines(found))))
    sections.append(("Look at again", bullet_list(found.warnings)))
    return join_sections(sections)


def layouts_table(speed: TrainingSpeed) -> Table:
    """The best layout and those that come next."""
    return Table.of([_layout(layout) for layout in (speed.layout, *speed.runners_up)])


def memory_table(speed: TrainingSpeed) -> Table:
    """What the fullest accelerator holds, part by part."""
    memory = speed.memory
    parts = [(MEMORY_PARTS[part.name], float(getattr(memory, part.name))) for part in fields(memory)]
    return Table.listed(["part", "GB"], [*parts, ("all", float(memory.total_gb))])


def waterfall_table(speed: TrainingSpeed) -> Table:
    """Where the time of a step goes."""
    parts = [
        {"part": part.words, "s": part.seconds, "share": words.percent(part.share, 1)}
        for part in speed.waterfall
        if abs(part.share) >= 5e-4
    ]
    return Table.of([*parts, {"part": "a step", "s": speed.step_time_s, "share": "100%"}])


def training_rows(found: TrainingResult, cost: JobHourQuote | None) -> list[dict[str, Any]]:
    """One row for each layout, for CSV: what it is, what it reaches, and what the best one costs."""
    speed = found.speed
    about = {"model": found.model, "accelerator": found.accelerator, "accelerators": found.accelerators}
    if speed is None:
        return [{**about, "fits": False, "memory_gb": finite(found.least_memory_gb)}]
    rows = []
    for layout in (speed.layout, *speed.runners_up):
        times = speed.tokens_per_s_per_accelerator.typical / layout.tokens_per_s_per_accelerator
        hours = speed.accelerator_hours.typical * times
        rows.append(
            {**about, "fits": True, **asdict(layout), "accelerator_hours": finite(hours),
             "days": finite(speed.days.typical * times),
             "usd": None if cost is None else finite(hours * cost.usd_per_accelerator_hour)}
        )  # fmt: skip
    return rows


def training_data(found: TrainingResult, cost: JobHourQuote | None) -> dict[str, Any]:
    """All that is known of the job, as data: numbers stay numbers, what does not exist is None."""
    data: dict[str, Any] = to_plain_data(asdict(found))
    data["excluded"] = words.counted(found.excluded, "reason", "layouts")
    if found.speed is not None:
        data["speed"].pop("plan")
    hours = None if found.speed is None else found.speed.accelerator_hours
    known = None if found.speed is None else evidence_text(found.speed.band)
    return {
        **data,
        "title": training_title(found),
        "known": known,
        "offer": offer_data(cost),
        "usd": cost_data(hours, cost),
    }


def _layout(layout: TrainingLayout) -> dict[str, Any]:
    return {
        "TP": layout.tp, "PP": layout.pp, "stages": layout.virtual_stages, "CP": layout.cp, "EP": layout.ep,
        "DP": layout.dp, "sharding": _sharding(layout), "micro-batch": layout.micro_batch,
        "recompute": layout.recompute, "tokens/s each": layout.tokens_per_s_per_accelerator,
        "GB": layout.memory_gb,
    }  # fmt: skip


def _sharding(layout: TrainingLayout) -> str:
    within = "" if layout.zero_within is None else f" within {layout.zero_within}"
    return f"{_ZERO[layout.zero]}{within}"


def _times(found: TrainingResult, speed: TrainingSpeed) -> list[str]:
    hours, often = speed.accelerator_hours, speed.reliability
    stops_days = float(often.hours_between_stops) / 24
    return [
        f"{_hours(hours.typical)} GPU-hours ({_hours(hours.low)} to {_hours(hours.high)}).",
        f"A step of {words.count(found.global_batch_sequences, 'sequence')} takes {seconds_words(speed.step_time_s)}; "
        f"MFU {words.percent(speed.mfu, 1)}, HFU {words.percent(speed.hfu, 1)}.",
        f"Useful share {words.percent(speed.useful_share, 1)}: stops every {format_duration(stops_days)}, writes a "
        f"checkpoint every {hours_words(float(often.checkpoint_interval_hours), 2)}, takes "
        f"{hours_words(float(often.restart_hours), 2)} to start.",
        f"Team: {speed.team.words}, {words.percent(speed.team.typical)} of a published speed "
        f"({words.percent(speed.team.low)} to {words.percent(speed.team.high)}).",
        other_team_durations(speed),
        f"{evidence_text(speed.band)} {held_words(speed.band)}".rstrip(),
    ]


def other_team_durations(speed: TrainingSpeed) -> str:
    """How long the run takes who tunes it like a published one, and who does it for the first time."""
    if speed.team.measured:
        return "Your own runs tell how fast your team is; where they do not, it is taken for what you say it is."
    days = speed.days.typical
    _, tuned, _ = team_hours_ratio(speed.team, "vendor_tuned")
    least, first, most = team_hours_ratio(speed.team, "ordinary")
    return (
        f"Published speeds are best cases: tuned like those it takes {format_duration(days * tuned)}, "
        f"an ordinary team's first run {range_words(days * least, days * first, days * most)}."
    )


def _hours(hours: float) -> str:
    return f"{hours:,.0f}" if hours >= 100 or not np.isfinite(hours) else f"{words.round_significant(hours):,g}"


def _cost(found: TrainingResult, speed: TrainingSpeed, cost: JobHourQuote | None) -> str:
    said = usd_words(speed.accelerator_hours, cost)
    if cost is None or found.mig_profile is None:
        return said
    return f"{said}\nNobody rents a slice alone: this is the whole accelerator. Several at once share its bill."


def _layout_search_lines(found: TrainingResult) -> list[str]:
    excluded = [f"- {number:,} {reason}" for reason, number in found.excluded.items() if number]
    return [f"{found.layouts_evaluated:,} weighed, {found.layouts_fitting:,} fit; not legal or too large:", *excluded]


def _way(way: TrainingFitSuggestion, accelerators: int) -> str:
    """What to change; how many it takes only where the words do not say it."""
    return way.words if way.accelerators != accelerators else f"{way.words}, on the same {_on(accelerators)}"


def _on(accelerators: int) -> str:
    return words.count(accelerators, "accelerator")


def images_title(found: ImageTrainingResult, label: str) -> str:
    """One sentence: how long, how fast, and where that is from."""
    hours, each = found.hours, found.images_per_s_each
    length = range_words(*(end / HOURS_PER_DAY for end in (hours.low, hours.typical, hours.high)))
    rates = [f"{words.round_significant(end):,g}" for end in (each.typical, each.low, each.high)]
    return (
        f"{found.label}, {found.told}, on {found.accelerators:,} x {label}: {length}, "
        f"{rates[0]} images/s on each ({rates[1]} to {rates[2]}), {found.how}."
    )


def images_text(found: ImageTrainingResult, label: str, cost: JobHourQuote | None) -> str:
    """The whole result of a training on pictures, as text."""
    hours = found.accelerator_hours
    typical, low, high = (f"{words.round_significant(end):,g}" for end in (hours.typical, hours.low, hours.high))
    lines = [images_title(found, label), f"{typical} GPU-hours ({low} to {high}), with what a team reaches of a "
             "published speed; stops and checkpoints are not in it.", usd_words(hours, cost, " a run"),
             f"Published by: {found.source}.", *(f"- {warning}" for warning in found.warnings)]  # fmt: skip
    return "\n".join(lines) + "\n"


def images_data(found: ImageTrainingResult, label: str, cost: JobHourQuote | None) -> dict[str, Any]:
    """The whole result of a training on pictures, as data."""
    return {
        **to_plain_data(asdict(found)),
        "title": images_title(found, label),
        "hours": to_plain_data(asdict(found.hours)),
        "usd": cost_data(found.accelerator_hours, cost),
        "offer": offer_data(cost),
    }


def images_rows(found: ImageTrainingResult, cost: JobHourQuote | None) -> list[dict[str, Any]]:
    """The result of a training on pictures, as one row for CSV."""
    rate, hours = found.images_per_s_each, found.accelerator_hours
    usd = None if cost is None else hours.typical * cost.usd_per_accelerator_hour
    return [
        {
            "model": found.network, "accelerator": found.accelerator, "accelerators": found.accelerators,
            "images": found.images, "images_per_s_each": rate.typical, "images_per_s_each_low": rate.low,
            "images_per_s_each_high": rate.high, "measured": found.measured, "carried_from": found.carried_from,
            "accelerator_hours": hours.typical, "hours": found.hours.typical, "usd": usd, "source": found.source,
        }
    ]  # fmt: skip
