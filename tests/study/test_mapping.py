"""Mappings: a new case is data alone, and one that cannot be used is told in one sentence with its place."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from planner.cli import main
from planner.cli.check import OUR_CASES
from planner.cli.common import BAD_INPUT
from planner.study.cases.calls import ENGINE, HELPERS
from planner.study.cases.case_functions import Readings
from planner.study.cases.cases import Cases, CasesError, cases_in, mappings_in
from planner.study.cases.check import Compared, compare
from planner.study.cases.expression import Scope, Unusable, value
from pricing import CatalogError, Catalogue, load_catalogue
from tests.house import ROOT

DAY = date(2026, 11, 21)
PAGE = (ROOT / "docs" / "published-cases.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.fixture(scope="module")
def ours() -> Cases:
    return cases_in(OUR_CASES.read_text(encoding="utf-8"), file=OUR_CASES.name)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            "ours: {each: {of: runs, checks: {a: b}}}",
            "x.ours.each: want a list, each entry with of, steps",
        ),
        ("ours: {each: [of, runs]}", "x.ours.each.0: want a group of keys, got 'of'"),
        ("ours: {checks: {m: [1]}}", "x.ours.checks.m: want text or a number, got a list"),
        ("ours: {checks: [a]}", "x.ours.checks: want a group of keys, got a list"),
        ("ours: {names: {gpus: 8}}", "x.ours.names.gpus: want text, got 8"),
        ("ours: {steps: {a: }}", "x.ours.steps.a: want a formula"),
        ("ours: {colour: red}", "x.ours.colour: there is no such key; there are names, steps, scenario"),
        ("ours: {bare: 1}", "x.ours.bare: want true or false, got 1"),
        ("checks: {metric: a}", "x.checks: want a list, got a group of keys: write - before each entry"),
        ("inputs: [1]", "x.inputs: want a group of keys, got a list"),
    ],
)
def test_a_case_of_another_form_is_told_what_was_wanted(said: str, why: str) -> None:
    more = "" if said.startswith("checks") else "    checks: [{metric: m}]\n"
    with pytest.raises(CasesError) as refusal:
        cases_in(f"cases:\n  - id: x\n    {said}\n{more}", file="made.yaml")
    assert why in str(refusal.value)
    assert str(refusal.value).startswith("made.yaml, line 3: ")


@pytest.mark.parametrize("said", ["cases: {x: 1}", "cases: 3", "cases: []", "- x", "cases:"])
def test_a_file_without_a_list_of_cases_is_told_what_was_wanted(said: str) -> None:
    with pytest.raises(CasesError, match=r"want (a list|a map|at least 1 entries)"):
        cases_in(said, file="made.yaml")


def only(text: str, catalogue: Catalogue, ours: Cases) -> dict[str, Compared]:
    """What comes of a file of one case, by metric."""
    rows = compare(cases_in(text, file="made.yaml"), catalogue, DAY, mappings={}, bare=ours.bare).rows
    return {row.metric: row for row in rows}


NEW = """
cases:
  - id: made_up
    title: "Somebody: eight against a cloud"
    evidence: hearsay
    inputs:
      price_usd: 240000
      gpus: 8
      usd_per_h: 2.5
      power_usd_month: 1200
      bought: 2026-01-31
      years: 4
      hours_a_day: [4, 8]
      tiers: {gold: {usd: 30}, silver: {usd: 15}}
      runs: [{name: short, hours: 10}, {name: long, hours: 400}]
    checks:
      - {metric: payback_months, unit: months, stated: 18, tolerance_rel: 0.01, match: true}
      - {metric: breakeven_hours, stated: 11000, recomputed: 13074.6, tolerance_rel: 0.001, match: false}
      - {metric: yearly, stated: 90113, tolerance_rel: 0.0001}
      - {metric: verdict, stated: Buy, match: true}
      - {metric: worth, recomputed: -2106.8, tolerance_rel: 0.01}
      - {metric: "short: cost", stated: 200}
      - {metric: "long: cost", stated: 8000}
      - {metric: hours, stated: 410}
      - {metric: waited_days, stated: 100}
      - {metric: never, stated: 3}
      - {metric: goodwill, stated: 1000}
      - {metric: surprise, stated: 7}
      - {metric: 4 hours a day, stated: 107.46, match: true}
      - {metric: 8 hours a day, stated: 53.73, match: true}
      - {metric: gold over silver, stated: 2}
      - {metric: wrong, stated: 5, note: "off by one"}
    ours:
      names: {price: price_usd, first_hours: runs.0.hours}
      steps: {rent_h: gpus * usd_per_h, month_h: 730, when: "periods(times=years)"}
      scenario:
        years: "=years"
        work: [{accelerators: "=gpus", busy_share: 1}]
        own: {accelerators: "=gpus", capex_usd: "=price", running_usd_per_month: "=power_usd_month"}
        rent: {usd_per_accelerator_hour: "=usd_per_h"}
      variants:
        cheap_rent: {rent: {usd_per_accelerator_hour: 0.1}}
      checks:
        payback_months: payback_months(own, on_demand)
        breakeven_hours: payback_months(own, on_demand) * month_h
        yearly: power_usd_month * 12 + equivalent_annual_usd(present_value_usd=price, rate_per_year=0.1, years=years)
        verdict: cheaper(own, on_demand)
        worth: npv_usd(usd=flow(today=-1 * price, then=75048, times=years), rate_per_year=0.1, years=when)
        hours: total(runs.hours)
        waited_days: days(bought, '2026-05-11')
        never: payback_months(own, on_demand, cheap_rent)
        wrong: first_hours / 2 - 1
      each:
        - of: runs
          checks: {"{name}: cost": hours * rent_h}
        - of: tiers
          checks: {"{key} over silver": usd / tiers.silver.usd}
        - of: hours_a_day
          steps: {share: value / 24}
          scenario:
            years: 10
            work: [{busy_share: "=share"}]
            own: {running_usd_per_month: "=share * power_usd_month"}
          checks: {"{value} hours a day": "payback_months(own, on_demand)"}
      errors: {breakeven_hours: leaves out power}
      not_comparable: {goodwill: nobody says what it is}
"""


def test_a_new_case_is_data_alone(catalogue: Catalogue, ours: Cases) -> None:
    of = only(NEW, catalogue, ours)
    verdicts = {metric: row.verdict for metric, row in of.items()}
    assert verdicts == {
        **dict.fromkeys(("payback_months", "yearly", "verdict", "short: cost", "long: cost", "hours"), "reproduced"),
        **dict.fromkeys(("4 hours a day", "8 hours a day", "gold over silver"), "reproduced"),
        "waited_days": "reproduced",
        "worth": "reproduced",
        "breakeven_hours": "published error",
        "goodwill": "not comparable",
        "surprise": "no mapping",
        "never": "DIFFERS",
        "wrong": "DIFFERS",
    }
    assert str(of["never"].ours).startswith("never")
    assert of["surprise"].why == "add ours.checks.surprise"
    assert of["payback_months"].ours == pytest.approx(240_000 / (8 * 2.5 * 730 - 1_200))


def test_an_error_is_believed_only_where_the_recomputation_is_with_us(catalogue: Catalogue, ours: Cases) -> None:
    wrong = NEW.replace("recomputed: 13074.6", "recomputed: 12000")
    assert only(wrong, catalogue, ours)["breakeven_hours"].verdict == "DIFFERS"
    right = NEW.replace("stated: 11000", "stated: 13074.6")
    assert (
        only(right, catalogue, ours)["breakeven_hours"].why == "an error is named, yet the number comes out as stated"
    )


def test_the_example_of_the_page_runs(catalogue: Catalogue, ours: Cases) -> None:
    figures, mapping = (block.split("```")[0] for block in PAGE.split("```yaml\n")[1:3])
    of = only(figures + mapping, catalogue, ours)
    assert [row.verdict for row in of.values()] == ["published error", "reproduced", "reproduced"]


def test_the_page_names_every_function_and_reading(catalogue: Catalogue) -> None:
    for name in (*ENGINE, *HELPERS, *Readings(catalogue, DAY, {}).calls()):
        assert f"`{name}`" in PAGE or f"`{name}(" in PAGE, name


# --- what cannot be used is told in one sentence with its place


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("first_hours / 2 - 1", "first_hour / 2", "ours.checks.wrong: nothing is called 'first_hour'; did you mean"),
        ("runs.0.hours", "runs.7.hours", "ours.names.first_hours: runs.7.hours: there is no '7' there"),
        ("runs.0.hours", "runs.0.hour", "did you mean 'hours'?"),
        ("first_hours / 2 - 1", "first_hours / (gpus - gpus)", "is no finite number; is something divided by zero?"),
        ("first_hours / 2 - 1", "__import__('os').system('true')", "may not contain"),
        ("first_hours / 2 - 1", "open('passwords')", "there is no function 'open'"),
        ("first_hours / 2 - 1", "gpus.__class__", "there is no '__class__' there"),
        ("first_hours / 2 - 1", "total([gpus for gpus in runs])", "may not contain ListComp"),
        ("first_hours / 2 - 1", "gpus ** gpus ** gpus ** gpus ** 9", "ours.checks.wrong:"),
        ("first_hours / 2 - 1", "gpus -", "not a formula"),
        ("first_hours / 2 - 1", "-" * 499 + "1", "ours.checks.wrong:"),
        ("first_hours / 2 - 1", "gpus" + " + gpus" * 80, "want at most 500 characters"),
        ("first_hours / 2 - 1", "5", "says the answer"),
        ("first_hours / 2 - 1", "runs.hours", "gives a list, want one number"),
        ("first_hours / 2 - 1", "gpus * payback_months(own, on_demand, cheap_rent)", "never"),
        ("first_hours / 2 - 1", "straight_line_shares(years=1e9)", "years: want a whole number from 0 to 10,000"),
        ("first_hours / 2 - 1", "annuity_factor(rate=gpus)", "annuity_factor takes rate_per_period, periods"),
        ("first_hours / 2 - 1", "annuity_factor(rate_per_period=gpus)", "periods is missing"),
        ("first_hours / 2 - 1", "total_usd(lease)", "the scenario has no option 'lease', it has own, on_demand"),
        ("first_hours / 2 - 1", "part_usd(own, gold)", "own has no part 'gold'"),
        ("first_hours / 2 - 1", "total_usd(own, dear_rent)", "there is no scenario 'dear_rent'"),
        ("first_hours / 2 - 1", "gpus * bought", "bought is '2026-01-31', want a number"),
        ("busy_share: 1}", "busy_shore: 1}", "want accelerators, and busy_share"),
        ("busy_share: 1}", "busy_share: 7}", "scenario.work.0.busy_share: 7 must be 0.01 to 1"),
        ('years: "=years"', 'years: "=yaers"', "ours.scenario.years: nothing is called 'yaers'; did you mean 'years'?"),
        ("of: runs", "of: gpus", "ours.each.0.of: want the place of a list or a map in the inputs"),
    ],
)
def test_a_mapping_that_cannot_be_used_says_where(
    was: str, now: str, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert was in NEW
    path = tmp_path / "made.yaml"
    path.write_text(NEW.replace(was, now))
    assert main(["check", "tco", str(path)]) == BAD_INPUT
    told = capsys.readouterr()
    sentences = told.err.strip().splitlines()
    assert any(said in line and line.startswith("made.yaml: made_up: ours.") for line in sentences), told.err
    assert "no answer" in told.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cases: []", "cases"),
        ("cases:\n  - {id: a, checks: [{metric: m, stated: .nan}]}", "trap"),
        (
            "cases:\n  - {id: a, checks: [{metric: m, tolerance_rel: 5}]}",
            "made.yaml, line 2: a.checks.0.tolerance",
        ),
        (
            "cases:\n  - {id: a, checks: [], ours: {chekcs: {}}}",
            "a.ours.chekcs: there is no such key; there are names, steps",
        ),
        ("cases:\n  - {id: a, checks: []}\n  - {id: a, checks: []}", "the case 'a' stands here twice"),
        ("cases:\n  - {id: a, checks: [], ours: {checks: {m: max(b, c)}}}", "with a comma inside { } stands in quotes"),
        ("[1, 2]", "want a map"),
    ],
)
def test_a_file_that_cannot_be_read_says_where(text: str, said: str) -> None:
    with pytest.raises((CasesError, CatalogError), match=r"^made\.yaml") as refused:
        cases_in(text, file="made.yaml")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["a + [1, 2]", "a[0:1]", "lambda: 1", "a if a else a", "f'{a}'", "a and a", "a.b.c"])
def test_a_formula_has_few_shapes(text: str) -> None:
    scope = Scope({"a": 1.0}, {}, {})
    if text == "a + [1, 2]":
        assert list(value(text, scope)) == [2.0, 3.0]  # type: ignore[arg-type]
        return
    with pytest.raises(Unusable):
        value(text, scope)


def test_mappings_stand_alone_too() -> None:
    assert mappings_in("ours:\n  a: {checks: {m: x * 2}}\n", file="m.yaml")["a"].checks == {"m": "x * 2"}


@pytest.mark.parametrize("head", ["", "from __future__ import annotations\n"], ids=["types", "strings"])
def test_a_call_reads_its_inputs_whether_annotations_are_types_or_strings(head: str) -> None:
    text = f"""{head}
from typing import Literal
from planner.study.cases.expression import Word

def kept(way: Word, step: Literal["month", "year"], count: int, known: bool = False, share: float = 0.5) -> str:
    return f"{{way}}, {{step}}, {{count!r}}, {{bool(known)}}, {{float(share)}}"
"""
    names: dict[str, Any] = {}
    exec(compile(text, "functions", "exec", dont_inherit=True), names)
    scope = Scope({}, {}, {"kept": names["kept"]})
    assert value("kept(way=own, step=month, count=2, known=1 < 2, share=1 / 4)", scope) == "own, month, 2, True, 0.25"
    with pytest.raises(Unusable, match=r"count: want a whole number from 0 to 10,000, got 2\.5"):
        value("kept(way=own, step=month, count=2.5)", scope)
