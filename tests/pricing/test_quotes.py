"""Quotes laid over a catalogue: what becomes of a price, a discount, a hardware quote, and on which day."""

from datetime import date

import pytest

from pricing.quotes import is_yours
from tests.facts import DAY
from tests.pricing.quoting import (
    CARD,
    CHIP,
    EU,
    NORTH_EU,
    SMALL,
    SOUTH_ASK,
    SOUTH_CARD,
    SPOT,
    US,
    US_YEAR,
    offer_row,
    price,
    quoted,
)
from tests.rows import each_row

# Prices


def test_a_quote_for_a_known_shape_becomes_its_newest_price() -> None:
    new = quoted(NORTH_EU)
    before, after = price(SMALL, EU), price(new, EU)
    assert after.newest.typical == 3.25
    assert (after.newest.kind, after.newest.source, after.newest.locator) == ("quote", "yours", "line 2")
    assert is_yours(after.newest)
    assert after.since == after.checked == DAY
    assert {day: after.values[day] for day in before.values} == before.values
    assert new.offers.keys() == SMALL.offers.keys()
    assert new.providers == SMALL.providers


def test_the_printed_price_of_the_machine_goes_with_the_old_price() -> None:
    assert SMALL.offers[EU].usd_per_instance_hour == 32
    assert quoted(NORTH_EU).offers[EU].usd_per_instance_hour is None
    by_machine = NORTH_EU.replace("usd_per_accelerator_hour: 3.25", "usd_per_instance_hour: 26")
    assert quoted(by_machine).offers[EU].usd_per_instance_hour == 26
    assert price(quoted(by_machine), EU).newest.typical == 3.25


@pytest.mark.parametrize("region", ["EU 1", "eu_1", "Eu-1"])
def test_a_region_is_matched_without_case_and_punctuation(region: str) -> None:
    assert price(quoted(offer_row("northcloud", CHIP, 8, region, 3.25)), EU).newest.typical == 3.25


OTHER_SHAPES = [
    offer_row("North Cloud", CHIP, 8, "eu-2", 3.25), offer_row("North Cloud", CHIP, 4, "eu-1", 3.25),
    offer_row("North Cloud", CARD, 8, "eu-1", 3.25), offer_row("South Cloud", CHIP, 8, "eu-1", 3.25),
    offer_row("North Cloud", CHIP, 8, "eu-1", 3.25, ", purchase: spot"), offer_row("Acme", CHIP, 8, "eu-1", 3.25),
]  # fmt: skip


@each_row("row", OTHER_SHAPES)
def test_any_other_shape_is_a_new_offer(row: str) -> None:
    new = quoted(row)
    (key,) = new.offers.keys() - SMALL.offers.keys()
    assert key.startswith("yours/")
    assert price(new, key).newest.typical == 3.25
    assert {kept: new.offers[kept] for kept in SMALL.offers} == SMALL.offers
    assert new.offers[key].doubts == ()


def test_a_provider_of_ones_own_joins_the_providers() -> None:
    new = quoted(offer_row("Acme & Sons", CHIP, 8, "home", 3.25), offer_row("ACME & SONS", CARD, 1, "home", 2))
    (provider,) = new.providers.keys() - SMALL.providers.keys()
    assert new.providers[provider].kind == "yours"
    assert new.providers[provider].label == "Acme & Sons"
    assert {offer.provider for key, offer in new.offers.items() if key not in SMALL.offers} == {provider}


def test_own_providers_in_other_letters_are_told_apart() -> None:
    new = quoted(offer_row("北雲", CHIP, 8, "東京", 3.25), offer_row("南雲", CHIP, 8, "東京", 3.5))
    own = {key: record.label for key, record in new.providers.items() if record.kind == "yours"}
    assert sorted(own.values()) == sorted(["北雲", "南雲"])
    assert len(new.offers) == len(SMALL.offers) + 2


@each_row("name", ["=HYPERLINK(x)", "<b>Bold</b>", "A/B", "x" * 200, "@SUM", "$(reboot)", "../etc"])
def test_a_hostile_name_stays_plain_text_and_its_ids_stay_ids(name: str) -> None:
    new = quoted(offer_row(f'"{name}"', CHIP, 8, f'"{name}"', 3.25))
    (key,) = new.offers.keys() - SMALL.offers.keys()
    assert new.providers[new.offers[key].provider].label == name
    assert new.offers[key].region == name
    assert all(character.isalnum() or character in "._+/ ()-" for character in key + new.offers[key].provider)


def test_slashes_in_names_do_not_make_two_offers_one() -> None:
    one = offer_row("A", CHIP, 8, f'"B/{CHIP}/8x/C"', 3.25)
    other = offer_row(f'"A/{CHIP}/8x/B"', CHIP, 8, "C", 3.25)
    assert len(quoted(one, other).offers) == len(SMALL.offers) + 2


def test_a_quote_settles_what_was_doubtful() -> None:
    assert SMALL.offers[SOUTH_CARD].doubts == ("component_only",)
    assert quoted(offer_row("South Cloud", CARD, 1, "global", 1.2)).offers[SOUTH_CARD].doubts == ()


def test_an_offer_to_ask_for_gets_its_price() -> None:
    new = quoted(offer_row("South Cloud", CHIP, 8, "global", 2.9))
    assert price(new, SOUTH_ASK).newest.typical == 2.9
    assert len(price(new, SOUTH_ASK).values) == 1


def test_a_row_without_a_price_is_an_offer_to_ask_for_and_never_zero() -> None:
    new = quoted(f"provider: Acme, accelerator: {CHIP}")
    (key,) = new.offers.keys() - SMALL.offers.keys()
    assert new.offers[key].usd_per_accelerator_hour is None
    assert "yours" not in new.sources, "nothing cites it"
    assert new.digest != SMALL.digest


def test_a_row_without_a_price_takes_no_known_price_away() -> None:
    row = f"provider: North Cloud, accelerator: {CHIP}, accelerators_per_instance: 8, region: eu-1"
    assert quoted(row) is SMALL


# Days

DATED = [
    # valid_from, the day it starts on, whether it had to stand in for the catalogue's newest value (of 2026-11-01)
    ("2026-11-15", DAY, date(2026, 11, 15), 3),
    ("2026-11-02", DAY, date(2026, 11, 2), 3),
    ("2026-11-01", DAY, date(2026, 11, 2), 3),
    ("2026-01-01", DAY, date(2026, 11, 2), 3),
    ("2026-01-01", date(2026, 11, 2), date(2026, 11, 2), 3),
    ("2026-01-01", date(2026, 11, 1), date(2026, 11, 1), 2),
    ("2026-01-01", date(2026, 6, 1), date(2026, 11, 1), 2),
]


@each_row(("valid_from", "day", "starts", "values"), DATED)
def test_a_quote_is_always_the_newest_value_and_loses_no_other_where_it_can_be(
    valid_from: str, day: date, starts: date, values: int
) -> None:
    figure = price(quoted(f"{NORTH_EU}, valid_from: {valid_from}", day=day), EU)
    assert (figure.since, figure.newest.typical, len(figure.values)) == (starts, 3.25, values)
    stands_in = figure.newest.note is not None and "in place of 4 (lists)" in figure.newest.note
    assert stands_in == (values == 2)
    assert figure.checked == max(day, price(SMALL, EU).checked)


def test_quotes_of_several_days_make_a_history() -> None:
    rows = [
        offer_row("Acme", CHIP, 8, "home", usd, f", valid_from: 2026-0{month}-01")
        for month, usd in ((6, 2.0), (1, 3.0))
    ]
    new = quoted(*rows)
    (key,) = new.offers.keys() - SMALL.offers.keys()
    assert {day: value.typical for day, value in price(new, key).values.items()} == {
        date(2026, 1, 1): 3.0,
        date(2026, 6, 1): 2.0,
    }


def test_of_two_quotes_for_the_same_day_the_later_row_holds() -> None:
    figure = price(quoted(NORTH_EU, NORTH_EU.replace("3.25", "3.5")), EU)
    assert figure.newest.typical == 3.5
    assert len(figure.values) == 3


def test_what_the_user_said_beside_the_price_is_kept() -> None:
    figure = price(quoted(f"{NORTH_EU}, valid_until: 2027-01-31, note: Ann's offer"), EU)
    assert figure.newest.note == "Ann's offer; valid until 2027-01-31"


# Discounts


def test_a_discount_is_taken_off_every_offer_it_covers() -> None:
    new = quoted("provider: North Cloud, discount_share: 0.18")
    for key, listed in ((EU, 4.0), (US, 3.0), (US_YEAR, 2.0)):
        value = price(new, key).newest
        assert value.typical == pytest.approx(listed * 0.82)
        assert (value.kind, value.source) == ("quote", "yours")
        assert value.note == f"18 % off {listed:g} list"
    assert (price(new, EU).newest.low, price(new, EU).newest.high) == (
        pytest.approx(3.8 * 0.82),
        pytest.approx(4.2 * 0.82),
    )
    for key in (SOUTH_CARD, SOUTH_ASK, SPOT):
        assert new.offers[key] == SMALL.offers[key]


def test_a_discount_keeps_the_list_price_as_history_and_the_printed_one_goes() -> None:
    new = quoted("provider: North Cloud, discount_share: 0.18")
    assert price(SMALL, EU).values.items() <= price(new, EU).values.items()
    assert new.offers[EU].usd_per_instance_hour is None
    assert new.offers[EU].doubts == SMALL.offers[EU].doubts


def test_a_discount_does_not_make_an_old_list_price_fresh() -> None:
    new = quoted("provider: North Cloud, discount_share: 0.18")
    assert price(new, EU).checked == price(SMALL, EU).checked
    assert (price(new, US).checked - price(SMALL, US).checked).days == 1, "a day later, so that the list price stays"


def test_a_discount_on_a_price_of_today_stands_in_for_it() -> None:
    value = price(quoted("provider: South Cloud, discount_share: 0.5"), SOUTH_CARD).newest
    assert (value.typical, value.note) == (0.5, "50 % off 1 list; in place of 1 (lists)")


NARROW = [
    ("", {EU, US, US_YEAR}), (", purchase: on_demand", {EU, US}), (", purchase: reserved_1y", {US_YEAR}),
    (", region: US 1", {US, US_YEAR}), (", accelerator: h100 sxm", {EU, US, US_YEAR}),
    (", accelerators_per_instance: 8", {EU, US, US_YEAR}), (", accelerators_per_instance: 4", set()),
    (", accelerator: h100 pcie", set()), (", region: eu-1, purchase: spot", set()),
    (", accelerator: h100 sxm, accelerators_per_instance: 8, region: us-1, purchase: on_demand", {US}),
]  # fmt: skip


@each_row(("narrowed", "covered"), NARROW)
def test_a_discount_reaches_as_far_as_it_says(narrowed: str, covered: set[str]) -> None:
    new = quoted(f"provider: North Cloud, discount_share: 0.1{narrowed}")
    assert {key for key in SMALL.offers if new.offers[key] != SMALL.offers[key]} == covered
    assert (new is SMALL) == (not covered)


def test_the_narrowest_discount_wins_wherever_it_stands_and_they_never_add_up() -> None:
    rows = [
        "provider: North Cloud, discount_share: 0.1",
        "provider: North Cloud, discount_share: 0.2, region: us-1, purchase: on_demand",
        "provider: North Cloud, discount_share: 0.3, region: us-1",
    ]
    for order in (rows, rows[::-1]):
        new = quoted(*order)
        assert price(new, US).newest.typical == pytest.approx(3.0 * 0.8)
        assert price(new, US_YEAR).newest.typical == pytest.approx(2.0 * 0.7)
        assert price(new, EU).newest.typical == pytest.approx(4.0 * 0.9)


def test_of_two_discounts_as_narrow_the_later_row_wins() -> None:
    rows = [
        "provider: North Cloud, discount_share: 0.1, region: us-1",
        "provider: North Cloud, discount_share: 0.2, accelerator: h100 sxm",
    ]
    assert price(quoted(*rows), US).newest.typical == pytest.approx(3.0 * 0.8)
    assert price(quoted(*rows[::-1]), US).newest.typical == pytest.approx(3.0 * 0.9)


def test_a_discount_leaves_alone_what_the_user_priced() -> None:
    rows = ["provider: North Cloud, discount_share: 0.18", NORTH_EU]
    for order in (rows, rows[::-1]):
        new = quoted(*order)
        assert price(new, EU).newest.typical == 3.25
        assert price(new, US).newest.typical == pytest.approx(3.0 * 0.82)


def test_a_second_file_takes_nothing_off_the_first_ones_prices() -> None:
    once = quoted("provider: North Cloud, discount_share: 0.5")
    twice = quoted("provider: North Cloud, discount_share: 0.5", catalogue=once)
    assert twice is once


# Hardware


def test_a_quote_for_a_card_is_its_newest_price() -> None:
    new = quoted(f"accelerator: {CHIP}, price_usd: 26500, low_usd: 26000, note: reseller")
    before, after = SMALL.accelerators[CHIP].price_usd, new.accelerators[CHIP].price_usd
    assert (after.newest.low, after.newest.typical, after.newest.high) == (26000, 26500, None)
    assert (after.newest.source, after.newest.note, after.since) == ("yours", "reseller", DAY)
    assert before.values.items() <= after.values.items()
    assert new.servers == SMALL.servers
    assert new.offers == SMALL.offers


def test_a_quote_for_a_card_nobody_priced_is_its_first_price() -> None:
    figure = quoted("accelerator: rtx 4090, price_usd: 1800").accelerators["RTX-4090-24GB"].price_usd
    assert (figure.unit, figure.newest.typical, len(figure.values)) == ("USD", 1800, 1)


@pytest.mark.parametrize("named", ["server: hgx-h100-8", f"accelerator: {CHIP}, accelerators: 8"])
def test_a_quote_for_a_server_is_the_price_of_the_whole_machine(named: str) -> None:
    new = quoted(f"{named}, price_usd: 250000")
    figure = new.servers["HGX-H100-8"].price_usd
    assert figure.newest.typical == 250000
    assert new.accelerators == SMALL.accelerators
