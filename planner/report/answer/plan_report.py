"""A plan with its answer: calculated once for all pages, and as text for a terminal from the same tables."""

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

import numpy as np

from planner.money.measures import plan_discount_rate
from planner.money.plan import Plan
from planner.money.setting import show_money_in_plan
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
from planner.report.answer.line_words import leading_sources
from planner.report.answer.notes import CONVENTION, carbon_notes
from planner.report.answer.other_measures import HEAD as ALSO
from planner.report.answer.other_measures import OtherMeasures, other_measures_text
from planner.report.answer.phrases import hints, question_text
from planner.report.answer.profit_words import HEAD as PROFIT
from planner.report.answer.profit_words import profit_text
from planner.report.answer.sensitivity import carrying_table
from planner.report.answer.sentences import AnswerSummary, summarize_answer
from planner.report.answer.sentences import not_counted as uncounted_costs
from planner.report.answer.verdict_line import doubt_text
from planner.report.files.csv import SIGN
from planner.report.forms import bullet_list, join_sections, scalar_reason
from planner.report.futures.counted import buy_or_wait_text, futures_table
from planner.report.futures.input_words import saving_side_label
from planner.report.table import Table, text_table
from planner.report.title import fleet_timeline
from planner.scenario.link import scenario_to_link
from planner.scenario.question import detect_question
from planner.scenario.scenario import Scenario
from planner.scenario.shown_money import shown_money
from planner.study.buy_or_wait import BuyOrWaitFutures, BuyOrWaitUnavailable, Waiting
from planner.study.plan_any import planned
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.sure_verdict import Judged, decided
from planner.study.uncertainty.tornado import TornadoBar
from pricing import Catalogue
from pricing.caching import cached_property

DISCLAIMER = "An estimate, not financial advice. Prices exclude taxes."
_CREDITED = 3  # sources named under a chart


class PlanReport(NamedTuple):
    """A named plan with its answer, for text and JSON: the summary, the notes of a preset, the futures."""

    name: str
    plan: Plan
    answer: Answer
    summary: AnswerSummary
    about: tuple[str, ...] = ()
    futures: Futures | None = None
    waits: tuple[Waiting | BuyOrWaitUnavailable, BuyOrWaitFutures | None] | None = None  # only on request
    also: OtherMeasures | None = None  # only on request
    bars: tuple[TornadoBar, ...] = ()  # of the inputs that carry the answer; only on request


def plan_text(report: PlanReport) -> str:
    """Return all sections of the page as text."""
    plan, answer, summary, futures = report.plan, report.answer, report.summary, report.futures
    fleet = fleet_timeline(answer)
    has_stages = fleet is not None and any(order.ordered_after_months > 0 for order in fleet.orders)
    first = (summary.title, *summary.sentences, *summary.turns)
    pair = answer.pair if report.bars else None
    carrying = text_table(carrying_table(report.bars, saving_side_label(pair[0].option.way))) if pair else ""
    break_evens = text_table(tables.break_even_table(answer)) if answer.break_evens else "nothing to compare"
    sections = [
        (plan.setting.scenario.name, "\n".join(filter(None, [*first, shown_money().rate_text]))),
        ("Assumptions of this example", bullet_list(report.about)),
        # without the columns that would make lines too long: they stand in the JSON and the CSV
        ("Options", text_table(tables.options_table(answer).without("Notes", "Idle, USD"))),
        ("How sure", "" if futures is None else text_table(futures_table(answer, futures))),
        ("Orders", text_table(fleet.rows) if fleet is not None and has_stages else ""),
        (f"Each year, {shown_money().code}", text_table(tables.cash_table(answer))),
        *(
            (f"{way.option.title}: lines", text_table(tables.lines_table(plan, way.option.ledger)))
            for way in answer.ranked
        ),
        *((f"{way.option.title}: {PROFIT}", profit_text(plan, way)) for way in answer.ranked),
        ("What carries the answer", carrying),
        ("What would turn it", break_evens),
        ("If rents change", text_table(tables.rent_change_table(answer)) if answer.payback_by_rent_change else ""),
        ("Buy now or wait", "" if report.waits is None else buy_or_wait_text(*report.waits)),
        (ALSO, "" if report.also is None else other_measures_text(report.also)),
        ("Warnings", bullet_list(warnings(plan, answer))),
        (HEAD, bullet_list(overdue_figure_lines(answer))),
        ("Basis of the carbon figures", bullet_list((*carbon_notes(answer), CONVENTION))),
        ("Not counted", bullet_list(not_counted(plan, answer))),
        ("Conventions", bullet_list(conventions(plan))),
    ]
    return join_sections(sections)


def warnings(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Return everything to check before relying on the answer."""
    reasons = (
        f"{way.option.title}: no rate of return, {scalar_reason(way.measures.irr.reason)}."
        for way in answer.ranked
        if not np.asarray(way.measures.irr.is_found).all() and way is not answer.baseline
    )
    return (*advice_lines(plan, answer, every=True), *reasons)


def not_counted(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Return the options that are not calculated and why, lines without a price, and costs that no plan counts."""
    unpriced = [
        f"{way.option.title}: {name.lower()}, which has no published price."
        for way in answer.ranked
        for name in way.measures.unpriced
    ]
    tax = () if plan.setting.scenario.tax is not None else ("Tax: fill in `tax` to count it.",)
    return (*unavailable_option_lines(plan), *unpriced, *tax, words.sentence(uncounted_costs(plan)))


def conventions(plan: Plan) -> tuple[str, ...]:
    """Return the settings that can change a result, and its facts."""
    setting, money = plan.setting, shown_money()
    rate = float(np.asarray(plan_discount_rate(setting)))
    shown = f"{money.code} ({money.rate_text}); what says USD is in USD" if money.rate_text else money.code
    return (
        f"Discounted at {rate * 100:.4g} % a year, effective; payments at {words.TIMINGS[setting.terms.timing]}.",
        f"Money is {setting.terms.money}, in {shown}. {SIGN}",
        f"A month has {setting.terms.hours_per_month:g} hours.",
        f"Prices as of {setting.day.isoformat()}; catalogue of {setting.catalogue.day.isoformat()}, "
        f"digest {setting.catalogue.digest[:16]}.",
    )


def _credit_text(plan: Plan, answer: Answer) -> str:
    """Return the line that goes with a chart wherever it is taken: the plan, its day and its sources."""
    setting, values = plan.setting, scenario_to_link(plan.setting.written)
    name = f"{values['name']}: " if "name" in values else ""
    sources = leading_sources(way.option.ledger for way in (answer.pair or answer.ranked[:1]))
    more = [f"{len(sources) - _CREDITED} more"] if len(sources) > _CREDITED else []
    source_text = f" Sources: {'; '.join([*sources[:_CREDITED], *more])}." if sources else ""
    question = question_text(setting.catalogue, detect_question(values), values)
    return f"{name}{question}. {facts_text(plan)}.{source_text} {DISCLAIMER}"


def facts_text(plan: Plan) -> str:
    """Return the day and the catalogue of a plan's prices, and the rate of the money shown."""
    facts = f"Prices as of {words.day(plan.setting.day)}, catalogue {plan.setting.catalogue.digest[:8]}"
    return ", ".join(filter(None, (facts, shown_money().rate_text)))


@dataclass(frozen=True)
class PlanResult:
    """A plan and its answer, shared by all who ask the same; each property is calculated on first use."""

    scenario: Scenario
    plan: Plan

    @cached_property
    def judged(self) -> Judged:
        """Return the answer with the futures that decided it."""
        return decided(self.plan)

    @property
    def answer(self) -> Answer:
        return self.judged.answer

    @property
    def futures(self) -> Futures | None:
        """Return the futures of the answer; None where there is nothing to calculate."""
        return self.judged.futures

    @cached_property
    def summary(self) -> AnswerSummary:
        """Return the answer in words."""
        return summarize_answer(self.plan, self.answer, self.futures)

    @cached_property
    def doubt(self) -> str:
        """Return how sure the answer is, and what turns it."""
        return doubt_text(self.answer)

    @cached_property
    def options(self) -> Table:
        """Return every option with its measures."""
        return tables.options_table(self.answer)

    @cached_property
    def credit(self) -> str:
        """Return the line that goes with a chart."""
        return _credit_text(self.plan, self.answer)

    @cached_property
    def hints(self) -> dict[str, str]:
        """Return the values that empty fields stand for."""
        return hints(self.plan)

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """Return the warnings of the plan."""
        return (*advice_lines(self.plan, self.answer), *filter(None, [deferral_line(self.plan)]))

    @cached_property
    def old_figures(self) -> tuple[str, ...]:
        """Return the figures that are overdue for a check."""
        return overdue_figure_lines(self.answer)

    @cached_property
    def sizes(self) -> Table | None:
        """Return the effect of other numbers of machines."""
        return fleet_size_table(self.plan)


def evaluate(catalogue: Catalogue, scenario: Scenario, day: date, *, with_details: bool) -> PlanResult:
    """Return the plan with its answer; with details, calculate all that the answer page shows."""
    show_money_in_plan(catalogue, scenario, day)
    result = PlanResult(scenario, planned(catalogue, scenario, day))
    _ = result.judged, result.hints, result.credit  # which every page shows
    if with_details:
        _ = result.summary, result.doubt, result.options, result.advice, result.old_figures, result.sizes
    return result
