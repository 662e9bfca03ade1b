"""The result of a serving job, or of other work, as text for a terminal, rows for CSV and data for JSON."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import date
from typing import Any, NamedTuple

from planner.money.renting.cheapest_offer import JobHourQuote, hired
from planner.report import words
from planner.report.forms import NO_OFFER, bullet_list, describe_offer, finite, join_sections, offer_data, to_plain_data
from planner.report.speed.fit_words import (
    SERVED_PARTS,
    evidence_text,
    first_token_confidence_text,
    measuring_text,
    range_basis_text,
)
from planner.report.table import Table, text_table
from planner.scenario.base import HOURS_PER_YEAR, MILLION, SECONDS_PER_HOUR
from planner.scenario.durations import seconds_words
from planner.scenario.jobs import ServingJob
from planner.speed.hardware import first_known
from planner.speed.serving import NonLlmServing, ScaledRun, ServingResult, non_llm_serving
from pricing import Catalogue, PricingError

_MEMORY = SERVED_PARTS | {"unused_gb": "unused"}
_PERCENTILES = {"mean_ms": "mean", "p50_ms": "half", "p95_ms": "95 %", "p99_ms": "99 %"}
_COLUMNS = {
    "accelerator_label": "accelerator",
    "requests_per_s": "requests/s of one",
    "low": "low",
    "high": "high",
    "accelerators_at_peak": "at the peak",
    "usd_per_hour_at_peak": "USD/h then",
    "usd_per_million_requests": "USD/M requests",
}


def usd_per_million_tokens(result: ServingResult, cost: JobHourQuote | None, utilization: float) -> float | None:
    """Return dollars per 1e6 tokens written, prompts included, at a utilization of the accelerators."""
    if cost is None or not result.fits:
        return None
    return cost.usd_per_accelerator_hour / (result.output_tokens_per_accelerator_hour * utilization) * MILLION


def serving_title(job: ServingJob, result: ServingResult) -> str:
    """Return in one sentence whether it fits and how fast it is."""
    count = result.accelerators_per_replica * max(result.replicas, 1)
    cut = "" if job.mig_profile is None else f", slice {job.mig_profile}"
    work = f"{result.model} in {result.weight_precision} on {count:,} x {result.accelerator}{cut}"
    if not result.fits:
        return f"{work}: does not fit; {result.reason}."
    output_tokens = result.output_tokens_per_s / result.requests_per_s
    return (
        f"{work}: {result.output_tokens_per_s:,.0f} tokens/s written ({result.output_tokens_per_s_low:,.0f} to "
        f"{result.output_tokens_per_s_high:,.0f}), {result.requests_per_s:,.3g} requests/s of "
        f"{words.count(job.input_tokens, 'token')} in and {output_tokens:,.0f} out."
    )


def serving_text(
    job: ServingJob,
    result: ServingResult,
    cost: JobHourQuote | None,
    utilization: float,
    small: Sequence[str] = (),
    by_token: Sequence[str] = (),
) -> str:
    """Return the whole result, one section after the other."""
    sections = [("", serving_title(job, result))]
    if not result.fits:
        changes = bullet_list(
            f"{it.change}: {it.accelerators_per_replica} x {it.accelerator} a replica" for it in result.ways_to_fit
        )
        sections.append(("What would make it fit", changes or "Nothing that was tried."))
    else:
        usd, price = usd_per_million_tokens(result, cost, utilization), NO_OFFER
        if cost is not None and usd is not None:
            price = (
                f"{words.usd(usd)} for a million tokens written, prompts included, used {words.percent(utilization)} "
                f"of the time; {describe_offer(cost)}."
            )
        sections += [
            ("Speed", "\n".join(filter(None, _speed_lines(job, result)))),
            ("Latency", _growth_text(job, result) or text_table(_latency_table(result))),
            ("Cost", "\n".join([price, *by_token])),
            ("Memory of a replica", text_table(memory_table(result))),
            ("Where the time goes", text_table(time_table(result))),
        ]
    sections.append(("Does it need a GPU?", "\n".join(small)))
    sections.append(("Look at again", bullet_list(result.warnings)))
    return join_sections(sections)


def _growth_text(job: ServingJob, result: ServingResult) -> str:
    """Return the sentence for a queue that grows without end; empty where the service keeps up."""
    if not result.grows_without_end:
        return ""
    have, needed = job.accelerators, result.accelerators_at_average
    enough = f"; {words.count(needed, 'accelerator')} would take them" if needed else ""
    return (
        f"{job.requests_per_s:,g} requests/s are more than the {result.requests_per_s:,.3g} that {have:,} can answer: "
        f"the wait for the first token grows without end{enough}."
    )


def _latency_table(result: ServingResult) -> Table:
    """Return milliseconds to the first token and between tokens; empty without a request rate."""
    kinds = {"first token, ms": result.ttft, "further tokens, ms": result.tpot}
    return Table.of(
        {"time to": name, **{_PERCENTILES.get(key, key): value for key, value in asdict(latency).items()}}
        for name, latency in kinds.items()
        if latency is not None
    )


def memory_table(result: ServingResult) -> Table:
    """Return the memory of one replica, part by part."""
    memory = result.memory
    parts = [(_MEMORY[part.name], getattr(memory, part.name)) for part in fields(memory) if part.name in _MEMORY]
    return Table.listed(["part", "GB"], [*parts, ("all", memory.device_gb)])


def time_table(result: ServingResult) -> Table:
    """Return where the time goes, the largest part first."""
    parts = [(part.name, words.percent(part.share, 1)) for part in result.time_shares if part.share >= 5e-4]
    return Table.listed(["part", "share"], parts)


def serving_row(
    job: ServingJob, result: ServingResult, cost: JobHourQuote | None, utilization: float
) -> dict[str, Any]:
    """Return one flat record, for CSV."""
    values = {field.name: getattr(result, field.name) for field in fields(result)}
    row = {name: value for name, value in values.items() if isinstance(value, str | int | float | bool | None)}
    for name, latency in (("ttft", result.ttft), ("tpot", result.tpot)):
        row.pop(name, None)
        row |= {f"{name}_{part}": None if latency is None else getattr(latency, part) for part in ("mean_ms", "p99_ms")}
    return {
        **to_plain_data(row),
        "input_tokens": job.input_tokens,
        "output_tokens": job.output_tokens,
        "requests_at_once": result.requests_at_once,
        "runs_like_it": None if result.band is None else result.band.alike,
        "busy_share": utilization,
        "usd_per_million_output_tokens": usd_per_million_tokens(result, cost, utilization),
    }


def serving_data(
    job: ServingJob, result: ServingResult, cost: JobHourQuote | None, utilization: float
) -> dict[str, Any]:
    """Return the whole result as data."""
    usd = usd_per_million_tokens(result, cost, utilization)
    return {
        **to_plain_data(asdict(result)),
        "requests_at_once": finite(result.requests_at_once),
        "known": None if result.band is None else evidence_text(result.band),
        "title": serving_title(job, result),
        "offer": offer_data(cost),
        "busy_share": utilization,
        "usd_per_million_output_tokens": None if usd is None else finite(usd),
    }


def _speed_lines(job: ServingJob, result: ServingResult) -> list[str]:
    busy = result.replicas - result.idle_replicas
    on_each = f", {result.batch_per_replica:,.3g} on each of {busy:,}" if busy > 1 else ""
    needed = {"on average": result.accelerators_at_average, "at the peak": result.accelerators_at_peak}
    in_time, energy = result.requests_per_s_within_promise, result.joules_per_output_token
    return [
        f"{words.count(result.replicas, 'replica')} of {result.accelerators_per_replica}, "
        f"{words.count(round(result.requests_at_once), 'request')} at once{on_each} "
        f"(at most {result.most_requests_per_replica:,.0f} on each).",
        f"{in_time:,.3g} requests/s keep the promised latency."
        if result.ttft or result.grows_without_end
        else "No latency is promised.",
        *((first_token_confidence_text(result.first_token_band),) if result.first_token_band else ()),
        *(f"Needed {when}: {words.count(count, 'accelerator')}." for when, count in needed.items() if count),
        f"A new replica answers after {seconds_words(result.cold_start_s)}.",
        "" if result.band is None else f"{evidence_text(result.band)} {range_basis_text(result.band)}".rstrip(),
        "" if result.band is None or job.measured else measuring_text(result.band, training=False),
        "" if energy is None else f"{energy:.3g} J for each token written, accelerators only.",
    ]


class PricedWork(NamedTuple):
    """Other work on one accelerator, with the cost of an hour and the list price of one accelerator."""

    result: NonLlmServing
    label: str
    cost: JobHourQuote | None
    list_price_usd: float | None

    @property
    def usd_per_hour_at_peak(self) -> float | None:
        """Cost of the accelerators of the peak; None without an offer or a request rate. [USD/h]"""
        count = self.result.accelerators_at_peak
        return None if self.cost is None or count is None else self.cost.usd_per_accelerator_hour * count

    def usd_per_million_requests(self, utilization: float) -> float | None:
        """Return dollars per 1e6 requests at a utilization of the accelerators."""
        if self.cost is None or not self.result.fits:
            return None
        requests_per_hour = self.result.requests_per_s * SECONDS_PER_HOUR
        return self.cost.usd_per_accelerator_hour / (requests_per_hour * utilization) * MILLION


def priced(catalogue: Catalogue, result: NonLlmServing, day: date) -> PricedWork:
    """Return other work with the cheapest credible offer for the accelerators it needs."""
    needed = result.accelerators_at_average or result.accelerators_at_peak or 1
    cost = hired(catalogue, result.accelerator, accelerators=needed, hours=HOURS_PER_YEAR, together=1, day=day)
    list_price_usd = first_known(catalogue.accelerators[result.accelerator].price_usd)
    return PricedWork(result, catalogue.accelerator_label(result.accelerator), cost, list_price_usd)


def side_by_side(catalogue: Catalogue, job: ServingJob, day: date) -> list[PricedWork]:
    """Return the work on every accelerator that keeps the promise: cheapest first, those without a price last."""
    works = []
    for key in catalogue.accelerators:
        try:
            result = non_llm_serving(catalogue, job.model_copy(update={"accelerator": key, "mig_profile": None}))
        except PricingError:
            continue  # no published figure to scale the rate by
        if result.fits:
            works.append(priced(catalogue, result, day))
    return sorted(works, key=lambda work: (work.usd_per_hour_at_peak or float("inf"), -work.result.requests_per_s))


def accelerators_table(works: list[PricedWork]) -> Table:
    """Return the work on every accelerator, as a table for the screen and its file."""
    return Table.of(
        {
            "Accelerator": work.label,
            "Requests/h of one": words.round_significant(work.result.requests_per_s * SECONDS_PER_HOUR),
            words.LOW: words.round_significant(work.result.low * SECONDS_PER_HOUR),
            words.HIGH: words.round_significant(work.result.high * SECONDS_PER_HOUR),
            "At the peak": work.result.accelerators_at_peak,
            "USD an hour then": work.usd_per_hour_at_peak,
            "Rent from": None if work.cost is None else work.cost.provider,
            "Price checked": None if work.cost is None else work.cost.checked,
            "Rate": work.result.how,
        }
        for work in works
    )


def other_work_title(result: NonLlmServing, label: str) -> str:
    """Return in one sentence the accelerators needed on average and at the peak, and the source of the rate."""
    return f"{': '.join(filter(None, other_work_texts(result, label)))}."


def other_work_texts(result: NonLlmServing, label: str) -> tuple[str, str]:
    """Return the accelerators needed, and the rate of one; the second is empty without a rate."""
    if result.reason is not None:
        return result.reason, ""
    rate = f"one takes {format_request_rate(result.requests_per_s, result.low, result.high)}, {result.how}"
    if result.accelerators_at_peak is None:
        return f"{result.label} on {label}", rate
    low, high = result.accelerators_at_peak_low, result.accelerators_at_peak_high
    span = "" if low == high else f" ({low:,} to {high:,})"
    average = result.accelerators_at_average
    if average == result.accelerators_at_peak and not span:
        return f"{result.label} needs {average:,} x {label}", rate
    peak = f"{result.accelerators_at_peak:,}{span}"
    if average is None:
        return f"{result.label} needs {peak} x {label} at the peak", rate
    return f"{result.label} needs {average:,} x {label} on average and {peak} at the peak", rate


def known_run_texts(run: ScaledRun, label: str) -> tuple[str, str]:
    """Return the hours of a run, and their source."""
    low, high, hours, all_hours = (
        f"{words.round_significant(it):,g}" for it in (run.low, run.high, run.hours, run.accelerator_hours)
    )
    unit = "hour" if hours == "1" else "hours"
    together = f", {hours} {unit} on {run.accelerators:,}" if run.accelerators > 1 else ""
    around = "" if run.measured else f" ({low} to {high})"  # hours of this very GPU are as they were entered
    return f"{run.label} takes {all_hours} hours of one {label}{around}{together}", run.how


def format_request_rate(typical: float, low: float | None = None, high: float | None = None) -> str:
    """Return a rate with its range: 47.2 (28.3 to 75.6) an hour, where it is below one a minute."""
    per_hour, per_minute = (3_600.0, "an hour"), (60.0, "a minute")
    times, unit = (1.0, "a second") if typical >= 1 else per_minute if typical * 60 >= 1 else per_hour
    number, *ends = (f"{words.round_significant(it * times):,g}" for it in (typical, low, high) if it is not None)
    return f"{number} ({' to '.join(ends)}) {unit}" if ends else f"{number} {unit}"


def other_work_rows(works: list[PricedWork], utilization: float) -> list[dict[str, Any]]:
    """Return one record for each accelerator: rate, accelerators needed, cost of an hour and of requests."""
    rows = []
    for work in works:
        record = {name: value for name, value in asdict(work.result).items() if name != "warnings"}
        rows.append(
            {
                **to_plain_data(record),
                "accelerator_label": work.label,
                "usd_per_accelerator_hour": None if work.cost is None else work.cost.usd_per_accelerator_hour,
                "usd_per_hour_at_peak": work.usd_per_hour_at_peak,
                "usd_per_million_requests": work.usd_per_million_requests(utilization),
                "busy_share": utilization,
                "offer": None if work.cost is None else work.cost.offer,
                "list_price_usd": work.list_price_usd,
                "warnings": "; ".join(work.result.warnings),
            }
        )
    return rows


def other_work_text(works: list[PricedWork], utilization: float) -> str:
    """Return a sentence for each accelerator, then all of them side by side."""
    lines = [other_work_title(work.result, work.label) for work in works] + [_price_line(work) for work in works]
    rows = other_work_rows(works, utilization)
    table = Table({label: [row[name] for row in rows] for name, label in _COLUMNS.items()})
    notes = bullet_list(f"{work.label}: {warning}" for work in works for warning in work.result.warnings)
    return "\n\n".join(filter(None, ("\n".join(lines), text_table(table), notes)))


def _price_line(work: PricedWork) -> str:
    if work.cost is not None:
        return f"{work.label}: {describe_offer(work.cost)}."
    price = "" if work.list_price_usd is None else f"; one lists at {words.usd(work.list_price_usd)} without a machine"
    return f"{work.label}: no offer of the catalogue rents it by the hour{price}."
