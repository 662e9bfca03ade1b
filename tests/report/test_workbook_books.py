"""Tax, profit and leases in the workbook: they follow what is changed, and are those of published examples."""

from pathlib import Path

import numpy as np
import pytest

from planner.scenario.accounting import AccountingInputs
from planner.scenario.own import ExistingHardware, Lease, SaleAndLeaseBack
from planner.scenario.rent import ReservationInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import TaxInputs
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
