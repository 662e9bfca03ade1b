"""Serverless: GPUs by the second that sleep while no request comes, and take a while to wake up."""

import math

from planner.money.inflation import deflate_lines
from planner.money.ledger import COMPUTED, YOUR_INPUT, InputSheet, Origin, judged
from planner.money.option import ChartStyle, OptionLedger, OptionSpec, Unavailable
from planner.money.setting import PlanContext
from planner.scenario.task import ServingTask
from planner.speed.serving import ServingResult
from pricing.market.rivals import rivals, serverless_usd_per_second

_MS_PER_S = 1_000.0
_USUAL_REQUEST_S = 10.0  # where no latency is predicted
_WAITS = judged("measured by sellers and users of several: pricing/market/rivals.yaml")
# Awake while a request runs or ended a short while ago: requests come at random. 0.36788 is 1/e.
_ASLEEP = "0.36788 ** (requests_per_s * (request_s + sleeps_after_s))"
_SECOND_USD = "accelerators_per_replica * 3600 * hours_per_month * usd_per_second * work_level * runs"
_AWAKE = f"max(requests_per_s / replica_requests_per_s, 1 - {_ASLEEP} + requests_per_s * {_ASLEEP} * cold_start_s)"


def build(setting: PlanContext) -> OptionLedger | Unavailable:
    """Build a service of one model on GPUs that are billed by the second while they are awake."""
    service = _service(setting)
    if service is None:
        return Unavailable("GPUs by the second are for a plan that serves one model and does nothing else")
    price = serverless_usd_per_second(setting.scenario.accelerator)
    if price is None:
        label = setting.catalogue.accelerator_label(setting.scenario.accelerator)
        return Unavailable(f"no known seller here offers {label} by the second")
    (result, task), seller = service, price[3]
    sheet = setting.work_sheet()
    _add_service(sheet, setting, result, task)
    origin = Origin("sellers by the second", "derived", note=f"{seller} asks least; pricing/market/rivals.yaml")
    low, typical, high = price[:3]
    sheet.add("usd_per_second", typical, "USD a second", origin, (low, high))
    line = sheet.line("Seconds awake", "compute", f"({_AWAKE}) * {_SECOND_USD}")
    return OptionLedger(
        title="Rent by the second, asleep when idle",
        what=f"{seller} and others",
        lines=deflate_lines(setting, (line,)),
        useful_hours=setting.demand.all.busy_hours,
        accelerators=float(result.accelerators_per_replica),
        warnings=(_cold_start_note(result, task),),
    )


def _service(setting: PlanContext) -> tuple[ServingResult, ServingTask] | None:
    resolved, works = setting.resolved, setting.written.work
    if resolved is None or len(resolved.servings) != 1 or len(works) != 1 or works[0].serve is None:
        return None
    result = resolved.servings[0]
    return (result, works[0].serve) if result.fits and result.requests_per_s_within_promise > 0 else None


def _request_s(result: ServingResult, task: ServingTask) -> float:
    if result.ttft is None or result.tpot is None:
        return _USUAL_REQUEST_S
    seconds = (result.ttft.mean_ms + task.output_tokens * result.tpot.mean_ms) / _MS_PER_S
    return seconds if math.isfinite(seconds) else _USUAL_REQUEST_S


def _add_service(sheet: InputSheet, setting: PlanContext, result: ServingResult, task: ServingTask) -> None:
    each = result.requests_per_s_within_promise / max(result.replicas, 1)
    sheet.add("requests_per_s", task.requests_per_s, "requests a second", YOUR_INPUT)
    sheet.add("replica_requests_per_s", each, "requests a second of one replica", COMPUTED)
    sheet.add("request_s", _request_s(result, task), "seconds of one request", COMPUTED)
    sheet.add("accelerators_per_replica", float(result.accelerators_per_replica), "accelerators", COMPUTED)
    for name in ("sleeps_after_s", "cold_start_s"):
        waits = getattr(rivals(), name)
        sheet.add(name, waits.typical, "seconds", _WAITS, (waits.low, waits.high))


def _cold_start_note(result: ServingResult, task: ServingTask) -> str:
    """Return how often a request wakes a GPU up, and how long that takes."""
    known = rivals()
    hold = _request_s(result, task) + known.sleeps_after_s.typical
    share = math.exp(-task.requests_per_s * hold)
    start = f"{known.cold_start_s.typical:g} seconds ({known.cold_start_s.low:g} to {known.cold_start_s.high:g})"
    return f"Idle hours cost nothing; about {share:.0%} of requests wait {start} for a GPU to wake up"


WAY = OptionSpec(
    key="serverless",
    place=15,
    side="rent",
    build=build,
    name="By the second",
    verdict_text="Rent by the second",
    gerund="renting by the second",
    result_text="rented by the second from {what}",
    purchase_text="by the second",
    style=ChartStyle("#1d4ed8", "#93c5fd", "dot", "hourglass"),
    inputs="rent",
    filled_by_service=True,
)
