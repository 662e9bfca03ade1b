"""Buy now or wait in many futures: each as its own plan says, counted and not fitted, the same for the same seed."""

from typing import Any

import numpy as np
import pytest

from planner.money.many_ledgers import build_ledger, option_builder
from planner.money.measures import present_usd
from planner.money.owning.inputs import ORDER
from planner.money.plan import plan_from_context
from planner.report.answer.document import buy_or_wait_json
from planner.report.futures.counted import buy_or_wait_sentences, buy_or_wait_table, buy_or_wait_text
from planner.report.mix_charts import buy_or_wait_chart
from planner.report.words import share_per_100
from planner.scenario.own import OwnInputs
from planner.scenario.terms import FinancialTerms
from planner.study import buy_or_wait as module
from planner.study.buy_or_wait import BuyOrWaitFutures, Waiting, buy_or_wait_futures, waiting
from planner.study.uncertainty.draws import draw_inputs
from planner.study.uncertainty.futures import draw_futures
from planner.study.uncertainty.uncertain_inputs import uncertain_inputs
from tests.study.planned import planned


def of(**changes: Any) -> tuple[Waiting, BuyOrWaitFutures]:
    """The curve of a plan and its futures; both must be there."""
    found = waiting(planned(**changes))
    assert isinstance(found, Waiting)
    there = buy_or_wait_futures(found)
    assert there is not None
    return found, there


@pytest.mark.slow
def test_each_future_is_a_plan_of_its_own() -> None:
    """Futures 0, 5 and 17, ordered in month 0 and in the last: what a ledger with these inputs comes to."""
    found, there = of()
    setting, build = found.plan.setting, option_builder(found.option)
    inputs = uncertain_inputs(plan_from_context(setting.with_tried({ORDER: float(found.months[-1])})))
    draws = draw_inputs(inputs, there.count, setting.scenario.seed)
    usd = {}
    for future in range(there.count):
        for month in (0.0, 12.0):
            tried = {name: float(values[future]) for name, values in draws.items()}
            ledger = build_ledger(setting.with_tried({**tried, ORDER: month}), build)
            assert ledger is not None
            usd[future, month] = float(np.squeeze(present_usd(setting.with_tried(tried), ledger)))
    saved = np.array([usd[future, 0.0] - usd[future, 12.0] for future in range(there.count)])
    at = found.months.index(12)
    assert there.share_cheaper[at] == pytest.approx(float(np.mean(saved > 0)))
    assert there.value_low_usd[at] == pytest.approx(float(np.quantile(saved, 0.1)))
    assert there.value_high_usd[at] == pytest.approx(float(np.quantile(saved, 0.9)))


def test_the_price_of_later_machines_is_drawn() -> None:
    """It touches no line of a plan that orders now, and is uncertain all the same."""
    found, there = of()
    names = {
        one.name
        for one in uncertain_inputs(plan_from_context(found.plan.setting.with_tried({ORDER: float(found.months[-1])})))
    }
    assert "hardware_price_change_per_year" in names
    assert there.share_cheaper[0] == 0.0
    assert np.all(there.low_usd <= found.present_usd)
    assert np.all(there.high_usd >= found.present_usd)
    assert np.all(there.value_low_usd <= there.value_high_usd)


def test_never_buying_is_as_likely_as_the_verdict_says() -> None:
    """It is the very share: a page that says 72 of 100 in one place and 74 in another is believed in neither."""
    found, there = of()
    drawn_here = draw_futures(found.plan)
    assert drawn_here is not None
    said = drawn_here.share_cheaper("on_demand", found.option.key)
    assert there.never_buy_share == said


def test_the_same_seed_is_the_same_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = of()[1], of()[1]
    assert first.share_cheaper.tobytes() == second.share_cheaper.tobytes()
    assert first.low_usd.tobytes() == second.low_usd.tobytes()
    monkeypatch.setattr(module, "_ROWS", 64)
    assert of()[1].count == 64


def test_a_fall_of_prices_makes_waiting_likelier() -> None:
    terms = FinancialTerms(discount_rate_per_year=0.0, rent_change_per_year=0.0)
    still, falls = (of(own=OwnInputs(hardware_price_change_per_year=change), terms=terms)[1] for change in (0.0, -0.6))
    assert falls.share_cheaper[12] > still.share_cheaper[12]


def test_words_table_and_chart_hold_the_same_numbers() -> None:
    found, there = of()
    table = buy_or_wait_table(found, there)
    assert len(table) == len(found.months)
    assert table["Cheaper than now, of 100 futures"] == [share_per_100(share) for share in there.share_cheaper]
    said = buy_or_wait_sentences(found, there)[1]
    assert said.startswith("Cheaper than ordering now: ordering in month ")
    assert "never buying in " in said
    figure = buy_or_wait_chart(found, False, there)
    assert figure.data[0].y == pytest.approx(tuple(there.low_usd))
    assert figure.data[1].y == pytest.approx(tuple(there.high_usd))
    assert len(buy_or_wait_chart(found, False).data) == len(figure.data) - 2
    data = buy_or_wait_json(found, there)
    assert data.futures == there.count
    assert [month.cheaper_than_today_share for month in data.months] == there.share_cheaper.tolist()
    assert said in buy_or_wait_text(found, there)
