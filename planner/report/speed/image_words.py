"""Training on pictures, as text, rows and data."""

from dataclasses import asdict
from typing import Any

from planner.money.renting.job_hour import Hired
from planner.report import words
from planner.report.forms import offer_data, plain_data, usd_data, usd_words
from planner.scenario.base import HOURS_PER_DAY
from planner.scenario.durations import range_words
from planner.speed.training.images import ImageTraining


def images_title(found: ImageTraining, label: str) -> str:
    """One sentence: how long, how fast, and where that is from."""
    hours, each = found.hours, found.images_per_s_each
    length = range_words(*(end / HOURS_PER_DAY for end in (hours.low, hours.typical, hours.high)))
    rates = [f"{words.significant(end):,g}" for end in (each.typical, each.low, each.high)]
    return (
        f"{found.label}, {found.told}, on {found.accelerators:,} x {label}: {length}, "
        f"{rates[0]} images/s on each ({rates[1]} to {rates[2]}), {found.how}."
    )


def images_text(found: ImageTraining, label: str, cost: Hired | None) -> str:
    """The whole result of a training on pictures, as text."""
    hours = found.accelerator_hours
    typical, low, high = (f"{words.significant(end):,g}" for end in (hours.typical, hours.low, hours.high))
    lines = [images_title(found, label), f"{typical} GPU-hours ({low} to {high}), with what a team reaches of a "
             "published speed; stops and checkpoints are not in it.", usd_words(hours, cost, " a run"),
             f"Published by: {found.source}.", *(f"- {warning}" for warning in found.warnings)]  # fmt: skip
    return "\n".join(lines) + "\n"


def images_data(found: ImageTraining, label: str, cost: Hired | None) -> dict[str, Any]:
    """The whole result of a training on pictures, as data."""
    return {
        **plain_data(asdict(found)),
        "title": images_title(found, label),
        "hours": plain_data(asdict(found.hours)),
        "usd": usd_data(found.accelerator_hours, cost),
        "offer": offer_data(cost),
    }


def images_rows(found: ImageTraining, cost: Hired | None) -> list[dict[str, Any]]:
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
