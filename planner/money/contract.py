"""The contract behind lines of a ledger: what the books have to know of it beside its amounts."""

from typing import Literal, NamedTuple

# Parts of the bill of reserved machines that are paid whatever is used.
RESERVED = frozenset({"compute", "interruptions", "whole machines", "rounding", "idle", "commitment"})
ContractKind = Literal["lease", "lease_back", "reservation"]


class LeaseContract(NamedTuple):
    """Machines of somebody else for a term. Its lines hold what is paid; here stands for what."""

    kind: ContractKind
    terms: tuple[tuple[int, int], ...]  # of each contract after the other: the month it begins in, and its months
    pays: Literal["arrears", "advance", "prepaid"] = "arrears"
    price_usd: float | None = None  # of the machines; None where nobody says it, as of a reservation
    items: int = 1  # machines
    received_usd: float = 0.0  # of a lease-back: what the lessor pays for them
    is_bought: bool = False  # at its end
