"""The plan of a scenario that may leave the accelerator, or how many, to be chosen: on pages and in a shell."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from planner.inputs.scenario import Scenario
from planner.money.plan import Plan, plan_at, setting_of
from planner.study.choosing import chosen
from pricing import Catalogue


def planned(catalogue: Catalogue, scenario: Scenario, day: date) -> Plan:
    """The plan with what was left open filled in. `setting.written` keeps it open, as files and links do."""
    setting = setting_of(catalogue, chosen(catalogue, scenario, day), day)
    if setting.asked is not None and setting.asked.written != scenario:
        setting = replace(setting, asked=replace(setting.asked, written=scenario))
    return plan_at(setting)
