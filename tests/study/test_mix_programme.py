"""The programme of a mix: published examples, every case tried by hand, and what more choice must never do."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.study.mix.best_mix import MixUnavailable, best_mix
from planner.study.mix.mix_program import Infeasible, MixAmounts, MixLimit, MixProgram, MixSolution, best
from planner.study.plan_any import planned
from pricing import load_catalogue
from tests.examples import at_most
from tests.study.mixes import curve_of, enumerated

# Owning costs 0.90 an hour and 0.06 more when busy; renting 2.00.
OWN, BUSY, RENT = 0.90, 0.06, 2.00


def hourly(levels: list[float], shares: list[float], *, step: int = 1, reserved: float | None = None) -> MixProgram:
    """The mean cost of an hour of this demand: own in steps, rent the rest, perhaps reserve."""
    curve = curve_of(levels, shares)
    edges = np.unique(np.append(curve.edges, np.arange(0.0, curve.peak + step, step)))
    edges = edges[edges <= curve.peak]
    busy = np.array([curve.busy_share[np.searchsorted(curve.edges, top) - 1] for top in edges[1:]]) * np.diff(edges)
    sizes = edges[(edges % step == 0) | (edges == curve.peak)]
    saved = (RENT - BUSY) * busy
    covered = edges[None, 1:] <= sizes[:, None]
    cost = MixAmounts(
        base=OWN * sizes - covered @ saved,
        machine=reserved or 0.0,
        rent_all=float(RENT * busy.sum()),
        with_base=RENT * busy if reserved else np.zeros(len(busy)),
        without_base=np.zeros(len(busy)),
    )
    nothing = np.zeros(len(busy))
    most = 0 if reserved is None else int(curve.peak)
    return MixProgram(sizes, edges, 1, most, cost, hours=(busy, nothing), held_hours=(busy, nothing))


def at(programme: MixProgram, size: int) -> float:
    """What owning so many costs, nothing reserved."""
    return next(usd for own, machines, usd in enumerated(programme) if own == size and machines == 0)


def test_three_levels_as_published() -> None:
    """40 for 70 % of the time, 70 for 20, 100 for 10: own 40 for 62.40, against 104.00 rented and 93.12 all owned."""
    there = hourly([40.0, 70.0, 100.0], [0.7, 0.2, 0.1], step=10)
    found = best(there)
    assert found == MixSolution(40, 0, pytest.approx(62.40))
    assert (at(there, 0), at(there, 100)) == (pytest.approx(104.00), pytest.approx(93.12))


def test_uniform_demand_as_published() -> None:
    """Anything from 0 to 100 is as likely: own 53.6 for 72.12, against 100.00 and 93.00."""
    levels = [number + 0.5 for number in range(100)]
    there = hourly(levels, [0.01] * 100)
    found = best(there)
    assert isinstance(found, MixSolution)
    assert found.accelerators == pytest.approx(53.6, abs=0.5)
    assert found.usd == pytest.approx(72.12, abs=0.02)
    assert at(there, 0) == pytest.approx(100.0)
    curve = curve_of(levels, [0.01] * 100)
    assert curve.units_busier_than(OWN / (RENT - BUSY)) == pytest.approx(53.6, abs=0.5)


@given(st.floats(1.05, 8.0), st.floats(0.02, 0.98), st.integers(1, 20))
def test_who_rents_and_who_owns_as_weinman_says(premium: float, at_peak: float, base: int) -> None:
    """An hour of one's own costs 1, used or not, a rented one the premium.

    Renting all beats owning to the peak if the premium is below peak over average. Renting the part above the base pays
    if its share of the time is below one over the premium.
    """
    peak, levels = 2 * base, [float(base), float(2 * base)]
    average = base * (1 - at_peak) + peak * at_peak
    assume(not np.isclose(premium * average, peak) and not np.isclose(at_peak * premium, 1))  # on the line, either
    curve = curve_of(levels, [1 - at_peak, at_peak])
    busy = curve.busy_share * np.diff(curve.edges)
    cost = MixAmounts(
        base=curve.edges - (curve.edges[None, 1:] <= curve.edges[:, None]) @ (premium * busy),
        machine=0.0,
        rent_all=float(premium * busy.sum()),
        with_base=np.zeros(2),
        without_base=np.zeros(2),
    )
    there = MixProgram(curve.edges, curve.edges, 1, 0, cost, hours=(busy, busy * 0), held_hours=(busy * 0, busy * 0))
    assert (at(there, 0) < at(there, peak)) == (premium * average < peak)
    assert (at(there, base) < at(there, peak)) == (at_peak < 1 / premium)


def test_discounts_for_volume_can_make_a_mix_dearer_than_either() -> None:
    """A list of sizes with a cost each: six together cost less than three, so three and rent is the worst of three."""
    there = hourly([3.0, 6.0], [0.5, 0.5], step=3)
    cheap = replace(there, cost=replace(there.cost, base=there.cost.base - np.array([0.0, 0.0, 4.0])))
    assert at(cheap, 6) < min(at(cheap, 0), at(cheap, 3))
    assert best(cheap) == MixSolution(6, 0, pytest.approx(at(cheap, 6)))


@st.composite
def programmes(draw: st.DrawFn) -> MixProgram:
    """Small ones: stairs of costs, slices that have less and less work, spot, and a fleet that must be large enough."""
    count = draw(st.integers(1, 4))
    money = st.floats(0.0, 100.0)
    edges = np.concatenate([[0.0], np.cumsum(draw(st.lists(st.integers(1, 4), min_size=count, max_size=count)))])
    falling = [np.sort(draw(st.lists(money, min_size=count, max_size=count)))[::-1] * np.diff(edges) for _ in range(2)]
    held = [hours * draw(st.sampled_from([0.0, 0.5, 1.0])) for hours in falling]
    price = draw(st.floats(0.1, 3.0))
    stairs = np.concatenate([[0.0], np.cumsum(draw(st.lists(money, min_size=count, max_size=count)))])
    covered = edges[None, 1:] <= edges[:, None]
    cost = MixAmounts(
        base=stairs - covered @ (price * falling[0]),
        machine=draw(money),
        rent_all=float(price * sum(hours.sum() for hours in falling)),
        with_base=price * held[0],
        without_base=price * held[1],
    )
    machine = draw(st.integers(1, 3))
    return MixProgram(
        sizes=edges,
        edges=edges,
        machine=machine,
        most_machines=draw(st.integers(0, 6)),
        cost=cost,
        least_fleet=draw(st.sampled_from([0, 0, 2, 5])),
        hours=(falling[0], falling[1]),
        held_hours=(held[0], held[1]),
    )


@at_most(25)
@given(programmes())
def test_the_programme_finds_what_trying_everything_finds(there: MixProgram) -> None:
    found = best(there)
    every = list(enumerated(there))
    assert isinstance(found, MixSolution)
    least = min(usd for _, _, usd in every)
    assert found.usd == pytest.approx(least, rel=1e-6, abs=2e-4)
    named = next(usd for size, machines, usd in every if (size, machines) == (found.accelerators, found.machines))
    assert named == pytest.approx(least, rel=1e-6, abs=1e-4)


@st.composite
def volumes(draw: st.DrawFn) -> MixProgram:
    """The same with prices for a volume: from more and more machines on, for less and less."""
    there = draw(programmes())
    least = tuple(sorted(draw(st.sets(st.integers(1, 7), min_size=1, max_size=3))))
    shares = sorted(draw(st.lists(st.floats(0.05, 1.0), min_size=len(least), max_size=len(least))), reverse=True)
    usd = np.array(shares) * there.cost.machine
    return replace(there, cost=replace(there.cost, volume=usd), volume_from=least)


@at_most(40)
@given(volumes())
def test_with_prices_for_a_volume_it_finds_what_trying_everything_finds(there: MixProgram) -> None:
    found, plain = best(there), best(replace(there, cost=replace(there.cost, volume=np.zeros(0)), volume_from=()))
    every = list(enumerated(there))
    assert isinstance(found, MixSolution)
    assert isinstance(plain, MixSolution)
    least = min(usd for _, _, usd in every)
    assert found.usd == pytest.approx(least, rel=1e-6, abs=2e-4)
    named = next(usd for size, machines, usd in every if (size, machines) == (found.accelerators, found.machines))
    assert named == pytest.approx(least, rel=1e-6, abs=1e-4)
    assert found.usd <= plain.usd + 1e-4  # one more price can only help


@at_most(12)
@given(programmes(), st.floats(0.0, 500.0), st.floats(0.0, 500.0))
def test_a_wider_budget_never_costs_more(there: MixProgram, one: float, other: float) -> None:
    zero = np.zeros(len(there.edges) - 1)
    spent = MixAmounts(
        base=np.arange(len(there.sizes)) * 60.0, machine=10.0, rent_all=0.0, with_base=zero, without_base=zero
    )
    tight, wide = (best(replace(there, limits=(MixLimit("today", usd, spent),))) for usd in sorted((one, other)))
    assert isinstance(tight, MixSolution)
    assert isinstance(wide, MixSolution)
    assert wide.usd <= tight.usd + 1e-4


@at_most(12)
@given(programmes())
def test_one_more_way_never_costs_more(there: MixProgram) -> None:
    """More machines to reserve, or spot for what is left, can only help."""
    fewer = best(replace(there, most_machines=0))
    found = best(there)
    cheaper = replace(
        there,
        cost=replace(there.cost, spot=(0.05, 0.02)),
        spot_hours=(float(there.hours[0].sum()) / 2, float(there.hours[1].sum())),
    )
    spot = best(cheaper)
    assert isinstance(fewer, MixSolution)
    assert isinstance(found, MixSolution)
    assert isinstance(spot, MixSolution)
    assert found.usd <= fewer.usd + 1e-4
    assert spot.usd <= found.usd + 1e-4
    assert spot.usd == pytest.approx(min(usd for _, _, usd in enumerated(cheaper)), rel=1e-5, abs=1e-2)


def test_a_limit_nobody_can_keep_says_how_much_would_do() -> None:
    there = hourly([3.0, 6.0], [0.5, 0.5], step=3)
    zero = np.zeros(len(there.edges) - 1)
    rent = MixAmounts(base=there.sizes * 2.0, machine=0.0, rent_all=100.0, with_base=zero, without_base=zero)
    easy = MixLimit("on day one", 1_000.0, rent)
    found = best(replace(there, limits=(easy, MixLimit("in year 1", 60.0, rent))))
    assert isinstance(found, Infeasible)
    assert found.limit.name == "in year 1"
    assert found.least_usd == pytest.approx(100.0)
    assert found.reason == ("no mix keeps to 60 USD in year 1: the least that does the work is 100, which is 40 more")
    met = best(replace(there, limits=(easy, MixLimit("in year 1", found.least_usd, rent))))
    assert isinstance(met, MixSolution)


@pytest.mark.parametrize("growth", [3.0, 9.0])
def test_growth_beyond_all_hardware_is_told_and_ends_nothing(growth: float) -> None:
    grown = Scenario(years=10.0, work=(Work(accelerators=1_000, growth_per_year=growth),))
    found = best_mix(planned(load_catalogue(), grown, date(2026, 11, 21)))
    assert isinstance(found, MixUnavailable)
    assert "accelerators at once, more than the 1,000,000 up to which a mix is looked for" in found.reason
