"""Actuals of kept plans: the sums of bills by month of the plan, not the bills, as text in the database and back."""

import json
from datetime import date

from planner.money.accounting.fiscal import month_days
from planner.money.plan import Plan
from planner.report.accounting.actual_words import actuals_of
from planner.report.accounting.bill_file import Bill, Charge, bill_by_month, joined_bill
from planner.store.database import PlanStoreError
from planner.store.kept import KeptPlan, PlanStore


def monthly_bill(plan: Plan, bill: Bill) -> str:
    """Return what is kept of a bill: its sums by month of the plan; raise `BillError` where none falls into them."""
    actuals_of(plan, bill)
    monthly = bill_by_month(bill, month_days(plan.setting, plan.setting.timeline.last))
    return json.dumps(monthly._asdict(), default=date.isoformat, ensure_ascii=False)


def kept_actuals(store: PlanStore, kept: KeptPlan, number: int) -> Bill | None:
    """Return what was billed for a version of a plan, from all its imports; None where there are none."""
    return joined_bill([_bill(text, kept.name) for text in store.actuals(kept, number)])


def _bill(text: str, name: str) -> Bill:
    try:
        cells = json.loads(text)
        charges = tuple(Charge(date.fromisoformat(day), *rest) for day, *rest in cells["charges"])
        return Bill(cells["name"], charges, cells["rows"], tuple(cells["providers"]), cells["each"])
    except (ValueError, TypeError, KeyError) as error:
        raise PlanStoreError(f"The database of plans is damaged: a bill of “{name}” cannot be read.") from error
