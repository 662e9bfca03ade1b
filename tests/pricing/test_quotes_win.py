"""What holds for any quotes: they win, they are marked, everything else stays as it was."""

import random
from collections import defaultdict
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pricing.catalogue import Catalogue, figures
from pricing.errors import QuoteError
from pricing.load import _check_references
from pricing.quotes import (
    TEMPLATE_CSV,
    DiscountQuote,
    HardwareQuote,
    OfferQuote,
    Quotes,
    is_yours,
    parse_quotes,
    with_quotes,
)
from pricing.records import Offer
from tests.examples import at_most
from tests.facts import DAY
from tests.pricing.quoting import CARD, CHIP, NORTH_EU, SMALL, assert_sound, offer_row, price, quoted

# What holds always


def test_no_quotes_no_change() -> None:
    assert with_quotes(SMALL, Quotes(name="none", day=DAY)) is SMALL
    bad = parse_quotes(b"quotes: [{provider: Acme}]", name="q.yaml", catalogue=SMALL, day=DAY)
    assert len(bad.problems) == 1
    assert with_quotes(SMALL, bad) is SMALL


def test_the_catalogue_that_goes_in_is_left_alone() -> None:
    before = SMALL.model_dump_json()
    quoted(NORTH_EU, "provider: North Cloud, discount_share: 0.2", f"accelerator: {CHIP}, price_usd: 26500")
    assert SMALL.model_dump_json() == before


def test_the_digest_follows_the_quotes_and_nothing_else() -> None:
    one, same, other = quoted(NORTH_EU), quoted(NORTH_EU), quoted(NORTH_EU.replace("3.25", "3.26"))
    assert one.digest == same.digest
    assert one == same
    assert len({SMALL.digest, one.digest, other.digest, quoted(NORTH_EU, day=DAY - timedelta(days=1)).digest}) == 4
    elsewhere = SMALL.model_copy(update={"digest": "another catalogue"})
    assert quoted(NORTH_EU, catalogue=elsewhere).digest != one.digest


def test_the_source_says_whose_prices_they_are() -> None:
    source = quoted(NORTH_EU).sources["yours"]
    assert (source.via, source.retrieved) == ("yours", DAY)
    assert source.title == "Your own prices (prices.yaml)"


def test_quotes_for_another_catalogue_are_refused_and_not_dropped() -> None:
    quotes = parse_quotes(
        f"quotes: [{{provider: Acme, accelerator: {CHIP}}}]".encode(), name="q.yaml", catalogue=SMALL, day=DAY
    )
    without = SMALL.model_copy(update={"accelerators": {}})
    with pytest.raises(QuoteError, match="knows no 'H100-SXM5-80GB': read q"):
        with_quotes(without, quotes)


def test_quotes_and_their_rows_cannot_be_changed() -> None:
    quotes = parse_quotes(f"quotes: [{{{NORTH_EU}}}]".encode(), name="q.yaml", catalogue=SMALL, day=DAY)
    with pytest.raises(AttributeError):
        quotes.offers = ()  # type: ignore[misc]
    with pytest.raises(ValueError, match="frozen"):
        quotes.offers[0].region = "moon"  # type: ignore[misc]


def test_the_template_lies_over_the_real_catalogue(real: Catalogue) -> None:
    quotes = parse_quotes(TEMPLATE_CSV.encode(), name="template.csv", catalogue=real, day=real.day)
    new = with_quotes(real, quotes)
    _check_references(new, defaultdict(lambda: "a file"))
    assert Catalogue.model_validate_json(new.model_dump_json()) == new
    changed = {key for key in real.offers if new.offers[key] != real.offers[key]}
    assert changed
    assert {(real.offers[key].provider, real.offers[key].purchase) for key in changed} == {("aws", "on_demand")}
    assert len(new.offers) == len(real.offers) + 2


# Properties

PRICES = st.floats(0.01, 1000).map(lambda usd: round(usd, 4))
DAYS = st.dates(date(2024, 1, 1), DAY)


@st.composite
def offer_quotes(draw: st.DrawFn) -> OfferQuote:
    provider = draw(st.sampled_from(["northcloud", "southcloud", "yours/Acme"]))
    return OfferQuote(
        line=draw(st.integers(2, 5000)),
        valid_from=draw(DAYS),
        provider=provider,
        provider_label=provider,
        accelerator=draw(st.sampled_from([CHIP, CARD])),
        accelerators_per_instance=draw(st.sampled_from([1, 8])),
        region=draw(st.sampled_from(["eu-1", "EU 1", "us-1", "global", "yours"])),
        purchase=draw(st.sampled_from(["on_demand", "spot", "reserved_1y"])),
        usd_per_accelerator_hour=draw(st.none() | PRICES),
    )


@st.composite
def discount_quotes(draw: st.DrawFn) -> DiscountQuote:
    return DiscountQuote(
        line=draw(st.integers(2, 5000)),
        valid_from=draw(DAYS),
        provider=draw(st.sampled_from(["northcloud", "southcloud", "spotmarket"])),
        discount_share=draw(st.sampled_from([0.05, 0.18, 0.5])),
        region=draw(st.none() | st.sampled_from(["eu-1", "us-1"])),
        purchase=draw(st.none() | st.sampled_from(["on_demand", "reserved_1y", "spot"])),
    )


@st.composite
def hardware_quotes(draw: st.DrawFn) -> HardwareQuote:
    server = draw(st.booleans())
    return HardwareQuote(
        line=draw(st.integers(2, 5000)),
        valid_from=draw(DAYS),
        accelerator=None if server else draw(st.sampled_from([CHIP, CARD, "RTX-4090-24GB"])),
        server="HGX-H100-8" if server else None,
        price_usd=draw(st.floats(1, 1e6)),
    )


QUOTES = st.builds(
    Quotes,
    name=st.just("q"),
    day=st.just(DAY) | st.dates(DAY - timedelta(days=40), DAY + timedelta(days=40)),
    offers=st.lists(offer_quotes(), max_size=5).map(tuple),
    discounts=st.lists(discount_quotes(), max_size=4).map(tuple),
    hardware=st.lists(hardware_quotes(), max_size=3).map(tuple),
)


def shape(offer: Offer | OfferQuote) -> tuple[object, ...]:
    region = "".join(filter(str.isalnum, offer.region.casefold()))
    return offer.provider, offer.accelerator, offer.accelerators_per_instance, region, offer.purchase


@given(QUOTES)
def test_quotes_win_and_everything_else_stays(quotes: Quotes) -> None:
    new = with_quotes(SMALL, quotes)
    assert_sound(new)
    newest: dict[tuple[object, ...], float] = {}
    for quote in sorted(quotes.offers, key=lambda quote: quote.valid_from):
        if quote.usd_per_accelerator_hour is not None:
            newest[shape(quote)] = quote.usd_per_accelerator_hour
    offered = {shape(offer) for offer in new.offers.values()}
    assert offered == {shape(offer) for offer in SMALL.offers.values()} | {shape(quote) for quote in quotes.offers}
    for key, offer in new.offers.items():
        figure = offer.usd_per_accelerator_hour
        if shape(offer) in newest:
            assert figure.newest.typical == newest[shape(offer)]
            assert is_yours(figure.newest)
        elif key not in SMALL.offers:
            assert figure is None
        elif not any(discount.covers(offer) for discount in quotes.discounts):
            assert offer == SMALL.offers[key]


@given(QUOTES)
def test_no_value_of_another_day_is_ever_lost_or_changed(quotes: Quotes) -> None:
    new = with_quotes(SMALL, quotes)
    for section, key, field, before in figures(SMALL):
        after = getattr(getattr(new, section)[key], field)
        assert set(before.values) <= set(after.values)
        others = {day: value for day, value in after.values.items() if not is_yours(value)}
        assert others.items() <= before.values.items()
        assert len(before.values) - len(others) <= 1
        assert after.checked >= before.checked


@pytest.mark.slow
@given(QUOTES)
def test_a_discount_pays_the_narrowest_share_of_the_list_price_once(quotes: Quotes) -> None:
    new = with_quotes(SMALL, quotes)
    priced = {shape(quote) for quote in quotes.offers if quote.usd_per_accelerator_hour is not None}
    for key, offer in SMALL.offers.items():
        listed = offer.usd_per_accelerator_hour
        covering = [discount for discount in quotes.discounts if discount.covers(offer)]
        if listed is None or shape(offer) in priced or not covering:
            continue
        narrowest = max(discount.specificity for discount in covering)
        allowed = [discount.discount_share for discount in covering if discount.specificity == narrowest]
        paid = price(new, key).newest.typical / listed.newest.typical
        assert any(paid == pytest.approx(1 - share) for share in allowed)


@given(QUOTES)
def test_laying_the_same_quotes_over_again_moves_no_price(quotes: Quotes) -> None:
    once = with_quotes(SMALL, quotes)
    twice = with_quotes(once, quotes)
    assert_sound(twice)
    for key, offer in once.offers.items():
        figure, again = offer.usd_per_accelerator_hour, twice.offers[key].usd_per_accelerator_hour
        assert (figure and figure.newest.typical) == (again and again.newest.typical)
    assert twice.offers.keys() == once.offers.keys()


ROWS = [
    NORTH_EU, offer_row("North Cloud", CHIP, 8, "us-1", 2.9), offer_row("Acme", CHIP, 8, "home", 2.5),
    offer_row("Acme", CHIP, 8, "home", 2.75, ", valid_from: 2026-02-01"), f"provider: Acme, accelerator: {CARD}",
    "provider: North Cloud, discount_share: 0.1", "provider: North Cloud, discount_share: 0.2, region: us-1",
    "provider: spotmarket, discount_share: 0.3", f"accelerator: {CHIP}, price_usd: 27000",
    "server: HGX-H100-8, price_usd: 260000",
]  # fmt: skip


@given(st.randoms(use_true_random=False))
@at_most(20)
def test_the_order_of_rows_that_do_not_compete_does_not_matter(chance: random.Random) -> None:
    rows = list(ROWS)
    chance.shuffle(rows)
    assert _prices(quoted(*rows)) == _prices(quoted(*ROWS))


def _prices(catalogue: Catalogue) -> dict[tuple[str, str, str], dict[date, float]]:
    return {
        (placed.section, placed.record, placed.field): {
            day: value.typical for day, value in placed.figure.values.items()
        }
        for placed in figures(catalogue)
    }
