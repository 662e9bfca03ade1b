"""A lease in the lessee's books, period by period: liability, right-of-use asset, interest, depreciation, cost.

Entry 0 is the first day, entry k the end of the k-th period. Amounts are positive. Rent that is paid by use, and what a
contract asks for services, is none of the payments.

References
----------
IFRS 16 Leases: paragraphs 23-24 (asset), 26 (liability), 31-32 (depreciation), 36 (interest), 100 (sale and leaseback).
ASC 842-20-25-5 and 25-6, 842-20-35: finance leases as above; of an operating lease one level cost, and the asset falls
by that cost less the interest.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LeaseSchedule:
    """The rows of one lease. Balances are those at the end of a period, after its payment."""

    paid: Array
    interest: Array
    liability: Array
    depreciation: Array
    asset: Array  # under IFRS 16, and of a finance lease under ASC 842
    level_cost: Array  # of an operating lease under ASC 842, and where a lease is kept off the books
    operating_asset: Array


def lease_schedule(
    *,
    payments: ArrayLike,
    rate_per_period: float,
    periods: int,
    life_periods: int | None = None,
    extra_asset: float = 0.0,
    restoring: float = 0.0,
) -> LeaseSchedule:
    """Return the schedule of payments over a term of `periods`; the asset is written off over `life_periods`.

    `extra_asset` is what the asset costs beside the payments: direct costs and premiums, less incentives.
    """
    paid = np.asarray(payments, dtype=np.float64)
    number = np.arange(len(paid))
    growth = (1 + rate_per_period) ** number
    worth = paid / growth
    liability = growth * (worth.sum() - np.cumsum(worth)) * (number < number[paid != 0].max(initial=0))
    interest = np.concatenate([[0.0], liability[:-1] * rate_per_period])
    first = liability[0] + paid[0] + extra_asset
    life = life_periods or periods
    depreciation = (first + restoring) / life * ((number > 0) & (number <= life))
    level = (paid.sum() + extra_asset) / periods * ((number > 0) & (number <= periods))
    return LeaseSchedule(
        paid, interest, liability, depreciation, first + restoring - np.cumsum(depreciation), level,
        first + np.cumsum(interest - level),
    )  # fmt: skip


def lease_back(*, carrying: float, fair_value: float, received: float, liability: float) -> tuple[float, float]:
    """Return the right-of-use asset kept, and the gain on what was sold, of a sale and leaseback (IFRS 16, 100-102).

    What is received below the fair value counts as rent that is paid in advance.
    """
    kept = (liability + fair_value - received) / fair_value
    return carrying * kept, (fair_value - carrying) * (1 - kept)
