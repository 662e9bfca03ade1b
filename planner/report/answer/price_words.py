"""What the rents of an answer rest on: whose price, where it stands, how old it is, and what it is worth today."""

from collections.abc import Iterator, Sequence

import numpy as np

from planner.money.old_figures import OldFigure, old_figures
from planner.money.plan import Plan
from planner.money.renting.interruptions import OF_MACHINE
from planner.money.renting.offer_inputs import PRICE, estimated_prices
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.money.ways.record import OptionSpec
from planner.report import words
from planner.report.answer.tables import INPUTS
from planner.report.futures.input_words import label
from planner.scenario.base import ONE_MACHINE
from planner.scenario.durations import hours_words
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.guarantee import guarantee_value
from pricing.orderable import NVLINK_DOMAIN, sale
from pricing.records import Offer

_SILENT = frozenset({"", "not stated", "not-stated"})


def rests_on(plan: Plan, ways: Sequence[EvaluatedOption]) -> tuple[str, ...]:
    """A sentence for each of the ways that is rented at somebody's price; of a mix, for what its peaks are done on."""
    return tuple(dict.fromkeys(said for way in ways for said in _option_price_text(plan, way)))


def _option_price_text(plan: Plan, way: EvaluatedOption) -> Iterator[str]:
    setting, name = plan.setting, _rental_kind(plan, way)
    record = WAYS[name]
    key = record.offer(setting.taken)
    offer = setting.catalogue.offers.get(key or "")
    if record.by_the_token:
        yield from _token_price_age(plan)
    if key is None or offer is None or _is_yours(plan, record):
        return
    price = estimated_prices(setting, (key,)).at(0)
    who = words.seller(setting.catalogue.providers[offer.provider].label, offer.sku)
    shares = setting.taken.shares if name == "on_demand" else ()
    if len(shares) > 1:
        low, high = words.usd_per_hour(price.low), words.usd_per_hour(price.high)
        wanted, today = sum(one.accelerators for one in shares), words.usd_per_hour(price.typical)
        assumed = sum(sale(setting.catalogue, one.offer).most.assumed for one in shares)
        sizes = f"; how many {words.count(assumed, 'of them has', 'of them have')} we assume" if assumed else ""
        yield (
            f"Nobody known here has {wanted:,} at once, so {len(shares)} sellers share them, on average at {today} "
            f"({low} to {high}) today{sizes}."
        )
    else:
        yield f"{who}{_place(offer)}: {words.worth(price)}{_interruption_text(way)}."
    yield from _rack_size_warning(plan, key)
    yield from _assumed_capacity(plan, key, who)
    if sale(setting.catalogue, key).orders == "on_request":
        yield f"{who} takes orders on request only: ask before you plan with it."


def _place(offer: Offer) -> str:
    """Where the machines stand, as the seller says it."""
    silent = offer.region.casefold() in _SILENT
    return ", which does not say where" if silent else f", {offer.region}"


def _rack_size_warning(plan: Plan, key: str) -> Iterator[str]:
    """That more stand in the rack than are wanted."""
    catalogue, wanted = plan.setting.catalogue, int(plan.setting.demand.all.peak_accelerators)
    found = sale(catalogue, key)
    rack = int(catalogue.facts[NVLINK_DOMAIN].figure.newest.typical)
    if found.fabric == "nvlink_domain" and wanted < rack:
        size = f"parts of {min(found.sizes)}" if min(found.sizes) < rack else "whole racks only"
        yours = words.count(wanted, "is yours", "are yours")
        yield f"These stand in racks of {rack}, of which {yours}; it is rented in {size}."


def _assumed_capacity(plan: Plan, key: str, who: str) -> Iterator[str]:
    """That nobody says whether the seller has so many."""
    setting, found = plan.setting, sale(plan.setting.catalogue, key)
    most = found.most.accelerators
    wanted = min(int(setting.demand.all.peak_accelerators), most)
    if wanted > ONE_MACHINE and found.most.assumed and not found.yours and 2 * wanted > most:
        kind = "on spot" if setting.catalogue.offers[key].purchase == "spot" else "at once"
        yield f"How many {who} has {kind} is not published; we assume {most:,}: ask before you count on them."


def _interruption_text(way: EvaluatedOption) -> str:
    """How often a spot machine is taken away."""
    said = (used.value for line in way.option.ledger.lines for used in line.used if used.name == OF_MACHINE)
    per_hour = float(np.max(next(said, 0.0)))
    return f"; a machine is taken back about every {hours_words(1 / per_hour)}" if per_hour > 0 else ""


def _token_price_age(plan: Plan) -> Iterator[str]:
    hosted, day = plan.setting.scenario.hosted, plan.setting.day
    price = plan.setting.catalogue.hosted.get(hosted.price or "") if hosted is not None else None
    if price is not None:
        yield f"{price.vendor}'s price was read {_format_days_ago(price.input_usd_per_mtoken.age_days(day))}."


def _format_days_ago(days: int) -> str:
    return "today" if days <= 0 else f"{words.count(days, 'day')} ago"


def _rental_kind(plan: Plan, way: EvaluatedOption) -> str:
    """The way itself; of a mix, that which takes its peaks."""
    mix = plan.setting.scenario.mix
    return way.option.way if mix is None or WAYS[way.option.way].side != "mix" else mix.peaks


def _is_yours(plan: Plan, record: OptionSpec) -> bool:
    asked = getattr(plan.setting.scenario, record.inputs, None)
    return getattr(asked, PRICE, None) is not None


HEAD = "Old figures in this answer"


def overdue_figure_lines(found: Answer) -> tuple[str, ...]:
    """One sentence for each of the few that weigh most."""
    return tuple(describe_overdue_figure(one) for one in old_figures(found))


def describe_overdue_figure(one: OldFigure) -> str:
    """What it is, how old, who says so, and how much of which bill stands on it."""
    return (
        f"{called(one)}: looked at {words.count(one.age_days, 'day')} ago, its limit is {one.limit_days}; "
        f"{words.percent(one.share)} of the bills of {one.option.title!r} stand on it. Source: {one.origin.said_by}."
    )


def called(one: OldFigure) -> str:
    """What the input is called."""
    return INPUTS[one.name][0] if one.name in INPUTS else label(one.name)


def guarantee_sentence(drawn: Futures | None) -> str:
    """What it pays on average over the futures, beside what it costs; empty where there is none."""
    found = None if drawn is None else guarantee_value(drawn)
    if found is None:
        return ""
    paid, money = words.format_usd_short(found.paid_usd), "in today's money and before tax"
    pays = (
        f"it pays in {words.format_futures_share(found.paying_share)} futures, and {paid} on average over all of them"
    )
    if found.cost_usd <= 0:
        return f"The guarantee of the resale is entered as free; {pays}, {money}."
    more = "more" if found.gain_usd >= 0 else "less"
    beside = f"{words.format_usd_short(abs(found.gain_usd))} {more} than it costs"
    return f"The guarantee of the resale costs {words.format_usd_short(found.cost_usd)}; {pays}: {beside}, {money}."
