"""The budget: what a plan costs to reckon is estimated before it is begun, and the nearest within it is named."""

import json
import re
from typing import Any

import numpy as np
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.money.demand.stream import demand
from planner.scenario import budget
from planner.scenario.budget import MOST_SECONDS, PlanSize, estimate_compute, over_budget_message
from planner.scenario.file import read_scenario
from planner.scenario.known_names import ScenarioError
from planner.scenario.link import scenario_from_link
from planner.scenario.presets import load_presets
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from pricing import load_catalogue

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
    assert estimate_compute(asked(HOURS, {**HOURS, "accelerators": 200})).seconds < MOST_SECONDS / 2


def test_every_preset_and_every_plain_plan_is_within_the_budget() -> None:
    for preset in load_presets():
        scenario = preset.scenario
        assert over_budget_message(PlanSize(scenario.work, 10.0, True)) is None, preset.key
    plain = {"accelerators": 16_384, "growth_per_year": 9.0, "season": (1.5,) * 12}
    assert over_budget_message(asked(*[plain] * 6)) is None
    assert over_budget_message(asked(*[{**plain, "jobs": jobs(24)}] * 3)) is None


def test_what_is_too_large_is_refused_with_the_nearest_that_is_not() -> None:
    large = asked(*[{**SERVED, "jobs": jobs(4)}] * 5, years=3.0)
    said = over_budget_message(large)
    assert said is not None
    found = re.search(r"to ([\d.]+) years; or the first (\d+) of its 20 jobs; or the first (\d+) of its 5 ki", said)
    assert found is not None, said
    years, kept, kinds = float(found[1]), int(found[2]), int(found[3])
    for nearest, beyond in (
        (large.over(years), large.over(years + 0.25)),
        (large.with_jobs(kept), large.with_jobs(kept + 1)),
        (large.with_works(kinds), large.with_works(kinds + 1)),
    ):
        assert over_budget_message(nearest) is None
        assert over_budget_message(beyond) is not None
    assert large.with_jobs(kept).jobs == kept


def test_a_way_that_does_not_help_is_not_named() -> None:
    """Without jobs there are none to leave out; six works by the hour are too many over any ten years but fewer."""
    said = over_budget_message(asked(*[HOURS] * 6))
    assert said is not None
    assert "job" not in said
    assert said.startswith("of 6 kinds over 10 years takes ")


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
    assert "times the reckoning that one plan may take" in told[0]


def test_the_record_itself_refuses() -> None:
    with pytest.raises(pydantic.ValidationError, match="What can be reckoned: all of it over up to"):
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


@settings(max_examples=25, deadline=None)
@given(WORKS, st.sampled_from([0.5, 1.0, 2.0]))
def test_no_fewer_numbers_are_estimated_than_there_are(kinds: list[dict[str, Any]], years: float) -> None:
    plan = Scenario.model_validate({"years": years, "work": tuple(kinds)})
    there = demand(plan, busy_factor=np.linspace(0.4, 1.8, 16)[:, None]).levels
    patterns, within, months = there.frequency.shape
    counted = estimate_compute(PlanSize(plan.work, years))
    assert within <= budget.MOST_LEVELS
    assert patterns <= budget.MOST_LEVELS
    assert counted.busy >= budget.FUTURES * patterns * min(months, counted.months)


@settings(max_examples=25, deadline=None)
@given(WORKS, st.sampled_from([0.5, 1.0, 2.0]))
def test_less_work_is_never_estimated_at_more(kinds: list[dict[str, Any]], years: float) -> None:
    whole = asked(*kinds, years=years)
    seconds = estimate_compute(whole).seconds
    assert estimate_compute(whole.over(years / 2)).seconds <= seconds
    assert estimate_compute(whole.with_works(1)).seconds <= seconds
    assert estimate_compute(whole.with_jobs(0)).seconds <= seconds
    assert estimate_compute(PlanSize(whole.work, years, True)).seconds >= seconds
