"""What a plan should say without being asked: what it warns of, what looks like a slip, what was left out."""

from collections.abc import Iterator

from planner.money.measures import Payback
from planner.money.old_figures import ImplausibleInput, doubts
from planner.money.plan import Plan
from planner.money.selling import is_resale_only
from planner.money.sizing import deferral_advice
from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.money.ways.right_size import FleetSizeResult, sizes
from planner.report import words
from planner.report.answer.tables import INPUTS
from planner.report.forms import scalar
from planner.report.table import Table
from planner.scenario.base import MOST_ACCELERATORS
from planner.scenario.durations import hours_words
from planner.scenario.path import format_path
from planner.scenario.scenario import Scenario


def advice_lines(plan: Plan, found: Answer, *, every: bool = False) -> tuple[str, ...]:
    """Slips of the hand first, then what the compared ways warn of, or all ways."""
    compared = [way for way in (found.best, *(found.pair or ())) if way is not None]
    ways = found.ranked if every else compared
    warned = (f"{way.option.title}: {warning}" for way in ways for warning in way.option.warnings)
    odd = (
        *(_doubt(one) for one in doubts(plan)),
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
        f"{fastest.label[:1].upper()}{fastest.label[1:]} grows by {words.percent(fastest.growth_per_year)} a year to "
        f"{most:,} GPUs at once, more than anybody can deliver. Is that a year? {nearest} would end at about "
        f"{MOST_ACCELERATORS:,}."
    )


def _ended(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def _doubt(one: ImplausibleInput) -> str:
    yours, usual = f"{one.yours:,.6g}", f"{one.usual:,.6g}"
    name = _called(one)
    known = f"the catalogue has {usual}" if one.is_known else f"about {usual} is usual for this plan"
    asked = f"{name} is {yours} {one.unit}; {known}."
    if one.below_all:
        return (
            f"{name} is {yours} {one.unit}, below what anybody known here asks on demand, from {usual} on: did you "
            "mean a price for a reservation, or for another GPU? It is used as you typed it."
        )
    if one.meant is None:
        return f"{asked} It is used as you typed it."
    return f"{asked} Did you mean {one.meant:,.6g} ({one.slip})? It is used as you typed it."


def _called(one: ImplausibleInput) -> str:
    """An input in words, with its field where several parts of a scenario have one of that name."""
    if one.name not in INPUTS:
        return format_path(one.path) or one.name
    field = f" ({format_path(one.path)})" if one.path[2:] or one.path[:1] not in ((), ("own",), ("rent",)) else ""
    return f"{INPUTS[one.name][0]}{field}"


def unavailable_option_lines(plan: Plan) -> tuple[str, ...]:
    """The ways that were not reckoned, with the reason and what they would need; ways of one reason stand together."""
    named: dict[str, list[str]] = {}
    for one in plan.absent:
        named.setdefault(one.reason, []).append(WAYS[one.way].name)
    return tuple(_ended(f"{', '.join(names)}: {reason}") for reason, names in named.items())


def deferral_line(plan: Plan) -> str | None:
    """What fewer machines could do if the work could wait; None where the work cannot be done as asked."""
    sells_all = any(is_resale_only(plan.setting, one.accelerators) for one in plan.options if one.way == "own")
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
