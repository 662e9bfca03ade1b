"""What owning costs for every accelerator and number of a market study, by the ledger that the Answer is drawn from.

A fleet bought for the work is charged to the work whole: from the order to the sale, over the years of the plan. All
numbers that are bought in the same machine are draws of one ledger. What is there already, where it is called by the
name of an accelerator, costs its electricity and its upkeep.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from planner.money.demand.stream import Need
from planner.money.input_sheet import Case, end
from planner.money.measures import factors
from planner.money.owning import Machine, Owned, machine, owned
from planner.money.owning.inputs import say_people_and_space, say_power_price
from planner.money.owning.kept import kept_accelerator, kept_power
from planner.money.owning.place import network_fact, place_of, too_little_power, without_network
from planner.money.setting import Setting
from planner.scenario.base import DAYS_PER_MONTH, HOURS_PER_DAY, HOURS_PER_MONTH, MONTHS_PER_YEAR
from planner.scenario.own import Kept
from planner.scenario.scenario import Scenario
from planner.speed.training.result import Range
from planner.study.market.hours_needed import Doing, Task, doings
from planner.study.market.lost import Lost
from planner.study.market.tried import Try
from pricing import Catalogue

Array = NDArray[np.float64]
W_PER_KW = 1_000.0
NETWORK = "usd_per_accelerator_of_network"
_CASES: tuple[Case, ...] = ("low", "typical", "high")


@dataclass(frozen=True)
class Bought:
    """What owning costs one try."""

    doing: int  # the place of the try
    usd: Range  # of the run, in today's money over the plan; or of a month while it is owned
    wait_days: float  # until the machines come
    what: str
    too_long: bool  # the run does not end while the machines are owned
    age_days: int | None  # of the price; none where it is yours


def bought(
    catalogue: Catalogue, scenario: Scenario, tries: Sequence[Doing], *, monthly: bool, day: date
) -> tuple[Bought, ...]:
    """Buying for every try whose accelerator has a price."""
    by_chip: dict[str, list[int]] = {}
    for place, one in enumerate(tries):
        by_chip.setdefault(one.accelerator, []).append(place)
    found: list[Bought] = []
    for key, places in by_chip.items():
        for setting, places_there in _alike(catalogue, scenario, key, tries, places, day):
            found += _of(setting, tries, places_there, monthly)
    return tuple(found)


def _alike(
    catalogue: Catalogue, scenario: Scenario, key: str, tries: Sequence[Doing], places: list[int], day: date
) -> Iterator[tuple[Setting, list[int]]]:
    """The tries of one accelerator, grouped by the kind of machine that they would buy."""
    groups: dict[tuple[object, ...], tuple[Setting, list[int]]] = {}
    for place in places:
        setting = _setting(catalogue, scenario, key, tries[place].at_once, day)
        what = machine(setting)
        if what is not None and not too_little_power(setting, tries[place].at_once):
            groups.setdefault(_alike_in(what), (setting, []))[1].append(place)
    yield from groups.values()


def _alike_in(what: Machine) -> tuple[object, ...]:
    return (what.what, what.accelerators, what.whole, what.sold)


def _setting(catalogue: Catalogue, scenario: Scenario, key: str, accelerators: int, day: date) -> Setting:
    """A plan that buys so many; prices of your own belong to the accelerator they were entered for."""
    own = scenario.own if key == scenario.accelerator else scenario.own.model_copy(update=_NO_PRICES)
    own = own.model_copy(update={"accelerators": accelerators})
    return Setting(catalogue, scenario.model_copy(update={"accelerator": key, "own": own}), day)


OF_ONE_MACHINE = ("usd_per_server", "usd_per_accelerator", "capex_usd", "running_usd_per_month", "rated_w_per_server")
_NO_PRICES = dict.fromkeys(OF_ONE_MACHINE)  # what was entered for one kind of machine is not said of another


def _of(setting: Setting, tries: Sequence[Doing], places: list[int], monthly: bool) -> list[Bought]:
    there = [tries[place] for place in places]
    many = np.array([float(one.at_once) for one in there]).reshape(-1, 1)
    hours = np.array([one.hours.typical for one in there]).reshape(-1, 1)
    months = setting.scenario.months
    busy = hours / (many * HOURS_PER_MONTH)  # of a month; of a run all at once, so that it is told below if too long
    need = Need(
        accelerator=setting.scenario.accelerator, accelerators=many, busy_share=np.minimum(busy, 1.0),
        years=setting.scenario.years, hours_per_session=1.0, storage_tb=0.0, egress_tb_per_month=0.0,
        site=setting.scenario.site,
    )  # fmt: skip
    ends = [_cost(setting.at(case), need, many, hours, monthly) for case in _CASES]
    found = ends[1].found
    wait_months = float(np.max(found.put.used["lead_time_months"].value))
    runs = hours[:, 0] / many[:, 0] / HOURS_PER_DAY / DAYS_PER_MONTH
    late = np.zeros(len(places), dtype=bool) if monthly else runs > months - wait_months + 1e-9
    low, usd, high = (end.usd for end in ends)
    price = found.machine.price
    age_days = None if price is None else price.age_days(setting.day)
    return [
        Bought(
            place,
            Range(float(min(low[at], usd[at])), float(usd[at]), float(max(high[at], usd[at]))),
            wait_months * DAYS_PER_MONTH,
            found.machine.ordered(tries[place].at_once),
            bool(late[at]),
            age_days,
        )
        for at, place in enumerate(places)
        if np.isfinite(usd[at])
    ]


@dataclass(frozen=True, eq=False)
class _Cost:
    found: Owned
    usd: Array


def _cost(setting: Setting, need: Need, many: Array, hours: Array, monthly: bool) -> _Cost:
    """What owning costs each draw in today's money; for work that goes on, what each month of use comes to."""
    what = machine(setting)
    assert what is not None  # else it is no try
    network = [_network_usd(setting, int(count)) for count in many[:, 0]]
    drawn = {"many": (many > what.accelerators).astype(np.float64), NETWORK: np.array(network).reshape(-1, 1)}
    setting = setting.trying(drawn)
    found = owned(setting, need if monthly else _spread(setting, need, many, hours))
    assert found is not None  # it has a machine
    worth = factors(setting)
    lines = [np.broadcast_to(line.usd, (len(many), len(worth))) for line in found.lines]
    total = (np.sum(lines, axis=0) * worth).sum(axis=-1)
    if not monthly:
        return _Cost(found, total)
    owns = np.broadcast_to(found.held.owns, worth.shape)
    there = float((owns * worth).sum())
    return _Cost(found, total / there if there > 0 else np.full(len(many), np.nan))


def _network_usd(setting: Setting, accelerators: int) -> float:
    """What the network between so many costs for each: every draw has a size of its own, and the size a price."""
    yours = setting.scenario.own.usd_per_accelerator_of_network
    if yours is not None or without_network(setting):
        return yours or 0.0
    return end(setting.catalogue.facts[network_fact(setting, accelerators)].figure.newest, setting.case)


def _spread(setting: Setting, need: Need, many: Array, hours: Array) -> Need:
    """The need of one run with its hours spread over the whole plan; its electricity is the same whenever it runs."""
    whole = many * HOURS_PER_MONTH * setting.scenario.months
    return replace(need, busy_share=np.minimum(hours / whole, 1.0))


def kept_tries(catalogue: Catalogue, task: Task, accelerators: Sequence[str], day: date) -> Iterable[Try]:
    """The work on machines that are kept. What these would fetch if they were sold is left to the plan."""
    kept = task.scenario.kept
    key = None if kept is None else kept_accelerator(catalogue, kept)
    if kept is None or key is None or (accelerators and key not in accelerators):
        return
    for one in doings(catalogue, task, (key,), (kept.accelerators,), lambda _: None):
        why = one.why_not
        if not why and one.at_once > kept.accelerators:
            why = Lost("too_few", f"it takes {one.at_once:,} at once")
        usd = None if why else _kept_usd(catalogue, task, kept, one, day)
        yield Try(
            key, kept.accelerators, "keep", None, None, one.days, usd, one.rate, one.layout, why, on_front=False,
            label=catalogue.accelerator_label(key), at_once=one.at_once, tpot_p99_ms=one.tpot_p99_ms,
        )  # fmt: skip


def _kept_usd(catalogue: Catalogue, task: Task, kept: Kept, one: Doing, day: date) -> Range:
    """What the work costs on kept machines: power of busy and idle hours, and upkeep as long as the work lasts."""
    setting = Setting(catalogue, task.scenario, day)
    put = setting.basis()
    say_power_price(put, setting)
    say_people_and_space(put, setting)
    used = {name: float(one.value) for name, one in put.used.items()}
    power = kept_power(setting, kept)
    busy_w, idle_w, kw = (0.0, 0.0, 0.0) if power is None else (power.busy_w, power.idle_w, power.peak_kw)
    busy_w = busy_w if kept.power_w_each is None else kept.power_w_each
    idle_w = min(idle_w, busy_w) if kept.idle_power_w_each is None else kept.idle_power_w_each
    upkeep = kept.running_usd_per_month
    if upkeep is None:
        people = kept.accelerators * used["fte_per_accelerator"] * used["usd_per_fte_year"] / MONTHS_PER_YEAR
        upkeep = people + (0.0 if place_of(setting).builds_room else kw * used["usd_per_kw_month"])

    def at(hours: float) -> float:
        months = 1.0 if task.monthly else hours / kept.accelerators / HOURS_PER_MONTH
        idle = max(kept.accelerators * months * HOURS_PER_MONTH - hours, 0.0)
        kwh = (hours * busy_w + idle * idle_w) / W_PER_KW
        return kwh * used["usd_per_kwh"] * used["pue"] + months * upkeep

    return Range(at(one.hours.low), at(one.hours.typical), at(one.hours.high))
