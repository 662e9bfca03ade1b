"""Measured figures that no machine can reach, or that look like another unit: told with what they probably are.

A figure beyond what the chips can compute or read is refused, and never corrected: who wrote it knows what was meant.
One that is possible, but as far from its prediction as one unit is from another, is kept and told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, log

# Clocks above those that peaks are printed for, and other ways to count them: no published run that is right is beyond.
_MOST, _LEAST = 1.3, 1e-3
# As logarithms over a prediction: beyond, and near; and near enough for a figure that cannot be as it stands.
_SURPRISING, _NEAR, _LIKELY = log(2.5), log(1.3), log(4.0)


@dataclass(frozen=True)
class Slip:
    """A unit that a figure may have been written in: times this it is in the right one."""

    factor: float
    looks: str


@dataclass(frozen=True)
class Figure:
    """One measured cell. `limit` is what is possible at most; of a time, at least."""

    column: str
    value: float
    limit: float
    whose: str  # limit it is: `8 x H100-SXM5-80GB can compute`
    slips: Sequence[Slip] = ()
    is_time: bool = False
    least: float = _LEAST  # of what is possible
    beside: str = "as fast as"  # is predicted

    @property
    def share(self) -> float:
        """Of what is possible. [1]"""
        return self.limit / self.value if self.is_time else self.value / self.limit

    def times(self, factor: float) -> float:
        """How much faster it says it ran, if it is written so many times as large."""
        return 1 / factor if self.is_time else factor


def is_possible(figure: Figure) -> bool:
    """Whether some machine could have done that."""
    return not isfinite(figure.share) or figure.least <= figure.share <= _MOST


def doubt(figure: Figure, ratio: float) -> str:
    """Why a figure cannot be, or should be looked at again, and what it looks like; empty where it is as others are.

    `ratio` is the speed that it says over the one that is predicted.
    """
    if not 0 < ratio < float("inf"):
        return ""
    offs = {one: abs(log(ratio * figure.times(one.factor))) for one in figure.slips}
    if not is_possible(figure):
        return f"{_impossible(figure)}; {_looks(figure, offs, _LIKELY) or 'look at its unit'}"
    looks = _looks(figure, offs, _NEAR)
    if abs(log(ratio)) < _SURPRISING or not looks:
        return ""
    return f"{figure.column}: {_short(figure.value)} is {ratio:.2g} times {figure.beside} is predicted; {looks}"


def _impossible(figure: Figure) -> str:
    slow = figure.share < figure.least
    end = figure.limit * (figure.times(figure.least) if slow else 1.0)
    want = f"{'at least' if slow is not figure.is_time else 'at most'} {_short(end)}"
    how = f"1/{1 / figure.share:,.0f} of" if slow else f"{_short(figure.share)} times"
    return f"{figure.column}: {_short(figure.value)} is {how} what {figure.whose}; want {want}"


def _looks(figure: Figure, offs: dict[Slip, float], most: float) -> str:
    """What a figure looks like: the unit in which it is nearest to what is predicted, if it is so near in any."""
    best = min(offs, key=lambda one: offs[one], default=None)
    if best is None or offs[best] > most:
        return ""
    return f"it looks like {best.looks}: if so, write {_short(figure.value * best.factor)}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"


def slips(column: str, *, accelerators: float, tokens_in: float = 0.0, tokens_out: float = 0.0,
          batch: float = 0.0) -> tuple[Slip, ...]:  # fmt: skip
    """The units that people write a column in by mistake, those that make a difference."""
    many = f"{accelerators:,.0f}"
    hours = (Slip(1 / 60, "a rate by the minute"), Slip(1 / 3600, "a rate by the hour"))
    of_each = (Slip(1 / max(accelerators, 1.0), f"the total of all {many}"), *hours, Slip(1e3, "thousands"))
    total = (Slip(accelerators, f"that of one of {many}"), *hours)
    tokens = tokens_out and Slip(tokens_out / (tokens_in + tokens_out), "prompts and answers together")
    found: dict[str, tuple[Slip | float, ...]] = {
        "tokens_per_s_per_accelerator": (*of_each, Slip(tokens_in, "sequences a second")),
        "model_tflops_per_accelerator": (*of_each, Slip(1e-3, "gigaflops")),
        "hw_tflops_per_accelerator": (*of_each, Slip(1e-3, "gigaflops")),
        "mfu_pct": (Slip(100.0, "a share of 1"),),
        "peak_memory_gb": (Slip(1 / max(accelerators, 1.0), f"the total of all {many}"), Slip(1e-3, "megabytes")),
        "step_time_s": (Slip(1e-3, "milliseconds"), Slip(60.0, "minutes")),
        "output_tokens_per_s_total": (
            *total, tokens, Slip(tokens_out, "requests a second"), Slip(batch, "that of one request"),
        ),
        "requests_per_s": (*total, Slip(1 / tokens_out if tokens_out else 0.0, "tokens a second")),
        "ttft_ms": (Slip(1e3, "seconds"), Slip(1e-3, "microseconds")),
        "tpot_ms": (Slip(1e3, "seconds"), Slip(1e-3, "microseconds")),
    }  # fmt: skip
    return tuple(one for one in found.get(column, ()) if isinstance(one, Slip) and one.factor > 0 and one.factor != 1)
