"""What a line says of GPUs that one has, and of money: idle hours for others, sums of buyers, bills, credits."""

import pytest

from planner.scenario.scenario import Scenario
from planner.study.one_line.read_line import read_line
from pricing.exchange import rates
from tests.facts import DAY
from tests.frozen import live_catalogue
from tests.rows import each_row


def _plan(line: str) -> Scenario:
    reading = read_line(live_catalogue(), line, DAY)
    assert reading.scenario is not None, reading.questions
    return reading.scenario


@each_row(("line", "price", "busy", "share"), [
    ("our 24 H200 stand idle 30% of the time, sublet those hours at $2.10 an hour?", 2.1, 0.7, None),
    ("sublease 30 of our 120 A100 at $0.95 per hour", 0.95, 0.75, 1.0),
    ("can we sublet half of our 16 B200 at 2.40/h", 2.4, 0.5, 1.0),
    ("wir haben 10 L40S, untervermieten zu 0,60 $/h", 0.6, 0.6, None),
    ("nous avons 12 H100, les sous-louer à 1,50 $/h ?", 1.5, 0.6, None),
    ("tenemos 20 A100 inactivas, subalquilarlas a 0,9 $/h", 0.9, 0.6, None),
])  # fmt: skip
def test_what_others_pay_for_idle_hours_is_no_rent_that_one_pays(
    line: str, price: float, busy: float, share: float | None
) -> None:
    plan = _plan(line)
    assert plan.sell is not None
    assert plan.kept is not None
    assert (plan.sell.usd_per_accelerator_hour, plan.sell.share_sold) == (price, share)
    assert plan.rent.usd_per_accelerator_hour is None
    assert (plan.work[0].busy_share or 0.6) == pytest.approx(busy)


@each_row(("line", "many", "usd"), [
    ("we own 48 A100 since 2021, a buyer offers $4,100 per card. keep or sell", 48, 48 * 4_100),
    ("a competitor would pay 300k for our 32 A100, we paid 700k, rent instead?", 32, 300_000),
    ("purchase price 410k, book value 150k, 16 H100, the market pays 260k. sell?", 16, 260_000),
    ("paid 1.4M for 48 H100 in 2024, someone offers 800k for all. sell and rent H200?", 48, 800_000),
    ("we have 6 RTX 4090, sell them at 1400 each or keep", 6, 8_400),
    ("unsere 8 A100 verkaufen? Ein Händler bietet 52.000 $, Buchwert 30.000 $", 8, 52_000),
    ("nous avons 16 V100, un acheteur en offre 9 000 $, vendre ?", 16, 9_000),
    ("tenemos 4 H100, un comprador ofrece 60.000 dólares", 4, 60_000),
])  # fmt: skip
def test_the_sum_of_a_buyer_is_what_the_gpus_fetch_and_what_was_paid_is_gone(line: str, many: int, usd: float) -> None:
    reading = read_line(live_catalogue(), line, DAY)
    plan = reading.scenario
    assert plan is not None
    assert plan.kept is not None
    assert (plan.kept.accelerators, plan.kept.usd_today_if_sold) == (many, pytest.approx(usd))
    assert (plan.own.usd_per_server, plan.own.usd_per_accelerator, plan.terms.budget_usd) == (None, None, None)
    assert not reading.left_out


@each_row(("line", "is_power"), [
    ("just the electricity of 16 A100, 24/7, at 0.11 $/kWh", True), ("power bill of 4 RTX 5090 in Denmark", True),
    ("Stromkosten allein: 2 H100 in Österreich", True), ("uniquement l'électricité de 8 H200 en France", True),
    ("solo la corriente: 4 A100 en Chile", True), ("running costs only for 8 MI300X in Norway", False),
    ("what does it cost just to run our 8 H100", False),
])  # fmt: skip
def test_electricity_or_running_alone_leaves_out_what_the_gpus_cost(line: str, is_power: bool) -> None:
    plan = _plan(line)
    assert plan.ways == ("keep",)
    assert plan.kept is not None
    assert (plan.kept.usd_today_if_sold, plan.kept.usd_at_end) == (0.0, 0.0)
    assert plan.kept.running_usd_per_month == (0.0 if is_power else None)


@each_row(("line", "usd", "prepaid"), [
    ("64 H100 for 2 years at $2.00/h, paid all upfront", 2.0, True),
    ("contract: 32 B200, 36 months, $3.40 per GPU hour, 15% upfront", 3.4, False),
    ("Rahmenvertrag über 16 H200, 24 Monate, 2,60 $/h, 30% Anzahlung", 2.6, False),
])  # fmt: skip
def test_a_contract_is_prepaid_where_all_of_it_is(line: str, usd: float, prepaid: bool) -> None:
    reading = read_line(live_catalogue(), line, DAY)
    assert reading.scenario is not None
    reserve = reading.scenario.reserve
    assert (reserve.usd_per_accelerator_hour, reserve.prepaid) == (usd, prepaid)
    assert any("all of a term before it" in each for each in reading.left_out) != prepaid
    assert reading.scenario.loan.loan_share is None


@each_row("line", [
    "we have 90k to spend by 30 June on H100s", "the grant of $250k must be spent before December 2027, 6 phds",
    "$80,000 left, the fiscal year ends 31 March, buy GPUs",
    "Restmittel 60.000 $ müssen bis 31. März ausgegeben werden",
    "gastar 70.000 $ antes del 30 de junio en H100",
])  # fmt: skip
def test_a_date_to_spend_money_by_ends_no_plan(line: str) -> None:
    reading = read_line(live_catalogue(), line, DAY)
    assert reading.scenario is not None, reading.questions
    assert reading.scenario.years == Scenario().years
    assert reading.scenario.terms.budget_usd is not None
    assert any("What is bought is paid at once" in each for each in reading.notes)


@each_row(("line", "years"), [
    ("$40k of Lambda credits which expire in 8 months, 4 H100", 8 / 12),
    ("AWS credits 90k, valid until 31 May 2027, 8 A100", 0.52),
    ("créditos de Azure 30.000 $ que vencen el 30 de abril, 2 H100", 0.42),
])  # fmt: skip
def test_credits_are_spent_until_they_expire(line: str, years: float) -> None:
    plan = _plan(line)
    assert plan.years == pytest.approx(years, abs=0.02)
    assert plan.terms.budget_usd is not None
    assert plan.rent.offer is not None


@each_row(("line", "sides"), [
    ("MI300X beside H200, which is cheaper for 32 GPUs over 2 years", ["MI300X", "H200"]),
    ("H200 oder MI325X, je 16 Stück, 3 Jahre: was ist günstiger?", ["H200", "MI325X"]),
    ("H100 contro MI300X, 8 GPU, 2 anni", ["H100", "MI300X"]),
    ("vendor A 8xH200 $305k, vendor B $290k", ["$305k", "$290k"]),
    ("quote A: 8 B200 for $400k. quote B: $385k from another shop. or rent?", ["$400k", "$385k"]),
    ("two quotes: 4x H100 NVL for $128k and 4x L40S for $46k, which is better?",
     ["4x H100 NVL, $128k", "4x L40S, $46k"]),
])  # fmt: skip
def test_what_is_offered_stands_beside_the_other_offer(line: str, sides: list[str]) -> None:
    reading = read_line(live_catalogue(), line, DAY)
    assert [reading.side.removeprefix("us "), *reading.beside] == sides
    plans = [reading.scenario, *(_plan(each) for each in reading.beside.values())]
    read = [(plan.accelerator, plan.own.usd_per_server, plan.work[0].accelerators) for plan in plans if plan]
    assert len(set(read)) == len(sides)


def test_a_large_price_of_one_gpu_is_that_of_a_machine() -> None:
    plan = _plan("got a B200 quote of $420k, is renting for 2 years cheaper")
    assert (plan.own.usd_per_server, plan.own.accelerators_per_server) == (420_000, 8)
    assert (plan.work[0].accelerators, plan.kept) == (8, None)


@each_row(("line", "each"), [
    ("we pay €2,000 a month to OpenAI plus $900 to Anthropic", {"EUR": 2_000, "USD": 900}),
    ("Wir zahlen 3.500 € im Monat an OpenAI und 1.500 € an Anthropic", {"EUR": 5_000}),
    ("we pay openai 4000 a month and 700 to perplexity", {"USD": 4_700}),
])  # fmt: skip
def test_bills_of_several_sellers_and_currencies_are_added(line: str, each: dict[str, float]) -> None:
    bill, known = _plan(line).bill, rates(live_catalogue())
    assert bill is not None
    usd = sum(amount * (1.0 if code == "USD" else known[code].usd) for code, amount in each.items())
    assert bill.usd_per_month == pytest.approx(usd, rel=0.001)
