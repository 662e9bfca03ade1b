"""The decision between options, read from the table of shares, within limits on money and emissions.

Whether to own anything at all comes first, which option of the leading group second. Where no futures were drawn, as
in a sweep without verdicts, the inputs as entered count as the only one, and no word is plain.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from planner.money.option import Option
from planner.money.setting import PlanContext
from planner.money.verdict.contender import CashLimits, ComparedOption, LimitBreach
from planner.money.verdict.shares import (
    TIE,
    Candidate,
    Group,
    SimulatedCosts,
    VerdictShares,
    certainty_of,
    verdict_shares,
)
from planner.money.ways import WAYS, Side
from pricing.query import servers_with

# Below this share of the lower cost two options cost the same, where no futures were drawn.
CLOSE_GAP = 0.05
# Independent prices for a plain word: two on each side. Of three sellers two are left without any one of them.
_PLAIN_PRICES: dict[Group, float] = {"rent": 3}
_NO_PRICES: Mapping[Group, float] = {}

Verdict = Literal[
    "own", "probably own", "close", "probably rent", "rent", "mix", "probably mix", "limited", "keep", "probably keep",
    "incomplete",
]  # fmt: skip
_PROBABLY: dict[Side, Verdict] = {
    "own": "probably own", "rent": "probably rent", "keep": "probably keep", "mix": "probably mix"
}  # fmt: skip
PROBABLE = frozenset(_PROBABLY.values())


def independent_prices(setting: PlanContext) -> dict[Group, float]:
    """Return how many independent prices a group rests on, where they are counted: a price of yours is enough.

    Where the market likely lacks the whole order, what is owned has no rival: one more seller would be one.
    """
    scenario, offers, own = setting.scenario, setting.offers, setting.scenario.own
    sellers = [market.band.effective_sellers for market in offers.market]
    if not sellers and offers.prices is not None:
        sellers = offers.prices.sellers.tolist()
    numbers: dict[Group, float] = {}
    if scenario.rent.usd_per_accelerator_hour is None:
        numbers["rent"] = max(sellers, default=0)
    chip = setting.catalogue.accelerators.get(scenario.accelerator)
    sold = (chip, *servers_with(setting.catalogue, scenario.accelerator))
    figures = [each.price_usd for each in sold if each is not None and each.price_usd is not None]
    is_typed = any(usd is not None for usd in (own.usd_per_accelerator, own.usd_per_server, own.capex_usd))
    lacks_rival = bool(offers.market) and all(market.offer is None for market in offers.market)
    if lacks_rival or (not is_typed and len(figures) < 2 and all(figure.newest.low is None for figure in figures)):
        numbers["own"] = 1.0
    return numbers


@dataclass(frozen=True)
class Decision:
    """The verdict, and the options that it rests on."""

    verdict: Verdict
    best: ComparedOption | None
    gap_share: float | None = None
    limit: LimitBreach | None = None
    second: ComparedOption | None = None
    ranked: tuple[ComparedOption, ...] = ()  # lowest median first
    own: ComparedOption | None = None
    rent: ComparedOption | None = None
    pair: tuple[ComparedOption, ComparedOption] | None = None  # shown beside each other
    left_out: tuple[ComparedOption, ...] = ()  # that might be the cheapest, but for a part that nobody anywhere prices
    shares: VerdictShares | None = None
    share: float | None = None  # that the word rests on: of the leading group; of its first option where it is alone
    alternatives: tuple[ComparedOption, ...] = ()  # of the leading group, beside `best`

    @property
    def missing(self) -> tuple[str, ...]:
        """Lines without a price: those of options that are left out, and of options that are shown all the same."""
        shown = dict.fromkeys(
            option for option in (*self.left_out, self.best, *(self.pair or ())) if option is not None
        )
        return tuple(
            f"{compared.option.title}: no price for {name.lower()}"
            for compared in shown
            for name in compared.option.ledger.unpriced
        )


def decide(
    options: Iterable[ComparedOption], limits: CashLimits, *, chosen: bool = False,
    simulated: SimulatedCosts | None = None, prices: Mapping[Group, float] = _NO_PRICES,
) -> Decision:  # fmt: skip
    """Return the verdict of some options, none of them with several draws, within limits on money.

    `chosen` where somebody named the options: buying and leasing, say, are then a question of their own. Options that
    might win only because nobody prices a part of them are left out. One that cannot win even with that part at zero
    stays: it blocks nothing.
    """
    median = partial(_median_usd, simulated)
    ranked = sorted(options, key=lambda compared: (median(compared), compared.option.key))
    priced_usd = (option.present_usd for option in ranked if not option.unpriced_inputs and option.side != "mix")
    least = min(priced_usd, default=-np.inf)
    left_out = tuple(option for option in ranked if option.unpriced_inputs and option.present_usd < least)
    known = [option for option in ranked if option not in left_out]
    priced = [compared for compared in known if not compared.option.is_beside] or known
    rule = partial(_verdict, simulated=simulated, chosen=chosen, prices=prices)
    decision = _verdict_within_limits(priced, limits, rule)
    by_group = {group(compared.option): compared for compared in reversed(priced)}  # the lowest median of each
    cards = [by_group[lead] for lead in decision.shares.group_share] if decision.shares else []
    others = priced if decision.best and _is_question(decision.best, chosen) else ()
    shown = (*cards, *priced) if len(by_group) > 1 else (decision.best, decision.second, *others)
    if decision.limit is not None and decision.best is not None:  # the lowest median of its group may break the limit
        by_group[group(decision.best.option)] = decision.best
        shown = (decision.best, decision.second, *shown)
    current = [compared for compared in priced if WAYS[compared.option.way].is_current]
    if current and decision.best is not None:  # beside what is paid now, always
        shown = (decision.best, *current, *shown)
    two = list(dict.fromkeys(compared for compared in shown if compared is not None))[:2]
    two.sort(key=lambda compared: (-WAYS[compared.option.way].commitment_rank, WAYS[compared.option.way].place))
    return replace(
        decision,
        ranked=tuple(ranked),
        own=by_group.get("own"),
        rent=by_group.get("rent") or by_group.get("hosted"),
        pair=(two[0], two[1]) if len(two) == 2 else None,
        left_out=left_out,
    )


def decide_rows(rows: Sequence[Sequence[ComparedOption]], terms: Sequence[tuple[CashLimits, bool]]) -> list[Decision]:
    """Return the decision of each row, from its limits and whether its options were chosen.

    Rows whose options stand in the same order with the same ties share one, of which only the keys of its options hold
    for all of them. A row with a limit, or with an option that nobody prices wholly, is decided by itself.
    """
    usd, cash = (
        np.array([[getattr(option, name) for option in row] for row in rows]) for name in ("present_usd", "today_usd")
    )
    usd, cash = usd / [option.option.work_share for option in rows[0]], np.round(cash, 2)
    orders = [np.sign(each[:, :, None] - each[:, None]) for each in (usd, cash)]
    ties = usd[:, :, None] <= usd[:, None] + TIE * np.abs(usd[:, None])
    alike = np.concatenate([*orders, ties], axis=1).astype(np.int8)
    known: dict[object, Decision] = {}
    keys = list[object]()
    for number, (row, (limits, chosen)) in enumerate(zip(rows, terms, strict=True)):
        is_alone = limits != CashLimits() or any(option.unpriced_inputs for option in row)
        keys.append(number if is_alone else (alike[number].tobytes(), chosen))
        if keys[-1] not in known:
            known[keys[-1]] = decide(row, limits, chosen=chosen)
    return [known[key] for key in keys]


def _is_question(best: ComparedOption, chosen: bool) -> bool:
    """Tell if the options of one group alone are a question: how to pay for machines is none beside whether to buy."""
    return chosen or best.side != "own"


def group(option: Option) -> Group:
    """Return whether an option owns anything at all, rents, pays for a hosted model, or is what is paid now."""
    spec = WAYS[option.way]
    if spec.is_current and spec.is_billed_by_token:
        return "now"
    if spec.is_billed_by_token:
        return "hosted"
    owns = spec.owns or any(line.part == "hardware" for line in option.ledger.lines)
    return "own" if owns else "rent"


def candidate(option: Option) -> Candidate:
    """Return an option as the table of shares knows it."""
    spec = WAYS[option.way]
    return Candidate(option.key, group(option), spec.commitment_rank, spec.side == "mix", option.work_share)


def _median_usd(simulated: SimulatedCosts | None, compared: ComparedOption) -> float:
    """Return the median of an option's futures for all work; the cost as entered where none was simulated. [USD]"""
    band = simulated.bands.get(compared.option.key) if simulated else None
    return (compared.present_usd if band is None else band[1]) / compared.option.work_share


def _verdict_within_limits(
    options: list[ComparedOption], limits: CashLimits, rule: Callable[[list[ComparedOption]], Decision]
) -> Decision:
    """Return the verdict; where the leading option breaks a limit, of the options that do not."""
    free = rule(options)
    limit = None if free.best is None else limits.first_breach(free.best)
    if free.best is None or limit is None:
        return free
    affordable = [compared for compared in options if limits.first_breach(compared) is None]
    if not affordable:
        least, limit = limits.smallest_breach(options)
        return replace(free, verdict="limited", best=least, limit=limit, second=None)
    within = rule(affordable)
    if within.best is not None and within.best.side == free.best.side and within.second is not None:
        return replace(within, limit=limit)
    return replace(free, verdict="limited", best=within.best, limit=limit, second=None)


def _verdict(
    options: list[ComparedOption], simulated: SimulatedCosts | None, chosen: bool, prices: Mapping[Group, float]
) -> Decision:
    """Read the verdict from the table of shares; of options that somebody chose in one group, from their own shares."""
    known = [each for each in options if simulated is None or each.option.key in simulated.present_usd]
    if not known:
        return Decision("incomplete", None)
    present, cash = _costs(known, simulated)
    shares = verdict_shares([candidate(each.option) for each in known], present, cash)
    by_key = {each.option.key: each for each in known}
    best, *alternatives = (by_key[key] for key in shares.named(shares.lead))
    share, others = shares.lead_share, [each for each in known if group(each.option) == shares.second]
    if shares.second is None and _is_question(best, chosen):
        if chosen:
            best, alternatives = by_key[max(shares.share, key=lambda key: shares.share[key])], []
        share, others = shares.share[best.option.key], [each for each in known if each.option.way != best.option.way]
    second = min(others, key=partial(_median_usd, simulated), default=None)
    gap = None if second is None else _gap(best, second, simulated)
    is_plain_allowed = all(prices.get(each, np.inf) >= _PLAIN_PRICES.get(each, 2) for each in shares.group_share)
    if simulated is not None or second is None or gap is None:
        # Of one group alone nobody needs to choose a group: which of its options is the second question.
        is_chosen = chosen or shares.second is not None
        certainty = certainty_of(share if is_chosen else shares.lead_share, is_plain_allowed)
        if shares.lead == "rent" and shares.second == "own" and prices.get("rent", np.inf) < 2:
            certainty = "close"  # without that one seller owning would lead
    else:  # one future only: the ranges of both tell how sure it is
        is_sure = best.side == "keep" or best.high_usd < second.low_usd
        certainty = "close" if gap < CLOSE_GAP else "plain" if is_sure else "probably"
    word: Verdict = {"close": "close", "plain": best.side, "probably": _PROBABLY.get(best.side, best.side)}[certainty]
    counted = None if len(known) == 1 else share
    return Decision(word, best, gap, None, second, shares=shares, share=counted, alternatives=tuple(alternatives))


def _costs(options: list[ComparedOption], simulated: SimulatedCosts | None) -> tuple[NDArray[np.float64], ...]:
    """Return present cost and cash on day one, options x futures. [USD]"""
    if simulated is None:
        return np.array([[each.present_usd] for each in options]), np.array([[each.today_usd] for each in options])
    keys = [each.option.key for each in options]
    return np.array([simulated.present_usd[key] for key in keys]), np.array([simulated.cash_usd[key] for key in keys])


def _gap(first: ComparedOption, second: ComparedOption, simulated: SimulatedCosts | None) -> float:
    """Return by how much the second costs more, in the median of the futures, as a share of the first."""
    if simulated is None:
        return gap_share(_median_usd(None, first), _median_usd(None, second))
    usd, other = (simulated.present_usd[each.option.key] / each.option.work_share for each in (first, second))
    cost = _median_usd(simulated, first)
    return gap_share(cost, cost + float(np.median(other - usd)))


def gap_share(low_usd: float, high_usd: float) -> float:
    """Return the gap of two costs as a share of the lower one, or of the larger amount where that is not positive."""
    return (high_usd - low_usd) / (low_usd if low_usd > 0 else max(abs(low_usd), abs(high_usd), 1e-9))
