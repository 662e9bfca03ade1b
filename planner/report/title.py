"""The verdict as a title."""

from planner.money.verdict.answer import PROBABLE, Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report.seller import selling_title


def title(found: Answer) -> str:
    """The verdict in as few words as it takes."""
    if (said := selling_title(found)) is not None:
        return said
    if found.verdict == "close":
        return _tie_title(found)
    if found.best is None:
        cannot_be_had = "on_demand" in found.plan.setting.taken.lacks
        return "Not to be had as asked." if cannot_be_had else "Not enough to answer yet."
    if found.limit is not None and found.limit.is_least:
        return f"Nothing keeps to {found.limit.limited_quantity}: {found.limit.said}."
    advice = _advice_text(found.best)
    if found.asked is not None and found.best.option.way == "own" and found.best is not found.asked:
        advice = f"Buy {found.best.option.accelerators:,.0f}, not {found.asked.option.accelerators:,.0f}"
    if found.verdict in PROBABLE:
        advice = f"Probably {advice[0].lower()}{advice[1:]}"
    return f"{advice}." if found.limit is None else f"{advice}: {found.limit.said}."


def _advice_text(way: EvaluatedOption) -> str:
    """What to do who chooses a way; a mix says how much of each."""
    record = WAYS[way.option.way]
    return way.option.title if record.side == "mix" else record.advice


def _tie_title(found: Answer) -> str:
    """Two ways that cost the same; where one is a part of everything, both are named: it is no either-or."""
    pair = found.pair or ()
    if not any(WAYS[one.option.way].side == "mix" for one in pair):
        return "Too close to call."
    first, second = sorted(pair, key=lambda one: WAYS[one.option.way].side == "mix")
    other = _advice_text(second)
    return f"{_advice_text(first)}, or {other[0].lower()}{other[1:]}: about the same."
