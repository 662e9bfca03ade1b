"""The Speed page's tables and the findings above them: memory, losses, layouts, published runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.evidence.checked import CheckedRun, group_of, skip_counts
from planner.evidence.nearest import PublishedRun, SimilarRun
from planner.report import words
from planner.report.speed.fit_words import MEMORY_PARTS, SERVED_PARTS, evidence_text
from planner.report.speed.training_words import layouts_table
from planner.report.table import Table
from planner.scenario.durations import seconds_words
from planner.speed.bands import Band
from planner.speed.serving import ServingResult
from planner.speed.serving.serve import ServingVariant
from planner.speed.training import TrainingResult
from planner.speed.training.result import PEAK, TrainingSpeed, WaterfallStep
from planner.speed.training.savings import AS_IT_IS, MemorySaving

_SAME, _NAMED = 0.005, 0.1  # shares: a smaller change is none; a smaller part of the largest growth is not named
_KINDS = {
    "dense_layout_stated": "dense, layout stated",
    "dense_layout_chosen": "dense, layout chosen by us",
    "moe": "mixture of experts",
    "single": "engines for one user",
}
FITTED = (
    "Most of these runs were fitted, so the picture flatters. With their source left out of the fit, four of five runs "
    "of each kind lie between these ends. The range on this page follows that, and is wider where no run is like yours."
)


@dataclass(frozen=True)
class StackedBar:
    """One bar of stacked parts: label, note, and amounts in the order of the legend."""

    label: str
    note: str
    amounts: tuple[float, ...]

    @property
    def total(self) -> float:
        """The sum of all parts of the bar."""
        return sum(self.amounts)


def _gb(value: float) -> str:
    return f"{value:,.0f} GB" if value >= 100 else f"{value:.3g} GB"


def memory_bars(variants: Sequence[MemorySaving]) -> list[StackedBar]:
    """Return the memory of the fullest accelerator, for the plan and for each saving."""
    plan, bars = variants[0], []
    for it in variants:
        total = float(it.memory.total_gb)
        note = f"{_gb(total)}, {'fits' if it.fits else 'does not fit'}{_speed_change(it, plan)}"
        above = total - float(plan.memory.total_gb)
        if above > float(plan.memory.total_gb) * _SAME:  # so that nobody takes a higher bar for a slip
            growth = {label: float(getattr(it.memory, name) - getattr(plan.memory, name))
                      for name, label in MEMORY_PARTS.items()}  # fmt: skip
            least = _NAMED * max(growth.values())
            named = words.listed(f"{label} {_gb(size)}" for label, size in growth.items() if size >= least)
            note += f"; {_gb(above)} more than {AS_IT_IS}: {named}"
        amounts = tuple(float(getattr(it.memory, name)) for name in MEMORY_PARTS)
        bars.append(StackedBar(words.upper_first(it.words), note, amounts))
    return bars


def _speed_change(variant: MemorySaving, plan: MemorySaving) -> str:
    now, then = plan.tokens_per_s_per_accelerator, variant.tokens_per_s_per_accelerator
    if variant.words == AS_IT_IS or not np.isfinite(then) or now <= 0:
        return ""
    change = then / now - 1
    if abs(change) < _SAME:
        return ", as fast"
    return f", {words.percent(abs(change))} {'faster' if change > 0 else 'slower'}"


def memory_finding(variants: Sequence[MemorySaving], memory_gb: float) -> str:
    """Return the result of the memory bars in words."""
    plan = variants[0]
    total_gb = float(plan.memory.total_gb)
    parts = sorted(((float(getattr(plan.memory, name)), label) for name, label in MEMORY_PARTS.items()), reverse=True)
    largest = words.listed(f"{label} {_gb(size)}" for size, label in parts[:3])
    total, fitting = f"{_gb(total_gb)} of {_gb(memory_gb)}", [it for it in variants[1:] if it.fits]
    if not plan.fits:
        return f"The leanest layout needs {total}: {largest}. {_changes_text([it.words for it in fitting])}"
    leanest = min(fitting, key=lambda it: float(it.memory.total_gb), default=None)
    text = f"The fullest accelerator holds {total}: {largest}."
    if leanest is None or float(leanest.memory.total_gb) >= total_gb:
        return text
    return f"{text} The largest saving: {leanest.words} ({_gb(float(leanest.memory.total_gb))})."


def _changes_text(changes: Sequence[str]) -> str:
    if not changes:
        return "Nothing that was tried makes it fit."
    return f"Each of these changes makes it fit: {'; '.join(changes)}."


def memory_table(bars: Sequence[StackedBar], parts: Mapping[str, str], limit_gb: Sequence[float]) -> Table:
    """Return the bars as numbers, with the memory there is."""
    return Table.of(
        {"GB": bar.label, **dict(zip(parts.values(), bar.amounts, strict=True)), "all": bar.total,
         "there are": limit, "result": bar.note}
        for bar, limit in zip(bars, limit_gb, strict=True)
    )  # fmt: skip


def serving_memory_bars(variants: Sequence[ServingVariant]) -> list[StackedBar]:
    """Return the memory of each accelerator of a replica, for the service and with one setting changed."""
    bars = []
    for variant in variants:
        result, each = variant.result, variant.result.accelerators_per_replica
        note = f"on {each}: does not fit"
        if result.fits:
            rate = words.round_significant(result.output_tokens_per_s / max(result.replicas, 1) / each)
            note = f"on {each}: {result.batch_per_replica:,.0f} at once, {rate:,.0f} tokens/s each"
        amounts = tuple(float(getattr(result.memory, name)) / each for name in SERVED_PARTS)
        bars.append(StackedBar(words.upper_first(variant.words), note, amounts))
    return bars


def serving_memory_summary(variants: Sequence[ServingVariant]) -> str:
    """Return the result of the memory bars of a service."""
    result = variants[0].result
    if not result.fits:
        changes = [variant.words for variant in variants[1:] if variant.result.fits]
        return f"{words.upper_first(result.reason or 'it does not fit')}. {_changes_text(changes)}"
    memory, each = result.memory, result.accelerators_per_replica
    return (
        f"Weights take {_gb(memory.weights_gb / each)} of the {_gb(memory.device_gb / each)} of each accelerator. They "
        f"leave space for {words.count(round(result.batch_per_replica), 'request')} at once, each with "
        f"{1e3 * memory.cache_gb_per_request:,.3g} MB of cache."
    )


def serving_memory_limits(variants: Sequence[ServingVariant]) -> list[float]:
    """Return the memory of each accelerator, by bar."""
    return [variant.result.memory.device_gb / variant.result.accelerators_per_replica for variant in variants]


def efficiency_loss_summary(steps: Sequence[WaterfallStep]) -> str:
    """Return where most of the speed is lost."""
    peak, last = steps[0].after, steps[-1].after
    worst = sorted(steps[1:], key=lambda step: -step.lost)[:2]
    lost = words.listed(f"{step.words} ({words.percent(step.lost / peak)})" for step in worst)
    return (
        f"Of {words.round_significant(peak):,.0f} tokens/s that the peak would give, "
        f"{words.round_significant(last):,.0f} count in the end ({words.percent(last / peak)}). "
        f"Most is lost to {lost}."
    )


def efficiency_loss_table(steps: Sequence[WaterfallStep]) -> Table:
    """Return each loss in tokens a second and as a share of the peak."""
    peak = steps[0].after
    return Table.of(
        {"stair": words.upper_first(step.words), "tokens/s lost": None if step.name == PEAK else step.lost,
         "tokens/s left": step.after, "share of the peak left": step.after / peak}
        for step in steps
    )  # fmt: skip


def time_share_summary(result: ServingResult) -> str:
    """Return where most of the time of a service goes."""
    most = words.listed(f"{part.name} ({words.percent(part.share)})" for part in result.time_shares[:2])
    return f"A full batch spends most of its time on {most}."


def runners_up(speed: TrainingSpeed) -> Table:
    """Return the chosen layout and the runners-up, with the speed that each gives up."""
    table = layouts_table(speed)
    best, *_ = rates = [float(rate) for rate in table["tokens/s each"]]
    ranks = ["chosen", *(f"runner-up {place}" for place in range(1, len(table)))]
    return Table({"layout": ranks, **table.cells, "slower": [1 - rate / best for rate in rates]})


def layouts_finding(result: TrainingResult) -> str:
    """Return how many layouts were weighed and how close the next ones come."""
    were = "was" if result.layouts_evaluated == 1 else "were"
    fit = "fits" if result.layouts_fitting == 1 else "fit"
    text = f"{words.count(result.layouts_evaluated, 'layout')} {were} weighed and {result.layouts_fitting:,} {fit}."
    speed = result.speed
    if speed is None or not speed.runners_up:
        return text
    loss = 1 - speed.runners_up[0].tokens_per_s_per_accelerator / speed.layout.tokens_per_s_per_accelerator
    close = "as fast" if loss < _SAME else f"{words.percent(loss)} slower"
    return f"{text} The next best is {close}; some of the speed is free to be traded for memory."


def excluded_table(result: TrainingResult) -> Table:
    """Return why other layouts were not chosen."""
    reasons = [(reason, number) for reason, number in result.excluded.items() if number]
    return Table.listed(["not taken because", "layouts"], sorted(reasons, key=lambda row: -row[1]))


def accuracy_summary(runs: Sequence[PublishedRun], near_share: float) -> str:
    """Return the median error, and how many of 100 runs are within the drawn band."""
    group = group_of("all", "all", [run.error for run in runs])
    within = group.within_20 if near_share <= 0.2 else group.within_25
    half, near = words.percent(group.median_error), words.percent(near_share)
    return f"Half of {group.n:,} published runs are within {half}; {words.format_futures_share(within)} within {near}"


def runs_table(runs: Sequence[PublishedRun]) -> Table:
    """Return every published run beside its prediction."""
    return Table.of(
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
    )


def skipped_runs_text(checked: Sequence[CheckedRun]) -> str:
    """Return how many runs were not compared, and the most frequent reasons."""
    reasons = skip_counts(checked)
    if not reasons:
        return ""
    most = "; ".join(f"{number:,}: {why}" for why, number in list(reasons.items())[:3])
    return f"{sum(reasons.values()):,} of {words.count(len(checked), 'run')} are not predicted. {most}."


def bands_table(bands: Mapping[str, Band], labels: Mapping[str, str]) -> Table:
    """Return measured over predicted for runs left out of the fit: four of five lie between the two ends."""

    def label(name: str) -> str:
        kind, _, chip = name.partition("/")
        return labels.get(chip, chip) if chip else _KINDS.get(kind, kind)

    ours = {name: band for name, band in bands.items() if not name.startswith("own_runs/")}  # those are about yours
    ordered = sorted(ours.items(), key=lambda item: ("/" in item[0], item[0].startswith("chip/"), -item[1].rows))
    columns = ("left out of the fit", "runs", "four of five from", "to")
    return Table.listed(columns, [(label(name), band.rows, band.low - 1, band.high - 1) for name, band in ordered])


def nearest_runs_table(near: Sequence[SimilarRun], labels: Mapping[str, str]) -> Table:
    """Return the published runs most like the job, the nearest first."""
    rows = []
    for similar in near:
        run, chip = similar.run, similar.run.traits.chip
        doubt = (f"not fitted: {run.doubt}",) if run.doubt else ()
        rows.append(
            {
                "Model": run.traits.network.label,
                "On": f"{run.traits.work.accelerators:,.0f} x {labels.get(chip, chip)}",
                "Published": run.published,
                "Predicted": run.predicted,
                "Off by": float(np.exp(run.error) - 1),
                "Like yours": ", ".join(similar.shared_traits) or "–",
                "Differs": ", ".join((*similar.differs, *doubt)) or "–",
                "When": run.when,
                "By": run.title,
                "Source": run.url,
            }
        )
    return Table.of(rows)


def nearest_runs_summary(near: Sequence[SimilarRun]) -> str:
    """Return the error of our predictions on the runs most like the job."""
    if not near:
        return "No published run is like this one."
    run = near[0].run
    error = float(np.exp(run.error) - 1)
    side = "above it" if error > 0 else "below it"
    off = "as published" if abs(error) < _SAME else f"{words.percent(abs(error))} {side}"
    median = words.percent(float(np.median(np.abs([similar.run.error for similar in near]))))
    count = words.count(round(run.traits.work.accelerators), "accelerator")
    return (
        f"The nearest published run is {run.traits.network.label} on {count} ({run.title}): we say {off}. Half of the "
        f"{len(near)} nearest are within {median}."
    )


def service_table(result: ServingResult) -> Table:
    """Return how a service is laid out, and the accelerators it needs."""
    average, peak = (
        "no rate given" if number is None else f"{number:,}"
        for number in (result.accelerators_at_average, result.accelerators_at_peak)
    )
    energy = result.joules_per_output_token
    rows = {
        "Accelerators of one replica": f"{result.accelerators_per_replica:,}",
        "Weights kept in": result.weight_precision,
        "Requests at once on a replica": f"{result.batch_per_replica:,.0f}",
        "Requests/s of a replica in time": f"{result.requests_per_s_within_promise / max(result.replicas, 1):,.3g}",
        "Accelerators for the average": average,
        "Accelerators for the peak": peak,
        "Until a new replica answers": seconds_words(result.cold_start_s),
        "Energy of a token written": "not known" if energy is None else f"{energy:.3g} J, accelerators only",
        "Runs behind the range": "" if result.band is None else evidence_text(result.band),
    }
    return Table.listed(["layout", "is"], rows.items())
