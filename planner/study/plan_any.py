"""The plan of a scenario that may leave the accelerator, or how many, to be chosen: on pages and in a shell."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from planner.money.plan import Plan, plan_at, setting_of
from planner.scenario.scenario import Scenario
from planner.study.fill_in import chosen
from planner.study.mix.best_mix import with_best_mix
from pricing import Catalogue


def planned(catalogue: Catalogue, scenario: Scenario, day: date) -> Plan:
    """The plan with what was left open filled in, and the best mix where one wins.

    `setting.written` keeps open what was left open, as files and links do.
    """
    setting = setting_of(catalogue, chosen(catalogue, scenario, day), day)
    if setting.asked is not None and setting.asked.written != scenario:
        setting = replace(setting, asked=replace(setting.asked, written=scenario))
    return with_best_mix(plan_at(setting))
