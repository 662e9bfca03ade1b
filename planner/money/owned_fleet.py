"""The machines that a way owns, order by order: when each comes, what is paid for it, what it fetches."""

from dataclasses import dataclass

import numpy as np

from planner.money.ledger import Line
from planner.money.option import Option
from planner.money.owning import spare_boards
from planner.money.setting import Setting
from planner.money.stages.fleet import Fleet, fleet_of
from planner.money.ways import WAYS


@dataclass(frozen=True)
class Bought:
    """One order of machines."""

    accelerators: int
    ordered_after_months: int
    there_after_months: float
    what: str  # one server with 8 x H100
    spare_accelerators: int  # boards on the shelf
    usd: float  # for the machines, in the money of the day, their premium included
    resale_usd: float
    fleet_accelerators: int  # that there are with it


def owned_count(setting: Setting, option: Option) -> int:
    """How many accelerators a way buys; 0 for one that buys none."""
    mix, side = setting.scenario.mix, WAYS[option.way].side
    if side == "mix":
        return 0 if mix is None else mix.own_accelerators
    return int(option.accelerators) if side == "own" else 0


def owned_fleet(setting: Setting, option: Option) -> Fleet | None:
    """The fleet that a way buys, as if it were paid for at once; None where it buys none."""
    count = owned_count(setting, option)
    return fleet_of(setting, count, option.orders) if count else None


def bought_when(setting: Setting, option: Option) -> tuple[Bought, ...]:
    """The orders of a way, the first one first; none where it owns nothing of its own."""
    fleet = owned_fleet(setting, option)
    if fleet is None:
        return ()
    found, before, spares = [], 0, 0
    for part, top in zip(fleet.parts, fleet.stages.tops, strict=True):
        shelf = spare_boards(top, float(np.asarray(part.put.used["spare_share"].value)))
        held = part.held
        found.append(
            Bought(
                accelerators=top - before,
                ordered_after_months=int(np.asarray(held.ordered_months)),
                there_after_months=float(np.asarray(held.ordered_months) + np.asarray(held.lead_time_months)),
                what=fleet.machine.ordered(top - before),
                spare_accelerators=shelf - spares,
                usd=_usd(part.bought),
                resale_usd=-_usd(tuple(line for line in part.sale if line.treatment == "sale")),
                fleet_accelerators=top,
            )
        )
        before, spares = top, shelf
    return tuple(found)


def _usd(lines: tuple[Line, ...]) -> float:
    return float(sum(np.asarray(line.total_usd) for line in lines))
