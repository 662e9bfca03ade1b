"""A plan and its answer as text for a terminal: the numbers of the page, from the same tables."""

from typing import NamedTuple

import numpy as np

from planner.money.ledger import Ledger
from planner.money.measures import rate_per_year
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer import tables
from planner.report.answer.advice import advice_lines, unavailable_option_lines
from planner.report.answer.also import HEAD as ALSO
from planner.report.answer.also import Also, other_measures_text
from planner.report.answer.carbon_words import CONVENTION, carbon_notes
from planner.report.answer.price_words import HEAD, overdue_figure_lines
from planner.report.answer.profit_words import HEAD as PROFIT
from planner.report.answer.profit_words import profit_text
from planner.report.answer.sentences import AnswerSummary
from planner.report.answer.sentences import not_counted as left_out
from planner.report.files.csv import SIGN
from planner.report.fleet.order_words import fleet_timeline
from planner.report.forms import bullet_list, join_sections, scalar_reason
from planner.report.futures.counted import buy_or_wait_text, futures_table
from planner.report.table import Table, text_table
from planner.study.buy_or_wait import BuyOrWaitFutures, BuyOrWaitUnavailable, Waiting
from planner.study.uncertainty.futures import Futures


class Reckoned(NamedTuple):
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
    also: Also | None = None  # the other numbers, where they are asked for


def plan_text(one: Reckoned) -> str:
    """Everything the page says, one section after the other."""
    plan, found = one.plan, one.found
    sections = [
        (plan.setting.scenario.name, "\n".join([one.told.title, *one.told.sentences, *one.told.turns])),
        ("What this example takes for granted", bullet_list(one.about)),
        ("Ways", text_table(_ways(found))),
        ("How sure", "" if one.futures is None else text_table(futures_table(found, one.futures))),
        ("Orders", _orders(found)),
        ("Each year, USD", text_table(tables.cash_table(found.ranked))),
        *((f"{way.option.title}: lines", _lines(way.option.ledger)) for way in found.ranked),
        *((f"{way.option.title}: {PROFIT}", profit_text(plan, way)) for way in found.ranked),
        (
            "What would turn it",
            text_table(tables.break_even_table(found)) if found.break_evens else "nothing to compare",
        ),
        ("If rents change", text_table(tables.rent_change_table(found)) if found.payback_by_rent_change else ""),
        ("Buy now or wait", "" if one.waits is None else buy_or_wait_text(*one.waits)),
        (ALSO, "" if one.also is None else other_measures_text(one.also)),
        ("Look at again", bullet_list(warnings(plan, found))),
        (HEAD, bullet_list(overdue_figure_lines(found))),
        ("What carbon rests on", bullet_list((*carbon_notes(found), CONVENTION))),
        ("Not counted", bullet_list(not_counted(plan, found))),
        ("Reckoned by", bullet_list(conventions(plan))),
    ]
    return join_sections(sections)


def _ways(found: Answer) -> Table:
    """The options without the columns that would make lines too long; those stand in the JSON and the CSV."""
    return tables.options_table(found).without("Notes", "Idle, USD")


def _orders(found: Answer) -> str:
    """The orders of what is bought, where there are several or none is placed today."""
    told = fleet_timeline(found)
    staged = told is not None and any(one.ordered_after_months > 0 for one in told.orders)
    return text_table(told.rows) if told is not None and staged else ""


def _lines(ledger: Ledger) -> str:
    return text_table(tables.lines_table(ledger))


def warnings(plan: Plan, found: Answer) -> tuple[str, ...]:
    """What somebody should look at before he believes it."""
    reasons = (
        f"{way.option.title}: no rate of return, {scalar_reason(way.measures.irr.reason)}."
        for way in found.ranked
        if not np.asarray(way.measures.irr.found).all() and way is not found.baseline
    )
    return (*advice_lines(plan, found, every=True), *reasons)


def not_counted(plan: Plan, found: Answer) -> tuple[str, ...]:
    """Ways that were not reckoned and why, lines without a price, and what no plan counts."""
    unpriced = [
        f"{way.option.title}: {name.lower()}, which has no published price."
        for way in found.ranked
        for name in way.measures.unpriced
    ]
    tax = () if plan.setting.scenario.tax is not None else ("Tax: fill in `tax` to count it.",)
    return (*unavailable_option_lines(plan), *unpriced, *tax, f"{left_out(plan)[:1].upper()}{left_out(plan)[1:]}.")


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
