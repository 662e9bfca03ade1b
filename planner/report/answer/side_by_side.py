"""Plans side by side: what each came to, and what they say differently."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from planner.money.plan import Plan
from planner.money.verdict.contender import EvaluatedOption
from planner.report import words
from planner.report.answer import tables
from planner.report.answer.plan_text import Reckoned
from planner.report.futures.counted import best_cheaper_per_100
from planner.report.table import Table
from planner.scenario.path import format_path
from planner.scenario.question import KEYS, LinkKey

Topic = Literal["verdict", "plan", "money", "turns", "speed", "rent"]  # what of a plan a measure is about
Write = Callable[[float], str]


class Measure(NamedTuple):
    """One measure of one plan, with how a page writes it."""

    label: str
    value: Any
    about: Topic
    write: Write


def compare_table(plans: Sequence[Reckoned]) -> Table:
    """One column for each plan, one row for each measure."""
    names = _unique([one.name for one in plans])
    rows = [{measure.label: measure.value for measure in _measures(one)} for one in plans]
    measures = list(dict.fromkeys(measure for row in rows for measure in row))
    columns = {name: [row.get(one) for one in measures] for name, row in zip(names, rows, strict=True)}
    return Table({"Measure": measures, **columns})


def _unique(names: Sequence[str]) -> list[str]:
    return [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, start=1)]


def _measures(one: Reckoned) -> Iterator[Measure]:
    plan, found = one.plan, one.found
    most = f"{plan.setting.demand.all.peak_accelerators:,} x {plan.setting.scenario.accelerator}"
    yield Measure("Verdict", one.told.title, "verdict", _plain)
    yield Measure("Best way cheaper in so many of 100 futures", best_cheaper_per_100(found), "verdict", _plain)
    yield Measure("Work", most, "plan", _plain)
    yield Measure("Years", plan.setting.scenario.years, "plan", _plain)
    yield Measure("Best way", found.best.option.title if found.best else None, "plan", _plain)
    for label, way in (("Best way", found.best), ("Own", found.own), ("Rent", found.rent)):
        yield from _money(label, way)
    for turn in found.break_evens:
        label, write = tables.INPUTS.get(turn.name, (turn.name, _plain))
        yield Measure(f"Same cost at: {label}", turn.value, "turns", write)
    yield from _speeds(plan)
    yield Measure("Rented on demand from", _rental_source(plan), "rent", _plain)


def _money(label: str, way: EvaluatedOption | None) -> Iterator[Measure]:
    """What a way costs: in today's money, as bills, and on day one."""
    bills = None if way is None else float(np.asarray(way.measures.bills_usd))
    cash = None if way is None else float(np.asarray(way.measures.cash_today_usd))
    yield Measure(f"{label}, today's money, USD", way.present_usd if way else None, "money", words.usd)
    yield Measure(f"{label}, all bills, USD", bills, "plan", words.usd)
    yield Measure(f"{label}, cash on day one, USD", cash, "money", words.usd)


def _speeds(plan: Plan) -> Iterator[Measure]:
    """How fast the first model of the plan is trained, or answers, and how full its machines are."""
    asked = plan.setting.asked
    for trained in asked.trainings[:1] if asked else ():
        speed = trained.speed
        yield Measure("One run takes, days", speed.days.typical if speed else None, "speed", _plain)
        yield Measure("Memory needed of each GPU, GB", trained.memory_gb, "speed", _plain)
    for served in asked.servings[:1] if asked else ():
        yield Measure("Tokens a second", served.output_tokens_per_s if served.fits else None, "speed", _plain)
        yield Measure("GPUs at the peak", served.accelerators_at_peak, "speed", _plain)


def _plain(value: float) -> str:
    return f"{words.round_significant(value):,g}"


def _rental_source(plan: Plan) -> str | None:
    """Whose machines are rented on demand, and the price that is reckoned with."""
    taken = plan.setting.taken
    if taken.on_demand is None:
        return None
    offer = plan.setting.catalogue.offers[taken.on_demand]
    return words.seller(plan.setting.catalogue.providers[offer.provider].label, offer.sku)


def differing(plans: Sequence[Reckoned]) -> Table:
    """What the scenarios say differently: one row for each input on which they are not all of one mind."""
    names = _unique([one.name for one in plans])
    rows = [[key, *(_said(value) for value in values)] for key, values in differences(plans)]
    return Table.listed(["Input", *names], rows)


def differences(plans: Sequence[Reckoned]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Each input on which the scenarios differ, by its path, with what each of them says; None: nothing."""
    said = [dict(_flatten(one.plan.setting.written.model_dump(mode="json"), "")) for one in plans]
    for key in dict.fromkeys(key for one in said for key in one):
        values = tuple(one.get(key) for one in said)
        if len({repr(value) for value in values}) > 1:
            yield key, values


def same_plan(one: Plan, other: Plan) -> bool:
    """Whether two plans ask for the same; their names do not count."""
    first, second = one.setting.written, other.setting.written
    return first.model_copy(update={"name": second.name}) == second


def repeated(plans: Sequence[Reckoned]) -> tuple[str, ...]:
    """A sentence for each plan that is an earlier one again."""
    named = list(zip(_unique([one.name for one in plans]), plans, strict=True))
    found = []
    for place, (name, one) in enumerate(named):
        first = next((called for called, other in named[:place] if same_plan(one.plan, other.plan)), None)
        if first is not None:
            found.append(f"{name} is the same plan as {first}.")
    return tuple(found)


def _said(value: Any) -> str:
    return "–" if value is None else words.value(value) if isinstance(value, float) else str(value)


def _flatten(data: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Nested data as dotted names."""
    if isinstance(data, dict | list) and data:
        items = data.items() if isinstance(data, dict) else enumerate(data)
        for key, value in items:
            yield from _flatten(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, data


def formatted_table(plans: Sequence[Reckoned], about: Collection[Topic] = get_args(Topic)) -> Table:
    """The measures as a page writes them, of those that are about what is asked for."""
    names = _unique([one.name for one in plans])
    told = [{measure.label: measure for measure in _measures(one) if measure.about in about} for one in plans]
    labels = dict.fromkeys(label for one in told for label in one)
    rows = [[label, *(_written(one.get(label)) for one in told)] for label in labels]
    return Table.listed(["Measure", *names], rows)


def _written(measure: Measure | None) -> str:
    value = None if measure is None else measure.value
    if measure is None or value is None or (isinstance(value, float) and not np.isfinite(value)):
        return "–"
    return measure.write(float(value)) if isinstance(value, float | int) else str(value)


def input_differences_table(plans: Sequence[Reckoned], hints: Sequence[Mapping[str, str]]) -> Table:
    """What the plans say differently, by the names and in the units of their fields.

    `hints` are what the empty fields of each plan stand for, by the fields' short keys.
    """
    names, fields = _unique([one.name for one in plans]), {format_path(key.path): key for key in KEYS.values()}
    rows = []
    for path, values in differences(plans):
        key = fields.get(path)
        said = [
            _said(value) if key is None else _format_field(key, value, usual)
            for value, usual in zip(values, hints, strict=True)
        ]
        rows.append([path if key is None else key.label.rstrip("?"), *said])
    return Table.listed(["Input", *names], rows)


def _format_field(key: LinkKey, value: Any, usual: Mapping[str, str]) -> str:
    """A value as its field shows it; what an empty one stands for."""
    if value is None:
        return usual.get(key.key, _said(None))
    return f"{100 * value:g}" if key.percent and isinstance(value, float) else _said(value)
