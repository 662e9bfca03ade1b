"""What an owner's money goes into, and how much of his machines' time he does not use.

A rule of thumb is often quoted beside the first: half for hardware, three tenths for power with cooling, two tenths for
people and the rest. Nobody seems to have published what it rests on.
"""

from dataclasses import dataclass

import numpy as np

from planner.money.formula import Num
from planner.money.ledger import Ledger, Line
from planner.money.measures import todays
from planner.money.option import Option
from planner.money.owned_fleet import owned_fleet
from planner.money.renting.forward import FEE
from planner.money.selling import SHARE
from planner.money.setting import Setting

# Of what one's own machines cost. A saying of the trade without a source that could be cited.
USUAL_SHARES = {"hardware": 0.5, "power with cooling": 0.3, "people and the rest": 0.2}
_METER, _ROOM = "usd_per_kwh", "usd_per_kw_of_room"
_OF_RENT = {"usd_per_accelerator_hour", "usd_per_gb_month_of_disk", "usd_per_gb_of_egress", "bill_usd", FEE}


@dataclass(frozen=True)
class Split:
    """What an owner's way costs in today's money, by what it is for; the six sum to the way's cost. [USD]"""

    hardware_usd: float  # bought, borrowed for or leased, less what it fetches; with network and disks
    power_usd: float  # at the meter: machines that work and that wait, with what cools them
    people_usd: float
    rest_usd: float  # space, maintenance, taxes
    rented_usd: float  # until the machines come, above the fleet, after they are sold
    sold_on_usd: float  # idle hours that others pay for, less what it costs to sell them; below nought
    most_of_rest: str  # the largest line of the rest

    @property
    def owned_usd(self) -> float:
        """One's own machines alone."""
        return self.hardware_usd + self.power_usd + self.people_usd + self.rest_usd

    @property
    def by_name(self) -> dict[str, float]:
        """One's own machines by the names that the usual split has. [USD]"""
        return dict(
            zip(USUAL_SHARES, (self.hardware_usd, self.power_usd, self.people_usd + self.rest_usd), strict=True)
        )

    @property
    def shares(self) -> dict[str, float]:
        """Of what one's own machines cost. [1]"""
        return {name: usd / self.owned_usd for name, usd in self.by_name.items()}


def split(setting: Setting, ledger: Ledger) -> Split | None:
    """The cost of an owner's way by what it is for; None where there is none to be split."""
    usd = dict.fromkeys(("hardware_usd", "power_usd", "people_usd", "rest_usd", "rented_usd", "sold_on_usd"), 0.0)
    rest: dict[str, float] = {}
    for line in todays(setting, ledger).lines:
        of, amount = _of(line), float(line.priced_usd.sum())
        usd[of] += amount
        if of == "rest_usd":
            rest[line.name] = amount
    found = Split(most_of_rest=max(rest, key=lambda name: rest[name], default=""), **usd)
    return found if found.owned_usd > 0 else None


def _of(line: Line) -> str:
    names = {one.name for one in line.used}
    if line.part in ("income", "selling"):
        return "sold_on_usd"
    if names & _OF_RENT or line.part in ("compute", "tokens"):
        return "rented_usd"
    if _METER in names:
        return "power_usd"
    if line.part in ("finance", "hardware") or (_is_of_machines(line) and _ROOM not in names):
        return "hardware_usd"
    return "people_usd" if line.part == "staff" else "rest_usd"


def _is_of_machines(line: Line) -> bool:
    """Whether a line is for what is bought or sold, or for what was agreed on its sale."""
    return line.treatment in ("capital", "sale") or line.part == "resale"


@dataclass(frozen=True)
class Idle:
    """The hours in which machines of one's own are there and paid for, and how many of them do no useful work."""

    paid_hours: float
    idle_hours: float

    @property
    def share(self) -> float:
        """Of the hours that are paid for. [1]"""
        return self.idle_hours / self.paid_hours


def idle(setting: Setting, option: Option) -> Idle | None:
    """The idle accelerator-hours of what a way owns, spares apart; None where it owns nothing for a while."""
    fleet = owned_fleet(setting, option)
    if fleet is None or not fleet.comes:
        return None
    there = fleet.stages
    paid = there.machines * setting.terms.hours_per_month
    free = np.maximum(paid - there.busy_hours, 0.0) * (1 - _sold(option.ledger))
    total = float(np.sum(paid))
    return Idle(total, float(np.sum(free))) if total > 0 else None


def _sold(ledger: Ledger) -> Num:
    """The share of idle hours that somebody else pays for, by month."""
    used = next(({one.name: one.value for one in line.used} for line in ledger.lines if line.part == "income"), None)
    return 0.0 if used is None else used[SHARE] * used["sells"]
