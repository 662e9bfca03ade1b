"""Places, taxes and the price of money, as they stand in the data."""

import pytest

from pricing import names
from pricing.catalogue import Catalogue
from pricing.choices import Customer
from pricing.electricity import FIELDS, electricity, grid_intensity_at
from pricing.errors import AmbiguousNameError
from tests.frozen import live_catalogue
from tests.rows import each_row

STATES = {
    "AK", "AL", "AR", "AZ", "CA", "CO", "CT", "DC", "DE", "FL", "GA", "HI", "IA", "ID", "IL", "IN", "KS", "KY", "LA",
    "MA", "MD", "ME", "MI", "MN", "MO", "MS", "MT", "NC", "ND", "NE", "NH", "NJ", "NM", "NV", "NY", "OH", "OK", "OR",
    "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VA", "VT", "WA", "WI", "WV", "WY",
}  # fmt: skip
FIGURES = (
    "usd_per_kwh", "household_usd_per_kwh", "commercial_usd_per_kwh", "carbon_g_per_kwh", "pue",
    "colocation_usd_per_kw_month", "build_usd_per_kw", "corporate_tax_share",
)  # fmt: skip


def known(catalogue: Catalogue, figure: str) -> dict[str, float]:
    """Newest typical value of a figure, for each site that has one of its own."""
    own = {key: getattr(site, figure) for key, site in catalogue.sites.items()}
    return {key: value.newest.typical for key, value in own.items() if value is not None}


def test_enough_places_have_figures_of_their_own(catalogue: Catalogue) -> None:
    with_figures = {key for figure in FIGURES for key in known(catalogue, figure)}
    assert len(with_figures) >= 80
    assert len(known(catalogue, "corporate_tax_share")) >= 25
    assert len(known(catalogue, "carbon_g_per_kwh")) >= 40


def test_every_american_state_is_there_with_a_price(catalogue: Catalogue) -> None:
    assert len(STATES) == 51
    priced = known(catalogue, "usd_per_kwh")
    assert {state for state in STATES if f"US-{state}" not in priced} == set()
    american = {key for key, site in catalogue.sites.items() if site.kind == "us_state"}
    assert american == {f"US-{state}" for state in STATES}


@each_row(("figure", "low", "high"), [
    ("usd_per_kwh", 0.01, 0.6), ("carbon_g_per_kwh", 5, 1_000), ("pue", 1.0, 2.0),
    ("colocation_usd_per_kw_month", 50, 600), ("build_usd_per_kw", 5_000, 25_000),
    ("corporate_tax_share", 0.05, 0.45),
])  # fmt: skip
def test_every_value_ever_held_is_plausible(catalogue: Catalogue, figure: str, low: float, high: float) -> None:
    held = [getattr(site, figure) for site in catalogue.sites.values()]
    values = [value for one in held if one is not None for value in one.values.values()]
    assert values
    for value in values:
        for number in (value.low, value.typical, value.high):
            assert number is None or low <= number <= high


def test_norway_is_a_country_and_not_the_word_no(catalogue: Catalogue) -> None:
    assert catalogue.sites["NO"].label == "Norway"
    assert all(isinstance(key, str) for key in catalogue.sites)


@each_row(("site", "figure", "owner"), [
    ("US-TX", "carbon_g_per_kwh", "US"), ("US-TX", "usd_per_kwh", "US-TX"),
    ("US-TX", "colocation_usd_per_kw_month", "US"), ("US-IL", "colocation_usd_per_kw_month", "US-IL"),
    ("US-TX", "pue", "WORLD"), ("CA-QC", "usd_per_kwh", "CA-QC"), ("CA-AB", "usd_per_kwh", "CA"),
    ("DE", "pue", "WORLD"), ("NO", "usd_per_kwh", "NO"),
])  # fmt: skip
def test_a_place_says_whose_figure_it_borrows(catalogue: Catalogue, site: str, figure: str, owner: str) -> None:
    found = catalogue.site_figure(site, figure)
    assert found[0] == owner


def test_only_the_world_has_no_parent_and_every_chain_ends_there(catalogue: Catalogue) -> None:
    for key in catalogue.sites:
        chain = [key]
        while (parent := catalogue.sites[chain[-1]].parent) is not None:
            assert parent not in chain
            chain.append(parent)
        assert chain[-1] == "WORLD"


@each_row("site", ["DE", "FR", "IT", "ES", "BE", "NL", "FI", "AT", "PT", "GR", "DK", "SE"])
def test_a_survey_price_is_the_high_end_where_a_large_users_price_is_known(catalogue: Catalogue, site: str) -> None:
    figure = catalogue.sites[site].usd_per_kwh
    value = figure.newest
    assert value.kind == "derived"
    assert value.high is not None
    assert value.high > value.typical
    assert "survey" in (value.note or "")


# Euros a kilowatt-hour that Eurostat publishes for users of 2 to 20 GWh a year in the second half of 2025, without VAT
# (nrg_pc_205, band ID), and the mean of the European Central Bank's daily rates in that half-year.
EUROS = {
    "AT": 0.1799, "BE": 0.1571, "BG": 0.1355, "CY": 0.2366, "CZ": 0.1636, "DE": 0.1922, "DK": 0.1232, "EE": 0.1294,
    "ES": 0.1191, "EU": 0.1596, "FI": 0.0674, "FR": 0.1212, "GR": 0.1621, "HR": 0.1386, "HU": 0.1876, "IE": 0.2187,
    "IT": 0.1948, "LT": 0.1361, "LU": 0.1444, "LV": 0.1162, "MT": 0.1170, "NL": 0.1811, "PL": 0.1735, "PT": 0.1216,
    "RO": 0.1715, "SE": 0.0852, "SI": 0.1416, "SK": 0.1839,
}  # fmt: skip
USD_PER_EURO = 1.1658


@each_row("site", EUROS)
def test_an_official_price_in_euros_is_turned_into_dollars_at_the_rate_of_its_half_year(
    catalogue: Catalogue, site: str
) -> None:
    assert known(catalogue, "usd_per_kwh")[site] == pytest.approx(EUROS[site] * USD_PER_EURO, abs=6e-5)


def test_an_official_industrial_price_is_preferred_to_a_model(catalogue: Catalogue) -> None:
    european = [key for key, site in catalogue.sites.items() if site.parent == "EU" and site.usd_per_kwh is not None]
    assert set(european) == EUROS.keys() - {"EU"}
    for key in european:
        figure = catalogue.sites[key].usd_per_kwh
        assert catalogue.sources[figure.newest.source].publisher == "Eurostat", key


def test_no_carbon_figure_comes_from_a_share_alike_database(catalogue: Catalogue) -> None:
    for key in known(catalogue, "carbon_g_per_kwh"):
        figure = catalogue.sites[key].carbon_g_per_kwh
        assert figure is not None
        sources = {catalogue.sources[value.source] for value in figure.values.values()}
        assert {source.licence for source in sources} == {"CC-BY-4.0"}
        assert all(source.attribution for source in sources)


def test_american_colocation_rents_keep_their_history(catalogue: Catalogue) -> None:
    figure = catalogue.sites["US"].colocation_usd_per_kw_month
    assert figure is not None
    assert [value.typical for value in figure.values.values()][-2:] == [184.06, 194.95]


# Present value of one dollar of cost written off, at ten percent, each share at the end of its year.
@each_row(("schedule", "present_value"), [
    ("straight-line-5", 0.7582),
    ("straight-line-5-half-year", 0.7237),
    ("macrs-5-half-year", 0.7733),
    ("macrs-5-mid-quarter-4", 0.7462),
    ("macrs-5-mid-quarter-1", 0.8016),  # .35/1.1 + .26/1.1^2 + .156/1.1^3 + .1101/1.1^4 + .1101/1.1^5 + .0138/1.1^6
    ("bonus-100", 0.9091),
])  # fmt: skip
def test_schedules_are_worth_what_the_textbook_says(catalogue: Catalogue, schedule: str, present_value: float) -> None:
    shares = catalogue.schedules[schedule].shares_by_year
    assert sum(share / 1.1**year for year, share in enumerate(shares, start=1)) == pytest.approx(
        present_value, abs=5e-5
    )


@each_row(("fact", "newest"), [
    ("us-bonus-depreciation", 1.0), ("us-section-179-limit", 2_500_000), ("uk-writing-down-main", 0.14),
    ("uk-full-expensing", 1.0), ("debt-coreweave-ddtl-1", 0.15), ("debt-coreweave-ddtl-5-spread", 0.045),
    ("colocation-vacancy-us", 0.014),
])  # fmt: skip
def test_facts_of_tax_and_money(catalogue: Catalogue, fact: str, newest: float) -> None:
    assert catalogue.facts[fact].figure.newest.typical == newest


def test_shares_are_shares_and_never_percent(catalogue: Catalogue) -> None:
    for key, fact in catalogue.facts.items():
        if fact.topic in {"tax", "finance"} and fact.figure.unit == "1":
            assert all(0 < value.typical <= 1 for value in fact.figure.values.values()), key


def test_our_own_judgement_says_that_it_is_ours(catalogue: Catalogue) -> None:
    for key in ("cost-of-capital-enterprise", "cost-of-capital-start-up", "cost-of-capital-venture"):
        value = catalogue.facts[key].figure.newest
        assert value.kind == "assumption"
        assert catalogue.sources[value.source].via == "ours"


def typical(catalogue: Catalogue, site: str, customer: Customer) -> float:
    price = electricity(catalogue, site, customer)
    return price.figure.newest.typical


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
    assert (texas.newest.low, texas.newest.typical) == (0.1446, 0.1588)


def test_every_place_has_a_price_for_every_class_and_says_when_it_is_anothers(catalogue: Catalogue) -> None:
    for site in catalogue.sites:
        for customer, field in FIELDS.items():
            price = electricity(catalogue, site, customer)
            own = getattr(catalogue.sites[site], field)
            assert (price.stands_in is None) == (own is not None), (site, customer)
            if price.stands_in is not None:
                assert catalogue.sites[site].label in price.stands_in


@pytest.mark.parametrize("site", ["NO", "IS", "IN", "MY"])
def test_a_large_site_has_a_price_of_its_own_where_it_had_the_worlds(catalogue: Catalogue, site: str) -> None:
    price = electricity(catalogue, site, "large")
    assert price.stands_in is None


def test_singapore_takes_the_average_of_four_neighbours_from_below_the_lowest_to_above_the_highest(
    catalogue: Catalogue,
) -> None:
    """Malaysia 0.1089, Taiwan 0.1413, Japan 0.18, South Korea 0.093: 0.1308; 0.62 x 0.093 and 1.2 x 0.18."""
    price = electricity(catalogue, "SG", "large")
    value = price.figure.newest
    assert price.stands_in == (
        "no price of Singapore for a large site: the average of Malaysia, Taiwan, Japan and South Korea stands in, "
        "with a wider range"
    )
    assert value.note == price.stands_in
    assert value.typical == pytest.approx((0.1089 + 0.1413 + 0.18 + 0.093) / 4)
    assert (value.low, value.high) == (pytest.approx(0.62 * 0.093), pytest.approx(1.2 * 0.18))


def test_one_neighbour_alone_does_not_stand_in_and_its_part_of_the_world_does(catalogue: Catalogue) -> None:
    price = electricity(catalogue, "SG", "household")
    assert price.stands_in is not None
    assert price.stands_in.startswith("no price of Singapore for a household: the middle of ")
    assert price.stands_in.endswith(" countries in Asia stands in, with a wider range")


def test_no_country_has_the_price_or_the_grid_of_the_world() -> None:
    """Rwanda is Rwanda: its own price, one for other customers, or those of its part of the world, wide."""
    facts = live_catalogue()
    for code in facts.lands:
        for customer in ("household", "firm", "large"):
            price = electricity(facts, code, customer)  # type: ignore[arg-type]
            assert price is not None
            assert "the world" not in (price.stands_in or ""), code
            value = price.figure.newest
            if price.stands_in:
                assert value.low is not None
                assert value.high is not None
                assert value.low < value.typical < value.high, code
        grid = grid_intensity_at(facts, code)
        assert grid is not None
        assert "the world" not in (grid.stands_in or ""), code
    japan = electricity(facts, "JP", "firm")
    assert japan is not None
    assert "its price for a large site times" in (japan.stands_in or "")


def test_a_province_takes_its_countrys_price_and_says_so(catalogue: Catalogue) -> None:
    price = electricity(catalogue, "CA-AB", "large")
    assert price.stands_in is not None
    assert "that of Canada stands in" in price.stands_in


def test_every_country_is_a_place_with_a_price_of_its_own_or_a_wide_range() -> None:
    live = live_catalogue()
    assert len(live.lands) >= 249
    for key in live.lands:
        price = electricity(live, key, "large")
        assert price is not None, key
        newest = price.figure.newest
        assert price.stands_in is None or newest.high > 1.5 * newest.low, key
    assert names.site(live, "Rwanda") == "RW"
    with pytest.raises(AmbiguousNameError):
        names.site(live, "Congo")
