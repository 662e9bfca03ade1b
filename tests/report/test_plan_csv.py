"""The files for a finance team: they sum to the screen's totals, and every number is a number."""

import csv
import io
from datetime import date
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest

from planner.money.ledger import Ledger
from planner.report.files.csv import (
    ASSUMPTION_COLUMNS,
    COLUMNS,
    SIGN,
    assumptions_table,
    cash_table,
    convert_to_plan_currency,
    results_table,
    to_csv,
)
from planner.report.files.document_parts import LUMP, priced
from planner.scenario.own import OwnInputs
from planner.scenario.presets import Preset, load_presets
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import Currency, FinancialTerms, TaxInputs
from planner.scenario.work import Work
from planner.study.measures import MEASURES
from planner.study.uncertainty.sure_verdict import decided
from tests.facts import DAY
from tests.report.workbooks import answered

TAXED = Scenario(
    name="=cmd|' /C calc'!A0",
    years=2.5,
    tax=TaxInputs(tax_share=0.25, vat_share=0.2, vat_recovered_share=0.5),
    currency=Currency(code="EUR", usd_per_unit=1.25, day=date(2026, 11, 1), source="ECB"),
    terms=FinancialTerms(discount_rate_per_year=0.1, timing="year_middle"),
    work=(Work(accelerators=16, growth_per_year=0.2),),
)
AGREED = Scenario(
    rent=RentalInputs(forward_usd_per_accelerator_hour=1.5, forward_from_month=13, forward_fee_usd=5_000.0),
    own=OwnInputs(host_residual_share=0.6, guaranteed_residual_share=0.4, guarantee_cost_share=0.02, refresh_years=1.0),
    tax=TaxInputs(tax_share=0.25),
)
EACH = pytest.mark.parametrize("scenario", [
    pytest.param(TAXED, id="taxed"), pytest.param(AGREED, id="agreed"),
    *(pytest.param(preset.scenario, id=preset.key, marks=pytest.mark.slow) for preset in load_presets()),
])  # fmt: skip


@lru_cache(maxsize=16)
def cash_of(scenario: Scenario) -> pd.DataFrame:
    """Its cash flow, to be read only."""
    return cash_table(answered(scenario)[0]).to_pandas()


@EACH
def test_amounts_sum_to_the_totals_on_the_screen(scenario: Scenario) -> None:
    there, found = answered(scenario)
    table = cash_of(scenario)
    assert tuple(table.columns) == COLUMNS
    assert table["option"].nunique() == len(there.options)
    for way in found.ranked:
        rows = table[table["option"] == way.option.key]
        assert rows["amount"].sum() == pytest.approx(float(way.measures.total_usd), rel=1e-12, abs=1e-6)
        assert rows["present_value"].sum() == pytest.approx(way.as_entered_usd, rel=1e-12, abs=1e-6)
        assert rows["gpu_hours_used"].sum() == pytest.approx(np.broadcast_to(
            way.option.useful_hours, way.option.ledger.monthly_usd.shape).sum())  # fmt: skip


@EACH
def test_every_row_agrees_with_itself(scenario: Scenario) -> None:
    there, _ = answered(scenario)
    table = cash_of(scenario)
    cash = table[(table["cash_or_noncash"] == "cash") & table["amount"].notna()]
    assert (cash["discount_factor"] * cash["amount"]).to_numpy() == pytest.approx(cash["present_value"].to_numpy())
    product = (cash["quantity"] * cash["unit_price"]).to_numpy()
    assert product == pytest.approx(cash["amount"].to_numpy(), rel=1e-9, abs=1e-6)
    assert (cash["amount"] * cash["fx_rate"]).to_numpy() == pytest.approx(cash["amount_reporting"].to_numpy())
    months = table.groupby(["option", "line_code"])["period_index"].agg(["min", "max", "count"])
    last = there.setting.timeline.last
    assert set(months["min"]) == {0}
    assert set(months["max"]) == {last}
    assert set(months["count"]) == {last + 1}


def test_periods_are_the_months_of_the_calendar() -> None:
    table = cash_of(TAXED)
    first = table.iloc[:3]
    assert first["period_start"].tolist() == [DAY, DAY, date(2026, 12, 21)]
    assert first["period_end"].tolist() == [DAY, date(2026, 12, 21), date(2027, 1, 21)]


def test_units_are_those_of_the_price() -> None:
    there, _ = answered(Scenario())
    table = cash_table(there).to_pandas()
    units = {(row.line_name, row.unit) for row in table.itertuples()}
    assert ("Useful hours", "accelerator-hour") in units
    assert ("Electricity while working", "kWh") in units
    assert ("Space, by contracted power", "kW-month") in units
    assert ("People", "FTE-year") in units
    option = there.option("on_demand")
    hours = priced(option.ledger.lines[0])
    assert hours.quantity[1:] == pytest.approx(option.useful_hours[1:])
    resale = next(line for one in there.options for line in one.ledger.lines if line.part == "resale")
    assert priced(resale).unit == LUMP


def test_hours_stay_hours_where_a_rent_is_agreed_and_shares_of_a_price_are_sums() -> None:
    agreed = RentalInputs(usd_per_accelerator_hour=2.0, forward_usd_per_accelerator_hour=1.5, forward_from_month=13)
    sold = [{"guaranteed_residual_share": 0.5, "guarantee_cost_share": 0.02}, {"forward_residual_share": 0.4}]
    for own in sold:
        there, _ = answered(Scenario(rent=agreed, own=OwnInputs(**own)))
        owning, renting = there.option("own"), there.option("on_demand")
        assert owning is not None
        hours = priced(renting.ledger.lines[0])
        assert hours.quantity[1:] == pytest.approx(renting.useful_hours[1:])
        assert hours.usd_per_unit[[12, 13]] == pytest.approx([2.0, 1.5])
        sales = [line for line in owning.ledger.lines if line.part == "resale"]
        assert [priced(line).unit for line in sales] == [LUMP] * len(sales)


def test_currency_and_tax_stand_beside_the_amounts() -> None:
    there, _ = answered(TAXED)
    table = cash_table(there).to_pandas()
    assert set(table["currency"]) == {"USD"}
    assert set(table["reporting_currency"]) == {"EUR"}
    assert set(table["fx_rate"]) == {0.8}
    assert set(table["fx_date"]) == {date(2026, 11, 1)}
    own = table[table["option"] == "own"]
    saved = own[own["line_name"] == "Tax saved by writing off"]
    assert saved["tax_shield"].sum() == pytest.approx(-saved["amount"].sum())
    assert saved["tax_shield"].sum() == pytest.approx(0.25 * own["tax_depreciation"].sum())
    assert own["after_tax_cash_flow"].sum() == pytest.approx(own["amount"].sum())
    assert own.loc[own["line_code"] == "hours", "cumulative_cash"].iloc[-1] == pytest.approx(own["amount"].sum())


def test_a_formula_for_a_name_stays_text_and_numbers_stay_numbers() -> None:
    there, found = answered(TAXED)
    for table in (cash_table(there), assumptions_table(there, SIGN)):
        raw = to_csv(table).decode("utf-8-sig")
        for row in csv.reader(io.StringIO(raw, newline="")):
            assert not any(cell.startswith(("=", "@", "\t")) or cell == "-0.0" for cell in row)
    raw = to_csv(results_table(there, found)).decode("utf-8-sig")
    assert "\"'=cmd|' /C calc'!A0\"" in raw
    read = pd.read_csv(io.StringIO(to_csv(cash_table(there)).decode("utf-8-sig")))
    for name in ("amount", "present_value", "discount_factor", "fx_rate", "period_index"):
        assert read[name].dtype.kind in "if", name


@EACH
def test_every_assumption_of_a_row_stands_once_for_its_option(scenario: Scenario) -> None:
    there, _ = answered(scenario)
    table = assumptions_table(there, SIGN).to_pandas()
    assert tuple(table.columns) == ASSUMPTION_COLUMNS
    assert not table.duplicated(["option", "assumption_id"]).any()
    named = {name for ids in cash_of(scenario)["assumption_id"].dropna() for name in ids.split()}
    assert named == set(table["assumption_id"]) - {
        one for one in table["assumption_id"] if one.startswith(("convention", "plan."))
    }
    assert table.loc[0, "note"] == SIGN
    mine = table[table["name"] == "usd_per_accelerator_hour"]
    assert len(mine) >= 1
    assert mine["value"].notna().all()


def test_an_id_is_one_value_and_its_ends_are_those_of_the_ledgers_at_both_ends() -> None:
    there, _ = answered(TAXED)
    rows = assumptions_table(there, SIGN).to_pandas()
    single = rows[rows["value"].notna() & ~rows["assumption_id"].str.startswith(("convention", "measured", "plan."))]
    assert set(single.groupby("assumption_id")["value"].nunique()) == {1}
    once = single.drop_duplicates("assumption_id")
    assert not once.duplicated(["name", "value"]).any()
    for option in there.options:
        mine = single[single["option"] == option.key]
        for row in mine[mine["name"].isin(["usd_per_kwh", "usd_per_accelerator_hour"])].itertuples():
            assert row.low in values_of(option.low, row.name)
            assert row.high in values_of(option.high, row.name)
            assert row.low < row.value < row.high
        assert "usd_per_kwh" in set(mine["name"]) or "usd_per_accelerator_hour" in set(mine["name"])


def values_of(ledger: Ledger, name: str) -> list[float]:
    """What an input is in each line that uses it, where it is the same in all months."""
    used = (used for line in ledger.lines for used in line.used if used.name == name)
    return [float(np.asarray(it.value).flat[0]) for it in used if np.size(it.value) == 1]


def test_hours_that_are_there_and_those_that_are_used() -> None:
    rows = cash_of(AGREED)
    own = rows[(rows["option"] == "own") & (rows["line_code"] == "hours")]
    used = own[own["gpu_hours_used"] > 0]
    assert set(used["gpu_hours_available"]) == {8 * 730.0}
    assert (used["utilisation"] == used["gpu_hours_used"] / used["gpu_hours_available"]).all()
    assert own["utilisation"].isna().sum() == len(own) - len(used)


def test_every_number_that_is_missing_has_its_reason_in_the_note() -> None:
    there = answered(Scenario())[0]
    sure = decided(there)
    table = results_table(there, sure.answer, sure.futures).to_pandas().set_index("option")
    for option, row in table.iterrows():
        missing = [measure.name for measure in MEASURES if pd.isna(row[measure.name])]
        assert [name for name in missing if name not in row["note"]] == []
        assert pd.isna(row["probability_own_wins"]) == (option not in ("own", "loan", "lease"))
    assert pd.isna(table.loc["on_demand", "payback_months"])
    assert "payback:" not in table.loc["on_demand", "note"]
    assert "payback:" in table.loc["own", "note"]


def test_results_give_the_reason_where_there_is_no_number() -> None:
    startup = next(one for one in load_presets() if one.key == "startup").scenario
    cards = startup.own.model_copy(update={"capex_usd": 4_000.0, "running_usd_per_month": 0.0})
    there, found = answered(startup.model_copy(update={"own": cards}))
    table = results_table(there, found).to_pandas().set_index("option")
    assert table.loc["own", "payback_months"] == pytest.approx(20.0)  # 80 trainings at four a month
    assert table.loc["own", "npv_usd"] == pytest.approx(found.ranked[1].present_usd - 4_000.0)
    assert pd.isna(table.loc["on_demand", "return_per_year"])
    assert "return_per_year" in table.loc["on_demand", "note"]
    assert "time" not in table.loc["own", "note"]


def test_the_npv_of_the_enterprise_case_is_the_published_one() -> None:
    enterprise: Preset = next(preset for preset in load_presets() if preset.key == "enterprise")
    table = results_table(*answered(enterprise.scenario)).to_pandas().set_index("option")
    assert table.loc["own", "npv_usd"] == pytest.approx(-86_922.5, abs=0.1)  # monthly, 10 % a year
    assert table.loc["own", "payback_months"] == pytest.approx(53.333, abs=1e-3)


def test_money_is_converted_once() -> None:
    euro = Currency(code="EUR", usd_per_unit=1.25, day=DAY, source="European Central Bank")
    shown = convert_to_plan_currency(np.array([125.0, -2.5]), euro)
    assert shown.amount == pytest.approx([100.0, -2.0])
    assert (shown.code, shown.day) == ("EUR", DAY)
    assert convert_to_plan_currency(7.0, None).amount == 7.0
    forward = euro.model_copy(update={"usd_per_unit_by_year": (1.25, 1.6)})
    months = convert_to_plan_currency(np.full(26, 2.0), forward).amount
    assert months == pytest.approx([1.6] * 13 + [1.25] * 13)
    with pytest.raises(TypeError, match="once"):
        convert_to_plan_currency(shown, euro)  # type: ignore[arg-type]
