"""Which offer a plan would take when nobody chose one: the cheapest whole bill at a price that can be believed."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

import numpy as np

from planner.inputs.need import Need
from planner.money.rented import Bills, bills
from pricing import Catalogue
from pricing.query import Wish, find, may_be_cheapest

# Spot is left out until the work lost to interruptions is priced.
USUAL_PURCHASES = frozenset(
    {
        "on_demand",
        "reserved_1m",
        "reserved_3m",
        "reserved_6m",
        "reserved_1y",
        "reserved_2y",
        "reserved_3y",
        "capacity_block",
    }
)
USUAL_AGE_DAYS = 365


class Choice(NamedTuple):
    """The place of an offer among some bills, whether its price is recent, and how many lower ones were passed over."""

    at: int
    believed: bool
    passed_over: int


def usual_wish(accelerator: str) -> Wish:
    """What somebody sees who has not touched a filter."""
    return Wish(accelerators=frozenset({accelerator}), purchases=USUAL_PURCHASES, max_age_days=USUAL_AGE_DAYS)


def choose(catalogue: Catalogue, among: Bills, day: date) -> Choice | None:
    """The cheapest bill whose price was looked at this month; failing that the cheapest. None where none has one."""
    priced = among.rank[: int(np.isfinite(among.total_usd).sum())].tolist()  # what has no price comes last
    if not priced:
        return None
    for place, index in enumerate(priced):
        if may_be_cheapest(catalogue.offers[among.offers[index]], day):
            return Choice(index, True, place)
    return Choice(priced[0], False, 0)


def usual_offer(catalogue: Catalogue, need: Need, day: date, rent_change_per_year: float) -> str | None:
    """The offer a plan rents from unless told otherwise."""
    ids = find(catalogue, usual_wish(need.accelerator), day).ids
    among = bills(catalogue, need, ids, rent_change_per_year)
    chosen = choose(catalogue, among, day)
    return None if chosen is None else among.offers[chosen.at]
