"""What people type for a place: its city, its old or common name; what can be two is asked about."""

import pytest

from pricing import AmbiguousNameError, UnknownNameError, names
from pricing.catalogue import Catalogue
from tests.frozen import live_catalogue

CALLED = {
    "Frankfurt": "DE", "Berlin": "DE", "Munich": "DE", "München": "DE", "Zürich": "CH", "London": "GB", "England": "GB",
    "Scotland": "GB", "UK": "GB", "Dublin": "IE", "Paris": "FR", "Amsterdam": "NL", "Stockholm": "SE", "Milan": "IT",
    "Madrid": "ES", "Helsinki": "FI", "Oslo": "NO", "Reykjavik": "IS", "Warsaw": "PL", "Tokyo": "JP", "Seoul": "KR",
    "Mumbai": "IN", "Bangalore": "IN", "Sydney": "AU", "Dubai": "AE", "São Paulo": "BR", "Toronto": "CA-ON",
    "Montréal": "CA-QC", "Bay Area": "US-CA", "bay-area": "US-CA", "Silicon Valley": "US-CA", "San Francisco": "US-CA",
    "Virginia": "US-VA", "Northern Virginia": "US-VA", "Ashburn": "US-VA", "NYC": "US-NY", "Dallas": "US-TX",
    "Chicago": "US-IL", "Phoenix": "US-AZ", "Seattle": "US-WA", "Washington DC": "US-DC", "America": "US",
    "Frankfurt, Germany": "DE", "Portland, Maine": "US-ME", "Cambridge, Massachusetts": "US-MA",
    "Vancouver, Canada": "CA-BC",
}  # fmt: skip
SEVERAL = {
    "Georgia": {"GE", "US-GA"}, "Portland": {"US-OR", "US-ME"}, "Cambridge": {"GB", "US-MA"},
    "Kansas City": {"US-KS", "US-MO"}, "Vancouver": {"CA-BC", "US-WA"},
}  # fmt: skip
SIZES = {
    "Llama 70B": {"Llama-2-70B", "Llama-3-70B", "Llama-3.1-70B", "Llama-3.3-70B"},
    "Qwen 72B": {"Qwen1.5-72B", "Qwen2-72B", "Qwen2.5-72B"},
    "Llama 405B": {"Llama-3.1-405B"},
}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return live_catalogue()


@pytest.mark.parametrize(("typed", "site"), CALLED.items())
def test_a_place_is_found_by_the_name_people_use(catalogue: Catalogue, typed: str, site: str) -> None:
    assert names.site(catalogue, typed) == site


@pytest.mark.parametrize(("typed", "sites"), SEVERAL.items())
def test_a_name_of_several_places_is_asked_about(catalogue: Catalogue, typed: str, sites: set[str]) -> None:
    with pytest.raises(AmbiguousNameError) as asked:
        names.site(catalogue, typed)
    assert set(asked.value.candidates) == sites


@pytest.mark.parametrize(("typed", "models"), SIZES.items())
def test_a_family_and_a_size_names_the_releases_of_that_size_first(
    catalogue: Catalogue, typed: str, models: set[str]
) -> None:
    with pytest.raises(UnknownNameError) as asked:
        names.model(catalogue, typed)
    assert set(asked.value.candidates[: len(models)]) == models
