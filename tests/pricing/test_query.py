"""Filters hide and count; they never invent, and their order is total."""

import re
from datetime import date, timedelta
from typing import Annotated, Any, Literal, get_args

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from pricing import Catalogue
from pricing.catalogue import figures
from pricing.choices import TRUST_ORDER, Area
from pricing.figure import Day
from pricing.orderable import Order, ResidencyRequirement, eu, is_in, refusal_reason, run_coordinates
from pricing.query import MILD, OfferFilter, find, freshness, price, trust
from pricing.stale import as_of
from pricing.strict_yaml import first_error_message
from tests.examples import at_most
from tests.facts import CATALOGUE, DAY
from tests.rows import each_row

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


@each_row("doubt", sorted({doubt for offer in OFFERS.values() for doubt in offer.doubts} - MILD))
def test_what_is_in_doubt_is_hidden(doubt: str) -> None:
    marked = {key: offer for key, offer in OFFERS.items() if doubt in offer.doubts}
    assert marked
    assert not marked.keys() & set(find(CATALOGUE, OfferFilter(), DAY).ids)


def test_a_price_turns_stale_after_a_month() -> None:
    offer = next(o for o in OFFERS.values() if o.usd_per_accelerator_hour is not None and not o.doubts)
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
    assert hidden["too few at once"] > 10  # hosts of others, and who publishes how many there are
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


@each_row("area", sorted(set(get_args(Area)) - {"not_stated", "anywhere"}))
def test_an_offer_of_several_places_belongs_to_each(area: Area) -> None:
    shown = set(find(CATALOGUE, OfferFilter(areas=frozenset({area}), doubtful=True), DAY).ids)
    for region, areas in NAMED_PLACES.items():
        of_region = {key for key, offer in OFFERS.items() if offer.region == region}
        assert of_region
        assert of_region & shown == (of_region if area in areas else set()), region


@given(st.sampled_from(sorted(OFFERS)), st.sampled_from(sorted(set(get_args(Area)) - {"not_stated", "anywhere"})))
def test_what_may_stay_in_a_part_of_the_world_is_shown_there(key: str, area: str) -> None:
    stays = refusal_reason(CATALOGUE, key, Order(stay=ResidencyRequirement(areas=frozenset({area})))) is None
    shown = is_in(CATALOGUE, OFFERS[key], frozenset({area}))
    assert shown or not stays
    if run_coordinates(CATALOGUE, OFFERS[key]):
        assert shown == stays


def price_on(day: date, key: str) -> tuple[float, date]:
    """The price of an offer as it was known, and when somebody had looked."""
    figure = as_of(CATALOGUE, day).offers[key].usd_per_accelerator_hour
    return figure.newest.typical, figure.checked


def test_today_is_the_catalogue_itself() -> None:
    assert as_of(CATALOGUE, CATALOGUE.day) is CATALOGUE
    assert as_of(CATALOGUE, date(2030, 1, 1)) is CATALOGUE


@pytest.mark.parametrize(
    ("day", "usd"),
    [(date(2026, 7, 15), 2.99), (date(2026, 10, 9), 3.49), (date(2026, 10, 10), 3.99), (date(2026, 11, 20), 3.99)],
)
def test_a_price_is_what_it_was(day: date, usd: float) -> None:
    price, checked = price_on(day, "runpod/H100-SXM5-80GB/1x/global/on_demand/secure-cloud")
    assert price == usd
    assert checked <= day


def test_an_offer_nobody_had_seen_is_not_there() -> None:
    then = as_of(CATALOGUE, date(2026, 6, 1))
    assert 200 < len(then.offers) < len(CATALOGUE.offers)
    for offer in then.offers.values():
        figure = offer.usd_per_accelerator_hour
        assert figure is None or max(figure.values) <= date(2026, 6, 1)


def test_what_was_sold_at_most_says_nothing_of_when_its_price_was_seen() -> None:
    key = "aws/H100-SXM5-80GB/8x/us-east-1/capacity_block"
    offer = CATALOGUE.offers[key]
    first = min(offer.usd_per_accelerator_hour.values)
    early = offer.most_at_once.model_copy(update={"values": {date(2020, 1, 1): offer.most_at_once.newest}})
    long_known = offer.model_copy(update={"most_at_once": early})
    catalogue = CATALOGUE.model_copy(update={"offers": {key: long_known}})
    assert key in as_of(catalogue, first).offers
    assert key not in as_of(catalogue, first - timedelta(days=1)).offers


def test_a_price_that_was_fresh_then_is_fresh_again() -> None:
    day = date(2026, 8, 25)
    then = as_of(CATALOGUE, day)
    fresh = [key for key, offer in then.offers.items() if freshness(offer, day) == "fresh"]
    assert len(fresh) > 100
    assert find(then, OfferFilter(max_age_days=7), day).ids


@pytest.mark.slow
@at_most(30)
@given(st.dates(date(2025, 1, 1), date(2026, 11, 20)))
def test_nothing_is_known_before_its_day_and_the_digest_says_so(day: date) -> None:
    then = as_of(CATALOGUE, day)
    assert then.day == day
    assert then.digest == as_of(CATALOGUE, day).digest != CATALOGUE.digest
    for placed in figures(then):
        assert placed.figure.newest in placed.figure.values.values()
        assert max(placed.figure.values) <= max(placed.figure.checked, day)
        if placed.section in ("offers", "series", "hosted"):
            assert placed.figure.checked <= day


def test_what_is_left_is_still_a_whole_catalogue() -> None:
    then = as_of(CATALOGUE, date(2026, 8, 1))
    again = Catalogue.model_validate(then.model_dump())
    assert again.offers == then.offers
    assert again.facts == then.facts


NOT_OURS = re.compile(r"Input should|valid (?:tuple|dict|string|number|integer|boolean|list)|instance of|Extra inputs")


class Inner(BaseModel):
    """A group of keys."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    share: Annotated[float, Field(gt=0, le=1)] = 0.5
    count: Annotated[int, Field(ge=1, lt=10)] = 1
    kind: Literal["own", "rent"] = "own"


class Everything(BaseModel):
    """One field of each form that our records have."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    name: Annotated[str, Field(min_length=1, max_length=5, pattern="^[a-z]*$")] = "a"
    on: Day | None = None
    switch: bool = True
    several: Annotated[tuple[Inner, ...], Field(min_length=1, max_length=2)] = (Inner(),)
    by_name: dict[str, float] = Field(default_factory=dict)
    either: str | float = 1.0
    inner: Inner = Inner()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from(["share", "count", "kind", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.sampled_from([*Everything.model_fields, "colour"]), VALUES)
def test_every_refusal_is_in_our_words(field: str, value: Any) -> None:
    try:
        Everything.model_validate({field: value})
    except pydantic.ValidationError as error:
        place, wish, _ = first_error_message(error)
        assert place[0] == field
        assert not NOT_OURS.search(wish)
        assert re.search(r"want |missing|no such key|calendar", wish), wish


@each_row(("data", "place", "said"), [
    ({"several": {}}, ("several",), "want a list, got a group of keys: write - before each entry"),
    ({"several": ()}, ("several",), "want at least 1 entries, got 0"),
    ({"several": ({}, {}, {})}, ("several",), "want at most 2 entries, got 3"),
    ({"inner": ()}, ("inner",), "want a group of keys, got a list"),
    ({"inner": {"share": 0}}, ("inner", "share"), "want a number above 0, got 0"),
    ({"inner": {"share": 1.5}}, ("inner", "share"), "want a number, at most 1, got 1.5"),
    ({"inner": {"count": 1.5}}, ("inner", "count"), "want a whole number, got 1.5"),
    ({"inner": {"kind": "buy"}}, ("inner", "kind"), "want one of own or rent, got 'buy'"),
    ({"by_name": {"x": "y"}}, ("by_name", "x"), "want a number, got 'y'"),
    ({"either": ()}, ("either",), "want text or a number, got a list"),
    ({"name": ""}, ("name",), "want text of at least 1 characters, got ''"),
    ({"switch": "yes"}, ("switch",), "want true or false, got 'yes'"),
    ({"on": "soon"}, ("on",), "want a day such as 2026-11-21, got 'soon'"),
    ({"on": "2026-11-31"}, ("on",), "2026-11-31 is not a day of the calendar"),
    ({"on": 20261121}, ("on",), "want a day such as 2026-11-21, got 20261121"),
    ({"colour": 1}, ("colour",), "there is no such key"),
])  # fmt: skip
def test_what_was_wanted_is_said(data: dict[str, Any], place: tuple[str, ...], said: str) -> None:
    with pytest.raises(pydantic.ValidationError) as refusal:
        Everything.model_validate(data)
    assert first_error_message(refusal.value)[:2] == (place, said)


@pytest.mark.parametrize("said", [date(2026, 11, 21), "2026-11-21", " 2026-11-21 "])
def test_a_day_in_quotes_is_a_day(said: object) -> None:
    assert Everything.model_validate({"on": said}).on == date(2026, 11, 21)
