"""What a sum of money in a line is for, and that a plan is for the count, seller and model that a line names."""

import re

import pytest

from planner.api.plans import ask
from planner.money.verdict.answer import build_answer
from planner.report.answer.tables import budget_table
from planner.scenario.known_names import ScenarioError
from planner.scenario.scenario import Scenario
from planner.scenario.work import Work
from planner.study.one_line.line_plan import with_open_parts
from planner.study.one_line.line_records import LineError
from planner.study.one_line.read_line import read_line
from planner.study.plan_any import affordable_fleet, planned
from pricing import names
from pricing.exchange import rates
from tests.facts import DAY
from tests.frozen import live_catalogue
from tests.rows import each_row


def _plan(line: str) -> Scenario | None:
    """Return the plan of a line; None where it asks, or says why there is none."""
    try:
        return read_line(live_catalogue(), line).scenario
    except (LineError, ScenarioError):
        return None


@each_row(("line", "usd"), [
    ("monthly budget of $4k, serve llama 8b", 144_000), ("an annual budget of 60k for llama 70b", 180_000),
    ("at most 90k total, serve llama 8b", 90_000), ("it must stay below $2k a month, llama 8b", 72_000),
    ("is 24k a year enough for llama 70b", 72_000), ("$30k to spend, fine-tune llama 8b monthly", 30_000),
])  # fmt: skip
def test_a_limit_of_money_is_a_budget_and_no_bill(line: str, usd: float) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.terms.budget_usd == pytest.approx(usd, rel=0.001)
    assert plan.bill is None


@each_row("line", ["16 A100 for 6 months, at most $1.40 an hour", "8 h100 under 2.20 dollars per hour for a year"])
def test_the_most_that_an_hour_may_cost_is_no_price(line: str) -> None:
    reading = read_line(live_catalogue(), line)
    assert reading.scenario is not None
    assert reading.scenario.rent.usd_per_accelerator_hour is None
    assert any("no limit of one" in text for text in reading.left_out)


def test_a_limit_on_capex_is_held_against_what_is_bought_and_not_against_rents() -> None:
    plan = _plan("no capex above $90k, 16 H100 for 18 months in Texas")
    assert plan is not None
    assert (plan.terms.cash_on_day_one_usd, plan.own.deposit_share) == (90_000, 1.0)
    assert plan.terms.budget_usd is None
    assert not plan.ways


@each_row(("line", "reserved", "on_demand"), [
    ("64 H100, 12 month commit at $1.89 an hour, on demand at 2.99", 1.89, 2.99),
    ("8 B200 on demand at 5.10, reserved for a year at 3.90", 3.9, 5.1),
    ("we signed a contract until Sept 2027 for 48 H100 at $2.35", 2.35, None),
])  # fmt: skip
def test_a_price_on_demand_stands_beside_the_price_of_a_term(
    line: str, reserved: float, on_demand: float | None
) -> None:
    plan = _plan(line)
    assert plan is not None
    assert (plan.reserve.usd_per_accelerator_hour, plan.rent.usd_per_accelerator_hour) == (reserved, on_demand)


@each_row(("line", "server", "a_kw"), [
    ("dgx h100 for 305k", 305_000, None), ("8x h100 refurbished 149k, colo 2,040 a month", 149_000, 2_040 / 10.2),
    ("quote 780000 for 16 b200", 390_000, None), ("5 dgx h100 for 1.45M", 290_000, None),
    ("invest 2.4M in our own 64 H200 or keep renting at 2.6", 300_000, None),
    ("buy 48 h200 for 1.86M", 310_000, None), ("hosting 4,590/month, 16 h100 at 560k", 280_000, 4_590 / 20.4),
])  # fmt: skip
def test_what_looks_like_a_price_is_that_of_the_machines_and_no_budget(
    line: str, server: float, a_kw: float | None
) -> None:
    """A server of eight H100 draws 10.2 kW; a sum for so many GPUs on boards is for the machines that hold them."""
    plan = _plan(line)
    assert plan is not None
    assert plan.own.usd_per_server == pytest.approx(server)
    assert plan.own.usd_per_kw_month == (None if a_kw is None else pytest.approx(a_kw, rel=0.001))
    assert plan.terms.budget_usd is None


@each_row(("line", "side", "many"), [
    ("32 H100 on a one year reserved contract at $2.35 per hour, ends in March, renew, B200 or buy", "B200", 15),
    ("64 A100 80GB reserved at $1.30 an hour, contract expires in June: extend, move to H100, or own", "H100", 21),
    ("we rent 16 h200 on a 2 year deal at 2.80/h expiring in april, stay, buy, or switch to b200", "b200", 8),
    ("our contract for 40 H100 at 2.20 runs out in May, renew, buy, or rent MI300X", "MI300X", 31),
])  # fmt: skip
def test_a_contract_that_ends_is_rented_and_its_price_is_that_of_no_other_gpu(line: str, side: str, many: int) -> None:
    """Dense bf16: A100 312, H100 and H200 989, B200 2,250, MI300X 1,307 TFLOP/s; 32 x 989 / 2,250 is 14.1."""
    reading = read_line(live_catalogue(), line)
    plan, other = reading.scenario, _plan(reading.beside[side])
    assert plan is not None
    assert other is not None
    assert plan.reserve.usd_per_accelerator_hour == pytest.approx(float(re.findall(r"\d\.\d\d", line)[0]))
    assert (plan.kept, other.kept) == (None, None)
    assert other.work[0].accelerators == many
    assert (plan.work[0].busy_share, other.work[0].busy_share) == (1.0, 1.0)  # a contract is paid for idle hours too
    assert (other.reserve.usd_per_accelerator_hour, other.rent.usd_per_accelerator_hour) == (None, None)


@each_row(("line", "salary"), [
    ("8 B200 for 5 years with two admins at 90k each", 90_000),
    ("32 h100 in Ohio, 2 sysadmins, salary $130k each", 130_000),
    ("8 h100 for 3 years, one engineer paid $160,000 a year to run it", 160_000),
])  # fmt: skip
def test_what_people_earn_is_the_cost_of_those_who_run_it(line: str, salary: float) -> None:
    plan = _plan(line)
    assert plan is not None
    assert plan.own.usd_per_fte_year == pytest.approx(salary)
    assert (plan.own.usd_per_server, plan.own.usd_per_accelerator) == (None, None)


def test_credits_beside_machines_are_left_out_and_are_no_budget() -> None:
    reading = read_line(live_catalogue(), "Google offers us $200,000 credits. Should we still buy 8 H200?")
    assert reading.scenario is not None
    assert reading.scenario.terms.budget_usd is None
    assert any("has no credits" in text for text in reading.left_out)


@each_row(("line", "side", "many"), [
    ("8 H100 or H200 for 2 years", "H200", 8), ("2 nodes of H100 or B200 in Texas", "B200", 16),
    ("8 H100 or 4 B200", "4 B200", 4), ("4x 4090 or 5090", "5090", 4), ("10 L40S vs A100 vs H100, 1 year", "H100", 10),
])  # fmt: skip
def test_a_second_kind_of_gpu_without_a_count_is_as_many_as_the_first(line: str, side: str, many: int) -> None:
    plan = _plan(read_line(live_catalogue(), line).beside[side])
    assert plan is not None
    assert plan.work[0].accelerators == many


@each_row(("line", "land"), [
    ("20 H100 in Canada for 3 years, no US companies", "US"), ("8 H100 in Canada, without chinese providers", "CN"),
    ("16 A100 in the UK, american clouds are out of the question", "US"),
])  # fmt: skip
def test_sellers_of_a_country_that_a_line_refuses_are_left_out(line: str, land: str) -> None:
    plan, providers = _plan(line), live_catalogue().providers
    assert plan is not None
    assert set(plan.not_from) >= {key for key, seller in providers.items() if seller.headquarters == land}
    assert plan.site in ("CA", "GB")


@each_row(("line", "model"), [
    ("GLM 4.5 self hosted vs z.ai api for 3 billion tokens per month", "GLM-4.5"),
    ("llama 3 70b, 5M tokens a day, cheaper than openrouter?", "Llama-3-70B"),
    ("llama 3.1 70b at together ai or on our own gpus, 20M tokens a day", "Llama-3.1-70B"),
    ("kimi k2 by moonshot or self-hosted, 50M tokens a day", "Kimi-K2"),
])  # fmt: skip
def test_what_sells_a_named_model_by_the_token_sells_that_model_or_is_left_out(line: str, model: str) -> None:
    reading = read_line(live_catalogue(), line)
    plan = reading.scenario
    assert plan is not None
    assert plan.work[0].serve is not None
    assert plan.work[0].serve.model == model
    assert names.plain(plan.hosted.price).find(names.plain(model)) > 0 if plan.hosted else reading.left_out
    assert plan.hosted is None or "thinking" not in plan.hosted.price


def test_every_currency_with_a_rate_is_one_that_a_line_can_state() -> None:
    for code in rates(live_catalogue()):
        plan = _plan(f"budget of 900,000 {code}, 8 h100 in Texas")
        assert plan is not None, code
        assert {amount.text for amount in plan.typed} == {f"900,000 {code}"}


@each_row(("line", "code"), [
    ("canada only, 4 h100, 1 year, CAD pls", "CAD"),
    ("llama 70b for 25 people in Seoul, what does it cost in won?", "KRW"),
    ("8 H100 in Warsaw, how much PLN should I budget", "PLN"), ("8 h100 at 2.10 EUR an hour", "EUR"),
    ("8 h100 at $2.10 an hour", None), ("quote of 300k EUR for a server with 8 H100, answer in dollars", None),
])  # fmt: skip
def test_an_answer_is_in_the_currency_that_a_line_asks_for_or_pays_in(line: str, code: str | None) -> None:
    plan = _plan(line)
    assert plan is not None
    assert (plan.currency and plan.currency.code) == code


@pytest.mark.slow
@each_row(("line", "option"), [
    ("€85k for our institute, which gpus should we get", "Buy H100 PCIe 80 GB"),
    ("60,000 dollars to spend on GPUs for our lab over 3 years", "Buy RTX PRO 6000 Blackwell 96 GB"),
    ("we are 3 people with $700 a month, what can we train", "Lease"),
])  # fmt: skip
def test_a_budget_without_a_gpu_has_the_cards_that_it_buys_beside_rent(line: str, option: str) -> None:
    """Boards come in servers of eight; cards do not. A way that is not offered for one may be for more."""
    asked = ask(live_catalogue(), line, DAY)
    assert asked.report is not None
    rows = {row["Option"]: row["GPUs"] for row in budget_table(asked.report.answer).records()}
    assert rows[option] > 0
    assert "Rent on demand" in rows


@pytest.mark.slow
@each_row(("line", "usd"), [
    ("€90,000 for 20 researchers", 100_548), ("60k dollars for gpus, 15 engineers", 60_000),
    ("budget of 75,000 USD for our 18 data scientists", 75_000),
])  # fmt: skip
def test_a_budget_goes_to_gpus_that_carry_its_people(line: str, usd: float) -> None:
    """Each has one GPU busy for 160 hours a month; an H100 alone, as the money pays for, carries four."""
    catalogue = live_catalogue()
    plan, _ = with_open_parts(catalogue, read_line(catalogue, line), DAY)
    work = plan.work[0]
    assert work.stated_hours_per_month is not None
    assert work.accelerators * 730 >= work.stated_hours_per_month >= 160 * 15
    paid = build_answer(planned(catalogue, plan, DAY)).best
    assert paid is not None
    assert float(paid.measures.bills_usd) <= usd


def test_a_budget_leases_several_where_one_alone_is_not_leased() -> None:
    """One DGX Spark stands at home, where nobody leases; two stand in an office."""
    one = Scenario(accelerator="DGX-Spark-GB10-128GB", work=(Work(accelerators=1),))
    fleet = affordable_fleet(live_catalogue(), one, 30_000.0, DAY, "lease")
    assert fleet is not None
    assert fleet.accelerators > 1
    assert affordable_fleet(live_catalogue(), one, 300.0, DAY, "lease") is None
