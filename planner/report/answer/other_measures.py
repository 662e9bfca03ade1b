"""The answer in the other numbers that people ask for, each with its value, its unit and how it follows."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.money.demand.lost_time import LostHours
from planner.money.measures import plan_discount_rate
from planner.money.owned_fleet import USUAL_SHARES, Kind, OwnedCostSplit, idle, split, work_units
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.breakeven import BreakEven
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.sensitivity import cheaper_above_break_even, has_constant_demand
from planner.report.forms import scalar, scalar_reason
from planner.report.futures.counted import format_futures_count, simulated_break_even
from planner.report.table import Table, text_table
from planner.scenario.question import KEYS
from planner.scenario.shown_money import shown_money
from planner.study.buy_or_wait import BuyOrWaitUnavailable, late_delivery, waiting
from planner.study.uncertainty.break_even_map import BreakEvenMap, CurvePoint, break_even_curve, utilization_years_map
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.sure_verdict import BreakEvenBand
from pricing.caching import cached_property
from pricing.exchange import DOLLAR

HEAD = "In other numbers"
FAILS = (
    "It fails where the work grows or comes in peaks, where a reservation is paid busy or not, where idle machines are "
    "let to others, and for other prices, years and places than this plan's."
)
LOST_FROM = 0.01  # of the hours: a smaller loss gets no sentence
_SMALL_SHARE = 0.02
_CENT = 0.1  # dollars: below it, cents are too coarse
_USD, _SHARE, _HOURS = "USD", "share of what own machines cost", "hours a month of one GPU"
_PIECES: dict[Kind, tuple[str, str]] = {
    "request": ("One request", "request"),
    "million_tokens": ("A million tokens written", "million tokens"),
    "training": ("One training run", "run"),
    "run": ("One run", "run"),
}


@dataclass(frozen=True)
class OtherMeasure:
    """One number of a plan: a label, the value with its unit, and how it follows or why there is none."""

    name: str  # for programs
    option: str | None  # the key of its option; None where it compares two
    label: str
    value: float | None
    unit: str
    how: str

    @property
    def text(self) -> str:
        """Return the value as people write it."""
        if self.value is None:
            return "–"
        if self.unit.startswith("USD"):
            if 0 < abs(self.value) < _CENT:
                sign, money = "-" if self.value < 0 else "", shown_money()
                return f"{sign}{money.mark}{number(money.amount(abs(self.value)))}"
            return words.usd(self.value)
        if self.unit.startswith("share"):
            return words.percent(self.value, 1 if 0 < abs(self.value) < _SMALL_SHARE else 0)
        return number(self.value)


@dataclass(frozen=True, eq=False)
class OtherMeasures:
    """Sentences and rows; the map and its curve are solved on first use."""

    sentences: tuple[str, ...]
    rows: tuple[OtherMeasure, ...]
    answer: Answer

    @cached_property
    def map(self) -> BreakEvenMap | None:
        """Return the saving of the first option over use and years; None without two options or without work."""
        pair, busy = self.answer.pair, self.answer.break_even("busy_share")
        if pair is None or busy is None or not busy.you:
            return None
        return utilization_years_map(self.answer.plan, pair[0].option, pair[1].option)

    @property
    def curve(self) -> tuple[CurvePoint, ...]:
        """Return the break-even utilization by length of the plan."""
        return () if self.map is None else break_even_curve(self.map)

    @property
    def hours_per_month(self) -> float:
        """Return the hours of one GPU that is always busy."""
        return self.answer.plan.setting.terms.hours_per_month


def other_measures(plan: Plan, answer: Answer, futures: Futures | None = None) -> OtherMeasures | None:
    """Return all other numbers of a plan; None where it has no answer."""
    ways = answer.pair or ((answer.best,) if answer.best else ())
    if not ways:
        return None
    owner = next((way for way in (*ways, answer.own) if way is not None and WAYS[way.option.way].owns), None)
    parts = None if owner is None else split(plan.setting, owner.option.ledger)
    simulated = simulated_break_even(answer, futures, "busy_share")
    split_rows, split_text = tuple[OtherMeasure, ...](), tuple[str, ...]()
    if owner is not None and parts is not None:
        split_rows, split_text = tuple(_cost_split_measures(owner, parts)), (_cost_split_text(owner, parts),)
    rows = (
        *(row for way in ways for row in _unit_cost_measures(plan, way)),
        *hours_rule_measures(plan, answer, simulated),
        *_payback_measures(answer),
        *(row for way in ways for row in _cash_measures(plan, way)),
        *_delay_measures(plan),
        *(row for way in ways for row in _idle_measures(plan, way)),
        *lost_time_measures(plan, ways),
        *split_rows,
    )
    return OtherMeasures(
        (_discounting_text(plan), *hours_rule_sentences(plan, answer, simulated), *split_text), rows, answer
    )


def other_measures_text(measures: OtherMeasures) -> str:
    """Return sentences and tables for a terminal."""
    tables = (text_table(other_measures_table(measures)), text_table(curve_table(measures)))
    return "\n\n".join(part for part in ("\n".join(measures.sentences), *tables) if part)


def other_measures_table(measures: OtherMeasures) -> Table:
    """Return the rows as they are shown."""
    columns, code = ("What", "Value", "Unit", "How it follows"), shown_money().code
    return Table.listed(
        columns, [(row.label, row.text, row.unit.replace(DOLLAR, code), row.how) for row in measures.rows]
    )


def curve_table(measures: OtherMeasures) -> Table:
    """Return the break-even hours a month by length of the plan; empty where no use makes both cost the same."""
    if all(point.busy_share is None for point in measures.curve):
        return Table({})
    rows = [
        (
            point.years,
            None if point.busy_share is None else point.busy_share * measures.hours_per_month,
            point.busy_share,
        )
        for point in measures.curve
    ]
    return Table.listed(("Years", "Hours a month of one GPU", "Share of hours"), rows)


def number(value: float) -> str:
    """Return a number with three significant figures, never 2e-05 or 4e+06."""
    rounded = words.round_significant(value)
    return words.number(rounded) if abs(rounded) >= 1 else np.format_float_positional(rounded, trim="-")


def _discounting_text(plan: Plan) -> str:
    rate = words.percent(scalar(plan_discount_rate(plan.setting)) or 0.0, 1)
    real = ", in prices of today" if plan.setting.terms.money == "real" else ""
    return (
        f"All sums are discounted to today unless marked otherwise: later payments are discounted at {rate} a "
        f"year{real}. Cash on day one and the most cash out are not discounted."
    )


def _unit_cost_measures(plan: Plan, way: EvaluatedOption) -> Iterator[OtherMeasure]:
    """Yield the cost of a useful hour, and of a piece of the work by the hours that it takes."""
    cost, title, key = way.measures.usd_per_useful_hour, way.option.title, way.option.key
    hour = scalar(cost.value)
    how = "its cost over its useful GPU-hours, both discounted" if hour is not None else scalar_reason(cost.reason)
    yield OtherMeasure("usd_per_useful_hour", key, f"A useful GPU-hour: {title}", hour, "USD per useful GPU-hour", how)
    if hour is None:
        return
    work = work_units(plan.setting)
    for piece in work:
        label, unit = _PIECES[piece.kind]
        model = f" ({piece.model})" if piece.model and len({each.model for each in work}) > 1 else ""
        how = f"{number(piece.accelerator_hours)} useful GPU-hours at that price"
        usd = hour * piece.accelerator_hours
        yield OtherMeasure(f"usd_per_{piece.kind}", key, f"{label}{model}: {title}", usd, f"USD per {unit}", how)


def hours_rule_measures(plan: Plan, answer: Answer, simulated: BreakEvenBand | None) -> Iterator[OtherMeasure]:
    """Yield the break-even in hours, the two ends of the rule, and the rent at which both cost the same."""
    if answer.pair is None:
        return
    between = f"{answer.pair[0].option.title} and {answer.pair[1].option.title} cost the same"
    yield _break_even_hours(plan, answer.break_even("busy_share"), between)
    if simulated is not None and simulated.band is not None:
        for end, share, than in (("low", simulated.band.low, "fewer"), ("high", simulated.band.high, "more")):
            how = f"of futures in which some use makes both cost the same, one in ten needs {than} hours"
            hours = share * plan.setting.terms.hours_per_month
            yield OtherMeasure(f"rule_{end}_hours", None, f"Rule of thumb, {end} end", hours, _HOURS, how)
    rent = answer.break_even("usd_per_accelerator_hour")
    if rent is not None:
        yours = "" if rent.you is None else f"; the plan has {words.usd_per_hour(rent.you)}"
        how = f"there {between}{yours}" if rent.value is not None else str(rent.reason)
        name = WAYS[answer.pair[1].option.way].price_name
        yield OtherMeasure("even_rent_usd", None, f"Indifferent at a {name} of", rent.value, "USD per GPU-hour", how)


def _break_even_hours(plan: Plan, busy: BreakEven | None, between: str) -> OtherMeasure:
    hours, label = plan.setting.terms.hours_per_month, "Break-even use"
    if busy is None or busy.value is None:
        reason = "no level of use changes that" if busy is None else str(busy.reason)
        return OtherMeasure("break_even_hours", None, label, None, _HOURS, reason)
    you = "" if busy.you is None else f"; the plan has {words.number(busy.you * hours)}"
    how = f"there {between}: busy {words.percent(busy.value)} of {hours:g} hours{you}"
    return OtherMeasure("break_even_hours", None, label, busy.value * hours, _HOURS, how)


def hours_rule_sentences(plan: Plan, answer: Answer, simulated: BreakEvenBand | None) -> tuple[str, ...]:
    """Return the rule of thumb, where it fails, and what limits it in this plan; empty without a comparison."""
    busy = answer.break_even("busy_share")
    if answer.pair is None or busy is None:
        return ()
    if busy.value is None:
        return (f"There is no rule of thumb by hours here: {busy.reason.detail or 'no level of use changes that'}.",)
    hours = plan.setting.terms.hours_per_month
    below, above = cheaper_below_and_above(answer.pair, cheaper_above_break_even(answer, busy))
    band = None if simulated is None else simulated.band
    low, high = (busy.value, busy.value) if band is None else (band.low, band.high)
    rule = (
        f"Rule of thumb on today's prices: below about {words.count(words.number(low * hours, 2), 'hour')} a month of "
        f"one GPU {below} costs less, above about {words.number(high * hours, 2)} {above}; between the two it depends "
        "on how prices, rents and resale turn out. At the plan's figures both cost the same at "
        f"{words.number(busy.value * hours)}."
    )
    return (rule, FAILS, *_plan_caveats(plan, answer.pair, busy, simulated))


def cheaper_below_and_above(pair: tuple[EvaluatedOption, EvaluatedOption], above: EvaluatedOption) -> tuple[str, str]:
    """Return the cheaper option below and above, as an activity; by title where both have the same."""
    below = pair[1] if above is pair[0] else pair[0]
    first, second = (WAYS[way.option.way].start_text for way in (below, above))
    return (first, second) if first != second else (below.option.title, above.option.title)


def _plan_caveats(
    plan: Plan, pair: tuple[EvaluatedOption, EvaluatedOption], busy: BreakEven, simulated: BreakEvenBand | None
) -> Iterator[str]:
    if not has_constant_demand(plan):
        yield "Here the work changes from month to month, so its hours are an average over the plan."
    peak, bought = plan.setting.demand.all.peak_accelerators, pair[0].option.accelerators
    if bought != peak:
        orders = words.count(f"{bought:,.0f}", "is bought", "are bought")
        yield f"Hours are those of one of the {peak:,} GPUs needed at once, where {orders}."
    if WAYS[pair[1].option.way].is_committed:
        yield "Here the rival is bound for a term and paid busy or not."
    if busy.is_out_of_reach:
        most = words.number((busy.achievable or 0.0) * plan.setting.terms.hours_per_month, 2)
        yield f"Jobs that come at random keep this fleet busy about {words.count(most, 'hour')} a month at most: with "
        "more they wait too long."
    if simulated is not None and simulated.share < 1:
        count = format_futures_count(simulated.share)
        yield f"Some use makes both cost the same in {count} futures; in the others one option always wins."


def _payback_measures(answer: Answer) -> Iterator[OtherMeasure]:
    if answer.pair is None:
        return
    months, first, second = scalar(answer.payback.months), *answer.pair
    simple = scalar(first.measures.simple_payback.months)
    undiscounted = "" if simple is None else f"; undiscounted: month {words.round_significant(simple):g}"
    how = scalar_reason(answer.payback.reason)
    if months is not None:
        how = f"the month by which its savings against {second.option.title} cover its first cost{undiscounted}"
    label = f"Paid back: {first.option.title}"
    yield OtherMeasure("payback_discounted_months", first.option.key, label, months, "months from today", how)


def _cash_measures(plan: Plan, way: EvaluatedOption) -> Iterator[OtherMeasure]:
    title, key = way.option.title, way.option.key
    today, peak = float(way.measures.cash_today_usd), way.measures.peak
    yield OtherMeasure("cash_today_usd", key, f"Cash on day one: {title}", today, _USD, "the payments of today")
    when = "today" if peak.month == 0 else f"after month {peak.month}"
    how = f"the funding needed: all bills up to the lowest point of the account, {when}, less money that came back"
    yield OtherMeasure("peak_cash_usd", key, f"Most cash out: {title}", peak.bills_usd, _USD, how)
    how = f"the same payments discounted to today: the {words.usd(peak.bills_usd)} with later months discounted"
    label = f"Most cash out, discounted: {title}"
    yield OtherMeasure("peak_cash_discounted_usd", key, label, peak.present_usd, _USD, how)


def _delay_measures(plan: Plan) -> Iterator[OtherMeasure]:
    """Yield the cost of an order one month later, and of a delivery one year later."""
    wait = waiting(plan)
    if isinstance(wait, BuyOrWaitUnavailable):
        return
    key = wait.option.key
    if len(wait.months) > 1:
        rent, gain = (words.usd(float(usd[1])) for usd in (wait.cost_usd, wait.gain_usd))
        how = f"{rent} for rent meanwhile less running costs, less {gain} saved on machines; below 0 waiting pays"
        label = f"Ordering a month later: {wait.title}"
        yield OtherMeasure("wait_a_month_usd", key, label, -float(wait.value_usd[1]), _USD, how)
    late = late_delivery(wait)
    months = f"{words.count(late.lead_time_months + late.months_late, 'month')} instead of {late.lead_time_months:g}"
    how = f"delivery after {months} comes after their sale or the end of the plan: all work is rented"
    if late.is_delivered:
        how = f"the same order with delivery after {months}: rent meanwhile, less running costs, and less time of use"
    yield OtherMeasure("late_year_usd", key, f"Delivery a year late: {wait.title}", late.extra_usd, _USD, how)


def _idle_measures(plan: Plan, way: EvaluatedOption) -> Iterator[OtherMeasure]:
    title, key, hours = way.option.title, way.option.key, idle(plan.setting, way.option)
    if hours is not None:
        how = f"of {hours.paid_hours:,.0f} GPU-hours of its machines after delivery, without spares"
        yield OtherMeasure("idle_hours", key, f"Idle hours: {title}", hours.idle_hours, "GPU-hours", how)
        yield OtherMeasure("idle_share", key, f"Idle: {title}", hours.share, "share of hours", how)
        return
    # all bills before tax, without what comes back: from sold hours, and from a sale
    idle_usd, back = float(way.measures.idle_usd), ("income", "tax", "resale")
    lines = (line for line in way.option.ledger.lines if line.is_cash and line.part not in back)
    if idle_usd > 0 and (billed := sum(float(line.priced_usd.sum()) for line in lines)) > 0:
        how = f"hours that are billed and not used: {words.usd(idle_usd)} of {words.usd(billed)}"
        yield OtherMeasure("idle_share", key, f"Idle: {title}", idle_usd / billed, "share of the bills", how)


def lost_time_sentences(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Return the cost of failures, where they take a hundredth of the hours or more."""
    lost = plan.setting.lost_hours
    ways = [way for way in answer.pair or (answer.best,) if way is not None and _has_machines(way)]
    if lost is None or lost.share < LOST_FROM or not ways:
        return ()
    sums = " or ".join(f"{words.usd(lost.share * it.present_usd)} {WAYS[it.option.way].purchase_text}" for it in ways)
    about, hours = ("", "hours") if lost.is_counted else ("about ", "hours you state")
    share, job = words.percent(lost.share, 1), lost.largest.job
    size = f" A job is taken to need {job:,} GPUs: yours goes under “{KEYS['job'].label}”."
    is_stated = lost.is_counted or any(job in (it.accelerators_per_job, 1) for it in plan.setting.written.work)
    text = f"Failures, restarts and checkpoints take {about}{share} of the {hours}: {sums}."
    return (text if is_stated else f"{text}{size}",)


def lost_time_measures(plan: Plan, ways: tuple[EvaluatedOption, ...]) -> Iterator[OtherMeasure]:
    """Yield the share of the hours lost to failures, and its cost for each option."""
    lost = plan.setting.lost_hours
    if lost is None:
        return
    how = f"{_failure_text(lost)}; {'counted in' if lost.is_counted else 'assumed to be within'} the hours of the plan"
    yield OtherMeasure("lost_share", None, "Lost to failures and restarts", lost.share, "share of busy hours", how)
    for way in filter(_has_machines, ways):
        label = f"Time lost to failures: {way.option.title}"
        how = f"{number(lost.hours)} GPU-hours at the average cost of an hour: part of the cost, not on top of it"
        yield OtherMeasure("lost_usd", way.option.key, label, lost.share * way.present_usd, _USD, how)


def _has_machines(way: EvaluatedOption) -> bool:
    return WAYS[way.option.way].owns or WAYS[way.option.way].rents_machines


def _failure_text(lost: LostHours) -> str:
    usual = lost.largest.usual
    slow = f", waits {words.percent(usual.straggler_share)} for slow machines" if usual.straggler_share else ""

    def span(hours: object, unit: str, times: int = 1) -> str:
        return words.count(number(float(np.asarray(hours)) * times), unit)

    return (
        f"a job on {words.count(lost.largest.job, 'GPU')} stops every {span(usual.hours_between_stops, 'hour')}, "
        f"writes a checkpoint for {span(usual.checkpoint_hours, 'minute', 60)} every "
        f"{span(usual.checkpoint_interval_hours, 'hour')}, and takes {span(usual.restart_hours, 'minute', 60)} to "
        f"restart{slow}"
    )


def _cost_split_measures(owner: EvaluatedOption, parts: OwnedCostSplit) -> Iterator[OtherMeasure]:
    """Yield the cost of one's own machines by purpose, and the rent paid beside them."""
    title, key = owner.option.title, owner.option.key
    people = words.percent(parts.people_usd / parts.owned_usd)
    notes = (
        "less its resale value",
        "at the meter, working and idle",
        f"people alone {people}; the largest line of the rest is {parts.most_of_rest.lower() or 'none'}",
    )
    for (name, usd), note in zip(parts.by_name.items(), notes, strict=True):
        how = f"{words.usd(usd)}, {note}; usually quoted: {words.percent(USUAL_SHARES[name])}"
        label, column = f"{name.capitalize()}: {title}", f"{name.replace(' ', '_')}_share"
        yield OtherMeasure(column, key, label, parts.shares[name], _SHARE, how)
    if parts.rented_usd > 0:
        how = "before delivery, above their capacity and after their sale: not part of the shares"
        yield OtherMeasure("rented_beside_usd", key, f"Rented beside it: {title}", parts.rented_usd, _USD, how)


def _cost_split_text(owner: EvaluatedOption, parts: OwnedCostSplit) -> str:
    """Return the usual split beside this plan's, the part that differs most, and the sums behind it."""
    usual, ours = ("/".join(f"{share * 100:.0f}" for share in by.values()) for by in (USUAL_SHARES, parts.shares))
    name = max(USUAL_SHARES, key=lambda part: abs(parts.shares[part] - USUAL_SHARES[part]))
    hardware, power, rest = (words.usd(usd / max(owner.option.accelerators, 1.0)) for usd in parts.by_name.values())
    all_in = any(used.name == "running_usd_per_month" for used in owner.option.ledger.inputs)
    apart = " Your running costs hold power and people, which cannot be separated." if all_in else ""
    return (
        f"The cost of own machines is usually split {usual} into hardware, power with cooling, and people with the "
        f"rest: a rule of thumb without a citable source. Here it is {ours}; it differs most in {name}, "
        f"{words.percent(parts.shares[name])} instead of {words.percent(USUAL_SHARES[name])}, since over this plan a "
        f"GPU costs {hardware} after resale, {power} for power and {rest} for the rest.{apart}"
    )
