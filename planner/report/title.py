"""The verdict as a title.

The orders of a fleet in words and as a table: how many, when, what is paid, what is there then.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.owned_fleet import DeliveredOrder, owned_fleet, purchase_orders
from planner.money.owning.resale import existing_hardware
from planner.money.selling import is_resale_only
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.verdict.decision import CLOSE_GAP, PROBABLE, gap_share, group
from planner.money.verdict.shares import Group, certainty_of
from planner.money.ways import WAYS
from planner.report import words
from planner.report.table import Table
from planner.scenario.own import PurchaseOrder

_NAMED = 3  # orders that a sentence names; of more, the first ones and the rest together

USD_PAID, USD_FETCHED = "Machines, USD", "Fetch at the end, USD"


@dataclass(frozen=True, eq=False)
class FleetReport:
    """The machines of an option month by month, beside the demand."""

    way: EvaluatedOption
    orders: tuple[DeliveredOrder, ...]
    wanted: NDArray[np.float64]  # by month: the most at once
    busy: NDArray[np.float64]  # by month: on average
    owned: NDArray[np.float64]  # by month: that are there, on average over the month

    @property
    def rows(self) -> Table:
        """The orders, the first one first."""
        return Table.of(
            {
                "Ordered": f"month {month}" if (month := order.ordered_after_months) else "today",
                "GPUs": order.accelerators,
                "What": order.what,
                "Spare boards": order.spare_accelerators,
                "There after, months": order.there_after_months,
                "GPUs then": order.fleet_accelerators,
                USD_PAID: order.usd,
                USD_FETCHED: order.resale_usd,
            }
            for order in self.orders
        )

    @property
    def finding(self) -> str:
        """Return the chart in a sentence."""
        name = WAYS[self.way.option.way].name
        most, last = f"{np.max(self.wanted):,.0f}", self.orders[-1]
        first = f"the work wants up to {float(self.wanted[1]):,.0f} GPUs in month 1 and {most} at the most"
        planned = _listed([(order.accelerators, order.ordered_after_months) for order in self.orders])
        return f"{name}: {planned}, {last.fleet_accelerators:,} in all; {first}."


def fleet_timeline(answer: Answer) -> FleetReport | None:
    """The fleet of the option that stands for owning, the answer's own first; None where nothing is bought."""
    ways = (answer.best, *(answer.pair or ()), answer.own)
    setting = answer.plan.setting
    for way in ways:
        fleet = None if way is None else owned_fleet(setting, way.option)
        if way is None or fleet is None or not fleet.comes:
            continue
        demand, months = setting.demand, setting.timeline.month.shape
        return FleetReport(
            way=way,
            orders=purchase_orders(setting, way.option),
            wanted=np.broadcast_to(demand.peak + demand.waiting_at_once, months),
            busy=np.broadcast_to(demand.all_hours / demand.plain.hours_per_month, months),
            owned=np.broadcast_to(fleet.stages.machines, months),
        )
    return None


def order_schedule_text(orders: Sequence[PurchaseOrder]) -> str:
    """The orders of a plan: 16 today, 8 in month 18 and 18 more by month 48."""
    return _listed([(order.accelerators, order.month) for order in orders])


def _listed(orders: Sequence[tuple[int, int]]) -> str:
    named = orders if len(orders) <= _NAMED else orders[: _NAMED - 1]
    parts = [f"{many:,} {'today' if month == 0 else f'in month {month}'}" for many, month in named]
    rest = orders[len(named) :]
    if rest:
        parts.append(f"{sum(many for many, _ in rest):,} more by month {rest[-1][1]}")
    return words.listed(parts)


_GROUPS: dict[Group, str] = {
    "own": "Own", "rent": "Rent", "hosted": "Use a hosted model", "now": "Keep what you pay now"
}  # fmt: skip
GERUNDS: dict[Group, str] = {"own": "owning", "rent": "renting", "hosted": "a hosted model", "now": "what you pay now"}
_BOUGHT = {"own", "loan"}
_NOT = "Do not buy to sell: it does not pay"


def title(answer: Answer) -> str:
    """Return the verdict in as few words as possible; that all of it is over the budget first."""
    usd, current = answer.plan.setting.terms.budget_usd, current_option(answer)
    ways = [way for way in answer.cards.values() if way is not current]
    if usd is None or not ways or any(way.measures.peak.bills_usd <= usd for way in ways):
        return _verdict_text(answer)
    return f"Over your {words.usd(usd)}. {_verdict_text(answer)}"


def _verdict_text(answer: Answer) -> str:
    if (selling := selling_title(answer)) is not None:
        return selling
    if _is_buying_alone(answer):
        return "Only buying can be priced."
    if answer.verdict == "close":
        return _tie_title(answer)
    if answer.best is None:
        is_sold_out = "on_demand" in answer.plan.setting.offers.lacks
        return "Not available as requested." if is_sold_out else "Not enough to answer yet."
    if answer.limit is not None and answer.limit.is_unavoidable:
        limited = "what you can pay" if answer.limit.unit == "USD" else "your limit on emissions"
        return f"Nothing keeps to {limited}: {answer.limit.message}."
    lead = None if answer.shares is None or answer.limit else answer.shares.lead
    advice = _advice_text(answer, answer.best) if lead is None else _group_text(answer, lead, with_alternatives=True)
    if answer.verdict in PROBABLE:
        advice = f"Probably {words.lower_first(advice)}"
    if (current := current_option(answer)) is not None and current is not answer.best:
        advice = f"{advice}, not {current_name(answer, current)}"
    return f"{advice}." if answer.limit is None else f"{advice}: {answer.limit.message}."


def _is_buying_alone(answer: Answer) -> bool:
    """Return whether the plan wants both and only owning has a price: then nobody knows which is cheaper.

    Renting alone is an answer: whatever keeps owning out, such as machines that come too late, stands beside it.
    """
    setting = answer.plan.setting
    is_named = setting.scenario.ways or answer.limit is not None or "on_demand" in setting.offers.lacks
    is_owning = {group(way.option) for way in answer.ranked} == {"own"}
    lacks_rent = any(WAYS[absent.way].side == "rent" for absent in answer.left_out)
    return is_owning and lacks_rent and not is_named and current_option(answer) is None


def current_option(answer: Answer) -> EvaluatedOption | None:
    """Return what is paid now, where it is an option."""
    return next((way for way in answer.ranked if WAYS[way.option.way].is_current), None)


def current_name(answer: Answer, way: EvaluatedOption) -> str:
    """Return how one calls what one pays or has now."""
    kept = existing_hardware(answer.plan.setting)
    return f"the {kept.label} you have" if way.option.way == "keep" and kept is not None else way.option.what


def costs_alike(first: EvaluatedOption, other: EvaluatedOption) -> bool:
    """Return whether the medians of two options, for the same work, are within a twentieth of the lower one."""
    low, high = sorted(way.present_usd / way.option.work_share for way in (first, other))
    return gap_share(low, high) <= CLOSE_GAP


def _group_text(answer: Answer, group: Group, *, with_alternatives: bool = False) -> str:
    """Return the action of the option that stands for a group; of two that share its lead the group, and both."""
    first, *others = answer.named(group)
    if not others:
        return _advice_text(answer, first)
    if not with_alternatives:
        return _GROUPS[group]
    is_alike = costs_alike(first, others[0])
    if {WAYS[way.option.way].side for way in (first, *others)} >= {"mix", "own"}:
        peaks = "; renting the peaks instead of owning for them costs about the same"
        return f"{_GROUPS[group]}{peaks if is_alike else ', with or without renting the peaks'}"
    specs = [WAYS[way.option.way] for way in (first, *others)]
    if {spec.key for spec in specs} == _BOUGHT:  # with cash or on credit
        return _advice_text(answer, min((first, *others), key=lambda way: WAYS[way.option.way].place))
    if group == "rent":  # renting is what both do
        both = " or ".join(spec.purchase_text for spec in specs)
        return f"{_GROUPS[group]}; {both} costs about the same" if is_alike else f"{_GROUPS[group]}, {both}"
    both = " or ".join(spec.start_text for spec in specs)
    return f"{_GROUPS[group]}; {both} cost about the same" if is_alike else f"{_GROUPS[group]}, by {both}"


def _advice_text(answer: Answer, way: EvaluatedOption) -> str:
    """Return the action that an option stands for; a mix, and fewer than the scenario says, state the number."""
    if answer.requested is not None and way.option.way == "own" and way is not answer.requested:
        return f"Buy {way.option.accelerators:,.0f}, not {answer.requested.option.accelerators:,.0f}"
    spec = WAYS[way.option.way]
    is_named = spec.side == "mix" or (spec.is_current and spec.is_billed_by_token)
    return way.option.title if is_named else spec.verdict_text


def _tie_title(answer: Answer) -> str:
    """Return the title of a tie: the two groups with most futures, and how they differ; of one group, two options."""
    shares = answer.shares
    if shares is not None and shares.second is not None:
        texts = [_group_text(answer, shares.lead), _group_text(answer, shares.second)]
    else:
        tied = [way for way in (answer.best, answer.against) if way is not None]
        texts = [_advice_text(answer, way) for way in tied]
        specs = sorted((WAYS[way.option.way] for way in tied), key=lambda spec: spec.place)
        if len(specs) == 2 and all(spec.rents_machines for spec in specs):
            return f"Rent {specs[0].purchase_text} or {specs[1].purchase_text}: {_difference_text(answer)}."
    if len(texts) < 2:
        return "Too close to call."
    first, other = sorted(texts, key=lambda text: len(text.split()))
    comma = "," if len(other.split()) > 2 or "," in first else ""
    return f"{first}{comma} or {words.lower_first(other)}: {_difference_text(answer)}."


def tied_options(answer: Answer) -> tuple[EvaluatedOption, ...]:
    """Return the option with the lowest median of each group of a tie, the leading group first; of one group, both."""
    shares = answer.shares
    if shares is None or shares.second is None:
        return tuple(way for way in (answer.best, answer.against) if way is not None)
    within = [way for way in answer.ranked if way.option.key in shares.share]
    return tuple(next(way for way in within if group(way.option) == each) for each in (shares.lead, shares.second))


def _difference_text(answer: Answer) -> str:
    """Return "about the same" only where both medians are; else in how many futures the first is the cheapest."""
    lead, other = tied_options(answer)
    if answer.shares is None or answer.share_cheaper is None or costs_alike(lead, other):
        return "about the same"
    names = [WAYS[way.option.way].start_text for way in (lead, other)]
    if answer.shares.second is not None:
        groups = zip((lead, other), (answer.shares.lead, answer.shares.second), strict=True)
        names = ["keeping" if way.option.way == "keep" else GERUNDS[each] for way, each in groups]
    is_lower = lead.present_usd / lead.option.work_share <= other.present_usd / other.option.work_share
    middle = "" if is_lower else f", {names[1]} in the median"
    if certainty_of(answer.share_cheaper, is_plain_allowed=True) != "close":  # the verdict of one seller is no more
        middle = ", on the price of one seller"
    return f"{names[0]} is cheapest in {words.format_futures_share(answer.share_cheaper)}{middle}"


def hour_selling_option(answer: Answer) -> EvaluatedOption | None:
    """Return the owning option if its hours are sold and it does hardly any work of one's own; else None.

    The buyer of such machines does not ask "rent or buy?" but whether to buy at all.
    """
    own = answer.best if answer.best and WAYS[answer.best.option.way].owns else answer.own
    return own if own is not None and is_resale_only(answer.plan.setting, own.option.accelerators) else None


def profitable_share(answer: Answer) -> float | None:
    """Return the share of futures in which owning is the cheapest, where renting costs a seller next to nothing.

    None where the comparison was not with renting.
    """
    groups = {} if answer.shares is None else answer.shares.group_share
    return groups.get("own") if "rent" in groups else None


def selling_title(answer: Answer) -> str | None:
    """Return the verdict for a buyer who only sells; None for all others."""
    own = hour_selling_option(answer)
    if own is None or answer.best is None or answer.limit is not None:
        return None
    pays = f"{WAYS[own.option.way].verdict_text} and sell the hours: it pays"
    if profitable_share(answer) is None:  # only owning was compared; not buying costs nothing
        return f"{pays}." if own.present_usd < 0 else f"{_NOT}."
    if answer.verdict == "close":
        return "Too close to call: the sold hours about pay for the machines."
    if answer.best is not own and own.present_usd < 0:
        return None  # it pays, and another option pays better
    advice = pays if answer.best is own else _NOT
    return f"Probably {words.lower_first(advice)}." if answer.verdict in PROBABLE else f"{advice}."
