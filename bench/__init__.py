"""Measurements. Each module here has a `main()` that yields lines of text; `make bench` prints them all."""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

QUIET_S = 0.010  # what the reference takes on a quiet machine of two cores: the least of 200 runs
MISSED = 1.5  # times what is aimed at, from which a measurement fails
_RECORDS, _SHAPE, _PASSES = 6_000, (1_024, 37), 20


class TooSlow(Exception):
    """A measurement beyond its limit. The text says which, and what that means."""


class _Record(NamedTuple):
    """What a plan is made of: a small record among many."""

    name: str
    value: float


def reference() -> float:
    """A fixed piece of work like that of a plan, half of it records and half arrays: the unit of what is aimed at."""
    records = {str(number): _Record(str(number), float(number)) for number in range(_RECORDS)}
    total = sum(record._replace(value=record.value + 1).value for record in records.values())
    months = np.full(_SHAPE, 1.0)
    for _ in range(_PASSES):
        total += float(np.cumsum(months * 1.01 + total, axis=-1)[0, 0])
    return total


def cpu_s(work: Callable[[], object]) -> float:
    """Processor time, so that what else runs on the machine counts as little as it can. [s]"""
    start = time.process_time()
    work()
    return time.process_time() - start


class Aims:
    """Measurements beside what is aimed at on a quiet machine; the reference says how slow this one is."""

    def __init__(self) -> None:
        self.missed: list[str] = []

    def line(self, what: str, aim_s: float, measure: Callable[[], float], tries: int = 5) -> str:
        """Return the least of several tries as a multiple of its aim, with the reference between them."""
        pairs = [(cpu_s(reference), measure()) for _ in range(tries)]
        slower = min(pair[0] for pair in pairs) / QUIET_S
        seconds = min(pair[1] for pair in pairs)
        ratio = self.hold(what, seconds / slower / aim_s)
        return (
            f"{what}: {1000 * seconds:,.2f} ms of CPU, {ratio:.1f} x its aim of {1000 * aim_s:g} ms on a quiet machine "
            f"(this one takes {slower:.1f} x as long)"
        )

    def hold(self, what: str, ratio: float) -> float:
        """Note what is missed by half or more. Returns the ratio."""
        if ratio > MISSED:
            self.missed.append(f"{what}, {ratio:.1f} x its aim")
        return ratio

    def check(self) -> None:
        """Fail where any is missed by half or more."""
        if self.missed:
            raise TooSlow(f"missed by half or more: {'; '.join(self.missed)}")
