"""How many a seller has is often our assumption: whatever names such a number says so."""

import pytest

from planner.money.renting.orders import nobody
from planner.money.setting import PlanContext
from planner.report.facts.facts import provider_context
from planner.report.market.prices import offer_rows, offer_text
from planner.scenario.scenario import Scenario
from pricing import Catalogue, load_catalogue
from pricing.orderable import BY_THE_TERM, Order, refusal_reason, sales
from tests.facts import DAY

H100 = "H100-SXM5-80GB"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def publishes(catalogue: Catalogue, key: str) -> bool:
    """Whether the data of an offer, of its seller or of its seller's network hold how many there are."""
    offer = catalogue.offers[key]
    provider = catalogue.providers[offer.provider]
    networks = [
        fabric for fabric in provider.fabrics if offer.accelerator in fabric.accelerators and fabric.most_at_once
    ]
    return bool(offer.most_at_once or (offer.purchase != "spot" and (provider.most_at_once or networks)))


def test_no_size_that_we_assume_refuses_an_order(catalogue: Catalogue) -> None:
    """Hosts of others are one machine; whatever else refuses a number publishes it, or joins no more machines."""
    for key, offer in catalogue.offers.items():
        sold = sales(catalogue)[key]
        if offer.purchase in ("on_demand", *BY_THE_TERM) and not publishes(catalogue, key) and sold.kind != "bid":
            assert refusal_reason(catalogue, key, Order(5_000, 1)) in (None, "smaller than its least order"), key


def test_what_all_sellers_have_together_says_how_much_of_it_we_assume(catalogue: Catalogue) -> None:
    keys = tuple(
        key for key, offer in catalogue.offers.items() if offer.accelerator == H100 and offer.purchase == "on_demand"
    )
    text = nobody(PlanContext(catalogue, Scenario(accelerator=H100), DAY), keys, Order(20_000, 1), "on demand")
    most: dict[str, tuple[int, bool]] = {}
    for key in keys:
        there = (sales(catalogue)[key].most.accelerators, not publishes(catalogue, key))
        most[catalogue.offers[key].provider] = max(most.get(catalogue.offers[key].provider, there), there)
    every, assumed = sum(one for one, _ in most.values()), sum(one for one, is_ours in most.values() if is_ours)
    assert 0 < assumed < every
    assert f"all {len(most)} sellers together {every:,} ({assumed:,} of them we assume)" in text


def test_every_capacity_of_the_catalogue_is_marked_as_the_data_have_it(catalogue: Catalogue) -> None:
    for key in catalogue.offers:
        assert sales(catalogue)[key].most.assumed is not publishes(catalogue, key), key


def test_the_table_of_prices_and_the_facts_of_a_seller_mark_what_we_assume(catalogue: Catalogue) -> None:
    keys = [key for key, offer in catalogue.offers.items() if offer.provider == "together"]
    assert "512 assumed" in offer_text(offer_rows(catalogue, keys, DAY))
    fact = next(one for one in provider_context(catalogue, "together", DAY) if one.name == "most at once")
    assert (fact.value, fact.kind) == (512, "assumption")
    assert fact.note is not None
    assert "assumed" in fact.note
