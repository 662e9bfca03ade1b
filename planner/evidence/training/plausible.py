"""What a training run says it measured, beside what its chips can compute."""

from __future__ import annotations

from planner.evidence.cells import Row, number
from planner.evidence.plausible import Figure, slips
from planner.network.network import Network
from planner.speed.hardware import Hardware
from planner.speed.training.plan import TrainingPlan

COLUMNS = (
    *("tokens_per_s_per_accelerator", "step_time_s", "hw_tflops_per_accelerator", "model_tflops_per_accelerator"),
    "mfu_pct",
)  # in the order in which a rate is taken from them


def figure_of(row: Row, shape: Network, chip: Hardware, plan: TrainingPlan, key: str, observed: float) -> Figure | None:
    """The cell that its rate, `observed` in tokens a second of each accelerator, comes from; None where none is."""
    column = next((name for name in COLUMNS if number(row, name)), None)
    if column is None:
        return None
    value, passes = number(row, column) or 0.0, 2.0 * (1.0 + float(plan.backward))
    peak = max(float(chip.peak_tflops(plan.bits)), float(chip.tflops_16)) * 1e12
    share = observed * passes * float(shape.linear_params + shape.routed_active_params) / peak
    is_time = column == "step_time_s"
    return Figure(
        column, value, value * share if is_time else value / share, f"one {key} can compute of such a model",
        slips(column, accelerators=float(plan.accelerators), tokens_in=float(plan.seq_len)), is_time=is_time,
    )  # fmt: skip


def memory_in(row: Row, chip: Hardware, plan: TrainingPlan, key: str) -> Figure | None:
    """The cell of the most memory that was used, beside what the chip holds; None where it is empty."""
    column = "peak_memory_gb"
    value = number(row, column)
    if value is None:
        return None
    units = slips(column, accelerators=float(plan.accelerators))
    return Figure(column, value, float(chip.memory_gb), f"one {key} holds", units, beside="as much as")
