"""FOCUS: the plan as charges in the open format of cloud bills, each marked as a forecast.

FOCUS describes charges that have occurred, so a plan follows conventions of its own. What is bought, sold or borrowed
is billed when it is paid and takes effect evenly over the months of the plan; over the whole plan both costs sum to the
cash. What is paid to nobody is no charge.

References
----------
FinOps Open Cost and Usage Specification, versions 1.2 (29 May 2025) and 1.4 (4 June 2026): dataset Cost and Usage.
"""

import io
import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from planner.money.chargeback import SPREAD, Rule
from planner.money.finance import days_since
from planner.money.ledger import RESERVED, Line, Origin, Part
from planner.money.measures import monthly_discount_factors
from planner.money.option import Option
from planner.money.plan import Plan
from planner.report.files.csv import USD, scenario_id, seller, to_csv
from planner.report.files.csv_style import CsvStyle
from planner.report.files.document_parts import LUMP, priced
from planner.report.table import Table
from planner.study.portfolio import SharedFleet

FocusVersion = Literal["1.2", "1.4"]
_COMMON = (
    "BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency", "BillingPeriodEnd", "BillingPeriodStart",
    "ChargeCategory", "ChargeClass", "ChargeDescription", "ChargeFrequency", "ChargePeriodEnd", "ChargePeriodStart",
    "ConsumedQuantity", "ConsumedUnit", "ContractedCost", "ContractedUnitPrice", "EffectiveCost", "InvoiceId",
    "InvoiceIssuerName", "ListCost", "ListUnitPrice", "PricingCategory", "PricingQuantity", "PricingUnit", "RegionId",
    "RegionName", "ServiceCategory", "ServiceName", "ServiceSubcategory",
)  # fmt: skip
_PROVIDERS: Mapping[FocusVersion, tuple[str, str]] = {
    "1.2": ("ProviderName", "PublisherName"), "1.4": ("HostProviderName", "ServiceProviderName"),
}  # fmt: skip
_OWN = ("x_Option", "x_Line", "x_Part", "x_ScenarioId", "x_IsForecast", "x_EngineVersion", "x_Probability",
        "x_PriceAsOf", "x_PriceSource", "x_DiscountFactor", "x_PresentValue")  # fmt: skip
_OF_TEAMS = ("SubAccountId", "SubAccountName", "Tags")
_SERVICES: Mapping[Part, str] = {
    "tokens": "AI and Machine Learning", "storage": "Storage", "network": "Networking", "egress": "Networking",
    "finance": "Other", "tax": "Other", "staff": "Other", "income": "Other", "selling": "Other",
}  # fmt: skip
_USED: frozenset[Part] = frozenset({"compute", "tokens", "storage", "egress", "power", "whole machines", "idle"})
_LISTED: frozenset[Part] = frozenset({"tokens", "storage", "egress"})  # at prices of a list
_NULL_AS_NOTHING = CsvStyle(encoding="utf-8", empty="")
_BY_TIME = re.compile("-(hour|month|year)( of .*)?$")
_YOURS = "Own company"
_LUMP = "Units"


def columns(version: FocusVersion) -> tuple[str, ...]:
    """Return the columns of a version, our own behind them."""
    return (*sorted((*_COMMON, *_PROVIDERS[version])), *_OWN)


def focus_table(plan: Plan, version: FocusVersion) -> Table:
    """Return one row for each option, line and month in which money moves or takes effect."""
    periods, common = _periods(plan), _common(plan)

    def rows(option: Option) -> Iterator[dict[str, Any]]:
        sold = seller(plan, option)
        names = dict.fromkeys(("InvoiceIssuerName", *_PROVIDERS[version]), sold["provider"] or _YOURS)
        region = sold["region"] or None
        names |= {"RegionName": region, "RegionId": region if sold["provider"] else plan.setting.scenario.site}
        for line in option.ledger.lines:
            if line.is_cash:
                same = {**common, **names, "x_Option": option.key, **_described(option, line)}
                for month, row in _charges(plan, line):
                    yield {**same, **periods[month], **row, **_priced_by(row, pricing_category(option, line))}

    return Table.from_raw_rows((row for option in plan.options for row in rows(option)), columns(version))


def _common(plan: Plan) -> dict[str, Any]:
    return {
        "BillingAccountId": scenario_id(plan),
        "BillingAccountName": plan.setting.scenario.name,
        "BillingCurrency": USD,
        "ChargeClass": None,
        "x_ScenarioId": scenario_id(plan),
        "x_IsForecast": True,
        "x_EngineVersion": f"catalogue {plan.setting.catalogue.digest[:16]}",
        "x_Probability": "typical",
    }


def chargeback_table(fleets: tuple[SharedFleet, ...], rule: Rule, version: FocusVersion) -> Table:
    """Return one row for each plan of a portfolio and month: what it pays of its fleet, team and project as tags."""

    def rows(fleet: SharedFleet) -> Iterator[dict[str, Any]]:
        plan, best = fleet.plan, fleet.best.option
        names = dict.fromkeys(("InvoiceIssuerName", *_PROVIDERS[version]), _YOURS)
        site = plan.setting.scenario.site
        common = {**_common(plan), **names, "RegionId": site, "RegionName": plan.setting.catalogue.sites[site].label,
                  "ServiceCategory": "Compute", "ServiceSubcategory": "Other (Compute)", "x_Option": best.key,
                  "ServiceName": f"Shared {plan.setting.scenario.accelerator}", "x_AllocationRule": rule}  # fmt: skip
        periods, worth = _periods(plan)[1:], monthly_discount_factors(plan.setting)[1:]
        for member, cents, hours in zip(
            fleet.members, fleet.cents(rule).tolist(), fleet.demands[0][:, 1:], strict=True
        ):
            tags = {"team": member.team, "project": member.name, **dict.fromkeys(member.tags, "")}
            for month in np.flatnonzero(cents):
                usd, kind = cents[month] / 100, "Usage" if cents[month] > 0 else "Credit"
                used = (hours[month], "accelerator-hour") if hours[month] else (1.0, _LUMP)
                charge = {
                    **common, **periods[month], **_costs(usd, usd), "x_Line": "Chargeback", "x_Part": "compute",
                    "ChargeCategory": kind, "ChargeFrequency": "Recurring",
                    "ChargeDescription": f"{member.name}: {best.title}", "SubAccountId": member.team or member.name,
                    "SubAccountName": member.team or member.name, "Tags": json.dumps(tags, ensure_ascii=False),
                    "x_DiscountFactor": float(worth[month]), "x_PresentValue": usd * float(worth[month]),
                    **_quantity(kind, *used),
                }  # fmt: skip
                yield {**charge, **_priced_by(charge, "Standard")}

    names = (*sorted((*_COMMON, *_PROVIDERS[version], *_OF_TEAMS)), *_OWN, "x_AllocationRule")
    return Table.from_raw_rows((row for fleet in fleets for row in rows(fleet)), names)


def focus_bytes(table: Table, suffix: str) -> bytes:
    """Return rows as Parquet where the name of the file ends so, else as CSV."""
    if suffix != ".parquet":
        return to_csv(table, _NULL_AS_NOTHING)
    import pyarrow as pa  # Streamlit brings it along; loaded only for such a file
    import pyarrow.parquet as pq

    out = io.BytesIO()
    schema = pa.schema([(name, pa.type_for_alias(_parquet_type(name))) for name in table.columns])
    moment = pa.timestamp("s", tz="UTC")
    texts = pa.table({name: table[name] for name in table.columns}, schema=schema)
    of_time = pa.schema([(name, moment if "Period" in name else schema.field(name).type) for name in table.columns])
    pq.write_table(texts.cast(of_time), out)
    return out.getvalue()


def _parquet_type(name: str) -> str:
    if name == "x_IsForecast":
        return "bool"
    return "double" if name.endswith(("Cost", "Quantity", "UnitPrice", "Factor", "PresentValue")) else "string"


def _described(option: Option, line: Line) -> dict[str, Any]:
    price = priced(line).price
    origin = price.origin if price and isinstance(price.origin, Origin) else None
    day = (origin.checked or origin.since) if origin else None
    category = service_of(line.part)
    return {
        "ChargeDescription": f"{option.title}: {line.name}",
        "ServiceCategory": category,
        "ServiceSubcategory": "Generative AI" if line.part == "tokens" else f"Other ({category})",
        "ServiceName": f"{option.title}: {category}",
        "x_Line": line.name,
        "x_Part": line.part,
        "x_PriceAsOf": day.isoformat() if day else None,
        "x_PriceSource": origin.url if origin else None,
    }


def _charges(plan: Plan, line: Line) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the charges of a line with their months: as billed, then as they take effect where that differs."""
    usd, parts = line.priced_usd, priced(line)
    usd = np.broadcast_to(usd, (plan.setting.timeline.last + 1,))
    quantities, is_spread = np.broadcast_to(parts.quantity, usd.shape), line.treatment in SPREAD
    worth = monthly_discount_factors(plan.setting)
    for month in np.flatnonzero(usd).tolist():
        category, frequency = _category(line, usd[month])
        amount = float(usd[month])
        yield month, {
            **_costs(amount, 0.0 if is_spread else amount), "ChargeCategory": category, "ChargeFrequency": frequency,
            **_quantity(category, float(quantities[month]), _LUMP if parts.unit == LUMP else parts.unit),
            "x_DiscountFactor": float(worth[month]), "x_PresentValue": amount * float(worth[month]),
        }  # fmt: skip
    months, total = plan.setting.timeline.last, float(usd.sum())
    for month in range(1, months + 1) if is_spread and total else ():
        category = "Usage" if total > 0 else "Credit"
        yield month, {
            **_costs(0.0, total / months, max(total, 0.0) / months),
            "ChargeCategory": category, "ChargeFrequency": "Recurring",
            **_quantity(category, 1 / months, _LUMP), "x_DiscountFactor": float(worth[month]), "x_PresentValue": 0.0,
        }  # fmt: skip


def _costs(billed: float, effective: float, priced_usd: float | None = None) -> dict[str, float]:
    usd = billed if priced_usd is None else priced_usd  # use of what is bought has a price; it is billed before
    return {"BilledCost": billed, "EffectiveCost": effective, "ListCost": usd, "ContractedCost": usd}


def pricing_category(option: Option, line: Line) -> str:
    """Return how the price of a charge is set: of machine hours by contract and market, of all else by its part."""
    if line.part not in RESERVED:
        return "Standard" if line.part in _LISTED else "Other"
    is_booked = line.contract is not None and line.contract.kind == "reservation"
    return "Committed" if is_booked else "Dynamic" if option.way == "spot" else "Standard"


def service_of(part: Part) -> str:
    """Return the category of the service that a part of a ledger belongs to."""
    return _SERVICES.get(part, "Compute")


def _priced_by(row: Mapping[str, Any], category: str) -> dict[str, Any]:
    """Return price and kind of price of what is bought or used, and how much is used."""
    quantity = row["PricingQuantity"]
    if quantity is None:
        return {}
    is_used, price = row["ChargeCategory"] == "Usage", row["ListCost"] / quantity
    return {
        "ListUnitPrice": price, "ContractedUnitPrice": price, "PricingCategory": category,
        "ConsumedQuantity": quantity if is_used else None, "ConsumedUnit": row["PricingUnit"] if is_used else None,
    }  # fmt: skip


def _category(line: Line, usd: float) -> tuple[str, str]:
    if line.treatment == "tax":
        return "Tax", "Recurring"
    if line.treatment == "financing":
        return "Adjustment", "Recurring"
    is_once = line.treatment in SPREAD
    if usd < 0:
        return "Credit", "One-Time" if is_once else "Recurring"
    # A purchase takes effect later; what is paid and used in the same month is usage.
    return ("Purchase", "One-Time") if is_once else ("Usage", "Usage-Based" if line.part in _USED else "Recurring")


def _quantity(category: str, quantity: float, unit: str) -> dict[str, Any]:
    """Return how much was priced; null for what is no purchase and no use, as FOCUS wants it for tax."""
    if category not in ("Usage", "Purchase"):
        return {"PricingQuantity": None, "PricingUnit": None}
    unit = _BY_TIME.sub(lambda time: f"-{time[1].title()}s", unit)  # accelerator-hour: accelerator-Hours
    return {"PricingQuantity": quantity, "PricingUnit": unit}


def _periods(plan: Plan) -> list[dict[str, str]]:
    """Return the periods of today and of each month; what is paid today is billed with the first month."""
    start, last = plan.setting.day, plan.setting.timeline.last
    days = [start + timedelta(days=int(days)) for days in days_since(day=start, months=last)]
    months = [_period(first, end, first, end) for first, end in pairwise(days)]
    return [_period(start, start + timedelta(days=1), days[0], days[1]), *months]


def _period(first: date, end: date, billed_from: date, billed_until: date) -> dict[str, str]:
    days = {"ChargePeriodStart": first, "ChargePeriodEnd": end, "BillingPeriodStart": billed_from,
            "BillingPeriodEnd": billed_until}  # fmt: skip
    return {name: f"{day.isoformat()}T00:00:00Z" for name, day in days.items()}
