"""Which offer of a catalogue a price is of: the same seller, accelerator, size, place, purchase and kind of price."""

from collections import defaultdict
from collections.abc import Iterable, Set
from datetime import date
from typing import NamedTuple

from pricing.catalogue import Catalogue
from pricing.feeds.named import NOT_STATED, Placed
from pricing.feeds.observation import Observation
from pricing.feeds.product import Price
from pricing.names import plain
from pricing.records import HostedPrice, Offer

# Doubts about the price itself: a bid is no price for the same thing without one. The others pass with the day.
LASTING = frozenset({"component_only", "listed_not_sold", "minimum_bid", "per_second_service", "may_be_shared",
                     "modified_hardware"})  # fmt: skip


class Shape(NamedTuple):
    """What a price is of, but for the machine's name."""

    provider: str
    accelerator: str
    accelerators: int
    region: str
    purchase: str
    doubts: frozenset[str]


def shape_of(placed: Placed, one: Observation) -> Shape:
    """The shape of an observation."""
    doubts = LASTING.intersection(one.doubts)
    return Shape(placed.provider, placed.accelerator, one.count, placed.where.region, one.purchase, doubts)


class Shapes:
    """The offers and the hosted models of a catalogue, to be found by what they are of."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Arranged once."""
        self._catalogue = catalogue
        self._offers: dict[Shape, list[str]] = defaultdict(list)
        self._anywhere: dict[Shape, list[str]] = defaultdict(list)
        for key, offer in catalogue.offers.items():
            shape = _of_offer(offer)
            self._offers[shape].append(key)
            self._anywhere[shape._replace(region="")].append(key)
        self._hosted: dict[tuple[str, str], list[str]] = defaultdict(list)
        for key in sorted(catalogue.hosted, key=lambda key: catalogue.hosted[key].tier is not None):  # base first
            one = catalogue.hosted[key]
            self._hosted[plain(one.vendor), plain(one.model)].append(key)

    def offer(self, shape: Shape, sku: str) -> Offer | None:
        """The one offer of this shape, and of this machine where both name one."""
        key = self.key(shape, sku)
        return None if key is None else self._catalogue.offers[key]

    def key(self, shape: Shape, sku: str) -> str | None:
        """Its id."""
        found = self._of_machine(self._offers.get(shape, ()), sku)
        if found is None and shape.region == NOT_STATED:  # one price everywhere is that of the one place on the list
            found = self._of_machine(self._anywhere.get(shape._replace(region=""), ()), sku)
        return found

    def only_place(self, shape: Shape, sku: str, regions: Set[str]) -> bool:
        """Whether the catalogue has just one offer of this shape, under a name of a place that none of these is."""
        key = self._of_machine(self._anywhere.get(shape._replace(region=""), ()), sku)
        return key is not None and self._catalogue.offers[key].region not in regions

    def _of_machine(self, keys: Iterable[str], sku: str) -> str | None:
        known = [(key, self._catalogue.offers[key].sku) for key in keys]
        same = [key for key, name in known if not (name and sku) or _machine(name) == _machine(sku)]
        return same[0] if len(same) == 1 else None

    def hosted(self, vendor: str, model: str, asked: Price | None = None) -> str | None:
        """The id of a hosted model's record. Sources name no tier: the base record, unless the price is a tier's."""
        keys = self._hosted.get((plain(vendor), plain(model)), [])
        same = (key for key in keys if _asks(self._catalogue.hosted[key], asked))
        return next(same, next(iter(keys), None))

    def hosted_price(self, vendor: str, model: str, asked: Price | None = None) -> tuple[float, date] | None:
        """What a hosted model asks for a million tokens, and when that was read."""
        key = self.hosted(vendor, model, asked)
        if key is None:
            return None
        figure = self._catalogue.hosted[key].input_usd_per_mtoken
        return (figure.newest.typical, figure.checked) if figure.newest.typical > 0 else None


def _asks(record: HostedPrice, asked: Price | None) -> bool:
    """Whether a record has this price, to read and to write."""
    written = record.output_usd_per_mtoken
    has = record.input_usd_per_mtoken.newest.typical, None if written is None else written.newest.typical
    return asked is not None and has == (asked.price, asked.output)


def _of_offer(offer: Offer) -> Shape:
    doubts = LASTING.intersection(offer.doubts)
    return Shape(
        offer.provider, offer.accelerator, offer.accelerators_per_instance, offer.region, offer.purchase, doubts
    )


def _machine(name: str) -> str:
    """A machine's name without what a cloud puts in front of all of them."""
    return plain(name).removeprefix("standard")
