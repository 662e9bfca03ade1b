"""From an opened scenario to its plan with the answer."""

from __future__ import annotations

from planner.cli.scenarios import Opened
from planner.report.answer.plan_text import Reckoned
from planner.report.answer.sentences import told
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided


def reckoned(opened: Opened) -> Reckoned:
    """The scenario, reckoned with the facts of its day; what it leaves open is chosen first."""
    made = planned(opened.facts, opened.scenario, opened.day)
    sure = decided(made)
    return Reckoned(opened.name, made, sure.answer, told(made, sure.answer, sure.futures), opened.about, sure.futures)
