"""Advice with an answer: likely typing errors, warnings, sources and age of prices, omitted options."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from planner.money.ledger import Origin
from planner.money.old_figures import ImplausibleInput, OldFigure, doubts, old_figures
from planner.money.option import Option
from planner.money.plan import Plan
from planner.money.renting.interruptions import OF_MACHINE
from planner.money.renting.offer_inputs import PRICE, estimated_prices, is_by_contract, purchase_text
from planner.money.renting.orders import busiest_order, own_price_notes, site_country
from planner.money.selling import is_resale_only
from planner.money.setting import MarketPrice, PlanContext
from planner.money.sizing import deferral_advice
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.money.ways.own import FleetSizeResult, fleet_size_results
from planner.report import words
from planner.report.answer.tables import INPUTS
from planner.report.forms import scalar
from planner.report.futures.input_words import input_label
from planner.report.table import Table
from planner.scenario.base import ONE_MACHINE
from planner.scenario.durations import hours_words
from planner.scenario.path import format_path
from planner.scenario.scenario import UNION, Scenario
from planner.scenario.ways import Way
from planner.study.uncertainty.futures import Futures, guarantee_value
from pricing.market.depth import DAY_MONTHS, Purchase
from pricing.market.sellers import band_of
from pricing.orderable import NVLINK_DOMAIN, ResidencyRequirement, bloc_members, sales
from pricing.stale import OLDEST_DAYS

HEAD = "Old figures in this answer"
_SILENT = frozenset({"", "not stated", "not-stated"})


def advice_lines(plan: Plan, answer: Answer, *, every: bool = False) -> tuple[str, ...]:
    """Return likely typing errors first, then the warnings of the compared options, or of all."""
    ways = answer.ranked if every else [way for way in (answer.best, *(answer.pair or ())) if way is not None]
    warnings = (words.sentence(f"{way.option.title}: {warning}") for way in ways for warning in way.option.warnings)
    odd = (*map(_doubt_text, doubts(plan)), *_contradicting_prices(plan.setting.scenario))
    return tuple(dict.fromkeys((*own_price_notes(plan.setting), *odd, *warnings)))


def _contradicting_prices(scenario: Scenario) -> Iterator[str]:
    """Yield entered prices that contradict each other: a binding or interruptible one above on demand."""
    free = scenario.rent.usd_per_accelerator_hour
    for name, usd, why in (
        ("Reserved", scenario.reserve.usd_per_accelerator_hour, "though it binds you"),
        ("Spot", scenario.spot.usd_per_accelerator_hour, "though it may be taken away"),
    ):
        if free is not None and usd is not None and usd > free:
            yield (
                f"{name} at {words.usd_per_hour(usd)} costs more than on demand at {words.usd_per_hour(free)}, {why}: "
                "is one of them for another term, or for a whole machine? Both are used as you typed them."
            )


def _doubt_text(doubt: ImplausibleInput) -> str:
    """Question an implausible input, with its field where several parts of a scenario have one of that name."""
    usual, typed, path = f"{doubt.expected:,.6g}", "It is used as you typed it.", doubt.path
    name = format_path(path) or doubt.name
    if doubt.name in INPUTS:
        is_plain = not path[2:] and path[:1] in ((), ("own",), ("rent",))
        name = INPUTS[doubt.name][0] + ("" if is_plain else f" ({format_path(path)})")
    yours = f"{name} is {doubt.entered:,.6g} {doubt.unit}"
    if doubt.below_all:
        return (
            f"{yours}, below every known on-demand price, from {usual} on: did you mean a price for a reservation, or "
            f"for another GPU? {typed}"
        )
    other = f"the catalogue has {usual}" if doubt.is_known else f"about {usual} is usual for this plan"
    meant = "" if doubt.intended is None else f" Did you mean {doubt.intended:,.6g} ({doubt.mistake})?"
    return f"{yours}; {other}.{meant} {typed}"


def unavailable_option_lines(plan: Plan) -> tuple[str, ...]:
    """Return the options that are not calculated, with the reason; options of one reason stand together."""
    names: dict[str, list[str]] = {}
    for absent in plan.absent:
        names.setdefault(absent.reason, []).append(WAYS[absent.way].name)
    return tuple(words.sentence(f"{', '.join(same)}: {reason}") for reason, same in names.items())


def deferral_line(plan: Plan) -> str | None:
    """Return how few machines would do if the work could wait; None where the plan cannot do the work."""
    sells_all = any(is_resale_only(plan.setting, option.accelerators) for option in plan.options if option.way == "own")
    advice = deferral_advice(plan.setting) if plan.options and not sells_all else None
    return None if advice is None else f"{advice}. Say so under 'Adjust assumptions' if it can wait."


def fleet_size_table(plan: Plan) -> Table | None:
    """Return the effect of other numbers of machines, where the work may wait; None where it may not."""

    def row(size: FleetSizeResult) -> dict[str, str]:
        hours = scalar(size.wait_hours.value)
        paybacks = (scalar(payback.months) for payback in (size.payback, size.payback_scaled))
        plain, scaled = ("never" if months is None else f"month {months:.1f}" for months in paybacks)
        return {
            "GPUs": f"{size.accelerators:,}",
            "Busy": words.percent(size.busy_share),
            "A job waits, on average": "longer and longer" if hours is None else hours_words(hours),
            "Day one": words.usd(size.day_one_usd),
            "Pays back by work, undiscounted": plain,
            "The same, running costs in proportion": scaled,
        }

    fleet_sizes = fleet_size_results(plan.setting)
    return Table.of(map(row, fleet_sizes)) if fleet_sizes else None


def rests_on(plan: Plan, ways: Sequence[EvaluatedOption]) -> tuple[str, ...]:
    """Return the price source of each rented option; of a mix, that of its peaks."""
    return tuple(dict.fromkeys(text for way in ways for text in _price_sources(plan, way)))


def price_text(answer: Answer) -> str:
    """Return what an order like that of the rented option pays, and its cheapest seller with the age of his price."""
    setting, ways = answer.plan.setting, answer.pair or filter(None, (answer.best,))
    for way in reversed(tuple(ways)):
        key = WAYS[way.option.way].offer(setting.offers)
        term = setting.offers.reserved_months if way.option.way == "reserved" else 0.0
        quote = None if key is None else setting.offers.market_price(key, term)
        if quote is None or _is_own_price(answer.plan, way.option.way):
            continue
        typical, band = f"the typical {words.usd_per_hour(quote.band.typical)} per GPU-hour", quote.band
        if key is not None and is_by_contract(setting.catalogue.offers[key], term):
            return f"{typical}, by contract: ask"
        if band.cheapest_read is None or band.cheapest_seller is None:
            return f"{typical}; no seller is likely to have it now"
        days, seller = round(band.cheapest_age_days or 0.0), setting.catalogue.providers[band.cheapest_seller].label
        usd = words.usd_per_hour(band.cheapest_read)
        listed = f"lists {usd} today" if days <= 0 else f"listed {usd}, {words.count(days, 'day')} ago"
        return f"{typical}; {seller} {listed}"
    return ""


def _is_own_price(plan: Plan, way: Way) -> bool:
    return getattr(getattr(plan.setting.scenario, WAYS[way].inputs, None), PRICE, None) is not None


def _price_sources(plan: Plan, way: EvaluatedOption) -> Iterator[str]:
    setting, catalogue, mix = plan.setting, plan.setting.catalogue, plan.setting.scenario.mix
    name = way.option.way if mix is None or WAYS[way.option.way].side != "mix" else mix.peaks
    key = WAYS[name].offer(setting.offers)
    offer = catalogue.offers.get(key or "")
    yield from _price_of_tokens(setting, way.option)
    if key is None or offer is None or _is_own_price(plan, name):
        return
    term = setting.offers.reserved_months if name == "reserved" else 0.0
    price, quote = estimated_prices(setting, (key,)).at(0), setting.offers.market_price(key, term)
    seller = words.seller(catalogue.providers[offer.provider].label, offer.sku)
    place = ", which does not say where" if offer.region.casefold() in _SILENT else f", {offer.region}"
    if quote is None:
        yield f"{seller}{place}: {words.worth(price)}{_interruption_text(way)}.{_whole_machines(way.option)}"
    else:
        buying = "on spot machines" if name == "spot" else purchase_text(offer, term)
        least = quote.band.cheapest_seller or offer.provider
        named = (
            f"{seller}{place}" if least == offer.provider else f"{catalogue.providers[least].label}, in larger machines"
        )
        text = _market_text(quote, named, buying, by_contract=is_by_contract(offer, term))
        yield f"{text}{_interruption_text(way)}.{_whole_machines(way.option)}"
        if name != "spot":
            yield from _local_price(setting, key, quote, "reserved" if term else "on_demand")
        if is_by_contract(offer, term) or quote.band.cheapest_seller != offer.provider:
            return  # with whichever seller has it
    yield from _capacity_warnings(plan, key, seller)


def _price_of_tokens(setting: PlanContext, option: Option) -> Iterator[str]:
    is_unknown = setting.written.residency == "near" and not WAYS[option.way].is_current
    for used in option.ledger.inputs:
        if used.name == "usd_per_million_input_tokens" and isinstance(used.origin, Origin) and used.origin.checked:
            days, where = (setting.day - used.origin.checked).days, "; where it runs is not known" * is_unknown
            when = "today" if days <= 0 else f"{words.count(days, 'day')} ago"
            if days <= OLDEST_DAYS or is_unknown:  # else its month stands beside its name
                yield f"The price of {option.what} was read {when}{where}."


def _whole_machines(option: Option) -> str:
    """Return how many GPUs are paid for where machines are rented whole and the last one is not full."""
    each = option.ledger.numbers.get("accelerators_per_machine")
    size, wanted = 1 if each is None else int(each.value), math.ceil(option.accelerators)
    idle = -wanted % size
    return f" It is rented in machines of {size}: {wanted + idle:,} GPUs are paid for." if idle else ""


def _local_price(setting: PlanContext, key: str, quote: MarketPrice, buying: Purchase) -> Iterator[str]:
    """Yield where the price holds, and what the order pays in the place of the work and where no place binds it."""
    catalogue, scenario, places = setting.catalogue, setting.scenario, sales(setting.catalogue)[key].places
    country, stay = site_country(catalogue, scenario.site) or scenario.site, busiest_order(setting).stay
    here, is_limited = bloc_members(catalogue, country), bool(stay.countries or stay.areas)
    is_near = scenario.residency == "near" and not scenario.stay_in
    is_usual_place = country == Scenario().site and (not places or buying == "reserved")
    is_there = is_usual_place or not here <= catalogue.lands.keys() or not all(map(here.isdisjoint, places))
    if not is_near and (is_limited or is_there):
        return
    others, site = (
        dict[str, ResidencyRequirement](),
        f"in {'the ' * (country == UNION)}{catalogue.sites[country].label}",
    )
    if stay.countries != here:
        others[site] = replace(stay, countries=here, areas=frozenset())
    if is_limited:
        others["anywhere"] = ResidencyRequirement(without=stay.without)
    inside = "in Europe" if stay.areas else site if len(stay.countries) == 1 else "in the European Union"
    prices = "; ".join(_priced(setting, quote, buying, where, place) for where, place in others.items())
    yield f"That is the price {inside if is_limited else 'anywhere'}: {prices}."


def _priced(setting: PlanContext, quote: MarketPrice, buying: Purchase, where: str, stay: ResidencyRequirement) -> str:
    catalogue = setting.catalogue
    order = replace(busiest_order(setting), accelerators=quote.count, stay=stay)
    band = band_of(catalogue, setting.scenario.accelerator, order, setting.day, buying, quote.months or DAY_MONTHS)
    if band is None or band.standing == "unavailable":
        return f"no seller on record likely has so many {where}"
    low, typical, high = map(words.usd_per_hour, (band.low, band.typical, band.high))
    least = ", of few sellers" if band.has_few_sellers else ""
    if band.cheapest_seller is not None and buying != "reserved":
        asks = words.usd_per_hour(band.cheapest_read or 0.0)
        least += f", from {asks} at {catalogue.providers[band.cheapest_seller].label}"
    return f"{where} it is {typical} ({low} to {high}){least}"


def _market_text(quote: MarketPrice, seller: str, buying: str, *, by_contract: bool) -> str:
    """Return the cheapest seller that likely has an order, and what it typically pays."""
    named = None if quote.band.cheapest_seller is None else seller
    paid = words.market_price(quote.band, named, quote.sellers, by_contract=by_contract)
    return f"An order of {quote.count:,} {buying}: {paid}"


def _capacity_warnings(plan: Plan, key: str, seller: str) -> Iterator[str]:
    """Yield that the rack is larger than needed, that the capacity is assumed, that orders need a request."""
    catalogue, needed = plan.setting.catalogue, int(plan.setting.demand.all.peak_accelerators)
    unit, rack = sales(catalogue)[key], int(catalogue.facts[NVLINK_DOMAIN].figure.newest.typical)
    if unit.fabric == "nvlink_domain" and needed < rack:
        size = f"parts of {min(unit.sizes)}" if min(unit.sizes) < rack else "whole racks only"
        yours = words.count(needed, "is yours", "are yours")
        yield f"These stand in racks of {rack}, of which {yours}; it is rented in {size}."
    yield from _account_warning(plan, key, seller)
    most = unit.most.accelerators
    needed = min(needed, most)
    if needed > ONE_MACHINE and unit.most.assumed and not unit.yours and 2 * needed > most:
        kind = "on spot" if catalogue.offers[key].purchase == "spot" else "at once"
        yield f"How many {seller} has {kind} is not published; we assume {most:,}: ask before you count on them."
    if unit.orders == "on_request":
        yield f"{seller} takes orders on request only: ask before you plan with it."


def _account_warning(plan: Plan, key: str, seller: str) -> Iterator[str]:
    catalogue, needed = plan.setting.catalogue, plan.setting.demand.all.peak_accelerators
    provider = catalogue.providers[catalogue.offers[key].provider]
    count, hourly = provider.unapproved_accelerators, provider.unapproved_usd_per_hour
    if count is not None and needed > count.newest.typical:
        yield f"A new account at {seller} gets {count.newest.typical:.0f} of these until more is approved: ask early."
    usd = float(estimated_prices(plan.setting, (key,)).typical[0]) * needed
    if hourly is not None and usd > hourly.newest.typical:
        limit = words.usd(hourly.newest.typical)
        yield f"A new account at {seller} may spend {limit} an hour until more is approved: ask early."


def _interruption_text(way: EvaluatedOption) -> str:
    rates = (used.value for used in way.option.ledger.inputs if used.name == OF_MACHINE)
    per_hour = float(np.max(next(rates, 0.0)))
    return f"; a machine is taken back about every {hours_words(1 / per_hour)}" if per_hour > 0 else ""


def overdue_figure_lines(answer: Answer) -> tuple[str, ...]:
    """Return one sentence for each old figure that weighs most."""
    return tuple(map(describe_overdue_figure, old_figures(answer)))


def describe_overdue_figure(figure: OldFigure) -> str:
    """Return its name, age and source, and the share of a bill that depends on it."""
    return (
        f"{old_figure_label(figure)}: checked {words.count(figure.age_days, 'day')} ago, its limit is "
        f"{figure.limit_days}; {words.percent(figure.share)} of the cost of {figure.option.title!r} depends on it. "
        f"Source: {figure.origin.source}."
    )


def old_figure_label(figure: OldFigure) -> str:
    return INPUTS[figure.name][0] if figure.name in INPUTS else input_label(figure.name)


def guarantee_sentence(futures: Futures | None) -> str:
    """Return the average payment of a resale guarantee over the futures, beside its cost; empty without one."""
    value = None if futures is None else guarantee_value(futures)
    if value is None:
        return ""
    share, paid = words.format_futures_share(value.payout_share), words.format_usd_short(value.paid_usd)
    pays = f"it pays in {share} futures, and {paid} on average over all of them"
    if value.cost_usd <= 0:
        return f"The guarantee of the resale is entered as free; {pays}, discounted to today and before tax."
    gain = f"{words.format_usd_short(abs(value.gain_usd))} {'more' if value.gain_usd >= 0 else 'less'} than it costs"
    cost = words.format_usd_short(value.cost_usd)
    return f"The guarantee of the resale costs {cost}; {pays}: {gain}, discounted to today and before tax."
