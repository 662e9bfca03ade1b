"""What a fleet of each accelerator costs who buys it, by the ledger that the Answer is drawn from.

All numbers that are bought in the same machine are draws of one ledger. Of what a fleet costs only electricity hangs on
what is done, and that in proportion to the busy hours. So fleets are kept: another model or another number of tokens
reckons no ledger anew.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import DemandLayer
from planner.money.ledger import Case, end
from planner.money.measures import factors
from planner.money.owning import Machine, Ownership, machine, owned
from planner.money.owning.place import network_fact, no_network_reason, power_shortfall_reason
from planner.money.setting import PlanContext
from planner.scenario.scenario import Scenario
from pricing import Catalogue
from pricing.caching import cached

Array = NDArray[np.float64]
NETWORK = "usd_per_accelerator_of_network"
CASES: tuple[Case, ...] = ("low", "typical", "high")


@dataclass(frozen=True, eq=False)
class Fleet:
    """So many of an accelerator, bought. Each cost is told in three cases: low, typical, high."""

    idle_usd: Array  # over the plan, in today's money, if nothing ever ran on them
    busy_usd: Array  # what is added if they are busy all the time; a share of it for a share of the time
    months: Array  # that they are there, in today's money too
    wait_months: float  # until they come
    what: str
    age_days: int | None  # of the price; none where it is yours


Numbers = dict[int, Fleet | None]  # None: nobody sells so many, or they lack power


def fleet_costs(
    catalogue: Catalogue, scenario: Scenario, numbers: Mapping[str, Set[int]], day: date
) -> dict[str, Numbers]:
    """The fleets of each accelerator, by their numbers."""
    plain = _without_work(scenario)
    return {chip: _cached_fleet_costs(catalogue, plain, chip, many, day) for chip, many in numbers.items()}


@cached(512, same=lambda catalogue, *_: (catalogue,), equal=lambda _, *plan: plan)  # accelerators of some eight plans
def _known(catalogue: Catalogue, scenario: Scenario, chip: str, day: date) -> Numbers:
    """The numbers calculated so far, which their only caller adds to."""
    return {}


def _without_work(scenario: Scenario) -> Scenario:
    """The scenario but for what is done in it and how it is called."""
    usual = Scenario()
    names = ("name", "note", "work", "models", "measured", "seed", "ways")
    return scenario.model_copy(update={name: getattr(usual, name) for name in names})


def _cached_fleet_costs(catalogue: Catalogue, scenario: Scenario, chip: str, numbers: Set[int], day: date) -> Numbers:
    there = _known(catalogue, scenario, chip, day)
    missing = sorted(numbers - there.keys())
    for setting, many in _group_by_machine(catalogue, scenario, chip, missing, day):
        there.update(zip(many, _of(setting, many), strict=True))
    for number in missing:
        there.setdefault(number, None)
    return there


def _group_by_machine(
    catalogue: Catalogue, scenario: Scenario, chip: str, numbers: Iterable[int], day: date
) -> Iterator[tuple[PlanContext, list[int]]]:
    """The numbers of one accelerator, grouped by the kind of machine that they would buy."""
    groups: dict[tuple[object, ...], tuple[PlanContext, list[int]]] = {}
    for many in numbers:
        setting = _setting(catalogue, scenario, chip, many, day)
        what = machine(setting)
        if what is not None and not power_shortfall_reason(setting, many):
            groups.setdefault(_machine_key(what), (setting, []))[1].append(many)
    yield from groups.values()


def _machine_key(what: Machine) -> tuple[object, ...]:
    return (what.what, what.accelerators, what.is_priced_whole, what.is_known_product)


def _setting(catalogue: Catalogue, scenario: Scenario, key: str, accelerators: int, day: date) -> PlanContext:
    """A plan that buys so many; prices of your own belong to the accelerator they were entered for."""
    own = scenario.own if key == scenario.accelerator else scenario.own.model_copy(update=_NO_PRICES)
    own = own.model_copy(update={"accelerators": accelerators})
    return PlanContext(catalogue, scenario.model_copy(update={"accelerator": key, "own": own}), day)


OF_ONE_MACHINE = ("usd_per_server", "usd_per_accelerator", "capex_usd", "running_usd_per_month", "rated_w_per_server")
_NO_PRICES = dict.fromkeys(OF_ONE_MACHINE)  # what was entered for one kind of machine is not said of another


def _of(setting: PlanContext, numbers: Sequence[int]) -> list[Fleet]:
    """All numbers of one kind of machine, idle and busy: each a draw of one ledger."""
    many = np.array([float(one) for one in numbers for _ in _BUSY]).reshape(-1, 1)
    need = DemandLayer(
        accelerator=setting.scenario.accelerator, accelerators=many,
        busy_share=np.tile(_BUSY, len(numbers)).reshape(-1, 1), years=setting.scenario.years, hours_per_session=1.0,
        storage_tb=0.0, egress_tb_per_month=0.0, site=setting.scenario.site,
    )  # fmt: skip
    ends = [_cost(setting.at_case(case), need, many) for case in CASES]
    found = ends[CASES.index("typical")].found
    wait_months = float(np.max(found.sheet.used["lead_time_months"].value))
    price = found.machine.price
    age_days = None if price is None else price.age_days(setting.day)
    months = np.array([end.months for end in ends])
    idle, busy = (np.array([end.usd[at :: len(_BUSY)] for end in ends]) for at in range(len(_BUSY)))
    return [
        Fleet(idle[:, at], (busy - idle)[:, at], months, wait_months, found.machine.order_text(one), age_days)
        for at, one in enumerate(numbers)
    ]


_BUSY = (0.0, 1.0)


@dataclass(frozen=True, eq=False)
class _FleetCost:
    found: Ownership
    usd: Array
    months: float


def _cost(setting: PlanContext, need: DemandLayer, many: Array) -> _FleetCost:
    """What owning costs each draw over the plan in today's money, and for how many months of today it is there."""
    what = machine(setting)
    assert what is not None  # else it is no try
    usd = {count: _network_usd(setting, int(count)) for count in np.unique(many)}
    network = [usd[count] for count in many[:, 0]]
    drawn = {"many": (many > what.accelerators).astype(np.float64), NETWORK: np.array(network).reshape(-1, 1)}
    setting = setting.with_tried(drawn)
    found = owned(setting, need)
    assert found is not None  # it has a machine
    worth = factors(setting)
    lines = [np.broadcast_to(line.usd, (len(many), len(worth))) for line in found.lines]
    owns = np.broadcast_to(found.holding.owns, worth.shape)
    return _FleetCost(found, (np.sum(lines, axis=0) * worth).sum(axis=-1), float((owns * worth).sum()))


def _network_usd(setting: PlanContext, accelerators: int) -> float:
    """What the network between so many costs for each: every draw has a size of its own, and the size a price."""
    yours = setting.scenario.own.usd_per_accelerator_of_network
    if yours is not None or no_network_reason(setting):
        return yours or 0.0
    return end(setting.catalogue.facts[network_fact(setting, accelerators)].figure.newest, setting.case)
