"""Figures of an answer that nobody has looked at for longer than their kind allows, with what they weigh in it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np

from planner.money.ledger import Line, Origin
from planner.money.option import Option
from planner.money.verdict.answer import Answer
from pricing import Figure
from pricing.stale import days_over, limit_days

MOST = 3  # that are named beside an answer
_HARDLY = 0.005  # of a way's bills: not worth a word


@dataclass(frozen=True)
class OldFigure:
    """One figure that is over its limit, where it weighs most."""

    name: str  # as the formulas use it
    option: Option
    origin: Origin
    figure: Figure
    age_days: int
    limit_days: int
    share: float  # of the option's bills: the lines that the figure stands in


def old_figures(found: Answer, most: int = MOST) -> tuple[OldFigure, ...]:
    """The overdue figures of the ways that are told beside each other, the weightiest first."""
    ways = {one.option.key: one.option for one in (found.best, found.against, *(found.pair or ())) if one is not None}
    heaviest: dict[int, OldFigure] = {}
    for option in ways.values():
        for one in _of(option, found.plan.setting.day):
            known = heaviest.get(id(one.figure))
            if known is None or known.share < one.share:
                heaviest[id(one.figure)] = one
    heavy = (one for one in heaviest.values() if one.share >= _HARDLY)
    return tuple(sorted(heavy, key=lambda one: (-one.share, one.name))[:most])


def _of(option: Option, day: date) -> Iterator[OldFigure]:
    """The overdue figures of one way."""
    lines: dict[int, list[Line]] = {}
    where: dict[int, tuple[str, Origin, Figure]] = {}
    for line in option.ledger.lines:
        for used in line.used:
            origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
            if origin.figure is not None and days_over(origin.figure, day) > 0:
                where.setdefault(id(origin.figure), (used.name, origin, origin.figure))
                lines.setdefault(id(origin.figure), []).append(line)
    bills = _paid_usd(option.ledger.lines) if where else 0.0
    for key, (name, origin, figure) in where.items():
        share = _paid_usd(lines[key]) / bills if bills > 0 else 0.0
        yield OldFigure(name, option, origin, figure, figure.age_days(day), limit_days(figure), share)


def _paid_usd(lines: Iterable[Line]) -> float:
    """What is paid, without what comes back when a machine is sold."""
    return sum(max(float(np.sum(line.priced_usd)), 0.0) for line in lines)
