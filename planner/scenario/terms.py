"""On which terms money and prices are calculated: what money costs, when it moves, how prices change, tax, currency.

How the books are kept: leases, exemptions, fiscal years.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from planner.scenario.base import (
    HOURS_PER_MONTH,
    MONEY,
    RENTING,
    WORK,
    ChangePerYear,
    Id,
    Label,
    RatePerYear,
    ScenarioModel,
    Share,
    Usd,
    ask,
    unit,
    usd_per,
)
from pricing.figure import Day

# When, within its month or year, the money of a month is taken to move; `dated` counts the days of the calendar.
Timing = Literal["month_end", "month_middle", "year_end", "year_middle", "dated"]
Nominal = Literal["nominal", "real"]


class FinancialTerms(ScenarioModel):
    """Settings of finance. Printed with every result, since they can turn it. Empty takes the catalogue's figure."""

    discount_rate_per_year: Annotated[float | None, Field(ge=0.0, le=0.5), unit("a year: 0.1 is 10 %"), ask("rate",
        "Discount rate, % a year", "What the money would earn or cost elsewhere.", group=MONEY,
        percent=True)] = None  # fmt: skip
    timing: Annotated[
        Timing, ask("timing", "When money moves", "Within its month or year.", group=MONEY, rare=True)
    ] = "month_end"
    money: Nominal = "nominal"
    inflation_per_year: Annotated[float, Field(ge=-0.05, le=0.5), unit("a year: 0.1 is 10 %"), ask("inflation",
        "Inflation, % a year", group=MONEY, rare=True, percent=True)] = 0.0  # fmt: skip
    hours_per_month: Annotated[float, Field(ge=672.0, le=744.0), unit("hours")] = HOURS_PER_MONTH
    rent_change_per_year: Annotated[ChangePerYear | None, ask("rents", "Rents change by, % a year",
        "Below zero where they fall. They fell until 2025 and rose in 2026.", group=RENTING,
        percent=True)] = None  # fmt: skip
    rent_by_year: Annotated[tuple[Annotated[float, Field(ge=0.05, le=20.0)], ...], Field(max_length=10,
        description="today's rent times this, year by year; the last holds on; wins over the rate"),
        unit("times today's rent, year by year")] = ()  # fmt: skip
    rent_as_quotes_imply: Annotated[bool, Field(description="the change that 1- and 3-year quotes imply")] = False
    cash_on_day_one_usd: Annotated[Usd | None, Field(description="the most that can be paid today"), ask("cash",
        "Cash limit on day one, USD", "Empty: no limit.", group=MONEY, usual="no limit")] = None  # fmt: skip
    cash_per_year_usd: Annotated[Usd | None,
        Field(description="the most that can be paid in any year of the plan, day one being in the first"),
        ask("yearly", "Cash limit in a year, USD",
        "For every year of the plan; the first includes day one. Empty: no limit.", group=MONEY,
        usual="no limit")] = None  # fmt: skip
    budget_usd: Annotated[Usd | None, Field(description="for everything over the plan, before any resale; no limit: "
        "the answer says what is left of it"), ask("budget", "Total budget, USD",
        "For everything over the whole plan. The answer says what each option leaves of it.", group=MONEY,
        usual="not stated")] = None  # fmt: skip
    most_t_co2e: Annotated[
        float | None,
        Field(gt=0.0, le=1e9, description="the most that may be emitted over the plan, by operation and making"),
        unit("tonnes of CO2 equivalent"),
        ask(
            "carbon",
            "Most you may emit, tonnes of CO2 equivalent",
            "Over the plan: running the machines and making them. Empty: no limit.",
            group=MONEY,
            rare=True,
            usual="no limit",
        ),
    ] = None
    usd_per_day_saved: Annotated[float | None, Field(ge=0.0, le=1e7, description="what it is worth that a run ends a "
        "day sooner, where there is no deadline; empty: a quarter of a person's working day"), unit("USD a day"),
        ask("daysaved", "A day saved, USD", "Weighed against the price of faster GPUs where you leave the choice open.",
        group=WORK, rare=True, usual="a quarter of a person's day")] = None  # fmt: skip
    usd_per_waiting_hour: Annotated[
        float | None,
        Field(ge=0.0, le=100_000.0, description="what it costs that one job waits an hour, however large"),
        usd_per("hour that one job waits"),
        ask(
            "waitcost",
            "An hour that a job waits, USD",
            "Of one job, however many GPUs it takes: what it costs that somebody waits for it. Empty: as long as "
            "people accept.",
            group=WORK,
            rare=True,
            usual="not counted",
        ),
    ] = None


class CapitalInputs(ScenarioModel):
    """Parts of the discount rate (WACC). A discount rate that is entered wins. Empty takes the catalogue's figure."""

    equity_share: Annotated[float, Field(ge=0.01, le=1.0, description="of what finances the company; the rest is "
        "debt"), unit("share: 0.1 is 10 %"), ask("equity", "Equity, % of the capital",
        "Filled in, the discount rate is built from its parts: the cost of equity and of debt after tax.", group=MONEY,
        rare=True, percent=True, usual="not built from parts")]  # fmt: skip
    risk_free_per_year: Annotated[RatePerYear | None, ask("riskfree", "Risk-free rate, % a year", group=MONEY,
        rare=True, percent=True, usual="the ten-year Treasury's")] = None  # fmt: skip
    beta: Annotated[float | None, Field(ge=-2.0, le=10.0, description="of the equity, debt included; empty: of a "
        "business like the market, with the debt of this plan"), unit("times the market's"), ask("beta",
        "Beta of the equity", group=MONEY, rare=True, usual="the market's, with your debt")] = None  # fmt: skip
    equity_premium_per_year: Annotated[RatePerYear | None, Field(description="of equity over the risk-free rate"),
        ask("premium", "Equity risk premium, % a year", group=MONEY, rare=True, percent=True,
        usual="the implied one")] = None  # fmt: skip
    debt_rate_per_year: Annotated[RatePerYear | None, Field(description="before tax"), ask("debtrate",
        "Cost of debt before tax, % a year", group=MONEY, rare=True, percent=True,
        usual="a bank loan's")] = None  # fmt: skip
    tax_share: Annotated[Share | None, Field(description="that interest saves; empty: the tax rate of the site"),
        ask("debttax", "Tax that interest saves, %", group=MONEY, rare=True, percent=True,
        usual="the tax rate of the site")] = None  # fmt: skip


class TaxInputs(ScenarioModel):
    """Tax on what is saved and earned. Rates and schedules are the site's unless you say otherwise."""

    tax_share: Annotated[Share | None, ask("tax", "Tax on profit, %", "If you enter it, tax and depreciation count.",
        group=MONEY, percent=True, usual="not counted")] = None  # fmt: skip
    schedule: Annotated[Id | None, Field(description="empty: the usual one of the country, else five years in a "
        "straight line with half of the first"), ask("written", "Written off by", "A schedule of the tax books.",
        group=MONEY, rare=True, usual="as usual in that country")] = None  # fmt: skip
    shares_by_year: Annotated[tuple[Share, ...], Field(max_length=40), unit("share of the price, year by year")] = ()
    profit_usd_per_year: Annotated[float | None, Field(ge=-1e12, le=1e12,
        description="other profit to set costs against; empty: always enough"), unit("USD a year")] = None  # fmt: skip
    losses_brought_usd: Usd = 0.0
    vat_share: Annotated[
        Share,
        ask("vat", "Sales or value-added tax, %", group=MONEY, rare=True, percent=True, usual="not counted"),
    ] = 0.0
    vat_recovered_share: Share = 1.0
    vat_recovered_after_months: Annotated[int, Field(ge=0, le=24), unit("months")] = 3

    @model_validator(mode="after")
    def _whole(self) -> TaxInputs:
        if self.shares_by_year and abs(sum(self.shares_by_year) - 1.0) > 1e-6:
            raise ValueError(f"shares_by_year want to sum to 1, they sum to {sum(self.shares_by_year):g}")
        return self


class Currency(ScenarioModel):
    """The money results are shown in. The engine calculates in US dollars; they are converted once, at the very end.

    The code alone takes the catalogue's newest rate, with its day and source; with a `day`, the rate of that day. A
    rate of your own may say its day and its source.
    """

    code: Annotated[str, Field(max_length=3, pattern="^[A-Z]{3}$"), ask("currency", "Show amounts in",
        "By its three letters: EUR, at its rate of the day. What you type stays as typed.", group=MONEY, rare=True,
        usual="US dollars")]  # fmt: skip
    usd_per_unit: Annotated[float | None, Field(gt=0.0, le=1_000.0), unit("USD for one unit of it")] = None
    usd_per_unit_by_year: Annotated[tuple[Annotated[float, Field(gt=0.0, le=1_000.0)], ...], Field(max_length=10,
        description="forward rates: year by year from today, the last holds on; files by month take them"),
        unit("USD for one unit of it, year by year")] = ()  # fmt: skip
    day: Day | None = None
    source: Label | None = None


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
