"""What every plan also tells: the same answer in the other numbers that people ask for, each with how it follows."""

from collections.abc import Iterator
from dataclasses import dataclass

from planner.money.measures import peak_cash, rate_per_year
from planner.money.owned_fleet import USUAL_SHARES, Kind, OwnedCostSplit, idle, pieces, split
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.other_number import (
    OtherNumber,
    hours_rule_measures,
    hours_rule_sentences,
    lost_time_measures,
    number,
)
from planner.report.forms import scalar, scalar_reason
from planner.report.futures.counted import simulated_break_even
from planner.report.table import Table, text_table
from planner.study.buy_or_wait import BuyOrWaitUnavailable, Waiting, late_delivery, waiting
from planner.study.uncertainty.break_even_map import BreakEvenMap, CurvePoint, curve, use_and_years
from planner.study.uncertainty.futures import Futures
from pricing.caching import cached_property

HEAD = "In other numbers"
_USD, _SHARE = "USD", "share of what own machines cost"
_PIECES: dict[Kind, tuple[str, str]] = {
    "request": ("One request", "request"),
    "million_tokens": ("A million tokens written", "million tokens"),
    "training": ("One training run", "run"),
    "run": ("One run", "run"),
}


@dataclass(frozen=True, eq=False)
class Also:
    """The sentences and the rows; and the map and its curve, which are reckoned for who looks at them."""

    sentences: tuple[str, ...]
    rows: tuple[OtherNumber, ...]
    found: Answer

    @cached_property
    def map(self) -> BreakEvenMap | None:
        """What the first way saves over use and years; None where no two ways are compared or there is no work."""
        pair, busy = self.found.pair, self.found.break_even("busy_share")
        if pair is None or busy is None or not busy.you:
            return None
        return use_and_years(self.found.plan, pair[0].option, pair[1].option)

    @property
    def curve(self) -> tuple[CurvePoint, ...]:
        """How busy the machines must be for both ways to cost the same, by the length of the plan."""
        return () if self.map is None else curve(self.map)

    @property
    def hours_per_month(self) -> float:
        """Of one GPU that is always busy."""
        return self.found.plan.setting.terms.hours_per_month


def also(plan: Plan, found: Answer, drawn: Futures | None = None) -> Also | None:
    """All of it for a plan with an answer; None where there is none."""
    ways = found.pair or ((found.best,) if found.best else ())
    if not ways:
        return None
    owner = next((one for one in (*ways, found.own) if one is not None and WAYS[one.option.way].owns), None)
    parts = None if owner is None else split(plan.setting, owner.option.ledger)
    turn = simulated_break_even(found, drawn, "busy_share")
    rows = (
        *(row for one in ways for row in _unit_cost_measures(plan, one)),
        *hours_rule_measures(plan, found, turn),
        *_payback_measures(found),
        *(row for one in ways for row in _cash_measures(plan, one)),
        *_later(plan),
        *(row for one in ways for row in _idle(plan, one)),
        *lost_time_measures(plan, ways),
        *(() if owner is None or parts is None else _shares(owner, parts)),
    )
    sentences = (
        _money(plan),
        *hours_rule_sentences(plan, found, turn),
        *(() if owner is None or parts is None else (_cost_split_text(owner, parts),)),
    )
    return Also(sentences, rows, found)


def other_measures_text(told: Also) -> str:
    """All of it for a terminal."""
    parts = ("\n".join(told.sentences), text_table(other_measures_table(told)), text_table(curve_table(told)))
    return "\n\n".join(part for part in parts if part)


def other_measures_table(told: Also) -> Table:
    """The rows as they are shown."""
    columns = ("What", "Value", "Unit", "How it follows")
    return Table.listed(columns, [(row.what, row.said, row.unit, row.how) for row in told.rows])


def curve_table(told: Also) -> Table:
    """Over how many years how many hours a month make both cost the same; empty where no use does."""
    if all(point.busy_share is None for point in told.curve):
        return Table({})
    rows = [
        (point.years, None if point.busy_share is None else point.busy_share * told.hours_per_month, point.busy_share)
        for point in told.curve
    ]
    return Table.listed(("Years", "Hours a month of one GPU", "Share of hours"), rows)


def _money(plan: Plan) -> str:
    rate = words.percent(scalar(rate_per_year(plan.setting)) or 0.0, 1)
    real = ", prices being those of today" if plan.setting.terms.money == "real" else ""
    return (
        f"All sums are in today's money, where nothing else is said: what is paid later counts for less, {rate} a "
        f"year{real}. Cash on day one and the most cash out are what is paid, not discounted."
    )


def _unit_cost_measures(plan: Plan, one: EvaluatedOption) -> Iterator[OtherNumber]:
    """What a useful hour costs, and a piece of the work by the hours that it takes."""
    hour, title, key = scalar(one.measures.usd_per_useful_hour.value), one.option.title, one.option.key
    why = "its cost over its useful GPU-hours, both in today's money" if hour is not None else scalar_reason(
        one.measures.usd_per_useful_hour.reason
    )  # fmt: skip
    yield OtherNumber("usd_per_useful_hour", key, f"A useful GPU-hour: {title}", hour, "USD per useful GPU-hour", why)
    if hour is None:
        return
    counted = pieces(plan.setting)
    for piece in counted:
        label, of = _PIECES[piece.kind]
        model = f" ({piece.model})" if piece.model and len({each.model for each in counted}) > 1 else ""
        takes = f"{number(piece.accelerator_hours)} useful GPU-hours at that price"
        usd = hour * piece.accelerator_hours
        yield OtherNumber(f"usd_per_{piece.kind}", key, f"{label}{model}: {title}", usd, f"USD per {of}", takes)


def _payback_measures(found: Answer) -> Iterator[OtherNumber]:
    if found.pair is None:
        return
    months, first, second = scalar(found.payback.months), *found.pair
    plain = scalar(first.measures.simple_payback.months)
    counted = "" if plain is None else f"; month {words.round_significant(plain):g} if later money counted in full"
    how = (
        f"the month by which what it saves against {second.option.title} has covered what it cost first{counted}"
        if months is not None
        else scalar_reason(found.payback.reason)
    )
    what = f"Paid back: {first.option.title}"
    yield OtherNumber("payback_discounted_months", first.option.key, what, months, "months from today", how)


def _cash_measures(plan: Plan, one: EvaluatedOption) -> Iterator[OtherNumber]:
    title, key = one.option.title, one.option.key
    today, peak = float(one.measures.cash_today_usd), peak_cash(plan.setting, one.option.ledger)
    yield OtherNumber("cash_today_usd", key, f"Cash on day one: {title}", today, _USD, "what has to be paid today")
    when = "today" if peak.month == 0 else f"after month {peak.month}"
    how = f"what has to be funded: all bills up to the lowest point of the account, {when}, less what came back"
    yield OtherNumber("peak_cash_usd", key, f"Most cash out: {title}", peak.bills_usd, _USD, how)
    how = f"the same payments in today's money: the {words.usd(peak.bills_usd)} with later months discounted"
    what = f"Most cash out, discounted: {title}"
    yield OtherNumber("peak_cash_discounted_usd", key, what, peak.present_usd, _USD, how)


def _later(plan: Plan) -> Iterator[OtherNumber]:
    """What it costs to order a month later, and to get the machines a year later."""
    found = waiting(plan)
    if isinstance(found, BuyOrWaitUnavailable):
        return
    key = found.bought_as.key
    if len(found.months) > 1:
        rent, gain = (words.usd(float(each[1])) for each in (found.cost_usd, found.gain_usd))
        saved = f"less {gain} that machines then cost less; below 0 waiting pays"
        how = f"{rent} for rent meanwhile less running costs, {saved}"
        what = f"Ordering a month later: {found.title}"
        yield OtherNumber("wait_a_month_usd", key, what, -float(found.value_usd[1]), _USD, how)
    yield _late(found, key)


def _late(found: Waiting, key: str) -> OtherNumber:
    late = late_delivery(found)
    months = f"{words.count(late.lead_time_months + late.months_late, 'month')} instead of {late.lead_time_months:g}"
    how = (
        f"the same order with delivery after {months}: rent meanwhile, less running costs, and less time to use them"
        if late.ever_comes
        else f"delivery after {months} is when they would be sold or the plan ends: all work is rented"
    )
    return OtherNumber("late_year_usd", key, f"Delivery a year late: {found.title}", late.extra_usd, _USD, how)


def _idle(plan: Plan, one: EvaluatedOption) -> Iterator[OtherNumber]:
    title, key, there = one.option.title, one.option.key, idle(plan.setting, one.option)
    if there is not None:
        how = f"of {there.paid_hours:,.0f} GPU-hours in which its machines are there, spares apart"
        yield OtherNumber("idle_hours", key, f"Idle hours: {title}", there.idle_hours, "GPU-hours", how)
        yield OtherNumber("idle_share", key, f"Idle: {title}", there.share, "share of hours", how)
    elif one.measures.idle_usd > 0 and (total := _billed_usd(one)) > 0:
        how = f"hours that are billed and not used: {words.usd(float(one.measures.idle_usd))} of {words.usd(total)}"
        share = float(one.measures.idle_usd) / total
        yield OtherNumber("idle_share", key, f"Idle: {title}", share, "share of the bills", how)


def _billed_usd(one: EvaluatedOption) -> float:
    """All bills, before tax, with nothing set against them that hours sold on bring."""
    ledger = one.option.ledger
    return float(one.measures.bills_usd) - sum(float(ledger.part_usd(part)) for part in ("income", "tax"))


def _shares(owner: EvaluatedOption, parts: OwnedCostSplit) -> Iterator[OtherNumber]:
    """What one's own machines cost by what it is for, and what is rented beside them."""
    title, key = owner.option.title, owner.option.key
    people = words.percent(parts.people_usd / parts.owned_usd)
    told = (
        "less what it fetches in the end",
        "at the meter, working and idle",
        f"people alone {people}; the largest line of the rest is {parts.most_of_rest.lower() or 'none'}",
    )
    for (name, usd), what in zip(parts.by_name.items(), told, strict=True):
        how = f"{words.usd(usd)}, {what}; usually quoted: {words.percent(USUAL_SHARES[name])}"
        label, column = f"{name.capitalize()}: {title}", f"{name.replace(' ', '_')}_share"
        yield OtherNumber(column, key, label, parts.shares[name], _SHARE, how)
    if parts.rented_usd > 0:
        how = "until the machines come, above what they can do, after they are sold: no part of the shares"
        yield OtherNumber("rented_beside_usd", key, f"Rented beside it: {title}", parts.rented_usd, _USD, how)


def _cost_split_text(owner: EvaluatedOption, parts: OwnedCostSplit) -> str:
    """The usual split, and in which part this plan's differs most, with the sums that make it so."""
    usual = "/".join(f"{share * 100:.0f}" for share in USUAL_SHARES.values())
    ours = "/".join(f"{share * 100:.0f}" for share in parts.shares.values())
    name = max(USUAL_SHARES, key=lambda one: abs(parts.shares[one] - USUAL_SHARES[one]))
    count = max(owner.option.accelerators, 1.0)
    hardware, power, rest = (words.usd(usd / count) for usd in parts.by_name.values())
    all_in = any(used.name == "running_usd_per_month" for line in owner.option.ledger.lines for used in line.used)
    apart = " Your sum for running it holds power and people, which cannot be told apart." if all_in else ""
    return (
        f"What own machines cost is usually split {usual} into hardware, power with cooling, and people with the rest: "
        f"a rule of thumb without a source that could be cited. Here it is {ours}; it differs most in {name}, "
        f"{words.percent(parts.shares[name])} instead of {words.percent(USUAL_SHARES[name])}, since over this plan a "
        f"GPU costs {hardware} less what it fetches, {power} for power and {rest} for the rest.{apart}"
    )
