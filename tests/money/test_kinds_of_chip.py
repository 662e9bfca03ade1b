"""What hangs on the kind of chip: how its price moves, and whether a host is put around it."""

import pytest

from planner.money.owning import machine
from planner.money.plan import build_context
from planner.money.setting import PlanContext
from planner.scenario.scenario import Scenario
from pricing import Catalogue, load_catalogue
from pricing.market.hardware import new_price, used_share
from tests.facts import DAY
from tests.money.owning import lines

CARD, BOARD = "RTX-4090-24GB", "H100-SXM5-80GB"


def with_new_cards(*, consumer: bool) -> Catalogue:
    """The frozen facts, and the RTX 4090 sold new, to private people or for servers."""
    facts = load_catalogue()
    card = facts.accelerators[CARD].model_copy(update={"consumer": consumer, "priced_used": False})
    return facts.model_copy(update={"accelerators": {**facts.accelerators, CARD: card}})


def of(catalogue: Catalogue, accelerator: str) -> PlanContext:
    """One of it for three years, delivered at once."""
    asked = {"accelerator": accelerator, "years": 3.0, "own": {"lead_time_months": 0.0}}
    return build_context(catalogue, Scenario.model_validate(asked), DAY)


def test_prices_follow_the_kind_of_chip() -> None:
    facts = load_catalogue()
    assert facts.accelerators[BOARD].hardware_class == "sxm"
    assert facts.accelerators["RTX-A6000-48GB"].hardware_class == "workstation"
    assert facts.accelerators["Apple-M2-Ultra-192GB"].hardware_class == "desktop"
    assert facts.accelerators["DGX-Spark-GB10-128GB"].hardware_class == "desktop"
    private, server = (lines(of(with_new_cards(consumer=to_people), CARD))["Resale"] for to_people in (True, False))
    age = DAY.year + 324 / 365.25 - (2022 + 9.5 / 12)
    ratio = [float(new_price(1.0, 3.0, kind, product_age=age) * used_share(3.0, kind)) for kind in ("consumer", "pcie")]
    assert private.total_usd / server.total_usd == pytest.approx(ratio[0] / ratio[1])


def test_a_machine_that_is_sold_whole_has_no_host_around_it() -> None:
    facts = load_catalogue()
    key = "DGX-Spark-GB10-128GB"
    spark = facts.accelerators[key]
    sold = of(facts, key)
    found = machine(sold)
    assert (found.is_complete, found.order_text(1)) == (True, f"one whole {spark.label}")
    box = float(lines(sold)["Servers, with spares"].total_usd)
    number = round(box / spark.price_usd.newest.typical)
    assert box == pytest.approx(number * spark.price_usd.newest.typical)
