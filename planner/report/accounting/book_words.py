"""The books in words and tables: leases, the discount rate and the hurdle, and the file of a controller."""

from collections.abc import Iterator

import numpy as np

from planner.money.accounting.fiscal import month_days, periods
from planner.money.accounting.leases import BALANCES, LeaseAccounts
from planner.money.capital import CapitalCost
from planner.money.ledger import Origin
from planner.money.measures import cash_paid_usd
from planner.money.plan import Plan
from planner.money.profit_and_loss import BOOK_LIFE
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.report import words
from planner.report.books import LEASE_LABELS, PROFIT_LABELS, leases_of, option_profit_and_loss
from planner.report.files.csv import columns_of, convert_to_plan_currency
from planner.report.forms import scalar
from planner.report.table import Table
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.durations import months_words

_Rows = Iterator[tuple[str, str, str, str, int, np.ndarray]]  # statement, contract, row, label, first month, months
_CENT = 0.01


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
    spans, rows = periods(plan.setting, accounts.months, quarters=quarters), []
    for name, usd in accounts.rows.items():
        if np.abs(usd).max() > _CENT:
            is_balance = name in BALANCES
            amounts = spans.ends(usd) if is_balance else spans.sums(usd)
            total = np.nan if is_balance else float(usd.sum())
            rows.append(
                {"USD": LEASE_LABELS[name], **dict(zip(spans.labels, amounts, strict=True)), "All years": total}
            )
    return Table.of(rows)


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


_PARTS = {
    "equity_share": "Equity, share of the capital", "risk_free_per_year": "Risk-free rate",
    "equity_premium_per_year": "Equity risk premium", "debt_rate_per_year": "Cost of debt before tax",
    "capital_tax_share": "Tax that interest saves", "business_beta": "Beta of the business, without debt",
    "equity_beta": "Beta of the equity",
}  # fmt: skip


def capital_table(capital: CapitalCost) -> Table:
    """Return the parts of the discount rate, then what follows from them."""
    rows = [
        {"Part": _PARTS[part.name], "Value": _written(part.name, float(part.value)), "Source": origin.source,
         "Day": origin.checked or origin.since, "Note": origin.note or ""}
        for part in capital.parts
        for origin in (part.origin if isinstance(part.origin, Origin) else part.origin(0),)
    ]  # fmt: skip
    for name, rate in (("Cost of equity", capital.equity_per_year), ("Discount rate (WACC)", capital.per_year)):
        rows.append(
            {"Part": name, "Value": words.percent(rate, 2), "Source": "computed above", "Day": None, "Note": ""}
        )
    return Table.of(rows)


def _written(name: str, value: float) -> str:
    return words.number(value) if name.endswith("beta") else words.percent(value, 2)


def hurdle_table(plan: Plan, answer: Answer) -> Table:
    """Return what each option returns against the baseline, beside the hurdle rate."""
    own = plan.setting.scenario.accounting.hurdle_rate_per_year
    hurdle = plan.setting.discount_rate_per_year if own is None else own
    rows = []
    for way in answer.ranked:
        rate, modified = scalar(way.measures.irr.value), scalar(way.measures.modified_irr.value)
        if rate is not None or modified is not None:
            best = modified if rate is None else rate
            rows.append({
                "Option": way.option.title, "Return a year (IRR)": rate, "Modified (MIRR)": modified,
                "Hurdle rate": hurdle, "Clears it": "yes" if best is not None and best >= hurdle else "no",
            })  # fmt: skip
    return Table.of(rows)


def accounting_table(plan: Plan, answer: Answer) -> Table:
    """Return one row for each option, row of its statements and month; leases run beyond the plan where they do."""
    setting = plan.setting
    booked = (leases_of(setting, way) for way in answer.ranked)
    last = max([setting.timeline.last, *(accounts.months for accounts in booked if accounts is not None)])
    years, quarters = (periods(setting, last, quarters=is_quarter) for is_quarter in (False, True))
    per_usd = np.asarray(convert_to_plan_currency(np.ones(last + 1), setting.currency).amount)
    common = [
        {
            "month": month,
            "period_end": day,
            "fiscal_year": years.labels[years.of_month[month]],
            "fiscal_quarter": quarters.labels[quarters.of_month[month]],
            "reporting_currency": convert_to_plan_currency(1.0, setting.currency).code,
        }
        for month, day in enumerate(month_days(setting, last))
    ]
    rows = (
        {"option": way.option.key, "statement": statement, "contract": contract, "row": row, "label": label}
        | common[month]
        | {"usd": float(usd) + 0.0, "amount_reporting": float(usd) * per_usd[month] + 0.0}
        for way in answer.ranked
        for statement, contract, row, label, first, months in _statements(plan, way)
        for month, usd in enumerate(months, start=first)
    )
    return Table.from_raw_rows(rows, columns_of("accounting"))


def _statements(plan: Plan, way: EvaluatedOption) -> _Rows:
    yield "cash", "", "paid", "Cash paid", 0, cash_paid_usd(way.option.ledger)
    for name, usd in option_profit_and_loss(plan.setting, way).by_month.items():
        yield "profit_and_loss", "", name, PROFIT_LABELS[name], 0, usd
    accounts = leases_of(plan.setting, way)
    for lease in () if accounts is None else accounts.leases:
        for name, usd in lease.rows.items():
            if usd.any():
                yield "leases", lease.name, name, LEASE_LABELS[name], lease.begins, usd
