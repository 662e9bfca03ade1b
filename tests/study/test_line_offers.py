"""Sellers of a line with their prices, bills that grow, GPUs of a later year, months of each year, and waiting."""

import re

import pytest

from planner.api.plans import ask, line_result
from planner.scenario.scenario import Scenario
from planner.study.one_line.line_sellers import offers_of
from planner.study.one_line.read_line import read_line
from tests.facts import DAY
from tests.frozen import live_catalogue
from tests.rows import each_row

THREE = "CoreWeave 2.35, Lambda 2.60, Nebius 2.20 an hour, which one for 64 h100 for 3 years"


def _plan(line: str) -> Scenario:
    reading = read_line(live_catalogue(), line, DAY)
    assert reading.scenario is not None, reading.questions
    return reading.scenario


@each_row(("line", "prices"), [
    (THREE, {"Nebius 2.20": 2.2, "CoreWeave 2.35": 2.35, "Lambda 2.60": 2.6}),
    ("64 H100, 1 year: 2.35 from CoreWeave or 2.60 from Lambda", {"CoreWeave 2.35": 2.35, "Lambda 2.60": 2.6}),
    ("runpod 2.69 vs vast 1.90 per hour for 8 h100", {"vast 1.90": 1.9, "runpod 2.69": 2.69}),
    ("128 h200: nebius wants $2.95/h, lambda $3.20/h", {"nebius $2.95": 2.95, "lambda $3.20": 3.2}),
    ("64 H100 at $2.10/h (Crusoe) vs $2.49/h (Lambda)", {"Crusoe $2.10": 2.1, "Lambda $2.49": 2.49}),
    ("Acme bids 2.10, Zeta Cloud bids 2.30 per GPU hour, 8 H100", {"Acme 2.10": 2.1, "Zeta Cloud 2.30": 2.3}),
])  # fmt: skip
def test_each_of_several_offers_keeps_its_seller_and_its_price(line: str, prices: dict[str, float]) -> None:
    catalogue = live_catalogue()
    lines = offers_of(catalogue, line)
    plans = {label: read_line(catalogue, each, DAY).scenario for label, each in lines.items()}
    assert list(plans) == sorted(prices, key=prices.__getitem__)
    for label, plan in plans.items():
        assert plan is not None
        assert plan.rent.usd_per_accelerator_hour == prices[label]
        seller = catalogue.offers[plan.rent.offer].provider if plan.rent.offer else ""
        assert not seller or seller[:4] == label.lower()[:4]


@each_row(("line", "years"), [
    ("64 h100, nebius at 2.1 for 1 year or coreweave 2.6", 1),
    ("8 h200: Lambda 2.95 for 1 year, CoreWeave 2.40 for 3 years", 3),
    ("16 h100: coreweave 2.35, lambda 2.60 for 24 months, nebius 2.20", 2),
])  # fmt: skip
def test_offers_of_different_terms_are_compared_over_the_longest(line: str, years: float) -> None:
    catalogue = live_catalogue()
    plans = [read_line(catalogue, each, DAY).scenario for each in offers_of(catalogue, line).values()]
    assert len(plans) > 1
    assert {plan and plan.years for plan in plans} == {years}


@each_row(("line", "years", "prices"), [
    ("vendor A: 16 H200 at $2.95/gpu-hr 12 months; vendor B: at $2.40 but 36 months; vendor C: buy at $38k per gpu",
     [1, 3], [2.95, 2.4]),
    ("offer 1: 64 H100 at $2.60/gpu-hr, 12 months; offer 2: $2.10/gpu-hr, 24 months", [1, 2], [2.6, 2.1]),
    ("bidder A 32 B200 at $4.10 per hour for 1 year, bidder B $3.60 per hour for 3 years", [1, 3], [4.1, 3.6]),
])  # fmt: skip
def test_numbered_offers_stand_beside_each_other_with_their_terms(
    line: str, years: list[float], prices: list[float]
) -> None:
    reading = read_line(live_catalogue(), line, DAY)
    plans = [reading.scenario, *(_plan(each) for each in reading.beside.values())]
    assert not reading.left_out
    assert [plan and plan.years for plan in plans] == years
    assert [plan and plan.reserve.usd_per_accelerator_hour for plan in plans] == prices


@each_row("line", [
    "8 H100 at 2.35 or 16 MI300X at 1.90 an hour", "we pay openai 22k, gemini 4k a month", "2 or 3 H100 for a year",
    "we have a quote of $2.10 per H100 hour for 128 GPUs", "rent 8 H100 at Lambda for 2.49",
])  # fmt: skip
def test_one_price_or_the_prices_of_chips_are_no_list_of_offers(line: str) -> None:
    assert offers_of(live_catalogue(), line) == {}


@each_row(("line", "gpus", "months"), [
    ("128 H100 on a one year commitment at 9.90 per gpu hour, is this good?", 128, 12),
    ("our reserved contract of 64 a100 at $1.60 ends in june, what should we pay next", 64, 12),
    ("24 h100 reserved for two years at 2.80 an hour, too much?", 24, 24),
])  # fmt: skip
def test_a_price_for_a_term_stands_beside_the_total_at_the_price_of_the_market(
    line: str, gpus: int, months: int
) -> None:
    asked = ask(live_catalogue(), line, DAY)
    assert asked.report is not None
    sentence = next(text for text in asked.report.summary.sentences if re.match(r"Your \$\d", text))
    found = re.search(r"the \$([\d.]+) \(.*, \$([\d.,]+)( million)? in all;", sentence)
    assert found is not None
    total = float(found[2].replace(",", "")) * (1e6 if found[3] else 1)
    assert total == pytest.approx(float(found[1]) * gpus * months * 730, rel=0.01)


def test_which_offer_is_answered_with_the_total_of_each() -> None:
    answer = ask(live_catalogue(), THREE, DAY)
    assert not answer.reading.left_out
    reports = [answer.report, *(side.report for side in answer.beside)]
    totals = [report.answer.cards["rent"].present_usd for report in reports if report]
    assert totals == sorted(totals)
    assert totals[2] / totals[0] == pytest.approx(2.60 / 2.20, rel=0.05)  # disks and traffic cost the same at each
    text = line_result(answer).text()
    assert "Of 3 offers the one at the lowest price is taken: Nebius 2.20" in text
    assert "Nebius 2.20  " in text.split("\nMeasure ")[1].splitlines()[0]


def test_offers_of_machines_are_prices_of_machines() -> None:
    line = "quotes for an 8x H200 server: Dell 310k, Supermicro 289k, Lenovo 305k. 3 years, which one or rent?"
    lines = offers_of(live_catalogue(), line)
    assert {label: _plan(each).own.usd_per_server for label, each in lines.items()} == {
        "Supermicro 289k": 289_000.0, "Lenovo 305k": 305_000.0, "Dell 310k": 310_000.0}  # fmt: skip


@each_row(("line", "purchase", "kind"), [
    ("32 h100 three year reserved aws", "reserved_3y", "reserve"), ("L40S vs AWS, 24/7", "reserved_3y", "reserve"),
    ("8 l4 gcp 1 year reserved", "reserved_1y", "reserve"), ("8 a100 40gb gcp spot, 30% busy", "spot", "spot"),
    ("vast.ai spot 4090s vs owning 10", "spot", "spot"),
])  # fmt: skip
def test_the_named_seller_is_priced_at_its_own_list_for_a_term_and_on_spot(line: str, purchase: str, kind: str) -> None:
    offer = live_catalogue().offers[getattr(_plan(line), kind).offer]
    assert offer.purchase == purchase
    named = {"h100": "aws", "L40S": "aws", "l4": "gcp", "a100": "gcp", "4090s": "vast"}
    assert offer.provider == next(seller for word, seller in named.items() if word in line.split())


@each_row(("line", "said"), [
    ("16 H100 on lambda reserved for 3 years", "Lambda lists no price for a term of that GPU"),
    ("aws spot h100 x 8 for a year", "AWS lists no price of spot machines for that GPU"),
    ("32 h100 three year reserved aws", "Reserved for 3 years there at "),
])  # fmt: skip
def test_what_a_named_seller_lists_or_does_not_is_said(line: str, said: str) -> None:
    notes = read_line(live_catalogue(), line, DAY).notes
    assert any(each.startswith(said) for each in notes), notes
    assert not any("Not used: reserved" in each for each in notes)


def test_a_growing_bill_beside_named_gpus_grows_alone() -> None:
    line = "120-person firm, Anthropic bill is $38k a month and grows 8% a month. Would 16 H200 pay off in 2 years?"
    answer = ask(live_catalogue(), line, DAY)
    assert answer.report is not None
    work, bill = answer.report.plan.setting.scenario.work[0], answer.report.plan.option("bill")
    assert (work.accelerators, work.growth_per_year, work.people) == (16, 0.0, None)
    assert bill is not None
    paid = 38_000 * (1.08**24 - 1) / 0.08  # a geometric row of 24 months
    assert float(bill.ledger.total_usd) == pytest.approx(paid, rel=1e-3)
    assert any("120 people are the size of the firm" in each for each in answer.reading.notes)


@each_row(("line", "usd"), [
    ("we pay 22k for openai and 9k for anthropic a month", 31_000),
    ("OpenAI 22k, Gemini 4k a month, llama 70b instead", 26_000),
])  # fmt: skip
def test_two_sums_of_a_bill_are_taken_together_and_it_is_said(line: str, usd: float) -> None:
    plan = _plan(line)
    assert plan.bill is not None
    assert plan.bill.usd_per_month == usd
    assert any("sums are taken for the bill" in each for each in read_line(live_catalogue(), line, DAY).notes)


@each_row(("line", "growth", "bill"), [
    ("we pay openai 12k a month growing 5% a month, llama 70b instead", 1.05**12 - 1, 0.0),
    ("16 H200, load grows 50% a year, we pay coreweave 40k a month", 0.5, 0.0),
    ("8 H100 instead, we pay AWS $9k a month, growing 20% a year", 0.0, 0.2),
])  # fmt: skip
def test_growth_is_of_the_bill_only_where_it_stands_by_it_and_gpus_are_named(
    line: str, growth: float, bill: float
) -> None:
    plan = _plan(line)
    assert plan.bill is not None
    assert plan.work[0].growth_per_year == pytest.approx(growth, rel=1e-6)
    assert plan.bill.growth_per_year == pytest.approx(bill)


@each_row(("line", "works"), [
    ("48 H100s growing to 96 in year two, Singapore", [(48, 1, None), (48, 13, None)]),
    ("32 H100 this year and 64 from year 2, 4 years", [(32, 1, None), (32, 13, None)]),
    ("100 H100s scaling to 300 in the third year, 5 years", [(100, 1, None), (200, 25, None)]),
    ("96 H100, then 48 from year 2, 3 years", [(48, 1, None), (48, 1, 12)]),
])  # fmt: skip
def test_gpus_of_a_later_year_come_in_that_year(line: str, works: list[tuple[int, int, int | None]]) -> None:
    assert [(work.accelerators, work.first_month, work.last_month) for work in _plan(line).work] == works


def test_years_of_depreciation_are_no_length_and_count_beside_a_tax() -> None:
    plan = _plan("48 H100 for 3 years, depreciate over 4 years, tax 17%")
    assert plan.tax is not None
    assert (plan.years, plan.tax.shares_by_year) == (3.0, (0.25,) * 4)
    left = read_line(live_catalogue(), "48 H100 for 3 years, 5 year straight-line depreciation", DAY).left_out
    assert left == ("5 year straight-line depreciation, as this plan has no use for it",)
    assert _plan("48 H100, depreciate over 4 years, tax 17%").years == 4.0, "as long as that, where no time is stated"


@each_row(("line", "share"), [
    ("30 RTX 6000 Ada from March to August each year, 3 years", 6 / 12),
    ("every year from October to March we need 12 L40S, 4 years", 6 / 12),
    ("12 L40S November to December every year for 3 years", 2 / 12),
    ("buy or rent 8 H100, needed March to May, for 3 years", 3 / 12),
    ("8 H100 from March until May each year, 60% busy, 3 years", 0.6 * 2 / 12),
])  # fmt: skip
def test_months_of_each_year_are_that_share_of_it(line: str, share: float) -> None:
    plan = _plan(line)
    assert plan.work[0].busy_share == pytest.approx(share)
    assert plan.years >= 3


@each_row(("line", "months"), [
    ("16 B200 for January to June", 6), ("8 h100 from march through may", 3), ("8 h100 march until may", 2),
    ("10 B200 from January to June 2027 in Texas", 6),
])  # fmt: skip
def test_the_last_month_that_is_named_is_one_of_them(line: str, months: int) -> None:
    assert _plan(line).years * 12 == pytest.approx(max(months, 3), abs=0.1)


@each_row(("place", "site"), [
    ("Vancouver", "CA-BC"), ("Vancouver, Washington", "US-WA"), ("Vancouver WA", "US-WA"), ("Portland", "US-OR"),
    ("Portland, Maine", "US-ME"),
])  # fmt: skip
def test_the_larger_of_two_towns_is_meant_unless_the_state_of_the_other_is_named(place: str, site: str) -> None:
    assert _plan(f"8 h100 in {place} for a year").site == site


@each_row("line", [
    "rent 256 H100 for 3 months now or wait until spring?", "buy 64 H100 now or wait 6 months?",
    "should we wait for next year to buy 16 H200", "order 32 B200 today or in 9 months",
])  # fmt: skip
def test_now_or_later_leads_to_the_study_of_waiting(line: str) -> None:
    reading = read_line(live_catalogue(), line, DAY)
    assert not reading.left_out
    assert any("“Buy now or wait”, on What if" in each for each in reading.notes)


@each_row("line", ["the job can wait, 8 H100 for a year", "wait time under 5 minutes, 8 H100 for a year"])
def test_work_that_can_wait_is_no_order_that_does(line: str) -> None:
    assert not any("Buy now or wait" in each for each in read_line(live_catalogue(), line, DAY).notes)


@each_row(("line", "months"), [
    ("whisper large, 10000 hours of audio", 3), ("whisper large, 10000 hours of audio a month", 36),
])  # fmt: skip
def test_sound_without_a_period_is_done_once(line: str, months: int) -> None:
    plan = _plan(line)
    assert plan.years * 12 == pytest.approx(months)
    assert plan.work[0].serve is not None
    assert plan.work[0].serve.requests_per_s * 30 * 730 == pytest.approx(10_000, rel=0.01)  # all of it in one month
    assert plan.work[0].last_month == (1 if months == 3 else None)


@each_row(("line", "noted"), [
    ("eight to ten 4090s for two years", "Of 8 to 10 the middle is taken: 9."),
    ("2 to 4 H100 for two years", "Of 2 to 4 the middle is taken: 3."),
])  # fmt: skip
def test_the_middle_of_a_range_is_said_as_typed(line: str, noted: str) -> None:
    assert noted in read_line(live_catalogue(), line, DAY).notes


def test_a_use_that_follows_from_a_usual_figure_is_not_called_entered() -> None:
    line = "University cluster, 40 PhD students, 64 L40S for 5 years, power at 0.28 EUR/kWh"
    report = ask(live_catalogue(), line, DAY).report
    assert report is not None
    tile = next(each for each in report.summary.figures if each.label == "Break-even use")
    assert tile.range.endswith(("as planned", "14%"))
    assert "Each person is taken to keep one GPU busy for 160 hours a month." in read_line(
        live_catalogue(), line, DAY).notes  # fmt: skip


def test_stated_hours_of_that_gpu_have_no_range() -> None:
    assert "One run takes 500 hours of one H100 SXM5 80 GB: as measured." in line_result(
        ask(live_catalogue(), "500 H100 hours", DAY)).text()  # fmt: skip
