"""Filters hide and count; they never invent, and their order is total."""

from datetime import timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.choices import TRUST_ORDER, Area
from pricing.orderable import Order, ResidencyRequirement, eu, is_in, refusal_reason, run_coordinates
from pricing.query import MILD, OfferFilter, find, freshness, price, trust
from tests.facts import CATALOGUE, DAY

OFFERS = CATALOGUE.offers

WISHES = st.builds(
    OfferFilter,
    accelerators=st.frozensets(st.sampled_from(sorted({o.accelerator for o in OFFERS.values()})), max_size=3),
    providers=st.frozensets(st.sampled_from(sorted(CATALOGUE.providers)), max_size=5),
    purchases=st.frozensets(st.sampled_from(sorted({o.purchase for o in OFFERS.values()})), max_size=3),
    areas=st.frozensets(st.sampled_from(sorted({o.area for o in OFFERS.values()})), max_size=2),
    region=st.sampled_from([None, "us-east", "EUROPE", "global", "nowhere"]),
    accelerators_per_instance=st.sampled_from([None, 1, 8]),
    order=st.sampled_from([None, Order(64), Order(64, together=64), Order(8, together=8, stay=eu(CATALOGUE))]),
    max_age_days=st.sampled_from([None, 30, 60, 365]),
    least_trust=st.sampled_from(sorted(TRUST_ORDER)),
    doubtful=st.booleans(),
)


@given(WISHES)
def test_every_offer_is_either_shown_or_counted(wish: OfferFilter) -> None:
    found = find(CATALOGUE, wish, DAY)
    assert len(found.ids) == len(set(found.ids))
    assert set(found.ids) <= set(OFFERS)
    assert len(found.ids) + sum(found.hidden.values()) == len(OFFERS)


@given(WISHES)
def test_what_is_shown_fits_the_wish(wish: OfferFilter) -> None:
    for key in find(CATALOGUE, wish, DAY).ids:
        offer = OFFERS[key]
        assert not wish.accelerators or offer.accelerator in wish.accelerators
        assert not wish.providers or offer.provider in wish.providers
        assert not wish.purchases or offer.purchase in wish.purchases
        assert wish.accelerators_per_instance in (None, offer.accelerators_per_instance)
        assert wish.order is None or refusal_reason(CATALOGUE, key, wish.order) is None
        assert wish.doubtful or MILD.issuperset(offer.doubts)
        if offer.usd_per_accelerator_hour is not None and wish.max_age_days is not None:
            assert offer.usd_per_accelerator_hour.age_days(DAY) <= wish.max_age_days


@given(WISHES)
def test_the_order_is_total_and_the_unpriced_come_last(wish: OfferFilter) -> None:
    prices = [(price(OFFERS[key]), key) for key in find(CATALOGUE, wish, DAY).ids]
    assert prices == sorted(prices)


@given(WISHES, st.permutations(sorted(OFFERS)[:40]))
def test_the_order_does_not_depend_on_the_order_of_the_files(wish: OfferFilter, order: list[str]) -> None:
    few = {key: OFFERS[key] for key in sorted(OFFERS)[:40]}
    shuffled = {key: OFFERS[key] for key in order}
    assert (
        find(CATALOGUE.model_copy(update={"offers": few}), wish, DAY).ids
        == find(CATALOGUE.model_copy(update={"offers": shuffled}), wish, DAY).ids
    )


def test_a_narrower_wish_never_shows_more() -> None:
    wide = OfferFilter(max_age_days=365)
    narrow = OfferFilter(max_age_days=60, purchases=frozenset({"on_demand"}))
    assert set(find(CATALOGUE, narrow, DAY).ids) <= set(find(CATALOGUE, wide, DAY).ids)


@pytest.mark.parametrize("doubt", sorted({doubt for offer in OFFERS.values() for doubt in offer.doubts} - MILD))
def test_what_is_in_doubt_is_hidden(doubt: str) -> None:
    marked = {key: offer for key, offer in OFFERS.items() if doubt in offer.doubts}
    assert marked
    assert not marked.keys() & set(find(CATALOGUE, OfferFilter(), DAY).ids)


def test_a_price_turns_stale_after_a_month() -> None:
    offer = next(o for o in OFFERS.values() if o.usd_per_accelerator_hour is not None and not o.doubts)
    assert offer.usd_per_accelerator_hour is not None
    checked = offer.usd_per_accelerator_hour.checked
    ages = {0: "fresh", 7: "fresh", 8: "ageing", 30: "ageing", 31: "stale"}
    assert {days: freshness(offer, checked + timedelta(days=days)) for days in ages} == ages


def test_an_offer_that_does_not_say_which_form_is_counted_apart() -> None:
    hidden = find(CATALOGUE, OfferFilter(accelerators=frozenset({"H100-SXM5-80GB"})), DAY).hidden
    assert hidden["accelerator not stated"] >= 5


def test_who_cannot_take_an_order_is_counted_under_the_reason() -> None:
    chips = frozenset({"H100-SXM5-80GB"})
    wish = OfferFilter(accelerators=chips, order=Order(64, together=64))
    hidden = find(CATALOGUE, wish, DAY).hidden
    assert hidden["too few at once"] > 20
    assert hidden["no fabric"] > 20
    assert "too few at once" not in find(CATALOGUE, OfferFilter(accelerators=chips), DAY).hidden


def test_every_badge_of_the_catalogue_is_a_known_one() -> None:
    figures = [offer.usd_per_accelerator_hour for offer in OFFERS.values() if offer.usd_per_accelerator_hour]
    badges = {trust(CATALOGUE, figure.newest) for figure in figures}
    assert badges <= set(TRUST_ORDER)
    assert {"API", "published", "collected"} <= badges


NAMED_PLACES = {  # a region, and the part of the world that its places make it belong to
    "Canada/Norway/US": {"europe", "north_america"}, "India/EU": {"asia", "europe"},
    "US/Iceland": {"europe", "north_america"}, "EU/CA": {"europe", "north_america"}, "Finland/Iceland": {"europe"},
    "global": set(get_args(Area)) - {"not_stated"}, "not stated": set(),
}  # fmt: skip


@pytest.mark.parametrize(("region", "areas"), NAMED_PLACES.items())
def test_an_offer_of_several_places_belongs_to_each(region: str, areas: set[str]) -> None:
    of_region = {key for key, offer in OFFERS.items() if offer.region == region}
    assert of_region
    for area in set(get_args(Area)) - {"not_stated", "anywhere"}:
        shown = find(CATALOGUE, OfferFilter(areas=frozenset({area}), doubtful=True), DAY).ids
        assert of_region & set(shown) == (of_region if area in areas else set())


@given(st.sampled_from(sorted(OFFERS)), st.sampled_from(sorted(set(get_args(Area)) - {"not_stated", "anywhere"})))
def test_what_may_stay_in_a_part_of_the_world_is_shown_there(key: str, area: str) -> None:
    stays = refusal_reason(CATALOGUE, key, Order(stay=ResidencyRequirement(areas=frozenset({area})))) is None
    shown = is_in(CATALOGUE, OFFERS[key], frozenset({area}))
    assert shown or not stays
    if run_coordinates(CATALOGUE, OFFERS[key]):
        assert shown == stays
