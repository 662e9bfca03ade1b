"""Owning: whole servers, every cost once, nothing before delivery, resale at its age, and every field counts."""

import math
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from planner.money.ledger import CASES
from planner.money.old_figures import doubts
from planner.money.option import OptionLedger
from planner.money.owning import buying, owned, spare_boards
from planner.money.plan import build_context, plan
from planner.money.setting import PlanContext
from planner.money.ways.own import build_fleet_ledger
from planner.scenario.scenario import Scenario
from pricing import Catalogue, load_catalogue
from pricing.figure import FigureValue, Source
from tests.facts import DAY
from tests.money.owning import EIGHTY, NOTHING, flow, lines, scenario, setting
from tests.rows import each_row


def usual(accelerators: int = 8, **own: Any) -> PlanContext:
    """Eight for three years with the catalogue's figures, delivered at once."""
    work = ({"accelerators": accelerators, "busy_share": 0.6},)
    plan = {"work": work, "own": {"lead_time_months": 0.0, **own}}
    return build_context(load_catalogue(), Scenario.model_validate(plan), DAY)


def totals(at: PlanContext) -> dict[str, float]:
    """What each line comes to."""
    return {name: float(line.total_usd) for name, line in lines(at).items()}


# By hand


def test_eight_h100_by_hand() -> None:
    """30,000 x 8 x 1.21 = 290,400; 10.2 kW x 194.95 x 36; (0.6 x 0.76 + 0.4 x 0.25) of 10.2 kW x 1.25 x tariff; ..."""
    usd, hardware = totals(usual()), 30_000 * 8 * 1.21
    assert usd["Servers, with spares"] == pytest.approx(hardware)
    assert usd["Installation"] == pytest.approx(0.03 * hardware)
    assert usd["Network between servers"] == 0
    assert usd["Disks"] == pytest.approx(10 * 365)
    assert usd["Space, by contracted power"] == pytest.approx(10.2 * 194.95 * 36)
    kwh = load_catalogue().sites["US"].usd_per_kwh
    tariff = sum(1.035 ** (month / 12) for month in range(36)) * kwh.newest.typical * 730 * 1.25
    assert usd["Electricity while working"] == pytest.approx(10.2 * 0.6 * 0.76 * tariff, rel=1e-6)
    assert usd["Electricity while idle"] == pytest.approx(10.2 * 0.4 * 0.25 * tariff, rel=1e-6)
    assert usd["People"] == pytest.approx(0.1 * 200_000 * 3)  # more than 8 / 256
    assert usd["Maintenance and insurance"] == pytest.approx(hardware * 0.045 * 3)
    assert usd["Software"] == 0
    assert usd["Repairs beyond what support covers"] == 0  # the warranty is three years
    assert usd["Taking it down"] == pytest.approx(0.01 * hardware)
    # New ones fall by 15 % a year, by 15 % more from the fifth year after September 2022 on.
    new = math.exp(-0.15 * 3 - 0.15 * (2026 + 324 / 365.25 + 3 - (2022 + 8.5 / 12) - 5))
    assert usd["Resale"] == pytest.approx(-new * kept(3.0) * 0.9 * hardware)


def test_a_deposit_goes_out_today_and_the_rest_on_delivery() -> None:
    """800,000 and a tenth for being served sooner: 30 % of 880,000 today, the rest in month 7."""
    own = {**EIGHTY, "lead_time_months": 7.0, "deposit_share": 0.3, "scarcity_premium_share": 0.1}
    assert flow(own, "Servers, with spares") == pytest.approx({0: 264_000, 7: 616_000})
    assert flow({**own, "install_share": 0.05}, "Installation") == pytest.approx({7: 40_000})
    staffed = flow({**own, "fte_per_accelerator": 0.01, "usd_per_fte_year": 150_000.0}, "People")
    assert staffed == pytest.approx(dict.fromkeys(range(8, 49), 10_000))


def test_half_a_month_of_waiting_leaves_half_a_month_to_run() -> None:
    own = {**EIGHTY, "lead_time_months": 1.5, "running_usd_per_month": 1_000.0}
    assert flow(own, "Running it, all in", years=0.25) == pytest.approx({2: 500, 3: 1_000})


def test_what_never_comes_costs_its_deposit() -> None:
    own = {**EIGHTY, "lead_time_months": 48.0, "deposit_share": 0.3, "running_usd_per_month": 5_000.0}
    usd = totals(setting(scenario(own)))
    assert usd.pop("Servers, with spares") == pytest.approx(240_000)
    assert set(usd.values()) == {0.0}


def kept(years: float) -> float:
    """What a used board brings of a new one of the same day, by hand."""
    return math.exp(-0.12 * (1 - math.exp(-years / 0.25)) - 0.07 * years)


@pytest.mark.parametrize(
    ("own", "age", "month"), [({}, 48, 48), ({"resale_month": 24}, 24, 24), ({"lead_time_months": 12.0}, 36, 48)]
)
def test_resale_follows_the_age_since_delivery(own: Any, age: int, month: int) -> None:
    curve = {**EIGHTY, **own, "residual_share": None, "selling_cost_share": 0.1}
    assert flow(curve, "Resale") == pytest.approx({month: -800_000 * kept(age / 12) * 0.9}), age


@pytest.mark.parametrize("years", [0.5, 1.0, 2.5, 5.0, 6.0])
def test_resale_follows_the_price_of_new_ones(years: float) -> None:
    at = {**EIGHTY, "residual_share": None, "hardware_price_change_per_year": -0.2}
    assert sum(flow(at, "Resale", years=years).values()) == pytest.approx(-800_000 * 0.8**years * kept(years))


def test_your_residual_share_wins() -> None:
    assert flow({**EIGHTY, "residual_share": 0.2}, "Resale") == pytest.approx({48: -160_000})


def test_servers_are_replaced_at_the_price_of_their_day() -> None:
    """Every 18 months, hardware a fifth cheaper a year; what goes is a used one of the price of new ones that day."""
    own = {
        **EIGHTY, "residual_share": None, "refresh_years": 1.5, "hardware_price_change_per_year": -0.2,
        "install_share": 0.1,
    }  # fmt: skip
    first, second, last = (800_000 * 0.8**years for years in (1.5, 3.0, 4.0))
    assert flow(own, "New servers at a refresh") == pytest.approx({18: first, 36: second})
    assert flow(own, "Installing them") == pytest.approx({18: first / 10, 36: second / 10})
    assert flow(own, "Resale of what is replaced") == pytest.approx({18: -kept(1.5) * first, 36: -kept(1.5) * second})
    assert flow(own, "Resale") == pytest.approx({48: -kept(1.0) * last})


def test_at_the_end_they_are_sold_and_not_replaced() -> None:
    assert flow({**EIGHTY, "refresh_years": 2.0}, "New servers at a refresh") == pytest.approx({24: 800_000})
    assert flow({**EIGHTY, "refresh_years": 4.0}, "New servers at a refresh") == {}


def test_a_room_is_built_kept_up_and_worth_something_at_the_end() -> None:
    """Ten servers of 10 kW at 12,000 a kW: 1.2 million, 3 % a year, four of twenty years gone at the end."""
    own = {
        **EIGHTY, "place": "own_room", "usd_per_kw_of_room": 12_000.0, "room_life_years": 20.0,
        "room_upkeep_share_per_year": 0.03, "usd_per_kw_month": 500.0,
    }  # fmt: skip
    assert flow(own, "Building a room") == pytest.approx({0: 1_200_000})
    assert flow(own, "Upkeep of the room") == pytest.approx(dict.fromkeys(range(1, 49), 3_000))
    assert flow(own, "What the room is still worth") == pytest.approx({48: -960_000})
    assert flow({**own, "room_life_years": 3.0}, "What the room is still worth") == {}
    assert "Space, by contracted power" not in lines(setting(scenario(own)))


def test_repairs_begin_after_the_warranty_and_are_not_paid_twice() -> None:
    """80 x 5 % x 30 % of 10,000 = 12,000 a year, of which a support contract of 1 % of 800,000 covers 8,000."""
    own = {**EIGHTY, "failures_per_accelerator_year": 0.05, "repair_share": 0.3, "warranty_years": 3.0}
    name = "Repairs beyond what support covers"
    assert flow(own, name) == pytest.approx(dict.fromkeys(range(37, 49), 1_000))
    assert flow({**own, "maintenance_share_per_year": 0.01}, name)[48] == pytest.approx(4_000 / 12)
    assert flow({**own, "maintenance_share_per_year": 0.04}, name) == {}
    assert flow({**own, "refresh_years": 2.0}, name) == {}
    by_server = {key: value for key, value in own.items() if key != "usd_per_accelerator"}
    priced = {**by_server, "usd_per_server": 80_000.0}
    assert flow(priced, name, accelerator="TPU-v5p")[48] == pytest.approx(1_000)
    assert flow({**by_server, "capex_usd": 800_000.0}, name, accelerator="TPU-v5p")[48] == pytest.approx(1_000)


def test_one_sum_replaces_all_of_day_one_and_one_all_that_runs() -> None:
    own = {"capex_usd": 1e6, "running_usd_per_month": 5e3, "lead_time_months": 2.0, "deposit_share": 0.5}
    usd = {name: line.usd for name, line in lines(setting(scenario({**own, "residual_share": 0.0}))).items()}
    assert set(usd) == {"All of day one", "Running it, all in", "Taking it down", "Resale"}
    assert usd["All of day one"][:4].tolist() == [500_000, 0, 500_000, 0]
    assert usd["Running it, all in"][:4].tolist() == [0, 0, 0, 5_000]


@pytest.mark.parametrize(("asked", "usd"), [(None, 100_000.0), (8, 80_000.0), (1, 10_000.0)])
def test_a_sum_for_day_one_is_for_the_fleet_that_was_asked_for(asked: int | None, usd: float) -> None:
    """Eighty are wanted at once; who says how many to buy says for how many the sum is."""
    own: dict[str, Any] = {"capex_usd": usd, "lead_time_months": 0.0} | (
        {} if asked is None else {"accelerators": asked}
    )
    there = setting(scenario(own))
    for accelerators in (asked or 80, 40):
        built = build_fleet_ledger(there, accelerators)
        assert isinstance(built, OptionLedger)
        total = next(line for line in built.lines if line.name == "All of day one").total_usd
        assert total == pytest.approx(usd * accelerators / (asked or 80))
        said = [warning for warning in built.warnings if "in proportion" in warning]
        assert len(said) == (accelerators != (asked or 80))


def test_the_price_of_one_typed_for_all_is_asked_about() -> None:
    made = plan(load_catalogue(), scenario({"capex_usd": 36_000.0}), DAY)
    job = next(doubt for doubt in doubts(made) if doubt.name == "capex_usd")
    assert (job.mistake, job.intended) == ("the price of one typed for all 80", 80 * 36_000.0)
    assert not any(one.name == "capex_usd" for one in doubts(plan(load_catalogue(), scenario({"capex_usd": 3e6}), DAY)))


@each_row(
    ("needed", "servers", "boards"),
    [(1, 1, 0), (8, 1, 0), (9, 2, 0), (16, 2, 1), (24, 3, 1), (40, 5, 2), (160, 20, 8), (1_024, 128, 51)],
)
def test_servers_are_whole_and_clusters_keep_boards_on_the_shelf(needed: int, servers: int, boards: int) -> None:
    """160 stand in 20 servers, and 5 % of them lie on the shelf: 8 boards, each an eighth of a server's price."""
    usd = totals(usual(needed))["Servers, with spares"]
    assert usd == pytest.approx((servers + boards / 8) * 290_400)
    assert spare_boards(needed, 0.05) == boards


def test_spares_cost_no_more_than_a_twelfth_at_any_size() -> None:
    assert all(spare_boards(accelerators, 0.05) <= 0.08 * accelerators for accelerators in range(8, 2_049))


@each_row(("needed", "usd_each"), [
    (8, 0.0), (16, 36_000 / 16 + 1_320), (17, 36_000 / 32 + 1_320), (32, 2_445.0), (33, 1_882.5), (64, 1_882.5),
    (512, 1_882.5), (513, 4_247.5), (16_384, 4_247.5), (16_385, 6_612.5), (1_000_000, 6_612.5),
])  # fmt: skip
def test_the_network_grows_with_the_cluster(needed: int, usd_each: float) -> None:
    """One switch of 36,000 for up to 64, and 1,320 of optics each; one machine needs none."""
    assert totals(usual(needed))["Network between servers"] == pytest.approx(needed * usd_each)


def test_a_few_small_machines_pay_an_ordinary_switch() -> None:
    """Sixteen cards in four workstations: 50 each. A switch of InfiniBand is for machines of eight."""
    work = ({"accelerators": 16, "busy_share": 0.6},)
    cards = Scenario.model_validate({"accelerator": "RTX-3090-24GB", "work": work})
    assert totals(build_context(load_catalogue(), cards, DAY))["Network between servers"] == pytest.approx(16 * 50)


def test_capex_is_counted_once() -> None:
    """A published error: price *and* depreciation in one total. The price goes out once, resale comes back once."""
    found = lines(usual()).values()
    assert [line.name for line in found if line.treatment == "capital"] == [
        "Servers, with spares", "Installation", "Network between servers", "Disks"
    ]  # fmt: skip
    assert [line.name for line in found if line.treatment == "sale"] == ["Resale"]


# Prices


def test_what_cannot_be_bought_has_a_price_when_you_have_one() -> None:
    assert buying(setting(scenario(NOTHING, accelerator="TPU-v5p"))) is None
    assert owned(setting(scenario(NOTHING, accelerator="TPU-v5p")), setting(scenario({})).demand.all) is None
    for price in ({"usd_per_accelerator": 10_000.0}, {"usd_per_server": 10_000.0}, {"capex_usd": 8e5}):
        usd = totals(setting(scenario({**NOTHING, **price}, accelerator="TPU-v5p")))
        assert usd["All of day one" if "capex_usd" in price else "Servers, with spares"] == pytest.approx(800_000)


@pytest.mark.parametrize(("own", "usd"), [
    ({"usd_per_server": 250_000.0}, 250_000),
    ({"usd_per_accelerator": 20_000.0}, 20_000 * 8 * 1.21),
    ({"usd_per_accelerator": 20_000.0, "host_share": 0.5}, 240_000),
    ({"usd_per_server": 100_000.0, "accelerators_per_server": 4}, 200_000),
    ({"accelerators_per_server": 4}, 290_400),  # nobody sells that server, so it is built around its accelerators
])  # fmt: skip
def test_your_price_wins(own: dict[str, Any], usd: float) -> None:
    assert totals(usual(spare_share=0.0, **own))["Servers, with spares"] == pytest.approx(usd)


def test_a_server_of_another_size_draws_its_own_power() -> None:
    """Without a data sheet for four: 4 x 700 W, times what the whole of a server is over its accelerators."""
    over = load_catalogue().facts["server-power-over-tdp"].figure.newest.typical
    four = usual(4, accelerators_per_server=4)
    assert totals(four)["Space, by contracted power"] == pytest.approx(4 * 0.7 * over * 194.95 * 36)


def test_your_quote_wins_over_newer_prices() -> None:
    catalogue = load_catalogue()
    server = catalogue.servers["HGX-H100-8"]
    day = server.price_usd.checked + timedelta(days=1)
    value = FigureValue(typical=250_000, kind="quote", source="yours")
    figure = server.price_usd.model_copy(update={"values": {**server.price_usd.values, day: value}, "checked": day})
    fresh = type(figure).model_validate(figure.model_dump())
    yours = Source(title="Yours", url="docs/glossary.md", retrieved=date(2026, 1, 1), via="yours", licence="yours")
    quoted = catalogue.model_copy(
        update={
            "servers": {**catalogue.servers, "HGX-H100-8": server.model_copy(update={"price_usd": fresh})},
            "sources": {**catalogue.sources, "yours": yours},
        }
    )
    at = build_context(quoted, Scenario(), DAY)
    found = buying(at)
    assert found.trust == "yours"
    assert totals(at)["Servers, with spares"] == pytest.approx(250_000)


@pytest.mark.slow
def test_every_accelerator_that_can_be_bought_has_a_range_around_its_total() -> None:
    catalogue: Catalogue = load_catalogue()
    plans = [build_context(catalogue, Scenario(accelerator=key), DAY) for key in catalogue.accelerators]
    priced = [at for at in plans if buying(at) is not None]
    assert len(priced) >= 30
    for at in priced:
        low, middle, high = (
            sum(float(np.nan_to_num(line.at_end(case).total_usd)) for line in lines(at).values()) for case in CASES
        )
        assert 0 < low <= middle <= high


def test_a_name_that_may_mean_several_needs_your_price() -> None:
    assert buying(setting(scenario(NOTHING, accelerator="H100"))) is None
    assert totals(setting(scenario(EIGHTY, accelerator="H100")))["Servers, with spares"] == pytest.approx(800_000)
