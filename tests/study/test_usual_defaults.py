"""What a plan takes for what nobody said: disk, place, machines. Shapes and orders of magnitude, no price of a day."""

from typing import Any

import numpy as np
import pytest

from planner.money.option import Option
from planner.money.owning import machine
from planner.money.plan import Plan
from planner.report.answer.phrases import question_text
from planner.report.answer.sentences import summarize_answer
from planner.scenario.link import scenario_to_link
from planner.scenario.question import HOURS
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.study.uncertainty.sure_verdict import decided
from tests.frozen import live_catalogue
from tests.rows import each_row

CATALOGUE = live_catalogue()
DAY = CATALOGUE.day


def asked(**data: Any) -> Plan:
    return planned(CATALOGUE, Scenario.model_validate(data), DAY)


def part_usd(option: Option | None, part: str) -> float:
    assert option is not None
    return sum(float(np.nansum(line.usd)) for line in option.ledger.lines if line.part == part)


def test_a_run_of_an_hour_pays_for_no_disk_of_a_year() -> None:
    run = {"accelerators": 8, "train": {"model": "GPT-2", "tokens": 2.5e9}}
    rented = asked(years=1.0, work=(run,)).option("on_demand")
    assert part_usd(rented, "storage") < part_usd(rented, "compute")
    assert sum(float(np.nansum(line.usd)) for line in rented.ledger.lines) < 100
    for_the_year = asked(years=1.0, work=(run | {"storage_tb": 10.0},)).option("on_demand")
    assert part_usd(for_the_year, "storage") > 1_000


def test_disks_follow_the_model() -> None:
    def disk_tb(**work: Any) -> float:
        return asked(work=(work,)).setting.demand.plain.storage_tb

    small, large = ({"model": name, "requests_per_s": 1.0} for name in ("Llama-3.1-8B", "Llama-3.3-70B"))
    assert 0.04 < disk_tb(serve=small) < disk_tb(serve=large) < 1
    long, short = ({"model": "Llama-3-8B", "tokens": tokens} for tokens in (1e12, 1e9))
    assert disk_tb(accelerators=64, train=short) < 1 < disk_tb(accelerators=64, train=long) < 20


@each_row(
    ("chip", "count", "place", "what"),
    [
        ("RTX-4090-24GB", 1, "at home", "one workstation with 1 x RTX 4090 24 GB"),
        ("RTX-3090-24GB", 4, "in an office", "one workstation with 4 x RTX 3090 24 GB"),
    ],
)
def test_cards_at_a_desk_pay_for_no_staff_and_no_hosting(chip: str, count: int, place: str, what: str) -> None:
    plan = asked(accelerator=chip, work=({"accelerators": count},))
    own = plan.option("own")
    assert own is not None
    assert own.what == what
    assert part_usd(own, "staff") == part_usd(own, "space") == 0
    scenario = plan.setting.written
    assert place in question_text(CATALOGUE, HOURS, scenario_to_link(scenario))


@each_row(
    ("chip", "count", "size"),
    [
        ("A100-SXM4-40GB", 16, 8), ("V100-SXM2-16GB", 8, 8), ("H800-SXM5-80GB", 4, 8), ("MI250X-128GB", 8, 8),
        ("A100-PCIe-80GB", 4, 4), ("A100-PCIe-80GB", 16, 8), ("H100-NVL-94GB", 20, 10), ("L4-24GB", 1, 1),
        ("GB200-NVL72-186GB", 8, 72),
    ],
)  # fmt: skip
def test_machines_are_those_that_exist(chip: str, count: int, size: int) -> None:
    what = machine(asked(accelerator=chip, work=({"accelerators": count},)).setting)
    assert what is not None
    assert what.accelerators == size


def test_half_a_server_is_bought_whole_and_said() -> None:
    plan = asked(accelerator="A100-SXM4-80GB", work=({"accelerators": 4},))
    said = " ".join(summarize_answer(plan, decided(plan, 64).answer).sentences)
    assert "a server of 8 for 4" in said


def test_a_large_entry_that_nobody_typed_is_named_with_its_field() -> None:
    def said(**data: Any) -> str:
        plan = asked(**data)
        return " ".join(summarize_answer(plan, decided(plan, 64).answer).sentences)

    plain = {"work": ({"accelerators": 1, "storage_tb": 0.0},), "accelerator": "L4-24GB", "ways": ("own", "on_demand")}
    assert "Not entered, but" in said(**plain)
    assert "people" in said(**plain)
    typed = said(**plain, own={"least_fte": 0.1, "usd_per_kw_month": 100.0, "usd_per_kwh": 0.1})
    assert "Not entered, but" not in typed


def test_work_of_little_takes_one_machine() -> None:
    plan = asked(
        accelerator="Apple-M3-Ultra-512GB", work=({"serve": {"model": "Llama-3.3-70B", "requests_per_s": 0.02}},)
    )
    assert plan.setting.demand.all.peak_accelerators == pytest.approx(1)


# People: anyone who runs GPUs, rented or owned, and nobody for a hosted model


def test_who_rents_pays_people_as_who_owns_and_a_hosted_model_takes_none() -> None:
    """What is published is of a machine of eight (140,000 to 360,000 a year, with an on-call rota); half of it half."""
    of_eight, of_four = (
        asked(work=({"serve": {"model": "Llama-3.3-70B", "requests_per_s": rate}},)) for rate in (10.0, 5.0)
    )
    rented, owned, hosted = (part_usd(of_eight.option(way), "staff") for way in ("on_demand", "own", "hosted"))
    assert 140_000 < rented / 3 * 2 < 360_000 * 2
    assert part_usd(of_four.option("on_demand"), "staff") == pytest.approx(rented / 2, rel=0.05)
    assert owned > rented > 0 == hosted
    assert "People" in " ".join(summarize_answer(of_eight, decided(of_eight, 64).answer).sentences)


def test_people_last_as_long_as_the_work() -> None:
    run = {"accelerators": 8, "train": {"model": "GPT-2", "tokens": 2.5e9}}
    assert part_usd(asked(work=(run,)).option("on_demand"), "staff") < 100
    plan = asked(work=({"accelerators": 8},))
    assert 5_000 < part_usd(plan.option("on_demand"), "staff") / 3 < 40_000


def test_people_that_are_entered_win_and_none_are_none() -> None:
    service = ({"serve": {"model": "Llama-3.1-8B", "requests_per_s": 5.0}},)
    many, none = (asked(work=service, run_by_fte=people).option("on_demand") for people in (2.0, 0.0))
    assert part_usd(many, "staff") > 1_000_000
    assert part_usd(none, "staff") == 0


def test_a_small_service_of_ones_own_hires_nobody() -> None:
    small = asked(work=({"serve": {"model": "Llama-3.1-8B", "requests_per_s": 0.02}},), accelerator="RTX-4090-24GB")
    assert part_usd(small.option("on_demand"), "staff") == part_usd(small.option("own"), "staff") == 0


def test_one_priced_option_is_no_advice() -> None:
    def title_of(chip: str, **data: Any) -> str:
        plan = asked(accelerator=chip, work=({"accelerators": 1},), **data)
        return summarize_answer(plan, decided(plan, 64).answer).title

    assert title_of("RTX-3060-12GB") == title_of("MI210-64GB") == "Only buying can be priced."
    assert "uy." in title_of("RTX-3060-12GB", ways=("own",))
    assert not title_of("H100-SXM5-80GB").startswith("Only")


def test_renting_alone_is_an_answer_where_machines_come_too_late() -> None:
    plan = asked(accelerator="H200-SXM-141GB", work=({"accelerators": 24},), years=0.5, site="DE")
    summary = summarize_answer(plan, decided(plan, 64).answer)
    assert "ent" in summary.title
    assert "priced" not in summary.title
    assert any("too late to run" in sentence for sentence in summary.sentences)
