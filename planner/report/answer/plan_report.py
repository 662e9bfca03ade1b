"""A plan with its answer: calculated once for all pages, and as text for a terminal from the same tables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from planner.money.measures import plan_discount_rate
from planner.money.plan import Plan
from planner.money.setting import show_money_in_plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.verdict.decision import group
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer import tables
from planner.report.answer.advice import (
    HEAD,
    advice_lines,
    deferral_line,
    fleet_size_table,
    overdue_figure_lines,
    price_text,
    unavailable_option_lines,
)
from planner.report.answer.feasibility import infeasible_title, why_not
from planner.report.answer.line_words import leading_sources
from planner.report.answer.notes import CONVENTION, budget_sentences, carbon_notes
from planner.report.answer.other_measures import HEAD as OTHER
from planner.report.answer.other_measures import OtherMeasures, other_measures_text
from planner.report.answer.phrases import Texts, field_value_text, hints, question_text
from planner.report.answer.profit_words import HEAD as PROFIT
from planner.report.answer.profit_words import profit_text
from planner.report.answer.sensitivity import carrying_table
from planner.report.answer.sentences import AnswerSummary, left_out, summarize_answer
from planner.report.answer.sentences import not_counted as uncounted_costs
from planner.report.files.csv import SIGN
from planner.report.forms import bullet_list, join_sections, scalar_reason
from planner.report.futures.counted import buy_or_wait_text, format_futures_count, futures_table
from planner.report.futures.input_words import saving_side_label
from planner.report.table import Table, text_table
from planner.report.title import costs_alike, fleet_timeline, tied_options, title
from planner.scenario.link import ALSO, scenario_to_link
from planner.scenario.question import KEYS, detect_question
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
_CREDITED, _MOST_NAMED = 3, 2  # sources named under a chart; edits that are said


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
        (OTHER, "" if report.also is None else other_measures_text(report.also)),
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


class VerdictSummary(NamedTuple):
    """The title of one plan, and the net present cost of its options."""

    title: str
    usd: dict[str, float]  # of the two compared options, by activity: buying, renting
    line: str
    cards: Mapping[str, tuple[str, float]] = MappingProxyType({})  # by place: the option as an activity, and its cost


def summarize_verdict(plan: Plan, answer: Answer) -> VerdictSummary:
    """Return the title, and the cost of the two options with their ranges; the reason where a plan is infeasible."""
    work = plan.setting.resolved
    if work is not None and work.refused:
        return VerdictSummary(infeasible_title(work), {}, why_not(work))
    pair = tuple(reversed(answer.pair or ())) or ((answer.best,) if answer.best else ())
    costs = {WAYS[way.option.way].start_text: way.present_usd for way in pair}
    shown = answer.cards or {group(way.option): way for way in pair}
    cards = {place: (WAYS[way.option.way].start_text, way.present_usd) for place, way in shown.items()}
    return VerdictSummary(title(answer), costs, ", ".join(map(_cost_text, pair)), cards)


def doubt_text(answer: Answer) -> str:
    """Return in how many futures the answer holds, the rent at which another option wins, and what is left out."""
    texts, paid = list(budget_sentences(answer)), price_text(answer)
    rent = answer.break_even("usd_per_accelerator_hour")
    is_in_title = answer.verdict == "close" and not costs_alike(*tied_options(answer))
    if answer.share_cheaper is not None and not is_in_title:
        texts.append(f"Cheapest in {format_futures_count(answer.share_cheaper)} futures.")
    if answer.pair is not None and rent is not None and rent.value is not None and rent.you:
        change = rent.value / rent.you - 1
        where, way = ("above", answer.pair[0]) if change > 0 else ("below", answer.pair[1])
        turn = f"{WAYS[way.option.way].start_text} costs less at rents {where} {words.usd_per_hour(rent.value)}"
        turn = f"as entered, {turn}" if any(way.is_skewed for way in answer.pair) else turn
        texts.append(f"{words.upper_first(turn)}, {words.percent(abs(change))} {where} {paid or 'yours'}.")
    elif paid:
        texts.append(f"Rent is taken at {paid}.")
    texts += left_out(answer)
    return " ".join(texts)


def _cost_text(way: EvaluatedOption) -> str:
    low, usd, high = map(words.format_usd_short, (way.low_usd, way.present_usd, way.high_usd))
    return f"{WAYS[way.option.way].start_text} {usd}{'' if low == high else f' ({low} to {high})'}"


def last_edit_text(
    catalogue: Catalogue, texts: Texts, now: VerdictSummary, texts_before: Texts, before: VerdictSummary
) -> str:
    """Return the last edit and its effect on the answer; empty where none was made, or another plan is open."""
    edits = [key for key in (*KEYS, ALSO) if texts.get(key) != texts_before.get(key)]
    if len(edits) > _MOST_NAMED:
        return ""
    changes = []
    for key in edits:
        if key in KEYS:
            old, new = (field_value_text(catalogue, key, side.get(key)) for side in (texts_before, texts))
            changes.append(f"{words.lower_first(KEYS[key].label.rstrip('?'))}: {old} → {new}")
    if not changes:
        return ""
    effects = []
    for place, (name, usd) in now.cards.items():
        if place in before.cards:
            old, old_usd = before.cards[place]
            effects.append(f"{name if name == old else f'{old} → {name}'} {_signed_usd(usd - old_usd)}")
    if now.title != before.title:
        effects.append(f"the answer was “{_bare(before.title)}”")
    return f"Last edit, {', '.join(changes)}. {words.upper_first(', '.join(effects) or 'no compared cost changed')}."


def _signed_usd(usd: float) -> str:
    short = words.format_usd_short(abs(usd))
    return "unchanged" if re.fullmatch(r"-?\D*0(\.00)?", short) else f"{'+' if usd > 0 else '-'}{short}"


def price_update_text(then: VerdictSummary, now: VerdictSummary) -> str:
    """Return the effect of today's prices on an earlier answer."""
    old, new = ({name: words.format_usd_short(usd) for name, usd in it.usd.items()} for it in (then, now))
    moves = ", ".join(f"{name} {old[name]} → {usd}" for name, usd in new.items() if old.get(name, usd) != usd)
    if _bare(then.title) != _bare(now.title):
        money = f": {moves}" if moves else ""
        return f"Today's prices change this answer from “{_bare(then.title)}” to “{_bare(now.title)}”{money}."
    return f"Today's prices leave this answer as it is{f'; its money moves: {moves}' if moves else ''}."


def _bare(title: str) -> str:
    return title.rstrip(".")


def price_drop_text(seller: str, usd: float, below: float, before: float | None) -> str:
    """Return the news that a price fell below a threshold."""
    was = "" if before is None else f"; the lowest was {words.usd_per_hour(before)}"
    return f"{seller} asks {words.usd_per_hour(usd)} a GPU-hour, below {words.usd_per_hour(below)}{was}."
