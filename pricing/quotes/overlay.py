"""A catalogue with somebody's quotes laid over it. The catalogue that goes in stays as it is.

What a quote becomes is a dated `FigureValue` of kind "quote" and source "yours", newer than all others of its figure:

- It starts on the day from which the user says it holds. Where the catalogue has a newer value than that, it starts on
  the day after; where that day has not come yet, it stands in for that newest value and its note says what it replaced.
  So older values are never lost, and the quote is always the newest.
- A price for a shape that the catalogue offers (provider, accelerator, count, region, purchase) is appended to every
  offer of that shape, and what made those offers doubtful is forgotten: their price is the user's now. Any other shape
  becomes an offer of its own, its id starting with "yours/". A row without a price changes no price that is known.
- A discount is worked out from an offer's newest list price and leaves `checked` where it was: a share off an old list
  price is not a fresh price. Of several discounts the one that names most wins, then the later row; they never add up,
  and they leave alone what the user priced himself.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, TypeVar

from pricing.catalogue import Catalogue
from pricing.errors import QuoteError
from pricing.figure import Figure, FigureValue, Source, StrictModel, Unit
from pricing.orderable import YOURS
from pricing.quotes.files import QuoteProblem, format_number
from pricing.quotes.records import DiscountQuote, HardwareQuote, OfferQuote, QuoteRow, shape_of, user_record_id
from pricing.records import Offer, Provider

AnyRecord = TypeVar("AnyRecord", bound=StrictModel)


@dataclass(frozen=True)
class Quotes:
    """A user's quotes, as read on `day`: the good rows, the errors of the others, the questions."""

    name: str
    day: date
    offers: tuple[OfferQuote, ...] = ()
    discounts: tuple[DiscountQuote, ...] = ()
    hardware: tuple[HardwareQuote, ...] = ()
    problems: tuple[QuoteProblem, ...] = ()
    questions: tuple[QuoteProblem, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether no row of the file can be used."""
        return not (self.offers or self.discounts or self.hardware)


def is_yours(value: FigureValue) -> bool:
    """Return whether a value is the user's own."""
    return value.source == YOURS


def with_quotes(catalogue: Catalogue, quotes: Quotes) -> Catalogue:
    """Return the catalogue as it is for somebody with these quotes; the very same object where they change nothing."""
    _check_names(catalogue, quotes)
    offers = _apply_price_quotes(catalogue, quotes)
    offers |= _apply_discounts(catalogue.offers | offers, quotes)
    accelerators, servers = _apply_hardware_quotes(catalogue, quotes)
    if not (offers or accelerators or servers):
        return catalogue
    own_providers = {
        quote.provider: Provider(label=quote.provider_label, kind="yours")
        for quote in quotes.offers
        if quote.provider not in catalogue.providers
    }
    changed = [*offers.values(), *accelerators.values(), *servers.values()]
    figures = [value for record in changed for _, value in record if isinstance(value, Figure)]
    cited = any(is_yours(value) for figure in figures for value in figure.values.values())
    source = Source(
        title=f"Your own prices ({quotes.name})", url="docs/glossary.md", retrieved=quotes.day, via="yours",
        licence="your own",
    )  # fmt: skip
    update = {
        "digest": _digest(catalogue, quotes),
        "day": max(catalogue.day, *(figure.checked for figure in figures)) if figures else catalogue.day,
        "sources": catalogue.sources | ({YOURS: source} if cited else {}),
        "accelerators": catalogue.accelerators | accelerators,
        "servers": catalogue.servers | servers,
        "providers": catalogue.providers | own_providers,
        "offers": catalogue.offers | offers,
    }
    return catalogue.model_copy(update=update)


def _check_names(catalogue: Catalogue, quotes: Quotes) -> None:
    """Quotes are read against a catalogue; laid over another one they may speak of what is not there."""
    chips = {quote.accelerator for quote in quotes.offers} | {quote.accelerator for quote in quotes.hardware}
    servers = {quote.server for quote in quotes.hardware}
    unknown = [name for name in chips - catalogue.accelerators.keys() if name is not None]
    unknown += [name for name in servers - catalogue.servers.keys() if name is not None]
    if unknown:
        raise QuoteError(f"The catalogue knows no {min(unknown)!r}: read {quotes.name} again with it.")


# Prices


def _apply_price_quotes(catalogue: Catalogue, quotes: Quotes) -> dict[str, Offer]:
    ids = defaultdict(list)
    for key, offer in catalogue.offers.items():
        ids[shape_of(offer)].append(key)
    changed: dict[str, Offer] = {}
    now = (quote for quote in quotes.offers if quote.starts is None)
    for quote in sorted(now, key=lambda quote: quote.valid_from):
        if shape_of(quote) not in ids:
            provider = quote.provider.removeprefix(f"{YOURS}/")
            count = f"{quote.accelerators_per_instance}x"
            key = user_record_id(provider, quote.accelerator, count, quote.region, quote.purchase)
            ids[shape_of(quote)].append(key)
            fields = ("provider", "accelerator", "accelerators_per_instance", "region", "area", "purchase", "note")
            changed[key] = Offer(**{name: getattr(quote, name) for name in fields}, most_at_once=_most(quote))
        if quote.price is not None:
            for key in ids[shape_of(quote)]:
                if _has_price(changed.get(key) or catalogue.offers.get(key), quote.price):
                    continue
                changed[key] = _priced(changed.get(key) or catalogue.offers[key], quote, quote.price, quotes.day)
    return changed


def _has_price(offer: Offer | None, usd: float) -> bool:
    """Return whether a price of yours stands there already: quotes may be laid over a catalogue twice."""
    figure = None if offer is None else offer.usd_per_accelerator_hour
    return figure is not None and is_yours(figure.newest) and figure.newest.typical == usd


def _most(quote: OfferQuote) -> Figure | None:
    most, since = quote.most_accelerators, quote.valid_from
    if most is None:
        return None
    return Figure(unit="count", checked=since, values={since: _value(quote, None, float(most))})


def _priced(offer: Offer, quote: OfferQuote, usd_per_accelerator_hour: float, day: date) -> Offer:
    old = offer.usd_per_accelerator_hour
    since = _start_day(old, quote.valid_from, day)
    value = _value(quote, _at(old, since), usd_per_accelerator_hour)
    figure = _appended(old, "USD/accelerator-hour", value, since, checked=day)
    return _changed(
        offer, usd_per_accelerator_hour=figure, usd_per_instance_hour=quote.usd_per_instance_hour, doubts=()
    )


# Discounts


def _apply_discounts(offers: dict[str, Offer], quotes: Quotes) -> dict[str, Offer]:
    by_provider = defaultdict(list)
    for discount in quotes.discounts:
        by_provider[discount.provider].append(discount)
    changed: dict[str, Offer] = {}
    for key, offer in offers.items():
        listed = offer.usd_per_accelerator_hour
        best = _best(by_provider.get(offer.provider, ()), offer)
        if best is not None and listed is not None and not is_yours(listed.newest):
            paid = 1 - best.discount_share
            old = listed.newest
            since = _start_day(listed, min(best.valid_from, listed.checked), quotes.day)
            why = f"{format_number(100 * best.discount_share)} % off {format_number(old.typical)} list"
            value = _value(best, _at(listed, since), old.typical * paid, why=why)
            low, high = (None if bound is None else bound * paid for bound in (old.low, old.high))
            value = _changed(value, low=low, high=high)
            figure = _appended(listed, listed.unit, value, since, checked=listed.checked)
            changed[key] = _changed(offer, usd_per_accelerator_hour=figure, usd_per_instance_hour=None)
    return changed


def _best(discounts: Iterable[DiscountQuote], offer: Offer) -> DiscountQuote | None:
    covering = [discount for discount in discounts if discount.covers(offer)]
    return max(covering, key=lambda discount: (discount.specificity, discount.line), default=None)


# Hardware


def _apply_hardware_quotes(catalogue: Catalogue, quotes: Quotes) -> tuple[dict[str, Any], dict[str, Any]]:
    accelerators: dict[str, Any] = {}
    servers: dict[str, Any] = {}
    for quote in sorted(quotes.hardware, key=lambda quote: quote.valid_from):
        if quote.server is not None:
            server = servers.get(quote.server) or catalogue.servers[quote.server]
            servers[quote.server] = _changed(server, price_usd=_bought(server.price_usd, quote, quotes.day))
        elif quote.accelerator is not None:
            chip = accelerators.get(quote.accelerator) or catalogue.accelerators[quote.accelerator]
            accelerators[quote.accelerator] = _changed(chip, price_usd=_bought(chip.price_usd, quote, quotes.day))
    return accelerators, servers


def _bought(old: Figure | None, quote: HardwareQuote, day: date) -> Figure:
    since = _start_day(old, quote.valid_from, day)
    value = _changed(_value(quote, _at(old, since), quote.price_usd), low=quote.low_usd, high=quote.high_usd)
    return _appended(old, "USD", value, since, checked=day)


# What all of them share


def _start_day(old: Figure | None, valid_from: date, day: date) -> date:
    """Return the day a quote starts on, so that it is the newest value and, where it can be, no other gives way."""
    if old is None or valid_from > old.since:
        return valid_from
    if is_yours(old.newest) or old.since >= day:
        return old.since
    return old.since + timedelta(days=1)


def _appended(old: Figure | None, unit: Unit, value: FigureValue, since: date, *, checked: date) -> Figure:
    if old is None:
        return Figure(unit=unit, checked=max(checked, since), values={since: value})
    values = {**old.values, since: value}
    return Figure(unit=old.unit, checked=max(checked, since, old.checked), values=values, note=old.note)


def _at(old: Figure | None, since: date) -> FigureValue | None:
    """Return the catalogue's value that gives way to a quote, if one does."""
    return old.values.get(since) if old is not None else None


def _value(quote: QuoteRow, replaced: FigureValue | None, typical: float, *, why: str | None = None) -> FigureValue:
    """Return a quoted number, with its place in the file and what there is to say about it."""
    until = f"valid until {quote.valid_until}" if quote.valid_until is not None else None
    instead = None
    if replaced is not None and not is_yours(replaced):
        instead = f"in place of {format_number(replaced.typical)} ({replaced.source})"
    note = "; ".join(part for part in (why, quote.note, until, instead) if part) or None
    return FigureValue(typical=typical, kind="quote", source=YOURS, locator=f"line {quote.line}", note=note)


def _changed(record: AnyRecord, **changes: Any) -> AnyRecord:
    """Return the record with some fields changed, validated as a new one would be."""
    fields = {name: getattr(record, name) for name in record.model_fields_set}
    return type(record).model_validate(fields | changes)


def _digest(catalogue: Catalogue, quotes: Quotes) -> str:
    rows: Sequence[QuoteRow] = (*quotes.offers, *quotes.discounts, *quotes.hardware)
    contents = [[type(row).__name__, row.model_dump(mode="json")] for row in rows]
    canonical = json.dumps([quotes.name, quotes.day.isoformat(), contents], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{catalogue.digest}\n{canonical}".encode()).hexdigest()
