"""Which GPU for what: what the market says of a typical job, moving with prices; page and shell say the same."""

import csv
import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from planner.cli import main
from planner.cli.common import BAD_INPUT, OK
from planner.money.renting.cheapest_offer import hired
from planner.report.market.cheapest import use_sentence, uses_table
from planner.scenario.presets import find_preset
from planner.scenario.scenario import Scenario
from planner.study.market.gpu_guide import GuideChoice, guide_choices, load_uses, single_accelerator_picks
from planner.study.market.survey import market
from planner.web import state
from pricing import Catalogue
from tests.facts import CATALOGUE, DAY
from tests.web.test_pages import SLOW, one_page

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found() -> dict[str, GuideChoice]:
    return {choice.key: choice for choice in guide_choices(CATALOGUE, DAY)}


def test_each_use_is_what_the_market_says_of_its_job(found: dict[str, GuideChoice]) -> None:
    for use in load_uses().uses:
        if use.hours_per_month is not None:
            continue
        there = find_preset(use.preset or "")
        best = market(CATALOGUE, there.scenario.model_copy(update={"accelerator": "any"}), DAY)
        said = found[use.key]
        if best.best is not None and best.best.accelerator:
            assert (said.picks[0].accelerator, said.usd) == (best.best.accelerator, best.best.cost)
            assert said.by_token is None
        else:
            assert said.usd == best.selected_accelerator.cost
            assert said.by_token.usd < said.usd
        assert said.next_usd is None or said.next_usd >= said.usd


def test_who_learns_pays_for_the_cheapest_hour_that_will_do(found: dict[str, GuideChoice]) -> None:
    said, use = found["learning"], load_uses().uses[0]
    pick, scenario = said.picks[0], use.job
    assert (pick.accelerators, pick.way) == (1, "on_demand")
    assert use.hours_per_month is not None
    tried = market(CATALOGUE, scenario, DAY, counts=(1,)).candidates
    able = {one.accelerator for one in tried if one.days and one.days.typical <= 0.25}
    hours = [
        one.usd_per_accelerator_hour
        for key in able
        if (one := hired(CATALOGUE, key, accelerators=1, hours=use.session_hours, together=1, day=DAY))
    ]
    assert said.usd == pytest.approx(min(hours) * use.hours_per_month)
    assert len(hours) == said.able
    assert said.usd < found["fine-tuning"].usd


def test_a_bit_of_everything_is_the_least_sum_on_one_kind(found: dict[str, GuideChoice]) -> None:
    said = found["mixed"]
    assert len({pick.accelerator for pick in said.picks}) == 1
    parts = [found[key] for key in load_uses().mixed.of]
    assert said.usd >= sum(one.usd for one in parts) - 1e-6  # each alone may take its own kind
    assert said.able <= min(part.able for part in parts)


def test_another_price_is_another_answer(found: dict[str, GuideChoice]) -> None:
    """Nothing is recommended by hand: without its offers, the next kind takes the place of the first."""
    said = found["learning"]
    there = without(said.picks[0].accelerator)
    again = next(choice for choice in guide_choices(there, DAY) if choice.key == "learning")
    assert again.picks[0].accelerator == said.next.accelerator
    assert again.usd == pytest.approx(said.next_usd, rel=1e-3)  # what the market did is told by fewer offers


def without(accelerator: str) -> Catalogue:
    offers = {key: offer for key, offer in CATALOGUE.offers.items() if offer.accelerator != accelerator}
    return CATALOGUE.model_copy(update={"offers": offers})


def test_every_use_has_its_reason_and_its_price_of_a_day(found: dict[str, GuideChoice]) -> None:
    for one in found.values():
        text = use_sentence(one)
        assert text.startswith(f"For {one.label.lower()}: ")
        assert one.reason
        for pick in one.picks:
            assert pick.price_day is not None
            assert pick.price_day <= DAY
            assert f"{pick.accelerators:,} x {pick.label}" in text


def test_works_of_one_plan_on_one_kind() -> None:
    tune = {"train": {"model": "Llama-3.1-8B", "method": "lora", "tokens": 2e7, "runs_per_month": 20.0}}
    talk = {"serve": {"model": "Llama-3.1-8B", "requests_per_s": 2.0}}
    both = Scenario.model_validate({"work": (tune, talk)})
    picks = single_accelerator_picks(CATALOGUE, both, DAY)
    assert len(picks) == 2
    assert len({pick.accelerator for pick in picks}) == 1
    assert single_accelerator_picks(CATALOGUE, Scenario.model_validate({"work": (tune,)}), DAY) == ()
    once = {"train": {"model": "Llama-3.1-8B", "tokens": 2e9}}
    assert (
        single_accelerator_picks(CATALOGUE, Scenario.model_validate({"work": (once, talk)}), DAY) == ()
    )  # a run and a month: no sum


def test_in_a_shell_with_no_job(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, found: dict[str, GuideChoice]
) -> None:
    out = tmp_path / "uses.csv"
    asked = ["cheapest", "--day", DAY.isoformat()]
    assert main([*asked, "--csv", str(out)]) == OK
    said = capsys.readouterr().out
    assert said.startswith("Which GPU should I choose?\n")
    assert all(use_sentence(one) in said for one in found.values())
    with out.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["Choose"] for row in rows] == list(uses_table(list(found.values()))["Choose"])
    assert main([*asked, "--json"]) == OK
    data = json.loads(capsys.readouterr().out)
    assert [one["usd"] for one in data["uses"]] == [one.usd for one in found.values()]
    assert main([*asked, "--tokens", "3B"]) == BAD_INPUT
    assert "--tokens needs a job: want --model NAME" in capsys.readouterr().err


def test_the_speed_page_says_the_same(monkeypatch: pytest.MonkeyPatch, found: dict[str, GuideChoice]) -> None:
    monkeypatch.setattr(state, "today", lambda: DAY)
    app = AppTest.from_function(one_page, args=("Speed",), default_timeout=SLOW)
    app.session_state["uses"] = True
    app.run()
    assert not app.exception
    shown = " ".join(one.value for one in app.markdown).replace("\\", "")
    assert all(use_sentence(one) in shown for one in found.values())
