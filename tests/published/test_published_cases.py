"""Published cases: each number is reproduced or its error named, and published errors do not come back."""

import pytest

from tests.house import ROOT
from tests.published.case import CASES, PUBLISHED_ERROR, REPRODUCED, Scene, StatedNumber
from tests.published.fleets import bought, discounted, rented
from tests.published.page import WRITE, page
from tests.rows import each_row

CHECKS = {(one.id, check.metric): check for one in CASES.values() for check in one.checks}


def ours(case: str, metric: str) -> float:
    """Return the number of a check."""
    found = CHECKS[case, metric].ours
    assert isinstance(found, float)
    return found


@each_row("check", CHECKS.values())
def test_a_published_number_is_reproduced_or_its_error_is_named(check: StatedNumber) -> None:
    assert check.verdict() == (PUBLISHED_ERROR if check.error else REPRODUCED)


def test_there_are_as_many_as_ever() -> None:
    assert (len(CASES), len(CHECKS), sum(bool(check.error) for check in CHECKS.values())) == (21, 164, 16)


@each_row(
    ("stated", "recomputed", "error"),
    [(2.0, None, ""), (None, 2.0, ""), (1.0, 1.0, "named"), (2.0, 2.0, "named"), ("own", None, ""), (1.0, 2.0, "")],
)
def test_a_difference_without_reason_and_an_error_without_difference_are_ours(
    stated: float | str | None, recomputed: float | None, error: str
) -> None:
    with pytest.raises(AssertionError):
        StatedNumber("a", "USD", stated, recomputed, 0.005, lambda: 1.0, error=error).verdict()


def test_the_page_is_what_the_cases_state() -> None:
    written = (ROOT / "docs" / "published-cases.md").read_text(encoding="utf-8")
    assert written == page(), f"docs/published-cases.md is not what the cases state: run `{WRITE}`"


def test_the_purchase_is_counted_once() -> None:
    name = "randomcalculators_onprem_vs_cloud"
    assert ours(name, "breakeven_months_correct_cash_formula") == pytest.approx(35.56, abs=0.01)
    assert ours(name, "breakeven_months_their_formula") == pytest.approx(137.2, abs=0.1)
    assert CHECKS[name, "verdict"].ours == "own"


@pytest.mark.parametrize(("timing", "sign"), [("year_end", -1), ("year_middle", 1), ("month_end", 1)])
def test_no_buying_beside_a_negative_present_value(timing: str, sign: int) -> None:
    found = Scene(
        years=4,
        work={"accelerators": 64, "busy_share": 0.7},
        own=bought(64, 1_920_000, 728_681 / 48),
        rent=rented(2.0),
        terms=discounted(timing),
    )
    assert sign * found.npv_usd() > 0
    assert found.cheaper() == ("own" if sign > 0 else "on_demand")
    assert found.verdict() not in (("own", "probably own") if sign < 0 else ("rent", "probably rent"))
    assert found.turned_by_timing()


@pytest.mark.parametrize(("hours", "months"), [(720.0, 11.8837), (730.0, 11.7209)])
def test_a_month_has_the_hours_it_says(hours: float, months: float) -> None:
    found = Scene(
        work={"accelerators": 8, "busy_share": 1},
        own={"capex_usd": 833_806, "running_usd_per_month": 0.87 * hours},
        rent=rented(98.32 / 8),
        terms={"hours_per_month": hours},
    )
    assert found.payback_months() == pytest.approx(months, abs=1e-3)


def test_a_price_for_a_machine_is_not_one_for_each_accelerator() -> None:
    startup = "toy_a_startup_2x4090"
    assert ours(startup, "be_hours_naive_rent_1_per_pair") == pytest.approx(4_000)
    assert ours(startup, "be_hours_naive_rent_1_per_gpu") == pytest.approx(2_000)
    # Eight times as long for each accelerator.
    assert ours("lenovo_lp2225_h100_breakeven", "breakeven_hours_on_demand") == pytest.approx(8_556, rel=1e-3)


def test_a_fleet_too_large_pays_back_late_and_a_right_sized_one_soon() -> None:
    name = "toy_b_enterprise_80gpus"
    small, larger = (ours(name, f"rightsized_{count}_gpus_be_months_opex_scaled") for count in (16, 20))
    assert ours(name, "breakeven_months") == pytest.approx(53.33, abs=0.01)
    assert 8 < small < larger < 13.4
    assert ours(name, "irr_4y") < 0 < ours(name, "irr_5y")


def test_a_plan_that_never_pays_back_gives_no_number() -> None:
    work = {"accelerators": 8, "busy_share": 1}
    found = Scene(work=work, own=bought(8, 240_000, 1_200), rent=rented(0.1)).payback()
    assert not found.is_found
    assert str(found.reason).startswith("never")
