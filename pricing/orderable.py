"""The capacity of an offer: how much at once, on which network, where and by whom; and why it refuses an order.

A price is a price of something. What that is stands in fields of the offer and its provider; where nobody publishes how
much is sold at once, a fact of the catalogue holds our assumption, by kind of sale (docs/decisions/0032).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal, get_args

from pricing.caching import cached
from pricing.catalogue import Catalogue
from pricing.choices import Fabric, Orders, SoldAs
from pricing.errors import UnknownNameError
from pricing.figure import Figure
from pricing.records import Bloc, MachineFabric, Offer, Provider

Refusal = Literal[
    "too few at once", "smaller than its least order", "no fabric", "elsewhere", "not stated where", "a host of others",
    "left out",
]  # fmt: skip

YOURS = "yours"  # the source of the user's own figures
MOST_OF = "most-at-once-"  # with the kind of sale behind it: the fact that says how much is sold at once
RESERVED_FACTOR = "most-at-once-reserved-factor"
NVLINK_DOMAIN = "nvlink-domain-accelerators"
SPOT_SHARE = "most-at-once-spot-share"
BY_THE_TERM = frozenset({"reserved_1m", "reserved_3m", "reserved_6m", "reserved_1y", "reserved_2y", "reserved_3y"})
_COUNTED_DAYS = 1  # for so long a live count counts
WHOLE_MACHINE = 8  # accelerators from which on a machine is a whole one, and its seller's network joins it to others


@dataclass(frozen=True, order=True)
class Capacity:
    """A number of accelerators that a seller has, and whether we assume it because the seller publishes none."""

    accelerators: int
    assumed: bool


@dataclass(frozen=True)
class OfferCapacity:
    """The capacity sold under one offer."""

    kind: SoldAs
    sizes: tuple[int, ...]  # accelerators one machine can have, in rising order
    sizes_assumed: bool  # whether we assume that it also has whole boards, since the seller names no size
    most: Capacity  # at once
    least: int
    fabric: Fabric | None
    fabric_gb_s: float | None
    reach: Capacity  # of the largest single job: of one machine, or of all that its network joins
    orders: Orders | None
    country: str | None  # where there is just one that it can lie in
    places: tuple[frozenset[str], ...]  # what can be chosen: a country, or somewhere in one of several
    area: str
    provider_country: str | None
    yours: bool  # the user's own price, for whatever he asks
    is_your_price: bool  # a quote, or a seller's list less your discount


@dataclass(frozen=True)
class ResidencyRequirement:
    """The places where machines may stand (all conditions hold), and who may run them. Empty: anywhere, anybody.

    `without`: the sellers that are left out.
    """

    countries: frozenset[str] = frozenset()
    areas: frozenset[str] = frozenset()
    provider_countries: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()


ANYWHERE = ResidencyRequirement()


@dataclass(frozen=True)
class Order:
    """An order at one time. `together` are the accelerators of one job, which talk to each other all the time."""

    accelerators: int = 1
    together: int = 1
    stay: ResidencyRequirement = ANYWHERE
    hosts: bool = True  # whether machines of others at a marketplace are accepted
    is_grown: bool = False  # into: sellers have approved more than a new account gets by then


class _Sales(dict[str, OfferCapacity]):
    """The capacity of each offer, worked out when it is first read."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def __missing__(self, key: str) -> OfferCapacity:
        """Return the capacity of an offer, and keep it."""
        return self.setdefault(key, _build_capacity(self._catalogue, self._catalogue.offers[key]))


@dataclass(frozen=True)
class _CapacityCache:
    by_the_machine: frozenset[str]  # providers whose lists have prices for machines of several accelerators
    sales: _Sales
    astray: dict[ResidencyRequirement, dict[str, Refusal | None]]


def sales(catalogue: Catalogue) -> Mapping[str, OfferCapacity]:
    """Return the capacity of every offer: for a loop over many."""
    return _capacity_cache(catalogue).sales


def free_accelerators(offer: Offer, day: date) -> int | None:
    """Return the accelerators that were free today or yesterday. None: nobody counted them so lately."""
    figure = offer.usd_per_accelerator_hour
    if offer.free_machines is None or figure is None or (day - figure.checked).days > _COUNTED_DAYS:
        return None
    return offer.free_machines * offer.accelerators_per_instance


def at_once(catalogue: Catalogue, key: str, day: date) -> Capacity:
    """Return how many one order gets: those that are free, where they were counted; else the most that is sold."""
    free = free_accelerators(catalogue.offers[key], day)
    return sales(catalogue)[key].most if free is None else Capacity(free, assumed=False)


def refusal_reason(catalogue: Catalogue, key: str, order: Order) -> Refusal | None:
    """Return the first reason why the offer called `key` cannot take the order; None: it can."""
    capacity = sales(catalogue)[key]
    if capacity.yours:
        most = capacity.most
        return "too few at once" if not most.assumed and most.accelerators < order.accelerators else None
    if capacity.kind == "bid" and not order.hosts:
        return "a host of others"
    accelerators = max(order.accelerators, order.together)
    if accelerators > capacity.most.accelerators and (not capacity.most.assumed or capacity.kind == "bid"):
        return "too few at once"
    size = machine(capacity, order.together)
    if -(-accelerators // size) * size < capacity.least:
        return "smaller than its least order"
    if not joins(capacity, order.together):
        return "no fabric"
    return None if order.stay is ANYWHERE else _residency_refusal(catalogue, key, order.stay)


def joins(capacity: OfferCapacity, together: int) -> bool:
    """Return whether so many can work on one job: a size that we assume does not limit what a network joins."""
    return together <= capacity.reach.accelerators or (
        capacity.reach.assumed and capacity.fabric not in (None, "ethernet")
    )


def machine(capacity: OfferCapacity, together: int) -> int:
    """The machine one would rent for a job of `together`: the smallest that holds it, else the largest there is."""
    return next((size for size in capacity.sizes if size >= together), capacity.sizes[-1])


def eu(catalogue: Catalogue, *, sellers_too: bool = False) -> ResidencyRequirement:
    """In the European Union; `sellers_too`: and held by a provider with its headquarters there."""
    members = bloc_members(catalogue, "EU")
    return ResidencyRequirement(countries=members, provider_countries=members if sellers_too else frozenset())


def country(catalogue: Catalogue, code: str, *, sellers_too: bool = False) -> ResidencyRequirement:
    """In one country, by its two letters."""
    if code not in catalogue.lands:
        raise UnknownNameError(f"No country is called {code!r}: want two letters, such as DE.", ())
    only = frozenset({code})
    return ResidencyRequirement(countries=only, provider_countries=only if sellers_too else frozenset())


def staying(catalogue: Catalogue, typed: str | None) -> ResidencyRequirement:
    """Return a residency requirement as typed: eu, or countries by two letters, DE,FR; anywhere where empty."""
    codes = [code.strip().upper() for code in (typed or "").split(",") if code.strip()]
    if codes in ([], ["ANYWHERE"]):
        return ANYWHERE
    if codes == ["EU"]:
        return eu(catalogue)
    return ResidencyRequirement(countries=frozenset().union(*(country(catalogue, code).countries for code in codes)))


def bloc_members(catalogue: Catalogue, place: str) -> frozenset[str]:
    """Return the countries of a union of states; of a country, itself."""
    if place not in get_args(Bloc):
        return frozenset({place})
    return frozenset(code for code, land in catalogue.lands.items() if place in land.blocs)


def run_coordinates(catalogue: Catalogue, offer: Offer) -> tuple[str, ...]:
    """The countries and unions of states that an offer's region covers, where its seller says so; one can choose."""
    return offer.countries or catalogue.providers[offer.provider].regions.get(offer.region, ())


def places_in(catalogue: Catalogue, offer: Offer, areas: frozenset[str]) -> tuple[str, ...]:
    """Return those of them that lie in these parts of the world."""
    allowed = allowed_countries(catalogue, ResidencyRequirement(areas=areas))
    return tuple(place for place in run_coordinates(catalogue, offer) if bloc_members(catalogue, place) <= allowed)


def is_in(catalogue: Catalogue, offer: Offer, areas: frozenset[str]) -> bool:
    """Return whether an offer is in these parts of the world. One for anywhere, at an unknown place, may be."""
    if run_coordinates(catalogue, offer):
        return bool(places_in(catalogue, offer, areas))
    return offer.area == "anywhere" or offer.area in areas


@cached(4, same=lambda facts: (facts.offers, facts.providers, facts.facts, facts.lands))
def _capacity_cache(catalogue: Catalogue) -> _CapacityCache:
    listed = frozenset(offer.provider for offer in catalogue.offers.values() if offer.accelerators_per_instance > 1)
    return _CapacityCache(listed, _Sales(catalogue), {})


# What is sold


def _build_capacity(catalogue: Catalogue, offer: Offer) -> OfferCapacity:
    provider = catalogue.providers[offer.provider]
    sizes = _sizes(catalogue, offer, provider)
    machine_holds = Capacity(sizes[-1], _takes_boards(catalogue, offer, provider))
    joined = _joined(offer, provider, sizes)
    fabric = offer.fabric or (joined.fabric if joined else None)
    rate = offer.fabric_gb_s or (joined.fabric_gb_s if joined and not offer.fabric else None)
    kind = kind_of(offer, provider, sizes, fabric)
    published = offer.most_at_once or (joined.most_at_once if joined else None) or provider.most_at_once
    number = _count(published) if published else _taken(catalogue, kind, offer, sizes)
    if offer.purchase == "spot" and kind != "bid" and not offer.most_at_once:  # what is left over of that
        number, published = int(number * catalogue.facts[SPOT_SHARE].figure.newest.typical), None
    most = Capacity(max(number, sizes[-1]), assumed=published is None)
    places = tuple(bloc_members(catalogue, place) for place in run_coordinates(catalogue, offer))
    price, is_quote = offer.usd_per_accelerator_hour, provider.kind == "yours"
    return OfferCapacity(
        kind=kind,
        sizes=sizes,
        sizes_assumed=machine_holds.assumed,
        most=most,
        least=_least(offer, provider, sizes),
        fabric=fabric,
        fabric_gb_s=rate.newest.typical if rate else None,
        reach=_reach(catalogue, machine_holds, fabric, joined, most),
        orders=provider.orders,
        country=next(iter(places[0])) if len(places) == 1 and len(places[0]) == 1 else None,
        places=places,
        area=offer.area,
        provider_country=provider.headquarters,
        yours=is_quote,
        is_your_price=is_quote or (price is not None and price.newest.source == YOURS),
    )


def kind_of(offer: Offer, provider: Provider, sizes: tuple[int, ...], fabric: Fabric | None) -> SoldAs:
    """Return the kind of sale: as the offer says; else it follows from the kind of business and the largest machine."""
    if offer.sold_as is not None:
        return offer.sold_as
    if provider.kind == "serverless" or "per_second_service" in offer.doubts:
        return "serverless"
    if provider.kind == "marketplace":
        return "bid"
    if fabric not in (None, "ethernet"):
        return "cluster"
    return "machine" if sizes[-1] >= WHOLE_MACHINE else "pod"


def _sizes(catalogue: Catalogue, offer: Offer, provider: Provider) -> tuple[int, ...]:
    """Its own; where the price is for one accelerator those of its provider's list, else perhaps one and a board."""
    own = (offer.accelerators_per_instance,)
    if offer.sizes or own != (1,):
        return tuple(sorted(offer.sizes)) or own
    if _takes_boards(catalogue, offer, provider):
        return (1, catalogue.accelerators[offer.accelerator].board or 1)
    return tuple(sorted(provider.sizes)) or own


def _takes_boards(catalogue: Catalogue, offer: Offer, provider: Provider) -> bool:
    """Return whether we assume that a neocloud rents a whole board: its list has a price for one, and no sizes."""
    if offer.sizes or offer.accelerators_per_instance != 1 or provider.sizes or provider.kind != "neocloud":
        return False
    chip = catalogue.accelerators.get(offer.accelerator)
    return (
        offer.provider not in _capacity_cache(catalogue).by_the_machine and chip is not None and chip.board is not None
    )


def _joined(offer: Offer, provider: Provider, sizes: tuple[int, ...]) -> MachineFabric | None:
    """The provider's network that joins the machines of this offer: whole ones, and parts of something joined."""
    if sizes[-1] < WHOLE_MACHINE and offer.fabric is None:
        return None
    return next((joined for joined in provider.fabrics if offer.accelerator in joined.accelerators), None)


def _taken(catalogue: Catalogue, kind: SoldAs, offer: Offer, sizes: tuple[int, ...]) -> int:
    """Return our assumption of the most at once where nobody publishes it. On a market: one machine's."""
    if kind == "bid":
        return sizes[-1]
    factor = _count(catalogue.facts[RESERVED_FACTOR].figure) if offer.purchase in BY_THE_TERM else 1
    large = catalogue.providers[offer.provider].kind == "hyperscaler" and kind in ("pod", "machine")
    return factor * _count(catalogue.facts[MOST_OF + ("hyperscaler" if large else kind)].figure)


def _least(offer: Offer, provider: Provider, sizes: tuple[int, ...]) -> int:
    if offer.least_at_once is not None:
        return _count(offer.least_at_once)
    everywhere = provider.minimum_accelerators if not offer.sizes and offer.accelerators_per_instance == 1 else None
    return max(sizes[0], _count(everywhere) if everywhere else 1)


def _reach(
    catalogue: Catalogue, machine_holds: Capacity, fabric: Fabric | None, joined: MachineFabric | None, most: Capacity
) -> Capacity:
    """Plain Ethernet carries no job that talks all the time; what NVLink joins ends with the rack, unless more does."""
    if fabric in (None, "ethernet"):
        return machine_holds
    if fabric == "nvlink_domain" and joined is None:
        rack = Capacity(_count(catalogue.facts[NVLINK_DOMAIN].figure), assumed=False)
        most = min(most, rack)
    return machine_holds if machine_holds.accelerators >= most.accelerators else most


def _count(figure: Figure) -> int:
    return int(figure.newest.typical)


# Where it is


def _residency_refusal(catalogue: Catalogue, key: str, stay: ResidencyRequirement) -> Refusal | None:
    """Why the offer called `key` cannot promise to stay there."""
    book = _capacity_cache(catalogue)
    refusals = book.astray.get(stay)
    if refusals is None:
        refusals = book.astray.setdefault(stay, {})
        allowed = allowed_countries(catalogue, stay)
        refusals |= {
            offer_key: "left out"
            if offer.provider in stay.without
            else next(_reasons(catalogue, sales(catalogue)[offer_key], stay, allowed), None)
            for offer_key, offer in catalogue.offers.items()
        }
    return refusals[key]


def _reasons(
    catalogue: Catalogue, capacity: OfferCapacity, stay: ResidencyRequirement, allowed: frozenset[str]
) -> Iterator[Refusal]:
    if stay.provider_countries and capacity.provider_country not in stay.provider_countries:
        yield "not stated where" if capacity.provider_country is None else "elsewhere"
    if not (stay.countries or stay.areas) or any(place <= allowed for place in capacity.places):
        return
    if capacity.places:
        yield "elsewhere" if all(allowed.isdisjoint(place) for place in capacity.places) else "not stated where"
    elif stay.countries or capacity.area not in stay.areas:
        yield "not stated where" if _may_be_in(catalogue, capacity.area, allowed) else "elsewhere"


def allowed_countries(catalogue: Catalogue, stay: ResidencyRequirement) -> frozenset[str]:
    """Return the countries in which it may stand."""
    lands = catalogue.lands
    codes = (code for code in stay.countries or lands if code in lands)
    return frozenset(code for code in codes if not stay.areas or lands[code].area in stay.areas)


def _may_be_in(catalogue: Catalogue, area: str, allowed: frozenset[str]) -> bool:
    """Return whether an offer in `area`, in an unknown country, may lie in one that is allowed."""
    if area in ("anywhere", "not_stated"):
        return True
    return any(catalogue.lands[code].area == area for code in allowed)
