"""Leases in words and tables: how each contract is taken, its schedule by period, and what is assumed."""

from collections.abc import Iterator

import numpy as np

from planner.money.accounting.fiscal import periods
from planner.money.accounting.leases import BALANCES, ROWS, BookedLease, LeaseAccounts, lease_accounts
from planner.money.plan import Plan
from planner.money.profit_and_loss import BOOK_LIFE
from planner.money.setting import PlanContext
from planner.money.verdict.contender import EvaluatedOption
from planner.report import words
from planner.report.table import Table
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.durations import months_words
from pricing.caching import cached

LABELS = dict(zip(ROWS, (
    "Lease payments", "IFRS 16: expensed, off the balance sheet", "IFRS 16: interest", "IFRS 16: depreciation",
    "IFRS 16: lease liability at the end", "IFRS 16: right-of-use asset at the end", "IFRS 16: adds to EBITDA",
    "ASC 842: interest of finance leases", "ASC 842: amortization of finance leases",
    "ASC 842: cost of operating leases and what is expensed", "ASC 842: lease liability at the end",
    "ASC 842: right-of-use asset at the end", "ASC 842: adds to EBITDA",
), strict=True))  # fmt: skip

_CENT = 0.01


@cached(16)
def leases_of(setting: PlanContext, way: EvaluatedOption) -> LeaseAccounts | None:
    """Return the leases of an option in the books; None where it has none."""
    return lease_accounts(setting, way.option.ledger)


def contracts_table(accounts: LeaseAccounts) -> Table:
    """Return each contract with its first balances, and how each standard takes it."""
    return Table.of(
        {
            "Contract": lease.name,
            "From month": lease.begins + 1,
            "Months": lease.months,
            "Payments, USD": float(lease.schedule.paid.sum()),
            "Liability at the start, USD": float(lease.schedule.liability[0]),
            "Right-of-use asset at the start, USD": float(lease.schedule.asset[0]),
            "IFRS 16": lease.ifrs.replace("_", " "),
            "ASC 842": lease.us.replace("_", " "),
            "Why": lease.why,
        }
        for lease in accounts.leases
    )


def schedule_table(plan: Plan, accounts: LeaseAccounts, *, quarters: bool = False) -> Table:
    """Return the rows of all contracts by period, without those that are always 0; balances at its end."""
    spans = periods(plan.setting, accounts.months, quarters=quarters)
    rows = []
    for name, usd in accounts.rows.items():
        if np.abs(usd).max() > _CENT:
            is_balance = name in BALANCES
            amounts = spans.ends(usd) if is_balance else spans.sums(usd)
            total = np.nan if is_balance else float(usd.sum())
            rows.append({"USD": LABELS[name], **dict(zip(spans.labels, amounts, strict=True)), "All years": total})
    return Table.of(rows)


def lease_rows(accounts: LeaseAccounts) -> Iterator[tuple[BookedLease, str, np.ndarray]]:
    """Yield each row of each contract by month, entry 0 being the first day of the contract."""
    for lease in accounts.leases:
        yield from ((lease, name, usd) for name, usd in lease.rows.items() if usd.any())


def assumed_sentences(plan: Plan, accounts: LeaseAccounts) -> tuple[str, ...]:
    """Return what the books assume, one sentence each."""
    books, kinds = plan.setting.scenario.accounting, {lease.contract.kind for lease in accounts.leases}
    given = "the plan's discount rate; none is entered" if books.borrowing_rate_per_year is None else "as entered"
    life = months_words(plan.setting.catalogue.facts[BOOK_LIFE].figure.newest.typical * MONTHS_PER_YEAR)
    rate = words.percent(accounts.rate_per_year, 2)
    sentences = {
        f"Payments are discounted at {rate} a year ({given}), effective: (1 + rate) ^ (1 / 12) - 1 a month.": True,
        "Reservations are taken as leases: the contract names the machines and you direct their use.":
            "reservation" in kinds and books.reservations_are_leases,
        "Reservations are taken as services: the supplier may swap the machines, so none is identified (IFRS 16 B14, "
        "ASC 842-10-15-10). Where a contract names them, say so under Money.":
            "reservation" in kinds and not books.reservations_are_leases,
        "Contracts of up to 12 months without an option to buy are expensed as they run.": books.short_term_expensed,
        f"Under IFRS 16 machines of up to {words.usd(books.low_value_usd)} when new are expensed (BC100 has about "
        "5,000); ASC 842 has no such exemption.": books.low_value_usd > 0,
        "What is sold and leased back stood in the books at its price of that day; what the lessor pays less counts as "
        "rent in advance. With the right to buy back it is no sale but a loan.": "lease_back" in kinds,
        f"ASC 842: finance where the machines are bought, the term is 75% or more of a life of {life}, or payments are "
        "worth 90% or more of the price (842-10-55-2); else operating.": True,
        "Traffic, disk, support and power are no part of a lease. Deferred tax, indexed rent and changes of a contract "
        "are left out. Dollars as billed.": True,
    }  # fmt: skip
    return tuple(sentence for sentence, holds in sentences.items() if holds)
