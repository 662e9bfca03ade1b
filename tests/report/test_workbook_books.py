"""Tax, profit and leases in the workbook: they follow what is changed, and are those of published examples."""

import io
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from xlsxwriter import Workbook

from planner.money.accounting.leases import MAJOR_PART, SUBSTANTIALLY_ALL, BookedLease, lease_schedule
from planner.money.ledger import LeaseContract
from planner.report.files.excel import TODAY, MonthSheet, Styles
from planner.report.files.workbook_accounting import BORROWING, write_lease
from planner.report.files.workbook_books import LIFE
from planner.scenario.own import ExistingHardware, Lease, OwnInputs, SaleAndLeaseBack
from planner.scenario.rent import ReservationInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import AccountingInputs, TaxInputs
from planner.scenario.work import Work
from planner.study.measures import results_of
from tests.office import recalculated, with_cells
from tests.report.workbooks import NEAR, answered, book_complaints, complaints, input_cells, rebased, written

BOOKS = AccountingInputs(fiscal_year_starts=4, reservations_are_leases=True, borrowing_rate_per_year=0.06)
LEASED = Scenario(ways=("own", "lease", "reserved", "on_demand"), accounting=BOOKS, work=(Work(accelerators=16),))
SOLD_SHARE, KEPT = 0.9, ExistingHardware(accelerators=16, usd_today_if_sold=300_000.0)
LEASES = {
    "ends_within": {"lease": Lease(years=2.0, in_advance=False)},
    "runs_beyond": {"lease": Lease(years=4.0)},
    "is_bought": {
        "lease": Lease(years=2.0, buys_at_end=True, left_share=0.2), "reserve": ReservationInputs(prepaid=True)},
    "sold_and_leased_back": {
        "ways": ("own", "sale_and_lease_back"), "sale_and_lease_back": SaleAndLeaseBack(price_share=0.9, years=2.0)},
    "kept_and_leased_back": {
        "ways": ("keep", "sale_and_lease_back"), "kept": KEPT,
        "sale_and_lease_back": SaleAndLeaseBack(of="kept", price_share=0.8, years=2.0)},
}  # fmt: skip
WRITTEN_OFF = (0.5, 0.25, 0.25)


@pytest.mark.slow
def test_leases_follow_the_borrowing_rate(tmp_path: Path) -> None:
    higher = BOOKS.model_copy(update={"borrowing_rate_per_year": 0.25})
    plans, books = {}, {}
    for name, parts in LEASES.items():
        scenario = Scenario.model_validate(LEASED.model_copy(update=parts).model_dump())
        plans[name] = answered(scenario)
        plans[f"{name}_higher"] = answered(scenario.model_copy(update={"accounting": higher}))
        books[name] = written(*plans[name])
        rate = dict.fromkeys(input_cells(books[name], "borrowing_rate_per_year"), 0.25)
        books[f"{name}_higher"] = with_cells(books[name], "Inputs", rate)
    sheets = recalculated(books, tmp_path)
    for name, plan in plans.items():
        wrong = book_complaints(sheets[name], *plan)
        assert not wrong, (name, wrong[:5])
    assert book_complaints(sheets["runs_beyond_higher"], *plans["runs_beyond"]), "it changes nothing"


@pytest.mark.slow
def test_tax_follows_the_table_that_is_typed(tmp_path: Path) -> None:
    """Another life in the sheet and in the engine: five years of MACRS become three."""
    tax = TaxInputs(tax_share=0.25, schedule="macrs-5-half-year")
    scenario = Scenario(years=4.0, ways=("own", "on_demand"), tax=tax, work=(Work(growth_per_year=0.5),))
    plan, answer = answered(scenario)
    data = written(plan, answer)
    shares = (*WRITTEN_OFF, 0.0, 0.0, 0.0)
    cells = {cell: share for year, share in enumerate(shares, start=1)
             for cell in input_cells(data, f"written_off_in_year_{year}")}  # fmt: skip
    assert len(cells) == len(shares)
    sheets = recalculated({"same": data, "other": with_cells(data, "Inputs", cells)}, tmp_path)
    other = scenario.model_copy(update={"tax": TaxInputs(tax_share=0.25, shares_by_year=WRITTEN_OFF)})
    after = rebased(answered(other)[0], answer)
    for name, there in (("same", (plan, answer)), ("other", after)):
        wrong = [*complaints(sheets[name], *there), *book_complaints(sheets[name], *there)]
        assert not wrong, wrong[:5]
        assert sheets[name]["Checks"][1][1] == 1
    assert complaints(sheets["other"], plan, answer), "it changes nothing"


@pytest.mark.slow
def test_cash_by_fiscal_year_sums_to_all_cash(tmp_path: Path) -> None:
    plan, answer = answered(LEASED)
    rows = recalculated({"plan": written(plan, answer)}, tmp_path)["plan"]["Fiscal periods"]
    years = [row for row in rows if str(row[0]).startswith("FY ") and " Q" not in str(row[0])]
    assert len(years) == 4
    for place, result in enumerate(results_of(plan, answer), start=1):
        paid = float(np.asarray(result.measures.bills_usd))
        assert sum(float(row[place] or 0.0) for row in years) == pytest.approx(paid, rel=NEAR)


# Published leases: payments from the first day on, the rate of a period, the asset beside the payments, and what is
# printed: payments at that rate, the asset, and interest by period.
IFRS_EXAMPLES = {
    "HMRC BLM18010": ([100_000.0] * 10, 0.05, 29_998.0, 810_782, 840_780,
                      [35_539, 32_316, 28_932, 25_379, 21_647, 17_730, 13_616, 9_297, 4_762, 0]),
    "IFRS 16, illustrative example 13": ([50_000.0] * 10, 0.05, 15_000.0, 405_391, 420_391, [17_770, 16_158]),
}  # fmt: skip
ASC_EXAMPLES = {  # payments at that rate, and the asset of an operating lease after so many months
    "EZLease": ([5e3] * 60 + [6e3] * 60, 0.04 / 12, 540_116.39, (12, 494_805.54)),
    "iLeasePro": ([5e3] * 48, 0.07 / 12, 210_019.01, (48, 0.0)),
}


def lease_sheet(payments: list[float], rate: float, extra: float, us: Literal["finance", "operating"]) -> bytes:
    """Return a workbook with the sheet of one lease, paid in advance, a column for each period."""
    count = len(payments)
    plan = lease_schedule(payments=[*payments, 0.0], rate_per_period=rate, periods=count, extra_asset=extra)
    price = 1e9 if us == "operating" else 1e5
    contract = LeaseContract("lease_back", ((0, count),), "advance", price, 1, price - extra)
    lease = BookedLease("example", contract, 0, count, (), plan, "on_balance_sheet", us, "", count)
    life_years = count / 12 if us == "finance" else float(count)
    values = {BORROWING: (1 + rate) ** 12 - 1, LIFE: life_years, "lease_major_part": MAJOR_PART,
              "lease_substantially_all": SUBSTANTIALLY_ALL, "low_value_usd": 0.0}  # fmt: skip
    out = io.BytesIO()
    with Workbook(out, {"in_memory": True}) as file:
        inputs, months = file.add_worksheet("Inputs"), file.add_worksheet("Leases")
        for row, (name, value) in enumerate(values.items()):
            inputs.write_number(row, 0, value)
            file.define_name(name, f"=Inputs!$A${row + 1}")
        sheet = MonthSheet(months, "Leases", Styles(file), count)
        sheet.write_months(4, "IF(ISNUMBER(¶4), ¶4 + 1, 0)", np.nan)
        sheet.write_inputs(6, [*payments, 0.0], "input")
        write_lease(sheet, 8, lease, count - 1, ("§6", "", ""))
    return out.getvalue()


@pytest.mark.slow
def test_the_sheet_of_a_lease_has_what_published_examples_have(tmp_path: Path) -> None:
    books = {name: lease_sheet(*example[:3], "finance") for name, example in IFRS_EXAMPLES.items()}
    books |= {name: lease_sheet(*example[:2], 0.0, "operating") for name, example in ASC_EXAMPLES.items()}
    sheets = recalculated(books, tmp_path)
    rows = {name: {row[0]: row for row in sheets[name]["Leases"]} for name in books}
    for name, (*_, worth, asset, interest) in IFRS_EXAMPLES.items():
        assert rows[name]["Payments at the borrowing rate"][2] == pytest.approx(worth, abs=0.6)
        assert rows[name]["IFRS 16: right-of-use asset at the end"][TODAY] == pytest.approx(asset, abs=0.6)
        printed = rows[name]["IFRS 16: interest"][TODAY + 1 : TODAY + 1 + len(interest)]
        assert printed == pytest.approx(interest, abs=1.0)
    for name, (*_, worth, (month, asset)) in ASC_EXAMPLES.items():
        assert rows[name]["Payments at the borrowing rate"][2] == pytest.approx(worth, abs=0.01)
        assert rows[name]["ASC 842: right-of-use asset at the end"][TODAY + month] == pytest.approx(asset, abs=0.01)
        assert rows[name]["ASC 842: interest of finance leases"][2] == 0


@pytest.mark.slow
def test_tax_has_the_tables_of_publication_946(tmp_path: Path) -> None:
    """Tables A-1 and A-5: their shares of 5-year property, times what is placed in service."""
    tables = {
        "macrs-5-half-year": (20.0, 32.0, 19.2, 11.52, 11.52), "macrs-5-mid-quarter-4": (5.0, 38.0, 22.8, 13.68, 10.94),
    }  # fmt: skip
    own = OwnInputs(usd_per_accelerator=30_000.0, lead_time_months=0.0)
    books = {}
    for name in tables:
        tax = TaxInputs(tax_share=0.21, schedule=name)
        scenario = Scenario(years=5.0, ways=("own", "on_demand"), own=own, tax=tax, work=(Work(accelerators=8),))
        books[name] = written(*answered(scenario))
    for name, sheets in recalculated(books, tmp_path).items():
        rows = {row[0]: row for row in sheets["own"]}
        placed = float(rows["Hardware placed in service"][2] or 0.0)
        assert placed > 240_000
        by_year = rows["Written off in the tax year"][TODAY + 12 :: 12]
        assert by_year == pytest.approx([share / 100 * placed for share in tables[name]], abs=0.5)
        left = (100 - sum(tables[name])) / 100 * placed
        assert rows["Tax book value of what leaves in the tax year"][2] == pytest.approx(left, abs=0.5)
