"""Figures older than their limit, in words, to stand beside the answer that rests on them."""

from planner.money.old_figures import OldFigure, old_figures
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.tables import INPUTS
from planner.report.futures.input_words import label

HEAD = "Old figures in this answer"


def old_figure_lines(found: Answer) -> tuple[str, ...]:
    """One sentence for each of the few that weigh most."""
    return tuple(old_figure_words(one) for one in old_figures(found))


def old_figure_words(one: OldFigure) -> str:
    """What it is, how old, who says so, and how much of which bill stands on it."""
    return (
        f"{called(one)}: looked at {words.count(one.age_days, 'day')} ago, its limit is {one.limit_days}; "
        f"{words.percent(one.share)} of the bills of {one.option.title!r} stand on it. Source: {one.origin.said_by}."
    )


def called(one: OldFigure) -> str:
    """What the input is called."""
    return INPUTS[one.name][0] if one.name in INPUTS else label(one.name)
