"""Where the work must stay: why a way that is not rented machines would take it elsewhere. Offers say it themselves."""

from __future__ import annotations

from planner.money.renting.orders import country_of, stay_of
from planner.money.setting import Setting
from planner.money.ways.record import WayRecord
from planner.scenario.scenario import Scenario
from pricing import Catalogue

_PLACES = {"country": "in the country of your site", "eu": "in the European Union",
           "eu_sellers": "in the European Union, with sellers of the Union"}  # fmt: skip


def not_allowed(setting: Setting, way: WayRecord) -> str | None:
    """Why a way cannot be taken where the work must stay; None where it can, or where each offer tells by itself."""
    allowed = stay_of(setting.catalogue, setting.scenario).countries
    if not allowed:
        return None
    catalogue, scenario = setting.catalogue, setting.scenario
    if way.by_the_token and (scenario.hosted is None or scenario.hosted.price is not None):
        return (
            f"nobody says where a hosted model runs, and the work must stay {place_words(catalogue, scenario)}: "
            "ask the seller, and enter his price as yours"
        )
    here = country_of(catalogue, scenario.site)
    if way.owns and here not in allowed:
        site, there = catalogue.sites[scenario.site].label, place_words(catalogue, scenario)
        return f"yours would stand in {site}, and the work must stay {there}: choose a site there"
    return None


def place_words(catalogue: Catalogue, scenario: Scenario) -> str:
    """Where the work must stay, in words: in Germany or France, in the European Union."""
    if scenario.stay_in:
        names = [catalogue.lands[code].label if code in catalogue.lands else code for code in scenario.stay_in]
        return f"in {' or '.join(names)}"
    here = country_of(catalogue, scenario.site)
    if scenario.stay == "country" and here is not None:
        return f"in {catalogue.lands[here].label}"
    return _PLACES[scenario.stay]
