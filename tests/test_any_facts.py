"""What holds whatever the facts are: on the frozen catalogue, on the one that ships, and with twenty more offers.

No word, sign or amount is asserted here. Whoever adds a correct price, offer, provider or accelerator sees these tests
pass; where one fails, the program is wrong and not the price.
"""

import csv
import io
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from planner.cli.prices import SORTS
from planner.money.renting.cheapest_offer import default_offer_filter
from planner.money.renting.orders import busiest_order
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.verdict.decision import Verdict
from planner.money.ways import WAYS
from planner.report.answer.document import answer_document
from planner.report.answer.plan_report import PlanReport, plan_text
from planner.report.answer.sentences import summarize_answer
from planner.report.answer.tables import options_table
from planner.report.files.csv import cash_table, results_table, to_csv
from planner.report.market.cheapest import market_data, market_table, market_text
from planner.report.market.prices import offer_rows, sort_offers
from planner.scenario.presets import find_preset, load_presets
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.study.market.survey import MarketStudy, market
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from pricing import Catalogue, load_catalogue
from pricing.orderable import refusal_reason
from pricing.query import AGEING_DAYS, OfferFilter, find
from tests import newcomers
from tests.facts import DAY, options_of_side
from tests.frozen import live_catalogue
from tests.house import ROOT

pytestmark = pytest.mark.slow

DRAWS = 128
SEEDS = (1, 2, 3)
WORLDS = ["frozen", "live", *(f"newcomers {seed}" for seed in SEEDS)]
each_world = pytest.mark.parametrize("world", WORLDS)
CHIPS = ("H100-SXM5-80GB", *newcomers.CHIPS)
JOBS = {
    "train": Work(
        accelerators=8, may_stop=True, train=TrainingTask(model="llama-3-8b", tokens=2e10, deadline_days=20.0)
    ),
    "serve": Work(serve=ServingTask(model="llama-3-8b", requests_per_s=5.0, peak_requests_per_s=9.0)),
}
OWNING = options_of_side("own", "keep")
# What a verdict is about: the ways that may be named by it. The others are about no way in particular.
SIDES: dict[Verdict, tuple[str, ...]] = {
    "own": OWNING, "probably own": OWNING, "rent": options_of_side("rent"), "probably rent": options_of_side("rent"),
    "mix": options_of_side("mix"), "keep": options_of_side("keep"), "probably keep": options_of_side("keep"),
}  # fmt: skip


@lru_cache(maxsize=len(WORLDS))
def catalogue_of(world: str) -> Catalogue:
    if world == "frozen":
        return load_catalogue()
    return live_catalogue() if world == "live" else newcomers.with_newcomers(int(world.split()[1]))


def day_of(world: str) -> date:
    """The day that its plans are for: none of its figures is of a later one."""
    return max(DAY, catalogue_of(world).day)


def load_scenario(name: str) -> Scenario:
    """A preset, or the first question of the app about an accelerator."""
    found = find_preset(name)
    return Scenario(accelerator=name) if found is None else found.scenario


@lru_cache(maxsize=64)
def calculated(world: str, name: str) -> PlanReport:
    """A plan with its answer, its words and its futures."""
    plan = planned(catalogue_of(world), load_scenario(name), day_of(world))
    sure = decided(plan, DRAWS)
    return PlanReport(name, plan, sure.answer, summarize_answer(plan, sure.answer, sure.futures), (), sure.futures)


each_preset = pytest.mark.parametrize("name", [preset.key for preset in load_presets()])


@each_world
@each_preset
def test_every_preset_has_an_answer_or_says_what_is_missing(world: str, name: str) -> None:
    report = calculated(world, name)
    found = report.answer
    assert found.ranked
    assert report.summary.title
    assert found.missing if found.verdict == "incomplete" else found.best is not None


@each_world
def test_every_accelerator_has_an_answer_or_says_what_is_missing(world: str) -> None:
    for name in chips_of(world, CHIPS):
        report = calculated(world, name)
        assert report.summary.title
        assert report.answer.missing or report.answer.best is not None
        assert plan_text(report)


def chips_of(world: str, names: Iterable[str]) -> list[str]:
    """Those of the accelerators that somebody has heard of in a world."""
    return [name for name in names if name in catalogue_of(world).accelerators]


@each_world
@each_preset
def test_the_verdict_is_that_of_its_own_table(world: str, name: str) -> None:
    found = calculated(world, name).answer
    costs = [way.present_usd for way in found.ranked]
    assert costs == sorted(costs)
    assert len(options_table(found)) == len(found.ranked)
    if found.best is not None and found.verdict in SIDES:
        assert found.best.option.way in SIDES[found.verdict]
        assert found.best.present_usd <= found.against.present_usd * (1 + 1e-12)
    assert all(way is None or way in found.ranked for way in named(found))


def named(found: Answer) -> tuple[EvaluatedOption | None, ...]:
    """The ways that an answer speaks of."""
    return found.best, found.against, found.own, found.rent, found.requested


@each_world
@each_preset
def test_a_title_names_only_a_way_that_there_is(world: str, name: str) -> None:
    report = calculated(world, name)
    there = {option.way for option in report.plan.options}
    longest = sorted(WAYS.items(), key=lambda item: -len(item[1].verdict_text))  # "Rent, reserved" is not "Rent"
    job = next((way for way, record in longest if report.summary.title.startswith(record.verdict_text)), None)
    assert job is None or job in there
    assert {absent.way for absent in report.plan.absent}.isdisjoint(there)


@each_world
@each_preset
def test_lines_sum_to_totals_and_the_files_to_the_screen(world: str, name: str) -> None:
    report = calculated(world, name)
    rows = cash_table(report.plan).to_pandas()
    for way in report.answer.ranked:
        ledger = way.option.ledger
        lines = sum(float(np.nan_to_num(line.usd).sum()) for line in ledger.lines)
        assert float(ledger.total_usd) == pytest.approx(lines, rel=1e-9, abs=1e-6)
        of = rows[rows["option"] == way.option.key]
        assert of["amount"].sum() == pytest.approx(lines, rel=1e-9, abs=1e-6)
        assert (of["amount"] * of["discount_factor"]).sum() == pytest.approx(way.as_entered_usd, rel=1e-9, abs=1e-6)
        assert of["present_value"].sum() == pytest.approx(way.as_entered_usd, rel=1e-9, abs=1e-6)
    results = csv.reader(
        io.StringIO(to_csv(results_table(report.plan, report.answer, report.futures)).decode("utf-8-sig"))
    )
    assert len(list(results)) == 1 + len(report.answer.ranked)


@each_world
@each_preset
def test_text_and_data_can_be_made_of_it(world: str, name: str) -> None:
    report = calculated(world, name)
    text, data = plan_text(report), answer_document(report).model_dump(mode="json")
    assert report.summary.title in text
    assert "nan" not in text.lower().split()
    assert data["title"] == report.summary.title
    assert [way["key"] for way in data["options"]] == [way.option.key for way in report.answer.ranked]


@each_world
@each_preset
def test_what_a_plan_rents_is_on_offer_can_be_had_and_is_never_in_doubt(world: str, name: str) -> None:
    setting, day = calculated(world, name).plan.setting, day_of(world)
    scenario, taken = setting.scenario, setting.offers
    shown = find(setting.catalogue, default_offer_filter(scenario.accelerator), day).ids
    order = busiest_order(setting)
    for key, named in ((taken.on_demand, scenario.rent.offer), (taken.reserved, scenario.reserve.offer)):
        if key is not None and named is None:
            assert key in shown
            assert setting.catalogue.offers[key].usd_per_accelerator_hour is not None
    if taken.on_demand is not None and scenario.rent.offer is None:
        assert refusal_reason(setting.catalogue, taken.on_demand, order) is None


@each_world
def test_every_offer_is_shown_or_counted_and_rows_are_in_order(world: str) -> None:
    facts, day = catalogue_of(world), day_of(world)
    found = find(facts, OfferFilter(), day)
    assert len(found.ids) + sum(found.hidden.values()) == len(facts.offers)
    for by in SORTS:
        rows = offer_rows(facts, sort_offers(facts, found.ids, by, day), day)
        assert len(rows) == len(found.ids)
    usd = [
        row["usd_per_accelerator_hour"] for row in offer_rows(facts, sort_offers(facts, found.ids, "price", day), day)
    ]
    priced = [one for one in usd if one is not None]
    assert priced == sorted(priced)
    assert None not in usd[: len(priced)]  # what has no price comes last


@lru_cache(maxsize=16)
def studied(world: str, job: str) -> MarketStudy:
    """The market of one piece of work on some accelerators."""
    asked = Scenario(accelerator=ANY_ACCELERATOR, work=(JOBS[job],))
    chips = chips_of(world, (*CHIPS, "A100-SXM4-80GB", "MI300X-192GB"))
    return market(catalogue_of(world), asked, day_of(world), accelerators=chips)


@each_world
@pytest.mark.parametrize("job", JOBS)
def test_nothing_beats_the_front_and_every_loser_says_why(world: str, job: str) -> None:
    study = studied(world, job)
    front = [(one.speed, one.cost) for one in study.front]
    assert front == sorted(front)
    assert [cost for _, cost in front] == sorted((cost for _, cost in front), reverse=True)
    assert all(one.why_not or one.on_front or one == study.best for one in study.candidates)
    assert math.isfinite(study.best.cost)
    inside = [candidate for candidate in study.candidates if not candidate.why_not]
    less = [one for one in inside if one.cost < study.best.cost * (1 - 1e-9)]
    assert all(one.band is None or one.band.has_few_sellers for one in less)  # what many rent out goes before it
    assert all(2 * one.cost >= study.best.cost for one in less)
    assert len(market_table(study)) == len(study.candidates)
    assert market_text(study)
    assert market_data(study)["why"]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_newcomers_are_twenty_correct_offers_of_every_kind(seed: int) -> None:
    before, after = live_catalogue(), newcomers.with_newcomers(seed)
    new = {key: offer for key, offer in after.offers.items() if key not in before.offers}
    assert len(new) == 20
    assert {offer.provider for offer in new.values()} - before.providers.keys()
    assert {offer.accelerator for offer in new.values()} - before.accelerators.keys()
    ages = [
        offer.usd_per_accelerator_hour.age_days(after.day) for offer in new.values() if offer.usd_per_accelerator_hour
    ]
    assert max(ages) > AGEING_DAYS
    h100 = default_offer_filter("H100-SXM5-80GB")
    assert find(after, h100, after.day).ids[0] in new  # one of them is cheaper than any before
    assert newcomers.newcomers(seed) == newcomers.newcomers(seed)
    assert newcomers.newcomers(seed) != newcomers.newcomers(seed + 1)


def test_twenty_more_offers_in_a_copy_of_the_tree_break_no_test_of_the_data(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(ROOT, tmp_path / "copy", ignore=shutil.ignore_patterns(".*", "*.pyc.*")))
    newcomers.put_newcomers(copy / "pricing" / "data", SEEDS[0])
    quick = ("-m", "not slow", "--hypothesis-profile=quick")  # the slow ones kill, time and repeat: not of the data
    feeds = "--ignore=tests/pricing/feeds"  # they read replies, and the frozen catalogue
    call = [sys.executable, "-m", "pytest", "tests/pricing", feeds, *quick, "-p", "no:cacheprovider"]
    alone = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    where = {**alone, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run(call, cwd=copy, env=where, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3_000:]
