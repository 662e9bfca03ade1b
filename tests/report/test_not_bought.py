"""That nobody publishes a price is said where it is true, and nowhere else."""

import pytest

from planner.money.option import Unavailable
from planner.money.plan import plan
from planner.money.ways.own import cannot_buy_reason
from planner.report.market.compare import no_purchase_reason
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from tests.facts import DAY
from tests.rows import each_row


@each_row(
    ("accelerator", "said"),
    [
        ("TPU-v5e", "TPU v5e, per chip cannot be bought, only rented."),
        ("A10G-24GB", "A10G 24 GB cannot be bought, only rented."),
        ("T4-16GB", "No purchase price of T4 16 GB is published: enter a quote to compare."),
        ("GH200-96GB", "Buying GH200 96 GB is not an option of this plan, or is not available for this order."),
        ("H100-SXM5-80GB", "Buying H100 SXM5 80 GB is not an option of this plan, or is not available for this order."),
        ("H100", "H100, kind not stated may be several accelerators, each with its own price: name one to "
                 "compare with buying."),
    ],
)  # fmt: skip
def test_why_buying_does_not_stand_beside_the_offers(accelerator: str, said: str) -> None:
    assert no_purchase_reason(load_catalogue(), accelerator) == said


@pytest.mark.parametrize(("accelerator", "said"), [
    ("TPU-v5e", "TPU v5e, per chip is not sold"),
    ("A16-16GB", "the price of A16 16 GB, per GPU is not published"),
    ("H100", "H100, kind not stated may be several"),
])  # fmt: skip
def test_a_way_to_own_says_why_it_has_no_price(accelerator: str, said: str) -> None:
    made = plan(load_catalogue(), Scenario.model_validate({"accelerator": accelerator}), DAY)
    unavailable = cannot_buy_reason(made.setting, 8)
    assert isinstance(unavailable, Unavailable)
    assert unavailable.reason.startswith(said)
