"""What turns the answer: the tornado's flips, the map's line, stress tests and indices agree with the ledgers."""

import numpy as np
import plotly.graph_objects as go
import pytest

from planner.money.many_ledgers import InputColumns, build_ledger, option_builder
from planner.money.measures import present_usd
from planner.money.option import Option
from planner.money.plan import Plan, plan
from planner.money.verdict.answer import Answer
from planner.money.verdict.decision import candidate
from planner.money.verdict.shares import verdict_shares
from planner.report.answer.sensitivity import most_likely_change
from planner.report.futures import future_charts
from planner.report.what_if import indices_table, map_summary, map_table, stress_table, tornado_table, tornado_title
from planner.scenario.link import scenario_from_link
from planner.scenario.own import OwnInputs
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.break_even_map import BUSY, YEARS, break_even_map, map_axis
from planner.study.uncertainty.draws import draw_inputs
from planner.study.uncertainty.futures import draw_futures
from planner.study.uncertainty.stress import InputChange, StressResult, run_stress_test, stresses
from planner.study.uncertainty.sure_verdict import break_even_band, decided, likeliest_to_turn, turning_values
from planner.study.uncertainty.tornado import costs, saved_usd, sobol_indices, tornado
from planner.study.uncertainty.uncertain_inputs import DistributionError, uncertain_inputs
from tests.facts import DAY
from tests.study.planned import catalogue, planned


def pair(made: Plan) -> tuple[Option, Option]:
    own, rent = made.option("own"), made.option("on_demand")
    assert own is not None
    assert rent is not None
    return own, rent


def answered(made: Plan) -> Answer:
    return decided(made, 256).answer


MADE = planned(own=OwnInputs(least_fte=0.03))  # with so few people, renting costs little less than owning


def test_the_widest_bar_comes_first_and_all_start_from_the_plan() -> None:
    bars = tornado(MADE, *pair(MADE))
    swings = [bar.swing_usd for bar in bars]
    assert swings == sorted(swings, reverse=True)
    own, rent = (float(present_usd(MADE.setting, way.ledger)) for way in pair(MADE))
    assert {round(bar.saved_usd, 3) for bar in bars} == {round(rent - own, 3)}


def test_at_its_flip_an_input_makes_both_cost_the_same() -> None:
    flips = [bar for bar in tornado(MADE, *pair(MADE)) if bar.flip is not None]
    assert {bar.input.name for bar in flips} >= {"rent_change_per_year", "usd_per_accelerator", "busy_factor"}
    for bar in flips:
        there = MADE.setting.with_tried({bar.input.name: np.array([[bar.flip]])})
        ledgers = [build_ledger(there, option_builder(way)) for way in pair(MADE)]
        if bar.input.name == "spare_share":
            continue  # spares are whole machines: it flips at a step
        own, rent = (float(np.ravel(present_usd(there, ledger))[0]) for ledger in ledgers if ledger is not None)
        assert own == pytest.approx(rent, rel=1e-6), bar.input.name


def test_the_first_flip_is_the_least_surprising_one() -> None:
    bars, sure = tornado(MADE, *pair(MADE)), decided(MADE, 256)
    first, *_ = likeliest_to_turn(sure.futures, *(option.key for option in pair(MADE)))
    nearest = min((bar for bar in bars if bar.flips_sign), key=lambda bar: abs(bar.flip_sigmas or 0.0))
    assert first.name == nearest.input.name
    assert sure.answer.verdict == "close"
    assert most_likely_change(MADE, sure.answer, sure.futures) == ()  # nothing changes what is no answer


def test_at_the_value_that_turns_the_verdict_two_groups_hold_as_many_futures() -> None:
    sure = decided(MADE)
    assert sure.answer.shares is not None
    inputs = sure.futures.inputs
    turns = zip(inputs, turning_values(sure.futures, sure.answer.shares, inputs), strict=True)
    name, value = next((each.name, value) for each, value in turns if value is not None)
    draws = {**sure.futures.draws, name: np.full(sure.futures.count, value)}
    usd = costs(MADE, sure.futures.options, InputColumns(MADE.setting, draws))
    shares = verdict_shares([candidate(option) for option in sure.futures.options], usd, np.zeros_like(usd)).group_share
    first, second = list(shares.values())[:2]
    assert first - second < 0.05


def test_the_map_is_the_ledgers_cell_by_cell() -> None:
    found = break_even_map(MADE, *pair(MADE), map_axis(MADE, BUSY, 5), map_axis(MADE, YEARS))
    assert found.saved_usd.shape == (13, 5)
    work = {"accelerators": 8, "busy_share": float(found.across.values[2])}
    again = planned(years=5.0, work=(work,), own=MADE.setting.scenario.own)
    own, rent = (float(present_usd(again.setting, way.ledger)) for way in pair(again))
    place = int(np.flatnonzero(found.up.values == 5.0)[0])
    assert found.saved_usd[place, 2] == pytest.approx(rent - own, rel=1e-6)
    turned = break_even_map(MADE, *pair(MADE), map_axis(MADE, YEARS), map_axis(MADE, BUSY, 5))
    assert turned.saved_usd == pytest.approx(found.saved_usd.T)


def test_break_evens_have_a_range_too() -> None:
    futures = draw_futures(MADE, 256)
    assert futures is not None
    busy = break_even_band(futures, "own", "on_demand", "busy_share")
    one = answered(MADE).break_even("busy_share")
    assert one.value is not None
    assert busy.band.low < one.value < busy.band.high
    assert 0.5 < busy.share < 1.0
    rent = break_even_band(futures, "own", "on_demand", "usd_per_accelerator_hour")
    # Where buying costs less at today's 2.69, the rent at which both cost the same lies below it.
    below = rent.band.low < 2.69 < rent.band.high
    assert below
    assert break_even_band(futures, "own", "nobody", "busy_share") is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "held",
    [
        {}, {"stops": "1", "gpus": "3"}, {"growth": "40", "waits": "1", "years": "7", "own": "4"},
        {"tax": "25", "written": "macrs-5-half-year", "vat": "19", "inflation": "3"},
        {"also": '{"own": {"refresh_years": 2.0, "place": "own_room"}}', "years": "6"},
        {"serve": "Llama-3.1-70B", "rps": "4", "peak": "20"},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("name", ["busy_factor", "usd_per_accelerator_hour"])
def test_a_grid_beside_draws_says_what_its_rows_say_one_by_one(held: dict[str, str], name: str) -> None:
    asked, told = scenario_from_link(held, catalogue())
    assert not told
    made = plan(catalogue(), asked, DAY)
    values, count, grid = dict(draw_inputs(uncertain_inputs(made), 8, 7)), 8, np.array([0.3, 1.0, 1.5])
    beside = {one: those for one, those in values.items() if one != name}
    rows = {one: np.repeat(those, len(grid)) for one, those in beside.items()} | {name: np.tile(grid, count)}
    for way in made.options:
        ways = (way, made.options[0])
        alone = saved_usd(made, ways, InputColumns(made.setting, rows)).reshape(count, len(grid))
        together = InputColumns(made.setting, beside, along=(name, grid))
        assert saved_usd(made, ways, together) == pytest.approx(alone, rel=1e-9, abs=1e-6)


def test_any_two_inputs_make_a_map() -> None:
    found = break_even_map(
        MADE, *pair(MADE), map_axis(MADE, "rent_change_per_year", 4), map_axis(MADE, "usd_per_accelerator", 3)
    )
    assert np.all(np.diff(found.saved_usd, axis=1) > 0)  # dearer rents
    assert np.all(np.diff(found.saved_usd, axis=0) < 0)  # dearer machines
    assert "you are at 0% and $30,000" in map_summary(found)
    assert map_table(found).to_pandas().shape == (3, 5)
    with pytest.raises(DistributionError, match="'colour' is certain in this plan or no input of it; choose one of"):
        map_axis(MADE, "colour")


def under_stress(plan: Plan, count: int) -> tuple[StressResult, ...]:
    """The plan under every test, one at a time."""
    return tuple(run_stress_test(plan, key, count) for key in stresses())


def test_stress_tests_change_the_words() -> None:
    told = {one.key: one.judged.answer for one in under_stress(MADE, 256) if one.judged is not None}
    assert set(told) == set(stresses())
    assert answered(MADE).verdict == "close"
    assert told["rents-fall"].verdict == "probably rent"
    before, after = answered(MADE).shares, told["rents-rise"].shares
    assert after.group_share["own"] > before.group_share["own"]
    own, rent = answered(MADE).own, answered(MADE).rent
    dearer = {key: found.own.present_usd for key, found in told.items() if found.own}
    worse = ("delivery-late", "resale-halves", "power-doubles")
    assert min(dearer[key] for key in worse) > own.present_usd > dearer["no-successor"]
    fallen = told["rents-fall"].rent
    year = rent.cumulative_usd[12]
    assert fallen.cumulative_usd[12] == pytest.approx(year)  # the first year is as it was
    rented = rent.option.ledger.lines[0].usd
    assert fallen.option.ledger.lines[0].usd[13:] == pytest.approx(0.7 * rented[13:])


def test_half_of_what_resale_brings() -> None:
    for own in (OwnInputs(), OwnInputs(residual_share=0.4), OwnInputs(refresh_years=1.5)):
        made = planned(own=own)
        under = run_stress_test(made, "resale-halves", 16)
        assert under.plan is not None
        lines = [
            {line.name: float(line.total_usd) for line in pair(one)[0].ledger.lines if line.part == "resale"}
            for one in (made, under.plan)
        ]
        assert lines[0]
        assert lines[1] == pytest.approx({name: usd / 2 for name, usd in lines[0].items()})


def test_a_test_that_touches_nothing_says_so() -> None:
    made = planned(own=OwnInputs(running_usd_per_month=1_000.0))
    table = stress_table(under_stress(made, 16), decided(made, 16)).to_pandas().set_index("Plan")
    assert table.loc["Electricity costs twice as much", "Answer"] == "not in this plan"
    assert table.loc["As entered", "Owning, USD"] > 0
    with pytest.raises(DistributionError, match="no stress test is called 'x'; there are rents-fall"):
        run_stress_test(made, "x")


def test_every_stress_cites_a_source_of_the_catalogue() -> None:
    for stresse in stresses().values():
        assert stresse.source in catalogue().sources
        assert stresse.reason
    with pytest.raises(ValueError, match="want one of is, add and times"):
        InputChange.model_validate({"is": 1.0, "add": 2.0})


def test_indices_tell_a_sum_apart() -> None:
    """Where inputs hardly work through each other the first-order parts sum to 1 and equal the total ones."""
    found = sobol_indices(MADE, *pair(MADE), 256)
    assert sum(one.first for one in found) == pytest.approx(1.0, abs=0.1)
    for one in found[:4]:
        assert one.first == pytest.approx(one.total, abs=0.12)
    assert len(indices_table(found)) == len(found)


def test_charts_are_what_plotly_takes() -> None:
    made = plan(catalogue(), Scenario(ways=("own", "on_demand")), DAY)
    judged = decided(made, 64)
    assert judged.futures is not None
    bars = tornado(made, *pair(made))
    there = break_even_map(made, *pair(made), map_axis(made, BUSY, 4), map_axis(made, YEARS))
    for dark in (False, True):
        sure = future_charts.futures_dots(judged.answer, judged.futures, dark)
        assert sure is not None
        assert sum(len(trace["x"]) for trace in sure.to_dict()["data"]) == 50
        for figure in (sure, future_charts.tornado_chart(bars, dark), future_charts.break_even_map_chart(there, dark)):
            go.Figure(figure.to_dict())  # plotly's own validation
    assert (
        f" matters most; {sum(bar.flips_sign for bar in bars)} inputs alone can make both cost the same"
        in tornado_title(bars)
    )
    assert len(tornado_table(bars)) == len(bars)
    assert tornado_title(()) == "No uncertain input changes the answer."
