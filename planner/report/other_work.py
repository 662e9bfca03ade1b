"""Work that writes no tokens, and runs of known hours, in words."""

from __future__ import annotations

from planner.report import words
from planner.speed.serving import CarriedRun, OtherWork


def other_title(found: OtherWork, label: str) -> str:
    """One sentence: how many it takes on average and at the peak, with the range, and where the rate is from."""
    if found.reason is not None:
        return f"{found.reason}."
    rate = f"one takes {rate_words(found.requests_per_s)} ({rate_words(found.low, found.high)})"
    if found.accelerators_at_peak is None:
        return f"{found.label} on {label}: {rate}, {found.how}."
    low, high = found.accelerators_at_peak_low, found.accelerators_at_peak_high
    span = "" if low == high else f" ({low:,} to {high:,})"
    usual = (
        "" if found.accelerators_at_average is None else f"{found.accelerators_at_average:,} x {label} on average and "
    )
    tail = "" if usual else f" x {label}"
    return f"{found.label} needs {usual}{found.accelerators_at_peak:,}{span}{tail} at the peak: {rate}, {found.how}."


def run_title(found: CarriedRun, label: str) -> str:
    """One sentence: the hours of the run on these accelerators, with the range, and where they are from."""
    span = f"{words.significant(found.low):,g} to {words.significant(found.high):,g}"
    together = (
        f", {words.significant(found.hours):,g} hours on {found.accelerators:,}" if found.accelerators > 1 else ""
    )
    hours = f"{words.significant(found.accelerator_hours):,g}"
    return f"One run takes {hours} hours of one {label} ({span}){together}: {found.how}."


def rate_words(low: float, high: float | None = None) -> str:
    """So many requests a second; an hour where a second is too short."""
    last = low if high is None else high
    times, unit = (1.0, "a second") if last >= 1 else (60.0, "a minute") if last * 60 >= 1 else (3_600.0, "an hour")
    numbers = [f"{words.significant(one * times):,g}" for one in (low, high) if one is not None]
    return f"{' to '.join(numbers)} {unit}"
