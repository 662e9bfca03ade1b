"""The options that a line names: each has its cost or a reason; who runs few cards; what is there already."""

import pytest

from planner.api.plans import ask, line_result
from planner.money.owning.machine import place_key
from planner.money.plan import build_context
from planner.money.ways import WAYS
from planner.study.market.candidate import sold_by_many
from planner.study.market.survey import market
from planner.study.one_line.read_line import read_line
from tests.facts import DAY
from tests.frozen import live_catalogue

pytestmark = pytest.mark.slow


def _answer_of(line: str) -> str:
    """Return the answer to a line as `ask` prints it."""
    return line_result(ask(live_catalogue(), line, DAY)).text()


@pytest.mark.parametrize(("line", "named"), [
    ("lease 16 H100 for 24 months or buy them", ("Own, leased", "Buy 16 and run them $", "Rent on demand $")),
    ("Reserve 1 year or go on demand for 8 A100 at 55% utilisation", ("Reserve for 1 year $", "Rent, on demand")),
    ("64 H100 or 64 MI300X for 2 years", ("64 x H100 SXM5 80 GB, used", "64 x MI300X 192 GB, used")),
    ("buy 8 MI300X instead of 8 H100 for 2 years", ("8 x MI300X 192 GB, used", "8 x H100 SXM5 80 GB, used")),
    ("compare 16 h100 on aws, gcp and azure for 18 months", ("AWS, on", "Google Cloud, on", "Azure, on")),
    ("embed 500 million texts with all-minilm-l6-v2, once", ("sells all-MiniLM-L6-v2; the nearest", "bge-m3")),
    ("embed 500 million documents of 400 tokens with bge-m3, once", ("Hosted, by the token: $2", "spot machines: $")),
    ("SDXL, 2 million images a month", ("Hosted, by the request: $1",)),
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
    "8 B200 in europe for 3 years, 60% busy",
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
    assert tile.range.endswith(", as planned") or tile.range.startswith(f"{WAYS[leads.option.way].side} above; ")


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


@pytest.mark.parametrize("line", [
    "Serve Llama 3.1 405B at 1.5 requests a second",
    "Serve qwen3 235b a22b at 50 requests per second",
    "Serve Llama 4 Scout at 0.35 requests a second",
])  # fmt: skip
def test_what_few_rent_out_is_no_choice_for_any_where_what_many_do_costs_little_more(line: str) -> None:
    catalogue = live_catalogue()
    asked = ask(catalogue, line, DAY)
    assert asked.report is not None
    chosen = asked.report.plan.setting.scenario.accelerator
    sellers = {each.provider for each in catalogue.offers.values() if each.accelerator == chosen}
    assert len(sellers) >= 5


def test_a_candidate_of_few_sellers_stays_where_the_others_cost_clearly_more() -> None:
    study = market(
        live_catalogue(), read_line(live_catalogue(), "serve qwen3 235b at 5 requests a second").scenario, DAY
    )
    usable = [each for each in study.candidates if each.band and each.usd and each.is_likely and not each.why_not]
    rare = [each for each in usable if each.band and each.band.has_few_sellers]
    common = [each for each in usable if each.band and not each.band.has_few_sellers]
    assert rare
    assert common
    one = rare[0]
    assert sold_by_many(one, [one, *common], lambda each: 1.0 if each is one else 3.0) is one
    assert sold_by_many(common[0], usable, lambda each: each.cost) is common[0]
    near = sold_by_many(one, [one, *common], lambda each: 1.0 if each is one else 1.2)
    assert near is one or near.way == one.way


@pytest.mark.parametrize(("line", "place"), [
    ("2 RTX A6000 for 4 years, buy or rent", "office"),
    ("buy a single RTX PRO 6000", "office"),
    ("buy 1 RTX 4090", "home"),
    ("8 RTX A6000 for 4 years", "colocation"),
    ("buy 2 H100 for 3 years", "colocation"),
])  # fmt: skip
def test_one_or_two_cards_for_workstations_stand_in_an_office(line: str, place: str) -> None:
    asked = ask(live_catalogue(), line, DAY, with_answer=False)
    assert asked.loaded is not None
    assert place_key(build_context(live_catalogue(), asked.loaded.scenario, DAY)) == place


def test_frames_are_separate_jobs_that_many_sellers_take() -> None:
    """40 GPUs of one job would have to be joined by a network that nobody who rents them out has."""
    report = ask(live_catalogue(), "render farm with 40 RTX 4090 for 9 weeks", DAY).report
    assert report is not None
    assert report.answer.rent is not None
    assert report.answer.own is not None
    assert report.answer.rent.present_usd < 60_000
    assert 0 < float(report.answer.own.option.ledger.part_usd("network")) <= 40 * 100


def test_who_is_asked_for_what_no_seller_surely_has_is_one_of_so_many() -> None:
    answer = _answer_of("5 H100 around the clock for three years")
    assert "reserved at one of " in answer
    assert "yet to be found" not in answer


def test_a_few_boards_that_a_line_may_buy_stand_beside_cards_that_need_no_server_of_eight() -> None:
    asked = ask(live_catalogue(), "buy or rent 2 H100 for 3 years", DAY)
    (cards,) = asked.beside
    assert asked.report is not None
    assert cards.report is not None
    boards, fewer = asked.report.answer.own, cards.report.answer.own
    assert boards is not None
    assert fewer is not None
    assert fewer.present_usd < boards.present_usd / 2
    assert not ask(live_catalogue(), "rent 2 H100 for 3 months", DAY, with_answer=False).beside


@pytest.mark.parametrize("line", [
    "qwen3 235b for a German ministry, peak of 12 requests per second, data must stay in the EU, 3 years",
    "serve qwen3 235b in France at 5 requests/s, data stays in the EU, own or rent for 3 years",
])  # fmt: skip
def test_any_gpu_is_one_that_somebody_rents_out_where_the_work_stays(line: str) -> None:
    """A plan compares renting with owning, so that both have a cost; what is not hosted there has a reason."""
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    assert report.answer.rent is not None
    assert report.answer.own is not None
    (hosted,) = (each for each in report.summary.sentences if each.startswith("By the token"))
    assert "costs $" in hosted
    assert "in the European Union" in hosted


@pytest.mark.parametrize(("line", "found"), [
    ("96 h100 in Mumbai for 2 years", "That is the price in India: anywhere it is $"),
    ("16 H200 in Brazil for a year", "That is the price in Brazil: anywhere it is $"),
    ("16 h100 in Texas for a year", "That is the price in United States: anywhere it is $"),
    ("8 h100 in Poland for a year", "in the European Union: no seller on record likely has so many in Poland; any"),
    ("8 h100 for 6 months in Germany", "That is the price in the European Union: in Germany it is $"),
    ("8 h100 in europe for a year", "That is the price in the European Union: anywhere it is $"),
    ("8 h100 in Switzerland for a year", "That is the price in Europe: in Switzerland it is $"),
    ("16 h100 in Rwanda for a year", "That is the price anywhere: no seller on record likely has so many in Rwanda"),
    ("96 h100 in Mumbai for 2 years, anywhere is fine", "That is the price anywhere: in India it is $"),
    ("24 H100 in Singapore for 3 years at 50% use, anywhere", "at Oracle Cloud"),
    ("8 h100 for a year", ""),
    ("96 h100 in India for 2 years, data must stay in the country", ""),
])  # fmt: skip
def test_the_price_of_a_place_that_a_line_names_stands_beside_that_of_other_places(line: str, found: str) -> None:
    answer = _answer_of(line)
    assert ("That is the price " in answer) == bool(found)
    assert found in answer


@pytest.mark.parametrize(("line", "stay"), [
    ("8 h100 in germany", "near"), ("8 h100, only in germany", "country"), ("8 h100 in germany, anywhere", "anywhere"),
    ("8 h100 in the EU", "near"), ("8 h100 only in the EU", "eu"), ("8 h100 with lambda in oslo", None),
    ("5000 euros a month on gpt-5, host llama 70b", "anywhere"), ("£180k for h100 over 3 years", "anywhere"),
    ("16 h100 in warsaw, sovereign cloud", "eu_sellers"), ("swiss sovereign cloud, 16 h100", "near"),
    ("bank needs 32 h100 in switzerland, no us cloud providers", "near"), ("8 h100", None),
    ("buy 8 h100 for our data center in Poland", "near"), ("gdpr, 6000 euros a month on claude sonnet", "eu"),
])  # fmt: skip
def test_a_named_place_is_rented_nearby_and_a_guessed_one_binds_nothing(line: str, stay: str | None) -> None:
    reading = read_line(live_catalogue(), line)
    assert reading.scenario is not None
    assert reading.scenario.stay == stay
    assert any("stands near" in note for note in reading.notes) == (stay == "near")


@pytest.mark.parametrize(("line", "is_said"), [
    ("serve llama 70b at 3 rps in germany", True), ("serve llama 70b at 3 rps in sydney", True),
    ("serve llama 70b at 3 rps in europe", True), ("serve llama 70b at 3 rps", False),
])  # fmt: skip
def test_a_hosted_model_stays_a_rival_where_a_place_is_named(line: str, is_said: bool) -> None:
    answer = _answer_of(line)
    assert "Hosted, by the token: $" in answer
    assert ("; where it runs is not known." in answer) == is_said


@pytest.mark.parametrize(("line", "phrase"), [
    ("8 h100 in germany", "rented nearby"), ("8 h100 in germany, anywhere", "rented anywhere"),
    ("8 h100, only in germany", "all of it in that country"), ("8 h100 only in the EU", "all of it in the European Un"),
])  # fmt: skip
def test_the_sentence_says_where_it_is_rented(line: str, phrase: str) -> None:
    assert f"busy 60% {phrase}" in _answer_of(line)


def test_a_seller_of_tokens_stays_where_the_place_is_guessed_from_the_money() -> None:
    answer = _answer_of("6000 euros a month on claude sonnet, host deepseek v3")
    assert "must stay" not in answer
    assert "Use a hosted model, not Claude Sonnet" in answer


@pytest.mark.parametrize(("line", "most_usd"), [
    ("6 artists render in blender 5 hours a day, six 4090s or the cloud?", 30_000),
    ("8 rtx 5090 for rendering in our studio, 30% busy, 3 years", 70_000),
    ("6 RTX PRO 6000 in our office for 3 years", 120_000),
    ("ten 4090s in the office, 40% busy, 3 years", 80_000),
])  # fmt: skip
def test_cards_of_an_office_are_bought_in_workstations_at_its_circuits(line: str, most_usd: float) -> None:
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    assert place_key(report.plan.setting) == "office"
    assert report.answer.own is not None
    assert report.answer.own.present_usd < most_usd


@pytest.mark.parametrize(("line", "is_hosted"), [
    ("deepseek v3 self hosted", False),
    ("self-host llama 70b for 200 people", False),
    ("we want to selfhost qwen3 32b at 2 requests per second", False),
    ("api or self hosted deepseek v3?", True),
    ("self hosted qwen 14b vs api", True),
    ("deepseek v3, 1 request per second", True),
])  # fmt: skip
def test_who_hosts_a_model_himself_is_answered_so(line: str, is_hosted: bool) -> None:
    """What the tokens would cost is said beside it."""
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    assert any(way.option.way == "hosted" for way in report.answer.ranked) == is_hosted
    assert any(each.startswith("By the token the cheapest") for each in report.summary.sentences) != is_hosted


@pytest.mark.parametrize(("line", "label"), [
    ("l4 vs t4 for whisper", "L4 24 GB"),
    ("whisper on a T4, 20 hours of audio a day", "T4 16 GB"),
    ("qwen3 8b on an L40S for 20 people", "L40S 48 GB"),
])  # fmt: skip
def test_a_gpu_that_is_named_is_answered_and_a_desk_or_processors_stand_beside(line: str, label: str) -> None:
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    beside = {way.option.way for way in report.answer.ranked} & {"desk", "processors"}
    assert beside
    compared = [*(report.answer.pair or ()), *report.answer.cards.values(), report.answer.best]
    assert not beside & {way.option.way for way in compared if way is not None}
    assert label in report.summary.sentences[0]


def test_without_a_named_gpu_every_machine_competes() -> None:
    report = ask(live_catalogue(), "llama 3.1 8b for 4 people", DAY).report
    assert report is not None
    assert all(not way.option.is_beside for way in report.answer.ranked)


@pytest.mark.parametrize("line", ["llama 3.1 8b, 0.3 requests per second", "qwen3 8b on an L40S for 20 people"])
def test_options_far_off_the_answer_are_named_without_their_cost(line: str) -> None:
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    assert report.answer.pair is not None
    most = 10 * max(way.present_usd for way in report.answer.pair)
    far = [way.option.title for way in report.answer.ranked if way.present_usd > most]
    text = _answer_of(line).partition("Other options: ")[2].splitlines()[0]
    assert far
    for title in far:
        assert f"{title} (over 10 times as much)" in text
    assert all(f"{title} $" not in text for title in far)


@pytest.mark.parametrize(("chip", "years"), [("rtx 5090", 2), ("RTX 4090", 3), ("L40S", 1), ("RTX A6000", 2)])
def test_one_that_is_reserved_costs_no_more_each_than_two(chip: str, years: int) -> None:
    """A contract goes to a seller of machines that the order fills, not to one of four cards of which three idle."""

    def each(count: int) -> float:
        report = ask(live_catalogue(), f"{count} {chip} for {years} years, reserved or bought", DAY).report
        assert report is not None
        option = report.plan.option("reserved")
        assert option is not None
        rent = sum(float(line.total_usd) for line in option.ledger.lines if line.part != "staff")
        return rent / count

    assert each(1) < 1.2 * each(2)


@pytest.mark.parametrize("line", [
    "clinic in Lyon, patient data must stay on site, serve a 70b to 150 doctors, 4 years",
    "air-gapped, llama 3.3 70b for 300 engineers in Munich",
    "qwen3 32b at 2 requests a second, on-prem only, 5 years",
])  # fmt: skip
def test_where_only_owning_is_allowed_the_gpu_is_the_cheapest_to_own(line: str) -> None:
    """What is rented out decides nothing there, so that no other GPU is named that costs less to own."""
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    assert report.answer.rent is None
    assert report.answer.own is not None
    assert not any(each.startswith("Owning would cost about") for each in report.summary.sentences)


@pytest.mark.parametrize(("line", "place"), [
    ("animation studio with 9 artists, an RTX 4090 each, buy or rent", "office"),
    ("7 designers with one RTX 5090 each for 2 years", "office"),
    ("16 RTX 4090 for a team of 40 for 3 years", "colocation"),
])  # fmt: skip
def test_a_card_for_each_person_stands_at_his_desk(line: str, place: str) -> None:
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    assert place_key(report.plan.setting) == place
    assert {"office": "in an office", "colocation": "in colocation"}[place] in ask(live_catalogue(), line, DAY).read_as
