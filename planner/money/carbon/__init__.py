"""What a way of supply emits: running its machines, and making them. Read off the ledger, so both count the same work.

An hour of electricity or of a rented accelerator stands in the ledger as quantity x price. At a price of one the same
formula gives the quantity: kilowatt-hours, accelerator-hours. They count at the grid of the place, and at their share
of what making the machine emitted. Decision 0036 says by which conventions.
"""

from planner.money.carbon.emitted import (
    G_PER_KG,
    KG_PER_T,
    CaseEmissions,
    Ends,
    OptionEmissions,
    emission,
    emitted,
    typical,
)

__all__ = ["G_PER_KG", "KG_PER_T", "CaseEmissions", "Ends", "OptionEmissions", "emission", "emitted", "typical"]
