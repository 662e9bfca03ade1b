"""`plan`, `compare` and `ask`: a scenario with its answer, several side by side, and a question in one line."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from planner.api.records import LoadedScenario, Result
from planner.money.setting import show_money_in_plan
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.notes import gpu_hour_text, month_text
from planner.report.answer.other_measures import other_measures
from planner.report.answer.phrases import plan_sentence
from planner.report.answer.plan_report import PlanReport, plan_text
from planner.report.answer.sensitivity import CARRYING
from planner.report.answer.sentences import summarize_answer
from planner.report.answer.side_by_side import compare_table, differences_table, repeated
from planner.report.answer.tables import BUDGET_PAYS, budget_table
from planner.report.files.csv import SIGN, assumptions_table, cash_table, results_table
from planner.report.forms import bullet_list, join_sections
from planner.report.table import Table, text_table
from planner.scenario.file import write_scenario
from planner.scenario.link import scenario_to_link
from planner.scenario.shown_money import show_money_of
from planner.study.buy_or_wait import BuyOrWaitUnavailable, buy_or_wait_futures, waiting
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from planner.study.uncertainty.tornado import tornado
from pricing import Catalogue, PricingError

if TYPE_CHECKING:
    from planner.report.accounting.actual_words import Actuals
    from planner.report.accounting.bill_file import Bill
    from planner.study.one_line.line_records import LineReading


def evaluate(loaded: LoadedScenario) -> PlanReport:
    """Return the plan of a scenario with its answer; inputs it leaves open are chosen first. Its money is shown."""
    show_money_in_plan(loaded.facts, loaded.scenario, loaded.day)
    plan = planned(loaded.facts, loaded.scenario, loaded.day)
    sure = decided(plan)
    summary = summarize_answer(plan, sure.answer, sure.futures)
    return PlanReport(loaded.name, plan, sure.answer, summary, loaded.about, sure.futures)


def with_studies(report: PlanReport) -> PlanReport:
    """Return the report with what is made on request: to buy or to wait, and the answer in other numbers."""
    waits = waiting(report.plan)
    later = None if isinstance(waits, BuyOrWaitUnavailable) else buy_or_wait_futures(waits)
    also, pair = other_measures(report.plan, report.answer, report.futures), report.answer.pair
    bars = () if pair is None else tornado(report.plan, pair[0].option, pair[1].option, CARRYING)
    return report._replace(waits=(waits, later), also=also, bars=bars)


def plan_tables(report: PlanReport) -> dict[str, Callable[[], Table]]:
    """Return the tables of a plan that are files, each made on first use."""
    from planner.report.accounting.book_words import accounting_table  # only for files
    from planner.report.answer.profit_words import profit_csv

    plan, answer = report.plan, report.answer
    return {
        "payments": lambda: cash_table(plan),
        "results": lambda: results_table(plan, answer, report.futures),
        "assumptions": lambda: assumptions_table(plan, SIGN),
        "profit": lambda: profit_csv(answer),
        "accounting": lambda: accounting_table(plan, answer),
    }


def plan_result(report: PlanReport) -> Result:
    """Return a plan in each form; its table is every payment."""

    def data() -> dict[str, Any]:
        from planner.report.answer.document import answer_document  # only programs need its schema

        return answer_document(report).model_dump(mode="json")

    return Result(lambda: cash_table(report.plan), data, lambda: plan_text(report))


def with_actuals(report: PlanReport, result: Result, bill: Bill) -> Result:
    """Return a result with a bill set beside its plan, and the rest as a plan where enough months are left."""
    from planner.report.accounting.actual_words import (  # few plans have a bill
        actuals_document,
        actuals_of,
        actuals_text,
        variance_table,
    )

    plan, answer = report.plan, report.answer
    actuals = actuals_of(plan, bill)
    rest = _rest_of_plan(report, actuals)

    def data() -> dict[str, Any]:
        document = actuals_document(plan, answer, actuals).model_dump(mode="json")
        return {**result.data(), "actuals": {**document, "rest": rest}}

    def text() -> str:
        ahead = [] if rest is None else ["", *rest["sentences"], rest["title"], rest["link"]]
        return f"{result.text()}\nActuals\n-------\n" + "\n".join((actuals_text(plan, answer, actuals), *ahead, ""))

    return result._replace(table=lambda: variance_table(plan, answer, actuals), data=data, text=text)


def _rest_of_plan(report: PlanReport, actuals: Actuals) -> dict[str, Any] | None:
    """Return the months that are left as a plan with its answer; None where they are too few."""
    from planner.report.accounting.actual_words import reforecast
    from planner.report.accounting.bill_file import BillError

    try:
        saved, sentences = reforecast(report.plan, report.answer, actuals)
    except BillError:
        return None
    day = saved.day or report.plan.setting.day
    later = evaluate(LoadedScenario(report.name, saved.scenario, report.plan.setting.catalogue, day, ()))
    link = urlencode({**scenario_to_link(saved.scenario), "asof": day.isoformat()})
    return {"day": day.isoformat(), "title": later.summary.title, "link": link, "file": write_scenario(saved),
            "sentences": list(sentences)}  # fmt: skip


def comparison(reports: Sequence[PlanReport]) -> Result:
    """Return plans side by side in each form, in their currency; in dollars where they have several."""
    currencies = [report.plan.setting.currency for report in reports]
    show_money_of(currencies[0] if len({each and each.code for each in currencies}) == 1 else None)

    def data() -> dict[str, Any]:
        from planner.report.answer.document import comparison_json  # only programs need its schema

        return comparison_json(reports)

    def text() -> str:
        differences = differences_table(reports)
        lines = "\n".join((*repeated(reports), *([text_table(differences)] if len(differences) else [])))
        return f"{text_table(compare_table(reports))}\n\nWhat differs\n------------\n{lines}\n"

    return Result(lambda: compare_table(reports), data, text)


class LineAnswer(NamedTuple):
    """A line that was read. It has no link and no plan while a question is open."""

    reading: LineReading
    notes: tuple[str, ...] = ()
    loaded: LoadedScenario | None = None
    report: PlanReport | None = None
    beside: tuple[LineAnswer, ...] = ()  # what the line compares it with, each as a line of its own

    @property
    def link(self) -> str:
        """Return what a link to the plan holds."""
        return "" if self.loaded is None else urlencode(scenario_to_link(self.loaded.scenario))

    @property
    def read_as(self) -> str:
        """Return the plan as a sentence, with what it leaves out of the line."""
        from planner.study.one_line.line_records import sentence_of_reading

        plan = self.loaded
        return sentence_of_reading(self.reading, plan_sentence(plan.facts, plan.scenario)) if plan else ""


def ask(facts: Catalogue, line: str, day: date, *, with_answer: bool = True, name: str = "") -> LineAnswer:
    """Return what was understood of a line, and its plan; of a line that compares the plans of each side."""
    from planner.study.one_line.line_plan import with_open_parts  # only here: its patterns take long to compile
    from planner.study.one_line.read_line import read_line

    reading = read_line(facts, line, day)
    if reading.scenario is None:
        return LineAnswer(reading)
    scenario, notes = with_open_parts(facts, reading, day)
    loaded = LoadedScenario(name or reading.side or "line", scenario, facts, day, ())
    answer = LineAnswer(reading, notes, loaded, evaluate(loaded) if with_answer else None)
    for label, each in () if name else reading.beside.items():
        try:
            side = ask(facts, each, day, with_answer=with_answer, name=label)
            why = "it has two readings" if side.loaded is None else ""
        except PricingError as refusal:
            side, why = None, str(refusal)
        left_out = (*answer.reading.left_out, *([f"{label}: {why}"] if why else []))
        beside = (*answer.beside, side) if side is not None and not why else answer.beside
        answer = answer._replace(reading=replace(answer.reading, left_out=left_out), beside=beside)
    return answer


def line_result(answer: LineAnswer) -> Result:
    """Return a line that was read in each form; its table says what its words were taken as."""

    def text() -> str:
        if answer.report is None:
            return _understood(answer) + (answer.link and f"{answer.link}\n")
        sides = [(side.read_as, side.report) for side in answer.beside if side.report is not None]
        each = "".join(f"\nBeside it, {report.name}. {read_as}\n{_answer_text(report)}" for read_as, report in sides)
        reports = [answer.report, *(report for _, report in sides)]
        return (
            _understood(answer)
            + (_by_cost(reports) if sides else "")
            + _answer_text(answer.report)
            + each
            + ("" if not sides else f"\n{text_table(compare_table(reports))}\n")
        )

    return Result(lambda: _phrases(answer.reading), lambda: _line_data(answer), text)


def _by_cost(reports: Sequence[PlanReport]) -> str:
    """Return what each plan costs a year by its best option, the cheapest first; those without a price are left out.

    Plans of different GPUs go by what those GPUs cost: by the token they would all cost the same.
    """
    chips = {it.plan.setting.scenario.accelerator for it in reports}
    of_chips = {key for key, spec in WAYS.items() if spec.owns or spec.rents_machines} - {"desk", "processors"}
    costs = sorted(
        (ways[0].present_usd / it.plan.setting.scenario.years, it.name, ways[0].option.title)
        for it in reports
        if (ways := [way for way in it.answer.ranked if len(chips) == 1 or way.option.way in of_chips])
    )
    shown = "; ".join(f"{name} {words.format_usd_short(usd)} ({title})" for usd, name, title in costs)
    return f"\nA year, the cheapest first: {shown}.\n" if costs else ""


def _line_data(answer: LineAnswer) -> dict[str, Any]:
    reading = answer.reading
    data = {
        "line": reading.line,
        "read_as": answer.read_as,
        "left_out": list(reading.left_out),
        "other_lines": {label: line for label, line in reading.choices.items() if line != reading.line},
        "understood": [asdict(phrase) for phrase in reading.understood],
        "notes": [*reading.notes, *answer.notes],
        "not_understood": list(reading.unknown),
        "questions": [{"text": each.text, "choices": dict(each.choices)} for each in reading.questions],
    }
    if answer.loaded is None:
        return data
    of_a_side = {"line", "read_as", "left_out", "link", "answer"}
    beside = [
        {"name": side.loaded.name, **{key: value for key, value in _line_data(side).items() if key in of_a_side}}
        for side in answer.beside
        if side.loaded is not None
    ]
    return {**data, "link": answer.link, "answer": _answer(answer.report), "beside": beside}


def _phrases(reading: LineReading) -> Table:
    return Table.of({"Words": each.text, "Field": each.field, "Value": each.value} for each in reading.understood)


def _understood(answer: LineAnswer) -> str:
    from planner.study.one_line.line_records import question_sentence

    reading = answer.reading
    others = [f"{label}: {line}" for label, line in reading.choices.items() if line != reading.line]
    return join_sections(
        [
            ("", "\n".join(filter(None, (answer.read_as, bullet_list(others))))),
            ("Taken as", text_table(_phrases(reading))),
            ("By usual meaning", bullet_list((*reading.notes, *answer.notes))),
            ("Not understood", bullet_list(reading.unknown)),
            ("Which of these?", bullet_list(map(question_sentence, reading.questions))),
            ("Left out", "" if answer.loaded else bullet_list(reading.left_out)),
        ]
    )


def _answer(report: PlanReport | None) -> dict[str, Any] | None:
    if report is None:
        return None
    return {
        "title": report.summary.title, "sentences": list(report.summary.sentences), "month": month_text(report.answer),
        "cards": [{"label": it.label, "value": it.value, "range": it.range} for it in report.summary.figures],
    }  # fmt: skip


_FAR = 10  # times the cost of the two that are compared, beyond which an option is named without its cost


def _answer_text(report: PlanReport) -> str:
    answer, summary = report.answer, report.summary
    cards = "\n".join(f"{tile.label}: {tile.value} ({tile.range})" for tile in summary.figures)
    carded = {way.option.way for way in (*answer.cards.values(), *(answer.pair or ()))}
    most = _FAR * max((way.present_usd for way in answer.pair or ()), default=math.inf)
    costs = {way.option.title: way.present_usd for way in answer.ranked if way.option.way not in carded}
    far = f"(over {_FAR} times as much)"
    others = "; ".join(f"{it} {words.format_usd_short(usd) if usd <= most else far}" for it, usd in costs.items())
    rows = {
        "A month, in cash over the plan": month_text(answer),
        "A GPU-hour of work": gpu_hour_text(answer),
        "Other options": others,
    }
    cards = "\n".join([cards, *(f"{name}: {text}" for name, text in rows.items() if text)])
    paid = budget_table(answer)
    verdict = "\n".join([*(summary.deciding or summary.sentences), "", cards])
    return "\n" + join_sections([(summary.title, verdict), (BUDGET_PAYS, text_table(paid) if len(paid) else "")])
