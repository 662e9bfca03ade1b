"""The second and third file for a finance team: every assumption once, and the results of every option."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from planner.money.carbon import Emitted
from planner.money.formula import Num
from planner.money.ledger import Ledger, Line, Origin, Used
from planner.money.measures import peak_cash, rate_per_year
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.weighed import Weighed
from planner.money.ways import WAYS
from planner.report import words
from planner.report.evidence.own_runs_words import assumption_lines
from planner.report.forms import reason_of, scalar
from planner.report.speed.training_words import hours_to_train
from planner.report.table import Table
from planner.study.uncertainty.futures import Futures

ASSUMPTION_COLUMNS = (
    "option", "assumption_id", "name", "value", "unit", "low", "high", "source_url", "as_of", "verified_by", "note",
)  # fmt: skip
_TO_TRAIN = "time_to_train_hours"  # a column only where a model is trained
RESULT_COLUMNS = (
    "scenario_name", "option", "title", "baseline", "present_cost_usd", "total_usd", "cash_today_usd", "npv_usd", "irr",
    "eac_usd_per_year", "payback_months", "discounted_payback_months", "break_even_utilisation",
    "break_even_rent_usd_per_gpu_hour", "usd_per_useful_gpu_hour", _TO_TRAIN, "probability_own_wins",
    "operation_kg_co2e", "making_kg_co2e", "water_liters", "not_priced", "note",
    "present_cost_p10_usd", "present_cost_p90_usd", "probability_cheapest",
    "peak_cash_usd", "break_even_hours_per_gpu_month", "peak_cash_discounted_usd",
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
    """One row for each option: what it comes to, against the baseline, and why a number is missing."""
    baseline = found.baseline
    rows = [_result(plan, found, way, baseline) | _futures(way, baseline, drawn) for way in found.ranked]
    hours = hours_to_train(plan.setting.asked)
    columns = [name for name in RESULT_COLUMNS if name != _TO_TRAIN or hours is not None]
    return Table.of(({**row, _TO_TRAIN: hours} for row in rows), columns)


def _result(plan: Plan, found: Answer, way: Weighed, baseline: Weighed | None) -> dict[str, Any]:
    measures = way.measures
    pair = {one.option.key for one in found.pair or ()}
    turns = {one.name: one for one in found.break_evens} if way.option.key in pair else {}
    hours, peak = plan.setting.terms.hours_per_month, peak_cash(plan.setting, way.option.ledger)
    busy, rent = turns.get("busy_share"), turns.get("usd_per_accelerator_hour")
    reasons = [
        f"irr: {reason_of(measures.irr.reason)}" if scalar(measures.irr.value) is None else "",
        f"payback: {reason_of(measures.simple_payback.reason)}",
        *(f"{one.name}: {one.reason}" for one in (busy, rent) if one and one.value is None),
    ]
    return {
        "scenario_name": plan.setting.scenario.name,
        "option": way.option.key,
        "title": way.option.title,
        "baseline": baseline.option.key if baseline else None,
        "present_cost_usd": way.present_usd,
        "total_usd": float(np.asarray(measures.total_usd)),
        "cash_today_usd": float(np.asarray(measures.cash_today_usd)),
        "npv_usd": float(np.asarray(measures.npv_usd)),
        "irr": scalar(measures.irr.value),
        "eac_usd_per_year": float(np.asarray(measures.eac_usd_per_year)),
        "payback_months": scalar(measures.simple_payback.months),
        "discounted_payback_months": scalar(measures.payback.months),
        "break_even_utilisation": busy.value if busy else None,
        "break_even_hours_per_gpu_month": busy.value * hours if busy and busy.value is not None else None,
        "peak_cash_usd": peak.bills_usd,
        "peak_cash_discounted_usd": peak.present_usd,
        "break_even_rent_usd_per_gpu_hour": rent.value if rent else None,
        "usd_per_useful_gpu_hour": scalar(measures.usd_per_useful_hour.value),
        **_emitted(found.emitted(way)),
        "not_priced": "; ".join(measures.unpriced),
        "note": "; ".join(text for text in reasons if text),
    }


def _emitted(one: Emitted) -> dict[str, float | None]:
    operation, making = (None if kg is None else kg.typical for kg in (one.operation_kg, one.making_kg))
    return {"operation_kg_co2e": operation, "making_kg_co2e": making, "water_liters": one.water_l}


def _futures(way: Weighed, baseline: Weighed | None, drawn: Futures | None) -> dict[str, Any]:
    """The range that eight of ten futures lie in, and how often an owner's way costs less than the baseline."""
    if drawn is None or drawn.row(way.option.key) is None:
        return {}
    present = drawn.present(way.option.key)
    told: dict[str, Any] = {"present_cost_p10_usd": present.low, "present_cost_p90_usd": present.high}
    told["probability_cheapest"] = drawn.cheapest_share[way.option.key]
    if baseline is not None and WAYS[way.option.way].owns and drawn.row(baseline.option.key) is not None:
        told["probability_own_wins"] = drawn.share_cheaper(way.option.key, baseline.option.key)
    return told
