"""What a guarantee of the resale is worth: what it pays over the futures, beside what it costs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.money.ledger import Ledger
from planner.money.many_ledgers import InputColumns, option_builder
from planner.money.measures import present_usd
from planner.money.option import Option
from planner.money.owning.resale import COST, GUARANTEED
from planner.study.uncertainty.futures import Futures


@dataclass(frozen=True)
class GuaranteeValue:
    """A guarantee over the futures, before tax, in today's money."""

    cost_usd: float  # on average over the futures, as what it pays
    paid_usd: float
    paying_share: float  # of the futures

    @property
    def gain_usd(self) -> float:
        """What it pays above what it costs, on average."""
        return self.paid_usd - self.cost_usd


def guarantee_value(drawn: Futures) -> GuaranteeValue | None:
    """What the guarantee comes to for the first way that has one; None where none has."""
    option = next((one for one in drawn.options if any(_of(end, GUARANTEED).lines for end in _ends(one))), None)
    if option is None:
        return None
    cost: list[NDArray[np.float64]] = []
    paid: list[NDArray[np.float64]] = []
    for block in InputColumns(drawn.plan.setting, drawn.draws).blocks([option_builder(option)]):
        ledger = block.ledgers[0]
        assert ledger is not None  # it can be reckoned in every future
        size = block.rows.stop - block.rows.start
        for name, found in ((COST, cost), (GUARANTEED, paid)):
            usd = present_usd(block.setting, _of(ledger, name))
            found.append(np.broadcast_to(usd, (size,)))
    paid_usd = -np.concatenate(paid)
    return GuaranteeValue(float(np.concatenate(cost).mean()), float(paid_usd.mean()), float(np.mean(paid_usd > 0)))


def _ends(option: Option) -> tuple[Ledger, Ledger, Ledger]:
    """Of several orders, lines that cost and bring nothing are left out: what pays in a dear future only is in one."""
    return option.ledger, option.low, option.high


def _of(ledger: Ledger, name: str) -> Ledger:
    """The lines of a ledger that rest on this input, for every order and every sale."""
    return Ledger(name, tuple(line for line in ledger.lines if any(one.name == name for one in line.used)))
