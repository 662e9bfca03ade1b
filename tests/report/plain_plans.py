"""Plain plans by the number of a seed, and everything that is said of one: what tests of sentences read."""

import random
from collections.abc import Iterator
from datetime import date
from typing import Any

from planner.report.answer.advice import advice_lines, deferral_line, fleet_size_table
from planner.report.answer.other_measures import other_measures
from planner.report.answer.phrases import hints, question_text
from planner.report.answer.plan_report import PlanReport, plan_text
from planner.report.answer.sentences import summarize_answer
from planner.report.table import text_table
from planner.scenario.link import scenario_to_link
from planner.scenario.question import detect_question
from planner.scenario.scenario import Scenario
from planner.study.buy_or_wait import BuyOrWaitUnavailable, buy_or_wait_futures, waiting
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from pricing import Catalogue

_CHIPS = ("H100-SXM5-80GB", "RTX-4090-24GB", "A100-SXM4-80GB", "GB200-NVL72-186GB", "L40S-48GB", "MI300X-192GB")
_OWN: tuple[dict[str, Any], ...] = (
    {"lead_time_months": 1.0}, {"lead_time_months": 0.0, "place": "home"}, {"refresh_years": 1.0},
    {"orders": ({"accelerators": 1, "month": 0}, {"accelerators": 1, "month": 1})},
    {"usd_per_accelerator": 1_000.0, "warranty_years": 1.0},
)  # fmt: skip


def plain_plan(seed: int, catalogue: Catalogue) -> Scenario:
    """A plan of small numbers, ones above all."""
    chance = random.Random(seed)
    chip = chance.choice(_CHIPS) if chance.random() < 0.7 else chance.choice(sorted(catalogue.accelerators))
    data: dict[str, Any] = {
        "accelerator": chip, "years": chance.choice((0.25, 1, 1, 2, 3, 5)), "work": (_work(chance),),
    }  # fmt: skip
    parts: dict[str, dict[str, Any]] = {
        "own": chance.choice(_OWN),
        "rent": {"usd_per_accelerator_hour": chance.choice((0.1, 1.0, 5.0)), "hours_per_session": 1.0},
        "terms": {"cash_on_day_one_usd": chance.choice((1_000.0, 1e6))},
        "kept": {"accelerators": 1, "usd_today_if_sold": 5_000.0},
    }
    return Scenario.model_validate(data | {name: part for name, part in parts.items() if chance.random() < 0.25})


def _work(chance: random.Random) -> dict[str, Any]:
    work: dict[str, Any] = {"accelerators": chance.choice((1, 1, 1, 2, 3, 8, 9, 16, 64, 1_000))}
    kind = chance.random()
    if kind < 0.2:
        tokens, due = chance.choice((1e8, 1e9, 1e11)), chance.choice((None, 1.0))
        method = chance.choice(("full", "lora"))
        work["train"] = {"model": "Llama-3-8B", "tokens": tokens, "method": method, "deadline_days": due}
    elif kind < 0.35:
        work["serve"] = {"model": "Llama-3-8B", "requests_per_s": chance.choice((0.01, 1.0, 20.0))}
    elif kind < 0.5:
        work |= {"jobs_per_week": 1.0, "hours_per_job": 1.0}
    else:
        flags = ("may_wait", "may_stop")
        work |= {
            "busy_share": chance.choice((0.01, 0.1, 0.5, 0.9, 1.0)),
            **{flag: chance.random() < 0.3 for flag in flags},
        }
        work["growth_per_year"] = chance.choice((0.0, 0.0, -0.3, 1.0))
    return work


def lines_of(catalogue: Catalogue, scenario: Scenario, day: date, futures: int = 64) -> Iterator[str]:
    """Every sentence, title, hint, tile and row of a table that a page or a terminal shows of a plan."""
    plan = planned(catalogue, scenario, day)
    sure = decided(plan, futures)
    said, waits = summarize_answer(plan, sure.answer, sure.futures), waiting(plan)
    later = None if isinstance(waits, BuyOrWaitUnavailable) else buy_or_wait_futures(waits)
    more = other_measures(plan, sure.answer, sure.futures)
    one = PlanReport("it", plan, sure.answer, said, (), sure.futures, (waits, later), more)
    yield from plan_text(one).splitlines()
    for tile in said.figures:
        yield from (f"{tile.label}: {tile.value}", tile.range, tile.detail)
    yield from hints(plan).values()
    yield from advice_lines(plan, sure.answer)
    yield deferral_line(plan) or ""
    sizes = fleet_size_table(plan)
    yield from () if sizes is None else text_table(sizes).splitlines()
    held = scenario_to_link(scenario)
    yield question_text(catalogue, detect_question(held), held)
