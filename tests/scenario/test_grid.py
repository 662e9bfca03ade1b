"""Grids as files: what they may say, and what is refused with its line."""

import tracemalloc
from datetime import date

import pytest

from planner.scenario.file import SavedScenario
from planner.scenario.grid import SweepGrid, read_grid
from planner.scenario.known_names import ScenarioError
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from pricing import names as naming
from tests.facts import CATALOGUE
from tests.rows import each_row


def read(text: str) -> SweepGrid:
    """The grid in a text, its named base being sixteen accelerators."""
    return read_grid(
        text.encode(), "grid.yaml", CATALOGUE, lambda _: SavedScenario(Scenario(work=(Work(accelerators=16),)))
    )


def test_every_combination_is_a_point_and_the_last_list_turns_fastest() -> None:
    grid = read("base: x\nvary:\n  years: [2, 3]\n  own.usd_per_kwh: [0.1, 0.2, 0.3]\n")
    assert grid.count == 6
    assert [grid.values(point) for point in (0, 1, 3, 5)] == [(2.0, 0.1), (2.0, 0.2), (3.0, 0.1), (3.0, 0.3)]
    scenario = grid.scenario(grid.values(4))
    assert (scenario.years, scenario.own.usd_per_kwh, scenario.work[0].accelerators) == (3.0, 0.2, 16)


@pytest.mark.parametrize(("said", "values"), [
    ("{from: 0.1, to: 0.3, steps: 3}", (0.1, 0.2, 0.3)), ("{from: 0.3, to: 0.1, steps: 3}", (0.3, 0.2, 0.1)),
    ("{from: 0.1, to: 0.35, by: 0.1}", (0.1, 0.2, 0.3)),
    ("{from: 0.01, to: 1, steps: 3, scale: log}", (0.01, 0.1, 1.0)), ("[0.5, null]", (0.5, None)),
])  # fmt: skip
def test_a_range_holds_both_its_ends(said: str, values: tuple[float | None, ...]) -> None:
    grid = read(f"base: x\nvary:\n  own.usd_per_kwh: {said}\n")
    assert grid.values_of_path(("own", "usd_per_kwh")) == values


def test_lists_that_move_together_are_one_axis() -> None:
    grid = read("base: x\nvary: {years: [2, 3]}\ntogether:\n  - accelerator: [h100 sxm, h200 sxm]\n    gpus: [8, 16]\n")
    assert grid.count == 4
    assert grid.values(1) == (2.0, naming.accelerator(CATALOGUE, "h200 sxm"), 16)
    assert grid.paths == (("years",), ("accelerator",), ("work", 0, "accelerators"))


def test_a_short_key_means_what_it_means_in_a_link() -> None:
    grid = read("base: x\nvary:\n  busy: [17.1, 60]\n")
    assert grid.values_of_path(("work", 0, "busy_share")) == (0.171, 0.6)


def test_ways_win_over_the_base_and_outputs_keep_their_order() -> None:
    grid = read("base: x\nways: [own, on_demand]\noutputs: [npv_usd]\nvary: {years: [2, 3]}\n")
    assert grid.saved.scenario.ways == ("own", "on_demand")
    assert grid.outputs == ("leads", "best", "npv_usd")


REFUSED = [
    ("", "want `base:`"),
    ("base: x\n", "nothing varies"),
    ("base: x\nvarry: {years: [2]}\n", "Line 2: varry: no such key"),
    ("base: 7\nvary: {years: [2]}\n", "Line 1: base: 7 must be a scenario"),
    ("base:\n  work: [{busy_share: 60}]\nvary: {years: [2]}\n", "Line 2: work.0.busy_share: 60 must be"),
    ("base: x\nvary:\n  years: 3\n", "Line 3: years: 3 must be a list"),
    ("base: x\nvary:\n  years: [2, 30]\n", "Line 3: years: 30 must be 0.25 to 10"),
    ("base: x\nvary:\n  years: [2, 2]\n", "Line 3: years: 2.0 stands there twice"),
    ("base: x\nvary:\n  own.usd_per_kw: [2]\n", "Line 3: own.usd_per_kw: there is no such key; did you mean"),
    ("base: x\nvary:\n  own: [2]\n", "Line 3: own: a whole group of inputs"),
    ("base: x\nvary:\n  work.3.busy_share: [0.2]\n", "Line 3: work.3.busy_share: the base has 1 under work"),
    ("base: x\nvary:\n  accelerator: [h100 sxm, h999]\n", "Line 3: accelerator: "),
    ("base: x\nvary:\n  kept.usd_at_end: [1, 2]\n", "Line 3: kept.accelerators: missing"),
    ("base: x\nvary:\n  years: {from: 2, to: 3}\n", "Line 3: years: want one of steps and by"),
    (
        "base: x\nvary:\n  years: {from: 2, to: 3, stepps: 3}\n",
        "Line 3: years.stepps: there is no such key; there are from, to, steps",
    ),
    ("base: x\nvary:\n  years: {from: 0, to: 3, steps: 3, scale: log}\n", "Line 3: years: scale log wants"),
    ("base: x\nvary:\n  years: [2, 3]\n  site: [US, US]\n", "Line 4: site: 'US' stands there twice"),
    ("base: x\nvary: {years: [2, 3]}\ntogether: {gpus: [8, 9], busy: [60]}\n", "gpus has 2, busy has 1"),
    ("base: x\nvary: {years: [2, 3]}\ntogether: {years: [2, 3]}\n", "years varies twice"),
    ("base: x\noutputs: [npv]\nvary: {years: [2, 3]}\n", "Line 2: outputs: 'npv' is none of leads, best"),
    ("base: x\nvary: {years: [2, 3], years: [4]}\n", "Line 2"),
    (
        "base: x\nvary:\n  own.usd_per_kwh: {from: 0, to: 1, steps: 1000}\n  own.pue: {from: 1, to: 2, steps: 1000}\n"
        "  own.deposit_share: {from: 0, to: 1, steps: 1000}\n",
        "1,000 x 1,000 x 1,000 = 1,000,000,000 scenarios are more than the limit of 10,000,000",
    ),
    ("base: {day: 2026}\nvary: {years: [2, 3]}\n", "Line 1: day: 2026 must be a day such as 2026-11-21"),
    ("base: {day: '2026-02-30'}\nvary: {years: [2, 3]}\n", "Line 1: day: 2026-02-30 is not a day of the calendar"),
    ("base: x\nvary:\n  years: {from: a, to: 3, steps: 3}\n", "years.from: want a number, got 'a'"),
    ("base: x\nvary:\n  years: {from: 1, to: 3, steps: 2.5}\n", "years.steps: want a whole number, got 2.5"),
    ("base: x\nvary:\n  years: {from: 1, to: 3, by: 0}\n", "years.by: want a number above 0, got 0"),
    ("base: x\nvary:\n  years: {from: 1, to: 3, steps: 3, scale: cubic}\n", "scale: want one of linear or log, got"),
    ("base: x\nvary:\n  years: {to: 3, steps: 3}\n", "years.from: missing"),
    ("base: x\nvary:\n  own.pue: {from: 1, to: 2, by: 1e-12}\n", "are more than the limit of 10,000,000"),
]


def test_a_day_in_quotes_is_a_day() -> None:
    day = date(2026, 11, 21)
    for said in ("2026-11-21", "'2026-11-21'", '"2026-11-21"'):
        assert read(f"base:\n  day: {said}\n  years: 2\nvary: {{gpus: [8, 9]}}\n").saved.day == day


# How each range is written, how many values it has, and what its last but one is.
LONG = [
    ("{from: 0.05, to: 0.15, steps: 10000000}", 10_000_000, 0.05 + 0.1 * 9_999_998 / 9_999_999),
    ("{from: 0.05, to: 0.14999999, by: 1e-8}", 10_000_000, 0.14999998),
    ("{from: 0.01, to: 1, steps: 1000000, scale: log}", 1_000_000, 100 ** (-1 / 999_999)),
    ("{from: 0.15, to: 0.05, steps: 100000}", 100_000, 0.05 + 0.1 / 99_999),
]


@pytest.mark.parametrize(("said", "count", "before_last"), LONG)
def test_a_long_range_is_no_list(said: str, count: int, before_last: float) -> None:
    tracemalloc.start()
    grid = read(f"base: x\nvary:\n  own.usd_per_kwh: {said}\n")
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert grid.count == count
    assert grid.values(count - 2) == (pytest.approx(before_last, rel=1e-11),)
    assert grid.values_of_path(("own", "usd_per_kwh"))[::2] == (grid.values(0)[0], grid.values(count - 1)[0])
    assert most_bytes < 20_000_000


def test_a_long_range_says_what_the_short_one_says() -> None:
    short = read("base: x\nvary:\n  busy: {from: 10, to: 90, steps: 801}\n")
    long = read("base: x\nvary:\n  busy: {from: 10, to: 90, steps: 8001}\n")
    assert [long.values(10 * place) for place in range(801)] == [short.values(place) for place in range(801)]
    whole = read("base: x\nvary:\n  gpus: {from: 1, to: 5000, by: 1}\n")
    assert [type(value) for value in whole.values(1_499)] == [int]
    assert whole.values(1_499) == (1_500,)


TOO_MANY = [
    ("{from: 0, to: 1, steps: 10000001}", "10,000,001 scenarios are more than the limit"),
    ("{from: 0, to: 1, steps: 1000000000000000000000}", "1,000,000,000,000,000,000 scenarios are more than the limit"),
    ("{from: 0, to: 1, by: 1e-12}", "1,000,000,000,001 scenarios are more than the limit"),
    ("{from: -1e15, to: 1e15, by: 5e-324}", "scenarios are more than the limit"),
    ("{from: 0, to: 0.3, steps: 10000000}\n  own.pue: [1, 2]", "10,000,000 x 2 = 20,000,000 scenarios are more than"),
    ("{from: 1e-9, to: 1e9, steps: 10000000, scale: log}", "own.usd_per_kwh: 1000000000 must be"),
    ("{from: -1, to: 1, steps: 10000000}", "own.usd_per_kwh: -1 must be"),
    ("{from: 0.1, to: 0.1, steps: 10000000}", "too near to distinguish"),
    ("{from: 0.1, to: 0.1000000000001, steps: 10000}", "too near to distinguish"),
    ("{from: 0, to: 0.3, steps: 10000000}\n  years: {from: 1, to: 3, steps: 10000000}", "100,000,000,000,000 "),
    ("[0.1]\n  work.0.accelerators: {from: 1, to: 8, steps: 5000}", "work.0.accelerators: 1.0014"),
]


@each_row(("said", "why"), TOO_MANY)
def test_a_range_is_refused_by_its_count_and_its_ends_before_a_list_is_made(said: str, why: str) -> None:
    tracemalloc.start()
    with pytest.raises(ScenarioError) as refusal:
        read(f"base: x\nvary:\n  own.usd_per_kwh: {said}\n")
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert why in str(refusal.value)
    assert most_bytes < 20_000_000


def test_lists_that_move_together_are_counted_before_they_are_made() -> None:
    long = "{from: 0, to: 0.3, steps: 10000000}"
    with pytest.raises(ScenarioError, match=r"own\.usd_per_kwh has 10,000,000, own\.pue has 2"):
        read(f"base: x\ntogether: {{own.usd_per_kwh: {long}, own.pue: [1, 2]}}\n")
    grid = read(f"base: x\ntogether: {{own.usd_per_kwh: {long}, own.pue: {{from: 1, to: 2, steps: 10000000}}}}\n")
    assert (grid.count, grid.values(9_999_999)) == (10_000_000, (0.3, 2.0))


@each_row(("text", "said"), REFUSED)
def test_what_cannot_be_used_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(ScenarioError) as refusal:
        read(text)
    assert said in str(refusal.value)
