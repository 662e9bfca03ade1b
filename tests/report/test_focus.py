"""FOCUS: every mandatory column of both versions, allowed values, and two sums that are the cash of the plan."""

import csv
import io
import json
import math
import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow.parquet as pq
import pytest

from planner.money.measures import cash_paid_usd
from planner.money.plan import Plan
from planner.report.files.focus import (
    FocusVersion,
    chargeback_table,
    columns,
    focus_bytes,
    focus_table,
)
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms, TaxInputs
from planner.study.plan_any import planned
from planner.study.portfolio import portfolio
from tests.facts import CATALOGUE, DAY
from tests.rows import slow_except
from tests.study.test_portfolio import SHARES, team

EVIL = "=cmd|' /C calc'!A0"
# Facts of the specification, tags v1.2 and v1.4: every column of Cost and Usage.
with Path(__file__).with_name("focus_columns.csv").open(encoding="utf-8", newline="") as _file:
    COLUMNS = list(csv.DictReader(_file))
TAXED = Scenario(name=EVIL, years=2.5, tax=TaxInputs(tax_share=0.25, vat_share=0.2, vat_recovered_share=0.5))
PLANS = [*(preset.scenario for preset in load_presets()), TAXED]


def specified(version: FocusVersion) -> dict[str, dict[str, str]]:
    """Return the columns of a version, by name."""
    return {row["column"]: row for row in COLUMNS if row["spec_version"] == version}


def wrong_value(column: dict[str, str], value: object) -> str:
    """Return what is wrong with a value of a column, by its type, format and allowed values."""
    if value is None:
        return "" if column["allows_nulls"] == "True" else "is null"
    words = [word.rpartition("/")[2] for word in column["allowed_values"].split("; ") if word]
    match column["data_type"]:
        case "String":
            fits = isinstance(value, str) and value != ""
        case "Decimal":
            fits = isinstance(value, float) and math.isfinite(value)
        case "JSON":
            fits = str(value)[:1] == "{" and isinstance(json.loads(str(value)), dict)
        case _:
            fits = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", str(value)) is not None
    if not fits:
        return f"is no {column['data_type']}"
    if column["value_format"] == "Currency Format" and not re.fullmatch("[A-Z]{3}", str(value)):
        return "is no currency"
    return "is not allowed" if words and value not in words else ""


def broken_rules(rows: list[dict[str, Any]], version: FocusVersion) -> set[str]:
    """Return the rules of the specification that some row breaks."""
    broken, known, services = set(), specified(version), {}
    for row in rows:
        category = (row["ServiceCategory"], row["ServiceSubcategory"])
        broken |= {f"{name} {wrong}" for name, column in known.items()
                   if name in row and (wrong := wrong_value(column, row[name]))}  # fmt: skip
        start, end = (datetime.fromisoformat(row[f"ChargePeriod{side}"]) for side in ("Start", "End"))
        billed = tuple(datetime.fromisoformat(row[f"BillingPeriod{side}"]) for side in ("Start", "End"))
        kind, quantity = (row["ChargeCategory"], row["ChargeFrequency"]), row["PricingQuantity"]
        is_priced, price = row["ChargeCategory"] in ("Usage", "Purchase"), row["ListUnitPrice"]
        checks = {
            "the period is not empty": start < end, "charged within the billing period": billed[0] <= start < billed[1],
            "a quantity has a unit": (row["PricingUnit"] is None) == (quantity is None),
            "use and purchases have a quantity, tax and credit none": is_priced == (quantity is not None),
            "what has a quantity has a price and a kind of price": {row[name] is None for name in (
                "ListUnitPrice", "ContractedUnitPrice", "PricingCategory")} == {quantity is None},
            "cost is price x quantity": price is None or (price * quantity == pytest.approx(row["ListCost"])
            and row["ContractedUnitPrice"] * quantity == pytest.approx(row["ContractedCost"])),
            "no price is negative": price is None or price >= 0,
            "only use is consumed": (row["ConsumedQuantity"] is not None) == (row["ChargeCategory"] == "Usage"),
            "a purchase takes no effect": row["ChargeCategory"] != "Purchase" or row["EffectiveCost"] == 0,
            "a credit costs what is billed": row["ChargeCategory"] != "Credit" or row["ListCost"] == row["BilledCost"],
            "a usage is no one-time charge": kind != ("Usage", "One-Time"),
            "a purchase is not usage-based": kind != ("Purchase", "Usage-Based"),
            "a credit does not cost": row["ChargeCategory"] != "Credit" or row["EffectiveCost"] <= 0,
            "a region has a name": (row["RegionId"] is None) == (row["RegionName"] is None),
            "a service has one category": services.setdefault(row["ServiceName"], category) == category,
            "a unit is written as FOCUS does": re.search("-(hour|month|year)", str(row["PricingUnit"])) is None,
            "it is a forecast": row["x_IsForecast"] is True,
        }  # fmt: skip
        broken |= {name for name, holds in checks.items() if not holds}
    return broken


@pytest.fixture(scope="module", params=slow_except((PLANS[0], TAXED), PLANS), ids=lambda scenario: scenario.name)
def plan(request: pytest.FixtureRequest) -> Plan:
    return planned(CATALOGUE, request.param, DAY)


@pytest.mark.parametrize("version", get_args(FocusVersion))
def test_every_row_keeps_the_rules_of_the_version(plan: Plan, version: FocusVersion) -> None:
    table = focus_table(plan, version)
    known = specified(version)
    assert {name for name, column in known.items() if column["feature_level"] == "Mandatory"} <= set(table.columns)
    assert all(name in known or name.startswith("x_") for name in table.columns)
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
    assert broken_rules([{**rows[0], **bad}], "1.2") >= {
        "ChargeCategory is not allowed", "BilledCost is null", "the period is not empty",
    }  # fmt: skip


def test_csv_and_parquet_hold_the_same_rows_and_no_formula() -> None:
    plan = planned(CATALOGUE, TAXED, DAY)
    raw = focus_bytes(focus_table(plan, "1.4"), ".csv").decode()
    rows = list(csv.DictReader(io.StringIO(raw)))
    table = pq.read_table(io.BytesIO(focus_bytes(focus_table(plan, "1.4"), ".parquet")))
    packed = table.to_pylist()
    assert tuple(rows[0]) == tuple(packed[0]) == columns("1.4")
    assert [float(row["BilledCost"]) for row in rows] == [row["BilledCost"] for row in packed]
    assert rows[0]["BillingAccountName"] == f"'{EVIL}"
    assert packed[0]["BillingAccountName"] == EVIL  # no spreadsheet takes it apart
    assert '""' not in raw.replace('"""', "")  # what is null is nothing, not an empty text
    kinds = {"String": "string", "Decimal": "double", "Date/Time": "timestamp[ms, tz=UTC]"}
    known = specified("1.4")
    assert {name: str(table.schema.field(name).type) for name in columns("1.4") if name in known} == {
        name: kinds[known[name]["data_type"]] for name in columns("1.4") if name in known
    }
    assert packed[0]["ChargePeriodStart"].isoformat() == rows[0]["ChargePeriodStart"].replace("Z", "+00:00")


@pytest.mark.parametrize("version", get_args(FocusVersion))
def test_a_chargeback_keeps_the_rules_and_names_team_and_project(version: FocusVersion) -> None:
    plans = [team(name, share) for name, share in SHARES.items()]
    plans[0] = replace(plans[0], name=EVIL, tags=("pilot",))
    parts = portfolio(CATALOGUE, plans, DAY)
    table = chargeback_table(parts, "hours", version)
    rows, known = table.records(), specified(version)
    assert not broken_rules(rows, version)
    assert {name for name, column in known.items() if column["feature_level"] == "Mandatory"} <= set(table.columns)
    assert all(name in known or name.startswith("x_") for name in table.columns)
    assert len(rows) == 3 * 12
    for cost in ("BilledCost", "EffectiveCost"):
        assert sum(round(row[cost] * 100) for row in rows) == 22_818_048  # as by hand in test_portfolio
    assert json.loads(rows[0]["Tags"]) == {"team": "Team Search", "project": EVIL, "pilot": ""}
    assert {row["SubAccountName"] for row in rows} == {f"Team {name}" for name in SHARES}
    assert focus_bytes(table, ".csv").decode().count("\n") == 37
    assert pq.read_table(io.BytesIO(focus_bytes(table, ".parquet"))).num_rows == 36


def test_a_month_is_worth_the_same_to_a_team_and_to_its_plan() -> None:
    terms = FinancialTerms(discount_rate_per_year=0.1, rent_change_per_year=0.0)
    (fleet,) = portfolio(CATALOGUE, [team(name, share, terms=terms) for name, share in SHARES.items()], DAY)
    whole = focus_table(fleet.plan, "1.2").records()
    shares = chargeback_table((fleet,), "hours", "1.2").records()
    worth = {row["ChargePeriodStart"]: row["x_DiscountFactor"] for row in whole}
    assert len(set(worth.values())) == 12
    assert all(row["x_DiscountFactor"] == worth[row["ChargePeriodStart"]] for row in shares)
    assert all(row["x_PresentValue"] == row["BilledCost"] * row["x_DiscountFactor"] for row in shares)
