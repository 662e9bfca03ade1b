"""How far measurements of one setup differ: what no prediction from the same columns can be nearer to than.

Two figures repeat each other where the model is given the same about both, the month of the software apart, with
lengths and batches within a tenth. Of two with the same scatter the difference is the scatter times the root of two.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from planner.report.table import Table

_SAME = 0.1  # lengths and batches, as logarithms: benchmarks print means of one set of prompts a little differently
_FEWEST = 4  # figures that are repeated, below which nothing is said
_PAIR = 2**-0.5  # the scatter of one, from the difference of two
_BY = ("the same source", "another source")


@dataclass(frozen=True)
class Measurement:
    """One published figure: of what, how much, and how far off a fit without its source is."""

    kind: str
    source: str
    setup: Hashable  # what is the same in figures that repeat each other
    sizes: tuple[float, ...]  # what is about the same
    log_value: float
    error: float

    def repeats(self, other: Measurement) -> bool:
        """Return whether all sizes are about the same; nought is what nobody states."""
        pairs = zip(self.sizes, other.sizes, strict=True)
        return all(one == two or min(one, two) * exp(_SAME) >= max(one, two) for one, two in pairs)


def noise_table(measured: Sequence[Measurement]) -> Table:
    """Return by kind, and by who repeated them, how far repeats differ, beside how far off they are predicted."""
    setups: dict[Hashable, list[Measurement]] = {}
    for one in (each for each in measured if np.isfinite(each.error)):
        setups.setdefault((one.kind, one.setup), []).append(one)
    repeated: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for together in setups.values():
        for one in together:
            for by in _BY:
                others = [two for two in together if two is not one and one.repeats(two)]
                gaps = [abs(one.log_value - two.log_value) for two in others if _BY[one.source != two.source] == by]
                if gaps:
                    repeated.setdefault((one.kind, by), []).append((float(np.median(gaps)), abs(one.error)))
    return Table.of(_noise(*key, figures) for key, figures in sorted(repeated.items()) if len(figures) >= _FEWEST)


def _noise(kind: str, by: str, figures: Sequence[tuple[float, float]]) -> dict[str, str | int]:
    """Return one row: each figure has one vote."""
    gaps, errors = np.array(figures).T
    squared = float(np.mean(errors**2))
    return {
        "measured again": kind, "by": by, "figures": len(gaps), "they differ by": f"{np.median(gaps):.1%}",
        "one in ten by": f"{np.quantile(gaps, 0.9):.1%}", "noise": f"{np.median(gaps) * _PAIR:.1%}",
        "error": f"{np.median(errors):.1%}",
        "of its square": f"{min(float(np.mean(gaps**2)) * _PAIR**2 / squared, 1.0):.0%}" if squared else "–",
    }  # fmt: skip
