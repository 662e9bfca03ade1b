"""A guarantee of the resale is worth what owning costs less with it, on average over the futures."""

from typing import Any

import pytest

from planner.report.answer.advice import guarantee_sentence
from planner.scenario.own import OwnInputs, PurchaseOrder
from planner.study.uncertainty.futures import Futures, draw_futures
from planner.study.uncertainty.guarantee import guarantee_value
from tests.study.planned import planned


def drawn(**own: Any) -> Futures:
    found = draw_futures(planned(own=OwnInputs(**own)), 256)
    assert found is not None
    return found


ORDERS = (PurchaseOrder(accelerators=4), PurchaseOrder(accelerators=4, month=12, residual_share=0.45))


@pytest.mark.parametrize("orders", [(), ORDERS], ids=["at once", "in two orders"])
def test_its_worth_is_what_owning_costs_less_on_average(orders: tuple[PurchaseOrder, ...]) -> None:
    """The same draws, with and without it."""
    cost = {"guaranteed_residual_share": 0.5, "guarantee_cost_share": 0.03}
    without, with_it = drawn(orders=orders), drawn(orders=orders, **cost)
    found = guarantee_value(with_it)
    assert found is not None
    rows = [one.present_usd[one.row("own")] for one in (without, with_it)]
    assert found.gain_usd == pytest.approx((rows[0] - rows[1]).mean())
    free = drawn(orders=orders, guaranteed_residual_share=0.5).present_usd[with_it.row("own")]
    assert found.payout_share == pytest.approx((free < rows[0] - 1e-6).mean())
    assert found.cost_usd == pytest.approx((rows[1] - free).mean())


def test_it_is_said_beside_its_cost() -> None:
    """Above all that is left it is always paid, at nothing never."""
    always = guarantee_sentence(drawn(guaranteed_residual_share=1.0, guarantee_cost_share=0.01))
    assert always.startswith("The guarantee of the resale costs $")
    assert "it pays in 100 of 100 futures" in always or "it pays in all" in always
    assert always.endswith("more than it costs, in today's money and before tax.")
    free = guarantee_sentence(drawn(guaranteed_residual_share=0.0))
    assert free.startswith("The guarantee of the resale is entered as free; it pays in")
    assert "$0 on average" in free
    assert guarantee_sentence(drawn()) == guarantee_sentence(None) == ""


def test_what_is_agreed_is_not_drawn() -> None:
    inputs = {one.name for one in drawn(forward_residual_share=0.3).inputs}
    assert "residual_position" not in inputs
    assert "residual_position" in {one.name for one in drawn().inputs}
