"""The options that a line names: each has its cost or a reason; who runs few cards; what is there already."""

import pytest

from planner.api.plans import ask, line_result
from planner.money.ways import WAYS
from tests.facts import DAY
from tests.frozen import live_catalogue


def _answer_of(line: str) -> str:
    """Return the answer to a line as `ask` prints it."""
    return line_result(ask(live_catalogue(), line, DAY)).text()


@pytest.mark.parametrize(("line", "named"), [
    ("lease 16 H100 for 24 months or buy them", ("Own, leased", "Buy 16 and run them $", "Rent, on demand")),
    ("Reserve 1 year or go on demand for 8 A100 at 55% utilisation", ("Reserve for 1 year $", "Rent, on demand")),
    ("64 H100 or 64 MI300X for 2 years", ("64 x H100 SXM5 80 GB, used", "64 x MI300X 192 GB, used")),
    ("buy 8 MI300X instead of 8 H100 for 2 years", ("8 x MI300X 192 GB, used", "8 x H100 SXM5 80 GB, used")),
    ("compare 16 h100 on aws, gcp and azure for 18 months", ("AWS, on", "Google Cloud, on", "Azure, on")),
    ("embed 500 million documents of 400 tokens with bge-m3, once", ("sells BGE-M3; the nearest", "embedding")),
    ("SDXL, 2 million images a month", ("nobody on record sells Stable Diffusion XL base",)),
])  # fmt: skip
def test_each_option_that_a_line_names_has_its_cost_or_a_reason(line: str, named: tuple[str, ...]) -> None:
    answer = _answer_of(line)
    assert [each for each in named if each not in answer] == []


@pytest.mark.parametrize(("line", "most_usd"), [
    ("whisper on premises in Poland, 600 hours of audio per day", 60_000),
    ("buy or rent a single RTX PRO 6000 for 3 years", 45_000),
    ("rtx 5090 vs renting for stable diffusion at home", 15_000),
    ("buy 2 H100 in Utrecht for 5 years", 140_000),
])  # fmt: skip
def test_few_cards_are_run_by_those_who_use_them_or_in_hours_a_week(line: str, most_usd: float) -> None:
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    assert report.answer.own is not None
    assert report.answer.own.present_usd < most_usd


def test_the_people_beside_a_total_are_a_part_of_it() -> None:
    report = ask(live_catalogue(), "whisper on premises in Poland, 600 hours of audio per day", DAY).report
    assert report is not None
    (said,) = (each for each in report.summary.sentences if each.startswith("Not entered"))
    share, part = said.split("% of")[0].split()[-1], said.split("about $")[1].split()[0].replace(",", "")
    assert report.answer.best is not None
    assert float(part) == pytest.approx(float(share) / 100 * report.answer.best.present_usd, rel=0.05)


@pytest.mark.parametrize("line", [
    "We pay about $41k a month to AWS for 2 p5.48xlarge. Should we buy?",
    "32 H200s in a Frankfurt colo for three years against Azure reserved",
    "11 A100s for 3 years on GCP",
    "8 B200 in europe for 3 years",
])  # fmt: skip
def test_a_break_even_use_names_what_costs_less_above_it_as_the_inputs_as_entered_do(line: str) -> None:
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    assert report.answer.pair is not None
    tile = next(each for each in report.summary.figures if each.label == "Break-even use")
    busy = report.answer.break_even("busy_share")
    assert busy is not None
    assert busy.value is not None
    assert busy.you is not None
    first, second = sorted(report.answer.pair, key=lambda way: way.as_entered_usd)
    leads = first if busy.you > busy.value else second
    assert f"above it {WAYS[leads.option.way].start_text} costs less" in tile.range


def test_what_is_there_costs_one_run_its_power_alone() -> None:
    """A card that does the run by itself, however long it takes, is not kept for it."""
    line = "got a 4090 at home, rent an H100 for finetuning llama 3 8b or let it run"
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    kept = next(way for way in report.answer.ranked if way.option.way == "keep")
    assert {each.part for each in kept.option.ledger.lines if float(each.total_usd) > 0} == {"power", "idle"}
    assert 0 < kept.present_usd < 10
    years = ask(live_catalogue(), "my 4090 at home or a rented one, busy 60% for 3 years", DAY).report
    assert years is not None
    assert next(way for way in years.answer.ranked if way.option.way == "keep").present_usd > 500


def test_what_replaces_others_does_as_much_work_as_they_do() -> None:
    """No part of it is rented beside them, since the count of the new ones is whole; and why keeping costs so much."""
    report = ask(live_catalogue(), "we own 32 A100 since 2021: keep them, or sell and rent H100?", DAY).report
    assert report is not None
    kept = next(way for way in report.answer.ranked if way.option.way == "keep")
    assert report.plan.setting.demand.all.peak_accelerators == 11
    assert "rent" not in {each.part for each in kept.option.ledger.lines}
    reasons = [each for each in report.summary.sentences if each.startswith("Keeping costs")]
    assert (kept is report.answer.best) == (reasons == [])


def test_what_was_paid_for_owned_machines_is_no_price_of_new_ones() -> None:
    line = "our two DGX H100 bought in Jan 2024 for $600k sit at 25% utilisation, sell and rent?"
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    assert report.answer.own is not None
    assert report.answer.own.present_usd < 2e6
