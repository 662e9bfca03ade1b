"""From a row of cells to a quote: its cells read, its names placed, its days checked, the whole validated.

All faults of a row are found at once. Accelerators and servers must be ones that the catalogue knows; a name that
covers several is refused with the candidates. A provider's name that is a catalogue provider's id, label or alias (but
for case, spaces and punctuation) means that provider. Any other is a provider of the user's own, of kind "yours", even
where it is nearly one of ours: the row is kept, and a question says which one the name resembles.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from statistics import median
from typing import Any

import pydantic
from pydantic_core import ErrorDetails

from pricing.catalogue import Catalogue
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.figure import Figure
from pricing.names import either
from pricing.quotes.files import (
    COLUMNS,
    KINDS,
    WISHES,
    QuoteCells,
    QuoteProblem,
    format_number,
    has_thousands_separator,
    read_cell,
    shown,
)
from pricing.quotes.records import AnyQuote, DiscountQuote, HardwareQuote, KnownNames, OfferQuote, Shape, shape_of
from pricing.records import Offer
from pricing.strict_yaml import wanted

_MODELS: Mapping[str, type[AnyQuote]] = {"offer": OfferQuote, "discount": DiscountQuote, "hardware": HardwareQuote}
# A filled cell in one of these columns tells what kind of row it is.
_TELLING = {
    "offer": ("usd_per_accelerator_hour", "usd_per_instance_hour", "area"),
    "discount": ("discount_share",),
    "hardware": ("price_usd", "low_usd", "high_usd", "server", "accelerators"),
}


class _RowErrors(dict[str, str]):
    """The wishes of one row, by column. The first wish for a column stands."""

    def wish(self, column: str, expected: str) -> None:
        self.setdefault(column, expected)


class RowReader:
    """Reads rows against one catalogue, as of one day."""

    def __init__(self, catalogue: Catalogue, day: date, names: KnownNames) -> None:
        self.catalogue, self.day, self.names = catalogue, day, names

    def read(self, row: QuoteCells) -> AnyQuote | tuple[QuoteProblem, ...]:
        """Return the quote in a row, or everything that is wrong with it."""
        faults = _RowErrors()
        cells = _values(row, faults)
        kind = _kind(row, cells, faults)
        if cells.pop("currency", "USD").casefold() != "usd":
            faults.wish("currency", "USD (prices are in US dollars: convert this one and keep the rate in the note)")
        start = cells.setdefault("valid_from", self.day)
        end = cells.get("valid_until")
        if start > self.day:
            faults.wish("valid_from", f"a day up to {self.day} (this quote does not hold yet and is not used)")
        if end is not None and end < self.day:
            faults.wish("valid_until", f"a day on or after {self.day} (this quote has expired and is not used)")
        if end is not None and end < start:
            faults.wish("valid_until", f"a day on or after {start}, from which it holds")
        quote = None
        if kind is not None:
            self._place_names(kind, cells, faults)
            quote = _validated(kind, {**cells, "line": row.line}, faults)
        if quote is None or faults:
            return tuple(QuoteProblem(row.line, c, shown(row.cells.get(c, "")), wish) for c, wish in faults.items())
        return quote

    def _place_names(self, kind: str, cells: dict[str, Any], faults: _RowErrors) -> None:
        self._place("accelerator", cells, faults)
        if kind == "discount":
            self._place("provider", cells, faults)
        elif kind == "offer" and "provider" in cells:
            cells["provider"], cells["provider_label"] = self.names.provider(cells["provider"])
        elif kind == "hardware":
            self._place("server", cells, faults)
            self._resolve_hardware(cells, faults)

    def _place(self, column: str, cells: dict[str, Any], faults: _RowErrors) -> None:
        if column not in cells:
            return
        match = self.names.find(column, cells[column])
        if isinstance(match, AmbiguousNameError):
            faults.wish(column, f"{either(match.candidates)} (the name covers all of them)")
        elif isinstance(match, UnknownNameError):
            hint = f" (did you mean {either(match.candidates)}?)" if match.candidates else ""
            faults.wish(column, f"{'an' if column == 'accelerator' else 'a'} {column} of the catalogue{hint}")
        else:
            cells[column] = match

    def _resolve_hardware(self, cells: dict[str, Any], faults: _RowErrors) -> None:
        """Settle what is priced: one server, or one accelerator by itself."""
        count = cells.pop("accelerators", None)
        if not faults.keys().isdisjoint({"server", "accelerator", "accelerators"}):
            return
        accelerator = cells.get("accelerator")
        if "server" in cells:
            record = self.catalogue.servers[cells["server"]]
            if cells.pop("accelerator", None) not in (None, record.accelerator):
                faults.wish("accelerator", f"{record.accelerator}, as in {record.label}, or nothing")
            if count not in (None, record.accelerators):
                faults.wish("accelerators", f"{record.accelerators}, as in {record.label}, or nothing")
        elif accelerator is None:
            faults.wish("accelerator", "an accelerator, or a server, of the catalogue")
        elif count is not None:
            cells["server"] = self._server_with(cells.pop("accelerator"), count, faults)

    def _server_with(self, accelerator: str, count: int, faults: _RowErrors) -> str | None:
        servers = self.catalogue.servers.items()
        alike = tuple(
            key for key, server in servers if (server.accelerator, server.accelerators) == (accelerator, count)
        )
        if len(alike) == 1:
            return alike[0]
        if alike:
            faults.wish("server", f"{either(alike)} (each has {count} x {accelerator})")
        else:
            hint = "the catalogue has no server with that many; leave it empty for the price of one accelerator"
            faults.wish("accelerators", f"nothing here ({hint})")
        return None


def _values(row: QuoteCells, faults: _RowErrors) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for column in row.cells:
        try:
            values[column] = read_cell(row, column)
        except ValueError as wish:
            faults.wish(column, str(wish))
    return values


def _kind(row: QuoteCells, cells: dict[str, Any], faults: _RowErrors) -> str | None:
    """Return the kind of a row: as it says, else as its cells show without doubt."""
    if "kind" in row.cells:
        stated: str | None = cells.pop("kind", None)
        return stated
    telling = [kind for kind, columns in _TELLING.items() if not row.cells.keys().isdisjoint(columns)]
    if len(telling) == 1:
        return telling[0]
    if not telling and "provider" in row.cells:
        return "offer"
    why = f"its cells could be {either(tuple(telling))}" if telling else "nothing in the row tells which"
    faults.wish("kind", f"{either(KINDS)} ({why})")
    return None


def _validated(kind: str, cells: dict[str, Any], faults: _RowErrors) -> AnyQuote | None:
    try:
        return _MODELS[kind].model_validate(cells)
    except pydantic.ValidationError as error:
        for detail in error.errors(include_url=False):
            column = str(detail["loc"][0])
            if column in COLUMNS:
                faults.wish(column, _wish(kind, column, detail))
        return None


def _wish(kind: str, column: str, detail: ErrorDetails) -> str:
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    if detail["type"] == "extra_forbidden":
        longer = next((field for field in _MODELS[kind].model_fields if field.startswith(column)), None)
        hint = f" (did you mean {longer!r}?)" if longer else ""
        return f"nothing here: a row of kind {kind!r} has no {column}{hint}"
    return WISHES.get(column, wanted(detail))


_FAR = 5.0  # times the usual price, up or down
_DEEP_DISCOUNT = 0.6
_REGIONS_NAMED = 4


class QuoteReviewer:
    """Asks about one row after another; it remembers earlier rows to see repeats."""

    def __init__(self, catalogue: Catalogue, names: KnownNames) -> None:
        self._catalogue, self._names = catalogue, names
        self._offers: dict[Shape, list[Offer]] = defaultdict(list)
        self._region_names: dict[object, set[str]] = defaultdict(set)
        self._by_provider: dict[str, list[Offer]] = defaultdict(list)
        self._seen: dict[object, int] = {}
        prices: dict[str, list[float]] = defaultdict(list)
        for offer in catalogue.offers.values():
            self._offers[shape_of(offer)].append(offer)
            self._region_names[_shape_without_region(shape_of(offer))].add(offer.region)
            self._by_provider[offer.provider].append(offer)
            if offer.usd_per_accelerator_hour is not None and not offer.doubts:
                prices[offer.accelerator].append(offer.usd_per_accelerator_hour.newest.typical)
        self._usual_usd_per_hour = {accelerator: median(seen) for accelerator, seen in prices.items()}

    def about(self, row: QuoteCells, quote: AnyQuote) -> Iterator[QuoteProblem]:
        if isinstance(quote, OfferQuote):
            yield from self._review_offer(row, quote)
        elif isinstance(quote, DiscountQuote):
            yield from self._review_discount(row, quote)
        else:
            yield from self._review_hardware(row, quote)
        yield from self._review_repeats(row, quote)

    def _review_offer(self, row: QuoteCells, quote: OfferQuote) -> Iterator[QuoteProblem]:
        if quote.provider not in self._catalogue.providers:
            meant = self._names.similar_provider(quote.provider_label)
            if meant is not None:
                yield _ask(row, "provider", f"check the name: {meant} is in the catalogue, this is taken as another")
        elif "region" not in row.cells:
            yield from self._review_region(row, quote)
        listed = self._offers.get(shape_of(quote), ())
        if quote.price is not None:
            yield from self._review_hourly_price(row, quote, quote.price)
        elif any(offer.usd_per_accelerator_hour is not None for offer in listed):
            yield _ask(row, "usd_per_accelerator_hour", "check the price: the catalogue's stays where a row has none")

    def _review_hourly_price(self, row: QuoteCells, quote: OfferQuote, price: float) -> Iterator[QuoteProblem]:
        column = next(c for c in ("usd_per_accelerator_hour", "usd_per_instance_hour") if c in row.cells)
        usual = self._usual_usd_per_hour.get(quote.accelerator)
        one_of_many = price / quote.accelerators_per_instance
        mixed_up = column == "usd_per_accelerator_hour" and usual is not None and _near(one_of_many, usual)
        hint = " (or is it the price of the whole instance?)" if mixed_up else ""
        yield from _about_price(row, column, price, usual, hint)

    def _review_region(self, row: QuoteCells, quote: OfferQuote) -> Iterator[QuoteProblem]:
        regions = self._region_names[_shape_without_region(shape_of(quote))] - {quote.region}
        if regions:
            named = either(tuple(sorted(regions)[:_REGIONS_NAMED]))
            yield _ask(row, "region", f"check the region: to replace the catalogue's price, say {named}")

    def _review_discount(self, row: QuoteCells, quote: DiscountQuote) -> Iterator[QuoteProblem]:
        if not any(quote.covers(offer) for offer in self._by_provider[quote.provider]):
            yield _ask(row, "provider", "check what it covers: no offer of the catalogue fits, nothing changes")
        if quote.discount_share > _DEEP_DISCOUNT:
            left = f"{100 * (1 - quote.discount_share):.3g} %"
            yield _ask(row, "discount_share", f"check the share: it leaves {left} of the list price to pay")

    def _review_hardware(self, row: QuoteCells, quote: HardwareQuote) -> Iterator[QuoteProblem]:
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

    def _review_repeats(self, row: QuoteCells, quote: AnyQuote) -> Iterator[QuoteProblem]:
        same = _duplicate_key(quote)
        if same in self._seen:
            yield _ask(row, "", f"check which one holds: line {self._seen[same]} says the same, the later row is used")
        self._seen[same] = quote.line


def _about_price(
    row: QuoteCells, column: str, price: float, usual: float | None, hint: str = ""
) -> Iterator[QuoteProblem]:
    if usual is not None and not _near(price, usual):
        far = f"{price / usual:.3g} times" if price > usual else f"{usual / price:.3g} times less than"
        compared = f"{format_number(price)} is {far} the catalogue's usual {format_number(usual)}{hint}"
        yield _ask(row, column, f"check the price: {compared}")
    elif usual is None and has_thousands_separator(row.cells.get(column)):
        digits = str(row.cells[column]).replace(".", "").replace(",", "")
        yield _ask(
            row, column, f"check the price: it is read as {format_number(price)}, write {digits} if that was meant"
        )


def _shape_without_region(shape: Shape) -> object:
    provider, accelerator, accelerators, _, purchase = shape
    return provider, accelerator, accelerators, purchase


def _near(price: float, usual: float) -> bool:
    return usual / _FAR <= price <= usual * _FAR


def _duplicate_key(quote: AnyQuote) -> object:
    if isinstance(quote, OfferQuote):
        return "offer", shape_of(quote), quote.valid_from, quote.price is None
    if isinstance(quote, HardwareQuote):
        return "hardware", quote.accelerator, quote.server, quote.valid_from
    return "discount", quote.provider, quote.accelerator, quote.accelerators_per_instance, quote.region, quote.purchase


def _ask(row: QuoteCells, column: str, what: str) -> QuoteProblem:
    return QuoteProblem(row.line, column, shown(row.cells.get(column, "")), what, is_question=True)
