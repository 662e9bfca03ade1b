"""The plan: every way to supply a scenario's work, each as a ledger with a cheap and a dear end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from planner.inputs.scenario import Scenario, Way
from planner.money.choice import taken
from planner.money.ledger import Ledger
from planner.money.option import Absent, Option
from planner.money.setting import Setting
from planner.money.sizing import right_size
from planner.money.taxed import taxed
from planner.money.ways import BUILDERS
from planner.money.ways.built import Builder, Why
from planner.money.ways.right_size import of_right_size
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
    bare = Setting(catalogue, scenario, day)
    return replace(bare, taken=taken(bare))


def plan(catalogue: Catalogue, scenario: Scenario, day: date) -> Plan:
    """Reckon every way that the scenario asks for and that has a price."""
    return plan_at(setting_of(catalogue, scenario, day))


def plan_at(setting: Setting) -> Plan:
    """The same for a setting that is made already, perhaps with inputs that are tried out."""
    made = list(_made(setting))
    options = tuple(one for one in made if isinstance(one, Option))
    return Plan(setting, options, tuple(one for one in made if isinstance(one, Absent)))


def _made(setting: Setting) -> Iterator[Option | Absent]:
    wanted = setting.scenario.ways or tuple(BUILDERS)
    for way in wanted:
        yield option(setting, way, BUILDERS[way])
        if way == "own":
            yield from _right_sized(setting)


def _right_sized(setting: Setting) -> Iterator[Option | Absent]:
    """The right size beside a larger fleet that was asked for."""
    asked, enough = setting.scenario.own.accelerators, right_size(setting)
    if asked is not None and enough is not None and enough < asked:
        yield option(setting, "own", of_right_size(enough), key=f"own-{enough}")


def option(setting: Setting, way: Way, build: Builder, key: str | None = None) -> Option | Absent:
    """One way at its typical, cheap and dear ends."""
    middle, low, high = build(setting), build(setting.at("low")), build(setting.at("high"))
    if isinstance(middle, Why):
        return Absent(way, middle.reason)
    ends = [middle if isinstance(end, Why) else end for end in (low, high)]
    return Option(
        key=key or way,
        way=way,
        title=middle.title,
        what=middle.what,
        ledger=taxed(setting, Ledger(middle.title, middle.lines)),
        low=taxed(setting.at("low"), Ledger(middle.title, ends[0].lines)),
        high=taxed(setting.at("high"), Ledger(middle.title, ends[1].lines)),
        useful_hours=middle.useful_hours,
        accelerators=middle.accelerators,
        warnings=middle.warnings,
    )
