"""What a plan should say without being asked: what it warns of, what looks like a slip, what was left out."""

from __future__ import annotations

from planner.money.answer import Answer
from planner.money.doubts import Doubt, doubts
from planner.money.plan import Plan
from planner.report.ways import LOOKS


def advice_lines(plan: Plan, found: Answer, *, every: bool = False) -> tuple[str, ...]:
    """Slips of the hand first, then what the compared ways warn of, or all ways."""
    compared = [way for way in (found.best, found.own, found.rent) if way is not None]
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
    return tuple(_ended(f"{LOOKS[one.way].name}: {one.reason}") for one in plan.absent)
