"""Questions in one line, in people's own words: which fields come out, and what bad input says."""

import math
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from planner.money.verdict.answer import build_answer
from planner.report.answer.phrases import question_text
from planner.scenario.known_names import ScenarioError
from planner.scenario.link import parse_link, scenario_to_link
from planner.scenario.path import get_value
from planner.scenario.question import HOURS, KEYS
from planner.study.one_line.line_plan import with_open_parts
from planner.study.one_line.line_records import ANSWER_IT, LineError, LineReading, sentence_of_reading
from planner.study.one_line.read_line import LONGEST, read_line
from planner.study.plan_any import planned
from pricing import PricingError, load_catalogue
from tests.daily import of_today
from tests.frozen import live_catalogue
from tests.rows import each_row

ROWS = [row.split(" | ") for row in (Path(__file__).parent / "lines.txt").read_text("utf-8").splitlines()]
DAY = date(2026, 11, 21)
LEAST_SHARE = 0.98
MOST_ASKED = 0.005  # of lines, though what they say is known
_NAMES = ("gpu", "train", "serve", "site")  # another of these is another question


def _field(reading: LineReading, name: str) -> Any:
    """Return a field of a line's plan by its key in a link, or what stands beside those."""
    scenario = reading.scenario
    assert scenario is not None
    work, usd = scenario.work[0], {amount.path: amount.text for amount in scenario.typed}
    bill = usd.get(("bill", "usd_per_month"), "").partition(" ")[0].replace(",", "")
    budget = reading.budget_usd or 0.0
    others = {
        "have": scenario.kept and scenario.kept.accelerators, "run": work.run and work.run.hours, "bill_eur": bill,
        "budget": budget, "budget_eur": budget / 1.1, "budget_monthly": budget / scenario.months,
        "ways": ",".join(scenario.ways),
    }  # fmt: skip
    try:
        return others[name] if name in others else get_value(scenario, KEYS[name].path)
    except (AttributeError, TypeError, KeyError):
        return None


def _agrees(value: Any, wanted: str, *, within: float = 0.01) -> bool:
    try:
        return math.isclose(float(value), float(wanted), rel_tol=within)
    except (TypeError, ValueError):
        return str(value) == wanted


def _wrong(line: str, fields: str) -> list[str]:
    """Return what is not as the row wants it; `no plan` where there is none."""
    try:
        reading = read_line(live_catalogue(), line)
    except PricingError as error:
        return [f"no plan: {error}"]
    if fields == "asked":  # or answered for both, or without what is said to be left out
        choices = reading.questions[0].choices if reading.scenario is None else (reading.left_out or reading.beside)
        return [] if choices else ["answered without a question"]
    if reading.scenario is None:
        return [f"no plan: {reading.questions}"]
    wanted = dict(pair.split("=") for pair in fields.split())
    return [
        f"{name} = {_field(reading, name)}, want {value}"
        for name, value in wanted.items()
        if not _agrees(_field(reading, name), value, within=0.2 if name == "budget_eur" else 0.01)
    ]


@pytest.mark.slow
def test_the_hundred_are_answered_and_none_for_another_model_chip_or_place() -> None:
    rows = of_today(ROWS, 2)
    wrong = {line: _wrong(line, fields) for line, fields in rows}
    assert len(rows) >= 100
    another = {line: each for line, each in wrong.items() if any(it.startswith(_NAMES) for it in each)}
    assert not another
    misses = {line: each for line, each in wrong.items() if each}
    asked = [line for line, each in misses.items() if each[0].startswith("no plan")]
    assert len(asked) <= MOST_ASKED * len(rows), "words that carry nothing hold nothing up"
    assert len(misses) <= (1 - LEAST_SHARE) * len(rows), misses


@each_row(("line", "problem"), [
    ("", "is empty"), ("   ", "is empty"), ("asdf qwerty zxcv", "Nothing in"), ("x" * 10_000, "10,000 characters"),
    ("h100 " * 2_000, f"at most {LONGEST}"), ("'; DROP TABLE plans; --", "Nothing in"),
    ("pytorch does not see my gpu", "about what GPUs cost"), ("weather in Frankfurt tomorrow", "about what GPUs cost"),
    ("sushi for 4 people at our office", "about what GPUs cost"),
    ("my 4090 crashes, how do I update the driver", "a line such as 64 H100 for 3 months in Germany."),
    ("<script>alert(1)</script>", "Nothing in"), ("we pay openai 0 a month", "above 0 to 1,000,000,000"),
    ("bill of $1e12", "not 1,000,000,000,000"), ("we pay openai $0.01 a month", "another bill"),
    ("we pay openai $999999999999 a month", "from '$999999999999 a month'"), ("0 people", "People who use them"),
    ("0 h100", "It was read from '0 h100'"), ("0 people with llama 70b", "use nothing"),
    ("llama 70b at 0 requests a second", "Requests a second, on average"), ("8 h100 for 100 years", "0.25 to 10"),
    ("llama 70b with 0 input tokens at 2 rps", "Tokens read for each request"), ("8 h100 busy 150%", "not 150"),
    ("8 h100 for 0 years", "from 'for 0 years'"), ("h100 for $250.000", "is that 250,000 or 250.00"),
    ("budget of $0, 8 h100", "A budget of 0 USD"), ("budget of one trillion dollars for h100s", "buys no plan"),
    ("8 h100, loan at 90%", "0 to 50, not 90"), ("null A100 for 6 months", "from 'null A100'"),
    ("unlimited gpus for a year", "from 'unlimited gpus'"), ("2e9 H200 for a day", "2,000,000,000"),
])  # fmt: skip
def test_bad_input_is_refused_in_a_sentence(line: str, problem: str) -> None:
    with pytest.raises((LineError, ScenarioError)) as refusal:
        read_line(load_catalogue(), line)
    assert problem in str(refusal.value)
    assert not re.search(r"[a-z]_[a-z]|[a-z]\.[a-z0-9]", str(refusal.value)), "no name of a field"
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


@each_row(("line", "choices"), [
    ("8 h100 in georgia", {"GE", "US-GA"}), ("4 a6000", {"RTX-A6000-48GB", "RTX-6000-Ada-48GB"}),
    ("8 h100 in germny", {"DE", "US"}),
])  # fmt: skip
def test_two_readings_are_a_question_whose_choices_are_lines(line: str, choices: set[str]) -> None:
    catalogue = live_catalogue()
    reading = read_line(catalogue, line)
    assert reading.scenario is None
    plans = [read_line(catalogue, each).scenario for each in reading.questions[0].choices.values()]
    assert {plan.site if "h100" in line else plan.accelerator for plan in plans if plan} == choices


@each_row(("line", "words"), [
    ("8 h100 in Atlantis", "Atlantis"), ("llama 900b at 5 rps", "900b"), ("8 zz900 for 10 people", "zz900"),
    ("whisper medium on an old gtx 1080 ti", "gtx 1080 ti"),
    ("60k chars a day by nllb", "nllb"), ("zorgemma 27b for 300 doctors", "27b"), ("nemotron 49b on 2 h100", "49b"),
])  # fmt: skip
def test_an_unknown_chip_model_or_place_is_asked_about_and_never_another_taken(line: str, words: str) -> None:
    reading = read_line(live_catalogue(), line)
    assert reading.scenario is None
    assert [question.text for question in reading.questions] == [words]
    assert reading.questions[0].choices


def test_each_name_of_a_line_is_in_its_plan_or_said_before_it() -> None:
    reading = read_line(live_catalogue(), "gpt-4o on 64 h100 with lambda in oslo")
    assert reading.scenario is not None
    planned = (reading.scenario.accelerator, reading.scenario.site, live_catalogue().offers[
        reading.scenario.rent.offer or ""].provider)  # fmt: skip
    assert planned == ("H100-SXM5-80GB", "NO", "lambda")
    assert any(each.startswith("gpt-4o, as neither a bill") for each in reading.left_out)


def test_what_was_not_understood_is_shown_and_the_usual_meaning_said() -> None:
    reading = read_line(load_catalogue(), "8 h100 with purple frobnicators in Germany")
    assert reading.unknown == ("purple frobnicators",)
    assert any("H100 SXM5" in note for note in reading.notes)
    assert {(phrase.text, phrase.value) for phrase in reading.understood} == {
        ("8 h100", "8 x H100 SXM5 80 GB"), ("Germany", "Germany"),
    }  # fmt: skip


def test_a_budget_gives_the_count_and_a_time_gives_the_tokens() -> None:
    catalogue = live_catalogue()
    plan, notes = with_open_parts(catalogue, read_line(catalogue, "$300k for 10 people"), DAY)
    assert plan.work[0].people == 10
    assert 2 <= plan.work[0].accelerators <= 20
    assert "pays for" in notes[0]
    plan, notes = with_open_parts(catalogue, read_line(catalogue, ROWS[0][0]), DAY)
    assert plan.work[0].train is not None
    assert 1e11 < (plan.work[0].train.tokens or 0) < 1e12
    assert "fill 80% of the time" in notes[0]


@each_row(
    ("line", "usd"), [("400 dollars for my thesis", 400), ("900 dollars to try h200", 900), ("budget $1500", 1_500)]
)
def test_a_budget_too_small_for_a_plan_pays_for_hours(line: str, usd: float) -> None:
    catalogue = live_catalogue()
    plan, notes = with_open_parts(catalogue, read_line(catalogue, line), DAY)
    run = plan.work[0].run
    assert run is not None
    assert usd / 8 < run.hours < usd / 1.5
    paid = build_answer(planned(catalogue, plan, DAY)).best
    assert paid is not None
    assert 0.9 * usd < float(paid.measures.bills_usd) <= usd
    assert f"{run.hours:,g} hours" in notes[0]


@each_row(("line", "busy"), [
    ("24 h200 for a year", 1.0), ("24 h200 for a year, 40% busy", 0.4), ("24 h200", None), ("rtx 5090, 2 years", None),
])  # fmt: skip
def test_what_is_wanted_for_a_term_is_wanted_all_of_it(line: str, busy: float | None) -> None:
    reading = read_line(live_catalogue(), line)
    assert reading.scenario is not None
    assert reading.scenario.work[0].busy_share == busy
    assert any("all of it is taken" in note for note in reading.notes) == (busy == 1.0)


@each_row(("line", "seller"), [
    ("8 h100 at lambda", "lambda"), ("32 b200 on together", "together"), ("4 l4 on google cloud in belgium", "gcp"),
    ("8 h100 on aws for 6 months", "aws"),
])  # fmt: skip
def test_a_seller_of_gpus_is_the_one_rented_from(line: str, seller: str) -> None:
    reading = read_line(live_catalogue(), line)
    assert reading.scenario is not None
    offer = live_catalogue().offers[reading.scenario.rent.offer or ""]
    assert offer.provider == seller
    assert reading.scenario.site != "BE" or "BE" in live_catalogue().providers["gcp"].regions[offer.region]
    assert any(live_catalogue().providers[seller].label in note for note in reading.notes)


def test_what_one_has_goes_into_the_link_and_the_sentence() -> None:
    catalogue = live_catalogue()
    plan = read_line(catalogue, "we own 64 v100 from 2019 worth 300 each, replace with 16 h100").scenario
    assert plan is not None
    link = scenario_to_link(plan)
    assert (link["have"], link["havegpu"], link["havesince"]) == ("64", "V100-SXM2-16GB", "2019")
    assert parse_link(link, catalogue).scenario.kept == plan.kept
    said = "beside 64 V100 SXM2 16 GB you have since 2019, worth 19,200 USD"
    assert question_text(catalogue, HOURS, link).endswith(said)


@each_row(("line", "field", "value"), [
    ("8 h100 until end of 2028", "years", 2.101), ("llama 8b on 1T tokens by 15 March with 64 h100", "due", 109),
    ("32 h100 from March for 2 years", "years", 2.0), ("8 h100 until 2027-06-30 in Oslo", "years", 0.592),
    ("train a 7b on 10B tokens until christmas on 8 h100", "due", 29), ("8 h100 til new year", "years", 0.25),
    ("train a 7b on 10B tokens by Q2 2027 on 8 h100", "due", 126),
    ("40 l4 for 5 weeks, deadline 1 March", "years", 0.25),
    ("the project ends in June 2028: 16 h100", "years", 1.6), ("8 mi300x until the end of next year", "years", 1.096),
    ("128 h100 for 40 days from february", "years", 0.25), ("8 h100 until 30.06.2028", "years", 1.594),
])  # fmt: skip
def test_a_date_is_the_time_until_then(line: str, field: str, value: float) -> None:
    reading = read_line(live_catalogue(), line, date(2026, 11, 26))
    assert _field(reading, field) == pytest.approx(value, abs=0.01)
    assert not reading.left_out


@each_row(("line", "begins", "years"), [
    ("16 h200 from January for 2 years", "2027-01-01", 2),
    ("16 h100 starting q2 2027 for two quarters", "2027-04-01", 0.5),
    ("we need it by q3: 32 mi300x", "2027-07-01", 3), ("24 b200 by the end of q1 for a year", "2027-03-31", 1),
    ("16 l40s, our contract ends in may, 2 years more", "2027-05-31", 2),
    ("8 h100 in october for 4 months", "2027-10-01", (
        1 / 3)), ("64 h100 ab märz, 2 jahre", "2027-03-01", 2),
    ("32 h100 from march 2027 to december 2028", "2027-03-01", 1.838), ("8 a100 from 1.2.2027 until 31.1.2029", (
        "2027-02-01"), 2),
])  # fmt: skip
def test_a_date_from_which_is_the_beginning_and_no_length(line: str, begins: str, years: float) -> None:
    reading = read_line(live_catalogue(), line, date(2026, 11, 26))
    assert any(re.match(rf"(?:It begins|The contract ends) on {begins}", note) for note in reading.notes)
    assert _field(reading, "years") == pytest.approx(years, abs=0.01)
    assert not reading.left_out


@each_row(("line", "label"), [
    ("16 h100 in Oslo and Stockholm", "Sweden"), ("8 h100 in oslo or stockholm and 16 mi300x", "MI300X"),
])  # fmt: skip
def test_of_two_of_a_kind_the_second_is_left_out_and_named(line: str, label: str) -> None:
    reading = read_line(live_catalogue(), line)
    assert reading.scenario is not None
    assert any(label in each for each in reading.left_out)
    other = next(each for name, each in reading.choices.items() if label in name)
    assert not read_line(live_catalogue(), other).left_out


@each_row(("line", "sides"), [
    ("8 h100 or 16 mi300x for a year", {"8 h100": (8, "H100-SXM5-80GB", "US", 1), "16 mi300x": (
        16, "MI300X-192GB", "US", 1)}),
    ("16 h100 in germany or the UK", {"germany": (16, "H100-SXM5-80GB", "DE", 3), "UK": (
        16, "H100-SXM5-80GB", "GB", 3)}),
    ("8 or 16 h200, 2 years", {"16 h200": (16, "H200-SXM-141GB", "US", 2), "8 h200": (8, "H200-SXM-141GB", "US", 2)}),
    ("4 l4, 2 l40s or 1 h100", {"4 l4": (4, "L4-24GB", "US", 3), "2 l40s": (2, "L40S-48GB", "US", 3), "1 h100": (
        1, "H100-SXM5-80GB", "US", 3)}),
    ("8 h100 in norway vs 16 mi300x in iceland", {"8 h100, norway": (8, "H100-SXM5-80GB", "NO", 3), (
        "16 mi300x, iceland"): (16, "MI300X-192GB", "IS", 3)}),
])  # fmt: skip
def test_of_what_is_compared_each_side_is_a_line(line: str, sides: dict[str, tuple[int, str, str, float]]) -> None:
    reading = read_line(live_catalogue(), line)
    assert reading.left_out == ()
    plans = {
        name: read_line(live_catalogue(), each).scenario
        for name, each in {reading.side: line, **reading.beside}.items()
    }
    assert sides == {
        name: (plan.work[0].accelerators, plan.accelerator, plan.site, plan.years)
        for name, plan in plans.items()
        if plan
    }


@each_row(("line", "left"), [

    ("8 h100 for 3 years until june 2027", ["until june 2027, as the time"]),
    ("please quote 48 L40S, 3-yr term, prepay 50%", ["prepay 50%"]), ("16 h100 for half the year", ["half the"]),
    ("rent 8 h100 now and buy them in a year", ["now and buy"]), ("a single mi300x for one afternoon", ["afternoon"]),
    ("from 64 h100 down to 32 h100 after 6 months", ["down to", "after 6"]),
    ("8 h100, 40% tax break", ["40%"]),
    ("resnet50 on imagenet in a day on tpus, train", ["tpus"]),
    ("16 h100 on-prem and 16 h100 in gcp", ["16 h100"]),
    ("move from aws to own hardware, 40 a100 today", ["move from aws"]), ("200 h100 in 3 sites", ["3 sites"]),
    ("train resnet50 with 20 epochs on 8 a10", ["20 epochs"]),
    ("is h200 cheaper per token for deepseek r1", ["per token"]), ("first month free, 8 h100", ["free"]),
    ("how long would 300k usd last on 32 h100", ["how long would"]), ("8 h100 until our funding ends", ["until our"]),
    ("24/7 serving of gemma 27b, 50 rps peak, 5 rps at night", ["at night"]), ("512 h100, spare nodes", ["spare"]),
     ("b200, rent it out?", ["rent it out"]),
    ("gpt-oss-120b on a single h100: how many users?", ["how many users"]), ("500 tok/s of llama 8b, single stream", [
        "single stream"]), ("32 h100 for 12 months, option for 12 more", ["option for 12 more"]),
    ("hetzner or own 4090", ["hetzner, as no offer of it"]), ("buy 4090 48gb china mod", ["48gb", "china mod"]),
    ("music generation on 2 4090, 300 songs a day", ["300 songs a day"]),
    ("half the year in germany, 8 h100", ["half the year"]), ("best gpu on runpod for sdxl", ["runpod, as no offer"]),
    ("Bedrock claude haiku 12k per month", ["Bedrock, as the plan is for another"]),
    ("per month 5B tokens, llama 70b", ["per month"]),
])  # fmt: skip
def test_what_has_weight_and_no_field_waits_for_a_choice(line: str, left: list[str]) -> None:
    reading = read_line(live_catalogue(), line, date(2026, 11, 26))
    assert len(reading.left_out) == len(left), reading.left_out
    assert all(text in each for text, each in zip(left, reading.left_out, strict=True))
    assert reading.choices[ANSWER_IT] == line
    said = sentence_of_reading(reading, "Run it")
    assert said.startswith(f"Read as: Run it. Left out: {reading.left_out[0]}")
    assert said.endswith("The answer is for what was read.")


@each_row("line", [
    "we have been waiting, so: 8 h100 for 2 years in frankfurt, please", "llama 70b at 5 rps, 99.9% uptime",
    "is it worth it or not: 16 h200 for 3 years", "buy, lease or rent 8 h100",
    "open model instead of gpt-4o, $9k a month",
    "$300k for 10 people", "24/7 llama 70b for 2000 customers", "16 h100, rather 60% busy than idle, 3 years",
])  # fmt: skip
def test_words_without_weight_hold_nothing_up(line: str) -> None:
    reading = read_line(live_catalogue(), line)
    assert (reading.left_out, reading.choices) == ((), {})
    assert sentence_of_reading(reading, "Run it") == "Read as: Run it."


@each_row(("line", "choices"), [
    ("esxi box with a6000", ("RTX A6000 48 GB", "RTX 6000 Ada 48 GB")),
    ("tts for a call center", ("one L4", "100 GPU-hours a month", "1,000 GPU-hours a month", "1,000 GPU-hours in all")),
    ("demand forecasts for 3,000 shops", ("one L4", "100 a month", "1,000 a month", "10,000 in all")),
])  # fmt: skip
def test_what_has_no_record_is_asked_about_with_the_nearest(line: str, choices: tuple[str, ...]) -> None:
    question = read_line(live_catalogue(), line).questions[0]
    assert len(question.choices) == len(choices)
    assert all(read_line(live_catalogue(), each).scenario is not None for each in question.choices.values())


@each_row(("line", "field", "value", "said"), [
    ("8 h100 in scandinavia", "site", "SE", "scandinavia, as a plan has one place: Sweden is taken"),
    ("16 h100, we cant use american clouds", "stay", "eu_sellers", "only sellers of the European Union"),
    ("16 h100, no us clouds, in frankfurt", "stay", "eu_sellers", "only sellers of the European Union"),
    ("no american or chinese providers, 64 gpus", "stay", "eu_sellers", "only sellers of the European Union"),
    ("4 dgx b200 with 30% down and the rest at 6.4%", "loan", 0.064, ""),
    ("cant send data to the cloud, llama 8b for 50 nurses", "place", "own_room", "What is rented or hosted"),
    ("8 h100 in canada, no us clouds", "site", "CA", "sellers with headquarters there are left out"),
    ("llama 70b for 60 lawyers, no cloud", "place", "own_room", "What is rented or hosted is left out"),
    ("we spend 20k a month on gpus", "gpu", "H100-SXM5-80GB", "which that bill pays for all the time"),
    ("300 kW of space in texas, h100", "gpus", 232, "300 kW feed 29 machines of 10.2 kW"),
    ("two 48gb cards for 1 year", "gpus", 2, "48gb, as several have it: L40S 48 GB is taken"),
    ("10 people on claude at $20 each", "bill", 200, ""),
    ("pretrain a 400M bert on 200B tokens", "train", "BERT-Base", ""),
    ("8 h100, 50% debt at 8%", "loan", 0.08, ""), ("16 h200, 3 yr lease at 5 percent", "busy", None, ""),
    ("need 16 h100, 99.9% uptime", "gpus", 16, ""), ("8 h100, if electricity rises 10% a year", "growth", 0, ""),
    ("no nvidia: 32 gpus", "gpu", "MI300X-192GB", ""), ("1 gpu node for 20 researchers", "gpus", 8, ""),
    ("100 hours of gpu per dev, 12 devs", "team", 12, ""), ("bert on our cpus at 200 requests a second", "gpu", (
        "CPU-EPYC-9654"), ""),
    ("embed 2M docs of 300 tokens each per day", "in", 300, ""), ("process 40 TB of video on 8 l4", "disk", None, (
        "process 40 TB of video")),
])  # fmt: skip
def test_what_strangers_write_ends_in_the_field_that_they_mean(line: str, field: str, value: Any, said: str) -> None:
    reading = read_line(live_catalogue(), line, date(2026, 11, 26))
    assert said in " ".join((*reading.notes, *reading.left_out))
    assert value is None or _agrees(_field(reading, field), str(value))
    assert value is not None or _field(reading, field) != 40
    assert field != "busy" or _field(reading, field) != 0.05


def test_a_model_without_a_record_is_left_out_where_the_gpus_are_stated() -> None:
    reading = read_line(live_catalogue(), "train yolo v8 on 4 rtx 4090")
    assert reading.left_out == ("yolo v8, as there is no record of it",)
    assert _field(reading, "gpus") == 4
    assert reading.choices["as ViT-B/16"] == "train ViT-B/16 on 4 rtx 4090"


@each_row("line", [
    "9,000 CT scans per day on 3 L40S", "WACC 6% per second, 8 h200", "1M ct/kWh, 8 h100", "9k cents per kwh, 8 h100",
    "8 h100 by 31 February 2027", "0.5 hours of audio a day", "64 h100 from 25 to 99, 3 shifts",
])  # fmt: skip
def test_odd_numbers_end_in_a_plan_or_a_sentence(line: str) -> None:
    try:
        assert read_line(live_catalogue(), line).line == line
    except (LineError, ScenarioError) as refusal:
        assert "\n" not in str(refusal)
