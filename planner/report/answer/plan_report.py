"""A plan and its answer as text for a terminal: the numbers of the page, from the same tables."""

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import numpy as np

from planner.money.ledger import Ledger
from planner.money.measures import rate_per_year
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer import tables
from planner.report.answer.advice import (
    HEAD,
    advice_lines,
    deferral_line,
    fleet_size_table,
    overdue_figure_lines,
    unavailable_option_lines,
)
from planner.report.answer.carbon_words import CONVENTION, carbon_notes
from planner.report.answer.other_measures import HEAD as ALSO
from planner.report.answer.other_measures import OtherMeasures, other_measures_text
from planner.report.answer.phrases import hints
from planner.report.answer.profit_words import HEAD as PROFIT
from planner.report.answer.profit_words import profit_text
from planner.report.answer.sentences import AnswerSummary, summarize_answer
from planner.report.answer.sentences import not_counted as left_out
from planner.report.files.csv import SIGN
from planner.report.fleet import fleet_timeline
from planner.report.forms import bullet_list, join_sections, scalar_reason
from planner.report.futures.counted import buy_or_wait_text, futures_table
from planner.report.table import Table, text_table
from planner.scenario.scenario import Scenario
from planner.study.buy_or_wait import BuyOrWaitFutures, BuyOrWaitUnavailable, Waiting
from planner.study.plan_any import planned
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.sure_verdict import Judged, decided
from pricing import Catalogue
from pricing.caching import cached_property


class PlanReport(NamedTuple):
    """A scenario, reckoned: name, plan, answer, the answer in words, what a preset says of itself, its futures."""

    name: str
    plan: Plan
    found: Answer
    told: AnswerSummary
    about: tuple[str, ...] = ()
    futures: Futures | None = None
    waits: tuple[Waiting | BuyOrWaitUnavailable, BuyOrWaitFutures | None] | None = (
        None  # buying now or later, where it is asked
    )
    also: OtherMeasures | None = None  # the other numbers, where they are asked for


def plan_text(report: PlanReport) -> str:
    """Everything the page says, one section after the other."""
    plan, found = report.plan, report.found
    sections = [
        (plan.setting.scenario.name, "\n".join([report.told.title, *report.told.sentences, *report.told.turns])),
        ("What this example takes for granted", bullet_list(report.about)),
        ("Ways", text_table(_ways(found))),
        ("How sure", "" if report.futures is None else text_table(futures_table(found, report.futures))),
        ("Orders", _orders(found)),
        ("Each year, USD", text_table(tables.cash_table(found.ranked))),
        *((f"{way.option.title}: lines", _lines(way.option.ledger)) for way in found.ranked),
        *((f"{way.option.title}: {PROFIT}", profit_text(plan, way)) for way in found.ranked),
        (
            "What would turn it",
            text_table(tables.break_even_table(found)) if found.break_evens else "nothing to compare",
        ),
        ("If rents change", text_table(tables.rent_change_table(found)) if found.payback_by_rent_change else ""),
        ("Buy now or wait", "" if report.waits is None else buy_or_wait_text(*report.waits)),
        (ALSO, "" if report.also is None else other_measures_text(report.also)),
        ("Look at again", bullet_list(warnings(plan, found))),
        (HEAD, bullet_list(overdue_figure_lines(found))),
        ("What carbon rests on", bullet_list((*carbon_notes(found), CONVENTION))),
        ("Not counted", bullet_list(not_counted(plan, found))),
        ("Reckoned by", bullet_list(conventions(plan))),
    ]
    return join_sections(sections)


def _ways(answer: Answer) -> Table:
    """The options without the columns that would make lines too long; those stand in the JSON and the CSV."""
    return tables.options_table(answer).without("Notes", "Idle, USD")


def _orders(answer: Answer) -> str:
    """The orders of what is bought, where there are several or none is placed today."""
    told = fleet_timeline(answer)
    staged = told is not None and any(order.ordered_after_months > 0 for order in told.orders)
    return text_table(told.rows) if told is not None and staged else ""


def _lines(ledger: Ledger) -> str:
    return text_table(tables.lines_table(ledger))


def warnings(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """What somebody should look at before he believes it."""
    reasons = (
        f"{way.option.title}: no rate of return, {scalar_reason(way.measures.irr.reason)}."
        for way in answer.ranked
        if not np.asarray(way.measures.irr.is_found).all() and way is not answer.baseline
    )
    return (*advice_lines(plan, answer, every=True), *reasons)


def not_counted(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Ways that were not reckoned and why, lines without a price, and what no plan counts."""
    unpriced = [
        f"{way.option.title}: {name.lower()}, which has no published price."
        for way in answer.ranked
        for name in way.measures.unpriced
    ]
    tax = () if plan.setting.scenario.tax is not None else ("Tax: fill in `tax` to count it.",)
    return (*unavailable_option_lines(plan), *unpriced, *tax, words.sentence(left_out(plan)))


def conventions(plan: Plan) -> tuple[str, ...]:
    """Settings that can turn a result, and the facts it rests on."""
    setting = plan.setting
    rate = float(np.asarray(rate_per_year(setting)))
    shown = setting.currency
    money = ""
    if shown is not None:
        money = f" Files also show {shown.code}, at {shown.usd_per_unit:.6g} USD of {shown.day} ({shown.source})."
    return (
        f"Discounted at {rate * 100:.4g} % a year, effective; payments at {words.TIMINGS[setting.terms.timing]}.",
        f"Money is {setting.terms.money}, in USD. {SIGN}{money}",
        f"A month has {setting.terms.hours_per_month:g} hours.",
        f"Prices as of {setting.day.isoformat()}; catalogue of {setting.catalogue.day.isoformat()}, "
        f"digest {setting.catalogue.digest[:16]}.",
    )


@dataclass(frozen=True)
class PlanResult:
    """A plan and its answer; the same for everybody who asks the same. What no page has asked for is not reckoned."""

    asked: Scenario
    plan: Plan

    @cached_property
    def sure(self) -> Judged:
        """The answer, and the futures that it was decided in."""
        return decided(self.plan)

    @property
    def answer(self) -> Answer:
        """The answer."""
        return self.sure.answer

    @property
    def futures(self) -> Futures | None:
        """How sure the answer is; none where there is nothing to reckon."""
        return self.sure.futures

    @cached_property
    def told(self) -> AnswerSummary:
        """The answer in words."""
        return summarize_answer(self.plan, self.answer, self.futures)

    @cached_property
    def hints(self) -> dict[str, str]:
        """What fields that are left empty stand for."""
        return hints(self.plan)

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """What stands out in the plan."""
        spread = deferral_line(self.plan)
        return (*advice_lines(self.plan, self.answer), *([spread] if spread else []))

    @cached_property
    def old_figures(self) -> tuple[str, ...]:
        """What it rests on that nobody has looked at for too long."""
        return overdue_figure_lines(self.answer)

    @cached_property
    def sizes(self) -> Table | None:
        """What another number of machines would mean."""
        return fleet_size_table(self.plan)


def evaluate(catalogue: Catalogue, scenario: Scenario, day: date, *, with_details: bool) -> PlanResult:
    """The plan with its answer; in full, with all that the page of the answer tells of it."""
    found = PlanResult(scenario, planned(catalogue, scenario, day))
    _ = found.sure, found.hints
    if with_details:
        _ = found.told, found.advice, found.old_figures, found.sizes
    return found
