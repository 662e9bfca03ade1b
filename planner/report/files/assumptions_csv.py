"""The second and third file for a finance team: every assumption once, and the results of every option."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from planner.money.formula import Num
from planner.money.ledger import Ledger, Line, Origin, Used
from planner.money.measures import rate_per_year
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.report import words
from planner.report.evidence.own_runs_words import assumption_lines
from planner.report.forms import reason_of
from planner.report.speed.training_words import hours_to_train
from planner.report.table import Table
from planner.study.measures import MEASURES, Measure, OptionResult, results_of
from planner.study.uncertainty.futures import Futures

ASSUMPTION_COLUMNS = (
    "option", "assumption_id", "name", "value", "unit", "low", "high", "source_url", "as_of", "verified_by", "note",
)  # fmt: skip


class Ids:
    """A name for every assumption: the input's own, and a number behind it where the same input has other values."""

    def __init__(self, plan: Plan) -> None:
        self.held: dict[tuple[str, str], tuple[Line, Used]] = {}  # by option and id: where it is first used
        self._values: dict[str, Num] = {}
        self._ids: dict[tuple[str, str, int], str] = {}
        for option, line, used in _inputs(plan):
            name = self._named(used)
            self._ids[option.key, used.name, id(line)] = name
            self.held.setdefault((option.key, name), (line, used))

    def _named(self, used: Used) -> str:
        """The id of an input, made up where it is new. Two options that share an id share the value."""
        number = 1
        while True:
            name = used.name if number == 1 else f"{used.name}#{number}"
            if _same(self._values.setdefault(name, used.value), used.value):
                return name
            number += 1

    def of(self, option: Option, line: Line) -> str:
        """The ids of everything a line rests on."""
        return " ".join(self._ids[option.key, used.name, id(line)] for used in line.used)


def _inputs(plan: Plan) -> Iterator[tuple[Option, Line, Used]]:
    for option in plan.options:
        for line in option.ledger.lines:
            for used in line.used:
                yield option, line, used


def _same(one: Num, other: Num) -> bool:
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    return first.shape == second.shape and bool(np.array_equal(first, second, equal_nan=True))


def assumptions_table(plan: Plan, sign: str) -> Table:
    """For each option every input of its lines once, with its range and its source; the conventions first.

    Conventions and measured speeds hold for every option, and stand with each: a row always has an option to join on.
    """
    setting = plan.setting
    conventions = [
        ("sign_convention", None, "", sign),
        ("timing", None, "", f"when money moves: {setting.terms.timing}; money is {setting.terms.money}"),
        ("discount_rate_per_year", float(np.asarray(rate_per_year(setting))), "1/year", "effective, not nominal"),
        ("hours_per_month", setting.terms.hours_per_month, "hours", "8,760 / 12 unless the scenario says otherwise"),
        ("catalogue", None, "", f"digest {setting.catalogue.digest}, of {setting.catalogue.day.isoformat()}"),
    ]
    shared: list[dict[str, Any]] = [
        {"assumption_id": f"convention.{name}", "name": name, "value": value, "unit": unit, "note": note}
        for name, value, unit, note in conventions
    ]
    shared += assumption_lines(plan)
    rows, held = [], Ids(plan).held
    for option in plan.options:
        rows += [{"option": option.key, **row} for row in shared]
        rows += [_assumption(option, name, *there) for (key, name), there in held.items() if key == option.key]
    return Table.of(rows or shared, ASSUMPTION_COLUMNS)


def _assumption(option: Option, name: str, line: Line, used: Used) -> dict[str, Any]:
    where = used.origin if isinstance(used.origin, Origin) else used.origin(0)
    alone = np.size(used.value) == 1
    by_month = "" if alone else words.value(np.asarray(used.value))
    return {
        "option": option.key,
        "assumption_id": name,
        "name": used.name,
        "value": _first(used.value) if alone else None,
        "unit": used.unit,
        "low": _end(option.low, line, used) if alone else None,
        "high": _end(option.high, line, used) if alone else None,
        "source_url": where.url,
        "as_of": where.checked or where.since,
        "verified_by": where.said_by,
        "note": "; ".join(text for text in (by_month, where.kind, where.note or "") if text),
    }


def _end(ledger: Ledger, line: Line, used: Used) -> float | None:
    """The value of an input of a line at the cheap or the dear end of its range."""
    same = (other for one in ledger.lines if one.name == line.name for other in one.used)
    found = next((other for other in same if other.name == used.name), None)
    return _first(found.value) if found is not None and np.size(found.value) == 1 else None


def _first(value: Num) -> float:
    return float(np.asarray(value).flat[0])


def results_table(plan: Plan, found: Answer, drawn: Futures | None = None) -> Table:
    """One row for each option: its measures, and why a number is missing; at the end the names of last release."""
    hours = hours_to_train(plan.setting.asked)
    to_train = {} if hours is None else {"time_to_train_hours": hours}
    baseline = None if found.baseline is None else found.baseline.option.key
    return Table.of(
        {
            "scenario_name": plan.setting.scenario.name,
            "option": it.key,
            "title": it.way.option.title,
            "baseline": baseline,
            **to_train,
            **{one.name: one.number(it) for one in MEASURES},
            "not_priced": "; ".join(it.measures.unpriced),
            "note": _note(it),
            **{one.was: _as_it_was(one, it) for one in MEASURES if one.was},
        }
        for it in results_of(plan, found, drawn)
    )


def _note(it: OptionResult) -> str:
    """How its payback ended, and why numbers are missing: each reason once, with the columns it holds for."""
    names: dict[str, list[str]] = {}
    for one in MEASURES:
        reason = one.reason(it)
        if reason is not None:
            names.setdefault(reason, []).append(one.name)
    ended = () if it.is_baseline else (f"payback: {reason_of(it.measures.simple_payback.reason)}",)
    return "; ".join((*ended, *(f"{', '.join(some)}: {reason}" for reason, some in names.items())))


def _as_it_was(one: Measure, it: OptionResult) -> float | None:
    """The number under its old name; that of `probability_own_wins` stood beside what is owned alone."""
    left_out = one.was == "probability_own_wins" and not WAYS[it.way.option.way].owns
    return None if left_out else one.number(it)
