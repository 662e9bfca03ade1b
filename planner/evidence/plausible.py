"""Measured figures that no machine can reach, or that look like another unit: told with what they probably are.

A figure beyond what the chips can compute or read is refused, and never corrected: who wrote it knows what was meant.
One that is possible, but as far from its prediction as one unit is from another, is kept and told.
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

# Clocks above those that peaks are printed for, and other ways to count them: no published run that is right is beyond.
_MOST, _LEAST = 1.3, 1e-3
# As logarithms over a prediction: beyond, and near; and near enough for a figure that cannot be as it stands.
_SURPRISING, _NEAR, _LIKELY = log(2.5), log(1.3), log(4.0)


@dataclass(frozen=True)
class UnitMistake:
    """A unit that a figure may have been written in: times this it is in the right one."""

    factor: float
    looks: str


@dataclass(frozen=True)
class MeasuredFigure:
    """One measured cell. `limit` is what is possible at most; of a time, at least."""

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
        """How much faster it says it ran, if it is written so many times as large."""
        return 1 / factor if self.is_time else factor


def is_possible(figure: MeasuredFigure) -> bool:
    """Whether some machine could have done that."""
    return not isfinite(figure.share) or figure.least <= figure.share <= _MOST


def doubt(figure: MeasuredFigure, ratio: float) -> str:
    """Why a figure cannot be, or should be looked at again, and what it looks like; empty where it is as others are.

    `ratio` is the speed that it says over the one that is predicted.
    """
    if not 0 < ratio < float("inf"):
        return ""
    offs = {one: abs(log(ratio * figure.times(one.factor))) for one in figure.slips}
    if not is_possible(figure):
        return f"{_impossible_message(figure)}; {_likely_unit_message(figure, offs, _LIKELY) or 'look at its unit'}"
    looks = _likely_unit_message(figure, offs, _NEAR)
    if abs(log(ratio)) < _SURPRISING or not looks:
        return ""
    return f"{figure.column}: {_short(figure.value)} is {ratio:.2g} times {figure.beside} is predicted; {looks}"


def _impossible_message(figure: MeasuredFigure) -> str:
    slow = figure.share < figure.least
    end = figure.limit * (figure.times(figure.least) if slow else 1.0)
    want = f"{'at least' if slow is not figure.is_time else 'at most'} {_short(end)}"
    how = f"1/{1 / figure.share:,.0f} of" if slow else f"{_short(figure.share)} times"
    return f"{figure.column}: {_short(figure.value)} is {how} what {figure.whose}; want {want}"


def _likely_unit_message(figure: MeasuredFigure, offs: dict[UnitMistake, float], most: float) -> str:
    """What a figure looks like: the unit in which it is nearest to what is predicted, if it is so near in any."""
    best = min(offs, key=lambda one: offs[one], default=None)
    if best is None or offs[best] > most:
        return ""
    return f"it looks like {best.looks}: if so, write {_short(figure.value * best.factor)}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"


def slips(column: str, *, accelerators: float, tokens_in: float = 0.0, tokens_out: float = 0.0,
          batch: float = 0.0) -> tuple[UnitMistake, ...]:  # fmt: skip
    """The units that people write a column in by mistake, those that make a difference."""
    many = f"{accelerators:,.0f}"
    hours = (UnitMistake(1 / 60, "a rate by the minute"), UnitMistake(1 / 3600, "a rate by the hour"))
    of_each = (
        UnitMistake(1 / max(accelerators, 1.0), f"the total of all {many}"),
        *hours,
        UnitMistake(1e3, "thousands"),
    )
    total = (UnitMistake(accelerators, f"that of one of {many}"), *hours)
    tokens = tokens_out and UnitMistake(tokens_out / (tokens_in + tokens_out), "prompts and answers together")
    found: dict[str, tuple[UnitMistake | float, ...]] = {
        "tokens_per_s_per_accelerator": (*of_each, UnitMistake(tokens_in, "sequences a second")),
        "model_tflops_per_accelerator": (*of_each, UnitMistake(1e-3, "gigaflops")),
        "hw_tflops_per_accelerator": (*of_each, UnitMistake(1e-3, "gigaflops")),
        "mfu_pct": (UnitMistake(100.0, "a share of 1"),),
        "peak_memory_gb": (of_each[0], UnitMistake(1e-3, "megabytes")),
        "step_time_s": (UnitMistake(1e-3, "milliseconds"), UnitMistake(60.0, "minutes")),
        "output_tokens_per_s_total": (
            *total, tokens, UnitMistake(tokens_out, "requests a second"), UnitMistake(batch, "that of one request"),
        ),
        "requests_per_s": (*total, UnitMistake(1 / tokens_out if tokens_out else 0.0, "tokens a second")),
        "ttft_ms": (UnitMistake(1e3, "seconds"), UnitMistake(1e-3, "microseconds")),
        "tpot_ms": (UnitMistake(1e3, "seconds"), UnitMistake(1e-3, "microseconds")),
    }  # fmt: skip
    return tuple(
        one for one in found.get(column, ()) if isinstance(one, UnitMistake) and one.factor > 0 and one.factor != 1
    )


COLUMNS = (
    *("tokens_per_s_per_accelerator", "step_time_s", "hw_tflops_per_accelerator", "model_tflops_per_accelerator"),
    "mfu_pct",
)  # in the order in which a rate is taken from them


def figure_of(
    row: Row, shape: Network, chip: Hardware, plan: TrainingPlan, key: str, observed: float
) -> MeasuredFigure | None:
    """The cell that its rate, `observed` in tokens a second of each accelerator, comes from; None where none is."""
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
    """The cell of the most memory that was used, beside what the chip holds; None where it is empty."""
    column = "peak_memory_gb"
    value = number(row, column)
    if value is None:
        return None
    units = slips(column, accelerators=float(plan.accelerators))
    return MeasuredFigure(column, value, float(chip.memory_gb), f"one {key} holds", units, beside="as much as")


_GUESSED_AHEAD = 5.0  # tokens that a draft may add to each reading of the weights, at most
_SLOW = 1e-5  # of what many requests at once could write: less was published, of services that hardly had any


def serving_figures(row: Row, setup: ServingSetup, case: ServingCase) -> Iterator[MeasuredFigure]:
    """Each measured cell with what it could be at most; of times, at least."""
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
    if first and (asked := number(row, "input_tokens")):
        least_ms = asked / compute * 1e3 / _GUESSED_AHEAD  # part of a prompt may have been kept
        yield MeasuredFigure("ttft_ms", first, least_ms, f"{whose} read", of("ttft_ms"), is_time=True, least=0.0)
