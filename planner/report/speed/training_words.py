"""The result of a training job as text for a terminal, rows for CSV and data for JSON."""

from dataclasses import asdict, fields
from typing import Any

import numpy as np

from planner.money.renting.cheapest_offer import JobHourQuote
from planner.report import words
from planner.report.forms import bullet_list, cost_data, finite, join_sections, offer_data, to_plain_data, usd_words
from planner.report.speed.fit_words import MEMORY_PARTS, evidence_text, measuring_text, range_basis_text
from planner.report.table import Table, text_table
from planner.scenario.amounts import large
from planner.scenario.base import HOURS_PER_DAY
from planner.scenario.durations import format_duration, hours_words, range_words, seconds_words
from planner.speed.training.goodput import team_hours_ratio
from planner.speed.training.images import ImageTrainingResult, is_image_network
from planner.speed.training.layout import LayoutCandidate
from planner.speed.training.result import NOT_SPREAD, TrainingResult, TrainingSpeed
from planner.speed.work_to_hours import ScenarioInHours

_ZERO = ("none", "ZeRO 1", "ZeRO 2", "ZeRO 3")


def training_title(result: TrainingResult) -> str:
    """Return in one sentence whether it fits, how fast it is and how long it takes."""
    cut = "" if result.mig_profile is None else f", slice {result.mig_profile}"
    machines = f"{result.accelerators:,} x {result.accelerator}{cut}"
    work, speed = f"{result.model}, {large(result.tokens)} tokens, on {machines}", result.speed
    if not result.can_be_spread:
        near = words.listed([change.words for change in result.ways_to_fit], last="or")
        return f"{work}: {NOT_SPREAD}; {near} would do." if near else f"{work}: {NOT_SPREAD}."
    if speed is None:
        return f"{work}: does not fit, {result.least_memory_gb:,.1f} GB of {result.memory_gb:,.1f} GB at best."
    rate, days = speed.tokens_per_s_per_accelerator, speed.days
    return (
        f"{work}: {range_words(days.low, days.typical, days.high)}, {rate.typical:,.0f} tokens/s "
        f"on each ({rate.low:,.0f} to {rate.high:,.0f})."
    )


def in_short(result: TrainingResult, label: str) -> str:
    """Return the training in short: how much work, on which machines, how long."""
    cut = "" if result.mig_profile is None else f", slice {result.mig_profile}"
    run = f"One run of {result.model} on {large(result.tokens)} tokens"
    machines = f"{result.accelerators:,} x {label}{cut}"
    if result.speed is None:
        return f"{run} does not fit on {machines}."
    days = result.speed.days
    gpu_hours = days.typical * HOURS_PER_DAY * result.accelerators
    hours = f"{gpu_hours:,.{2 if gpu_hours < 10 else 0}f}"
    return f"{run} takes {range_words(days.low, days.typical, days.high)} on {machines}: {hours} GPU-hours."


def hours_to_train(scenario: ScenarioInHours | None) -> float | None:
    """Return the time of one run, the longest where several models are trained; None where none is. [h]

    Alike for every option, as a run is never put on fewer than it asks for. Queues and interruptions are not in it.
    """
    if scenario is None:
        return None
    hours = [it.speed.days.typical * HOURS_PER_DAY for it in scenario.trainings if it.speed is not None]
    runs = [it for it in scenario.written.work if it.run or (it.train and is_image_network(it.train.model))]
    # The runs of known hours stand in the order of their works; those that are trainings learn from pictures.
    hours += [run.hours for work, run in zip(runs, scenario.runs, strict=False) if work.train]
    return max(hours, default=None)


def training_text(result: TrainingResult, cost: JobHourQuote | None) -> str:
    """Return the whole result, one section after the other."""
    sections, speed = [("", training_title(result))], result.speed
    if speed is not None:
        price = usd_words(speed.accelerator_hours, cost)
        if cost is not None and result.mig_profile is not None:
            price += "\nA slice is not rented alone: this is the whole accelerator. Several at once share its bill."
        sections += [
            ("Layout and runners-up", text_table(layouts_table(speed))),
            ("Time", "\n".join(_time_lines(result, speed))),
            ("Cost", price),
            (f"Memory, GB of {result.memory_gb:,.1f} on the fullest accelerator", text_table(memory_table(speed))),
            ("Where a step goes", text_table(_waterfall_table(speed))),
        ]
    elif result.can_be_spread:
        same = f", on the same {words.count(result.accelerators, 'accelerator')}"
        changes = bullet_list(
            f"{it.words}{same if it.accelerators == result.accelerators else ''}" for it in result.ways_to_fit
        )
        sections.append(("What would make it fit", changes or "Nothing that was tried."))
    excluded = [f"- {number:,} {reason}" for reason, number in result.excluded.items() if number]
    head = f"{result.layouts_evaluated:,} weighed, {result.layouts_fitting:,} fit; not legal or too large:"
    sections.append(("Data", "\n".join(result.data_facts)))
    sections.append(("Layouts", "\n".join([head, *excluded])))
    sections.append(("Look at again", bullet_list(result.warnings)))
    return join_sections(sections)


def layouts_table(speed: TrainingSpeed) -> Table:
    """Return the best layout and the runners-up."""
    rows = [_layout_cells(layout) for layout in (speed.layout, *speed.runners_up)]
    return Table.of(
        {
            "TP": row["tp"], "PP": row["pp"], "stages": row["virtual_stages"], "CP": row["cp"], "EP": row["ep"],
            "DP": row["dp"],
            "sharding": _ZERO[row["zero"]] + (f" within {row['zero_within']}" if row["zero_within"] else ""),
            "micro-batch": row["micro_batch"], "recompute": row["recompute"],
            "tokens/s each": row["tokens_per_s_per_accelerator"], "GB": row["memory_gb"],
        }
        for row in rows
    )  # fmt: skip


def _layout_cells(layout: LayoutCandidate) -> dict[str, Any]:
    plan = layout.plan
    return {
        "tp": int(plan.tp), "pp": int(plan.pp), "virtual_stages": int(plan.vpp), "cp": int(plan.cp),
        "ep": int(plan.ep), "dp": int(plan.dp), "zero": int(plan.shard), "zero_within": int(plan.shard_ranks) or None,
        "micro_batch": int(plan.micro_batch),
        "recompute": "full" if plan.recompute else "selective" if plan.selective else "none",
        "tokens_per_s_per_accelerator": layout.tokens_per_s_per_accelerator, "memory_gb": layout.memory_gb,
    }  # fmt: skip


def memory_table(speed: TrainingSpeed) -> Table:
    """Return the memory of the fullest accelerator, part by part."""
    memory = speed.memory
    parts = [(MEMORY_PARTS[part.name], float(getattr(memory, part.name))) for part in fields(memory)]
    return Table.listed(["part", "GB"], [*parts, ("all", float(memory.total_gb))])


def _waterfall_table(speed: TrainingSpeed) -> Table:
    parts = [
        {"part": part.words, "s": part.seconds, "share": words.percent(part.share, 1)}
        for part in speed.waterfall
        if abs(part.share) >= 5e-4
    ]
    return Table.of([*parts, {"part": "a step", "s": speed.step_time_s, "share": "100%"}])


def training_rows(result: TrainingResult, cost: JobHourQuote | None) -> list[dict[str, Any]]:
    """Return one row for each layout, for CSV: the layout, its speed and its cost."""
    speed = result.speed
    common = {"model": result.model, "accelerator": result.accelerator, "accelerators": result.accelerators}
    if speed is None:
        return [{**common, "fits": False, "memory_gb": finite(result.least_memory_gb)}]
    rows = []
    for layout in (speed.layout, *speed.runners_up):
        times = speed.tokens_per_s_per_accelerator.typical / layout.tokens_per_s_per_accelerator
        hours = speed.accelerator_hours.typical * times
        rows.append(
            {**common, "fits": True, **_layout_cells(layout), "accelerator_hours": finite(hours),
             "days": finite(speed.days.typical * times),
             "usd": None if cost is None else finite(hours * cost.usd_per_accelerator_hour)}
        )  # fmt: skip
    return rows


def training_data(result: TrainingResult, cost: JobHourQuote | None) -> dict[str, Any]:
    """Return the whole result as data: numbers stay numbers, missing values are None."""
    data = asdict(result)
    if result.speed is not None:
        data["speed"] |= {
            "layout": _layout_cells(result.speed.layout),
            "runners_up": [_layout_cells(layout) for layout in result.speed.runners_up],
        }
    data = to_plain_data(data)
    data["excluded"] = words.counted(result.excluded, "reason", "layouts")
    hours = None if result.speed is None else result.speed.accelerator_hours
    return {
        **data,
        "title": training_title(result),
        "known": None if result.speed is None else evidence_text(result.speed.band),
        "offer": offer_data(cost),
        "usd": cost_data(hours, cost),
    }


def _time_lines(result: TrainingResult, speed: TrainingSpeed) -> list[str]:
    hours, stops, team = speed.accelerator_hours, speed.reliability, speed.team
    typical, low, high = (
        f"{it:,.0f}" if it >= 100 or not np.isfinite(it) else f"{words.round_significant(it):,g}"
        for it in (hours.typical, hours.low, hours.high)
    )
    return [
        f"{typical} GPU-hours ({low} to {high}).",
        f"A step of {words.count(result.global_batch_sequences, 'sequence')} takes {seconds_words(speed.step_time_s)}; "
        f"MFU {words.percent(speed.mfu, 1)}, HFU {words.percent(speed.hfu, 1)}.",
        f"Useful share {words.percent(speed.useful_share, 1)}: stops every "
        f"{format_duration(float(stops.hours_between_stops) / HOURS_PER_DAY)}, writes a checkpoint every "
        f"{hours_words(float(stops.checkpoint_interval_hours), 2)}, takes "
        f"{hours_words(float(stops.restart_hours), 2)} to start.",
        f"Team: {team.words}, {words.percent(team.typical)} of a published speed "
        f"({words.percent(team.low)} to {words.percent(team.high)}).",
        other_team_durations(speed),
        f"{evidence_text(speed.band)} {range_basis_text(speed.band)}".rstrip(),
        *([] if speed.team.measured else filter(None, [measuring_text(speed.band, training=True)])),
    ]


def other_team_durations(speed: TrainingSpeed) -> str:
    """Return the time of the run for a team that tunes like published ones, and for a first run."""
    if speed.team.measured:
        return "Your own runs tell how fast your team is; where they do not, it is taken for what you say it is."
    days = speed.days.typical
    _, tuned, _ = team_hours_ratio(speed.team, "vendor_tuned")
    low, typical, high = (days * ratio for ratio in team_hours_ratio(speed.team, "ordinary"))
    return (
        f"Published speeds are best cases: tuned like those it takes {format_duration(days * tuned)}, "
        f"an ordinary team's first run {range_words(low, typical, high)}."
    )


def images_title(result: ImageTrainingResult, label: str) -> str:
    """Return in one sentence how long it takes, how fast it is, and the source."""
    hours, each = result.hours, result.images_per_s_each
    length = range_words(*(end / HOURS_PER_DAY for end in (hours.low, hours.typical, hours.high)))
    typical, low, high = (f"{words.round_significant(end):,g}" for end in (each.typical, each.low, each.high))
    return (
        f"{result.label}, {result.amount_text}, on {result.accelerators:,} x {label}: {length}, "
        f"{typical} images/s on each ({low} to {high}), {result.how}."
    )


def images_text(result: ImageTrainingResult, label: str, cost: JobHourQuote | None) -> str:
    """Return the result of a training on pictures as text."""
    hours = result.accelerator_hours
    typical, low, high = (f"{words.round_significant(end):,g}" for end in (hours.typical, hours.low, hours.high))
    lines = [images_title(result, label), f"{typical} GPU-hours ({low} to {high}), with what a team reaches of a "
             "published speed; stops and checkpoints are not in it.", usd_words(hours, cost, " a run"),
             f"Published by: {result.source}.", *(f"- {warning}" for warning in result.warnings)]  # fmt: skip
    return "\n".join(lines) + "\n"


def images_data(result: ImageTrainingResult, label: str, cost: JobHourQuote | None) -> dict[str, Any]:
    """Return the result of a training on pictures as data."""
    return {
        **to_plain_data(asdict(result)),
        "title": images_title(result, label),
        "hours": to_plain_data(asdict(result.hours)),
        "usd": cost_data(result.accelerator_hours, cost),
        "offer": offer_data(cost),
    }


def images_rows(result: ImageTrainingResult, cost: JobHourQuote | None) -> list[dict[str, Any]]:
    """Return the result of a training on pictures as one row for CSV."""
    rate, hours = result.images_per_s_each, result.accelerator_hours
    usd = None if cost is None else hours.typical * cost.usd_per_accelerator_hour
    return [
        {
            "model": result.network, "accelerator": result.accelerator, "accelerators": result.accelerators,
            "images": result.images, "images_per_s_each": rate.typical, "images_per_s_each_low": rate.low,
            "images_per_s_each_high": rate.high, "measured": result.measured, "carried_from": result.carried_from,
            "accelerator_hours": hours.typical, "hours": result.hours.typical, "usd": usd, "source": result.source,
        }
    ]  # fmt: skip
