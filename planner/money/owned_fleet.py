"""The machines that a way owns, order by order: when each comes, what is paid for it, what it fetches."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from planner.money.fleet import Fleet, build_fleet
from planner.money.formula import Num
from planner.money.ledger import Ledger, Line
from planner.money.measures import discounted_ledger
from planner.money.option import Option
from planner.money.owning import spare_boards
from planner.money.price_path import FEE
from planner.money.selling import SHARE
from planner.money.setting import PlanContext
from planner.money.ways import WAYS
from planner.scenario.base import MILLION, SECONDS_PER_HOUR
from planner.scenario.task import FixedRun, ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.speed.serving import is_non_llm_work


@dataclass(frozen=True)
class DeliveredOrder:
    """One order of machines."""

    accelerators: int
    ordered_after_months: int
    there_after_months: float
    what: str  # one server with 8 x H100
    spare_accelerators: int  # boards on the shelf
    usd: float  # for the machines, in the money of the day, their premium included
    resale_usd: float
    fleet_accelerators: int  # that there are with it


def owned_accelerators(setting: PlanContext, option: Option) -> int:
    """How many accelerators a way buys; 0 for one that buys none."""
    mix, side = setting.scenario.mix, WAYS[option.way].side
    if side == "mix":
        return 0 if mix is None else mix.own_accelerators
    return int(option.accelerators) if side == "own" else 0


def owned_fleet(setting: PlanContext, option: Option) -> Fleet | None:
    """The fleet that a way buys, as if it were paid for at once; None where it buys none."""
    count = owned_accelerators(setting, option)
    return build_fleet(setting, count, option.orders) if count else None


def purchase_orders(setting: PlanContext, option: Option) -> tuple[DeliveredOrder, ...]:
    """The orders of a way, the first one first; none where it owns nothing of its own."""
    fleet = owned_fleet(setting, option)
    if fleet is None:
        return ()
    found, before, spares = [], 0, 0
    for part, top in zip(fleet.parts, fleet.stages.tops, strict=True):
        shelf = spare_boards(top, float(np.asarray(part.sheet.used["spare_share"].value)))
        held = part.holding
        found.append(
            DeliveredOrder(
                accelerators=top - before,
                ordered_after_months=int(np.asarray(held.ordered_months)),
                there_after_months=float(np.asarray(held.ordered_months) + np.asarray(held.lead_time_months)),
                what=fleet.machine.order_text(top - before),
                spare_accelerators=shelf - spares,
                usd=_usd(part.purchase_lines),
                resale_usd=-_usd(tuple(line for line in part.resale_lines if line.treatment == "sale")),
                fleet_accelerators=top,
            )
        )
        before, spares = top, shelf
    return tuple(found)


def _usd(lines: tuple[Line, ...]) -> float:
    return float(sum(np.asarray(line.total_usd) for line in lines))


# Of what one's own machines cost. A saying of the trade without a source that could be cited.
USUAL_SHARES = {"hardware": 0.5, "power with cooling": 0.3, "people and the rest": 0.2}
_METER, _ROOM = "usd_per_kwh", "usd_per_kw_of_room"
_OF_RENT = {"usd_per_accelerator_hour", "usd_per_gb_month_of_disk", "usd_per_gb_of_egress", "bill_usd", FEE}


@dataclass(frozen=True)
class OwnedCostSplit:
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


def split(setting: PlanContext, ledger: Ledger) -> OwnedCostSplit | None:
    """The cost of an owner's way by what it is for; None where there is none to be split."""
    usd = dict.fromkeys(("hardware_usd", "power_usd", "people_usd", "rest_usd", "rented_usd", "sold_on_usd"), 0.0)
    rest: dict[str, float] = {}
    for line in discounted_ledger(setting, ledger).lines:
        of, amount = _cost_category(line), float(line.priced_usd.sum())
        usd[of] += amount
        if of == "rest_usd":
            rest[line.name] = amount
    found = OwnedCostSplit(most_of_rest=max(rest, key=lambda name: rest[name], default=""), **usd)
    return found if found.owned_usd > 0 else None


def _cost_category(line: Line) -> str:
    names = {item.name for item in line.used}
    if line.part in ("income", "selling"):
        return "sold_on_usd"
    if names & _OF_RENT or line.part in ("compute", "tokens"):
        return "rented_usd"
    if _METER in names:
        return "power_usd"
    if line.part in ("finance", "hardware") or (_is_hardware_line(line) and _ROOM not in names):
        return "hardware_usd"
    return "people_usd" if line.part == "staff" else "rest_usd"


def _is_hardware_line(line: Line) -> bool:
    """Whether a line is for what is bought or sold, or for what was agreed on its sale."""
    return line.treatment in ("capital", "sale") or line.part == "resale"


@dataclass(frozen=True)
class IdleTime:
    """The hours in which machines of one's own are there and paid for, and how many of them do no useful work."""

    paid_hours: float
    idle_hours: float

    @property
    def share(self) -> float:
        """Of the hours that are paid for. [1]"""
        return self.idle_hours / self.paid_hours


def idle(setting: PlanContext, option: Option) -> IdleTime | None:
    """The idle accelerator-hours of what a way owns, spares apart; None where it owns nothing for a while."""
    fleet = owned_fleet(setting, option)
    if fleet is None or not fleet.comes:
        return None
    there = fleet.stages
    paid = there.machines * setting.terms.hours_per_month
    free = np.maximum(paid - there.busy_hours, 0.0) * (1 - _sold(option.ledger))
    total = float(np.sum(paid))
    return IdleTime(total, float(np.sum(free))) if total > 0 else None


def _sold(ledger: Ledger) -> Num:
    """The share of idle hours that somebody else pays for, by month."""
    used = next(({item.name: item.value for item in line.used} for line in ledger.lines if line.part == "income"), None)
    return 0.0 if used is None else used[SHARE] * used["sells"]


Kind = Literal["request", "million_tokens", "training", "run"]


@dataclass(frozen=True)
class WorkUnit:
    """One piece of work, and the accelerator-hours it keeps busy."""

    kind: Kind
    model: str  # that was named; empty for work that is known by its hours
    accelerator_hours: float


def work_units(setting: PlanContext) -> tuple[WorkUnit, ...]:
    """What can be counted of the plan's work; nothing where it is told in plain hours."""
    pairs = zip(setting.scenario.work, setting.written.work, strict=True)
    return tuple(one for plain, written in pairs for one in _units_of_work(plain, written))


def _units_of_work(plain: Work, written: Work) -> Iterator[WorkUnit]:
    """The plain hours of a kind of work over the pieces that they do."""
    if written.serve is not None:
        yield from _served(plain, written.serve)
    elif written.train is not None:
        yield WorkUnit("training", written.train.model, _run_hours(plain, written.train))
    elif written.run is not None:
        yield WorkUnit("run", "", _run_hours(plain, written.run))


def _served(plain: Work, task: ServingTask) -> Iterator[WorkUnit]:
    hours = plain.accelerators * plain.effective_utilization / (task.requests_per_s * SECONDS_PER_HOUR)
    yield WorkUnit("request", task.model, hours)
    if not is_non_llm_work(task.model):
        yield WorkUnit("million_tokens", task.model, hours / task.output_tokens * MILLION)


def _run_hours(plain: Work, task: TrainingTask | FixedRun) -> float:
    if task.runs_per_month is not None:
        return (plain.accelerator_hours_per_month or 0.0) / task.runs_per_month
    return plain.jobs[-1].accelerators * plain.jobs[-1].hours
