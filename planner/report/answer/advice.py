"""What a plan should say without being asked: what it warns of, what looks like a slip, what was left out."""

from collections.abc import Iterator, Sequence

import numpy as np

from planner.money.measures import Payback
from planner.money.old_figures import ImplausibleInput, OldFigure, doubts, old_figures
from planner.money.plan import Plan
from planner.money.renting.interruptions import OF_MACHINE
from planner.money.renting.offer_inputs import PRICE, estimated_prices
from planner.money.selling import is_resale_only
from planner.money.sizing import deferral_advice
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.money.ways.record import OptionSpec
from planner.money.ways.right_size import FleetSizeResult, sizes
from planner.report import words
from planner.report.answer.tables import INPUTS
from planner.report.forms import scalar
from planner.report.futures.input_words import input_label
from planner.report.table import Table
from planner.scenario.base import MOST_ACCELERATORS, ONE_MACHINE
from planner.scenario.durations import hours_words
from planner.scenario.path import format_path
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.guarantee import guarantee_value
from pricing.orderable import NVLINK_DOMAIN, sale
from pricing.records import Offer


def advice_lines(plan: Plan, answer: Answer, *, every: bool = False) -> tuple[str, ...]:
    """Slips of the hand first, then what the compared ways warn of, or all ways."""
    compared = [way for way in (answer.best, *(answer.pair or ())) if way is not None]
    ways = answer.ranked if every else compared
    warned = (f"{way.option.title}: {warning}" for way in ways for warning in way.option.warnings)
    odd = (
        *(_doubt(doubt) for doubt in doubts(plan)),
        *_contradicting_prices(plan.setting.scenario),
        *_undeliverable_growth(plan),
    )
    return tuple(dict.fromkeys((*odd, *(_ended(line) for line in warned))))


def _contradicting_prices(scenario: Scenario) -> Iterator[str]:
    """Prices of yours that contradict each other: what binds, or may be taken away, costs more than what does not."""
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


def _undeliverable_growth(plan: Plan) -> Iterator[str]:
    """Growth that ends beyond what anybody can deliver: asked about, and reckoned with all the same."""
    most, works = int(plan.setting.demand.all.peak_accelerators), plan.setting.scenario.work
    if most <= MOST_ACCELERATORS:
        return
    fastest = max(works, key=lambda work: work.growth_per_year)
    times = MOST_ACCELERATORS / sum(work.accelerators for work in works)
    nearest = words.percent(max(times ** (1 / plan.setting.scenario.years) - 1, 0.0))
    yield (
        f"{words.upper_first(fastest.label)} grows by {words.percent(fastest.growth_per_year)} a year to "
        f"{most:,} GPUs at once, more than anybody can deliver. Is that a year? {nearest} would end at about "
        f"{MOST_ACCELERATORS:,}."
    )


def _ended(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def _doubt(doubt: ImplausibleInput) -> str:
    yours, usual = f"{doubt.entered:,.6g}", f"{doubt.expected:,.6g}"
    name = _called(doubt)
    known = f"the catalogue has {usual}" if doubt.is_known else f"about {usual} is usual for this plan"
    asked = f"{name} is {yours} {doubt.unit}; {known}."
    if doubt.below_all:
        return (
            f"{name} is {yours} {doubt.unit}, below what anybody known here asks on demand, from {usual} on: did you "
            "mean a price for a reservation, or for another GPU? It is used as you typed it."
        )
    if doubt.intended is None:
        return f"{asked} It is used as you typed it."
    return f"{asked} Did you mean {doubt.intended:,.6g} ({doubt.mistake})? It is used as you typed it."


def _called(doubt: ImplausibleInput) -> str:
    """An input in words, with its field where several parts of a scenario have one of that name."""
    if doubt.name not in INPUTS:
        return format_path(doubt.path) or doubt.name
    field = f" ({format_path(doubt.path)})" if doubt.path[2:] or doubt.path[:1] not in ((), ("own",), ("rent",)) else ""
    return f"{INPUTS[doubt.name][0]}{field}"


def unavailable_option_lines(plan: Plan) -> tuple[str, ...]:
    """The ways that were not reckoned, with the reason and what they would need; ways of one reason stand together."""
    named: dict[str, list[str]] = {}
    for one in plan.absent:
        named.setdefault(one.reason, []).append(WAYS[one.way].name)
    return tuple(_ended(f"{', '.join(names)}: {reason}") for reason, names in named.items())


def deferral_line(plan: Plan) -> str | None:
    """What fewer machines could do if the work could wait; None where the work cannot be done as asked."""
    sells_all = any(is_resale_only(plan.setting, option.accelerators) for option in plan.options if option.way == "own")
    said = deferral_advice(plan.setting) if plan.options and not sells_all else None
    return None if said is None else f"{said}. Say so under 'Adjust assumptions' if it can wait."


def fleet_size_table(plan: Plan) -> Table | None:
    """What another number of machines would mean, where the work may wait; None where it may not."""
    found = sizes(plan.setting)
    if not found:
        return None
    return Table.of(
        [
            {
                "GPUs": f"{size.accelerators:,}",
                "Busy": words.percent(size.busy_share),
                "A job waits, on average": _wait(size),
                "Day one": words.usd(size.day_one_usd),
                "Pays back": _back(size.payback),
                "Pays back, running costs in proportion": _back(size.payback_scaled),
            }
            for size in found
        ]
    )


def _wait(size: FleetSizeResult) -> str:
    hours = scalar(size.wait_hours.value)
    return "longer and longer" if hours is None else hours_words(hours)


def _back(back: Payback) -> str:
    months = scalar(back.months)
    return "never" if months is None else f"month {months:.1f}"


_SILENT = frozenset({"", "not stated", "not-stated"})


def rests_on(plan: Plan, ways: Sequence[EvaluatedOption]) -> tuple[str, ...]:
    """A sentence for each of the ways that is rented at somebody's price; of a mix, for what its peaks are done on."""
    return tuple(dict.fromkeys(text for way in ways for text in _option_price_text(plan, way)))


def _option_price_text(plan: Plan, way: EvaluatedOption) -> Iterator[str]:
    setting, name = plan.setting, _rental_kind(plan, way)
    record = WAYS[name]
    key = record.offer(setting.offers)
    offer = setting.catalogue.offers.get(key or "")
    if record.by_the_token:
        yield from _token_price_age(plan)
    if key is None or offer is None or _is_yours(plan, record):
        return
    price = estimated_prices(setting, (key,)).at(0)
    who = words.seller(setting.catalogue.providers[offer.provider].label, offer.sku)
    shares = setting.offers.shares if name == "on_demand" else ()
    if len(shares) > 1:
        low, high = words.usd_per_hour(price.low), words.usd_per_hour(price.high)
        wanted, today = sum(share.accelerators for share in shares), words.usd_per_hour(price.typical)
        assumed = sum(sale(setting.catalogue, share.offer).most.assumed for share in shares)
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


def overdue_figure_lines(answer: Answer) -> tuple[str, ...]:
    """One sentence for each of the few that weigh most."""
    return tuple(describe_overdue_figure(figure) for figure in old_figures(answer))


def describe_overdue_figure(figure: OldFigure) -> str:
    """What it is, how old, who says so, and how much of which bill stands on it."""
    return (
        f"{called(figure)}: checked {words.count(figure.age_days, 'day')} ago, its limit is {figure.limit_days}; "
        f"{words.percent(figure.share)} of the bills of {figure.option.title!r} depend on it. "
        f"Source: {figure.origin.source}."
    )


def called(figure: OldFigure) -> str:
    """What the input is called."""
    return INPUTS[figure.name][0] if figure.name in INPUTS else input_label(figure.name)


def guarantee_sentence(futures: Futures | None) -> str:
    """What it pays on average over the futures, beside what it costs; empty where there is none."""
    found = None if futures is None else guarantee_value(futures)
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
