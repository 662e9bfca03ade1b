"""Published cases: ours are all accounted for, a new one is data alone, and published errors do not come back."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.cli.check import OUR_CASES
from planner.cli.common import BAD_INPUT, FAILED, OK
from planner.study.cases.case_functions import Readings, laid_over
from planner.study.cases.cases import Cases, cases_in
from planner.study.cases.check import Published, compare
from pricing import Catalogue, load_catalogue

DAY = date(2026, 11, 21)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.fixture(scope="module")
def ours() -> Cases:
    return cases_in(OUR_CASES.read_text(encoding="utf-8"), file=OUR_CASES.name)


@pytest.fixture(scope="module")
def found(ours: Cases, catalogue: Catalogue) -> Published:
    return compare(ours, catalogue, DAY, mappings={}, bare=ours.bare)


# --- ours


@pytest.mark.slow
def test_every_check_of_our_cases_is_accounted_for(ours: Cases, found: Published) -> None:
    assert len(ours.cases) == found.cases == 21
    asked = Counter((case.id, check.metric) for case in ours.cases for check in case.checks)
    assert Counter((row.case, row.metric) for row in found.rows) == asked
    assert {row.verdict for row in found.rows} <= {"reproduced", "published error", "not comparable"}


def test_what_is_stated_to_match_is_reproduced_and_what_is_not_has_its_error_named(
    ours: Cases, found: Published
) -> None:
    of = {(row.case, row.metric): row for row in found.rows}
    for case in ours.cases:
        for check in case.checks:
            row = of[case.id, check.metric]
            if check.match:
                assert row.verdict == "reproduced", row
                assert abs(float(row.ours or 0) / float(check.stated or 0) - 1) <= (check.tolerance_rel or 0) + 1e-12
            elif check.match is False:
                assert row.verdict == "published error", row
                assert row.why not in ("", check.note)
    assert found.count("published error") == 16


def test_the_independent_recomputations_come_out(ours: Cases, found: Published) -> None:
    of = {(row.case, row.metric): row.ours for row in found.rows}
    pairs = [(of[case.id, check.metric], check) for case in ours.cases for check in case.checks]
    for got, check in pairs:
        if check.recomputed is not None:
            assert got == pytest.approx(check.recomputed, rel=max(check.tolerance_rel or 0, 1e-6))
    assert sum(check.recomputed is not None for _, check in pairs) > 150


def test_no_check_says_its_own_answer(ours: Cases) -> None:
    """A mapping reckons from inputs: nowhere does a stated number stand in the formula of its own check."""
    for case in ours.cases:
        assert case.ours is not None
        for check in case.checks:
            formula = str(case.ours.checks.get(check.metric, ""))
            for number in (check.stated, check.recomputed):
                assert not isinstance(number, float) or abs(number) < 1_000 or f"{number:g}" not in formula


def test_the_worst_stands_first(found: Published) -> None:
    far = [abs(row.rel_diff) for row in found.rows if row.verdict == "published error" and row.rel_diff is not None]
    assert far == sorted(far, reverse=True)
    verdicts = [row.verdict for row in found.rows]
    assert verdicts == sorted(verdicts, key=["published error", "reproduced"].index)


# --- published errors do not come back


def readings(ours: Cases, catalogue: Catalogue, **said: Any) -> dict[str, Any]:
    scenario = laid_over(ours.bare, said)
    return Readings(catalogue.model_copy(update={"offers": {}}), DAY, {"": scenario}).calls()


def number(found: Any) -> float:
    """A reading as a plain number, whatever kind of result it is."""
    return float(getattr(found, "months", getattr(found, "value", found)))


def test_the_purchase_is_counted_once(found: Published) -> None:
    of = {row.metric: row for row in found.rows if row.case == "randomcalculators_onprem_vs_cloud"}
    assert of["breakeven_months_correct_cash_formula"].ours == pytest.approx(35.56, abs=0.01)
    assert of["breakeven_months_their_formula"].ours == pytest.approx(137.2, abs=0.1)
    assert "payback_months" not in of["breakeven_months_their_formula"].formula
    assert of["verdict"].ours == "own"


def test_no_buying_beside_a_negative_present_value(ours: Cases, catalogue: Catalogue, found: Published) -> None:
    of = {row.metric: row for row in found.rows if row.case == "legitlads_accelerator_roi"}
    assert float(of["npv_10pct_end_of_year"].ours or 0) < 0 < float(of["npv_10pct_monthly"].ours or 0)
    for timing, sign in (("year_end", -1), ("year_middle", 1), ("month_end", 1)):
        read = readings(
            ours,
            catalogue,
            years=4,
            work=({"accelerators": 64, "busy_share": 0.7},),
            own={"capex_usd": 1_920_000, "running_usd_per_month": 728_681 / 48},
            rent={"usd_per_accelerator_hour": 2.0},
            terms={"discount_rate_per_year": 0.1, "timing": timing},
        )
        assert sign * read["saving_npv_usd"]("own", "on_demand") > 0
        assert read["cheaper"]("own", "on_demand") == ("own" if sign > 0 else "on_demand")
        assert read["verdict"]() not in (("own", "probably own") if sign < 0 else ("rent", "probably rent"))
        assert read["turned_by_timing"]() != "none"


@pytest.mark.parametrize(("hours", "months"), [(720.0, 11.8837), (730.0, 11.7209)])
def test_a_month_has_the_hours_it_says(ours: Cases, catalogue: Catalogue, hours: float, months: float) -> None:
    read = readings(
        ours,
        catalogue,
        work=({"accelerators": 8, "busy_share": 1},),
        own={"capex_usd": 833_806, "running_usd_per_month": 0.87 * hours},
        rent={"usd_per_accelerator_hour": 98.32 / 8},
        terms={"hours_per_month": hours},
    )
    assert number(read["payback_months"]("own", "on_demand")) == pytest.approx(months, abs=1e-3)


def test_a_price_for_a_machine_is_not_one_for_each_accelerator(found: Published) -> None:
    of = {row.metric: float(row.ours or 0) for row in found.rows if row.case == "toy_a_startup_2x4090"}
    pair, each = of["be_hours_naive_rent_1_per_pair"], of["be_hours_naive_rent_1_per_gpu"]
    assert [pair, each] == pytest.approx([4_000, 2_000])
    lenovo = {row.metric: row.ours for row in found.rows if row.case == "lenovo_lp2225_h100_breakeven"}
    assert lenovo["breakeven_hours_on_demand"] == pytest.approx(8_556, rel=1e-3)  # eight times as long per accelerator


def test_a_fleet_too_large_pays_back_late_and_a_right_sized_one_soon(found: Published) -> None:
    of = {row.metric: float(row.ours or 0) for row in found.rows if row.case == "toy_b_enterprise_80gpus"}
    assert of["breakeven_months"] == pytest.approx(53.33, abs=0.01)
    assert 8 < of["rightsized_16_gpus_be_months_opex_scaled"] < of["rightsized_20_gpus_be_months_opex_scaled"] < 13.4
    assert of["irr_4y"] < 0 < of["irr_5y"]


# --- the command line


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["check", "tco", *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.mark.slow
def test_without_a_file_it_runs_ours(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "tco.csv"
    code, out, err = run(capsys, "--day", "2026-11-21", "--csv", str(path))
    assert (code, err) == (OK, "")
    assert out.splitlines()[0].split() == ["case", "metric", "stated", "ours", "difference", "verdict"]
    assert out.splitlines()[-1].startswith("21 cases, 164 lines: 16 published errors named, 148 reproduced.")
    assert len(path.read_text(encoding="utf-8-sig").splitlines()) == 165
    code, out, _ = run(capsys, "--json")
    told = json.loads(out)
    assert (code, told["cases"], told["counts"]["reproduced"]) == (OK, 21, 148)
    assert {"case", "metric", "stated", "ours", "rel_diff", "verdict", "why"} <= told["checks"][0].keys()


def test_a_file_without_mappings_takes_ours_for_the_ids_we_know(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "theirs.yaml"
    path.write_text(
        "cases:\n"
        "  - id: deepseek_v3_training\n"
        "    inputs: {gpu_hours_total: 2788000, gpu_hours_pretrain: 2664000, usd_per_gpu_h: 2, gpus: 2048}\n"
        "    checks:\n"
        "      - {metric: total_cost, stated: 5576000, tolerance_rel: 1.0e-09, match: true}\n"
        "      - {metric: total_time, stated: 1}\n"
        "  - {id: unheard_of, checks: [{metric: a, stated: 1}, {metric: b, stated: 2}]}\n"
    )
    code, out, _ = run(capsys, str(path))
    assert code == OK
    assert "2 without a mapping, 1 reproduced" in out
    assert "2 checks" in out
    assert "add `ours:` to the case" in out
    mapping = tmp_path / "mapping.yaml"
    mapping.write_text("ours:\n  unheard_of: {steps: {one: 1}, checks: {a: one * 1, b: one * 3}}\n")
    code, out, _ = run(capsys, str(path), "--mapping", str(mapping))
    assert code == FAILED
    assert "1 DIFFERS, 1 without a mapping, 2 reproduced" in out
    mapping.write_text("ours:\n  unheard: {checks: {a: 1}}\n")
    code, out, err = run(capsys, str(path), "--mapping", str(mapping))
    assert (code, out) == (BAD_INPUT, "")
    assert err == "mapping.yaml: ours.unheard: there is no such case. Did you mean unheard_of?\n"


def test_a_file_that_is_not_there_is_a_failure(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, str(tmp_path / "none.yaml"))
    assert code == FAILED
    assert "No such file" in err
