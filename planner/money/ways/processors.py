"""Processors: rented servers without a GPU, for a service whose peak they carry."""

import math

from planner.money.inflation import deflate_lines
from planner.money.ledger import COMPUTED, Origin
from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.setting import PlanContext
from planner.scenario.scenario import ANY_ACCELERATOR
from planner.speed.serving.cpu_sized import SOCKETS, cpu_feasibility
from planner.speed.work_to_hours import serving_job
from pricing.caching import cached
from pricing.market.rivals import ProcessorPrice, rivals

_MOST_SERVERS = 8  # beyond that a service is no small work
_NOT_ENOUGH = "no processors to rent that are known here carry the peak in time"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build a service on as many servers of processors as carry its peak at the low end of what was measured."""
    servers = _servers(setting.base_context or setting)
    if isinstance(servers, Unavailable):
        return servers
    count, price = servers
    sheet = setting.work_sheet()
    origin = Origin(price.machine, "list_price", url=price.url, note=f"read {price.day}")
    sheet.add("processor_servers", count, "servers", COMPUTED)
    sheet.add("usd_per_processor_server_hour", price.usd_per_hour, "USD an hour", origin)
    how = "ceil(processor_servers * work_level) * hours_per_month * usd_per_processor_server_hour * runs"
    return OptionLedger(
        title="Rent processors, no GPU",
        what=f"{math.ceil(count):,} x {price.machine}",
        lines=deflate_lines(setting, (sheet.line("Servers of processors", "compute", how),)),
        useful_hours=setting.demand.all.busy_hours,
        accelerators=float(math.ceil(count)),
        is_beside=setting.written.accelerator != ANY_ACCELERATOR,
    )


@cached(16)
def _servers(setting: PlanContext) -> tuple[float, ProcessorPrice] | Unavailable:
    """Return the cheapest servers of processors that carry the one service of a plan, and how many."""
    works = setting.written.work
    service = works[0].serve if len(works) == 1 else None
    if service is None:
        return Unavailable("processors are for a plan that serves one model and does nothing else")
    machines = cpu_feasibility(setting.catalogue, serving_job(setting.scenario, service)).machines
    needed = {each.accelerator: each.count / SOCKETS for each in machines if each.low > 0}
    able = {key: count for key, count in needed.items() if key in rivals().processors and count <= _MOST_SERVERS}
    if not able:
        return Unavailable(_NOT_ENOUGH)
    key = min(able, key=lambda each: math.ceil(able[each]) * rivals().processors[each].usd_per_hour)
    return able[key], rivals().processors[key]


WAY = OptionSpec(
    key="processors", place=16, side="rent", build=build, name="Processors, no GPU",
    verdict_text="Rent processors, no GPU", gerund="renting processors", result_text="on processors of {what}",
    purchase_text="processors without a GPU", style=ChartStyle("#0e7490", "#67e8f9", "longdashdot", "pentagon"),
    inputs="rent", filled_by_service=True,
)  # fmt: skip
