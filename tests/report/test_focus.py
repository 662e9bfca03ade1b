"""FOCUS: every mandatory column of both versions, allowed values, and two sums that are the cash of the plan."""

import csv
import io
import re
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from planner.money.measures import cash_paid_usd
from planner.money.plan import Plan
from planner.report.files.focus import VERSIONS, FocusVersion, columns, focus_file, focus_table
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.scenario.terms import TaxInputs
from planner.study.plan_any import planned
from tests.facts import CATALOGUE, DAY

EVIL = "=cmd|' /C calc'!A0"
# Of the specification, tags v1.2 and v1.4: the mandatory columns of Cost and Usage; whether a value may lack.
_BOTH = {
    "BilledCost": False, "BillingAccountId": False, "BillingAccountName": True, "BillingCurrency": False,
    "BillingPeriodEnd": False, "BillingPeriodStart": False, "ChargeCategory": False, "ChargeClass": True,
    "ChargeDescription": True, "ChargePeriodEnd": False, "ChargePeriodStart": False, "ContractedCost": False,
    "EffectiveCost": False, "InvoiceIssuerName": False, "ListCost": False, "PricingQuantity": True, "PricingUnit": True,
    "ServiceCategory": False, "ServiceName": False,
}  # fmt: skip
MANDATORY: dict[FocusVersion, dict[str, bool]] = {
    "1.2": {**_BOTH, "ProviderName": False, "PublisherName": False},
    "1.4": {**_BOTH, "HostProviderName": False, "ServiceProviderName": False},
}
CATEGORIES = {"Usage", "Purchase", "Tax", "Credit", "Adjustment"}
FREQUENCIES = {"One-Time", "Recurring", "Usage-Based"}
SERVICES = {"AI and Machine Learning", "Compute", "Networking", "Storage", "Other"}
TAXED = Scenario(name=EVIL, years=2.5, tax=TaxInputs(tax_share=0.25, vat_share=0.2, vat_recovered_share=0.5))
PLANS = [*(preset.scenario for preset in load_presets()), TAXED]


def broken_rules(rows: list[dict[str, Any]], version: FocusVersion) -> set[str]:
    """Return the rules of the specification that some row breaks."""
    broken = set()
    for row in rows:
        broken |= {
            f"{name} is null" for name, may_lack in MANDATORY[version].items() if not may_lack and row[name] is None
        }
        for name in ("BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd"):
            if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row[name]):
                broken.add(f"{name} is no time")
        start, end = (datetime.fromisoformat(row[f"ChargePeriod{side}"]) for side in ("Start", "End"))
        billed = tuple(datetime.fromisoformat(row[f"BillingPeriod{side}"]) for side in ("Start", "End"))
        kind = (row["ChargeCategory"], row["ChargeFrequency"])
        checks = {
            "the period is empty": start < end, "charged outside the billing period": billed[0] <= start < billed[1],
            "category": row["ChargeCategory"] in CATEGORIES, "frequency": row["ChargeFrequency"] in FREQUENCIES,
            "service": row["ServiceCategory"] in SERVICES, "currency": re.fullmatch("[A-Z]{3}", row["BillingCurrency"]),
            "unit without a quantity": (row["PricingUnit"] is None) == (row["PricingQuantity"] is None),
            "a tax has a quantity": row["ChargeCategory"] != "Tax" or row["PricingQuantity"] is None,
            "no quantity": row["ChargeCategory"] not in ("Usage", "Purchase") or row["PricingQuantity"] is not None,
            "a usage is no one-time charge": kind != ("Usage", "One-Time"),
            "a purchase is not usage-based": kind != ("Purchase", "Usage-Based"),
            "a credit costs": row["ChargeCategory"] != "Credit" or row["EffectiveCost"] <= 0,
            "no forecast": row["x_IsForecast"] is True,
        }  # fmt: skip
        broken |= {name for name, holds in checks.items() if not holds}
    return broken


@pytest.fixture(scope="module", params=PLANS, ids=lambda scenario: scenario.name)
def plan(request: pytest.FixtureRequest) -> Plan:
    return planned(CATALOGUE, request.param, DAY)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_row_keeps_the_rules_of_the_version(plan: Plan, version: FocusVersion) -> None:
    table = focus_table(plan, version)
    assert set(MANDATORY[version]) <= set(table.columns)
    own = [name for name in table.columns if name.startswith("x_")]
    assert table.columns[-len(own) :] == own  # ours stand behind those of the specification
    rows = table.records()
    assert rows
    assert not broken_rules(rows, version)


def test_what_is_billed_and_what_takes_effect_sum_to_the_cash(plan: Plan) -> None:
    rows = focus_table(plan, "1.4").records()
    for option in plan.options:
        cash = float(cash_paid_usd(option.ledger).sum())
        of_option = [row for row in rows if row["x_Option"] == option.key]
        for cost in ("BilledCost", "EffectiveCost"):
            assert sum(row[cost] for row in of_option) == pytest.approx(cash, rel=1e-9, abs=1e-6)
        by_month = np.zeros(plan.setting.timeline.last + 1)
        starts = sorted({row["BillingPeriodStart"] for row in rows})
        for row in of_option:
            is_today = (
                row["ChargePeriodStart"][:10] == DAY.isoformat() and row["ChargePeriodEnd"] != row["BillingPeriodEnd"]
            )
            by_month[0 if is_today else starts.index(row["BillingPeriodStart"]) + 1] += row["BilledCost"]
        assert by_month == pytest.approx(cash_paid_usd(option.ledger), rel=1e-9, abs=1e-6)


def test_a_broken_row_is_seen() -> None:
    rows = focus_table(planned(CATALOGUE, PLANS[0], DAY), "1.2").records()
    bad = {"ChargeCategory": "Rent", "BilledCost": None, "ChargePeriodEnd": rows[0]["ChargePeriodStart"]}
    assert broken_rules([{**rows[0], **bad}], "1.2") >= {"category", "BilledCost is null", "the period is empty"}


def test_csv_and_parquet_hold_the_same_rows_and_no_formula() -> None:
    plan = planned(CATALOGUE, TAXED, DAY)
    rows = list(csv.DictReader(io.StringIO(focus_file(plan, "1.4", ".csv").decode("utf-8-sig"))))
    packed = pq.read_table(io.BytesIO(focus_file(plan, "1.4", ".parquet"))).to_pylist()
    assert tuple(rows[0]) == tuple(packed[0]) == columns("1.4")
    assert [float(row["BilledCost"]) for row in rows] == [row["BilledCost"] for row in packed]
    assert rows[0]["BillingAccountName"] == f"'{EVIL}"
    assert packed[0]["BillingAccountName"] == EVIL  # no spreadsheet takes it apart
