"""The verdict as a title."""

from __future__ import annotations

from planner.money.verdict.answer import PROBABLE, Answer
from planner.money.ways import WAYS


def title(found: Answer) -> str:
    """The verdict in as few words as it takes."""
    if found.verdict == "close":
        return "Too close to call."
    if found.best is None:
        cannot_be_had = "on_demand" in found.plan.setting.taken.lacks
        return "Not to be had as asked." if cannot_be_had else "Not enough to answer yet."
    if found.limit is not None and found.limit.is_least:
        return f"Nothing keeps to what you can pay: {found.limit.said}."
    way = WAYS[found.best.option.way]
    advice = found.best.option.title if way.side == "mix" else way.advice
    if found.asked is not None and found.best.option.way == "own" and found.best is not found.asked:
        advice = f"Buy {found.best.option.accelerators:,.0f}, not {found.asked.option.accelerators:,.0f}"
    if found.verdict in PROBABLE:
        advice = f"Probably {advice[0].lower()}{advice[1:]}"
    return f"{advice}." if found.limit is None else f"{advice}: {found.limit.said}."
