"""The plan: every way to supply a scenario's work, each as a ledger with a cheap and a dear end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from planner.money.option import Absent, Option, sized_key
from planner.money.renting.cheapest_offer import taken
from planner.money.selling import unsold
from planner.money.setting import Setting
from planner.money.sizing import right_size
from planner.money.staying import not_allowed
from planner.money.ways import WAYS
from planner.money.ways.ledger_of_way import Builder, Unavailable, whole_ledger
from planner.money.ways.right_size import of_right_size
from planner.scenario.scenario import Scenario
from planner.scenario.ways import Way
from planner.speed.work_to_hours import asked
from pricing import Catalogue


@dataclass(frozen=True)
class Plan:
    """The ledgers of a scenario. Verdict, break-evens, charts and exports are all drawn from it."""

    setting: Setting
    options: tuple[Option, ...]
    absent: tuple[Absent, ...]

    def option(self, key: str) -> Option | None:
        """The option with this key."""
        return next((option for option in self.options if option.key == key), None)


def setting_of(catalogue: Catalogue, scenario: Scenario, day: date) -> Setting:
    """The setting of a scenario on a day, with the offers it rents from chosen."""
    found = asked(catalogue, scenario)
    bare = Setting(catalogue, found.scenario, day, asked=found)
    return bare.renting(taken(bare))


def plan(catalogue: Catalogue, scenario: Scenario, day: date) -> Plan:
    """Reckon every way that the scenario asks for and that has a price."""
    return plan_at(setting_of(catalogue, scenario, day))


def plan_at(setting: Setting) -> Plan:
    """The plan of a setting that was made before, perhaps with inputs that are tried out."""
    problems = setting.asked.problems if setting.asked else ()
    if problems:
        return Plan(setting, (), tuple(Absent(way, "; ".join(problems)) for way in WAYS))
    made = list(_made(setting))
    options = tuple(one for one in made if isinstance(one, Option))
    return Plan(setting, options, tuple(one for one in made if isinstance(one, Absent)))


def _made(setting: Setting) -> Iterator[Option | Absent]:
    wanted = setting.scenario.ways or tuple(WAYS)
    ends = (setting.at("low"), setting.at("high"))
    for way in wanted:
        yield option(setting, ends, way, WAYS[way].build)
        if way == "own":
            yield from _right_sized(setting, ends)


def _right_sized(setting: Setting, ends: tuple[Setting, Setting]) -> Iterator[Option | Absent]:
    """The right size beside a larger fleet that was asked for."""
    wanted, enough = setting.scenario.own.accelerators, right_size(setting)
    if wanted is not None and enough is not None and enough < wanted:
        yield option(setting, ends, "own", of_right_size(enough), key=sized_key(enough))


def option(
    setting: Setting, ends: tuple[Setting, Setting], way: Way, build: Builder, key: str | None = None
) -> Option | Absent:
    """One way at its typical, cheap and dear ends; the ends are settings of their own, shared by all ways."""
    cannot = not_allowed(setting, WAYS[way]) or (unsold(setting) if WAYS[way].owns else None)
    middle = build(setting) if cannot is None else Unavailable(cannot)
    if isinstance(middle, Unavailable):
        return Absent(way, middle.reason)
    built = [build(end) for end in ends]
    low, high = (middle if isinstance(end, Unavailable) else end for end in built)
    return Option(
        key=key or way,
        way=way,
        title=middle.title,
        what=middle.what,
        ledger=whole_ledger(setting, middle.title, middle.lines),
        low=whole_ledger(ends[0], middle.title, low.lines),
        high=whole_ledger(ends[1], middle.title, high.lines),
        useful_hours=middle.useful_hours,
        accelerators=middle.accelerators,
        orders=middle.orders,
        warnings=middle.warnings,
    )
