"""What follows from several quantities of a line: totals of what is stated of each, the time until a date, growth."""

import re
from datetime import date, timedelta
from typing import Any

from planner.scenario.base import HOURS_PER_DAY, HOURS_PER_MONTH, HOURS_PER_YEAR, SECONDS_PER_HOUR
from planner.scenario.scenario import Scenario
from planner.study.one_line.line_records import machine_size
from planner.study.one_line.quantities import MOST_GROWTH

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_BEGINNINGS = ("from", "starting", "in", "on")


def add_totals(values: dict[str, Any], notes: list[str]) -> None:
    """Count what a line states of each: replicas, runs of a batch, sound of each person."""
    times = values.get("replicas") or (values.get("team") if "of_each" in values else None)
    if times and "gpus" in values:
        values["gpus"] = int(values["gpus"] * times)
        notes.append(f"{times:g} times so many GPUs are {values['gpus']:,}.")
    if "each_hours" in values and str(values.get("model", "")).startswith("Whisper"):
        values["audio_each"] = values.pop("each_hours") / SECONDS_PER_HOUR
    if {"havesold_each", "have"} <= values.keys():
        values["havesold"] = values["havesold_each"] * values["have"]
    if "node_hours" in values:
        hours, every = values["node_hours"]
        values["gpu_hours"] = hours * values.get("gpus", machine_size(values.get("chip", ""))), every
    if "batch" in values and "gpu_hours" not in values:
        values["gpu_hours"] = values["batch"] * values.get("gpus", 1), None
    if {"grows_to", "gpus"} <= values.keys():
        years = values.get("length", Scenario().years * HOURS_PER_YEAR) / HOURS_PER_YEAR
        values["growth"] = min((values["grows_to"] / values["gpus"]) ** (1 / years) - 1, MOST_GROWTH)
    if "audio_each" in values:
        values["audio"] = values["audio_each"] * values.get("team", 1)


def add_contract(values: dict[str, Any], notes: list[str]) -> None:
    """Take a contract of so much in all for a bill, over the time of the plan."""
    if "contract" in values:
        months = values.get("length", HOURS_PER_YEAR) / HOURS_PER_MONTH
        values["bill"] = f"{values['contract'] / months:.2f}"
        notes.append(f"The contract is taken for {values['bill']} USD a month, over {months:.0f} months.")


def add_date(values: dict[str, Any], notes: list[str]) -> None:
    """Take a date for the time until then: within which a model is trained, or for how long the plan is."""
    end = _end_date(values["date"], values["day"]) if "date" in values else None
    quantity = "due" if {"train", "tune", "tokens", "gpu_hours"} & values.keys() else "length"
    if end is not None and quantity not in values:
        values[quantity] = (end - values["day"]).days * HOURS_PER_DAY
        notes.append(f"The date is taken for {end}: {(end - values.pop('day')).days:,} days from now.")
        del values["date"]


def _end_date(match: re.Match[str], day: date) -> date | None:
    """Return the next date of that name, by or until which something is; None for a beginning or an unknown day."""
    year, month = match["year"] or match["year2"] or match["only"], match["month"]
    if match["way"] in _BEGINNINGS or not (year or month or match["quarter"]):
        return None
    number = _MONTHS.index(month[:3]) + 1 if month else 3 * int(match["quarter"][1]) - 2 if match["quarter"] else 1
    part = (match["part"] or "")[:3]
    days = {"mid": 14, "end": 30}.get(part, int(match["day"] or match["day2"] or 1) - 1)
    first = date(int(year or day.year), number, 1)
    first = first.replace(year=first.year + 1) if not year and first + timedelta(days) <= day else first
    return max(first + timedelta(days), day)
