"""What is worth a second look in a row that is kept: prices far from everybody else's, names that are nearly ours."""

from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from pricing.catalogue import Catalogue
from pricing.figure import Figure
from pricing.quotes.cells import looks_grouped
from pricing.quotes.files import Problem, Row, brief, either, shown
from pricing.quotes.known_names import KnownNames
from pricing.quotes.records import AnyQuote, DiscountQuote, HardwareQuote, OfferQuote, Shape, shape_of
from pricing.records import Offer

_FAR = 5.0  # times the usual price, up or down
_DEEP_DISCOUNT = 0.6
_REGIONS_NAMED = 4


class Questioner:
    """Asks about one row after another; it remembers earlier rows to see repeats."""

    def __init__(self, catalogue: Catalogue, names: KnownNames) -> None:
        self._catalogue = catalogue
        self._names = names
        self._offers: dict[Shape, list[Offer]] = defaultdict(list)
        self._regions: dict[object, set[str]] = defaultdict(set)
        self._by_provider: dict[str, list[Offer]] = defaultdict(list)
        self._seen: dict[object, int] = {}
        prices: dict[str, list[float]] = defaultdict(list)
        for offer in catalogue.offers.values():
            self._offers[shape_of(offer)].append(offer)
            self._regions[_but_region(shape_of(offer))].add(offer.region)
            self._by_provider[offer.provider].append(offer)
            if offer.usd_per_accelerator_hour is not None and not offer.doubts:
                prices[offer.accelerator].append(offer.usd_per_accelerator_hour.newest.typical)
        self._usual_usd_per_hour = {accelerator: median(seen) for accelerator, seen in prices.items()}

    def about(self, row: Row, quote: AnyQuote) -> Iterator[Problem]:
        """The questions one row raises."""
        if isinstance(quote, OfferQuote):
            yield from self._about_offer(row, quote)
        elif isinstance(quote, DiscountQuote):
            yield from self._about_discount(row, quote)
        else:
            yield from self._about_hardware(row, quote)
        yield from self._about_repeats(row, quote)

    def _about_offer(self, row: Row, quote: OfferQuote) -> Iterator[Problem]:
        if quote.provider not in self._catalogue.providers:
            meant = self._names.resembled_provider(quote.provider_label)
            if meant is not None:
                yield _ask(row, "provider", f"check the name: {meant} is in the catalogue, this is taken as another")
        elif "region" not in row.cells:
            yield from self._about_region(row, quote)
        known = self._offers.get(quote.shape, ())
        if quote.price is not None:
            yield from self._about_hourly_price(row, quote, quote.price)
        elif any(offer.usd_per_accelerator_hour is not None for offer in known):
            yield _ask(row, "usd_per_accelerator_hour", "check the price: the catalogue's stays where a row has none")

    def _about_hourly_price(self, row: Row, quote: OfferQuote, price: float) -> Iterator[Problem]:
        column = next(c for c in ("usd_per_accelerator_hour", "usd_per_instance_hour") if c in row.cells)
        usual = self._usual_usd_per_hour.get(quote.accelerator)
        one_of_many = price / quote.accelerators_per_instance
        mixed_up = column == "usd_per_accelerator_hour" and usual is not None and _near(one_of_many, usual)
        hint = " (or is it the price of the whole instance?)" if mixed_up else ""
        yield from _about_price(row, column, price, usual, hint)

    def _about_region(self, row: Row, quote: OfferQuote) -> Iterator[Problem]:
        regions = self._regions[_but_region(quote.shape)] - {quote.region}
        if regions:
            named = either(tuple(sorted(regions)[:_REGIONS_NAMED]))
            yield _ask(row, "region", f"check the region: to replace the catalogue's price, say {named}")

    def _about_discount(self, row: Row, quote: DiscountQuote) -> Iterator[Problem]:
        if not any(quote.covers(offer) for offer in self._by_provider[quote.provider]):
            yield _ask(row, "provider", "check what it covers: no offer of the catalogue fits, nothing changes")
        if quote.discount_share > _DEEP_DISCOUNT:
            left = f"{100 * (1 - quote.discount_share):.3g} %"
            yield _ask(row, "discount_share", f"check the share: it leaves {left} of the list price to pay")

    def _about_hardware(self, row: Row, quote: HardwareQuote) -> Iterator[Problem]:
        usual: Figure | None = None
        if quote.server is not None:
            usual = self._catalogue.servers[quote.server].price_usd
        elif quote.accelerator is not None:
            record = self._catalogue.accelerators[quote.accelerator]
            usual = record.price_usd
            if record.rent_only:
                yield _ask(row, "accelerator", "check the name: as far as the catalogue knows it is only rented out")
        for column in ("price_usd", "low_usd", "high_usd"):
            price = getattr(quote, column)
            if price is not None:
                yield from _about_price(row, column, price, usual.newest.typical if usual else None)

    def _about_repeats(self, row: Row, quote: AnyQuote) -> Iterator[Problem]:
        same = _sameness(quote)
        if same in self._seen:
            yield _ask(row, "", f"check which one holds: line {self._seen[same]} says the same, the later row is used")
        self._seen[same] = quote.line


def _about_price(row: Row, column: str, price: float, usual: float | None, hint: str = "") -> Iterator[Problem]:
    if usual is not None and not _near(price, usual):
        far = f"{price / usual:.3g} times" if price > usual else f"{usual / price:.3g} times less than"
        yield _ask(row, column, f"check the price: {brief(price)} is {far} the catalogue's usual {brief(usual)}{hint}")
    elif usual is None and looks_grouped(row.cells.get(column)):
        digits = str(row.cells[column]).replace(".", "").replace(",", "")
        yield _ask(row, column, f"check the price: it is read as {brief(price)}, write {digits} if that was meant")


def _but_region(shape: Shape) -> object:
    provider, accelerator, accelerators, _, purchase = shape
    return provider, accelerator, accelerators, purchase


def _near(price: float, usual: float) -> bool:
    return usual / _FAR <= price <= usual * _FAR


def _sameness(quote: AnyQuote) -> object:
    """What two rows share when one must give way to the other."""
    if isinstance(quote, OfferQuote):
        return "offer", quote.shape, quote.valid_from, quote.price is None
    if isinstance(quote, HardwareQuote):
        return "hardware", quote.accelerator, quote.server, quote.valid_from
    return "discount", quote.provider, quote.accelerator, quote.accelerators_per_instance, quote.region, quote.purchase


def _ask(row: Row, column: str, what: str) -> Problem:
    return Problem(row.line, column, shown(row.cells.get(column, "")), what, is_question=True)
