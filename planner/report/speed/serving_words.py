"""A serving job worked out, as text for a terminal, a row for CSV and data for JSON."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import date
from typing import Any, NamedTuple

from planner.money.renting.cheapest_offer import JobHourQuote, hired
from planner.report import words
from planner.report.forms import NO_OFFER, bullet_list, describe_offer, finite, join_sections, offer_data, to_plain_data
from planner.report.speed.fit_words import SERVED_PARTS, evidence_text, first_token_confidence_text, held_words
from planner.report.table import Table, text_table
from planner.scenario.base import HOURS_PER_YEAR, MILLION, SECONDS_PER_HOUR
from planner.scenario.durations import seconds_words
from planner.scenario.jobs import ServingJob
from planner.speed.hardware import first_known
from planner.speed.serving import NonLlmServing, ScaledRun, ServingResult, non_llm_serving
from pricing import Catalogue, PricingError

_MEMORY = SERVED_PARTS | {"unused_gb": "unused"}


def usd_per_million_tokens(found: ServingResult, cost: JobHourQuote | None, busy_share: float) -> float | None:
    """Dollars for 1e6 tokens written, prompts included, where the accelerators are busy for that share of the time."""
    if cost is None or not found.fits:
        return None
    return cost.usd_per_accelerator_hour / (found.output_tokens_per_accelerator_hour * busy_share) * MILLION


def serving_title(job: ServingJob, found: ServingResult) -> str:
    """One sentence: whether it fits and how fast it is."""
    count = found.accelerators_per_replica * max(found.replicas, 1)
    cut = "" if job.mig_profile is None else f", slice {job.mig_profile}"
    what = f"{found.model} in {found.weight_precision} on {count:,} x {found.accelerator}{cut}"
    if not found.fits:
        return f"{what}: does not fit; {found.reason}."
    return (
        f"{what}: {found.output_tokens_per_s:,.0f} tokens/s written ({found.output_tokens_per_s_low:,.0f} to "
        f"{found.output_tokens_per_s_high:,.0f}), {found.requests_per_s:,.3g} requests/s of "
        f"{words.count(job.input_tokens, 'token')} in and {found.output_tokens_per_s / found.requests_per_s:,.0f} out."
    )


def serving_text(
    job: ServingJob,
    found: ServingResult,
    cost: JobHourQuote | None,
    busy_share: float,
    small: Sequence[str] = (),
    by_token: Sequence[str] = (),
) -> str:
    """Everything that is known of the job, one section after the other."""
    sections = [("", serving_title(job, found))]
    if not found.fits:
        ways = bullet_list(
            f"{way.change}: {way.accelerators_per_replica} x {way.accelerator} a replica" for way in found.ways_to_fit
        )
        sections.append(("What would make it fit", ways or "Nothing that was tried."))
    else:
        sections += [
            ("Speed", "\n".join(_speed(found))),
            ("Latency", text_table(latency_table(found))),
            ("Cost", "\n".join([*_cost(found, cost, busy_share), *by_token])),
            ("Memory of a replica", text_table(memory_table(found))),
            ("Where the time goes", text_table(time_table(found))),
        ]
    sections.append(("Does it need a GPU?", "\n".join(small)))
    sections.append(("Look at again", bullet_list(found.warnings)))
    return join_sections(sections)


def latency_table(found: ServingResult) -> Table:
    """Milliseconds to the first token and between tokens; empty where nothing arrives at a rate."""
    kinds = {"first token, ms": found.ttft, "further tokens, ms": found.tpot}
    names = {"mean_ms": "mean", "p50_ms": "half", "p95_ms": "95 %", "p99_ms": "99 %"}
    there = {name: asdict(latency) for name, latency in kinds.items() if latency is not None}
    return Table.of(
        {"time to": name, **{names.get(key, key): value for key, value in latency.items()}}
        for name, latency in there.items()
    )


def memory_table(found: ServingResult) -> Table:
    """What one replica holds, part by part."""
    memory = found.memory
    parts = [(_MEMORY[part.name], getattr(memory, part.name)) for part in fields(memory) if part.name in _MEMORY]
    return Table.listed(["part", "GB"], [*parts, ("all", memory.device_gb)])


def time_table(found: ServingResult) -> Table:
    """Where the time goes, the largest part first."""
    parts = [(part.name, words.percent(part.share, 1)) for part in found.time_shares if part.share >= 5e-4]
    return Table.listed(["part", "share"], parts)


def serving_row(job: ServingJob, found: ServingResult, cost: JobHourQuote | None, busy_share: float) -> dict[str, Any]:
    """One flat record, for CSV."""
    row: dict[str, Any] = {
        field.name: getattr(found, field.name)
        for field in fields(found)
        if isinstance(getattr(found, field.name), str | int | float | bool | None)
    }
    for name, latency in (("ttft", found.ttft), ("tpot", found.tpot)):
        row |= {f"{name}_{part}": None if latency is None else getattr(latency, part) for part in ("mean_ms", "p99_ms")}
    return {
        **to_plain_data({key: value for key, value in row.items() if key not in ("ttft", "tpot")}),
        "input_tokens": job.input_tokens,
        "output_tokens": job.output_tokens,
        "requests_at_once": found.requests_at_once,
        "runs_like_it": None if found.band is None else found.band.alike,
        "busy_share": busy_share,
        "usd_per_million_output_tokens": usd_per_million_tokens(found, cost, busy_share),
    }


def serving_data(job: ServingJob, found: ServingResult, cost: JobHourQuote | None, busy_share: float) -> dict[str, Any]:
    """All that is known of the job, as data."""
    usd = usd_per_million_tokens(found, cost, busy_share)
    return {
        **to_plain_data(asdict(found)),
        "requests_at_once": finite(found.requests_at_once),
        "known": None if found.band is None else evidence_text(found.band),
        "title": serving_title(job, found),
        "offer": offer_data(cost),
        "busy_share": busy_share,
        "usd_per_million_output_tokens": None if usd is None else finite(usd),
    }


def _speed(found: ServingResult) -> list[str]:
    within = found.requests_per_s_within_promise
    needed = {"on average": found.accelerators_at_average, "at the peak": found.accelerators_at_peak}
    energy = found.joules_per_output_token
    return [
        f"{words.count(found.replicas, 'replica')} of {found.accelerators_per_replica}, "
        f"{words.count(round(found.requests_at_once), 'request')} at once{_on_each(found)} "
        f"(at most {found.most_requests_per_replica:,.0f} on each).",
        f"{within:,.3g} requests/s keep the promised latency." if found.ttft else "No latency is promised.",
        *((first_token_confidence_text(found.first_token_band),) if found.first_token_band else ()),
        *(f"Needed {when}: {words.count(count, 'accelerator')}." for when, count in needed.items() if count),
        f"A new replica answers after {seconds_words(found.cold_start_s)}.",
        "" if found.band is None else f"{evidence_text(found.band)} {held_words(found.band)}".rstrip(),
        "" if energy is None else f"{energy:.3g} J for each token written, accelerators only.",
    ]


def _on_each(found: ServingResult) -> str:
    busy = found.replicas - found.idle_replicas
    return f", {found.batch_per_replica:,.3g} on each of {busy:,}" if busy > 1 else ""


def _cost(found: ServingResult, cost: JobHourQuote | None, busy_share: float) -> list[str]:
    usd = usd_per_million_tokens(found, cost, busy_share)
    if cost is None or usd is None:
        return [NO_OFFER]
    return [
        f"{words.usd(usd)} for a million tokens written, prompts included, busy {words.percent(busy_share)} of the "
        f"time; {describe_offer(cost)}."
    ]


class PricedWork(NamedTuple):
    """Other work on one accelerator with what an hour of it costs, and one of them at its list price."""

    found: NonLlmServing
    label: str
    cost: JobHourQuote | None
    list_price_usd: float | None


def priced(catalogue: Catalogue, found: NonLlmServing, day: date) -> PricedWork:
    """Other work with the cheapest offer that can be believed for as many accelerators as it takes."""
    record = catalogue.accelerators[found.accelerator]
    needed = found.accelerators_at_average or found.accelerators_at_peak or 1
    cost = hired(catalogue, found.accelerator, accelerators=needed, hours=HOURS_PER_YEAR, together=1, day=day)
    return PricedWork(found, catalogue.accelerator_label(found.accelerator), cost, first_known(record.price_usd))


def side_by_side(catalogue: Catalogue, job: ServingJob, day: date) -> list[PricedWork]:
    """The work on every accelerator that keeps the promise: cheapest first, those without a price last."""
    found = []
    for key in catalogue.accelerators:
        try:
            one = non_llm_serving(catalogue, job.model_copy(update={"accelerator": key, "mig_profile": None}))
        except PricingError:
            continue  # nobody published what the rate would be carried over by
        if one.fits:
            found.append(priced(catalogue, one, day))
    return sorted(found, key=lambda one: (usd_per_hour_at_peak(one) or float("inf"), -one.found.requests_per_s))


def accelerators_table(beside: list[PricedWork]) -> Table:
    """The work on every accelerator, as a table for the screen and its file."""
    rows = [
        {
            "Accelerator": one.label,
            "Requests/s of one": one.found.requests_per_s,
            words.LOW: one.found.low,
            words.HIGH: one.found.high,
            "At the peak": one.found.accelerators_at_peak,
            "USD an hour then": usd_per_hour_at_peak(one),
            "Rent from": None if one.cost is None else one.cost.provider,
            "Price checked": None if one.cost is None else one.cost.checked,
            "Rate": "measured" if one.found.measured else f"carried over from {one.found.carried_from}",
        }
        for one in beside
    ]
    return Table.of(rows)


def usd_per_hour_at_peak(one: PricedWork) -> float | None:
    """What as many as the peak takes cost an hour; None where nobody rents them or no rate is asked for."""
    count = one.found.accelerators_at_peak
    return None if one.cost is None or count is None else one.cost.usd_per_accelerator_hour * count


def other_work_title(found: NonLlmServing, label: str) -> str:
    """One sentence: how many it takes on average and at the peak, with the range, and where the rate is from."""
    return f"{': '.join(filter(None, other_work_texts(found, label)))}."


def other_work_texts(found: NonLlmServing, label: str) -> tuple[str, str]:
    """What the work needs, and how fast one accelerator is; the second is empty where there is no rate."""
    if found.reason is not None:
        return found.reason, ""
    rate = f"one takes {format_request_rate(found.requests_per_s, found.low, found.high)}, {found.how}"
    if found.accelerators_at_peak is None:
        return f"{found.label} on {label}", rate
    low, high = found.accelerators_at_peak_low, found.accelerators_at_peak_high
    span = "" if low == high else f" ({low:,} to {high:,})"
    average = found.accelerators_at_average
    if average == found.accelerators_at_peak and not span:
        return f"{found.label} needs {average:,} x {label}", rate
    usual = "" if average is None else f"{average:,} x {label} on average and "
    tail = "" if usual else f" x {label}"
    return f"{found.label} needs {usual}{found.accelerators_at_peak:,}{span}{tail} at the peak", rate


def known_run_title(found: ScaledRun, label: str) -> str:
    """One sentence: the hours of the run on these accelerators, with the range, and where they are from."""
    return f"{': '.join(known_run_texts(found, label))}."


def known_run_texts(found: ScaledRun, label: str) -> tuple[str, str]:
    """The hours of a run, and where they are from."""
    span = f"{words.round_significant(found.low):,g} to {words.round_significant(found.high):,g}"
    together = (
        f", {words.round_significant(found.hours):,g} hours on {found.accelerators:,}" if found.accelerators > 1 else ""
    )
    hours = f"{words.round_significant(found.accelerator_hours):,g}"
    return f"{found.label} takes {hours} hours of one {label} ({span}){together}", found.how


def format_request_rate(typical: float, low: float | None = None, high: float | None = None) -> str:
    """So many requests a second with their range: 47.2 (28.3 to 75.6) an hour, where a second is too short."""
    times, unit = (
        (1.0, "a second") if typical >= 1 else (60.0, "a minute") if typical * 60 >= 1 else (3_600.0, "an hour")
    )
    number, *ends = (f"{words.round_significant(one * times):,g}" for one in (typical, low, high) if one is not None)
    return f"{number} ({' to '.join(ends)}) {unit}" if ends else f"{number} {unit}"


def usd_per_million_requests(found: NonLlmServing, cost: JobHourQuote | None, busy_share: float) -> float | None:
    """Dollars for 1e6 requests where the accelerators are busy for that share of the time."""
    if cost is None or not found.fits:
        return None
    return cost.usd_per_accelerator_hour / (found.requests_per_s * SECONDS_PER_HOUR * busy_share) * MILLION


def other_work_rows(every: list[PricedWork], busy_share: float) -> list[dict[str, Any]]:
    """One record for each accelerator: how fast, how many it takes, what an hour of them and a request cost."""
    rows = []
    for one in every:
        found, label, cost, list_price_usd = one
        record = {name: value for name, value in asdict(found).items() if name != "warnings"}
        rows.append(
            {
                **to_plain_data(record),
                "accelerator_label": label,
                "usd_per_accelerator_hour": None if cost is None else cost.usd_per_accelerator_hour,
                "usd_per_hour_at_peak": usd_per_hour_at_peak(one),
                "usd_per_million_requests": usd_per_million_requests(found, cost, busy_share),
                "busy_share": busy_share,
                "offer": None if cost is None else cost.offer,
                "list_price_usd": list_price_usd,
                "warnings": "; ".join(found.warnings),
            }
        )
    return rows


_COLUMNS = {
    "accelerator_label": "accelerator",
    "requests_per_s": "requests/s of one",
    "low": "low",
    "high": "high",
    "accelerators_at_peak": "at the peak",
    "usd_per_hour_at_peak": "USD/h then",
    "usd_per_million_requests": "USD/M requests",
}


def other_work_text(every: list[PricedWork], busy_share: float) -> str:
    """A sentence for each accelerator, then all of them side by side."""
    said = [other_work_title(one.found, one.label) for one in every] + [_price(one) for one in every]
    rows = other_work_rows(every, busy_share)
    table = Table({label: [row[name] for row in rows] for name, label in _COLUMNS.items()})
    notes = bullet_list(f"{one.label}: {note}" for one in every for note in one.found.warnings)
    parts = ("\n".join(said), text_table(table), notes)
    return "\n\n".join(part for part in parts if part)


def _price(one: PricedWork) -> str:
    if one.cost is not None:
        return f"{one.label}: {describe_offer(one.cost)}."
    price = "" if one.list_price_usd is None else f"; one lists at {words.usd(one.list_price_usd)} without a machine"
    return f"{one.label}: no offer of the catalogue rents it by the hour{price}."
