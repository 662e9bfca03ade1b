"""The Speed page's tables and the findings above them: memory, where the speed goes, layouts, published runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.evidence.checked import CheckedRun, group_of, skip_counts
from planner.evidence.nearest import PublishedRun, SimilarRun
from planner.report import words
from planner.report.speed.fit_words import MEMORY_PARTS, SERVED_PARTS, evidence_text
from planner.report.speed.serving_words import time_table
from planner.report.speed.training_words import layouts_table
from planner.report.table import Table
from planner.scenario.durations import seconds_words
from planner.speed.bands import Band
from planner.speed.serving import ServingResult
from planner.speed.serving.serve import ServingVariant
from planner.speed.training import TrainingResult
from planner.speed.training.result import PEAK, TrainingSpeed, WaterfallStep
from planner.speed.training.savings import AS_IT_IS, MemorySaving

_AS_MUCH, _TELLS = 0.005, 0.1  # no more is as much; a part below this share of the one that grew most is not named
_KINDS = {
    "dense_layout_stated": "dense, layout stated",
    "dense_layout_chosen": "dense, layout chosen by us",
    "moe": "mixture of experts",
    "single": "engines for one user",
}


@dataclass(frozen=True)
class StackedBar:
    """One bar of stacked parts: what it is, what to say of it, and its parts in the order of the legend."""

    label: str
    note: str
    amounts: tuple[float, ...]

    @property
    def total(self) -> float:
        """The sum of all parts of the bar."""
        return sum(self.amounts)


def memory_bars(found: Sequence[MemorySaving]) -> list[StackedBar]:
    """What the fullest accelerator holds, for the plan and for each way to save."""
    now = found[0].tokens_per_s_per_accelerator
    return [
        StackedBar(
            _first(one.words),
            f"{_gb(float(one.memory.total_gb))}, {_fits(one.fits)}{_slower(one, now)}"
            f"{_extra_memory_text(one, found[0])}",
            tuple(float(getattr(one.memory, name)) for name in MEMORY_PARTS),
        )
        for one in found
    ]


def _extra_memory_text(one: MemorySaving, now: MemorySaving) -> str:
    """Which parts of a way need more than the plan does, and how much, so that nobody takes it for a slip."""
    above = float(one.memory.total_gb) - float(now.memory.total_gb)
    if above <= float(now.memory.total_gb) * _AS_MUCH:
        return ""
    more = {label: float(getattr(one.memory, name) - getattr(now.memory, name)) for name, label in MEMORY_PARTS.items()}
    least = _TELLS * max(more.values())
    grown = words.listed(f"{label} {_gb(size)}" for label, size in more.items() if size >= least)
    return f"; {_gb(above)} more than {AS_IT_IS}: {grown}"


def _slower(one: MemorySaving, now: float) -> str:
    if one.words == AS_IT_IS or not np.isfinite(one.tokens_per_s_per_accelerator) or now <= 0:
        return ""
    change = one.tokens_per_s_per_accelerator / now - 1
    if abs(change) < 0.005:
        return ", as fast"
    return f", {words.percent(abs(change))} {'faster' if change > 0 else 'slower'}"


def _fits(fits: bool) -> str:
    return "fits" if fits else "does not fit"


def _gb(value: float) -> str:
    return f"{value:,.0f} GB" if value >= 100 else f"{value:.3g} GB"


def _first(text: str) -> str:
    return text[:1].upper() + text[1:]


def memory_finding(found: Sequence[MemorySaving], memory_gb: float) -> str:
    """What the stacks show, in words."""
    now = found[0]
    parts = sorted(((float(getattr(now.memory, name)), label) for name, label in MEMORY_PARTS.items()), reverse=True)
    largest = words.listed(f"{label} {_gb(size)}" for size, label in parts[:3])
    total = f"{_gb(float(now.memory.total_gb))} of {_gb(memory_gb)}"
    others = [one for one in found[1:] if one.fits]
    if not now.fits:
        saved = "; ".join(one.words for one in others)
        return f"The leanest layout needs {total}: {largest}. {_fitting_options_text(saved)}"
    leanest = min(others, key=lambda one: float(one.memory.total_gb), default=None)
    said = f"The fullest accelerator holds {total}: {largest}."
    if leanest is None or float(leanest.memory.total_gb) >= float(now.memory.total_gb):
        return said
    return f"{said} The most is saved by this: {leanest.words} ({_gb(float(leanest.memory.total_gb))})."


def _fitting_options_text(ways: str) -> str:
    return f"It would fit in each of these ways: {ways}." if ways else "Nothing that was tried makes it fit."


def memory_table(bars: Sequence[StackedBar], parts: Mapping[str, str], limit_gb: Sequence[float]) -> Table:
    """The bars as numbers, with the line they stand against."""
    return Table.of(
        [
            {"GB": bar.label, **dict(zip(parts.values(), bar.amounts, strict=True)), "all": bar.total,
             "there are": limit, "result": bar.note}
            for bar, limit in zip(bars, limit_gb, strict=True)
        ]
    )  # fmt: skip


def serving_memory_bars(found: Sequence[ServingVariant]) -> list[StackedBar]:
    """What each accelerator of a replica holds, for the service as it is and with one setting changed."""
    return [StackedBar(_first(one.words), _served_note(one.found), _served_amounts(one.found)) for one in found]


def _served_amounts(found: ServingResult) -> tuple[float, ...]:
    each = found.accelerators_per_replica
    return tuple(float(getattr(found.memory, name)) / each for name in SERVED_PARTS)


def _served_note(found: ServingResult) -> str:
    on = f"on {found.accelerators_per_replica}"
    if not found.fits:
        return f"{on}: does not fit"
    each = found.output_tokens_per_s / max(found.replicas, 1) / found.accelerators_per_replica
    return f"{on}: {found.batch_per_replica:,.0f} at once, {words.round_significant(each):,.0f} tokens/s each"


def serving_memory_summary(found: Sequence[ServingVariant]) -> str:
    """What the stacks of a service show."""
    now = found[0].found
    if not now.fits:
        good = "; ".join(one.words for one in found[1:] if one.found.fits)
        return f"{_first(now.reason or 'it does not fit')}. {_fitting_options_text(good)}"
    memory, each = now.memory, now.accelerators_per_replica
    return (
        f"Weights take {_gb(memory.weights_gb / each)} of the {_gb(memory.device_gb / each)} of each accelerator and "
        f"leave room for {words.count(round(now.batch_per_replica), 'request')} at once, each with "
        f"{1e3 * memory.cache_gb_per_request:,.3g} MB of cache."
    )


def serving_memory_limits(found: Sequence[ServingVariant]) -> list[float]:
    """What each accelerator really has, by bar."""
    return [one.found.memory.device_gb / one.found.accelerators_per_replica for one in found]


def efficiency_loss_summary(steps: Sequence[WaterfallStep]) -> str:
    """Where most of the speed goes."""
    peak, last = steps[0].after, steps[-1].after
    worst = sorted(steps[1:], key=lambda one: -one.lost)[:2]
    lost = words.listed(f"{one.words} ({words.percent(one.lost / peak)})" for one in worst)
    return (
        f"Of {words.round_significant(peak):,.0f} tokens/s that the peak would give, "
        f"{words.round_significant(last):,.0f} count in the end ({words.percent(last / peak)}). "
        f"The most goes to {lost}."
    )


def efficiency_loss_table(steps: Sequence[WaterfallStep]) -> Table:
    """Each loss in tokens a second and as a share of the peak."""
    peak = steps[0].after
    rows = [
        {"stair": _first(one.words), "tokens/s lost": None if one.name == PEAK else one.lost,
         "tokens/s left": one.after, "share of the peak left": one.after / peak}
        for one in steps
    ]  # fmt: skip
    return Table.of(rows)


def time_share_summary(found: ServingResult) -> str:
    """Where most of the time of a service goes."""
    most = words.listed(f"{part.name} ({words.percent(part.share)})" for part in found.time_shares[:2])
    return f"A full batch spends most of its time on {most}."


def time_share_table(found: ServingResult) -> Table:
    """Where the time goes, the largest part first."""
    return time_table(found)


def runners_up(speed: TrainingSpeed) -> Table:
    """The layout chosen and those that come next, with what each gives up."""
    table = layouts_table(speed)
    best, *_ = rates = [float(rate) for rate in table["tokens/s each"]]
    places = ["chosen", *(f"runner-up {place}" for place in range(1, len(table)))]
    return Table({"layout": places, **table.cells, "slower": [1 - rate / best for rate in rates]})


def layouts_finding(found: TrainingResult) -> str:
    """How many layouts were weighed and how close the next ones come."""
    were = "was" if found.layouts_evaluated == 1 else "were"
    fit = "fits" if found.layouts_fitting == 1 else "fit"
    said = f"{words.count(found.layouts_evaluated, 'layout')} {were} weighed and {found.layouts_fitting:,} {fit}."
    speed = found.speed
    if speed is None or not speed.runners_up:
        return said
    loss = 1 - speed.runners_up[0].tokens_per_s_per_accelerator / speed.layout.tokens_per_s_per_accelerator
    close = "as fast" if loss < 0.005 else f"{words.percent(loss)} slower"
    return f"{said} The next best is {close}; some of the speed is free to be traded for memory."


def excluded_table(found: TrainingResult) -> Table:
    """Why other layouts were not taken."""
    reasons = [(reason, number) for reason, number in found.excluded.items() if number]
    return Table.listed(["not taken because", "layouts"], sorted(reasons, key=lambda one: -one[1]))


def accuracy_summary(runs: Sequence[PublishedRun], near_share: float) -> str:
    """Half of the runs are within so much; so many of 100 within the drawn band."""
    group = group_of("all", "all", [run.error for run in runs])
    within = group.within_20 if near_share <= 0.2 else group.within_25
    half, near = words.percent(group.median_error), words.percent(near_share)
    return f"Half of {group.n:,} published runs are within {half}; {words.format_futures_share(within)} within {near}"


FITTED = (
    "Most of these runs were fitted, so the picture flatters. Left out of the fit with all of their source, four of "
    "five runs of each kind were between these two ends of what was then predicted. The range this page shows goes by "
    "that, and is wider where no run is like yours."
)


def runs_table(runs: Sequence[PublishedRun]) -> Table:
    """Every published run beside what is predicted of it."""
    return Table.of(
        [
            {
                "Run": run.id,
                "Model": run.traits.network.label,
                "Accelerator": run.traits.chip,
                "How many": run.traits.work.accelerators,
                "Published": run.published,
                "Predicted": run.predicted,
                "Off by": float(np.expm1(run.error)),
                "By": run.title,
                "Source": run.url,
            }
            for run in runs
        ]
    )


def skipped_runs_text(checked: Sequence[CheckedRun]) -> str:
    """How many were not compared, and the most frequent reasons."""
    reasons = skip_counts(checked)
    if not reasons:
        return ""
    told = "; ".join(f"{number:,}: {why}" for why, number in list(reasons.items())[:3])
    return f"{sum(reasons.values()):,} of {words.count(len(checked), 'run')} are not predicted. {told}."


def bands_table(bands: Mapping[str, Band], labels: Mapping[str, str]) -> Table:
    """What runs were over predictions that had not seen their source: four of five lie between the two ends."""
    ours = {name: band for name, band in bands.items() if not name.startswith("own_runs/")}  # those are about yours
    most = sorted(ours.items(), key=lambda one: ("/" in one[0], one[0].startswith("chip/"), -one[1].rows))
    columns = ("left out of the fit", "runs", "four of five from", "to")
    rows = [(_kind(name, labels), band.rows, band.low - 1, band.high - 1) for name, band in most]
    return Table.listed(columns, rows)


def _kind(name: str, labels: Mapping[str, str]) -> str:
    kind, _, chip = name.partition("/")
    return labels.get(chip, chip) if chip else _KINDS.get(kind, kind)


def nearest_runs_table(near: Sequence[SimilarRun], labels: Mapping[str, str]) -> Table:
    """The published runs most like the job, the nearest first."""
    return Table.of([_near_row(one, labels) for one in near])


def _near_row(one: SimilarRun, labels: Mapping[str, str]) -> dict[str, object]:
    run, chip = one.run, one.run.traits.chip
    doubt = (f"not fitted: {run.doubt}",) if run.doubt else ()
    return {
        "Model": run.traits.network.label,
        "On": f"{run.traits.work.accelerators:,.0f} x {labels.get(chip, chip)}",
        "Published": run.published,
        "Predicted": run.predicted,
        "Off by": float(np.exp(run.error) - 1),
        "Like yours": ", ".join(one.shared_traits) or "–",
        "Differs": ", ".join((*one.differs, *doubt)) or "–",
        "When": run.when,
        "By": run.title,
        "Source": run.url,
    }


def nearest_runs_summary(near: Sequence[SimilarRun]) -> str:
    """How far off our predictions are on the runs most like the job."""
    if not near:
        return "No published run is like this one."
    first = near[0]
    off = float(np.exp(first.run.error) - 1)
    way = "as published" if abs(off) < 0.005 else f"{words.percent(abs(off))} {'above' if off > 0 else 'below'} it"
    median = float(np.median(np.abs([one.run.error for one in near])))
    what = (
        f"{first.run.traits.network.label} on {words.count(round(first.run.traits.work.accelerators), 'accelerator')}"
    )
    return (
        f"The nearest published run is {what} ({first.run.title}): we say {way}. Half of the {len(near)} nearest are "
        f"within {words.percent(median)}."
    )


def service_table(found: ServingResult) -> Table:
    """How a service is laid out, and what it needs."""
    said: dict[str, str] = {
        "Accelerators of one replica": f"{found.accelerators_per_replica:,}",
        "Weights kept in": found.weight_precision,
        "Requests at once on a replica": f"{found.batch_per_replica:,.0f}",
        "Requests/s of a replica in time": f"{found.requests_per_s_within_promise / max(found.replicas, 1):,.3g}",
        "Accelerators for the average": _count(found.accelerators_at_average),
        "Accelerators for the peak": _count(found.accelerators_at_peak),
        "Until a new replica answers": seconds_words(found.cold_start_s),
        "Energy of a token written": "not known" if found.joules_per_output_token is None
        else f"{found.joules_per_output_token:.3g} J, accelerators only",
        "Runs that the range goes by": "" if found.band is None else evidence_text(found.band),
    }  # fmt: skip
    return Table.listed(["layout", "is"], said.items())


def _count(number: int | None) -> str:
    return "no rate was asked for" if number is None else f"{number:,}"
