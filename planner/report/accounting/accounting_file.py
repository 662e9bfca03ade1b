"""The file of a controller: cash, profit and loss and leases of every option, by month and fiscal period."""

from collections.abc import Iterator

import numpy as np

from planner.money.accounting.fiscal import month_days, periods
from planner.money.measures import cash_paid_usd
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.report.accounting.lease_words import LABELS as LEASES
from planner.report.accounting.lease_words import lease_rows, leases_of
from planner.report.answer.profit_words import LABELS as PROFITS
from planner.report.answer.profit_words import option_profit_and_loss
from planner.report.files.csv import columns_of, convert_to_plan_currency
from planner.report.table import Table

_Rows = Iterator[tuple[str, str, str, str, int, np.ndarray]]  # statement, contract, row, label, first month, months


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
        yield "profit_and_loss", "", name, PROFITS[name], 0, usd
    accounts = leases_of(plan.setting, way)
    for lease, name, usd in () if accounts is None else lease_rows(accounts):
        yield "leases", lease.name, name, LEASES[name], lease.begins, usd
