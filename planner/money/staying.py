"""Where the work must stay: why a way that is not rented machines would take it elsewhere. Offers say it themselves."""

from planner.money.renting.orders import country_of, stay_of
from planner.money.setting import Setting
from planner.money.ways.record import WayRecord
from planner.scenario.scenario import Scenario
from pricing import Catalogue
from pricing.orderable import members_of

_PLACES = {"country": "in the country of your site", "eu": "in the European Union",
           "eu_sellers": "in the European Union, with sellers of the Union"}  # fmt: skip


def not_allowed(setting: Setting, way: WayRecord) -> str | None:
    """Why a way cannot be taken where the work must stay; None where it can, or where each offer tells by itself."""
    if way.by_the_token:
        return hosted_elsewhere(setting.catalogue, setting.scenario)
    return owned_elsewhere(setting.catalogue, setting.scenario) if way.owns else None


def hosted_elsewhere(catalogue: Catalogue, scenario: Scenario) -> str | None:
    """Why a model by the token cannot be used where the work must stay: nobody says where it runs."""
    yours = scenario.hosted is not None and scenario.hosted.price is None
    if yours or not stay_of(catalogue, scenario).countries:
        return None
    return (
        f"nobody says where a hosted model runs, and the work must stay {place_words(catalogue, scenario)}: "
        "ask the seller, and enter his price as yours"
    )


def owned_elsewhere(catalogue: Catalogue, scenario: Scenario) -> str | None:
    """Why machines of one's own would take the work away from where it must stay."""
    allowed = stay_of(catalogue, scenario).countries
    here = country_of(catalogue, scenario.site)
    inside = members_of(catalogue, scenario.site if here is None else here) <= allowed
    if not allowed or inside:
        return None
    site, there = catalogue.sites[scenario.site].label, place_words(catalogue, scenario)
    return f"yours would stand in {site}, and the work must stay {there}: choose a site there"


def place_words(catalogue: Catalogue, scenario: Scenario) -> str:
    """Where the work must stay, in words: in Germany or France, in the European Union."""
    if scenario.stay_in:
        names = [catalogue.lands[code].label if code in catalogue.lands else code for code in scenario.stay_in]
        return f"in {' or '.join(names)}"
    here = country_of(catalogue, scenario.site)
    if scenario.stay == "country" and here is not None:
        return f"in {catalogue.lands[here].label}"
    return _PLACES[scenario.stay]
