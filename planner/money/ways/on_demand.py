"""On demand: rent by the hour, from the cheapest believable offer or at your own price."""

from planner.money.price_path import forward_rent_note, rent_path_warnings
from planner.money.renting.bill import renting
from planner.money.setting import PlanContext
from planner.money.ways.ledger_of_way import OptionLedger, Unavailable
from planner.money.ways.record import Look, MixLayerStyle, OptionSpec
from planner.scenario.amounts import count

_SELLERS_SHOWN = 4


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """All work on machines rented by the hour."""
    missing = missing_price(setting)
    if missing is not None:
        return missing
    offer, yours = setting.offers.on_demand, setting.scenario.rent.usd_per_accelerator_hour
    need = setting.demand.all
    return OptionLedger(
        title="Rent on demand",
        what=seller(setting, offer, yours),
        lines=renting(setting, need, offer),
        useful_hours=need.busy_hours,
        accelerators=float(need.peak_accelerators),
        warnings=(*rent_path_warnings(setting), *forward_rent_note(setting)),
    )


def missing_price(setting: PlanContext) -> Unavailable | None:
    """Why renting by the hour has no price here."""
    offer, yours = setting.offers.on_demand, setting.scenario.rent.usd_per_accelerator_hour
    if offer is None and yours is None and "usd_per_accelerator_hour" not in setting.tried:
        lacks = setting.offers.lacks.get("on_demand")
        if lacks is not None:
            return Unavailable(lacks)
        label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
        return Unavailable(f"nobody publishes a price for renting {label} by the hour: enter a price or a quote")
    return unknown_offer_reason(setting, offer)


def seller(setting: PlanContext, offer: str | None, your_price: float | None = None) -> str:
    """Who rents the machine out and what they call it; or whose own price it is."""
    if offer is None:
        return "your price"
    record = setting.catalogue.offers[offer]
    provider = setting.catalogue.providers[record.provider].label
    named = f"{provider} ({record.sku})" if record.sku else provider
    named = _other_sellers_text(setting, offer, named)
    return named if your_price is None else f"your price, on the terms of {named}"


def _other_sellers_text(setting: PlanContext, offer: str, named: str) -> str:
    """Who else delivers, where one seller has too few of them at once."""
    shares = setting.offers.shares
    if offer != setting.offers.on_demand or len(shares) < 2:
        return named
    offers, providers = setting.catalogue.offers, setting.catalogue.providers
    each = [f"{providers[offers[one.offer].provider].label} ({one.accelerators:,})" for one in shares[:_SELLERS_SHOWN]]
    more = f" and {count(len(shares) - _SELLERS_SHOWN, 'more seller')}" if len(shares) > _SELLERS_SHOWN else ""
    return f"{', '.join(each)}{more}"


def unknown_offer_reason(setting: PlanContext, offer: str | None) -> Unavailable | None:
    """Why an offer that was named cannot be taken."""
    if offer is None or offer in setting.catalogue.offers:
        return None
    return Unavailable(f"there is no offer {offer!r} in the catalogue of this day: choose another, or enter a price")


WAY = OptionSpec(
    key="on_demand",
    place=6,
    side="rent",
    build=build,
    name="Rent on demand",
    advice="Rent",
    doing="renting",
    said="rented on demand {seller}",
    paid_for="on demand",
    look=Look("#b45309", "#fbbf77", "dash", "circle"),
    layer=MixLayerStyle("Rent on demand", hatch="/", peaks="rent the peaks"),
    inputs="rent",
    asks_back=True,
    offer=lambda taken: taken.on_demand,
)
