"""The books of an option as pages and files take them, and the labels of their rows."""

from planner.money.accounting.leases import ROWS as LEASE_ROWS
from planner.money.accounting.leases import LeaseAccounts, lease_accounts
from planner.money.profit_and_loss import ROWS, ProfitAndLoss, profit_and_loss
from planner.money.setting import PlanContext
from planner.money.verdict.contender import EvaluatedOption
from pricing.caching import cached

PROFIT_LABELS = dict(zip(ROWS, (
    "Hours sold on", "Fees, and selling them", "Electricity", "Space", "People", "Upkeep", "Lease, other payments",
    "Rented", "EBITDA", "Written off in the books", "Sales, less what the books held", "Interest",
    "Profit before tax", "Tax and VAT", "Profit", "Cash, beside it",
), strict=True))  # fmt: skip
ALWAYS = frozenset({"ebitda", "depreciation", "before_tax", "profit", "cash"})
LEASE_LABELS = dict(zip(LEASE_ROWS, (
    "Lease payments", "IFRS 16: expensed, off the balance sheet", "IFRS 16: interest", "IFRS 16: depreciation",
    "IFRS 16: lease liability at the end", "IFRS 16: right-of-use asset at the end", "IFRS 16: adds to EBITDA",
    "ASC 842: interest of finance leases", "ASC 842: amortization of finance leases",
    "ASC 842: cost of operating leases and what is expensed", "ASC 842: lease liability at the end",
    "ASC 842: right-of-use asset at the end", "ASC 842: adds to EBITDA",
), strict=True))  # fmt: skip


@cached(16)
def option_profit_and_loss(setting: PlanContext, way: EvaluatedOption) -> ProfitAndLoss:
    return profit_and_loss(setting, way.option)


@cached(16)
def leases_of(setting: PlanContext, way: EvaluatedOption) -> LeaseAccounts | None:
    """Return the leases of an option in the books; None where it has none."""
    return lease_accounts(setting, way.option.ledger)
