"""Prices of your own in a plan: quotes and discounts laid over the facts, dated quotes as rents agreed today."""

from collections.abc import Iterator
from datetime import date

from planner.money.renting.orders import busiest_order
from planner.money.setting import PlanContext
from planner.scenario.base import DAYS_PER_MONTH
from planner.scenario.own_prices import RentalQuote
from planner.scenario.rent import ReservedOrder, TermLength
from planner.scenario.scenario import Scenario
from pricing import Catalogue
from pricing.caching import cached
from pricing.market.depth import DAY_MONTHS, Purchase
from pricing.market.sellers import TERM_MONTHS, band_of
from pricing.quotes import DiscountQuote, OfferQuote, Quotes, with_quotes
from pricing.quotes.records import user_record_id

NAME = "this plan"
_FAR = 10.0  # times below or above what such an order pays, from which a quote is questioned
_LENGTHS: tuple[tuple[TermLength, int], ...] = (
    ("reserved_3y", 36), ("reserved_2y", 24), ("reserved_1y", 12), ("reserved_6m", 6), ("reserved_3m", 3),
    ("reserved_1m", 1),
)  # fmt: skip


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
    return Quotes(NAME, day, offers, discounts) if offers or discounts else None


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
