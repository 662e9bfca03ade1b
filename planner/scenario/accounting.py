"""How the books are kept: leases, exemptions, fiscal years."""

from typing import Annotated

from pydantic import Field

from planner.scenario.base import MONEY, RatePerYear, ScenarioModel, Usd, ask, unit


class AccountingInputs(ScenarioModel):
    """What a controller settles. It changes no cost: only how the books show it."""

    fiscal_year_starts: Annotated[int | None, Field(ge=1, le=12, description="the month: 1 is January; empty: tables "
        "have years of twelve months from today"), unit("number of the month of the calendar"), ask("fiscal",
        "Fiscal year starts in month", "1 is January. Empty: years from today.", group=MONEY, rare=True,
        usual="years from today")] = None  # fmt: skip
    hurdle_rate_per_year: Annotated[RatePerYear | None, Field(description="what an investment has to return; empty: "
        "the discount rate"), ask("hurdle", "Hurdle rate, % a year", "What an investment has to return.", group=MONEY,
        rare=True, percent=True, usual="the discount rate")] = None  # fmt: skip
    borrowing_rate_per_year: Annotated[RatePerYear | None, Field(description="at which lease payments are discounted "
        "in the books; empty: the discount rate"), ask("borrowing", "Incremental borrowing rate, % a year",
        "Discounts lease payments in the books.", group=MONEY, rare=True, percent=True,
        usual="the discount rate")] = None  # fmt: skip
    reservations_are_leases: Annotated[bool, Field(description="where a contract names the machines and you direct "
        "their use (IFRS 16 B9, ASC 842-10-15-3)"), ask("reslease", "Reservations are leases in the books",
        "Where the contract names the machines and you direct their use.", group=MONEY, rare=True)] = False  # fmt: skip
    short_term_expensed: Annotated[bool, Field(description="leases of up to 12 months without an option to buy stay "
        "off the balance sheet (IFRS 16.5, ASC 842-20-25-2)"), ask("shortlease", "Short leases are expensed",
        "Up to 12 months, without an option to buy.", group=MONEY, rare=True)] = True  # fmt: skip
    low_value_usd: Annotated[Usd, Field(description="a machine that costs as much when new or less stays off the "
        "balance sheet under IFRS 16; its basis for conclusions (BC100) has 5,000")] = 5_000.0  # fmt: skip
