"""Every amount of money is compared with what such things cost; a slip is asked about, a plausible price is not."""

from functools import lru_cache
from typing import Any

import pytest

from planner.money.old_figures import ImplausibleInput, doubt, doubts, numbers
from planner.money.plan import plan
from planner.money.yardsticks import YARDSTICKS, Sight
from planner.scenario.fields import leaf_fields
from planner.scenario.file import read_scenario
from planner.scenario.path import Path
from planner.scenario.scenario import Scenario
from planner.scenario.typed_money import is_money
from pricing import load_catalogue
from tests.facts import DAY
from tests.rows import each_row

MONEY = sorted((path for path in leaf_fields() if is_money(path)), key=str)
H100, RTX = "H100-SXM5-80GB", "RTX-4090-24GB"


def asked(chip: str = H100, **said: Any) -> list[ImplausibleInput]:
    """What a plan asks about."""
    return list(doubts(plan(load_catalogue(), Scenario.model_validate({"accelerator": chip, **said}), DAY)))


@lru_cache(maxsize=32)
def sight(chip: str) -> Sight:
    """A plan without prices of anybody's own."""
    made = plan(load_catalogue(), Scenario(accelerator=chip), DAY)
    return Sight(made.setting.scenario, made, numbers(made))


def test_every_field_of_money_has_a_yardstick() -> None:
    assert set(YARDSTICKS) == set(MONEY)


@each_row("chip", [H100, RTX, "A100-SXM4-80GB", "MI300X-192GB", "L4-24GB"])
@each_row("path", MONEY)
def test_what_such_a_thing_usually_costs_is_not_asked_about_and_a_thousandth_is(path: Path, chip: str) -> None:
    known = YARDSTICKS[path](sight(chip))
    assert 0 < known.low <= known.usual <= known.high
    for plausible in (known.low, known.usual, known.high):
        if path[-1] != "usd_per_kwh" or plausible < 1:
            assert doubt(str(path[-1]), plausible, known) is None
    slipped = doubt(str(path[-1]), known.low / 1_000, known)
    assert slipped.intended is not None
    assert known.low / 5 <= slipped.intended <= max(known.high, known.usual * 3)


@each_row(("own", "meant", "slip"), [
    ({"usd_per_server": 250.0}, 250_000.0, "a point typed for a comma"),
    ({"usd_per_server": 279.3}, 279_300.0, "a point typed for a comma"),
    ({"usd_per_server": 30_000.0}, 240_000.0, "the price of one GPU typed for a machine of eight"),
    ({"usd_per_accelerator": 250_000.0}, 31_250.0, "a price for a machine of eight typed as one for a GPU"),
    ({"usd_per_accelerator": 32.5}, 32_500.0, "a point typed for a comma"),
    ({"orders": ({"accelerators": 8, "month": 0, "usd_per_server": 250.0},)}, 250_000.0, "a point typed for a comma"),
    ({"usd_per_fte_year": 85.0}, 85_000.0, "a point typed for a comma"),
])  # fmt: skip
def test_a_slip_in_the_price_of_a_machine_is_asked_about(own: dict[str, Any], meant: float, slip: str) -> None:
    (found,) = asked(own=own)
    assert (found.intended, found.mistake) == (pytest.approx(meant), slip)


@pytest.mark.parametrize("usd", [180_000.0, 250_000.0, 279_000.0, 400_000.0, 120_000.0])
def test_a_plausible_price_of_a_server_is_not(usd: float) -> None:
    assert asked(own={"usd_per_server": usd}) == []


@each_row(
    "said",
    [
        {"lease": {"usd_per_month": 8.5}},
        {"rent_to_own": {"usd_per_month": 9.2, "months": 36}},
        {"rent_to_own": {"usd_per_month": 9_200.0, "months": 36, "upfront_usd": 50.0}},
        {"sale_and_lease_back": {"price_share": 0.9, "usd_per_month": 8.5}},
        {"kept": {"accelerators": 8, "usd_today_if_sold": 120.0}},
        {"reserve": {"usd_per_accelerator_hour": 1_000.0, "term": "reserved_1y"}},
        {"spot": {"usd_per_accelerator_hour": 150.0}},
        {"sell": {"usd_per_accelerator_hour": 185.0}},
        {"rent": {"forward_usd_per_accelerator_hour": 220.0}},
        {"hosted": {"usd_per_million_input_tokens": 9_000.0, "usd_per_million_output_tokens": 1.0}},
        {"terms": {"cash_on_day_one_usd": 300.0}},
        {"tax": {"profit_usd_per_year": 500.0}},
        {"mix": {"own_accelerators": 8, "orders": ({"accelerators": 8, "month": 0, "usd_per_server": 250.0},)}},
    ],
)
def test_a_slip_in_any_part_of_a_scenario_is_asked_about(said: dict[str, Any]) -> None:
    assert [one.path[0] for one in asked(**said)] == [next(iter(said))]


def test_the_sum_of_day_one_is_compared_by_machine_where_it_is_for_each() -> None:
    """A machine of eight H100 is about 300,000 with all that goes with it; 80 of them are ten machines."""
    work = ({"accelerators": 80},)
    for per, usd in (("machine", 300_000.0), ("all", 3_000_000.0)):
        assert asked(own={"capex_usd": usd, "capex_per": per}, work=work) == []
    (found,) = asked(own={"capex_usd": 36_000.0, "capex_per": "machine"}, work=work)
    assert (found.intended, found.mistake) == (288_000.0, "the price of one GPU typed for a machine of eight")
    (found,) = asked(own={"capex_usd": 36_000.0}, work=work)
    assert (found.intended, found.mistake) == (2_880_000.0, "the price of one typed for all 80")


def test_capex_of_one_machine_is_not_asked_about_where_two_are_bought() -> None:
    (one,) = [asked("RTX-4090-24GB", own={"capex_usd": 30_000.0, "capex_per": "machine"}, work=({"accelerators": 16},))]
    assert one == []


# Dollars an hour, and what is asked about: nothing, or what was meant.
RENTS: list[tuple[str, float, float | None]] = [
    (RTX, 0.35, None), (RTX, 0.69, None), (RTX, 2.5, None), (RTX, 35.0, 0.35),
    ("RTX-3090-24GB", 0.2, None), ("RTX-3090-24GB", 1.5, None), ("RTX-3090-24GB", 22.0, 0.22),
    ("L4-24GB", 0.8, None), ("L4-24GB", 4.0, None), ("L4-24GB", 71.0, 0.71),
    ("L40S-48GB", 0.9, None), ("L40S-48GB", 7.0, None), ("L40S-48GB", 86.0, 0.86),
    ("T4-16GB", 0.35, None), ("T4-16GB", 4.0, None), ("T4-16GB", 53.0, 0.53),
    ("A100-SXM4-80GB", 1.5, None), ("A100-SXM4-80GB", 6.2, None), ("A100-SXM4-80GB", 12.0, 1.5),
    ("A100-PCIe-80GB", 1.2, None), ("A100-PCIe-80GB", 130.0, 1.3),
    (H100, 2.7, None), (H100, 12.0, None), (H100, 22.0, 2.75), (H100, 269.0, 2.69),
    ("H100-PCIe-80GB", 2.2, None), ("H100-PCIe-80GB", 220.0, 2.2),
    ("H200-SXM-141GB", 3.5, None), ("H200-SXM-141GB", 28.0, 3.5),
    ("MI300X-192GB", 2.0, None), ("MI300X-192GB", 19.2, 2.4),
]  # fmt: skip


@each_row(("chip", "usd", "meant"), RENTS)
@pytest.mark.slow
def test_a_rent_is_asked_about_only_where_it_is_implausible_and_what_was_meant_is_not(
    chip: str, usd: float, meant: float | None
) -> None:
    found = [one for one in asked(chip, rent={"usd_per_accelerator_hour": usd}) if not one.below_all]
    assert [one.intended for one in found] == ([] if meant is None else [pytest.approx(meant)])


def test_a_file_with_a_point_for_a_comma_is_asked_about_without_a_currency() -> None:
    read = read_scenario(b"own: {usd_per_server: 250.000}\n", "plan.yaml", load_catalogue()).scenario
    (found,) = doubts(plan(load_catalogue(), read, DAY))
    assert (found.path, found.entered, found.intended) == (("own", "usd_per_server"), 250.0, 250_000.0)
