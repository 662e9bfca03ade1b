"""The order of a plan: its size at once, the size of one job, its place; and the offers that can take it.

Your own quotes and discounts are laid over the facts first; dated quotes are rents agreed today. An offer is eligible
unless it is elsewhere, joins too few machines, or publishes that it has fewer. Where none is, a sentence says what
would do.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

import numpy as np

from planner.money.setting import PlanContext
from planner.scenario.amounts import count
from planner.scenario.base import DAYS_PER_MONTH, ONE_MACHINE
from planner.scenario.own_prices import RentalQuote
from planner.scenario.rent import ReservedOrder, TermLength, accepts_hosts
from planner.scenario.scenario import UNION, Scenario
from planner.speed.work_to_hours import ScenarioInHours
from pricing import Catalogue
from pricing.caching import cached
from pricing.market.depth import DAY_MONTHS, Purchase
from pricing.market.sellers import TERM_MONTHS, band_of, listed
from pricing.orderable import (
    Capacity,
    Order,
    ResidencyRequirement,
    allowed_countries,
    bloc_members,
    eu,
    joins,
    refusal_reason,
    sales,
)
from pricing.quotes import DiscountQuote, OfferQuote, Quotes, with_quotes
from pricing.quotes.records import user_record_id

_MOST_PLACES = 5  # named in a sentence
_MOST_MORE = 1.5  # times the price anywhere: where a place costs more, one seller or two have it there
_QUOTES_NAME = "this plan"
_FAR = 10.0  # times below or above what such an order pays, from which a quote is questioned
_LENGTHS: tuple[tuple[TermLength, int], ...] = (
    ("reserved_3y", 36), ("reserved_2y", 24), ("reserved_1y", 12), ("reserved_6m", 6), ("reserved_3m", 3),
    ("reserved_1m", 1),
)  # fmt: skip


# A plan asks for it fifteen times, with other offers taken.
@cached(4, same=lambda setting: (setting.catalogue, setting.scenario, setting.resolved, setting.demand))
def busiest_order(setting: PlanContext) -> Order:
    """Return the peak demand of the plan, and how many of them work on one job."""
    scenario, at_once = setting.scenario, max(int(np.ceil(setting.demand.all.peak_accelerators)), 1)
    needed, hosts = together(scenario, setting.resolved), accepts_hosts(at_once, scenario.rent.hosts_of_others)
    is_grown = any(work.growth_per_year > 0 for work in scenario.work)
    order = Order(at_once, min(needed, at_once), placement_limits(setting.catalogue, scenario), hosts, is_grown)
    if scenario.residency != "near" or order.stay.countries:
        return order
    whole = _in_machines(setting, order)
    return replace(order, stay=nearest(setting.catalogue, scenario.site, scenario.accelerator, whole, setting.day))


def orders_of(setting: PlanContext) -> tuple[Order, ...]:
    """Return the order of a plan; before it, in whole machines where the work fills them and states no job size."""
    order = busiest_order(setting)
    return tuple(dict.fromkeys((_in_machines(setting, order), order)))


def _in_machines(setting: PlanContext, order: Order) -> Order:
    silent = not any(it.accelerators_per_job or it.train or it.serve or it.run for it in setting.written.work)
    return replace(order, together=ONE_MACHINE) if silent and order.accelerators % ONE_MACHINE == 0 else order


def together(scenario: Scenario, resolved: ScenarioInHours | None) -> int:
    """Return the accelerators of the largest run, replica or job, which need a network between them."""
    named = [] if resolved is None else [training.accelerators for training in resolved.trainings]
    named += [] if resolved is None else [serving.accelerators_per_replica for serving in resolved.servings]
    return max([*named, *(work.accelerators_per_job or 1 for work in scenario.work)], default=1)


@cached(64, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *rest: rest)
def nearest(catalogue: Catalogue, site: str, chip: str, order: Order, day: date) -> ResidencyRequirement:
    """Return the nearest place that likely has an order for about the price anywhere; else where it may be."""
    country, europe = site_country(catalogue, site) or site, ResidencyRequirement(areas=frozenset({"europe"}))
    here, union = bloc_members(catalogue, country), bloc_members(catalogue, UNION)
    # Prices of one country of Europe are often those of a single seller.
    alone = europe if country in allowed_countries(catalogue, europe) else ResidencyRequirement(here)
    keys, usual = (
        listed(catalogue, chip, frozenset({"on_demand"}), day),
        band_of(catalogue, chip, order, day, "on_demand"),
    )
    for place in (ResidencyRequirement(union), europe) if here <= union else (alone,):
        near = replace(order, stay=replace(place, without=order.stay.without))
        band = band_of(catalogue, chip, near, day, "on_demand") if able(catalogue, keys, (near,)) else None
        if (
            band is not None
            and band.standing != "unavailable"
            and (usual is None or band.typical <= _MOST_MORE * usual.typical)
        ):
            return near.stay
    return order.stay


def placement_limits(catalogue: Catalogue, scenario: Scenario) -> ResidencyRequirement:
    """Return where the work must stay, and who may hold it."""
    return replace(_places(catalogue, scenario), without=frozenset(scenario.not_from))


def _places(catalogue: Catalogue, scenario: Scenario) -> ResidencyRequirement:
    if scenario.stay_in:
        return ResidencyRequirement(countries=frozenset(scenario.stay_in))
    stay = scenario.residency
    if stay == "europe":
        return ResidencyRequirement(areas=frozenset({"europe"}))
    if stay in ("eu", "eu_sellers"):
        return eu(catalogue, sellers_too=stay == "eu_sellers")
    code = site_country(catalogue, scenario.site)
    return ResidencyRequirement(frozenset({code}) if stay == "country" and code is not None else frozenset())


def site_country(catalogue: Catalogue, site: str) -> str | None:
    """The two letters of the country in which a site lies; None for the whole world or a union of states."""
    place: str | None = site
    while place is not None and place not in catalogue.lands:
        place = catalogue.sites[place].parent if place in catalogue.sites else None
    return place


def able(catalogue: Catalogue, keys: Sequence[str], orders: Sequence[Order]) -> tuple[str, ...]:
    """Return the offers that can take the first possible order; none where no order is possible."""
    several = (tuple(key for key in keys if refusal_reason(catalogue, key, order) is None) for order in orders)
    return next((able_keys for able_keys in several if able_keys), ())


def nobody(setting: PlanContext, keys: Sequence[str], order: Order, buying: str) -> str:
    """Return why none of the offers will do, and what would: a smaller order, another place."""
    catalogue = setting.catalogue
    label = catalogue.accelerator_label(setting.scenario.accelerator)
    anywhere = replace(order, stay=ResidencyRequirement())
    local = [key for key in keys if refusal_reason(catalogue, key, replace(order, accelerators=1, together=1)) is None]
    if not local:
        return _elsewhere(setting, keys, anywhere, f"{label} {buying}")
    joined = [key for key in local if joins(sales(catalogue)[key], order.together)]
    if not joined:
        best = max(local, key=lambda key: (sales(catalogue)[key].reach, key))
        return (
            f"no known seller here joins {order.together:,} {label} {buying} in one job: the largest is "
            f"{_number(sales(catalogue)[best].reach)}, of {_seller(catalogue, best)}. Smaller jobs, or your quote, "
            "would do"
        )
    most: dict[str, Capacity] = {}
    for key in joined:
        provider, its = catalogue.offers[key].provider, sales(catalogue)[key].most
        most[provider] = max(most.get(provider, its), its)
    best = max(joined, key=lambda key: (sales(catalogue)[key].most, key))
    largest = _number(sales(catalogue)[best].most)
    every = f", all {len(most)} sellers together {_number(*most.values())}" if len(most) > 1 else ""
    return (
        f"no known seller here has {order.accelerators:,} {label} {buying} at once: {_seller(catalogue, best)} has "
        f"{largest}{every}. Fewer at once, or a quote of yours, would do"
    )


def _number(*capacities: Capacity) -> str:
    """Accelerators of one seller or of several, with how many of them we assume."""
    every, assumed = (
        sum(capacity.accelerators for capacity in capacities if capacity.assumed or known) for known in (True, False)
    )
    part = "" if assumed == every else f"{assumed:,} of them "
    return f"{every:,} ({part}we assume)" if assumed else f"{every:,}"


def _elsewhere(setting: PlanContext, keys: Sequence[str], anywhere: Order, what: str) -> str:
    """The places of sellers that would do if the work could leave, and how many do not state theirs."""
    catalogue = setting.catalogue

    def codes(key: str) -> list[str]:
        return [code for place in sales(catalogue)[key].places if len(place) == 1 for code in place]

    can = [key for key in keys if refusal_reason(catalogue, key, anywhere) is None]
    places = sorted({catalogue.lands[code].label for key in can for code in codes(key)})
    silent = sum(not sales(catalogue)[key].places for key in can)
    listed = ", ".join(places[:_MOST_PLACES])
    if len(places) > _MOST_PLACES:
        listed += f" and {count(len(places) - _MOST_PLACES, 'more country', 'more countries')}"
    where = f": there is some in {listed}" if places else ""
    stand = count(silent, "offer does not say where it stands", "offers do not say where they stand")
    unsaid = f"; {stand}: ask" if silent else ""
    why = f"no seller states that {what} stands where the work must stay{where}{unsaid}"
    return f"{why}. Another place, or a quote of yours, would do"


def _seller(catalogue: Catalogue, key: str) -> str:
    return catalogue.providers[catalogue.offers[key].provider].label


def with_own_prices(catalogue: Catalogue, scenario: Scenario, day: date) -> Catalogue:
    """Return the facts with the plan's own quotes and discounts of that day laid over them."""
    quotes = own_quotes(catalogue, scenario, day)
    return catalogue if quotes is None else _overlaid(catalogue, quotes)


@cached(8, same=lambda catalogue, _: (catalogue,), equal=lambda _, quotes: quotes)
def _overlaid(catalogue: Catalogue, quotes: Quotes) -> Catalogue:
    return with_quotes(catalogue, quotes)


def own_quotes(catalogue: Catalogue, scenario: Scenario, day: date) -> Quotes | None:
    """Return the prices of a plan as rows of quotes; None where it has none that hold on that day."""
    offers = tuple(
        OfferQuote(
            line=line, valid_from=day, valid_until=quote.valid_until, provider=user_record_id(quote.seller),
            provider_label=quote.seller, accelerator=quote.accelerator or scenario.accelerator,
            region="yours" if line == 1 else f"yours {line}", purchase=quote.purchase,
            most_accelerators=quote.accelerators, usd_per_accelerator_hour=quote.usd_per_accelerator_hour,
        )
        for line, quote in enumerate(scenario.quotes, start=1)
        if _holds(quote.valid_until, day) and not quote.starts
        and (quote.accelerator or scenario.accelerator) in catalogue.accelerators
    )  # fmt: skip
    discounts = tuple(
        DiscountQuote(line=line, valid_from=day, valid_until=less.valid_until, provider=less.provider,
                      discount_share=less.discount_share, accelerator=less.accelerator, purchase=less.purchase)
        for line, less in enumerate(scenario.discounts, start=1)
        if _holds(less.valid_until, day) and less.provider in catalogue.providers
    )  # fmt: skip
    return Quotes(_QUOTES_NAME, day, offers, discounts) if offers or discounts else None


def with_dated_quotes(scenario: Scenario, day: date) -> Scenario:
    """Return the scenario with quotes that start later as rents agreed today and reservations of those months.

    What the scenario itself says of either wins. The blocks of a plan have one price, that of the first.
    """
    later = [quote for quote in scenario.quotes if quote.starts and _holds(quote.valid_until, day)]
    later = [quote for quote in later if quote.accelerator in (None, scenario.accelerator)]
    rents = [quote for quote in later if not quote.is_block]
    changes: dict[str, object] = {}
    if rents and scenario.rent.forward_usd_per_accelerator_hour is None:
        agreed = {"forward_usd_per_accelerator_hour": rents[0].usd_per_accelerator_hour,
                  "forward_from_month": _first_month(rents[0], day)}  # fmt: skip
        changes["rent"] = scenario.rent.model_copy(update=agreed)
    blocks = [quote for quote in later if quote.is_block]
    if blocks and scenario.reserve.usd_per_accelerator_hour is None and not scenario.reserve.orders:
        usd = blocks[0].usd_per_accelerator_hour
        orders = [order for block in blocks if block.usd_per_accelerator_hour == usd
                  for order in _orders(block, day) if order.from_month <= scenario.months]  # fmt: skip
        if orders:
            changes["reserve"] = scenario.reserve.model_copy(
                update={"usd_per_accelerator_hour": usd, "orders": tuple(orders)}
            )
    return scenario.model_copy(update=changes) if changes else scenario


def _orders(block: RentalQuote, day: date) -> Iterator[ReservedOrder]:
    """Return the reservations that make up a block, the longest terms first."""
    month, left = _first_month(block, day), int(TERM_MONTHS.get(block.purchase, 1))
    if block.starts is not None and block.ends is not None:
        left = max(round((block.ends - block.starts).days / DAYS_PER_MONTH), 1)
    for term, months in _LENGTHS:
        while left >= months:
            yield ReservedOrder(from_month=month, accelerators=block.accelerators or 1, term=term)
            month, left = month + months, left - months


def _first_month(quote: RentalQuote, day: date) -> int:
    """Return the number of the month of the plan in which a quote starts; 1 is the first."""
    days = 0 if quote.starts is None else max((quote.starts - day).days, 0)
    return min(round(days / DAYS_PER_MONTH) + 1, 120)


def _holds(until: date | None, day: date) -> bool:
    return until is None or day <= until


def own_price_notes(setting: PlanContext) -> Iterator[str]:
    """Yield what became of each of the plan's own prices: until when it holds, why it is not used, what looks wrong."""
    scenario, day, catalogue = setting.scenario, setting.day, setting.catalogue
    for less in scenario.discounts:
        label = catalogue.providers[less.provider].label if less.provider in catalogue.providers else less.provider
        if not _holds(less.valid_until, day):
            yield f"Your discount at {label} was valid until {less.valid_until}: it is not used. Ask again."
        elif all(offer.provider != less.provider or offer.accelerator != scenario.accelerator
                 for offer in catalogue.offers.values()):  # fmt: skip
            yield f"Your discount at {label} changes nothing here: no price of this GPU is known there."
    for quote in scenario.quotes:
        yield from _quote_notes(setting, quote)


def _quote_notes(setting: PlanContext, quote: RentalQuote) -> Iterator[str]:
    catalogue, scenario, order = setting.catalogue, setting.scenario, busiest_order(setting)
    usd, chip = quote.usd_per_accelerator_hour, quote.accelerator or scenario.accelerator
    name = f"Your quote of {usd:.4g} USD from {quote.seller}"
    if not _holds(quote.valid_until, setting.day):
        yield f"{name} was valid until {quote.valid_until}: it is not used. Ask again."
        return
    if chip != scenario.accelerator:
        is_known = chip in catalogue.accelerators or chip in catalogue.ambiguous
        label = catalogue.accelerator_label(chip) if is_known else chip
        yield f"{name} is for {label}: it is not used here."
        return
    if quote.accelerators is not None and quote.accelerators < order.accelerators and not quote.is_block:
        yield f"{name} is for {quote.accelerators:,}, and the plan orders {order.accelerators:,}: ask for so many."
        return
    months = TERM_MONTHS.get(quote.purchase, 0.0)
    buying: Purchase = "reserved" if months else "spot" if quote.purchase == "spot" else "on_demand"
    band = band_of(catalogue, chip, order, setting.day, buying, months or DAY_MONTHS)
    if band is not None and not band.low / _FAR <= usd <= band.high * _FAR:
        yield (
            f"{name} is far from the {band.typical:.3g} USD ({band.low:.3g} to {band.high:.3g}) that such an order "
            "pays for a GPU and hour: is it for a GPU and hour, in dollars? It is used as you typed it."
        )
    elif band is not None and not quote.starts and usd > band.typical:
        yield f"{name} is above the {band.typical:.3g} USD that such an order typically pays: other sellers are asked."
    if quote.valid_until is not None:
        yield f"{name} holds until {quote.valid_until}: order by then."
