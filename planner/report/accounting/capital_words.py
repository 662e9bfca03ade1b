"""The discount rate in words and tables: its parts with their sources, and which options return the hurdle rate."""

from planner.money.capital import CapitalCost
from planner.money.ledger import Origin
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.forms import scalar
from planner.report.table import Table

LABELS = {
    "equity_share": "Equity, share of the capital", "risk_free_per_year": "Risk-free rate",
    "equity_premium_per_year": "Equity risk premium", "debt_rate_per_year": "Cost of debt before tax",
    "capital_tax_share": "Tax that interest saves", "business_beta": "Beta of the business, without debt",
    "equity_beta": "Beta of the equity",
}  # fmt: skip


def capital_table(capital: CapitalCost) -> Table:
    """Return the parts of the discount rate, then what follows from them."""
    rows = [
        {"Part": LABELS[part.name], "Value": _written(part.name, float(part.value)), "Source": origin.source,
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
