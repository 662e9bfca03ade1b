"""What a serving run says it measured, beside what its chips can compute, and read of the weights."""

from __future__ import annotations

from collections.abc import Iterator

from planner.evidence.cells import Row, number
from planner.evidence.plausible import Figure, Slip, slips
from planner.speed.serving.case_of import Setup
from planner.speed.serving.cases import ServingCase

_GUESSED_AHEAD = 5.0  # tokens that a draft may add to each reading of the weights, at most
_SLOW = 1e-5  # of what many requests at once could write: less was published, of services that hardly had any


def figures_of(row: Row, setup: Setup, case: ServingCase) -> Iterator[Figure]:
    """Each measured cell with what it could be at most; of times, at least."""
    chip, traffic, count = setup.chip, case.traffic, number(row, "n_accelerators") or 1.0
    active = float(setup.shape.active_params)
    compute = count * max(chip.flops(setup.precision), chip.flops_16bit) / (2 * active)
    read = count * chip.bandwidth / (active * float(case.widths.weight)) * _GUESSED_AHEAD
    batch, whose = number(row, "concurrency_or_batch"), f"{count:,.0f} x {chip.name} can"
    known = {"tokens_in": float(traffic.input_tokens), "tokens_out": float(traffic.output_tokens)}

    def of(column: str) -> tuple[Slip, ...]:
        return slips(column, accelerators=count, batch=batch or 0.0, **known)

    tokens, first, each, requests = (
        number(row, name) for name in ("output_tokens_per_s_total", "ttft_ms", "tpot_ms", "requests_per_s")
    )
    least, most = _SLOW if batch else 0.0, min(compute, read * batch) if batch else compute
    if tokens:
        yield Figure(
            "output_tokens_per_s_total", tokens, most, f"{whose} write", of("output_tokens_per_s_total"), least=least
        )
    if requests:
        answers = most / known["tokens_out"]
        yield Figure("requests_per_s", requests, answers, f"{whose} answer", of("requests_per_s"), least=0.0)
    if each:
        yield Figure("tpot_ms", each, 1e3 / read, f"{whose} write", of("tpot_ms"), is_time=True, least=0.0)
    if first and (asked := number(row, "input_tokens")):
        least_ms = asked / compute * 1e3 / _GUESSED_AHEAD  # part of a prompt may have been kept
        yield Figure("ttft_ms", first, least_ms, f"{whose} read", of("ttft_ms"), is_time=True, least=0.0)
