"""The people who run GPUs, rented or owned: a floor and a slope by the kind of use. A hosted model needs none.

Owning needs more of them, for the machines themselves: those stand in its own lines.
"""

from collections.abc import Iterable

from planner.money.inflation import add_price_change, deflate_lines
from planner.money.ledger import CASES, COMPUTED, Case, Line, end
from planner.money.owning.inputs import CHANGES, FACTS
from planner.money.owning.lines import WAGE
from planner.money.owning.machine import place_of_count
from planner.money.setting import PlanContext
from planner.scenario.base import MONTHS_PER_YEAR, ONE_MACHINE
from pricing.caching import cached

SERVICE_FLOOR, WORK_FLOOR, SLOPE = "staff-run-service-fte", "staff-run-work-fte", "staff-run-fte-per-accelerator"
RUN_BY = "run_by_fte"
_SERVICE_REQUESTS_PER_S = 0.1  # on average, from which on others rely on a service: 260,000 a month
_OTHERS_PEOPLE = ("tokens", "tax")


def with_people(setting: PlanContext, lines: Iterable[Line]) -> tuple[Line, ...]:
    """Return the lines of an option with the people who run its GPUs; without GPUs there are none."""
    lines = tuple(lines)
    return lines if all(line.part in _OTHERS_PEOPLE for line in lines) else (*lines, *people_lines(setting))


@cached(8)
def people_lines(setting: PlanContext) -> tuple[Line, ...]:
    """Return the line of the people who run the GPUs of a plan; none where a desk or you say that nobody does."""
    sheet, own = setting.input_sheet(), setting.scenario.own
    sheet.add_all(setting.timeline.flags)
    need = setting.usual_demand.all
    sheet.add("run_share", need.run_share, "share of each month", COMPUTED)
    formula, yours = RUN_BY, setting.scenario.run_by_fte
    if yours is not None:
        sheet.figure(RUN_BY, None, "full-time people", yours)
    else:
        sheet.fact("run_floor_fte", SERVICE_FLOOR if _is_service(setting) else WORK_FLOOR)
        sheet.fact("run_fte_per_accelerator", SLOPE)
        sheet.add("run_accelerators", float(need.peak_accelerators), "accelerators", COMPUTED)
        sheet.add("run_size", _size(setting, need.peak_accelerators), "share of a whole floor", COMPUTED)
        formula = "run_size * (run_floor_fte + run_accelerators * run_fte_per_accelerator)"
    sheet.fact("usd_per_fte_year", FACTS["usd_per_fte_year"], own.usd_per_fte_year)
    sheet.add("begun_years", setting.timeline.begun_years, "years from today to the month", COMPUTED)
    add_price_change(sheet, setting, name := "wage_change_per_year", CHANGES[name], own.wage_change_per_year)
    line = sheet.line("People who run them", "staff", f"{formula} * {WAGE} / 12 * run_share * runs")
    return deflate_lines(setting, (line,), setting.timeline.begun_years) if line.has_amounts else ()


def people_usd_per_month(setting: PlanContext, accelerators: int) -> tuple[float, ...]:
    """Return what the people who run so many GPUs of a plan cost a month while they run: low, typical and high."""

    def usd(case: Case) -> float:
        def fact(name: str) -> float:
            return end(setting.catalogue.facts[name].figure.newest, case)

        people, salary = setting.scenario.run_by_fte, setting.scenario.own.usd_per_fte_year
        if people is None:
            floor = fact(SERVICE_FLOOR if _is_service(setting) else WORK_FLOOR)
            people = _size(setting, accelerators) * (floor + accelerators * fact(SLOPE))
        return people * (fact(FACTS["usd_per_fte_year"]) if salary is None else salary) / MONTHS_PER_YEAR

    return tuple(map(usd, CASES))


def _is_service(setting: PlanContext) -> bool:
    """Return whether others rely on a service of the plan; on work that may stop nobody does."""
    works = setting.written.work
    return any(it.serve.requests_per_s >= _SERVICE_REQUESTS_PER_S for it in works if it.serve and not it.may_stop)


def _size(setting: PlanContext, peak: int) -> float:
    """Return the part of the floor: the part of a machine; none at a desk, where those who use the cards run them."""
    place = setting.scenario.own.place if _is_service(setting) else place_of_count(setting, peak)
    return 0.0 if place in ("home", "office") else min(peak / ONE_MACHINE, 1.0)
