"""An old link gives the answer it gave: the catalogue as it was known on an earlier day."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing import Catalogue
from pricing.catalogue import figures
from pricing.query import OfferFilter, find, freshness
from pricing.stale import as_of
from tests.facts import CATALOGUE


def price_on(day: date, key: str) -> tuple[float, date]:
    """The price of an offer as it was known, and when somebody had looked."""
    figure = as_of(CATALOGUE, day).offers[key].usd_per_accelerator_hour
    assert figure is not None
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
    assert offer.usd_per_accelerator_hour is not None
    assert offer.most_at_once is not None
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
