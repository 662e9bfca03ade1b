"""Reserving: bound for a term, paid busy or idle, by the month or before each term; renewed at its end, or let go."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import Need
from planner.money.formula import formula
from planner.money.input_sheet import Basis
from planner.money.ledger import YOUR_INPUT, Line
from planner.money.rent_levels import say_path
from planner.money.renting.bill import BILLED, rent_lines, that_matter, with_support
from planner.money.renting.offer_inputs import TERM_MONTHS, say_need, say_offers
from planner.money.setting import Setting
from planner.money.timeline import PLAN, Timeline
from planner.scenario.rent import Rent, Reserve

LEASE_MONTHS = 12.0
PRICE = "usd_per_accelerator_hour"
LEASE = "may hold an embedded lease: ask accounting"
_NEARLY = 1e-9


@dataclass(frozen=True, eq=False)
class Reserved:
    """The lines of a reservation, and the share of each month in which it is over."""

    lines: tuple[Line, ...]
    after: NDArray[np.float64]
    warnings: tuple[str, ...]
    put: Basis  # what is reserved and how busy it is, by the month: for lines that rest on it


def term_months(setting: Setting, offer: str | None) -> float | None:
    """How long one is bound: as you say, else as the offer says; None where neither does."""
    yours = setting.scenario.reserve.term
    if yours is not None:
        return TERM_MONTHS[yours]
    return (TERM_MONTHS[setting.catalogue.offers[offer].purchase] or None) if offer is not None else None


def reserving(setting: Setting, need: Need, offer: str | None, term: float) -> Reserved:
    """A reservation of as many machines as each term needs at its busiest."""
    reserve, timeline = setting.scenario.reserve, setting.timeline
    expires = setting.reservation_ends == "expire"
    bound = bound_share(timeline, term) if expires else timeline.runs
    need = held(need, term)
    basis = setting.basis()
    say_need(basis, setting, need)
    basis.say("runs", bound, "share of each month", PLAN)
    if expires:
        basis.say("months", min(need.months, term), "months", YOUR_INPUT)
    own = your_terms(setting)
    yours = None if reserve.term is None and offer is not None else term
    set_after = say_offers(basis, setting, () if offer is None else (offer,), own, yours)
    by_month = basis.copy()
    if reserve.prepaid:
        set_after = _say_prepaid(basis, need, term, bound, set_after)
        _say_volume(basis, reserve)
        lines = rent_lines(basis, say_path(basis, setting, set_after), runs="paid_months", ends="last_paid")
    else:
        _say_volume(basis, reserve)
        lines = rent_lines(basis, say_path(basis, setting, set_after))
    return Reserved(
        lines=with_support(basis, that_matter(basis, lines), own.support_share),
        after=timeline.runs - bound,
        warnings=(f"bound for {term:g} months: {LEASE}",) if term >= LEASE_MONTHS else (),
        put=by_month,
    )


def _say_volume(basis: Basis, reserve: Reserve) -> None:
    """Your price for as many machines as are billed, where you have one for a volume; it holds for all of them."""
    if not reserve.volume:
        return
    many = np.asarray(formula(BILLED)({name: one.value for name, one in basis.used.items()}))
    usd = np.asarray(basis.used[PRICE].value, dtype=np.float64)
    for one in reserve.volume:
        usd = np.asarray(np.where(many >= one.from_accelerators - _NEARLY, one.usd_per_accelerator_hour, usd))
    first = usd.reshape(-1)[0]
    price = float(first) if usd.ndim <= 1 and bool(np.all(usd == first)) else usd
    basis.say(PRICE, price, "USD/accelerator-hour", YOUR_INPUT)


def your_terms(setting: Setting) -> Rent:
    """Your terms of renting, with the price of the reservation in place of the one on demand."""
    scenario = setting.scenario
    return scenario.rent.model_copy(
        update={"usd_per_accelerator_hour": scenario.reserve.usd_per_accelerator_hour, "billing_increment_s": None}
    )


def bound_share(timeline: Timeline, term: float) -> NDArray[np.float64]:
    """The share of each month that lies in the first term."""
    within = np.clip(term - (timeline.month - 1), 0.0, 1.0) * (timeline.month > 0)
    return np.asarray(np.minimum(timeline.runs, within))


def held(need: Need, term: float) -> Need:
    """The same work on machines that stay as many for a whole term: as many as its busiest month asks for."""
    if np.ndim(need.accelerators) == 0:
        return need
    months = need.timeline.last + 1
    asked = np.broadcast_to(need.accelerators, (*np.shape(need.accelerators)[:-1], months))
    number = _term_number(need.timeline, term)
    first = np.flatnonzero(np.diff(number, prepend=-1))
    most = np.maximum.reduceat(asked, first, axis=-1)[..., np.searchsorted(number[first], number)]
    busy = need.busy_share * asked / np.maximum(most, 1.0)
    return replace(need, accelerators=most, busy_share=busy)


def _term_number(timeline: Timeline, term: float) -> NDArray[np.intp]:
    """In which term each month begins: 0, 1, 2 ..."""
    return np.asarray(np.floor(np.maximum(timeline.month - 1, 0.0) / term + _NEARLY)).astype(np.intp)


def _say_prepaid(
    basis: Basis, need: Need, term: float, bound: NDArray[np.float64], set_after: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Say what is paid before each term: its months at once, in the month that ends where the term begins.

    Every input of the bill then stands in that month; gives back when its price was set.
    """
    timeline = need.timeline
    begins = _term_number(timeline, term) * term
    pays = np.floor(begins + _NEARLY) if term >= 1 else np.maximum(timeline.month - 1, 0.0)
    moved = np.equal(timeline.month, pays[:, None]) * bound[:, None]  # months x the months they are paid in
    paid = moved.sum(axis=0)
    basis.say("paid_months", paid, "months paid for then", PLAN)
    basis.say("last_paid", np.equal(timeline.month, pays[-1]).astype(np.float64), "1 when the last term is paid", PLAN)
    if np.ndim(need.busy_share) > 0 and np.shape(need.busy_share)[-1] > 1:
        basis.say("busy_share", need.busy_share @ moved / np.where(paid > 0, paid, 1.0), "share of hours", YOUR_INPUT)
    following = np.minimum(timeline.month + 1, timeline.last).astype(np.intp)
    if np.ndim(need.accelerators) > 0:
        basis.say("accelerators", np.asarray(need.accelerators)[..., following], "accelerators", YOUR_INPUT)
    set_then = set_after[..., following]
    basis.say("price_set_after_months", set_then, "months", PLAN)
    return np.asarray(set_then)
