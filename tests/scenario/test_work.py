"""The work: what goes with it where nobody says."""

import json
import re
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.demand.stream import demand
from planner.scenario import budget
from planner.scenario.budget import MOST_SECONDS, PlanSize, estimate_compute, over_budget_message
from planner.scenario.fields import field_spec, leaf_fields
from planner.scenario.file import SavedScenario, format_part, read_scenario, write_scenario
from planner.scenario.known_names import ScenarioError, format_errors
from planner.scenario.link import ALSO, LONGEST_ALSO, scenario_from_link, scenario_to_link
from planner.scenario.measured import MOST_FACTORS, MeasuredRun
from planner.scenario.path import Path
from planner.scenario.presets import load_presets
from planner.scenario.question import KEYS
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from pricing import load_catalogue
from tests.examples import at_most
from tests.facts import CATALOGUE
from tests.rows import each_row


@pytest.mark.parametrize(
    ("accelerators", "disk_tb", "traffic_tb"), [(1, 1.25, 0.125), (4, 5.0, 0.5), (8, 10.0, 1.0), (64, 10.0, 1.0)]
)
def test_one_gpu_keeps_less_data_than_a_machine_of_eight(accelerators: int, disk_tb: float, traffic_tb: float) -> None:
    work = Work(accelerators=accelerators)
    assert (work.effective_storage_tb, work.effective_egress_tb_per_month) == (disk_tb, traffic_tb)


def test_what_is_said_wins() -> None:
    work = Work(accelerators=1, storage_tb=0.0, egress_tb_per_month=7.0)
    assert (work.effective_storage_tb, work.effective_egress_tb_per_month) == (0.0, 7.0)


ONE = MeasuredRun(
    kind="training", accelerator="H100-SXM5-80GB", model="Llama-3-8B", precision="bf16", method="full", ratio=1.12,
    low=1.02, high=1.23, runs=6, day=date(2026, 11, 20), source="=our cluster",
)  # fmt: skip


def read(text: str) -> Scenario:
    return read_scenario(text.encode(), "mine.yaml", CATALOGUE).scenario


def test_a_file_and_a_link_hold_them() -> None:
    scenario = Scenario(
        measured=(ONE, MeasuredRun(kind="serving", accelerator="H200-SXM-141GB", engine="vllm", ratio=0.9))
    )
    text = write_scenario(SavedScenario(scenario))
    assert "ratio: 1.12  # times what is predicted" in text
    assert read(text) == scenario
    assert scenario_from_link(scenario_to_link(scenario), CATALOGUE) == (scenario, [])
    assert read(format_part({"measured": (ONE.model_dump(),)})).measured == (ONE,)


def test_as_many_as_a_plan_holds_go_into_a_link() -> None:
    longest = ONE.model_copy(update={"accelerator": max(CATALOGUE.accelerators, key=len), "source": "x" * 30})
    held = scenario_to_link(Scenario(measured=(longest,) * MOST_FACTORS))
    assert len(held[ALSO]) <= LONGEST_ALSO


def test_names_are_loose_and_unknown_ones_are_told() -> None:
    line = "measured: [{kind: training, accelerator: %s, ratio: 1.1}]"
    assert read(line % "h100 sxm").measured[0].accelerator == "H100-SXM5-80GB"
    with pytest.raises(ScenarioError, match=r"measured.0.accelerator: No accelerator .*h1000"):
        read(line % "h1000")
    held = {ALSO: '{"measured":[{"kind":"training","accelerator":"h1000","ratio":1.1}]}'}
    scenario, told = scenario_from_link(held, CATALOGUE)
    assert scenario == Scenario()
    assert "runs of your own on h1000" in told[0]
    assert "left out" in told[0]


@each_row(("change", "wish"), [
    ({"ratio": 1e12}, "measured.0.ratio: 1000000000000 must be 0.05 to 20"),
    ({"ratio": "fast"}, "measured.0.ratio: 'fast' must be a number, 0.05 to 20"),
    ({"runs": 0}, "measured.0.runs: 0 must be 1 to 10,000"),
    ({"kind": "tuning"}, "measured.0.kind: 'tuning' must be one of training, serving. Did you mean training"),
    ({"low": 1.2}, "ratio 1.12 must lie between low, 1.2, and high, 1.23"),
    ({"low": None}, "low and high come together"),
    ({"engine": "vllm"}, "engine is of serving"),
    ({"kind": "serving"}, "precision and method are of training"),
    ({"colour": "red"}, "measured.0.colour: there is no such key"),
])  # fmt: skip
def test_what_does_not_agree_is_refused_with_what_would_do(change: dict[str, Any], wish: str) -> None:
    data = ONE.model_dump() | change
    with pytest.raises(ScenarioError) as refusal:
        read(format_part({"measured": (data,)}))
    assert wish in str(refusal.value)
    assert "Line " in str(refusal.value)


def _choice(path: Path) -> Path:
    """The path of a field, or of one entry where it takes a list."""
    spec = field_spec(path)
    return (*path, 0) if spec is not None and spec.kind == "list" else path


CHOICES = [
    path for path in map(_choice, leaf_fields()) if (one := field_spec(path)) is not None and one.kind == "choice"
]


def _data(path: Path, value: Any) -> Any:
    """Plain data that holds nothing but a value at a path."""
    for step in reversed(path):
        value = (value,) if isinstance(step, int) else {step: value}
    return value


@each_row("wrong", ["no-such-word", 7, True, ""])
@each_row("path", CHOICES)
def test_every_closed_choice_names_its_list(path: Path, wrong: object) -> None:
    with pytest.raises(pydantic.ValidationError) as refused:
        Scenario.model_validate(_data(path, wrong))
    (said,) = [wish for where, wish in format_errors(refused.value) if where == path]
    spec = field_spec(path)
    assert ", ".join(spec.choices) in said


def test_there_are_closed_choices_at_every_depth() -> None:
    assert {("stay",), ("own", "place"), ("ways", 0), ("work", 0, "train", "method")} <= set(CHOICES)


@each_row("key", [key for key, one in KEYS.items() if one.shape.kind == "choice"])
def test_every_closed_choice_of_a_link_names_its_list(key: str) -> None:
    beside = {"train": {"train": "x"}, "serve": {"serve": "x"}}.get(str(KEYS[key].path[2:3] or ("",)), {})
    (said,) = [one for one in scenario_from_link({**beside, key: "no-such-word"})[1] if f"{key} = " in one]
    assert ", ".join(KEYS[key].shape.choices) in said


def test_a_schedule_that_nobody_knows_names_all_and_the_closest() -> None:
    catalogue = load_catalogue()
    with pytest.raises(ScenarioError) as refused:
        read_scenario(b"tax: {schedule: macrs-half-year}\n", "plan.yaml", catalogue)
    assert f"there are {', '.join(catalogue.schedules)}. Did you mean macrs-5-half-year" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "schedule"),
    [("macrs", "macrs-5-half-year"), ("MACRS 5", "macrs-5-half-year"), ("straight line", "straight-line-5"),
     ("macrs-5-mid-quarter-4", "macrs-5-mid-quarter-4")],
)  # fmt: skip
def test_the_usual_schedule_of_a_kind_is_taken_and_said(name: str, schedule: str) -> None:
    found = read_scenario(f"tax: {{schedule: {name}}}\n".encode(), "plan.yaml", load_catalogue())
    assert found.scenario.tax is not None
    assert found.scenario.tax.schedule == schedule
    assert any(f"taken for {schedule}" in note for note in found.notes) == (name != schedule)


DAY = (1.0, *(0.49 + hour / 100 for hour in range(1, 24)))
SERVICE = {"model": "Llama 3.1 8B", "requests_per_s": 1.0, "input_tokens": 1_000, "output_tokens": 300}


def jobs(count: int) -> tuple[dict[str, Any], ...]:
    """Jobs of different sizes that come every month."""
    return tuple({"accelerators": 1 + 3 * one, "hours": 50.0 + one, "every_months": 1} for one in range(count))


def asked(*works: dict[str, Any], years: float = 10.0, any_accelerator: bool = False) -> PlanSize:
    """So much work over so many years."""
    return PlanSize(tuple(Work.model_validate(work) for work in works), years, any_accelerator)


HOURS = {"accelerators": 100, "growth_per_year": 2.0, "by_hour": DAY}
SERVED = {"accelerators": 8, "serve": SERVICE, "growth_per_year": 0.5}


def test_two_works_by_the_hour_over_ten_years_are_within_the_budget() -> None:
    assert over_budget_message(asked(HOURS, {**HOURS, "accelerators": 200})) is None
    assert estimate_compute(asked(HOURS, {**HOURS, "accelerators": 200})).seconds < MOST_SECONDS


def test_every_preset_and_every_plain_plan_is_within_the_budget() -> None:
    for preset in load_presets():
        scenario = preset.scenario
        assert over_budget_message(PlanSize(scenario.work, 10.0, True)) is None, preset.key
    plain = {"accelerators": 16_384, "growth_per_year": 9.0, "season": (1.5,) * 12}
    assert over_budget_message(asked(*[plain] * 6)) is None
    assert over_budget_message(asked(*[{**plain, "jobs": jobs(24)}] * 3)) is None


def test_what_is_too_large_is_refused_with_the_nearest_that_is_not() -> None:
    large = asked(*[{**SERVED, "jobs": jobs(4)}] * 5, years=3.0)
    text = over_budget_message(large)
    assert text is not None
    result = re.search(r"to ([\d.]+) years; or the first (\d+) of its 20 jobs; or the first (\d+) of its 5 ki", text)
    assert result is not None, text
    years, kept, kinds = float(result[1]), int(result[2]), int(result[3])
    for nearest, beyond in (
        (large.over(years), large.over(years + 0.25)),
        (large.with_jobs(kept), large.with_jobs(kept + 1)),
        (replace(large, work=large.work[:kinds]), replace(large, work=large.work[: kinds + 1])),
    ):
        assert over_budget_message(nearest) is None
        assert over_budget_message(beyond) is not None
    assert large.with_jobs(kept).jobs == kept


def test_a_way_that_does_not_help_is_not_named() -> None:
    """Without jobs there are none to leave out; six works by the hour are too many over any ten years but fewer."""
    text = over_budget_message(asked(*[HOURS] * 6))
    assert "job" not in text
    assert text.startswith("of 6 kinds over 10 years takes ")


LARGE = [{**SERVED, "jobs": list(jobs(24))}] * 2


def test_a_file_beyond_the_budget_is_refused_at_its_line() -> None:
    text = f"name: big\nyears: 10\nwork: {json.dumps(LARGE)}\n"
    with pytest.raises(ScenarioError, match=r"Line 3: work of 2 kinds with 48 jobs over 10 years takes .*48 jobs"):
        read_scenario(text.encode(), "big.yaml", load_catalogue())


def test_a_link_beyond_the_budget_says_so_and_still_opens() -> None:
    found, told = scenario_from_link({"years": "10", "also": json.dumps({"work": LARGE})})
    assert found.years == 10
    assert over_budget_message(PlanSize(found.work, found.years)) is None
    assert len(told) == 1
    assert "times what one plan may take" in told[0]


def test_the_record_itself_refuses() -> None:
    with pytest.raises(pydantic.ValidationError, match="What can be calculated: all of it over up to"):
        Scenario.model_validate_json(json.dumps({"years": 10.0, "work": LARGE}))


WORKS = st.lists(
    st.fixed_dictionaries(
        {
            "accelerators": st.integers(1, 300),
            "by_hour": st.sampled_from([(), DAY, (*(0.2,) * 8, *(1.0,) * 10, *(0.5,) * 6)]),
            "growth_per_year": st.sampled_from([0.0, 0.7]),
            "jobs": st.integers(0, 3).map(jobs),
        }
    ),
    min_size=1,
    max_size=3,
)


@at_most(25)
@given(WORKS, st.sampled_from([0.5, 1.0, 2.0]))
def test_no_fewer_numbers_are_estimated_than_there_are(kinds: list[dict[str, Any]], years: float) -> None:
    plan = Scenario.model_validate({"years": years, "work": tuple(kinds)})
    there = demand(plan, busy_factor=np.linspace(0.4, 1.8, 16)[:, None]).levels
    patterns, within, months = there.frequency.shape
    counted = estimate_compute(PlanSize(plan.work, years))
    assert within <= budget.MOST_LEVELS
    assert patterns <= budget.MOST_LEVELS
    assert counted.busy >= budget.FUTURES * patterns * min(months, counted.months)


@at_most(25)
@given(WORKS, st.sampled_from([0.5, 1.0, 2.0]))
def test_less_work_is_never_estimated_at_more(kinds: list[dict[str, Any]], years: float) -> None:
    whole = asked(*kinds, years=years)
    seconds = estimate_compute(whole).seconds
    assert estimate_compute(whole.over(years / 2)).seconds <= seconds
    assert estimate_compute(replace(whole, work=whole.work[:1])).seconds <= seconds
    assert estimate_compute(whole.with_jobs(0)).seconds <= seconds
    assert estimate_compute(PlanSize(whole.work, years, True)).seconds >= seconds
