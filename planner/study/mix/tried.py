"""Mixes that are tried where none is looked for, so that a page can say by how much each costs more."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.money.plan import Plan
from planner.money.sizing import server_size
from planner.scenario.rent import Mix
from planner.study.mix.best_mix import MOST_MIXED
from planner.study.mix.search import MixSearch

_PARTS = (0.25, 0.5, 0.75)  # of all that is wanted at once


@dataclass(frozen=True)
class Tried:
    """A mix, and what the plan then comes to by its ledger, with what nobody publishes at its dearest."""

    mix: Mix
    usd: float


def tried(plan: Plan) -> tuple[Tried, ...]:
    """A quarter, a half and three quarters owned in whole servers, or reserved, and the rest rented; cheapest first.

    None where nothing is priced, and where the work wants one accelerator: there is nothing to divide.
    """
    setting = plan.setting
    if not plan.options or setting.demand.all.most_accelerators > MOST_MIXED:
        return ()
    search, server = MixSearch(setting), server_size(setting)
    most = search.most
    owned = {math.ceil(most * part / server) * server for part in _PARTS}
    held = {math.ceil(most * part) for part in _PARTS}
    mixes = [Mix(own_accelerators=size) for size in owned if size < most]
    mixes += [Mix(reserve_accelerators=size) for size in held if size < most]
    found = (Tried(one, search.at_most_usd(one)) for one in mixes)
    return tuple(sorted((one for one in found if math.isfinite(one.usd)), key=lambda one: one.usd))
