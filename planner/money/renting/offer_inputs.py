"""The inputs of a bill: what the plan asks for, and what its offers charge; your own terms win over theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import Need
from planner.money.formula import Num
from planner.money.input_sheet import Basis
from planner.money.ledger import CONVENTION, YOUR_INPUT, Origin, Used
from planner.money.origin import judged, origin
from planner.money.renting.rent_levels import column, price_set_after_months
from planner.money.setting import Setting
from planner.money.timeline import PLAN
from planner.scenario.base import SECONDS_PER_HOUR
from planner.scenario.rent import Rent
from pricing import Catalogue, Figure
from pricing.records import Offer, Provider

GB_PER_TB = 1_000.0

# Months a customer is bound for. A capacity block is booked by the day; the rest can be ended at any time.
TERM_MONTHS: dict[str, float] = {
    "on_demand": 0.0,
    "spot": 0.0,
    "capacity_block": 12 / 365,
    "reserved_1m": 1.0,
    "reserved_3m": 3.0,
    "reserved_6m": 6.0,
    "reserved_1y": 12.0,
    "reserved_2y": 24.0,
    "reserved_3y": 36.0,
}
SET_AFTER = "price_set_after_months"
OFFER = Origin("the offer itself", "spec")

_HOURLY = judged("no billing increment is published; whole hours assumed")
_NO_MINIMUM = judged("no minimum is published; one machine assumed")
_NO_FREE = judged("no free allowance is published; none assumed")
_UNKNOWN = judged("not published: not priced")


@dataclass(frozen=True)
class _Asked:
    """One number of an offer or its provider: its name here, whose it is, and what stands in where it is not told."""

    name: str
    unit: str
    figure: Callable[[Offer, Provider], Figure | None]
    otherwise: float
    why: Origin


_ASKED = (
    _Asked(
        "usd_per_accelerator_hour",
        "USD/accelerator-hour",
        lambda offer, _: offer.usd_per_accelerator_hour,
        np.nan,
        _UNKNOWN,
    ),
    _Asked("minimum_accelerators", "accelerators", lambda _, who: who.minimum_accelerators, 1.0, _NO_MINIMUM),
    _Asked("billing_increment_s", "seconds", lambda _, who: who.billing_increment_s, SECONDS_PER_HOUR, _HOURLY),
    _Asked(
        "usd_per_gb_month_of_disk", "USD/GB-month", lambda _, who: who.block_storage_usd_per_gb_month, np.nan, _UNKNOWN
    ),
    _Asked("usd_per_gb_of_egress", "USD/GB", lambda _, who: who.egress_usd_per_gb, np.nan, _UNKNOWN),
    _Asked("free_egress_gb_per_month", "GB a month", lambda _, who: who.free_egress_gb_per_month, 0.0, _NO_FREE),
)


def say_need(basis: Basis, setting: Setting, need: Need) -> None:
    """What the plan asks for."""
    basis.say("accelerators", need.accelerators, "accelerators", YOUR_INPUT)
    basis.say("busy_share", need.busy_share, "share of hours", YOUR_INPUT)
    basis.say("months", need.months, "months", YOUR_INPUT)
    basis.say("hours_per_month", need.hours_per_month, "hours", CONVENTION)
    basis.say("session_hours", need.hours_per_session, "hours", YOUR_INPUT)
    basis.say("storage_gb", need.storage_tb * GB_PER_TB, "GB", YOUR_INPUT)
    basis.say("egress_gb_per_month", need.egress_tb_per_month * GB_PER_TB, "GB a month", YOUR_INPUT)
    basis.flags(setting.timeline.flags)


def say_offers(
    basis: Basis, setting: Setting, keys: tuple[str, ...], yours: Rent, term_months: float | None = None
) -> NDArray[np.float64]:
    """The offers' own numbers: one entry for each of several offers, plain numbers for one; yours win.

    Gives back when the price of each month was set.
    """
    basis.used.update(_said(setting, keys, yours, term_months))
    return np.asarray(basis.used[SET_AFTER].value)


@lru_cache(maxsize=32)
def _said(setting: Setting, keys: tuple[str, ...], yours: Rent, term_months: float | None) -> Mapping[str, Used]:
    """The same for every layer that is rented there."""
    basis = setting.basis()
    offers = [setting.catalogue.offers[key] for key in keys]
    for asked in _ASKED:
        _say_asked(basis, setting.catalogue, offers, asked, getattr(yours, asked.name, None))
    if yours.accelerators_per_machine is None:
        machine = [float(offer.accelerators_per_instance) for offer in offers] or [1.0]
        basis.say("accelerators_per_machine", column(machine), "accelerators", OFFER)
    else:
        basis.say("accelerators_per_machine", float(yours.accelerators_per_machine), "accelerators", YOUR_INPUT)
    _say_term(basis, setting, offers, term_months)
    return basis.used


def _say_asked(basis: Basis, catalogue: Catalogue, offers: list[Offer], asked: _Asked, own: Num | None) -> None:
    if own is not None:
        basis.say(asked.name, own, asked.unit, YOUR_INPUT)
        return
    figures = [asked.figure(offer, catalogue.providers[offer.provider]) for offer in offers]
    values = [asked.otherwise if figure is None else figure.newest.typical for figure in figures] or [asked.otherwise]
    basis.say(asked.name, column(values), asked.unit, asked.why)
    if basis.used[asked.name].origin is asked.why and figures:
        origins = _origins(catalogue, figures, asked.why)
        only = origins(0) if len(figures) == 1 else origins
        basis.used[asked.name] = replace(basis.used[asked.name], origin=only)


def _say_term(basis: Basis, setting: Setting, offers: list[Offer], yours: float | None) -> None:
    term = [TERM_MONTHS[offer.purchase] for offer in offers] or [0.0]
    where = OFFER
    if yours is not None:
        term, where = [yours], YOUR_INPUT
    basis.say("term_months", column(term), "months", where)
    basis.say("bills_idle", column([float(months > 0) for months in term]), "1 or 0", where)
    basis.say(SET_AFTER, price_set_after_months(term, setting.timeline.last), "months", PLAN)


def _origins(catalogue: Catalogue, figures: list[Figure | None], why: Origin) -> Callable[[int], Origin]:
    def of_one(index: int) -> Origin:
        figure = figures[index]
        return why if figure is None else origin(catalogue, figure)

    return of_one
