"""The owned machines of an option, order by order: delivery, price and resale; their cost split and idle hours."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

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
from planner.scenario.task import FixedRun, TrainingTask
from planner.scenario.work import Work
from planner.speed.serving import is_non_llm_work


@dataclass(frozen=True)
class DeliveredOrder:
    """One order of machines, of a fleet that is bought at once or in stages."""

    accelerators: Annotated[int, Field(description="in this order")]
    ordered_after_months: Annotated[int, Field(description="0 is today")]
    there_after_months: Annotated[float, Field(description="from today")]
    what: Annotated[str, Field(description="for people: 2 servers with 8 x H100 each")]
    spare_accelerators: Annotated[int, Field(description="boards on the shelf, bought with it")]
    usd: Annotated[float, Field(description="paid for the machines, their premium included, nominal")]
    resale_usd: Annotated[float, Field(description="resale value less the costs of selling")]
    fleet_accelerators: Annotated[int, Field(description="including it")]


def owned_fleet(setting: PlanContext, option: Option) -> Fleet | None:
    """Return the fleet that an option buys, as if it were paid for at once; None where it buys none."""
    mix, side = setting.scenario.mix, WAYS[option.way].side
    count = int(option.accelerators) if side == "own" else mix.own_accelerators if side == "mix" and mix else 0
    return build_fleet(setting, count, option.orders) if count else None


def purchase_orders(setting: PlanContext, option: Option) -> tuple[DeliveredOrder, ...]:
    """Return the orders of an option, the first one first; none where it owns nothing."""
    fleet = owned_fleet(setting, option)
    if fleet is None:
        return ()
    orders, before, spares = [], 0, 0
    for part, top in zip(fleet.parts, fleet.stages.tops, strict=True):
        shelf = spare_boards(top, float(np.asarray(part.sheet.used["spare_share"].value)))
        held = part.holding
        orders.append(
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
    return tuple(orders)


def _usd(lines: tuple[Line, ...]) -> float:
    return float(sum(np.asarray(line.total_usd) for line in lines))


# Of the cost of owned machines. A rule of thumb of the trade without a source that could be cited.
USUAL_SHARES = {"hardware": 0.5, "power with cooling": 0.3, "people and the rest": 0.2}
_METER, _ROOM = "usd_per_kwh", "usd_per_kw_of_room"
_OF_RENT = {"usd_per_accelerator_hour", "usd_per_gb_month_of_disk", "usd_per_gb_of_egress", "bill_usd", FEE}


@dataclass(frozen=True)
class OwnedCostSplit:
    """The present cost of an owning option by category; the six sum to its cost. [USD]"""

    hardware_usd: float  # bought, borrowed for or leased, less what it fetches; with network and disks
    power_usd: float  # at the meter: machines that work and that wait, with what cools them
    people_usd: float
    rest_usd: float  # space, maintenance, taxes
    rented_usd: float  # until the machines come, above the fleet, after they are sold
    sold_on_usd: float  # idle hours that others pay for, less the cost of selling them; negative
    most_of_rest: str  # the largest line of the rest

    @property
    def owned_usd(self) -> float:
        """The owned machines alone."""
        return self.hardware_usd + self.power_usd + self.people_usd + self.rest_usd

    @property
    def by_name(self) -> dict[str, float]:
        """The owned machines by the names of the usual split. [USD]"""
        usd = (self.hardware_usd, self.power_usd, self.people_usd + self.rest_usd)
        return dict(zip(USUAL_SHARES, usd, strict=True))

    @property
    def shares(self) -> dict[str, float]:
        """Shares of the cost of the owned machines. [1]"""
        return {name: usd / self.owned_usd for name, usd in self.by_name.items()}


def split(setting: PlanContext, ledger: Ledger) -> OwnedCostSplit | None:
    """Split the cost of an owning option by category; None where there is none."""
    usd = dict.fromkeys(("hardware_usd", "power_usd", "people_usd", "rest_usd", "rented_usd", "sold_on_usd"), 0.0)
    rest: dict[str, float] = {}
    for line in discounted_ledger(setting, ledger).lines:
        of, amount = _cost_category(line), float(line.priced_usd.sum())
        usd[of] += amount
        if of == "rest_usd":
            rest[line.name] = amount
    result = OwnedCostSplit(most_of_rest=max(rest, key=lambda name: rest[name], default=""), **usd)
    return result if result.owned_usd > 0 else None


def _cost_category(line: Line) -> str:
    names = line.names
    if line.part in ("income", "selling"):
        return "sold_on_usd"
    if names & _OF_RENT or line.part in ("compute", "tokens"):
        return "rented_usd"
    if _METER in names:
        return "power_usd"
    is_hardware = line.treatment in ("capital", "sale") or line.part == "resale"  # bought, sold, or a resale agreement
    if line.part in ("finance", "hardware") or (is_hardware and _ROOM not in names):
        return "hardware_usd"
    return "people_usd" if line.part == "staff" else "rest_usd"


@dataclass(frozen=True)
class IdleTime:
    """The paid hours of owned machines, and those without useful work."""

    paid_hours: float
    idle_hours: float

    @property
    def share(self) -> float:
        """Share of the paid hours. [1]"""
        return self.idle_hours / self.paid_hours


def idle(setting: PlanContext, option: Option) -> IdleTime | None:
    """Return the idle accelerator-hours of the owned machines, spares apart; None where nothing is owned."""
    fleet = owned_fleet(setting, option)
    if fleet is None or not fleet.comes:
        return None
    sale = next((line for line in option.ledger.lines if line.part == "income"), None)
    sold_share: Num = 0.0  # of idle hours, by month
    if sale is not None:
        inputs = {item.name: item.value for item in sale.used}
        sold_share = inputs[SHARE] * inputs["sells"]
    paid = fleet.stages.machines * setting.terms.hours_per_month
    free = np.maximum(paid - fleet.stages.busy_hours, 0.0) * (1 - sold_share)
    total = float(np.sum(paid))
    return IdleTime(total, float(np.sum(free))) if total > 0 else None


Kind = Literal["request", "million_tokens", "training", "run"]


@dataclass(frozen=True)
class WorkUnit:
    """One unit of work, and the accelerator-hours it takes."""

    kind: Kind
    model: str  # that was named; empty for work that is known by its hours
    accelerator_hours: float


def work_units(setting: PlanContext) -> tuple[WorkUnit, ...]:
    """Return the countable units of the plan's work; none where it is given in plain hours."""
    units = []
    for plain, written in zip(setting.scenario.work, setting.written.work, strict=True):
        if (task := written.serve) is not None:
            hours = plain.accelerators * plain.effective_utilization / (task.requests_per_s * SECONDS_PER_HOUR)
            units.append(WorkUnit("request", task.model, hours))
            if not is_non_llm_work(task.model):
                units.append(WorkUnit("million_tokens", task.model, hours / task.output_tokens * MILLION))
        elif written.train is not None:
            units.append(WorkUnit("training", written.train.model, _run_hours(plain, written.train)))
        elif written.run is not None:
            units.append(WorkUnit("run", "", _run_hours(plain, written.run)))
    return tuple(units)


def _run_hours(plain: Work, task: TrainingTask | FixedRun) -> float:
    if task.runs_per_month is not None:
        return (plain.accelerator_hours_per_month or 0.0) / task.runs_per_month
    return plain.jobs[-1].accelerators * plain.jobs[-1].hours
