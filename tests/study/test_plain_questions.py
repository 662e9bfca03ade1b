"""Every plain question is answered: over whatever has a price, with what is left out and why."""

from collections import Counter
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from planner.money.verdict.answer import Answer, build_answer
from planner.report.answer.document import answer_document
from planner.report.answer.payback_chart import payback_chart
from planner.report.answer.plan_report import PlanReport, plan_text, warnings
from planner.report.answer.sentences import AnswerSummary, summarize_answer
from planner.report.files.csv import results_table
from planner.report.futures.future_charts import futures_dots
from planner.report.what_if import compared_pair, no_comparison_summary, stress_table
from planner.scenario.file import SavedScenario
from planner.scenario.grid import SweepAxis, SweepGrid
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.sweep.sweep import Sweep
from planner.study.uncertainty.stress import run_stress_test
from planner.study.uncertainty.sure_verdict import Judged, decided
from planner.study.uncertainty.tornado import tornado
from pricing import Catalogue
from tests.facts import DAY
from tests.frozen import live_catalogue
from tests.rows import each_row
from tests.study.planned import catalogue

SIZES, BUSY = (1, 2, 8, 32, 128), (0.1, 0.5, 0.9)
LEAST = 0.98
EIGHT = ({"accelerators": 8, "busy_share": 0.6},)
MODEL = "Llama-3.1-8B"
TASKS: tuple[dict[str, Any], ...] = (
    {"accelerators": 8, "train": {"model": MODEL, "tokens": 1e10}},
    {"accelerators": 1, "train": {"model": MODEL, "tokens": 1e8, "method": "qlora"}},
    {"accelerators": 1, "serve": {"model": MODEL, "requests_per_s": 2.0, "input_tokens": 1_000, "output_tokens": 300}},
)


def asked_for(facts: Catalogue, count: int) -> tuple[str, ...]:
    """The accelerators that most offers are of."""
    offers = (offer for offer in facts.offers.values() if offer.usd_per_accelerator_hour is not None)
    counted = Counter(one.accelerator for one in offers if one.accelerator in facts.accelerators)
    return tuple(key for key, _ in counted.most_common(count))


def calculated(facts: Catalogue, **said: Any) -> Answer:
    return build_answer(planned(facts, Scenario.model_validate(said), DAY))


def unanswered(facts: Catalogue, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The questions that no title answers; that a model does not fit, or nobody has so many joined, is an answer."""
    return [question for question in questions if _open(calculated(facts, **question))]


def _open(found: Answer) -> bool:
    setting = found.plan.setting
    cannot = "on_demand" in setting.offers.lacks or (setting.resolved is not None and setting.resolved.problems)
    return found.best is None and not cannot


def plain(facts: Catalogue, every: int = 1) -> list[dict[str, Any]]:
    found = product(asked_for(facts, 20), SIZES, BUSY)
    return [{"accelerator": key, "work": ({"accelerators": count, "busy_share": busy},)} for key, count, busy in found][
        ::every
    ]


def tasks(facts: Catalogue, every: int = 1) -> list[dict[str, Any]]:
    return [{"accelerator": key, "work": (task,)} for key, task in product(asked_for(facts, 12), TASKS)][::every]


@pytest.mark.slow
@pytest.mark.parametrize("facts", [catalogue, live_catalogue])
def test_three_hundred_plain_plans_are_answered(facts: Any) -> None:
    there = facts()
    questions = plain(there)
    assert len(questions) == 300
    assert len(unanswered(there, questions)) <= (1 - LEAST) * len(questions)


@pytest.mark.slow
@pytest.mark.parametrize("facts", [catalogue, live_catalogue])
def test_training_tuning_and_serving_are_answered(facts: Any) -> None:
    there = facts()
    questions = tasks(there)
    assert len(questions) == 36
    assert len(unanswered(there, questions)) <= (1 - LEAST) * len(questions)


@pytest.mark.slow
def test_some_of_them_are_answered() -> None:
    assert unanswered(catalogue(), [*plain(catalogue(), 17), *tasks(catalogue(), 7)]) == []


@lru_cache(maxsize=32)
def _judged(asked: Scenario) -> Judged:
    return decided(planned(catalogue(), asked, DAY))


def judged(**said: Any) -> Judged:
    return _judged(Scenario.model_validate({"work": EIGHT, **said}))


def words(one: Judged) -> AnswerSummary:
    return summarize_answer(one.answer.plan, one.answer, one.futures)


def keys(found: Answer) -> tuple[str, ...]:
    return tuple(one.option.key for one in found.pair or ())


RESERVED_OR_NOT: dict[str, Any] = {
    "ways": ("reserved", "on_demand"),
    "reserve": {"usd_per_accelerator_hour": 1.94},
    "rent": {"usd_per_accelerator_hour": 2.69},
}
HIRE_OR_API: dict[str, Any] = {
    "ways": ("hosted", "on_demand"),
    "accelerator": "L4-24GB",
    "hosted": {
        "million_input_tokens_per_month": 10.0, "million_output_tokens_per_month": 2.0,
        "usd_per_million_input_tokens": 0.2, "usd_per_million_output_tokens": 0.6,
    },
}  # fmt: skip
CASH_OR_LEASE: dict[str, Any] = {"ways": ("own", "lease")}


def test_reserved_or_on_demand_is_a_question_without_owning() -> None:
    summary = words(judged(**RESERVED_OR_NOT))
    assert summary.title == "Probably rent."
    assert any(sentence.startswith("Renting is the cheapest in ") for sentence in summary.sentences)
    assert summary.turns[0].startswith("Reserving costs less above ")
    assert not any("left out" in one for one in summary.sentences)
    busy = words(judged(**RESERVED_OR_NOT, work=({"accelerators": 8, "busy_share": 0.95},)))
    assert busy.title in ("Rent, reserved.", "Probably rent, reserved.")


def test_hire_or_api_is_a_question_without_owning() -> None:
    summary = words(judged(**HIRE_OR_API))
    assert summary.title == "Use a hosted model."
    assert "A hosted model is the cheapest in all simulated futures." in summary.sentences


def test_cash_or_lease_is_a_question_where_somebody_asks_it() -> None:
    summary = words(judged(**CASH_OR_LEASE))
    assert summary.title.startswith("Lease or buy: ")
    assert any(sentence.startswith("So choose on cash: buying takes $") for sentence in summary.sentences)


def test_a_sum_against_a_rent() -> None:
    """240,000 at once against 35,000 a month."""
    rent = {"usd_per_accelerator_hour": 35_000 / (8 * 730 * 0.6)}
    found = judged(ways=("own", "on_demand"), own={"capex_usd": 240_000.0}, rent=rent)
    assert words(found).title == "Buy."
    assert found.answer.missing == ()


def test_one_way_alone_says_so() -> None:
    summary = words(judged(ways=("on_demand",)))
    assert summary.title == "Rent."
    assert "Only renting was chosen." in summary.sentences
    assert [figure.label for figure in summary.figures] == ["Rent, on demand", "An hour of a GPU", "Cash on day one"]


def test_what_nobody_can_rent_out_is_bought_or_left() -> None:
    work = {"accelerators": 4_096, "busy_share": 0.5, "accelerators_per_job": 4_096}
    found = judged(accelerator="A100-PCIe-80GB", work=(work,))
    summary = words(found)
    assert summary.title == "Probably own; leasing or buying cost about the same."  # one more seller would be a rival
    assert any(
        sentence.startswith("Renting is left out: no known seller here joins 4,096 A100 PCIe 80 GB on demand")
        for sentence in summary.sentences
    )


def test_what_nobody_sells_is_rented() -> None:
    found = judged(accelerator="TPU-v5e", rent={"usd_per_accelerator_hour": 1.2}, ways=("own", "on_demand"))
    summary = words(found)
    assert summary.title == "Rent."
    assert any(
        sentence.startswith("Buying is left out: TPU v5e, per chip is not sold") for sentence in summary.sentences
    )


def test_a_likely_price_is_told_as_one() -> None:
    found = judged(accelerator="T4-16GB")
    said = " ".join(words(found).sentences)
    assert "No purchase price of T4 16 GB is published: about $" in said
    assert keys(found.answer)[0] == "own"
    assert found.futures is not None
    price = next(one for one in found.futures.inputs if one.name == "usd_per_accelerator")
    assert price.kind == "derived"
    assert price.spread.low < price.spread.typical < price.spread.high


def test_where_nothing_has_a_price_the_sentences_say_what_to_enter() -> None:
    summary = words(judged(accelerator="TPU-v3"))
    assert summary.title == "Not enough to answer yet."
    assert len(summary.sentences) == 2
    assert all("enter" in sentence for sentence in summary.sentences)


def test_what_kept_machines_take_to_run_is_filled_in_unless_told() -> None:
    filled = judged(kept={"accelerators": 8}, ways=("keep", "on_demand")).answer
    assert any("Filled in from facts" in warning for warning in warnings(filled.plan, filled))
    running = {"accelerators": 8, "power_w_each": 900.0, "running_usd_per_month": 500.0}
    told_all = judged(kept=running, ways=("keep", "on_demand")).answer
    assert not any("Filled in" in one for one in warnings(told_all.plan, told_all))


ONE_SIDED = (RESERVED_OR_NOT, HIRE_OR_API, CASH_OR_LEASE)
LONE: tuple[dict[str, Any], ...] = ({"ways": ("on_demand",)}, {"ways": ("own",)}, {"accelerator": "A100-PCIe-80GB"})


@each_row("said", [*ONE_SIDED, *LONE])
@pytest.mark.slow
def test_every_page_and_file_works_with_any_two_ways_or_one(said: dict[str, Any]) -> None:
    found = judged(**said)
    made, drawn = found.answer.plan, found.futures
    one = PlanReport("plain", made, found.answer, words(found), (), drawn)
    data = answer_document(one).model_dump(mode="json")
    assert data["best"] == found.answer.best.option.key if found.answer.best else None
    assert tuple(data["compared"]) == keys(found.answer)
    text = plan_text(one)
    assert all(line in text for line in (*one.summary.sentences, *one.summary.turns))
    assert len(results_table(made, found.answer, drawn)) == len(found.answer.ranked)
    assert payback_chart(found.answer, dark=False).to_dict()["data"]
    assert drawn is not None
    assert (futures_dots(found.answer, drawn, dark=False) is None) == (found.answer.pair is None)
    assert (no_comparison_summary(found) is None) == (found.answer.pair is not None)
    assert "Plan" in stress_table([run_stress_test(made, "rents-fall", 64)], found).columns


@pytest.mark.parametrize("said", ONE_SIDED)
def test_a_question_of_one_side_has_bars_and_break_evens(said: dict[str, Any]) -> None:
    found = judged(**said).answer
    assert found.baseline.measures.npv_usd == pytest.approx(0.0)
    assert len(found.break_evens) == 7
    assert tornado(found.plan, *compared_pair(found))


def test_a_reserved_price_stays_where_the_rent_on_demand_is_tried() -> None:
    found = judged(**RESERVED_OR_NOT).answer
    assert keys(found) == ("reserved", "on_demand")
    turn = found.break_even("usd_per_accelerator_hour")
    assert turn.value is not None
    there = judged(**RESERVED_OR_NOT | {"rent": {"usd_per_accelerator_hour": turn.value}}).answer
    assert there.pair[0].as_entered_usd == pytest.approx(there.pair[1].as_entered_usd, rel=1e-6)


@pytest.mark.slow
def test_a_sweep_answers_as_the_plans_do() -> None:
    base = Scenario.model_validate({"work": EIGHT, **RESERVED_OR_NOT})
    path = ("rent", "usd_per_accelerator_hour")
    grid = SweepGrid(
        SavedScenario(base), (SweepAxis((path,), tuple((usd,) for usd in np.linspace(1.5, 4.0, 8).tolist())),)
    )
    for number, swept in enumerate(Sweep(catalogue(), grid, DAY).block(0, 8)):
        usd = grid.values(number)[0]
        answer = calculated(catalogue(), work=EIGHT, **RESERVED_OR_NOT | {"rent": {"usd_per_accelerator_hour": usd}})
        assert (swept.leads, swept.best) == ("rent", answer.best.option.key)
        assert swept.npv_usd == pytest.approx(answer.pair[1].present_usd - answer.pair[0].present_usd)
        assert swept.break_even_says


def test_machines_that_come_when_the_work_is_done_do_not_answer_for_what_nobody_rents_out() -> None:
    """64 at once in one run of 19 days: bought, they come months later; the answer says what to enter."""
    run = {"model": "Llama-2-7B", "tokens": 1e12}
    asked = {"accelerator": "A100-PCIe-80GB", "work": ({"accelerators": 64, "train": run},), "years": 1.0,
             "own": {"channel": "standard"}}  # fmt: skip
    answer = calculated(catalogue(), **asked)
    assert (answer.verdict, answer.best) == ("incomplete", None)
    assert any("no known seller here joins" in one for one in answer.missing)
    assert summarize_answer(answer.plan, answer).title == "Not available as requested."
