"""Value of a resale guarantee: its payout over the futures, beside its cost."""

from dataclasses import dataclass

import numpy as np

from planner.money.ledger import Ledger
from planner.money.many_ledgers import InputColumns
from planner.money.measures import present_usd
from planner.money.owning.resale import COST, GUARANTEED
from planner.study.uncertainty.futures import Futures


@dataclass(frozen=True)
class GuaranteeValue:
    """A guarantee over the futures, before tax, discounted to today."""

    cost_usd: float  # mean over the futures, as the payout
    paid_usd: float
    payout_share: float  # of the futures

    @property
    def gain_usd(self) -> float:
        """Payout less cost, on average."""
        return self.paid_usd - self.cost_usd


def guarantee_value(drawn: Futures) -> GuaranteeValue | None:
    """Return the value of the guarantee of the first option that has one; None where none has."""
    if drawn.plan.setting.scenario.own.guaranteed_residual_share is None:
        return None
    # Of several orders, lines that cost and bring nothing at typical inputs are left out of the ledger.
    options = (option for option in drawn.options if option.orders or _lines_using(option.ledger, COST).lines)
    option = next(options, None)
    if option is None:
        return None
    columns = []
    for block in InputColumns(drawn.plan.setting, drawn.draws).blocks((option,)):
        size = block.rows.stop - block.rows.start
        usd = (present_usd(block.setting, _lines_using(block.ledger, name)) for name in (COST, GUARANTEED))
        columns.append([np.broadcast_to(each, (size,)) for each in usd])
    cost, received = np.concatenate(columns, axis=-1)
    return GuaranteeValue(float(cost.mean()), float(-received.mean()), float(np.mean(received < 0)))


def _lines_using(ledger: Ledger, name: str) -> Ledger:
    """Return the lines of a ledger that use this input, for every order and every sale."""
    return Ledger(name, tuple(line for line in ledger.lines if name in line.names))
