"""Spot: cheaper by the hour and longer by the work that is lost, for work that may stop."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.demand.queueing import best_checkpoint_interval_hours, preemption_stretch
from planner.money.measures import present_usd
from planner.money.option import OptionLedger
from planner.money.ways import mix, on_demand, spot
from planner.scenario.rent import MixInputs
from planner.scenario.scenario import Scenario
from tests.examples import at_most
from tests.facts import CATALOGUE
from tests.money.anyplan import of, plans, small
from tests.money.renting import MARKET, amounts, built, offer, plan, recomputes, setting, total, work
from tests.money.renting import why as reason

USEFUL = 8 * 0.5 * 8_760 * 0.8  # half of a year on eight at 0.8


def rented(*works: dict[str, Any], **changes: Any) -> OptionLedger:
    """Spot machines."""
    return built(setting(plan(*(works or (work(may_stop=True),)), spot=changes)), spot.build)


@pytest.mark.parametrize(
    ("cost", "rate", "best", "stretch"),
    [(1 / 60, 0.05, 0.80, 1.055), (5 / 60, 0.05, 1.73, 1.110), (1 / 60, 0.2, 0.38, 1.145), (5 / 60, 0.2, 0.81, 1.269)],
)
def test_the_table_of_stretches(cost: float, rate: float, best: float, stretch: float) -> None:
    """Restart of a quarter of an hour; the best interval and what it costs, as computed in the sources."""
    ledger = rented(checkpoint_hours=cost, interruptions_per_hour=rate, restart_hours=0.25)
    parts = amounts(ledger)
    assert parts["Useful hours"] == pytest.approx(USEFUL)
    lost = parts["Writing checkpoints"] + parts["Work done again after interruptions"]
    assert lost / USEFUL + 1 == pytest.approx(stretch, abs=0.0006)
    used = {one.name: one.value for line in ledger.lines for one in line.used}
    assert used["checkpoint_every_hours"] == pytest.approx(best, abs=0.006)
    assert recomputes(ledger.lines)


def test_your_interval_wins_over_the_best() -> None:
    """(1 + 0.1 / 2) / (1 - 0.05 x (1 + 0.5)) = 1.1351"""
    ledger = rented(checkpoint_hours=0.1, interruptions_per_hour=0.05, restart_hours=0.5, checkpoint_every_hours=2.0)
    assert total(ledger) == pytest.approx(USEFUL * 1.05 / 0.925)
    assert amounts(ledger)["Writing checkpoints"] == pytest.approx(USEFUL * 0.05)


def test_a_job_on_several_machines_is_stopped_by_any_of_them() -> None:
    """The catalogue's rate is one machine's: a job of 64 on eight of them is stopped eight times as often."""
    ledger = rented(work(accelerators=64, may_stop=True))
    used = {
        one.name: float(np.asarray(one.value)) for line in ledger.lines for one in line.used if np.ndim(one.value) == 0
    }
    rate = used["interruptions_per_machine_hour"] * 8
    best = best_checkpoint_interval_hours(
        checkpoint_cost_hours=used["checkpoint_hours"], restart_hours=used["restart_hours"], interruptions_per_hour=rate
    )
    stretch = preemption_stretch(
        checkpoint_interval_hours=best.value,
        checkpoint_cost_hours=used["checkpoint_hours"],
        restart_hours=used["restart_hours"],
        interruptions_per_hour=rate,
    )
    assert total(ledger) == pytest.approx(8 * USEFUL * float(stretch.value))
    assert total(rented(work(accelerators=64, accelerators_per_job=8, may_stop=True))) < total(ledger)


def test_nothing_interrupts_and_nothing_is_lost() -> None:
    assert total(rented(interruptions_per_hour=0.0)) == pytest.approx(USEFUL, rel=1e-4)


def test_a_part_is_done_on_demand_near_a_deadline() -> None:
    parts = amounts(rented(interruptions_per_hour=0.0, on_demand_share=0.25))
    assert parts["Useful hours"] == pytest.approx(0.75 * USEFUL)
    assert parts["Near a deadline: useful hours"] == pytest.approx(0.25 * 8 * 4_380 * 2.0)


def test_what_may_not_stop_is_rented_on_demand() -> None:
    ledger = rented(work(may_stop=True), work(accelerators=4), interruptions_per_hour=0.0)
    assert amounts(ledger)["Useful hours"] == pytest.approx(USEFUL)
    parts = amounts(ledger)
    assert parts["May not stop: useful hours"] == pytest.approx(4 * 4_380 * 2.0)
    assert parts["May not stop: whole machines and minimums"] == pytest.approx(4 * 4_380 * 2.0)
    assert float(ledger.useful_hours.sum()) == pytest.approx(12 * 4_380)


def test_work_that_no_longer_fits_into_its_hours_is_told() -> None:
    ledger = rented(work(busy_share=1.0, may_stop=True), interruptions_per_hour=0.2)
    assert "times as many machines at once" in ledger.warnings[0]
    assert rented(interruptions_per_hour=0.2).warnings == ()


def test_your_own_price() -> None:
    assert total(rented(usd_per_accelerator_hour=0.4, interruptions_per_hour=0.0)) == pytest.approx(
        USEFUL / 2, rel=1e-4
    )


@pytest.mark.parametrize(("may_stop", "changes", "offers", "said"), [
    (False, {}, MARKET, "none of the work may stop"),
    (True, {}, {"now": offer()}, "no published spot price"),
    (True, {"offer": "gone"}, MARKET, "there is no offer 'gone'"),
    (True, {"interruptions_per_hour": 4.0, "restart_hours": 0.5}, MARKET, "it would never end on spot machines"),
])  # fmt: skip
def test_reasons(may_stop: bool, changes: dict[str, Any], offers: dict[str, Any], said: str) -> None:
    there = setting(plan(work(may_stop=may_stop), spot=changes), offers)
    assert said in reason(there, spot.build)


@pytest.mark.parametrize("years", [1.0, 2.5])
def test_who_finds_spot_dearer_rents_on_demand(years: float) -> None:
    """Yours on demand is 0.70, spot 0.80: it is rented at 0.70, and each line says why and who says the prices."""
    asked = plan(work(may_stop=True), years=years, rent={"usd_per_accelerator_hour": 0.7})
    found = built(setting(asked), spot.build)
    assert amounts(found) == pytest.approx(
        {f"On demand, as spot costs more: {name[0].lower()}{name[1:]}": usd
         for name, usd in amounts(built(setting(asked), on_demand.build)).items() if usd}
    )  # fmt: skip
    why = "rented on demand at 0.7 USD an hour (the plan): spot machines at 0.8 USD an hour (The page) cost more"
    assert all((line.note or "").startswith(why) for line in found.lines)
    assert found.warnings[0].startswith(why)
    assert found.what == "your price"
    peaks = plan(work(accelerators=16, may_stop=True), mix={"own_accelerators": 8, "peaks": "spot"}, years=years,
                 rent={"usd_per_accelerator_hour": 0.7})  # fmt: skip
    above = [
        line
        for line in built(setting(peaks), mix.build).lines
        if line.name.startswith("Peaks on demand, as spot costs more: ")
    ]
    assert above
    assert all((line.note or "").startswith(why) for line in above)


@pytest.mark.slow
@at_most(25)
@given(plans(), st.floats(0.05, 8.0), st.one_of(st.none(), st.floats(0.0, 2.0)))
def test_spot_never_costs_more_than_on_demand(said: Scenario, usd: float, rate: float | None) -> None:
    """At typical figures, and with spot for the peaks of a mix; of futures each takes its own."""
    works = tuple(one.model_copy(update={"may_stop": True}) for one in said.work)
    asked = said.spot.model_copy(update={"usd_per_accelerator_hour": usd, "interruptions_per_hour": rate})
    ways = ("on_demand", "spot", "mix")
    here = said.model_copy(update={"work": works, "spot": asked, "ways": ways, "tax": None})
    spot_peaks, usual = (
        of(
            here.model_copy(update={"mix": MixInputs(own_accelerators=4, peaks=peaks)}),
            small(CATALOGUE, here.accelerator),
        )
        for peaks in ("spot", "on_demand")
    )
    for key, other in (("spot", "on_demand"), ("mix", "mix")):
        mine, rest = spot_peaks.option(key), usual.option(other)
        if mine is None or rest is None or rest.ledger.unpriced or rest.work_share < mine.work_share:
            continue
        most = float(present_usd(usual.setting, rest.ledger))
        assert float(present_usd(usual.setting, mine.ledger)) <= most + 1e-9 * abs(most), key


@at_most(30)
@given(st.lists(st.tuples(st.floats(0.0, 2.0), st.floats(0.1, 3.0)), min_size=2, max_size=4))
def test_draws_give_what_numbers_give_and_more_interruptions_never_cost_less(draws: list[tuple[float, float]]) -> None:
    there = setting(plan(work(may_stop=True)))
    names = ("interruptions_per_hour", "usd_per_accelerator_hour")
    columns = {name: np.array(values)[:, None] for name, values in zip(names, zip(*draws, strict=True), strict=True)}
    together = sum(line.usd for line in built(there.with_tried(columns), spot.build).lines)
    for index, draw in enumerate(draws):
        alone = sum(line.usd for line in built(there.with_tried(dict(zip(names, draw, strict=True))), spot.build).lines)
        assert np.allclose(np.asarray(together)[index], alone)
    usd = [total(built(there.with_tried({names[0]: rate}), spot.build)) for rate in sorted(rate for rate, _ in draws)]
    assert all(first <= second + 1 for first, second in pairwise(usd))
