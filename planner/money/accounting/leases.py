"""The leases of an option in the lessee's books, month by month, under IFRS 16 and under ASC 842.

What is paid is what the lines of the ledger say, in nominal dollars. Payments after the plan's end, which the ledger
has in one sum, are spread over the months that the contract still runs. Deferred tax, changes of a contract and rent
that follows an index are left out.

References
----------
IFRS 16 Leases: paragraphs 23-24 (asset), 26 (liability), 31-32 (depreciation), 36 (interest), 100 (sale and leaseback).
ASC 842-20-25-5 and 25-6, 842-20-35: finance leases as above; of an operating lease one level cost, and the asset falls
by that cost less the interest.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from planner.money.inflation import deflators, inflation_per_year
from planner.money.ledger import LeaseContract, Ledger, Line
from planner.money.measures import plan_discount_rate
from planner.money.profit_and_loss import BOOK_LIFE
from planner.money.setting import PlanContext
from planner.scenario.base import MONTHS_PER_YEAR
from pricing.caching import cached_property

Array = NDArray[np.float64]
Treatment842 = Literal["service", "short_term", "operating", "finance"]
Treatment16 = Literal["service", "short_term", "low_value", "on_balance_sheet"]
SHORT_MONTHS = 12
MAJOR_PART, SUBSTANTIALLY_ALL = 0.75, 0.90  # of the life, of the value: ASC 842-10-55-2
BALANCES = frozenset({"liability", "asset", "us_liability", "us_asset"})
ROWS = ("paid", "expensed", "interest", "depreciation", "liability", "asset", "ebitda",
        "us_interest", "us_amortization", "us_operating_cost", "us_liability", "us_asset", "us_ebitda")  # fmt: skip


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


@dataclass(frozen=True, eq=False)
class BookedLease:
    """One contract: its schedule from the month it begins in, and how each standard takes it."""

    name: str
    contract: LeaseContract
    begins: int
    months: int
    lines: tuple[Line, ...]
    schedule: LeaseSchedule
    ifrs: Treatment16
    us: Treatment842
    why: str  # it is a finance or an operating lease under ASC 842
    life: int  # months over which its asset is written off

    @cached_property
    def rows(self) -> dict[str, Array]:
        """Its rows by the names in ROWS, entry 0 being its first day."""
        return _rows(self)


@dataclass(frozen=True, eq=False)
class LeaseAccounts:
    """The contracts of an option, and their rows together by month, entry 0 being today."""

    leases: tuple[BookedLease, ...]
    rate_per_year: float
    rows: Mapping[str, Array]

    @property
    def months(self) -> int:
        """Return how many months after today they run."""
        return len(self.rows["paid"]) - 1


def lease_accounts(setting: PlanContext, ledger: Ledger) -> LeaseAccounts | None:
    """Return the leases of a ledger in the books; None where nothing is leased or reserved."""
    rate = setting.scenario.accounting.borrowing_rate_per_year
    if rate is None:  # what is paid is nominal
        rate = (1 + float(np.asarray(plan_discount_rate(setting)))) * (1 + inflation_per_year(setting)) - 1
    leases = tuple(lease for group in _by_contract(ledger.lines) for lease in _leases(setting, group, rate))
    if not leases:
        return None
    last = max(setting.timeline.last, *(lease.begins + len(lease.schedule.paid) - 1 for lease in leases))
    rows = {name: np.zeros(last + 1) for name in ROWS}
    for lease in leases:
        span = slice(lease.begins, lease.begins + len(lease.schedule.paid))
        for name, usd in lease.rows.items():
            rows[name][span] += usd
            if name in BALANCES:  # what is bought stays in the books
                rows[name][span.stop :] += usd[-1]
    return LeaseAccounts(leases, rate, rows)


def _rows(lease: BookedLease) -> dict[str, Array]:
    plan, zero = lease.schedule, np.zeros(len(lease.schedule.paid))
    is_on, is_finance, is_operating = lease.ifrs == "on_balance_sheet", lease.us == "finance", lease.us == "operating"
    return {
        "paid": plan.paid,
        "expensed": zero if is_on else plan.level_cost,
        **{name: getattr(plan, name) if is_on else zero for name in ("interest", "depreciation", "liability", "asset")},
        "ebitda": plan.level_cost if is_on else zero,
        "us_interest": plan.interest if is_finance else zero,
        "us_amortization": plan.depreciation if is_finance else zero,
        "us_operating_cost": zero if is_finance else plan.level_cost,
        "us_liability": plan.liability if is_finance or is_operating else zero,
        "us_asset": plan.asset if is_finance else plan.operating_asset if is_operating else zero,
        "us_ebitda": plan.level_cost if is_finance else zero,
    }


def _by_contract(lines: Iterable[Line]) -> list[list[Line]]:
    groups: dict[tuple[int, LeaseContract], list[Line]] = {}
    for line in lines:
        if line.contract is not None:
            groups.setdefault((line.order, line.contract), []).append(line)
    return list(groups.values())


def _leases(setting: PlanContext, lines: list[Line], rate: float) -> Iterator[BookedLease]:
    """Yield a lease for each term of a contract; none where nothing is paid in it."""
    contract = lines[0].contract
    assert contract is not None  # by which they were grouped
    worth = deflators(setting, 0.0)
    within, beyond = (
        sum((line.priced_usd for line in lines if (line.part == "commitment") == is_beyond), np.zeros(1)) / worth
        for is_beyond in (False, True)
    )
    for number, (begins, months) in enumerate(contract.terms, start=1):
        paid = _payments(contract, (begins, months), np.asarray(within), np.asarray(beyond))
        if paid.any():
            name = lines[0].name.rpartition(":")[0] or contract.kind.replace("_", "-").capitalize()
            several = f", term {number}" if len(contract.terms) > 1 else ""
            yield _booked(setting, tuple(lines), (begins, months), paid, (f"{name}{several}", rate))


def _payments(contract: LeaseContract, term: tuple[int, int], within: Array, beyond: Array) -> Array:
    """Return what is paid over a term, entry 0 on its first day."""
    begins, months = term
    paid, last = np.zeros(months + 1), len(within) - 1
    if contract.pays == "prepaid":
        paid[0] = within[begins] + beyond[begins]
        return paid
    first = 0 if contract.pays == "advance" else 1
    known = within[begins + first : min(begins + months, last) + 1]
    paid[first : first + len(known)] = known
    if not contract.is_bought and contract.pays == "advance":
        paid[-1] = 0.0  # of the next term, which begins on that day
    rest = np.arange(months + 1) + begins
    open_months = (rest > last) & (rest < begins + months + first)
    if open_months.any():
        paid += beyond[-1] / open_months.sum() * open_months
    return paid


def _booked(
    setting: PlanContext, lines: tuple[Line, ...], term: tuple[int, int], paid: Array, of: tuple[str, float]
) -> BookedLease:
    (begins, months), (name, rate), contract = term, of, lines[0].contract
    assert contract is not None  # by which they were grouped
    monthly = (1 + rate) ** (1 / MONTHS_PER_YEAR) - 1
    life = setting.catalogue.facts[BOOK_LIFE].figure.newest.typical * MONTHS_PER_YEAR
    written_off, axis = months, paid
    if contract.is_bought:  # written off over its life, whoever owns it first
        written_off = round(life)
        axis = np.concatenate([paid, np.zeros(max(setting.timeline.last - begins - months, 0))])
    plan = lease_schedule(payments=axis, rate_per_period=monthly, periods=months, life_periods=written_off)
    worth = float(plan.liability[0] + paid[0])
    if contract.kind == "lease_back" and not contract.is_bought and contract.price_usd:
        price = contract.price_usd
        asset, _ = lease_back(carrying=price, fair_value=price, received=contract.received_usd, liability=worth)
        plan = lease_schedule(payments=axis, rate_per_period=monthly, periods=months, extra_asset=asset - worth)
    ifrs, us, why = _treatment(setting, contract, (months, worth, life))
    return BookedLease(name, contract, begins, months, lines, plan, ifrs, us, why, written_off)


def _treatment(
    setting: PlanContext, contract: LeaseContract, size: tuple[int, float, float]
) -> tuple[Treatment16, Treatment842, str]:
    """Return how each standard takes a contract, and why ASC 842 takes it so."""
    books, (months, worth, life) = setting.scenario.accounting, size
    if contract.kind == "reservation" and not books.reservations_are_leases:
        return "service", "service", "the supplier chooses the machines, so none is identified"
    if books.short_term_expensed and months <= SHORT_MONTHS and not contract.is_bought:
        return "short_term", "short_term", f"{months} months without an option to buy"
    price = contract.price_usd
    is_low = price is not None and price <= books.low_value_usd * contract.items
    ifrs: Treatment16 = "low_value" if is_low else "on_balance_sheet"
    if contract.is_bought:
        return ifrs, "finance", "the machines are bought at its end"
    if months >= MAJOR_PART * life:
        return ifrs, "finance", f"{months} months are {months / life:.0%} of a life of {life:.0f}"
    if price and worth >= SUBSTANTIALLY_ALL * price:
        return ifrs, "finance", f"its payments are worth {worth / price:.0%} of the price"
    value = f", its payments {worth / price:.0%} of the price" if price else ""
    return ifrs, "operating", f"{months} months are {months / life:.0%} of a life of {life:.0f}{value}"
