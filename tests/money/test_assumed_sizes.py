"""How many a seller has is often our assumption: whatever names such a number says so."""

import re
from collections.abc import Iterator

import pytest

from planner.money.renting.orders import able, nobody
from planner.money.setting import PlanContext
from planner.report.answer.plan_report import evaluate
from planner.report.facts.facts import provider_context
from planner.report.market.prices import offer_rows, offer_text
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from pricing import Catalogue, load_catalogue
from pricing.orderable import BY_THE_TERM, NVLINK_DOMAIN, Order, sale
from tests.facts import DAY

NUMBERS = (8, 48, 256, 520, 1_024, 5_000, 20_000)
KINDS = (frozenset({"on_demand"}), frozenset({"spot"}), BY_THE_TERM)
H100 = "H100-SXM5-80GB"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def publishes(catalogue: Catalogue, key: str) -> bool:
    """Whether the data of an offer, of its seller or of its seller's network hold how many there are."""
    offer = catalogue.offers[key]
    provider = catalogue.providers[offer.provider]
    networks = [one for one in provider.fabrics if offer.accelerator in one.accelerators and one.most_at_once]
    return bool(offer.most_at_once or (offer.purchase != "spot" and (provider.most_at_once or networks)))


def refusals(catalogue: Catalogue) -> Iterator[tuple[tuple[str, ...], str]]:
    """What is said of every order that nobody can take, with the offers that there are."""
    for chip in catalogue.accelerators:
        setting = PlanContext(catalogue, Scenario(accelerator=chip), DAY)
        there = {key: one.purchase for key, one in catalogue.offers.items() if one.accelerator == chip}
        for kinds in KINDS:
            keys = tuple(key for key, purchase in there.items() if purchase in kinds)
            orders = [Order(number, job) for number in NUMBERS for job in (1, 8, 64, number) if job <= number]
            for order in orders if keys else ():
                if able(catalogue, keys, (order,)) is None:
                    yield keys, nobody(setting, keys, order, "on demand")


def test_each_sentence_that_names_an_assumed_size_says_we_assume(catalogue: Catalogue) -> None:
    rack = int(catalogue.facts[NVLINK_DOMAIN].figure.newest.typical)
    plain = assumed = 0
    for keys, said in refusals(catalogue):
        named = re.search(r"the largest is ([\d,]+)( \(we assume\))?, of (.+)\. Smaller", said) or re.search(
            r"at once: (?P<who>.+?) has ([\d,]+)( \(we assume\))?(?:, all|\. Fewer)", said
        )
        assert named is not None, said
        who = named["who"] if "who" in named.groupdict() else named[3]
        number, mark = next((int(named[at].replace(",", "")), named[at + 1]) for at in (1, 2) if named[at][0].isdigit())
        its = [key for key in keys if catalogue.providers[catalogue.offers[key].provider].label == who]
        known = {number for key in its if publishes(catalogue, key)} | {rack}
        known |= {size for key in its if not sale(catalogue, key).sizes_assumed for size in sale(catalogue, key).sizes}
        assert mark or number in known, said
        plain, assumed = plain + (not mark), assumed + bool(mark)
    assert plain > 100
    assert assumed > 100


def test_what_all_sellers_have_together_says_how_much_of_it_we_assume(catalogue: Catalogue) -> None:
    keys = tuple(
        key for key, one in catalogue.offers.items() if one.accelerator == H100 and one.purchase == "on_demand"
    )
    said = nobody(PlanContext(catalogue, Scenario(accelerator=H100), DAY), keys, Order(20_000, 1), "on demand")
    most: dict[str, tuple[int, bool]] = {}
    for key in keys:
        there = (sale(catalogue, key).most.accelerators, not publishes(catalogue, key))
        most[catalogue.offers[key].provider] = max(most.get(catalogue.offers[key].provider, there), there)
    every, assumed = sum(one for one, _ in most.values()), sum(one for one, is_ours in most.values() if is_ours)
    assert 0 < assumed < every
    assert f"all {len(most)} sellers together {every:,} ({assumed:,} of them we assume)" in said


def test_every_capacity_of_the_catalogue_is_marked_as_the_data_have_it(catalogue: Catalogue) -> None:
    for key in catalogue.offers:
        assert sale(catalogue, key).most.assumed is not publishes(catalogue, key), key


def test_sellers_who_share_an_order_have_sizes_that_we_assume(catalogue: Catalogue) -> None:
    asked = Scenario(work=(Work(accelerators=1_500, busy_share=0.5),), years=1, ways=("on_demand",))
    sentences = evaluate(catalogue, asked, DAY, with_details=True).summary.sentences
    (shared,) = [one for one in sentences if "sellers share them" in one]
    assert "we assume" in shared


def test_the_table_of_prices_and_the_facts_of_a_seller_mark_what_we_assume(catalogue: Catalogue) -> None:
    keys = [key for key, one in catalogue.offers.items() if one.provider == "together"]
    assert "512?" in offer_text(offer_rows(catalogue, keys, DAY))
    fact = next(one for one in provider_context(catalogue, "together", DAY) if one.name == "most at once")
    assert (fact.value, fact.kind) == (512, "assumption")
    assert fact.note is not None
    assert "assumed" in fact.note
