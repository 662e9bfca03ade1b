"""A serving job worked out, as text for a terminal, a row for CSV and data for JSON."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from planner.money.renting.job_hour import Hired
from planner.report import words
from planner.report.forms import NO_OFFER, bullets, finite, hired_words, in_sections, offer_data, plain_data
from planner.report.speed.band_words import first_token_words, held_words, known_words
from planner.report.speed.fit_words import SERVED_PARTS
from planner.report.table import Table
from planner.report.text_table import text_table
from planner.scenario.base import MILLION
from planner.scenario.durations import seconds_words
from planner.scenario.serving_job import ServingJob
from planner.speed.serving import Serving

_MEMORY = SERVED_PARTS | {"unused_gb": "unused"}


def usd_per_million_tokens(found: Serving, cost: Hired | None, busy_share: float) -> float | None:
    """Dollars for 1e6 tokens written, prompts included, where the accelerators are busy for that share of the time."""
    if cost is None or not found.fits:
        return None
    return cost.usd_per_accelerator_hour / (found.output_tokens_per_accelerator_hour * busy_share) * MILLION


def serving_title(job: ServingJob, found: Serving) -> str:
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
    found: Serving,
    cost: Hired | None,
    busy_share: float,
    small: Sequence[str] = (),
    by_token: Sequence[str] = (),
) -> str:
    """Everything that is known of the job, one section after the other."""
    sections = [("", serving_title(job, found))]
    if not found.fits:
        ways = bullets(
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
    sections.append(("Look at again", bullets(found.warnings)))
    return in_sections(sections)


def latency_table(found: Serving) -> Table:
    """Milliseconds to the first token and between tokens; empty where nothing arrives at a rate."""
    kinds = {"first token, ms": found.ttft, "further tokens, ms": found.tpot}
    names = {"mean_ms": "mean", "p50_ms": "half", "p95_ms": "95 %", "p99_ms": "99 %"}
    there = {name: asdict(latency) for name, latency in kinds.items() if latency is not None}
    return Table.of(
        {"time to": name, **{names.get(key, key): value for key, value in latency.items()}}
        for name, latency in there.items()
    )


def memory_table(found: Serving) -> Table:
    """What one replica holds, part by part."""
    memory = found.memory
    parts = [(_MEMORY[part.name], getattr(memory, part.name)) for part in fields(memory) if part.name in _MEMORY]
    return Table.listed(["part", "GB"], [*parts, ("all", memory.device_gb)])


def time_table(found: Serving) -> Table:
    """Where the time goes, the largest part first."""
    parts = [(part.name, words.percent(part.share, 1)) for part in found.time_shares if part.share >= 5e-4]
    return Table.listed(["part", "share"], parts)


def serving_row(job: ServingJob, found: Serving, cost: Hired | None, busy_share: float) -> dict[str, Any]:
    """One flat record, for CSV."""
    row: dict[str, Any] = {
        field.name: getattr(found, field.name)
        for field in fields(found)
        if isinstance(getattr(found, field.name), str | int | float | bool | None)
    }
    for name, latency in (("ttft", found.ttft), ("tpot", found.tpot)):
        row |= {f"{name}_{part}": None if latency is None else getattr(latency, part) for part in ("mean_ms", "p99_ms")}
    return {
        **plain_data({key: value for key, value in row.items() if key not in ("ttft", "tpot")}),
        "input_tokens": job.input_tokens,
        "output_tokens": job.output_tokens,
        "requests_at_once": found.requests_at_once,
        "runs_like_it": None if found.band is None else found.band.alike,
        "busy_share": busy_share,
        "usd_per_million_output_tokens": usd_per_million_tokens(found, cost, busy_share),
    }


def serving_data(job: ServingJob, found: Serving, cost: Hired | None, busy_share: float) -> dict[str, Any]:
    """All that is known of the job, as data."""
    usd = usd_per_million_tokens(found, cost, busy_share)
    return {
        **plain_data(asdict(found)),
        "requests_at_once": finite(found.requests_at_once),
        "known": None if found.band is None else known_words(found.band),
        "title": serving_title(job, found),
        "offer": offer_data(cost),
        "busy_share": busy_share,
        "usd_per_million_output_tokens": None if usd is None else finite(usd),
    }


def _speed(found: Serving) -> list[str]:
    within = found.requests_per_s_within_promise
    needed = {"on average": found.accelerators_at_average, "at the peak": found.accelerators_at_peak}
    energy = found.joules_per_output_token
    return [
        f"{words.count(found.replicas, 'replica')} of {found.accelerators_per_replica}, "
        f"{words.count(round(found.requests_at_once), 'request')} at once{_on_each(found)} "
        f"(at most {found.most_requests_per_replica:,.0f} on each).",
        f"{within:,.3g} requests/s keep the promised latency." if found.ttft else "No latency is promised.",
        *((first_token_words(found.first_token_band),) if found.first_token_band else ()),
        *(f"Needed {when}: {words.count(count, 'accelerator')}." for when, count in needed.items() if count),
        f"A new replica answers after {seconds_words(found.cold_start_s)}.",
        "" if found.band is None else f"{known_words(found.band)} {held_words(found.band)}".rstrip(),
        "" if energy is None else f"{energy:.3g} J for each token written, accelerators only.",
    ]


def _on_each(found: Serving) -> str:
    busy = found.replicas - found.idle_replicas
    return f", {found.batch_per_replica:,.3g} on each of {busy:,}" if busy > 1 else ""


def _cost(found: Serving, cost: Hired | None, busy_share: float) -> list[str]:
    usd = usd_per_million_tokens(found, cost, busy_share)
    if cost is None or usd is None:
        return [NO_OFFER]
    return [
        f"{words.usd(usd)} for a million tokens written, prompts included, busy {words.percent(busy_share)} of the "
        f"time; {hired_words(cost)}."
    ]
