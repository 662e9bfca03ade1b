"""Measured figures that no machine can reach, or that look like another unit, with their likely unit.

A figure beyond what the chips can compute or read is refused, never corrected: only its author knows what was meant.
A possible figure that is as far from its prediction as one unit is from another is kept and reported.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, log

from planner.evidence.table import Row, number
from planner.network.network import Network
from planner.speed.hardware import Hardware
from planner.speed.serving.case_of import ServingSetup
from planner.speed.serving.cases import ServingCase
from planner.speed.training.plan import TrainingPlan

# Clocks above those of printed peaks, and other ways to count them: no correct published run is beyond.
_MOST, _LEAST = 1.3, 1e-3
# Logarithms over a prediction: surprising, and near; and near enough for an impossible figure.
_SURPRISING, _NEAR, _LIKELY = log(2.5), log(1.3), log(4.0)


@dataclass(frozen=True)
class UnitMistake:
    """A unit that a figure may have been written in, and the factor to the right one."""

    factor: float
    looks: str


@dataclass(frozen=True)
class MeasuredFigure:
    """One measured cell. `limit` is the possible maximum; of a time, the minimum."""

    column: str
    value: float
    limit: float
    whose: str  # limit it is: `8 x H100-SXM5-80GB can compute`
    slips: Sequence[UnitMistake] = ()
    is_time: bool = False
    least: float = _LEAST  # of what is possible
    beside: str = "as fast as"  # is predicted

    @property
    def share(self) -> float:
        """Of what is possible. [1]"""
        return self.limit / self.value if self.is_time else self.value / self.limit

    def times(self, factor: float) -> float:
        """Return the speedup if it is written so many times as large."""
        return 1 / factor if self.is_time else factor


def is_possible(figure: MeasuredFigure) -> bool:
    """Return whether some machine could have done that."""
    return not isfinite(figure.share) or figure.least <= figure.share <= _MOST


def doubt(figure: MeasuredFigure, ratio: float) -> str:
    """Return why a figure is impossible or doubtful, with its likely unit; empty where it is as others are.

    `ratio` is its speed over the predicted one.
    """
    if not 0 < ratio < float("inf"):
        return ""
    off = {slip: abs(log(ratio * figure.times(slip.factor))) for slip in figure.slips}
    closest = min(off, key=lambda slip: off[slip], default=None)
    looks = ""
    if closest is not None and off[closest] <= (_NEAR if is_possible(figure) else _LIKELY):
        looks = f"it looks like {closest.looks}: if so, write {_short(figure.value * closest.factor)}"
    if not is_possible(figure):
        return f"{_impossible_message(figure)}; {looks or 'look at its unit'}"
    if abs(log(ratio)) < _SURPRISING or not looks:
        return ""
    return f"{figure.column}: {_short(figure.value)} is {ratio:.2g} times {figure.beside} is predicted; {looks}"


def _impossible_message(figure: MeasuredFigure) -> str:
    slow = figure.share < figure.least
    end = figure.limit * (figure.times(figure.least) if slow else 1.0)
    want = f"{'at least' if slow is not figure.is_time else 'at most'} {_short(end)}"
    share = f"1/{1 / figure.share:,.0f} of" if slow else f"{_short(figure.share)} times"
    return f"{figure.column}: {_short(figure.value)} is {share} what {figure.whose}; want {want}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"


def slips(column: str, *, accelerators: float, tokens_in: float = 0.0, tokens_out: float = 0.0,
          batch: float = 0.0) -> tuple[UnitMistake, ...]:  # fmt: skip
    """Return the units that people write a column in by mistake, those that make a difference."""
    rates = ((1 / 60, "a rate by the minute"), (1 / 3600, "a rate by the hour"))
    total = (1 / max(accelerators, 1.0), f"the total of all {accelerators:,.0f}")
    per_accelerator = (total, *rates, (1e3, "thousands"))
    of_all = ((accelerators, f"that of one of {accelerators:,.0f}"), *rates)
    both = tokens_out / (tokens_in + tokens_out) if tokens_out else 0.0
    times = ((1e3, "seconds"), (1e-3, "microseconds"))
    mistakes: dict[str, tuple[tuple[float, str], ...]] = {
        "tokens_per_s_per_accelerator": (*per_accelerator, (tokens_in, "sequences a second")),
        "model_tflops_per_accelerator": (*per_accelerator, (1e-3, "gigaflops")),
        "hw_tflops_per_accelerator": (*per_accelerator, (1e-3, "gigaflops")),
        "mfu_pct": ((100.0, "a share of 1"),),
        "peak_memory_gb": (total, (1e-3, "megabytes")),
        "step_time_s": ((1e-3, "milliseconds"), (60.0, "minutes")),
        "output_tokens_per_s_total": (
            *of_all, (both, "prompts and answers together"), (tokens_out, "requests a second"),
            (batch, "that of one request"),
        ),
        "requests_per_s": (*of_all, (1 / tokens_out if tokens_out else 0.0, "tokens a second")),
        "ttft_ms": times,
        "tpot_ms": times,
    }  # fmt: skip
    return tuple(UnitMistake(*slip) for slip in mistakes.get(column, ()) if slip[0] > 0 and slip[0] != 1)


COLUMNS = (
    *("tokens_per_s_per_accelerator", "step_time_s", "hw_tflops_per_accelerator", "model_tflops_per_accelerator"),
    "mfu_pct",
)  # in the order in which a rate is taken from them


def figure_of(
    row: Row, shape: Network, chip: Hardware, plan: TrainingPlan, key: str, observed: float
) -> MeasuredFigure | None:
    """Return the cell of the rate `observed`, in tokens/s of each accelerator; None if there is none."""
    column = next((name for name in COLUMNS if number(row, name)), None)
    if column is None:
        return None
    value, passes = number(row, column) or 0.0, 2.0 * (1.0 + float(plan.backward))
    peak = max(float(chip.peak_tflops(plan.bits)), float(chip.tflops_16)) * 1e12
    share = observed * passes * float(shape.linear_params + shape.routed_active_params) / peak
    is_time = column == "step_time_s"
    return MeasuredFigure(
        column, value, value * share if is_time else value / share, f"one {key} can compute of such a model",
        slips(column, accelerators=float(plan.accelerators), tokens_in=float(plan.seq_len)), is_time=is_time,
    )  # fmt: skip


def memory_figure(row: Row, chip: Hardware, plan: TrainingPlan, key: str) -> MeasuredFigure | None:
    """Return the cell of the peak memory, against the chip's capacity; None where it is empty."""
    column = "peak_memory_gb"
    value = number(row, column)
    if value is None:
        return None
    units = slips(column, accelerators=float(plan.accelerators))
    return MeasuredFigure(column, value, float(chip.memory_gb), f"one {key} holds", units, beside="as much as")


_GUESSED_AHEAD = 5.0  # tokens that a draft may add to each read of the weights, at most
_SLOW = 1e-5  # of what many concurrent requests could generate: less was published, of nearly idle services


def serving_figures(row: Row, setup: ServingSetup, case: ServingCase) -> Iterator[MeasuredFigure]:
    """Return each measured cell with its possible maximum; of times, the minimum."""
    chip, traffic, count = setup.chip, case.traffic, number(row, "n_accelerators") or 1.0
    active = float(setup.shape.active_params)
    compute = count * max(chip.flops(setup.precision), chip.flops_16bit) / (2 * active)
    read = count * chip.bandwidth / (active * float(case.widths.weight)) * _GUESSED_AHEAD
    batch, whose = number(row, "concurrency_or_batch"), f"{count:,.0f} x {chip.name} can"
    known = {"tokens_in": float(traffic.input_tokens), "tokens_out": float(traffic.output_tokens)}

    def of(column: str) -> tuple[UnitMistake, ...]:
        return slips(column, accelerators=count, batch=batch or 0.0, **known)

    tokens, first, each, requests = (
        number(row, name) for name in ("output_tokens_per_s_total", "ttft_ms", "tpot_ms", "requests_per_s")
    )
    least, most = _SLOW if batch else 0.0, min(compute, read * batch) if batch else compute
    if tokens:
        yield MeasuredFigure(
            "output_tokens_per_s_total", tokens, most, f"{whose} write", of("output_tokens_per_s_total"), least=least
        )
    if requests:
        answers = most / known["tokens_out"]
        yield MeasuredFigure("requests_per_s", requests, answers, f"{whose} answer", of("requests_per_s"), least=0.0)
    if each:
        yield MeasuredFigure("tpot_ms", each, 1e3 / read, f"{whose} write", of("tpot_ms"), is_time=True, least=0.0)
    if first and (prompt := number(row, "input_tokens")):
        least_ms = prompt / compute * 1e3 / _GUESSED_AHEAD  # part of a prompt may have been kept
        yield MeasuredFigure("ttft_ms", first, least_ms, f"{whose} read", of("ttft_ms"), is_time=True, least=0.0)
