"""The verdict of the futures: every word of the table at its threshold, and nothing surer than what was counted."""

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.plan import Plan, plan
from planner.money.verdict.answer import CLOSE_GAP, Answer, build_answer
from planner.money.ways import options_of_side
from planner.report.answer.sentences import summarize_answer
from planner.report.futures.counted import confidence_sentences
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.futures import Futures, draw_futures
from planner.study.uncertainty.sure_verdict import LIKELY, SURE, decided, judged, rounded
from tests.examples import at_most
from tests.facts import DAY
from tests.money.test_answer import option
from tests.rows import each_row
from tests.study.planned import catalogue, planned

COUNT = 100


def said(wins: int, *, gap: float = 0.2, first: str = "own", second: str = "on_demand", **others: Any) -> Answer:
    """The answer where the first way costs 100, and the second so much more in `wins` of 100 futures, else less."""
    made = planned()
    amounts = {first: 100.0, second: 100.0 * (1 + gap), **others}
    made = replace(made, options=tuple(option(made, key, usd) for key, usd in amounts.items()))
    return judged(build_answer(made), drawn(made, wins, gap))


def drawn(made: Plan, wins: int, gap: float) -> Futures:
    present = np.repeat([[float(one.ledger.total_usd)] for one in made.options], COUNT, axis=1)
    present[1, wins:] = present[0, 0] * (1 - gap)
    months = made.setting.timeline.last + 1
    over = np.zeros((len(made.options), 3, months))
    return Futures(made, (), made.options, present, present, over)


@each_row(("wins", "gap", "verdict"), [
    (100, 0.2, "own"), (90, 0.2, "own"), (88, 0.2, "probably own"), (70, 0.2, "probably own"), (68, 0.2, "close"),
    (100, 0.0501, "own"), (100, 0.049, "close"),
])  # fmt: skip
def test_the_words_at_their_thresholds(wins: int, gap: float, verdict: str) -> None:
    found = said(wins, gap=gap)
    assert found.verdict == verdict
    assert found.share_cheaper == pytest.approx(wins / 100)


@pytest.mark.parametrize(
    ("first", "second", "sure", "likely"),
    [("on_demand", "own", "rent", "probably rent"), ("keep", "on_demand", "keep", "probably keep")],
)
def test_each_side_has_its_words(first: str, second: str, sure: str, likely: str) -> None:
    both = {"on_demand": 150.0} if first == "keep" and second != "on_demand" else {}
    assert said(96, first=first, second=second, **both).verdict == sure
    assert said(80, first=first, second=second, **both).verdict == likely


def test_a_mix_that_is_no_surer_than_that_is_not_called() -> None:
    def mixed(wins: int) -> Answer:
        return said(wins, first="mix", second="own", on_demand=160.0)

    assert mixed(90).verdict == "mix"
    assert mixed(90).against is not None
    assert mixed(60).verdict == "close"


def test_where_futures_speak_for_the_other_side_nothing_is_called() -> None:
    found = said(20)
    assert found.verdict == "close"
    assert confidence_sentences(found) == ("Buying came out cheaper than renting in 20 of 100 simulated futures.",)


def test_ranges_hold_the_number_they_stand_beside() -> None:
    found = decided(planned()).answer
    assert found.own is not None
    outer = build_answer(planned()).own
    assert outer is not None
    assert outer.low_usd < found.own.low_usd <= found.own.present_usd <= found.own.high_usd < outer.high_usd
    assert found.own is next(one for one in found.ranked if one.option.key == "own")
    assert np.all(found.own.cost_range.low_cumulative_usd <= found.own.cumulative_usd)
    assert np.all(found.own.cost_range.high_cumulative_usd >= found.own.cumulative_usd)


def test_words_count_and_ranges_come_from_the_same_futures() -> None:
    made = planned()
    one = decided(made)
    assert one.futures is not None
    assert one.answer.share_cheaper == one.futures.share_cheaper("on_demand", "own")
    text = summarize_answer(made, one.answer, one.futures)
    assert any(
        f"in {rounded(one.answer.share_cheaper) * 100:.0f} of 100 simulated futures" in line for line in text.sentences
    )


def test_what_stands_alone_is_in_no_futures_cheaper() -> None:
    lone = plan(catalogue(), Scenario(ways=("on_demand",)), DAY)
    found = decided(lone).answer
    assert found.verdict == "rent"
    assert found.share_cheaper is None
    nothing = plan(catalogue(), Scenario(accelerator="TPU-v5e"), DAY)
    assert decided(nothing).answer.verdict == "incomplete"


@at_most(8)
@given(st.floats(0.05, 1.0), st.floats(0.5, 8.0), st.integers(0, 3))
def test_nothing_is_surer_than_what_was_counted(busy: float, usd: float, seed: int) -> None:
    scenario = Scenario.model_validate({
        "work": ({"accelerators": 8, "busy_share": busy},), "rent": {"usd_per_accelerator_hour": usd},
        "ways": ("own", "on_demand"), "seed": seed,
    })  # fmt: skip
    made = plan(catalogue(), scenario, date(2026, 11, 21))
    found = judged(build_answer(made), draw_futures(made, 128))
    share, gap = found.share_cheaper, found.gap_share
    assert share is not None
    assert gap is not None
    assert found.best is not None
    share = rounded(share)
    if found.verdict in ("own", "rent"):
        assert share > SURE - 0.011
    if found.verdict != "close":
        assert share > LIKELY - 0.011
        assert gap >= CLOSE_GAP
        assert found.best.option.way in options_of_side(*(("own", "keep") if "own" in found.verdict else ("rent",)))
        assert found.own is not None
        assert (found.own.measures.npv_usd > 0) == ("own" in found.verdict)
