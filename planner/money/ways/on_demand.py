"""On demand: rent by the hour, from the cheapest believable offer or at your own price."""

from planner.money.option import ChartStyle, MixLayerStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.price_path import forward_rent_note, rent_path_warnings
from planner.money.renting.bill import renting
from planner.money.setting import PlanContext


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build all work on machines rented by the hour."""
    missing = no_price_reason(setting)
    if missing is not None:
        return missing
    offer, need = setting.offers.on_demand, setting.demand.all
    return OptionLedger(
        title="Rent on demand",
        what=seller_text(setting, offer, setting.scenario.rent.usd_per_accelerator_hour),
        lines=renting(setting, need, offer),
        useful_hours=need.busy_hours,
        accelerators=float(need.peak_accelerators),
        warnings=(*rent_path_warnings(setting), *forward_rent_note(setting)),
    )


def no_price_reason(setting: PlanContext) -> Unavailable | None:
    """Return why renting by the hour has no price here."""
    offer, yours = setting.offers.on_demand, setting.scenario.rent.usd_per_accelerator_hour
    if offer is not None or yours is not None or "usd_per_accelerator_hour" in setting.tried:
        return unknown_offer_reason(setting, offer)
    label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
    unpublished = f"there is no published price for renting {label} by the hour: enter a price or a quote"
    return Unavailable(setting.offers.lacks.get("on_demand", unpublished))


def seller_text(setting: PlanContext, offer: str | None, your_price: float | None = None, months: float = 0.0) -> str:
    """Return the seller and its name for the machine; that it is your own price; or that no seller likely has it."""
    if offer is None:
        return "your price"
    known, market = setting.catalogue.offers[offer], setting.offers.market_price(offer, months)
    provider = setting.catalogue.providers[known.provider].label
    text = f"{provider} ({known.sku})" if known.sku else provider
    if your_price is not None:
        return f"your price, on the terms of {text}"
    if market is None or market.band.cheapest_seller == known.provider:
        return text
    return "the one seller known" if market.sellers == 1 else f"one of {market.sellers} sellers, whichever has so many"


def unknown_offer_reason(setting: PlanContext, offer: str | None) -> Unavailable | None:
    """Return why a named offer cannot be used."""
    if offer is None or offer in setting.catalogue.offers:
        return None
    return Unavailable(f"there is no offer {offer!r} in the catalogue of this day: choose another, or enter a price")


WAY = OptionSpec(
    key="on_demand",
    place=6,
    side="rent",
    build=build,
    name="Rent on demand",
    verdict_text="Rent",
    gerund="renting",
    result_text="rented on demand {seller}",
    purchase_text="on demand",
    style=ChartStyle("#b45309", "#fbbf77", "dash", "circle"),
    layer=MixLayerStyle("Rent on demand", hatch="/", peaks="rent the peaks"),
    inputs="rent",
    checks_plausibility=True,
    offer=lambda offers: offers.on_demand,
)
