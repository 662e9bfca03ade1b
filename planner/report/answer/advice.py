"""What a plan should say without being asked: what it warns of, what looks like a slip, what was left out."""

from __future__ import annotations

from planner.money.payback import Payback
from planner.money.plan import Plan
from planner.money.plausibility import Doubt, doubts
from planner.money.sizing import spread_advice
from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.money.ways.right_size import Size, sizes
from planner.report import words
from planner.report.forms import scalar
from planner.report.table import Table


def advice_lines(plan: Plan, found: Answer, *, every: bool = False) -> tuple[str, ...]:
    """Slips of the hand first, then what the compared ways warn of, or all ways."""
    compared = [way for way in (found.best, *(found.pair or ())) if way is not None]
    ways = found.ranked if every else compared
    warned = (f"{way.option.title}: {warning}" for way in ways for warning in way.option.warnings)
    return tuple(dict.fromkeys((*(_doubt(one) for one in doubts(plan)), *(_ended(line) for line in warned))))


def _ended(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def _doubt(one: Doubt) -> str:
    yours, usual = f"{one.yours:,.6g}", f"{one.usual:,.6g}"
    asked = f"{one.name} is {yours} {one.unit}; the catalogue has {usual}."
    if one.meant is None:
        return f"{asked} It is used as you typed it."
    return f"{asked} Did you mean {one.meant:,.6g} ({one.slip})? It is used as you typed it."


def absent_lines(plan: Plan) -> tuple[str, ...]:
    """The ways that were not reckoned, each with the reason and what it would need."""
    return tuple(_ended(f"{WAYS[one.way].name}: {one.reason}") for one in plan.absent)


def spread_line(plan: Plan) -> str | None:
    """What fewer machines could do if the work could wait; None where the work cannot be done as asked."""
    said = spread_advice(plan.setting) if plan.options else None
    return None if said is None else f"{said}. Say so under 'Adjust assumptions' if it can wait."


def sizes_table(plan: Plan) -> Table | None:
    """What another number of machines would mean, where the work may wait; None where it may not."""
    found = sizes(plan.setting)
    if not found:
        return None
    return Table.of(
        [
            {
                "GPUs": f"{size.accelerators:,}",
                "Busy": words.percent(size.busy_share),
                "A job waits, on average": _wait(size),
                "Day one": words.usd(size.day_one_usd),
                "Pays back": _back(size.payback),
                "Pays back, running costs in proportion": _back(size.payback_scaled),
            }
            for size in found
        ]
    )


def _wait(size: Size) -> str:
    hours = scalar(size.wait_hours.value)
    return "longer and longer" if hours is None else f"{hours:.1f} hours"


def _back(back: Payback) -> str:
    months = scalar(back.months)
    return "never" if months is None else f"month {months:.1f}"
