"""Plans side by side: what each came to, and what they say differently."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from planner.money.ledger import Ledger
from planner.money.measures import discounted_ledger
from planner.money.plan import Plan
from planner.money.renting.bill import TODAY, Money
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer import tables
from planner.report.answer.plan_report import PlanReport, PlanResult
from planner.report.futures.counted import best_cheaper_per_100
from planner.report.table import Table
from planner.scenario.path import format_path
from planner.scenario.question import KEYS, LinkKey
from planner.scenario.scenario import Scenario

Write = Callable[[float], str]
_MINUS = "\u2212\u2060"  # with a joiner, so that no line ends between the sign and its number


class FormattedMeasure(NamedTuple):
    """One measure of one plan, with how a page writes it."""

    label: str
    value: Any
    write: Write


def compare_table(plans: Sequence[PlanReport]) -> Table:
    """One column for each plan, one row for each measure."""
    names = _unique([report.name for report in plans])
    rows = [{measure.label: measure.value for measure in _measures(report)} for report in plans]
    measures = list(dict.fromkeys(measure for row in rows for measure, value in row.items() if value is not None))
    columns = {name: [row.get(measure) for measure in measures] for name, row in zip(names, rows, strict=True)}
    return Table({"Measure": measures, **columns})


def _unique(names: Sequence[str]) -> list[str]:
    return [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, start=1)]


def _measures(report: PlanReport) -> Iterator[FormattedMeasure]:
    plan, answer = report.plan, report.answer
    most = f"{plan.setting.demand.all.peak_accelerators:,} x {plan.setting.scenario.accelerator}"
    yield FormattedMeasure("Verdict", report.summary.title, words.number)
    yield FormattedMeasure("Best option cheaper in so many of 100 futures", best_cheaper_per_100(answer), words.number)
    yield FormattedMeasure("Work", most, words.number)
    yield FormattedMeasure("Years", plan.setting.scenario.years, words.number)
    yield FormattedMeasure("Best option", answer.best.option.title if answer.best else None, words.number)
    for label, way in (("Best option", answer.best), ("Own", answer.own), ("Rent", answer.rent)):
        yield from _money(label, way)
    for turn in answer.break_evens:
        label, write = tables.INPUTS.get(turn.name, (turn.name, words.number))
        yield FormattedMeasure(f"Same cost at: {label}", turn.value, write)
    yield from _speeds(plan)
    yield FormattedMeasure("Rented on demand from", _rental_source(plan), words.number)


def _money(label: str, way: EvaluatedOption | None) -> Iterator[FormattedMeasure]:
    """Yield the cost of an option: net present cost, all bills, and cash on day one."""
    bills = None if way is None else float(np.asarray(way.measures.bills_usd))
    cash = None if way is None else float(np.asarray(way.measures.cash_today_usd))
    yield FormattedMeasure(f"{label}, net present cost, USD", way.present_usd if way else None, words.usd)
    yield FormattedMeasure(f"{label}, total cash, USD", bills, words.usd)
    yield FormattedMeasure(f"{label}, cash on day one, USD", cash, words.usd)


def _speeds(plan: Plan) -> Iterator[FormattedMeasure]:
    """Yield the speed of the first model of the plan, and the memory or machines it needs."""
    resolved = plan.setting.resolved
    for trained in resolved.trainings[:1] if resolved else ():
        speed = trained.speed
        yield FormattedMeasure("One run takes, days", speed.days.typical if speed else None, words.number)
        yield FormattedMeasure("Memory needed of each GPU, GB", trained.memory_gb, words.number)
    for served in resolved.servings[:1] if resolved else ():
        rate = served.output_tokens_per_s_at_peak if served.fits else None
        yield FormattedMeasure("Tokens a second", rate, words.number)
        yield FormattedMeasure("GPUs at the peak", served.accelerators_at_peak, words.number)


def _rental_source(plan: Plan) -> str | None:
    """Whose machines are rented on demand, and the price that is used."""
    offers = plan.setting.offers
    if offers.on_demand is None:
        return None
    offer = plan.setting.catalogue.offers[offers.on_demand]
    return words.seller(plan.setting.catalogue.providers[offer.provider].label, offer.sku)


def differences_table(plans: Sequence[PlanReport]) -> Table:
    """Return one row for each input in which the scenarios differ."""
    names = _unique([report.name for report in plans])
    rows = [[key, *(_format_value(value) for value in values)] for key, values in differences(plans)]
    return Table.listed(["Input", *names], rows)


def differences(plans: Sequence[PlanReport]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Each input on which the scenarios differ, by its path, with what each of them says; None: nothing."""
    return scenario_differences([report.plan.setting.written for report in plans])


def scenario_differences(scenarios: Sequence[Scenario]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Each input on which scenarios differ, by its path, with what each of them says; None: nothing."""
    flat = [dict(_flatten(scenario.model_dump(mode="json"), "")) for scenario in scenarios]
    for key in dict.fromkeys(key for inputs in flat for key in inputs):
        values = tuple(inputs.get(key) for inputs in flat)
        if len({repr(value) for value in values}) > 1:
            yield key, values


def same_plan(plan: Plan, other: Plan) -> bool:
    """Return True if two plans ask for the same, apart from their names."""
    first, second = plan.setting.written, other.setting.written
    return first.model_copy(update={"name": second.name}) == second


def repeated(plans: Sequence[PlanReport]) -> tuple[str, ...]:
    """A sentence for each plan that is an earlier one again."""
    named, sentences = list(zip(_unique([report.name for report in plans]), plans, strict=True)), []
    for place, (name, report) in enumerate(named):
        first = next((called for called, other in named[:place] if same_plan(report.plan, other.plan)), None)
        if first is not None:
            sentences.append(f"{name} is the same plan as {first}.")
    return tuple(sentences)


def _format_value(value: Any) -> str:
    return "–" if value is None else words.value(value) if isinstance(value, float) else str(value)


def _flatten(data: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict | list) and data:
        items = data.items() if isinstance(data, dict) else enumerate(data)
        for key, value in items:
            yield from _flatten(value, f"{path}.{key}" if path else str(key))
    else:
        yield path, data


def side_by_side_table(plans: Sequence[PlanReport], hints: Sequence[Mapping[str, str]]) -> Table:
    """Return what differs: inputs, then measures; the last plan is that on the screen.

    A column for each other plan says how much more or less the plan on the screen has.
    """
    inputs = input_differences_table(plans, hints)
    names, blank = inputs.columns[1:], [""] * (len(plans) - 1)
    rows = [[inputs["Input"][row], *(inputs[name][row] for name in names), *blank] for row in range(len(inputs))]
    by_plan = [{measure.label: measure for measure in _measures(report)} for report in plans]
    for label in dict.fromkeys(label for measures in by_plan for label in measures):
        each = [measures.get(label) for measures in by_plan]
        texts = list(map(_written, each))
        if len(set(texts)) > 1:
            rows.append([label, *texts, *(_more_text(each[-1], other) for other in each[:-1])])
    return Table.listed(["What", *names, *[f"Against {name.partition(':')[0]}" for name in names[:-1]]], rows)


def _more_text(shown: FormattedMeasure | None, other: FormattedMeasure | None) -> str:
    """Return the difference of two measures with its sign; empty where one is no number."""
    values = [None if it is None or not isinstance(it.value, float | int) else float(it.value) for it in (shown, other)]
    if shown is None or None in values or not np.isfinite(values).all():  # type: ignore[arg-type]
        return ""
    more = values[0] - values[1]  # type: ignore[operator]
    return f"{'+' if more > 0 else _MINUS if more < 0 else ''}{shown.write(abs(more))}"


def _written(measure: FormattedMeasure | None) -> str:
    value = None if measure is None else measure.value
    if measure is None or value is None or (isinstance(value, float) and not np.isfinite(value)):
        return "–"
    return measure.write(float(value)) if isinstance(value, float | int) else str(value)


def input_differences_table(plans: Sequence[PlanReport], hints: Sequence[Mapping[str, str]]) -> Table:
    """Return the inputs in which the plans differ, by the names and in the units of their fields.

    `hints` are what the empty fields of each plan stand for, by the fields' short keys.
    """
    names = _unique([report.name for report in plans])
    return scenario_differences_table([report.plan.setting.written for report in plans], names, hints)


def scenario_differences_table(
    scenarios: Sequence[Scenario], names: Sequence[str], hints: Sequence[Mapping[str, str]] = ()
) -> Table:
    """Return the inputs in which scenarios differ, one column for each of them."""
    fields, rows = {format_path(key.path): key for key in KEYS.values()}, []
    hints = hints or [{}] * len(scenarios)
    for path, values in scenario_differences(scenarios):
        key = fields.get(path)
        cells = [
            _format_value(value) if key is None else _format_field(key, value, usual)
            for value, usual in zip(values, hints, strict=True)
        ]
        rows.append([path if key is None else key.label.rstrip("?"), *cells])
    return Table.listed(["Input", *names], rows)


def _format_field(key: LinkKey, value: Any, usual: Mapping[str, str]) -> str:
    """A value as its field shows it; what an empty one stands for."""
    if value is None:
        return usual.get(key.key, _format_value(None))
    return f"{100 * value:g}" if key.percent and isinstance(value, float) else _format_value(value)


@dataclass(frozen=True, eq=False)
class PinnedPlan:
    """A pinned plan: its letter and its result."""

    letter: str
    result: PlanResult

    @property
    def best(self) -> EvaluatedOption | None:
        """Return the recommended option; None where nothing has a price."""
        return self.result.answer.best

    @property
    def label(self) -> str:
        """Return the letter with the short name of that option."""
        return f"{self.letter}: {WAYS[self.best.option.way].name}" if self.best is not None else self.letter

    def ledger(self, money: Money) -> Ledger | None:
        """Return the ledger of that option, under a title with the letter."""
        if self.best is None:
            return None
        ledger = self.best.option.ledger
        ledger = discounted_ledger(self.result.plan.setting, ledger) if money == TODAY else ledger
        return replace(ledger, title=f"{self.letter}: {ledger.title}")


def priced(pins: Sequence[PinnedPlan]) -> list[tuple[PinnedPlan, EvaluatedOption]]:
    """Return the pinned plans that recommend an option, each with it."""
    return [(pin, pin.best) for pin in pins if pin.best is not None]


def saved_usd(answer: Answer) -> float | None:
    """Return the saving of the first compared option against the second as entered; None without two options."""
    return None if answer.pair is None else answer.pair[1].as_entered_usd - answer.pair[0].as_entered_usd


def others(shown: PlanResult, pins: Sequence[PinnedPlan]) -> tuple[PinnedPlan, ...]:
    """Return the pinned plans other than the plan on the screen: no figure is compared with itself."""
    return tuple(pin for pin in pins if not same_plan(shown.plan, pin.result.plan))


def against(shown: PlanResult, pins: Sequence[PinnedPlan]) -> tuple[str, ...]:
    """Return the cost of the plan on the screen relative to each pinned one, a sentence each."""
    best, sentences = shown.answer.best, []
    for pin in pins:
        if same_plan(shown.plan, pin.result.plan):
            sentences.append(f"The plan on the screen is {pin.letter}.")
        elif best is not None and pin.best is not None:
            sentences.append(_difference_text(best.present_usd, pin.best.present_usd, pin.letter))
    return tuple(sentences)


def _difference_text(usd: float, other_usd: float, letter: str) -> str:
    more = usd - other_usd
    if words.format_usd_short(usd) == words.format_usd_short(other_usd):
        return f"The plan on the screen costs about as much as {letter}."
    share = f" ({words.percent(abs(more) / other_usd)})" if other_usd > 0 else ""
    amount, more_or_less = words.format_usd_short(abs(more)), "more" if more > 0 else "less"
    return f"The plan on the screen costs {amount}{share} {more_or_less} than {letter}."
