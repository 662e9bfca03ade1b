"""Places and machines: a home, an office, a campus and a data centre, each calculated by hand."""

from typing import Any

import numpy as np
import pytest

from planner.money.old_figures import doubts
from planner.money.owning import owned
from planner.money.owning.machine import machine, usual_place
from planner.money.owning.place import customer
from planner.money.plan import Plan, plan
from planner.money.verdict.answer import build_answer
from planner.scenario.file import read_scenario
from planner.scenario.known_names import ScenarioError, resolve_names
from planner.scenario.own import OwnInputs
from planner.scenario.scenario import Scenario
from planner.study.mix import mix_rates as rates
from tests.facts import CATALOGUE, DAY
from tests.frozen import live_catalogue
from tests.rows import each_row

NO_CHANGE = {"power_price_change_per_year": 0.0}


def asked(
    accelerator: str, count: int, busy_share: float, rent: float | None = None, years: float = 3.0, **said: Any
) -> Plan:
    work = {"accelerators": count, "busy_share": busy_share, "storage_tb": 0.0, "egress_tb_per_month": 0.0}
    plain = {"accelerator": accelerator, "years": years, "work": (work,), "rent": {"usd_per_accelerator_hour": rent}}
    return plan(CATALOGUE, Scenario.model_validate({**plain, **said}), DAY)


def bills(made: Plan, way: str = "own") -> dict[str, float]:
    """What each line of a way comes to, in dollars as they are paid."""
    option = made.option(way)
    assert option is not None, [one.reason for one in made.absent]
    return {line.name: float(np.sum(line.usd)) for line in option.ledger.lines if np.sum(line.usd)}


def used(made: Plan, name: str) -> float:
    option = made.option("own")
    assert option is not None
    return next(float(one.value) for line in option.ledger.lines for one in line.used if one.name == name)


def why_not(made: Plan, way: str = "own") -> str:
    return next(one.reason for one in made.absent if one.way == way)


def warned(made: Plan) -> tuple[str, ...]:
    option = made.option("own")
    return option.warnings


def best(made: Plan) -> str:
    found = build_answer(made).best
    return found.option.way


def test_two_4090_at_a_home_in_germany() -> None:
    """Bought: a workstation for 2,000 and two cards for 1,600, 5,200. Delivered after a quarter of a month.

    Busy 145 + 0.9 x 2 x 450 = 955 W, idle 70 + 0.05 x 2 x 450 = 115 W, both x 1.1 for cooling, at 0.451 a kWh:
    0.4738 and 0.0571 an hour; 35.75 months of 730 hours, 60 % busy: 7,419 and 595. Nothing for space, people, support;
    a shop is paid with the order. Rented until it comes: 0.61 x 2 x 730 x 0.6 x 0.25 = 134. Sold for what the curve
    leaves, less 10 %. Renting is 0.61 x 2 x 730 x 0.6 x 36 = 19,237.
    """
    made = asked("RTX-4090-24GB", 2, 0.6, 0.61, site="DE", own={"place": "home", **NO_CHANGE})
    lines = bills(made)
    assert lines["Servers, with spares"] == pytest.approx(5_200)
    assert lines["Electricity while working"] == pytest.approx(0.955 * 1.1 * 0.451 * 730 * 0.6 * 35.75)
    assert lines["Electricity while idle"] == pytest.approx(0.115 * 1.1 * 0.451 * 730 * 0.4 * 35.75)
    assert lines["Until delivery: useful hours"] == pytest.approx(0.61 * 2 * 730 * 0.6 * 0.25)
    assert lines["Resale"] == pytest.approx(-5_200 * 0.9 * used(made, "residual_share"))
    repaired = "While they are repaired: work rented"  # 0.091 failures a year take both for a day
    assert lines[repaired] == pytest.approx(0.61 * 2 * 730 * 0.6 * 35.75 * 0.091 * 2 * 24 / 8760)
    assert set(lines) == {
        "Servers, with spares", "Electricity while working", "Electricity while idle", "Resale",
        "Until delivery: useful hours", repaired,
    }  # fmt: skip
    assert sum(bills(made, "on_demand").values()) == pytest.approx(0.61 * 2 * 730 * 0.6 * 36)


def test_at_home_in_germany_one_buys_and_in_a_data_centre_one_rents() -> None:
    """With power that grows dearer: 11,700 of bills at home; space alone is 9,453 x 1.12 / 1.638 kW in colocation."""
    home, colocated = (
        asked("RTX-4090-24GB", 2, 0.6, 0.61, site="DE", own={"place": place}) for place in ("home", "colocation")
    )
    assert 11_500 < sum(bills(home).values()) < 11_900
    assert [best(made) for made in (home, colocated)] == ["own", "on_demand"]
    assert bills(colocated)["Space, by contracted power"] == pytest.approx(1.12 * 217.3 * 35.75, rel=1e-3)
    assert machine(home.setting).order_text(2) == "one workstation with 2 x RTX 4090 24 GB"  # type: ignore[union-attr]


def test_one_4090_at_home_six_hours_a_day_is_rented() -> None:
    """Six of 24 hours: a quarter. Bought 1,400 + 1,600 = 3,000; busy 145 + 0.9 x 450 = 550 W, idle 92.5 W; two years.

    Electricity 0.55 x 1.1 x 0.451 x 730 x 0.25 x 23.75 = 1,183 and 0.0925 x 1.1 x 0.451 x 730 x 0.75 x 23.75 = 597.
    Rented at 0.50: 0.5 x 730 x 0.25 x 24 = 2,190, less than the machine loses.
    """
    made = asked("RTX-4090-24GB", 1, 0.25, 0.5, years=2.0, site="DE", own={"place": "home", **NO_CHANGE})
    lines = bills(made)
    assert lines["Servers, with spares"] == pytest.approx(3_000)
    assert lines["Electricity while working"] == pytest.approx(1_183, abs=1)
    assert lines["Electricity while idle"] == pytest.approx(597, abs=1)
    assert sum(bills(made, "on_demand").values()) == pytest.approx(2_190)
    assert best(made) == "on_demand"


def test_four_3090_do_not_fit_on_one_circuit_of_an_office() -> None:
    """320 W of the machine and 4 x 350 W: 1.72 kW at most; 15 A x 120 V x 0.8 is 1.44 kW.

    Three are 1.37 kW and fit; four fit if each is held to (1,440 - 320) / 4 = 280 W.
    """
    circuit = {"place": "office", "most_kw": 1.44}
    made = asked("RTX-3090-24GB", 4, 0.4, 0.3, site="US-TX", own=circuit)
    for way in ("own", "loan", "lease"):
        assert why_not(made, way) == (
            "4 x RTX 3090 24 GB draw up to 1.72 kW and you have 1.44 kW: 3 of them, cards held to 280 W each, or "
            "1.8 kW of power would do"
        )
    assert best(made) == "on_demand"
    assert asked("RTX-3090-24GB", 3, 0.4, 0.3, site="US-TX", own=circuit).option("own") is not None
    held = {**circuit, "rated_w_per_server": 320.0 + 4 * 280.0}
    assert asked("RTX-3090-24GB", 4, 0.4, 0.3, site="US-TX", own=held).option("own") is not None


@pytest.mark.parametrize(("site", "fits"), [("DE", True), ("JP", False), ("US-CA", False), ("AU", True)])
def test_the_circuits_of_a_home_are_those_of_its_country(site: str, fits: bool) -> None:
    """Three RTX 4090 draw up to 320 + 3 x 450 = 1.67 kW: more than 1.44 kW at 100 to 120 V, less than 2.9 at 230."""
    made = asked("RTX-4090-24GB", 3, 0.5, 0.5, site=site, own={"place": "home"})
    assert (made.option("own") is not None) == fits
    if not fits:
        assert "the circuits of a home carry about 1.44 kW (120 V)" in why_not(made)


def test_an_office_pays_its_own_price_for_power_and_its_people() -> None:
    """Texas, commercial: 0.0903 a kWh. 0.01 people at 200,000 a year for each of two cards, 35.75 months: 11,917."""
    made = asked("RTX-4090-24GB", 2, 0.6, 0.61, site="US-TX", own={"place": "office", **NO_CHANGE})
    assert used(made, "usd_per_kwh") == 0.0903
    assert bills(made)["People"] == pytest.approx(2 * 0.01 * 200_000 * 35.75 / 12)
    assert "Space, by contracted power" not in bills(made)


def test_a_mac_is_a_whole_machine_with_its_own_watts() -> None:
    """5,299 for the machine and nothing around it. 215 W busy, 8 W idle, x 1.1, at 0.1588: a tenth of the hours busy.

    35.75 months: 0.215 x 1.1 x 0.1588 x 730 x 0.1 x 35.75 = 98; 0.008 x 1.1 x 0.1588 x 730 x 0.9 x 35.75 = 33.
    """
    own = {"place": "home", "usd_per_accelerator": 5_299.0, **NO_CHANGE}
    made = asked("Apple-M3-Ultra-512GB", 1, 0.1, 0.5, site="US-TX", own=own)
    lines = bills(made)
    assert lines["Servers, with spares"] == 5_299
    assert lines["Electricity while working"] == pytest.approx(98, abs=0.5)
    assert lines["Electricity while idle"] == pytest.approx(33, abs=0.5)


def test_a_mac_against_a_model_by_the_token() -> None:
    """100 million tokens in and 20 out a month at 0.15 and 0.60: 27 a month, 972 in three years; a Mac costs 5,299."""
    hosted = {
        "million_input_tokens_per_month": 100.0, "million_output_tokens_per_month": 20.0,
        "usd_per_million_input_tokens": 0.15, "usd_per_million_output_tokens": 0.60,
    }  # fmt: skip
    own = {"place": "home", "usd_per_accelerator": 5_299.0}
    made = asked(
        "Apple-M3-Ultra-512GB", 1, 0.1, 1.0, site="US-TX", own=own, hosted=hosted, ways=("own", "hosted")
    )  # fmt: skip
    assert sum(bills(made, "hosted").values()) == pytest.approx(27 * 36)
    assert best(made) == "hosted"


def test_two_macs_are_two_machines_without_a_spare_on_an_ordinary_switch() -> None:
    own = {"usd_per_accelerator": 5_299.0, "place": "colocation"}
    lines = bills(asked("Apple-M3-Ultra-512GB", 2, 0.1, 0.5, own=own))
    assert lines["Servers, with spares"] == 2 * 5_299
    assert lines["Network between servers"] == 2 * 50
    home = {"place": "home", "usd_per_accelerator": 5_299.0}
    assert "Network between servers" not in bills(asked("Apple-M3-Ultra-512GB", 2, 0.1, 0.5, own=home))


def test_a_campus_has_space_and_people_for_nothing() -> None:
    """8 H100: power as a large site, 0.2241 in Germany, x 1.6; nothing for space and people."""
    there, colocated = (
        asked("H100-SXM5-80GB", 8, 0.6, 2.7, site="DE", own={"place": place, **NO_CHANGE})
        for place in ("campus", "colocation")
    )
    assert not {"People", "Space, by contracted power"} & set(bills(there))
    assert {"People", "Space, by contracted power"} <= set(bills(colocated))
    assert (used(there, "usd_per_kwh"), used(there, "pue")) == (0.2241, 1.6)
    assert sum(bills(there).values()) < sum(bills(colocated).values())


# Large sites: Norway and Germany by Eurostat, Texas by the EIA; Singapore the average of four neighbours.
KWH = {"NO": 0.0839, "US-TX": 0.066, "SG": (0.1089 + 0.1413 + 0.18 + 0.093) / 4, "DE": 0.2241}


@pytest.mark.parametrize("site", KWH)
def test_eight_h100_pay_for_power_what_a_large_site_pays_there(site: str) -> None:
    """10.2 kW x 0.76 busy, x 0.25 idle, x 1.25 for cooling; 60 % busy; delivered after 7 of 36 months: 29 months.

    A kWh of 1 dollar would be 10.2 x (0.76 x 0.6 + 0.25 x 0.4) x 1.25 x 730 x 29 = 150,077.
    """
    made = asked("H100-SXM5-80GB", 8, 0.6, 2.7, site=site, own=NO_CHANGE)
    lines = bills(made)
    power = lines["Electricity while working"] + lines["Electricity while idle"]
    assert power == pytest.approx(KWH[site] * 150_077, rel=1e-3)


def test_singapore_says_whose_price_stands_in() -> None:
    own = NO_CHANGE
    assert [one for one in warned(asked("H100-SXM5-80GB", 8, 0.6, 2.7, site="NO", own=own)) if "stands in" in one] == []
    assert (
        "Electricity: no price of Singapore for a large site: the average of Malaysia, Taiwan, Japan and South Korea "
        "stands in, with a wider range"
    ) in warned(asked("H100-SXM5-80GB", 8, 0.6, 2.7, site="SG", own=own))


def test_a_limit_of_120_kw_binds_what_can_be_owned() -> None:
    """A machine of eight draws 10.2 kW: 96 need 12 machines, 122.4 kW; 88 need 11, 112.2."""
    made = asked("H100-SXM5-80GB", 96, 0.7, 2.7, own={"most_kw": 120.0})
    assert why_not(made) == (
        "96 x H100 SXM5 80 GB draw up to 122 kW and you have 120 kW: 88 of them, or 122.4 kW of power would do"
    )
    assert asked("H100-SXM5-80GB", 88, 0.7, 2.7, own={"most_kw": 120.0}).option("own") is not None


@each_row(("place", "count", "said"), [
    ("home", 1, "household"), ("office", 8, "firm"), ("campus", 8, "large"), ("colocation", 1, "large"),
    ("own_room", 32, "firm"), ("own_room", 40, "large"), ("data_centre", 40, "large"),
])  # fmt: skip
def test_the_class_of_customer_follows_place_and_load(place: str, count: int, said: str) -> None:
    """32 H100 are four machines, 40.8 kW, and 40 are five, 51 kW: up to 50 kW a firm's price."""
    made = asked("H100-SXM5-80GB", count, 0.5, 2.7, own={"place": place, "most_kw": 1e6})
    assert customer(made.setting) == said


def test_what_you_say_wins_over_the_place() -> None:
    own = {"place": "home", "usd_per_kwh": 0.3, "pue": 1.0, "fte_per_accelerator": 0.5, "lead_time_months": 2.0}
    made = asked("RTX-4090-24GB", 2, 0.6, 0.61, site="DE", own=own)
    said = {name: used(made, name) for name in ("usd_per_kwh", "pue", "fte_per_accelerator")}
    assert said == {name: own[name] for name in said}
    assert bills(made)["Until delivery: useful hours"] == pytest.approx(0.61 * 2 * 730 * 0.6 * 2)


def test_a_room_of_ones_own_is_built_and_a_desk_is_not() -> None:
    room = asked("H100-SXM5-80GB", 8, 0.6, 2.7, own={"place": "own_room"})
    assert {"Building a room", "Upkeep of the room"} <= set(bills(room))
    assert "Not counted for a server room of one's own: a line to the internet" in warned(room)


@pytest.mark.parametrize(("count", "what"), [
    (1, "one workstation with 1 x RTX 3090 24 GB"), (3, "one workstation with 3 x RTX 3090 24 GB"),
    (6, "2 workstations with 3 x RTX 3090 24 GB each"), (8, "2 workstations with 4 x RTX 3090 24 GB each"),
])  # fmt: skip
def test_cards_are_bought_in_workstations(count: int, what: str) -> None:
    made = asked("RTX-3090-24GB", count, 0.6, 0.3)
    option = made.option("own")
    assert option.what == what
    ownership = owned(made.setting, made.setting.demand.all)
    assert ownership is not None
    cards, hosts = count * 800, (1 if count < 5 else 2) * {1: 1_400, 2: 2_000}.get(count, 5_000)
    assert bills(made)["Servers, with spares"] == cards + hosts


def test_only_a_few_cards_of_desks_stand_elsewhere_than_in_a_data_centre() -> None:
    catalogue = live_catalogue()
    chips = ("H100-SXM5-80GB", "L40S-48GB")

    def places(chip: str, *counts: int, is_single: bool = False) -> list[str]:
        return [usual_place(catalogue, chip, many, is_single=is_single) for many in counts]

    for chip in chips:
        assert {*places(chip, 1, 4, 64), *places(chip, 1, 4, 64, is_single=True)} == {"colocation"}
    for is_single in (False, True):
        workstation = places("RTX-6000-Ada-48GB", 1, 2, 3, 64, is_single=is_single)
        assert workstation == ["office", "office", "colocation", "colocation"]
    assert places("RTX-4090-24GB", 1, 2, 3, 4, 5) == ["home", "office", "office", "office", "colocation"]
    assert places("RTX-5090-32GB", 1, 5, 12, 16, 17, is_single=True) == ["home", *["office"] * 3, "colocation"]
    assert OwnInputs().place is None


def of_consumers(accelerator: str, count: int, **said: Any) -> Plan:
    """The plan of a card that the frozen catalogue does not say is for private people."""
    work = {"accelerators": count, "busy_share": 0.25, "storage_tb": 0.0, **said.pop("work", {})}
    card = CATALOGUE.accelerators[accelerator].model_copy(update={"consumer": True})
    facts = CATALOGUE.model_copy(update={"accelerators": {**CATALOGUE.accelerators, accelerator: card}})
    return plan(facts, Scenario.model_validate({"accelerator": accelerator, "work": (work,), **said}), DAY)


def test_five_cards_of_a_studio_stand_at_five_desks() -> None:
    """Five machines for one card at 1,400 and five RTX 3090 at 800: 11,000; no space, no people, no server of eight."""
    made = of_consumers("RTX-3090-24GB", 5, site="US-TX", work={"accelerators_per_job": 1})
    assert made.option("own").what == "5 workstations with 1 x RTX 3090 24 GB each"  # type: ignore[union-attr]
    lines = bills(made)
    assert lines["Servers, with spares"] == pytest.approx(5 * (1_400 + 800))
    assert not {"People", "People who run them", "Space, by contracted power"} & lines.keys()


@pytest.mark.parametrize(("count", "machines"), [(6, 2), (10, 3), (24, 6)])
def test_an_office_has_circuits_for_each_machine(count: int, machines: int) -> None:
    """Two circuits of 15 A carry 2.88 kW; four RTX 4090 in a workstation draw 320 + 4 x 450 = 2.12 kW."""
    made = asked("RTX-4090-24GB", count, 0.4, 0.4, site="US-CA", own={"place": "office"})
    what = machine(made.setting)
    assert what is not None
    assert what.holds_cards
    assert made.option("own") is not None
    assert -(-count // what.accelerators) >= machines
    assert any(f"{-(-count // what.accelerators)} machines, each at circuits of its own" in it for it in warned(made))


def test_an_office_does_not_carry_forty_cards() -> None:
    """Ten workstations of four RTX 3090 draw 10 x 320 + 40 x 350 W = 17.2 kW, 48 of them 20.6: more than 20."""
    assert asked("RTX-3090-24GB", 40, 0.4, 0.3, site="US-TX", own={"place": "office"}).option("own") is not None
    assert why_not(asked("RTX-3090-24GB", 48, 0.4, 0.3, site="US-TX", own={"place": "office"})) == (
        "48 x RTX 3090 24 GB draw up to 20.6 kW and the circuits of an office carry about 20 kW for 12 machines "
        "(120 V): 44 of them, cards held to 337 W each, or 20.7 kW of power would do"
    )


def test_a_server_of_eight_is_too_much_for_an_office() -> None:
    made = asked("H100-SXM5-80GB", 16, 0.4, 3.0, site="US-TX", own={"place": "office"})
    assert "20.4 kW" in why_not(made)
    assert "5.76 kW for 2 machines" in why_not(made)


def test_no_fabric_joins_servers_of_cards_for_private_people() -> None:
    """GeForce cards have no fabric to join: ports of an ordinary switch, 50 a card; of others a fabric of 3,570."""
    cards = of_consumers("RTX-4090-24GB", 16, own={"place": "colocation"})
    assert bills(cards)["Network between servers"] == pytest.approx(16 * 50)
    boards = asked("H100-SXM5-80GB", 16, 0.25, 3.0, own={"place": "colocation"})
    assert bills(boards)["Network between servers"] == pytest.approx(16 * 3_570)


# Bad input, and sums that may be for one machine or for all


def test_a_sum_for_day_one_may_be_for_each_machine() -> None:
    """16 H100 are two machines of eight: 300,000 for each are 600,000, for all 300,000; unsaid it is asked."""
    own = {"capex_usd": 300_000.0, "spare_share": 0.0}
    each, every, unsaid = (
        asked("H100-SXM5-80GB", 16, 0.6, 2.7, own={**own, **more})
        for more in ({"capex_per": "machine"}, {"capex_per": "all"}, {})
    )
    assert [bills(made)["All of day one"] for made in (each, every, unsaid)] == [600_000, 300_000, 300_000]
    question = (
        "your 300,000 USD are taken for all 2 machines: are they for each of them? Then set own.capex_per to machine"
    )
    assert [question in warned(made) for made in (each, every, unsaid)] == [False, False, True]
    assert question not in warned(asked("H100-SXM5-80GB", 8, 0.6, 2.7, own=own))


def test_cents_for_a_kilowatt_hour_are_asked_about() -> None:
    """1.5 dollars is three times what a German household pays, and more than anybody does."""
    made = asked("RTX-4090-24GB", 2, 0.6, 0.61, site="DE", own={"place": "home", "usd_per_kwh": 1.5})
    (found,) = [doubt for doubt in doubts(made) if doubt.name == "usd_per_kwh"]
    assert (found.intended, found.mistake) == (0.015, "cents typed as dollars")


def test_a_price_for_a_kilowatt_hour_that_can_only_be_cents_is_refused_with_what_it_means() -> None:
    with pytest.raises(ScenarioError, match=r"Did you mean cents\? 45 cents are 0\.45"):
        read_scenario(b"own:\n  usd_per_kwh: 45\n", "mine.yaml", CATALOGUE)


@pytest.mark.parametrize(("typed", "site"), [("Germany", "DE"), ("Bavaria, Germany", "DE"), ("Deutschland", "DE")])
def test_a_place_in_words_is_settled_to_its_site(typed: str, site: str) -> None:
    settled, lost = resolve_names(Scenario(site=typed), CATALOGUE)
    assert (settled.site, lost) == (site, [])


def test_a_place_with_two_readings_is_asked_about() -> None:
    _, lost = resolve_names(Scenario(site="Georgia"), CATALOGUE)
    assert [str(one.error) for one in lost] == [
        "'Georgia' can be GE (Georgia, the country) or US-GA (Georgia, United States). Say which."
    ]


def test_a_mix_owns_no_more_than_the_power_carries() -> None:
    """120 kW carry 11 machines of eight H100: no base of a mix is larger."""
    made = asked("H100-SXM5-80GB", 96, 0.7, 2.7, own={"most_kw": 120.0})
    assert rates._base_sizes(made.setting).max() == 88


def test_a_workstation_need_not_be_full() -> None:
    """Four cards wanted at once, a tenth of the hours, in work that may wait: two do it, in a workstation for four.

    Bought: 5,000 and two cards at 800 each.
    """
    work = {"accelerators": 4, "busy_share": 0.1, "may_wait": True, "storage_tb": 0.0, "egress_tb_per_month": 0.0}
    made = asked("RTX-3090-24GB", 4, 0.1, 0.3, work=(work,), own={"accelerators": 4})
    (sized,) = [option for option in made.options if option.way == "own" and option.key != "own"]
    assert sized.accelerators < 4
    usd = {line.name: float(np.sum(line.usd)) for line in sized.ledger.lines}
    assert usd["Servers, with spares"] == 5_000 + sized.accelerators * 800
