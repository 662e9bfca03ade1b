"""Bills beside the plan: what four clouds send is read, variances sum to the difference, bad files say where."""

import csv
import io
import json
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.cli.common import BAD_INPUT, OK
from planner.money.accounting.fiscal import Spending, forecast, variance
from planner.money.plan import Plan
from planner.money.verdict.answer import Answer, build_answer
from planner.report.accounting.actual_words import actuals_of, compared, months_table, variance_table
from planner.report.accounting.bill_file import COMMITTED, ON_DEMAND, SPOT, Bill, BillError, read_bill
from planner.report.files.focus import focus_bytes, focus_table
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from pricing.exchange import rates
from tests.facts import CATALOGUE, DAY
from tests.rows import each_row
from tests.shell import DAY as SHELL_DAY
from tests.shell import run

BILLS = Path(__file__).parents[1] / "bills"
RATES = rates(CATALOGUE)
HEAD = (
    "BilledCost,BillingCurrency,ChargeCategory,ChargePeriodStart,PricingCategory,PricingQuantity,PricingUnit,"
    "ServiceCategory"
)
# Provider and rows.
SAMPLES = {
    "aws_focus_1.0": ("AWS", 49), "azure_focus_1.0": ("Microsoft", 38), "oracle_focus_1.0": ("Oracle", 7),
    "google_focus_1.2_synthetic": ("Google Cloud Platform", 19),
}  # fmt: skip


@pytest.fixture(scope="module")
def made() -> tuple[Plan, Answer]:
    plan = planned(CATALOGUE, Scenario(ways=("own", "on_demand", "reserved")), DAY)
    return plan, build_answer(plan)


def bill(*rows: str, head: str = HEAD) -> Bill:
    return read_bill("\n".join((head, *rows)).encode(), "bill.csv", RATES)


@each_row("name", SAMPLES)
def test_what_clouds_send_is_read_to_the_last_digit(name: str) -> None:
    data = (BILLS / f"{name}.csv").read_bytes()
    there, (provider, rows) = read_bill(data, f"{name}.csv", RATES), SAMPLES[name]
    assert (there.providers, there.rows) == ((provider,), rows)
    billed = sum(float(row["BilledCost"]) for row in csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    assert sum(charge.usd for charge in there.charges) == pytest.approx(billed, abs=1e-12)


def test_a_commitment_of_google_is_hours_and_a_fee() -> None:
    """18 hours at one commitment, and its monthly purchase of 672 x 29.45."""
    charges = read_bill((BILLS / "google_focus_1.2_synthetic.csv").read_bytes(), "google.csv", RATES).charges
    assert {charge.kind for charge in charges} == {COMMITTED}
    assert (sum(one.usd for one in charges), sum(one.hours for one in charges)) == (19_790.40, 18)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("version", ["1.2", "1.4"])
def test_the_plan_itself_as_a_bill_differs_in_nothing(made: tuple[Plan, Answer], version: str, suffix: str) -> None:
    plan, answer = made
    actuals = actuals_of(plan, read_bill(focus_bytes(focus_table(plan, version), suffix), f"own{suffix}", RATES))
    assert actuals.until == plan.setting.timeline.last
    rows = compared(plan, answer, actuals)
    assert len(rows) == 3
    for way, parts, ahead in rows:
        assert parts.actual_usd == pytest.approx(parts.planned_usd)
        assert [parts.price_usd, parts.volume_usd, parts.mix_usd, parts.other_usd] == pytest.approx([0] * 4, abs=1e-6)
        assert ahead.at_rate_usd == pytest.approx(float(way.measures.bills_usd))


def test_price_volume_and_mix_by_hand() -> None:
    """Planned 100 h at 2 and 100 h at 1, mean 1.5. Billed 180 h for 450, 60 committed for 60, 10 of disk."""
    plan, paid = Spending(), Spending()
    plan.add(ON_DEMAND, np.array([0.0, 200.0, 200.0]), np.array([0.0, 100.0, 100.0]))
    plan.add(COMMITTED, np.array([0.0, 100.0, 100.0]), np.array([0.0, 100.0, 100.0]))
    paid.add(ON_DEMAND, np.array([0.0, 450.0, 0.0]), np.array([0.0, 180.0, 0.0]))
    paid.add(COMMITTED, np.array([0.0, 60.0, 0.0]), np.array([0.0, 60.0, 0.0]))
    paid.add("Storage", np.array([0.0, 10.0, 0.0]))
    found = variance(plan, paid, 1)
    assert (found.planned_usd, found.actual_usd) == (300, 520)
    assert found.price_usd == pytest.approx(180 * (2.5 - 2) + 60 * (1 - 1))
    assert found.volume_usd == pytest.approx((240 - 200) * 1.5)
    assert found.mix_usd == pytest.approx(180 * 2 + 60 * 1 - 240 * 1.5)
    assert found.other_usd == 10
    ahead = forecast(plan, paid, 1)
    assert (ahead.as_planned_usd, ahead.at_rate_usd) == (520 + 300, pytest.approx(520 + 300 * 510 / 300))


MONEY = st.floats(0.0, 1e6)


@given(st.lists(st.tuples(MONEY, MONEY, MONEY, MONEY), min_size=1, max_size=3))
def test_the_parts_always_sum_to_the_difference(kinds: list[tuple[float, float, float, float]]) -> None:
    plan, paid = Spending(), Spending()
    for kind, (usd, hours, more, now) in zip((ON_DEMAND, COMMITTED, SPOT), kinds, strict=False):
        plan.add(kind, np.array([0.0, usd]), np.array([0.0, hours]))
        paid.add(kind, np.array([0.0, more]), np.array([0.0, now]))
    found = variance(plan, paid, 1)
    parts = (found.price_usd, found.volume_usd, found.mix_usd, found.other_usd)
    rounding = 1e-3 + 1e-12 * max(map(abs, parts))  # a planned price of billions an hour leaves digits behind
    assert sum(parts) == pytest.approx(found.actual_usd - found.planned_usd, rel=1e-9, abs=rounding)


def test_a_bill_of_two_months_stands_beside_every_option(made: tuple[Plan, Answer]) -> None:
    plan, answer = made
    there = bill(
        "5000,USD,Usage,2026-11-25T00:00:00Z,Standard,200,Hours,Compute",
        "1000,EUR,Usage,2026-12-25 03:00:00,NULL,NULL,NULL,Storage",
        "70,USD,Usage,2026-11-01T00:00:00Z,Standard,1,Hours,Compute",
    )
    actuals = actuals_of(plan, there, 8)
    assert (actuals.until, actuals.left_out_usd) == (2, 70)
    months = months_table(plan, answer, actuals)
    assert months["Billed, USD"] == pytest.approx([5_000, 1_000 * RATES["EUR"].usd])
    assert len(months.columns) == 3 + len(answer.ranked)
    assert len(variance_table(plan, answer, actuals)) == len(answer.ranked)
    assert actuals.spending[""].hours[ON_DEMAND].sum() == 1_600


@each_row(("row", "says"), [
    ("12,USD,Usage,2026-12-40,Standard,1,Hours,Compute", "line 2, ChargePeriodStart: '2026-12-40' is given; want a"),
    ("a lot,USD,Usage,2026-12-01,Standard,1,Hours,Compute", "line 2, BilledCost: 'a lot' is given; want a number"),
    ("=1+1,USD,Usage,2026-12-01,Standard,1,Hours,Compute", "line 2, BilledCost: '=1+1' is given; want a number"),
    ("12,XXX,Usage,2026-12-01,Standard,1,Hours,Compute", "line 2, BillingCurrency: 'XXX' is given; want USD or a"),
    ("12,USD,Usage,2026-12-01,Standard,many,Hours,Compute", "line 2, PricingQuantity: 'many' is given; want a number"),
    ("nan,USD,Usage,2026-12-01,Standard,1,Hours,Compute", "line 2, BilledCost: 'nan' is given"),
])  # fmt: skip
def test_a_bad_cell_is_named_by_line_and_column(row: str, says: str) -> None:
    with pytest.raises(BillError) as refusal:
        bill(row)
    assert says in str(refusal.value)


def test_a_file_that_is_no_bill_is_refused_in_a_sentence(made: tuple[Plan, Answer]) -> None:
    for data, says in (
        (b"a,b\n1,2\n", "line 1: no column BilledCost"),
        (HEAD.encode(), "has no rows below its head"),
        (b"", "no column BilledCost"),
        (HEAD.encode() + b"\n\xff\xfe", "line 2: not UTF-8 text"),
        (b"PAR1 not really", "cannot be read as Parquet"),
    ):
        with pytest.raises(BillError, match=says):
            read_bill(data, "bill.csv", RATES)
    early = bill("1,USD,Usage,2020-01-01,Standard,1,Hours,Compute")
    with pytest.raises(BillError, match="begins on 1 Jan 2020, and the plan runs from 21 Nov 2026"):
        actuals_of(made[0], early)


def test_separators_and_marks_of_spreadsheets_are_read() -> None:
    head, row = HEAD.replace(",", ";"), "12.5;USD;Usage;2026-12-01;Standard;1;Hours;Compute"
    there = read_bill(b"\xef\xbb\xbf" + "\r\n".join((head, row, "")).encode(), "bill.csv", RATES)
    assert [(charge.usd, charge.day) for charge in there.charges] == [(12.5, date(2026, 12, 1))]


@pytest.mark.slow
def test_the_command_line_sets_a_bill_beside_the_plan(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "bill.csv"
    file.write_text(f"{HEAD}\n900,USD,Usage,2026-12-01T00:00:00Z,Standard,10,Hours,Compute\n", encoding="utf-8")
    code, out, _ = run(capsys, "plan", "startup", *SHELL_DAY, "--actuals", str(file), "--gpus-per-machine", "8")
    assert code == OK
    assert "Actuals" in out
    assert "An hour of a machine counts as 8 GPU-hours" in out
    code, out, _ = run(capsys, "plan", "startup", *SHELL_DAY, "--actuals", str(file), "--json")
    actuals = json.loads(out)["actuals"]
    assert actuals["billed_by_month_usd"] == [900]
    assert {option["billed_usd"] for option in actuals["options"]} == {900}
    file.write_text("no bill", encoding="utf-8")
    code, _, said = run(capsys, "plan", "startup", *SHELL_DAY, "--actuals", str(file))
    assert code == BAD_INPUT
    assert "bill.csv, line 1: no column BilledCost" in said
