"""Three classes of customer, none derived from another, and places that stand in with a wider range."""

import pytest

from pricing.catalogue import Catalogue
from pricing.electricity import FIELDS, Customer, electricity
from tests.frozen import live_catalogue


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return live_catalogue()


def typical(catalogue: Catalogue, site: str, customer: Customer) -> float:
    found = electricity(catalogue, site, customer)
    assert found is not None
    return found.figure.newest.typical


# Eurostat, second half of 2025, euros: band DC with all taxes, band IB and band ID without VAT; 1.1658 dollars each.
@pytest.mark.parametrize(
    ("site", "household", "firm", "large"),
    [("DE", 0.3869, 0.2618, 0.1922), ("CZ", 0.3217, 0.2302, 0.1636), ("HU", 0.1082, 0.2434, 0.1876)],
)
def test_each_class_has_the_price_that_eurostat_prints(
    catalogue: Catalogue, site: str, household: float, firm: float, large: float
) -> None:
    for customer, euros in (("household", household), ("firm", firm), ("large", large)):
        assert typical(catalogue, site, customer) == pytest.approx(euros * 1.1658, abs=6e-5)  # type: ignore[arg-type]


def test_a_household_may_pay_less_than_a_firm_so_none_follows_from_another(catalogue: Catalogue) -> None:
    assert typical(catalogue, "HU", "household") < typical(catalogue, "HU", "large")
    assert typical(catalogue, "DE", "household") > typical(catalogue, "DE", "firm")


def test_an_american_household_pays_what_july_says_and_the_year_is_the_low_end(catalogue: Catalogue) -> None:
    texas = catalogue.sites["US-TX"].household_usd_per_kwh
    assert texas is not None
    assert (texas.newest.low, texas.newest.typical) == (0.1446, 0.1588)


def test_every_place_has_a_price_for_every_class_and_says_when_it_is_anothers(catalogue: Catalogue) -> None:
    for site in catalogue.sites:
        for customer, field in FIELDS.items():
            found = electricity(catalogue, site, customer)
            assert found is not None
            own = getattr(catalogue.sites[site], field)
            assert (found.stands_in is None) == (own is not None), (site, customer)
            if found.stands_in is not None:
                assert catalogue.sites[site].label in found.stands_in


@pytest.mark.parametrize("site", ["NO", "IS", "IN", "MY"])
def test_a_large_site_has_a_price_of_its_own_where_it_had_the_worlds(catalogue: Catalogue, site: str) -> None:
    found = electricity(catalogue, site, "large")
    assert found is not None
    assert found.stands_in is None


def test_singapore_takes_the_average_of_four_neighbours_from_below_the_lowest_to_above_the_highest(
    catalogue: Catalogue,
) -> None:
    """Malaysia 0.1089, Taiwan 0.1413, Japan 0.18, South Korea 0.093: 0.1308; 0.62 x 0.093 and 1.2 x 0.18."""
    found = electricity(catalogue, "SG", "large")
    assert found is not None
    value = found.figure.newest
    assert found.stands_in == (
        "no price of Singapore for a large site: the average of Malaysia, Taiwan, Japan and South Korea stands in, "
        "with a wider range"
    )
    assert value.note == found.stands_in
    assert value.typical == pytest.approx((0.1089 + 0.1413 + 0.18 + 0.093) / 4)
    assert (value.low, value.high) == (pytest.approx(0.62 * 0.093), pytest.approx(1.2 * 0.18))


def test_one_neighbour_alone_does_not_stand_in(catalogue: Catalogue) -> None:
    found = electricity(catalogue, "SG", "household")
    assert found is not None
    assert found.stands_in == "no price of Singapore for a household: that of the world stands in, with a wider range"


def test_a_province_takes_its_countrys_price_and_says_so(catalogue: Catalogue) -> None:
    found = electricity(catalogue, "CA-AB", "large")
    assert found is not None
    assert found.stands_in is not None
    assert "that of Canada stands in" in found.stands_in
