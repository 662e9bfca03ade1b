"""A share of futures as it is told: all only where it is all of them, none only where it is none."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer, build_answer
from planner.report.answer.plan_report import PlanReport
from planner.report.answer.sentences import AnswerSummary
from planner.report.answer.side_by_side import compare_table
from planner.report.files.answer_schema import FrequencySchema, SweepSchema
from planner.report.files.sweep import summary_text
from planner.report.futures.counted import (
    buy_or_wait_sentences,
    buy_or_wait_table,
    confidence_sentences,
    futures_table,
    limit_probability_sentences,
    saving_summary,
)
from planner.report.futures.future_charts import futures_dots
from planner.report.futures.input_words import input_label, value_text
from planner.report.speed.speed_tables import accuracy_summary
from planner.report.table import Table
from planner.report.what_if import map_summary, stress_table
from planner.report.words import lower_first, share_per_100
from planner.scenario.terms import FinancialTerms
from planner.study.buy_or_wait import BuyOrWaitFutures, Waiting, waiting
from planner.study.uncertainty.break_even_map import BreakEvenMap, MapAxis
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.sure_verdict import Judged
from tests.money.test_answer import option
from tests.report.test_speed import published
from tests.rows import each_row
from tests.study.planned import planned

COUNT = 1_024
COUNTS = (COUNT, COUNT - 1, 1_018, 1_013, 512, 8, 1, 0)
SAYS_ALL = re.compile(r"\ball\b|\balways\b|\b100 of 100|\b100\.0 %|\b100%")
SAYS_NONE = re.compile(r"\bnone\b|\bnever\b(?! buying)|\bin no\b|\bhardly\b|\b0 of 100|\b0\.0 %|\b0%")
EVERY_COUNT = pytest.mark.parametrize("wins", COUNTS)


@lru_cache(maxsize=1)
def made() -> Plan:
    """Owning at 100 against renting at 120, with limits on the money of day one and of each year."""
    terms = FinancialTerms(cash_on_day_one_usd=150.0, cash_per_year_usd=150.0)
    there = planned(terms=terms)
    return replace(there, options=(option(there, "own", 100.0), option(there, "on_demand", 120.0)))


def drawn(wins: int) -> Futures:
    """Futures in `wins` of which owning costs less, and keeps to the limits of money."""
    there = np.arange(COUNT) < wins
    present = np.array([np.full(COUNT, 100.0), np.where(there, 120.0, 80.0)])
    cash = np.array([np.where(there, 150.0, 160.0)] * 2)
    return Futures(made(), (), made().options, present, cash, cash)


def found(wins: int) -> Answer:
    """What is answered where owning costs less in so many of them."""
    return build_answer(made(), drawn(wins).costs)


@lru_cache(maxsize=1)
def later() -> Waiting:
    """The same question asked of when to buy."""
    there = waiting(planned())
    assert isinstance(there, Waiting)
    return there


def later_drawn(wins: int) -> BuyOrWaitFutures:
    """Futures in `wins` of which a later month, and never buying, cost less than buying now."""
    months = len(later().months)
    share, nought = np.full(months, wins / COUNT), np.zeros(months)
    share[0] = 0.0
    return BuyOrWaitFutures(COUNT, nought, nought, nought, nought, share, wins / COUNT)


def sentences(wins: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Everything that tells such a share in words."""
    there, futures = found(wins), drawn(wins)
    yield from limit_probability_sentences(there, futures)
    yield saving_summary(there, futures)
    yield buy_or_wait_sentences(later(), later_drawn(wins))[1]
    chart = futures_dots(there, futures, dark=False)
    assert chart is not None
    yield from (str(trace["name"]) for trace in chart.to_dict()["data"][: 1 if wins else 0])
    monkeypatch.setattr(type(futures), "deadline_share", property(lambda _: wins / COUNT))
    yield limit_probability_sentences(there, futures)[0]


@EVERY_COUNT
def test_no_sentence_says_all_or_none_where_it_is_not(wins: int, monkeypatch: pytest.MonkeyPatch) -> None:
    told_of = list(sentences(wins, monkeypatch))
    assert len(told_of) == (6 if wins else 5)
    for sentence in told_of:
        assert bool(SAYS_ALL.search(sentence)) is (wins == COUNT), sentence
        assert bool(SAYS_NONE.search(sentence)) is (wins == 0), sentence


@each_row(("wins", "group", "often"), [
    (COUNT, "Owning", "all"), (COUNT - 1, "Owning", "more than 99 of 100"), (1_014, "Owning", "99 of 100"),
    (513, "Owning", "50 of 100"), (10, "Renting", "99 of 100"), (1, "Renting", "more than 99 of 100"),
    (0, "Renting", "all"),
])  # fmt: skip
def test_the_answer_says_how_often(wins: int, group: str, often: str) -> None:
    assert confidence_sentences(found(wins)) == (f"{group} is the cheapest in {often} simulated futures.",)


def counts(wins: int) -> Iterator[float]:
    """Everything that shows such a share as a number of 100."""
    there, futures = found(wins), drawn(wins)
    yield cell(futures_table(there, futures), "Cheapest, of 100 futures", "Option", made().options[0].title)
    yield cell(stress_table([], Judged(there, futures)), "Owning is cheaper, of 100 futures")
    yield buy_or_wait_table(later(), later_drawn(wins))["Cheaper than now, of 100 futures"][-1]
    one = PlanReport("it", made(), there, AnswerSummary("", (), ()), (), futures)
    leads = cell(compare_table([one]), "it", "Measure", "Best option cheaper in so many of 100 futures")
    yield leads if 2 * wins > COUNT else 100 - leads


def cell(table: Table, column: str, by: str | None = None, value: str = "") -> Any:
    """One cell: of the first row, or of that where another column says `value`."""
    return table[column][0 if by is None else table[by].index(value)]


@EVERY_COUNT
def test_no_table_shows_100_or_0_where_it_is_not(wins: int) -> None:
    for count in counts(wins):
        assert count == pytest.approx(100 * wins / COUNT, abs=1.0)
        assert (float(f"{count:.3g}") == 100) is (wins == COUNT)  # as the screen writes it
        assert (float(f"{count:.3g}") == 0) is (wins == 0)


@EVERY_COUNT
def test_the_share_in_files_is_the_one_that_was_counted(wins: int) -> None:
    assert found(wins).share_cheaper == max(wins, COUNT - wins) / COUNT


def test_no_share_of_100_becomes_all_or_none() -> None:
    for count in (3, 100, 999, 1_024, 40_000, 10_000_000):
        for step in (1, 2):
            shares = np.unique(np.linspace(0, count, 101).round()) / count
            for share in (*shares.tolist(), 1 / count, 1 - 1 / count):
                assert (share_per_100(share, step) == 100) is (share == 1)
                assert (share_per_100(share, step) == 0) is (share == 0)
                assert share_per_100(share, step) == pytest.approx(100 * share, abs=max(0.1, step / 2))


@pytest.mark.parametrize("wins", [10_000, 9_999, 5_000, 1, 0])
def test_a_sweep_says_100_percent_only_of_all(wins: int) -> None:
    shares = {"rent": wins / 10_000, "own": 1 - wins / 10_000}
    counted = tuple(FrequencySchema(value=value, share=share) for value, share in shares.items())
    text = summary_text(
        SweepSchema(file="", day=date(2026, 11, 21), catalogue_digest="", scenarios=10_000, were_there=0, seconds=0.0,
              leads=counted, verdicts=None, best=counted, flips=(), rows=())
    )  # fmt: skip
    numbers = [float(number) for number in re.findall(r"([\d.]+) %", text)]
    assert (100 in numbers) is (wins in (0, 10_000))
    assert (0 in numbers) is (wins in (0, 10_000))


@pytest.mark.parametrize("wins", [400, 399, 200, 1, 0])
def test_a_map_is_won_whole_only_where_all_of_it_is(wins: int) -> None:
    saved = np.where(np.arange(400) < wins, 1.0, -1.0).reshape(20, 20)
    axes = [MapAxis(name, "1", np.linspace(0, 1, 20), 0.5, 0.1, 0.9) for name in ("busy_share", "residual_share")]
    said = map_summary(BreakEvenMap(*axes, saved_usd=saved)).partition("%")[0] + "%"
    assert said.endswith(" 100%") is (wins == 400)
    assert said.endswith(" 0%") is (wins == 0)


@pytest.mark.parametrize("near", [300, 299, 1, 0])
def test_published_runs_are_all_near_only_where_all_are(near: int) -> None:
    runs = [published(0.0 if place < near else 5.0) for place in range(300)]
    text = accuracy_summary(runs, 0.2)
    assert ("100 of 100" in text or "; all" in text) is (near == 300)
    assert ("none of 100" in text) is (near == 0)


def test_prices_that_are_believed_are_called_as_people_call_them() -> None:
    for name, said in (("on_demand_price_factor", "rent on demand"), ("disk_price_factor", "price of rented disks")):
        assert lower_first(input_label(name)) == said
        assert value_text(name, 1.3) == "130% of today's"
