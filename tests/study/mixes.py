"""Every mix a programme weighs, one by one, and curves made of levels: what its search is checked against."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from planner.study.mix.load_duration import LoadCurve
from planner.study.mix.mix_program import MixProgram

Array = NDArray[np.float64]


def curve_of(levels: Sequence[float], shares: Sequence[float], plan_hours: float = 1.0) -> LoadCurve:
    """The curve of so many at once in these shares of the time."""
    at_once, often = np.asarray(levels, dtype=np.float64), np.asarray(shares, dtype=np.float64)
    edges = np.unique(np.append(at_once, 0.0))
    above = (at_once[None, :] >= edges[1:, None]) @ often
    return LoadCurve(edges, np.asarray(above, dtype=np.float64), plan_hours)


def enumerated(programme: MixProgram) -> Iterator[tuple[int, int, float]]:
    """Every base and every reservation with what it comes to, limits aside: accelerators, machines, USD."""
    for number, size in enumerate(programme.sizes):
        covered = programme.covered[number]
        for machines in range(programme.most_machines + 1):
            room = float(machines * programme.machine)
            if 0 < size + room < programme.least_fleet:
                continue
            beside = _filled(programme.cost.with_base, programme.widths * (1 - covered), programme.widths, room)
            alone = _filled(programme.cost.without_base, programme.widths, programme.widths, room)
            left = (
                float(((1 - covered) * programme.hours[0] - beside * programme.held_hours[0]).sum()),
                float((programme.hours[1] - alone * programme.held_hours[1]).sum()),
            )
            cost = programme.cost
            spot = sum(
                max(usd, 0.0) * min(most, hours)
                for usd, most, hours in zip(cost.spot, programme.spot_hours, left, strict=True)
            )
            saved = float(beside @ cost.with_base + alone @ cost.without_base) + spot
            yield (
                int(size),
                machines,
                float(cost.base[number]) + machines * _each_usd(programme, machines) + cost.rent_all - saved,
            )


def _filled(saves: Array, free: Array, widths: Array, room: float) -> Array:
    """The share of each slice that is held where the slices that save most are filled first."""
    each = np.divide(saves, widths)
    taken = np.zeros_like(widths)
    for place in np.argsort(-each, kind="stable"):
        if each[place] <= 0 or room <= 0:
            break
        taken[place] = min(free[place], room)
        room -= taken[place]
    return np.asarray(taken / widths)


def _each_usd(programme: MixProgram, machines: int) -> float:
    """What one of so many machines costs."""
    prices = zip(programme.volume_from, programme.cost.volume, strict=True)
    return min([programme.cost.machine, *(float(usd) for least, usd in prices if machines >= least)])
