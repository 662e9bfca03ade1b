"""Which terms can be reserved, what each costs; and the reservations that somebody has decided on, as tiers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.renting.offer_inputs import PRICE, TERM_MONTHS, add_offer_inputs, estimated_prices
from planner.money.renting.reservation import term_months, user_rent_terms
from planner.money.setting import PlanContext, Reservation, ReservationTier

Array = NDArray[np.float64]
YEAR_MONTHS = 12.0


@dataclass(frozen=True)
class ReservationTerm:
    """An offer, or your own price, for how long it binds, and whether a plan may begin with it."""

    offer: str | None
    seller: str
    months: int
    may_begin: bool


@dataclass(frozen=True, eq=False)
class TermPrices:
    """What each term costs: by the hour, in which machines, and for data."""

    usd: Array
    machine: Array
    minimum: Array
    usd_per_gb_month: Array
    usd_per_gb: Array
    free_gb: Array


def term_prices(setting: PlanContext, terms: Sequence[ReservationTerm]) -> TermPrices:
    keys = tuple(one.offer for one in terms if one.offer is not None)
    basis = setting.basis()
    add_offer_inputs(basis, setting, keys, user_rent_terms(setting), None if keys else float(terms[0].months))

    def column(name: str) -> Array:
        value = np.asarray(basis.used[name].value, dtype=np.float64).reshape(-1)
        return np.broadcast_to(value, len(terms))

    return TermPrices(
        column(PRICE),
        column("accelerators_per_machine"),
        column("minimum_accelerators"),
        np.nan_to_num(column("usd_per_gb_month_of_disk")),
        np.nan_to_num(column("usd_per_gb_of_egress")),
        column("free_egress_gb_per_month"),
    )


def reservation_terms(setting: PlanContext, keys: Sequence[str]) -> list[ReservationTerm]:
    """The terms that some offers bind for, the shortest first: of each seller, length and machine the cheapest.

    Of a price of yours, its own.
    """
    reserve, offers = setting.scenario.reserve, setting.catalogue.offers
    if reserve.usd_per_accelerator_hour is not None:
        lengths = [TERM_MONTHS[one.term] for one in reserve.orders]
        return [
            ReservationTerm(reserve.offer, "", int(one), True)
            for one in {user_term_months(setting): None, **dict.fromkeys(lengths)}
        ]
    usd = estimated_prices(setting, tuple(keys)).typical if keys else np.zeros(0)
    found: dict[tuple[str, int, int], tuple[float, str, ReservationTerm]] = {}
    for key, price in zip(keys, usd.tolist(), strict=True):
        offer = offers[key]
        named = key == reserve.offer
        months = int(user_term_months(setting) if named else TERM_MONTHS[offer.purchase])
        first = named if reserve.offer is not None else reserve.term in (None, offer.purchase)
        place = (offer.provider, months, offer.accelerators_per_instance)
        cost = (-np.inf if named else np.inf if np.isnan(price) else price, key)
        if place not in found or cost < found[place][:2]:
            found[place] = (*cost, ReservationTerm(key, offer.provider, months, first))
    return sorted((term for _, _, term in found.values()), key=lambda one: (one.months, one.seller, str(one.offer)))


def user_term_months(setting: PlanContext) -> float:
    """How long a reservation binds that you named or have a price for; a year where nobody says."""
    return term_months(setting, setting.scenario.reserve.offer) or YEAR_MONTHS


def ordered(setting: PlanContext, terms: Sequence[ReservationTerm]) -> tuple[ReservationTier, ...]:
    """The reservations that you have decided on, of the seller who has all of their terms for the least.

    Where no seller has all, each of whoever asks the least; none where one of them has no price.
    """
    orders = setting.scenario.reserve.orders
    if not orders or not terms:
        return ()
    usd = term_prices(setting, terms).usd
    by_cost = sorted(range(len(terms)), key=lambda n: (np.isnan(usd[n]), usd[n]))
    lengths = [int(TERM_MONTHS[one.term]) for one in orders]
    if not set(lengths) <= {one.months for one in terms}:
        return ()

    def taken(seller: str | None) -> list[int | None]:
        able = [n for n in by_cost if seller is None or terms[n].seller == seller]
        return [next((n for n in able if terms[n].months == length), None) for length in lengths]

    def costs(places: list[int | None]) -> float:
        parts = (one.accelerators * length * float(usd[n]) if n is not None else np.inf
                 for one, length, n in zip(orders, lengths, places, strict=True))  # fmt: skip
        return sum(parts)

    best = min((taken(who) for who in sorted({one.seller for one in terms})), key=costs)
    best = best if np.isfinite(costs(best)) else taken(None)
    return tuple(
        ReservationTier(
            (Reservation(terms[n or 0].offer, one.from_month - 1, float(length)),), one.accelerators, is_fixed=True
        )
        for one, length, n in zip(orders, lengths, best, strict=True)
    )
