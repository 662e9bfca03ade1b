"""Time lost to failures and restarts, in words and numbers: how much of the hours, and what it costs each way."""

from collections.abc import Iterator

import numpy as np

from planner.money.lost_hours import LostHours, lost_hours
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.weighed import Weighed
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.other_number import OtherNumber, number

TOLD_FROM = 0.01  # of the hours: less is no sentence


def lost_sentences(plan: Plan, found: Answer) -> tuple[str, ...]:
    """What failures take, where it is a hundredth of the hours or more."""
    gone = lost_hours(plan.setting)
    ways = [one for one in found.pair or (found.best,) if one is not None and _has_machines(one)]
    if gone is None or gone.share < TOLD_FROM or not ways:
        return ()
    sums = " or ".join(f"{words.usd(gone.share * one.present_usd)} {WAYS[one.option.way].paid_for}" for one in ways)
    share = words.percent(gone.share, 1)
    said = f"take {share} of the hours" if gone.is_counted else f"take about {share} of the hours you state"
    return (f"Failures, restarts and checkpoints {said}: {sums}.",)


def lost_rows(plan: Plan, ways: tuple[Weighed, ...]) -> Iterator[OtherNumber]:
    """The share of the hours, and what they cost each way."""
    gone = lost_hours(plan.setting)
    if gone is None:
        return
    how = f"{_why(gone)}; {'held by' if gone.is_counted else 'taken to be within'} the hours of the plan"
    yield OtherNumber("lost_share", None, "Lost to failures and restarts", gone.share, "share of busy hours", how)
    for one in ways:
        if _has_machines(one):
            what, part = f"Time lost to failures: {one.option.title}", f"{number(gone.hours)} GPU-hours"
            how = f"{part}, at what an hour costs on average: a part of the cost, not on top of it"
            yield OtherNumber("lost_usd", one.option.key, what, gone.share * one.present_usd, "USD", how)


def _has_machines(one: Weighed) -> bool:
    return WAYS[one.option.way].owns or WAYS[one.option.way].rents_machines


def _why(gone: LostHours) -> str:
    """How often a job stops, and what that costs it."""
    usual = gone.most.usual
    stops, every, writes, again = (
        float(np.asarray(hours))
        for hours in (usual.hours_between_stops, usual.checkpoint_interval_hours, usual.checkpoint_hours,
                      usual.restart_hours)
    )  # fmt: skip
    slow = f", waits {words.percent(usual.straggler_share)} for slow machines" if usual.straggler_share else ""
    return (
        f"a job on {words.count(gone.most.job, 'GPU')} stops every {words.count(number(stops), 'hour')}, writes a "
        f"checkpoint for {words.count(number(writes * 60), 'minute')} every {words.count(number(every), 'hour')}, "
        f"and takes {words.count(number(again * 60), 'minute')} to be at work again{slow}"
    )
