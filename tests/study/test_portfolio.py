"""A portfolio of three teams by hand calculation, and what cannot share a fleet."""

from typing import Any

import numpy as np
import pytest

from planner.money.chargeback import SPREAD, chargeback_cents, effective_usd, in_cents
from planner.money.verdict.contender import EvaluatedOption
from planner.report.portfolio_words import portfolio_sentences, portfolio_title
from planner.scenario.file import read_portfolio
from planner.scenario.known_names import ScenarioError
from planner.scenario.own import ExistingHardware, OwnInputs
from planner.scenario.presets import load_presets
from planner.scenario.rent import RentalInputs, ReservationInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from planner.scenario.work import ScheduledJob, Work
from planner.study.plan_any import planned
from planner.study.portfolio import PortfolioError, PortfolioPlan, SharedFleet, best_of, other_terms, portfolio
from tests.facts import CATALOGUE, DAY
from tests.rows import each_row
from tests.study.planned import certain

SHARES = {"Search": 0.45, "Research": 0.4, "Ads": 0.2}


def team(name: str, busy_share: float = 0.4, *, starts: int = 1, **changes: Any) -> PortfolioPlan:
    """Eight GPUs at 17,520 USD, 2.00 USD for each hour of a year, or 4.00 USD for a rented hour; no discounting."""
    own = certain().own.model_copy(update={"usd_per_accelerator": 17_520.0})
    said = {
        "name": name, "own": own,
        "work": (Work(accelerators=8, busy_share=busy_share, storage_tb=0, egress_tb_per_month=0),),
        "terms": FinancialTerms(discount_rate_per_year=0.0, rent_change_per_year=0.0), "run_by_fte": 0.0,
    }  # fmt: skip
    scenario = certain(**{**said, **changes}).model_copy(update={"ways": ("own", "on_demand", "mix")})
    return PortfolioPlan(name, scenario, team=f"Team {name}", starts_in_month=starts)


def cash_usd(way: EvaluatedOption) -> float:
    """What is paid at typical figures."""
    return float(np.asarray(way.measures.bills_usd))


@pytest.fixture(scope="module")
def three() -> tuple[SharedFleet, ...]:
    return portfolio(CATALOGUE, [team(name, share) for name, share in SHARES.items()], DAY)


def test_three_teams_by_hand(three: tuple[SharedFleet, ...]) -> None:
    # Teams come and go independently. At least one is busy 1 - 0.55 x 0.6 x 0.8 = 0.736 of the time, all three
    # 0.45 x 0.4 x 0.2 = 0.036, so at least two 1.05 - 0.736 - 0.036 = 0.278. Owning costs 2 of 4 USD: own what is busy
    # more than half of the time. Eight are (0.736), sixteen are not (0.278): own eight, 8 x 17,520 = 140,160 USD, and
    # rent 8 x 8,760 x (0.278 + 0.036) = 22,005.12 hours for 88,020.48 USD: 228,180.48 USD together.
    (fleet,) = three
    assert fleet.best.option.title == "Own 8 and rent the peaks"
    assert cash_usd(fleet.best) == pytest.approx(228_180.48)
    # Alone each is busy less than half of the time and rents: 8 x 8,760 x 1.05 x 4 = 294,336 USD.
    assert [best_of(alone).option.key for alone in fleet.alone] == ["on_demand"] * 3
    assert sum(cash_usd(best_of(alone)) for alone in fleet.alone) == pytest.approx(294_336.0)
    # Nothing is discounted: net present costs are these within what futures draw of how busy the teams are.
    assert fleet.alone_usd - fleet.best.present_usd == pytest.approx(294_336.0 - 228_180.48, rel=0.05)
    # Hours: 8 x 730 x share in each month; at once 24 at the most.
    hours, peaks = fleet.demands
    assert hours[:, 1].tolist() == pytest.approx([2_628.0, 2_336.0, 1_168.0])
    assert peaks[:, 12].tolist() == [8, 8, 8]


def test_the_answer_is_said_in_a_sentence_and_who_pays_more_is_named(three: tuple[SharedFleet, ...]) -> None:
    first, *others = portfolio_sentences(three, "peak")
    assert first.startswith(
        "Best for all: Own 8 and rent the peaks, for 24 GPUs at once at most. One fleet for all 3 plans: $2"
    )
    assert "Sharing saves $" in first
    # Ads pays a third, 76,060.20 USD, and 8 x 8,760 x 0.2 x 4 = 56,064 USD alone.
    assert others[-1] == "“Ads” pays $20,000 more than alone (Rent on demand): agree on its share."
    assert not any("more than alone" in sentence for sentence in portfolio_sentences(three, "hours"))


def test_chargeback_by_hand_to_the_cent(three: tuple[SharedFleet, ...]) -> None:
    # 228,180.48 / 12 = 19,015.04 USD a month, divided as 45 : 40 : 20 of 105: 8,149.303, 7,243.825 and 3,621.912.
    # In cents these are one short of the month: it goes to the largest.
    (fleet,) = three
    by_hours = fleet.cents("hours")
    assert by_hours[:, 4].tolist() == [814_931, 724_382, 362_191]
    assert by_hours.sum(axis=1).tolist() == [9_779_172, 8_692_584, 4_346_292]
    # By peak each has a third, 6,338.3467: in cents one too many, which the first of the equals gives back.
    assert fleet.cents("peak")[:, 4].tolist() == [633_834, 633_835, 633_835]
    for rule in ("hours", "peak"):
        assert fleet.cents(rule).sum() == 22_818_048


@each_row(("usd", "weights", "cents"), [
    ([10.0, 10.0], [[1.0, 0.0], [1.0, 0.0]], [[500, 500], [500, 500]]),  # a month without use: as all months
    ([0.01, 0.0], [[1.0, 1.0], [3.0, 3.0]], [[0, 0], [1, 0]]),
    ([-9.99, 30.0], [[1.0, 1.0], [2.0, 2.0]], [[-333, 1_000], [-666, 2_000]]),  # a month that brings money
    ([1.005, 1.005], [[1.0, 1.0]], [[101, 100]]),
])  # fmt: skip
def test_cents_sum_to_the_total(usd: list[float], weights: list[list[float]], cents: list[list[int]]) -> None:
    paid = chargeback_cents(np.array(usd), np.array(weights))
    assert paid.tolist() == cents
    assert paid.sum() == round(sum(usd) * 100)


def test_rounding_never_loses_a_cent() -> None:
    random = np.random.default_rng(7)
    for _ in range(50):
        usd, weights = random.normal(1_000, 900, 36), random.random((int(random.integers(2, 24)), 36))
        paid = chargeback_cents(usd, weights * (weights > 0.3))
        assert paid.sum() == round(float(usd.sum()) * 100)
        assert np.abs(paid.sum(axis=0) - usd * 100).max() < 37  # a month differs by its share of the rounding alone
    assert in_cents(np.array([0.004, 0.004, 0.002]), 1).tolist() == [1, 0, 0]


def test_plans_begin_and_end_in_their_own_months() -> None:
    # Search runs in months 1 to 12, Ads in 7 to 18: what they want at once is 8, 16, then 8.
    (fleet,) = portfolio(CATALOGUE, [team("Search"), team("Ads", starts=7)], DAY)
    hours, peaks = fleet.demands
    assert fleet.plan.setting.timeline.last == 18
    assert [peaks[:, month].tolist() for month in (1, 6, 7, 12, 13, 18)] == [
        [8, 0], [8, 0], [8, 8], [8, 8], [0, 8], [0, 8]
    ]  # fmt: skip
    assert hours.sum(axis=1).tolist() == pytest.approx([28_032.0, 28_032.0])  # 8 x 8,760 x 0.4 each
    assert fleet.plan.setting.demand.peak.tolist()[1:] == [8] * 6 + [16] * 6 + [8] * 6
    assert fleet.cents("hours")[1, :6].sum() == 0  # nobody pays before they begin
    jobs = (ScheduledJob(accelerators=8, hours=365, first_month=2),)
    work = Work(accelerators=8, busy_share=0.01, jobs=jobs, storage_tb=0, egress_tb_per_month=0)
    (later,) = portfolio(CATALOGUE, [team("Search"), team("Ads", starts=7, work=(work,))], DAY)
    assert later.demands[0][1, 8] == pytest.approx(8 * 365 + 8 * 730 * 0.01)  # its second month


def test_a_plan_alone_is_the_plan_of_its_own_page() -> None:
    (fleet,) = portfolio(CATALOGUE, [team("Search"), team("Ads", 0.2)], DAY)
    assert fleet.alone[0].plan.setting.scenario.work == team("Search").scenario.work
    assert cash_usd(best_of(fleet.alone[1])) == pytest.approx(8 * 8_760 * 0.2 * 4)


def test_other_chips_and_places_have_fleets_of_their_own() -> None:
    plans = [team("Search"), team("Search"), team("Old", accelerator="A100-SXM4-80GB"), team("Berlin", site="DE")]
    parts = portfolio(CATALOGUE, plans, DAY)
    assert [[member.name for member in fleet.members] for fleet in parts] == [
        ["Search", "Search (2)"], ["Old"], ["Berlin"]
    ]  # fmt: skip
    assert parts[1].best.present_usd == parts[1].alone_usd


def test_a_plan_that_is_cheapest_by_the_token_shares_no_fleet() -> None:
    chat = PortfolioPlan("Chat", next(each.scenario for each in load_presets() if each.key == "chat-service"))
    own = team("Search").scenario.own
    parts = portfolio(CATALOGUE, [chat, *(PortfolioPlan(name, Scenario(own=own)) for name in "AB")], DAY)
    assert [[member.name for member in fleet.members] for fleet in parts] == [["Chat"], ["A", "B"]]
    assert parts[0].best.option.key == "hosted"
    assert "“Chat” shares no fleet: it is cheapest by the token." in portfolio_sentences(parts, "hours")
    assert portfolio_title(parts[:1]) == "No two of these plans share a fleet."


def test_terms_are_those_of_the_largest_plan() -> None:
    rent = RentalInputs(usd_per_accelerator_hour=5.0, accelerators_per_machine=1, support_share=0.0)
    (fleet,) = portfolio(CATALOGUE, [team("Search"), team("Ads", 0.9, rent=rent)], DAY)
    assert fleet.lead.name == "Ads"
    assert cash_usd(best_of(fleet.alone[0])) == pytest.approx(8 * 8_760 * 0.4 * 5)
    ((name, own, terms),) = other_terms(fleet)
    assert (name, own.rent.usd_per_accelerator_hour, terms.rent.usd_per_accelerator_hour) == ("Search", 4.0, 5.0)


KEPT, OLDER = ExistingHardware(accelerators=4), ExistingHardware(accelerators=4, bought_year=2024)


@each_row(("plans", "wish"), [
    ([team("A")], "2 to 24 plans, and here are 1. Pick at least two"),
    ([team(f"P{n}") for n in range(25)], "here are 25. Pick fewer"),
    ([team("A"), team("B", starts=110)], "“B” ends 121 months from now, and a portfolio has at most 120"),
    ([team("A", 0.9, own=OwnInputs(capex_usd=100_000)), team("B")], "“A” gives all of day one in one sum"),
    ([team("A", kept=KEPT), team("B", kept=OLDER)], "different hardware already"),
])  # fmt: skip
def test_what_cannot_be_shared_is_a_sentence(plans: list[PortfolioPlan], wish: str) -> None:
    with pytest.raises(PortfolioError, match=wish):
        portfolio(CATALOGUE, plans, DAY)


@each_row(("text", "wish"), [
    (b"plans: []", "Line 1: plans: want at least 2 entries"),
    (b"plans:\n  - {plan: a}\n  - {file: b}", "Line 3: plans.1"),
    (b"plans:\n  - {plan: a}\n  - {plan: b, starts_in_month: 0}", "Line 3: .*want a number, 1 or more, got 0"),
])  # fmt: skip
def test_a_file_that_is_no_portfolio_is_a_sentence_with_its_line(text: bytes, wish: str) -> None:
    with pytest.raises(ScenarioError, match=wish):
        read_portfolio(text, "all.yaml")


@pytest.mark.slow
def test_twenty_plans_are_as_many_works_of_one_plan() -> None:
    plans = [team(f"P{n}", 0.1 + 0.02 * n) for n in range(20)]
    (fleet,) = portfolio(CATALOGUE, plans, DAY)
    assert fleet.demands[0].sum() == pytest.approx(8 * 8_760 * sum(0.1 + 0.02 * n for n in range(20)))
    assert fleet.demands[0].sum(axis=0) == pytest.approx(fleet.plan.setting.demand.all.busy_hours)
    assert fleet.best.present_usd < fleet.alone_usd
    services = [
        team(f"S{n}", work=(Work(accelerators=8, by_hour=(1.0,) * 12 + (0.3,) * 12),) * 6, years=10.0)
        for n in range(20)
    ]
    with pytest.raises(PortfolioError, match=r"20 plans with 120 kinds of work over 10 years take .* leave some out"):
        portfolio(CATALOGUE, services, DAY)


def test_what_is_paid_today_takes_effect_in_the_first_month() -> None:
    reserve = ReservationInputs(usd_per_accelerator_hour=2.0, term="reserved_1y", prepaid=True)
    plan = planned(CATALOGUE, certain(reserve=reserve, ways=("own", "reserved")), DAY)
    ledger, months = plan.option("reserved").ledger, plan.setting.timeline.last
    paid = sum(line.priced_usd for line in ledger.lines if line.is_cash and line.treatment not in SPREAD)
    spread = sum(line.priced_usd.sum() for line in ledger.lines if line.is_cash and line.treatment in SPREAD) / months
    assert paid[0] > 0
    assert effective_usd(ledger, months) == pytest.approx(np.append(paid[0] + paid[1], paid[2:]) + spread)
