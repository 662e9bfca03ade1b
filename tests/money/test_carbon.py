"""What ways emit, by hand: kilowatt-hours times the grid's grams, and the making of what is bought or rented."""

from datetime import date
from typing import Any

import pytest

from planner.money.carbon import OptionEmissions, ledger_emissions, option_emissions
from planner.money.plan import Plan, plan
from planner.money.verdict.answer import build_answer
from planner.scenario.jobs import Failures
from planner.scenario.own import ExistingHardware, OwnInputs
from planner.scenario.rent import HostedModelInputs, RentalInputs, ReservationInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from planner.scenario.work import Work
from pricing import Catalogue, Figure, load_catalogue
from pricing.electricity import grid_intensity_at, mean_grid_intensity
from pricing.figure import FigureValue, Unit
from tests.facts import DAY

H100 = "H100-SXM5-80GB"
EMBODIED_KG, SERVER_KG = 575.0, 5_700.0
LOW_KG, HIGH_KG = 460.0, 860.0


def figure(unit: Unit, typical: float, low: float | None = None, high: float | None = None) -> Figure:
    value = FigureValue(low=low, typical=typical, high=high, kind="measured", source="site_ember_co2js")
    return Figure(unit=unit, checked=DAY, values={date(2024, 1, 1): value})


def catalogue() -> Catalogue:
    """The frozen one, with an H100 that somebody has calculated, water in Norway and a grid of the world."""
    plain = load_catalogue()
    chip = plain.accelerators[H100].model_copy(update={"embodied_kg": figure("kg", EMBODIED_KG, LOW_KG, HIGH_KG)})
    world = plain.sites["WORLD"].model_copy(update={"carbon_g_per_kwh": figure("g/kWh", 472.94)})
    norway = plain.sites["NO"].model_copy(update={"water_l_per_kwh": figure("L/kWh", 6.5)})
    return plain.model_copy(
        update={
            "accelerators": {**plain.accelerators, H100: chip},
            "sites": {**plain.sites, "NO": norway, "WORLD": world},
        }
    )


CATALOGUE = catalogue()
OWN: dict[str, Any] = {
    "accelerators": 8, "lead_time_months": 0.0, "spare_share": 0.0, "rated_w_per_server": 10_000.0,
    "busy_power_share": 0.8, "idle_power_share": 0.3, "pue": 1.25,
}  # fmt: skip


def planned(busy: float = 0.5, years: int = 1, **said: Any) -> Plan:
    work = (Work(accelerators=8, busy_share=busy),)
    scenario: dict[str, Any] = {"accelerator": H100, "site": "US-TX", "years": years, "work": work,
                                "own": OwnInputs(**OWN),
                                "failures": Failures(repair_hours=0.0)}  # fmt: skip
    return plan(CATALOGUE, Scenario(**{**scenario, **said}), DAY)


def of(made: Plan, key: str) -> OptionEmissions:
    option = made.option(key)
    assert option is not None
    return option_emissions(made.setting, option)


def test_eight_h100_for_a_year_in_texas_by_hand() -> None:
    # 8,760 h x (0.5 x 8 kW + 0.5 x 3 kW) x 1.25 = 60,225 kWh; Texas has no figure, the country's 383.55 g stand in
    emissions = of(planned(), "own")
    assert emissions.kwh == pytest.approx(60_225)
    assert emissions.operation_kg.typical == pytest.approx(60_225 * 0.38355)
    assert emissions.operation_kg.low == pytest.approx(60_225 * 0.38355 * 0.41)
    assert emissions.operation_kg.high == pytest.approx(60_225 * 0.38355 * 2.07)
    # bought for the plan: whole; at the low end a seventh of its life
    low, typical, high = (8 * kg + SERVER_KG for kg in (LOW_KG, EMBODIED_KG, HIGH_KG))
    assert emissions.making_kg == pytest.approx((low / 7, typical, high))
    assert "that of United States stands in" in emissions.notes[0]
    assert emissions.water_l is None


def test_a_place_with_a_figure_of_its_own_has_no_stand_in_and_its_water_is_counted() -> None:
    emissions = of(planned(site="NO"), "own")
    assert emissions.notes == ()
    assert emissions.where == "Norway"
    assert emissions.operation_kg.low == emissions.operation_kg.typical == pytest.approx(60_225 * 0.03075)
    assert emissions.water_l == pytest.approx(60_225 * 6.5)


def test_rented_by_hand_counts_the_billed_hours_and_their_share_of_a_life() -> None:
    made = planned(ways=("on_demand",))
    option = made.option("on_demand")
    emissions = ledger_emissions(made.setting, "on_demand", option.ledger)
    hours = 8 * 0.5 * 8_760
    # the frozen server: 10,200 W for 8, of which 0.76 are drawn; an hour takes its share of five years
    assert emissions.kwh == pytest.approx(hours * 10.2 / 8 * 0.76 * 1.25)
    # of a machine that lives seven years, five or four
    ends = ((LOW_KG, 7), (EMBODIED_KG, 5), (HIGH_KG, 4))
    making = [hours * (kg + SERVER_KG / 8) / (life * 8_760) for kg, life in ends]
    assert emissions.making_kg == pytest.approx(making[1])
    assert of(made, "on_demand").making_kg == pytest.approx(making)


def test_reserved_hours_without_work_draw_what_idle_machines_do() -> None:
    said: dict[str, Any] = {"ways": ("reserved",), "reserve": ReservationInputs(term="reserved_1y")}
    all_busy, half = (of(planned(busy, **said), "reserved") for busy in (1.0, 0.5))
    # of its 10,200 W the frozen server draws 0.76 busy and a quarter idle
    assert half.kwh / all_busy.kwh == pytest.approx((0.76 + 0.25) / 2 / 0.76)
    assert half.making_kg == pytest.approx(all_busy.making_kg)  # they are somebody's all the time


@pytest.mark.parametrize("key", ["own", "on_demand"])
def test_each_end_of_the_range_is_that_of_the_ledger_at_that_end(key: str) -> None:
    made = planned(own=OwnInputs(accelerators=8))
    option = made.option(key)
    ends = zip(("low", "typical", "high"), (option.low, option.ledger, option.high), strict=True)
    low, typical, high = (ledger_emissions(made.setting, key, ledger, case) for case, ledger in ends)
    assert low.kwh < typical.kwh < high.kwh
    emissions = option_emissions(made.setting, option)
    assert emissions.operation_kg == pytest.approx((low.operation_kg, typical.operation_kg, high.operation_kg))
    assert emissions.making_kg == pytest.approx((low.making_kg, typical.making_kg, high.making_kg))


@pytest.mark.parametrize("key", ["own", "on_demand"])
def test_twice_the_months_emit_twice_as_much_in_operation(key: str) -> None:
    one, two = (of(planned(years=years), key).operation_kg for years in (1, 2))
    assert one is not None
    assert two is not None
    assert [end / other for end, other in zip(two, one, strict=True)] == pytest.approx([2.0, 2.0, 2.0])


def test_twice_the_hours_are_twice_the_rented_operation_and_making() -> None:
    one, two = (of(planned(busy), "on_demand") for busy in (0.3, 0.6))
    for less, more in ((one.operation_kg, two.operation_kg), (one.making_kg, two.making_kg)):
        assert more.typical == pytest.approx(2 * less.typical)


def test_your_own_sum_for_running_hides_no_electricity() -> None:
    own = OwnInputs(**OWN, running_usd_per_month=5_000.0)
    assert of(planned(own=own), "own").operation_kg == pytest.approx(of(planned(), "own").operation_kg)


def test_a_dearer_kilowatt_hour_or_hour_emits_the_same() -> None:
    dear = planned(
        own=OwnInputs(**OWN, usd_per_kwh=0.9, power_price_change_per_year=0.1),
        terms=FinancialTerms(inflation_per_year=0.1, money="real"),
    )
    assert of(dear, "own").operation_kg == pytest.approx(of(planned(), "own").operation_kg)
    assert of(dear, "on_demand").operation_kg == pytest.approx(of(planned(), "on_demand").operation_kg)


def test_what_is_there_was_made_before_and_tokens_are_not_known() -> None:
    kept = ExistingHardware(accelerators=8, power_w_each=1_000.0, idle_power_w_each=300.0)
    hosted = HostedModelInputs(
        million_input_tokens_per_month=1.0, million_output_tokens_per_month=0.0, usd_per_million_input_tokens=1.0
    )
    made = planned(kept=kept, hosted=hosted, ways=("keep", "hosted"))
    keeping, tokens = of(made, "keep"), of(made, "hosted")
    assert keeping.making_kg == (0.0, 0.0, 0.0)
    assert keeping.kwh == pytest.approx(8_760 * 8 * (0.5 * 1.0 + 0.5 * 0.3) * 1.25)
    assert tokens.operation_kg is None
    assert tokens.making_kg is None
    assert tokens.notes == ("no published figure for the energy of a hosted model",)


def test_a_chip_that_nobody_reckoned_is_taken_by_its_memory_and_says_so() -> None:
    emissions = of(planned(accelerator="A100-SXM4-80GB"), "own")
    assert emissions.making_kg.typical == pytest.approx(8 * 7.7 * 80 + SERVER_KG)
    assert any("estimated from its memory" in note for note in emissions.notes)


def test_cards_are_made_with_their_workstations() -> None:
    own = OwnInputs(accelerators=8, lead_time_months=0.0, spare_share=0.0)
    made = planned(accelerator="RTX-3090-24GB", own=own)
    assert made.option("own").what == "2 workstations with 4 x RTX 3090 24 GB each"
    workstation = made.setting.catalogue.facts["embodied-workstation"].figure.newest.typical
    assert of(made, "own").making_kg.typical == pytest.approx(8 * 24 * 7.7 + 2 * workstation)


def test_of_several_countries_it_is_their_mean() -> None:
    two = mean_grid_intensity(CATALOGUE, frozenset({"NO", "DE"}), "europe")
    norway, germany = (grid_intensity_at(CATALOGUE, site) for site in ("NO", "DE"))
    assert two.typical == pytest.approx((norway.typical + germany.typical) / 2)
    assert norway.typical < two.low < two.typical < two.high < germany.typical


def limited(most_t: float, **said: Any) -> Any:
    return build_answer(planned(terms=FinancialTerms(most_t_co2e=most_t), ways=("own",), **said))


def test_a_limit_that_no_way_keeps_to_says_the_least_and_what_would_do() -> None:
    # 23.1 t of operation and 10.3 t of making
    found = limited(20.0)
    assert found.limit.is_unavoidable
    assert found.limit.message == (
        "the least that any way emits (buying) is about 33 t CO2e over the plan and your limit is 20 t CO2e"
    )
    clean = (20_000 - (8 * EMBODIED_KG + SERVER_KG)) / 60_225 * 1_000
    assert found.limit.remedy == f"a limit of 34 t CO2e, or electricity of at most {int(clean)} g/kWh"
    assert limited(34.0).limit is None


def test_a_limit_leaves_the_cheaper_way_out() -> None:
    made = planned(site="PL", busy=0.95, years=3)
    free = build_answer(made)
    kg = {way.option.key: way.emissions.total_kg for way in free.ranked}
    over = kg[free.best.option.key]
    least = min(one.typical for one in kg.values() if one is not None)
    assert least < over.typical
    bound = build_answer(planned(site="PL", busy=0.95, years=3, terms=FinancialTerms(most_t_co2e=(least + 1) / 1_000)))
    assert bound.best.option.key != free.best.option.key
    assert bound.limit.unit == "t CO2e"


@pytest.mark.parametrize("most", [0.0, -1.0])
def test_a_limit_of_nothing_or_less_is_refused(most: float) -> None:
    with pytest.raises(ValueError, match="greater than 0"):
        FinancialTerms(most_t_co2e=most)


def test_without_a_limit_nothing_is_calculated_until_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def called(*_: Any) -> None:
        raise AssertionError("nobody asked for it")

    monkeypatch.setattr("planner.money.carbon.ledger_emissions", called)
    emissions = build_answer(planned()).ranked[0].emissions
    with pytest.raises(AssertionError, match="nobody asked"):
        _ = emissions.typical


def test_rented_hours_are_drawn_where_the_seller_says_it_stands() -> None:
    made = planned(ways=("on_demand",))
    key = made.setting.offers.on_demand
    assert key is not None
    there = made.setting.catalogue.offers[key].model_copy(update={"countries": ("NO",)})
    offers = {**CATALOGUE.offers, key: there}
    emissions = emitted_from(CATALOGUE.model_copy(update={"offers": offers}), key)
    assert emissions.where == "Norway"
    assert emissions.kwh is not None
    assert emissions.operation_kg.typical == pytest.approx(emissions.kwh * 0.03075)


def emitted_from(facts: Catalogue, offer: str) -> OptionEmissions:
    """Eight H100 for a year, rented from one offer."""
    work = (Work(accelerators=8, busy_share=0.5),)
    rent = RentalInputs(offer=offer)
    made = plan(
        facts, Scenario(accelerator=H100, site="US-TX", years=1, work=work, rent=rent, ways=("on_demand",)), DAY
    )
    return of(made, "on_demand")
