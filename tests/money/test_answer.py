"""The verdict: one function of the discounted ledgers, in every case of the wording table; published plans come out."""

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from planner.money.ledger import YOUR_INPUT, Ledger, LedgerInput, Line
from planner.money.option import Option
from planner.money.plan import Plan, plan
from planner.money.verdict.answer import Answer, build_answer
from planner.money.verdict.breakeven import STEP
from planner.money.verdict.contender import LimitBreach
from planner.money.verdict.decision import CLOSE_GAP
from planner.money.ways import WAYS as ALL_WAYS
from planner.scenario.own import ExistingHardware, OwnInputs
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms, TaxInputs
from planner.scenario.ways import Way
from planner.scenario.work import Work
from tests.examples import at_most
from tests.facts import CATALOGUE, DAY
from tests.money.test_breakeven import bare_own, scaled, toy
from tests.rows import each_row


def asked(scenario: Scenario) -> Answer:
    return build_answer(plan(CATALOGUE, scenario, DAY))


def said(**usd: Any) -> Answer:
    """The answer to a plan whose ways cost given amounts today: one number, or low, typical and high."""
    limits = {"cash_on_day_one_usd": usd.pop("cash", None), "cash_per_year_usd": usd.pop("yearly", None)}
    terms = FinancialTerms(discount_rate_per_year=0.1, **limits)
    made = plan(CATALOGUE, Scenario(terms=terms, ways=("own", "on_demand")), DAY)
    return build_answer(replace(made, options=tuple(option(made, key, amounts) for key, amounts in usd.items())))


def option(made: Plan, key: str, usd: Any) -> Option:
    """A way that costs so much, all of it in month 0, or in month 1 where its key says `later`."""
    low, typical, high = usd if isinstance(usd, tuple) else (usd, usd, usd)
    month = 1 if key.endswith("_later") else 13 if key.endswith("_next_year") else 0
    way: Any = key.removesuffix("_later").removesuffix("_next_year")

    def ledger(amount: float) -> Ledger:
        amounts = np.zeros(made.setting.timeline.last + 1)
        amounts[month] = amount
        return Ledger(key, (Line("all", "compute", "a_usd", (LedgerInput("a_usd", amounts, "USD", YOUR_INPUT),)),))

    hours = made.setting.demand.all.busy_hours
    ends = {"low": ledger(low), "high": ledger(high)}
    return Option(key, way, key, "", ledger(typical), ends.__getitem__, hours, 8.0)


@each_row(("own", "rent", "verdict"), [
    ((80, 90, 99), (101, 110, 120), "own"), ((80, 90, 102), (101, 110, 120), "probably own"),
    ((101, 110, 120), (80, 90, 99), "rent"), ((101, 110, 120), (80, 90, 102), "probably rent"),
    ((100, 100, 100), (104.9, 104.9, 104.9), "close"), ((100, 100, 100), (105, 105, 105), "own"),
    ((10, 100, 200), (104.9, 104.9, 104.9), "close"), (0, 0, "close"), (0, 10, "own"), (-50, -20, "own"),
])  # fmt: skip
def test_the_wording_table(own: Any, rent: Any, verdict: str) -> None:
    answer = said(own=own, on_demand=rent)
    assert answer.verdict == verdict
    assert answer.best.option.way == ("on_demand" if "rent" in verdict or own == rent else "own")


@pytest.mark.parametrize(
    ("mix", "verdict", "pair"),
    [(94.9, "mix", ("own", "mix")), (96.0, "close", ("own", "mix")), (120.0, "close", ("own", "on_demand"))],
)
def test_a_mix_is_compared_like_any_other(mix: float, verdict: str, pair: tuple[str, str]) -> None:
    answer = said(own=100, on_demand=102, mix=mix)
    assert answer.verdict == verdict
    assert answer.best.option.way == ("mix" if mix < 100 else "own")
    assert answer.pair is not None
    assert tuple(one.option.way for one in answer.pair) == pair
    assert [way.present_usd for way in answer.ranked] == sorted([100.0, 102.0, mix])


@pytest.mark.parametrize(("lease", "best"), [(99.0, "on_demand"), (97.0, "lease")])
def test_the_cheapest_of_each_group_is_compared(lease: float, best: str) -> None:
    answer = said(own=100, lease=lease, on_demand=98)
    assert answer.pair is not None
    assert tuple(way.option.way for way in answer.pair) == ("lease", "on_demand")
    assert answer.best.option.way == best


def test_the_best_of_each_side_is_compared() -> None:
    answer = said(own=100, loan=90, on_demand=130, reserved=120, spot=150)
    assert answer.verdict == "own"
    assert (answer.own and answer.own.option.way, answer.rent and answer.rent.option.way) == ("loan", "reserved")
    assert answer.gap_share == pytest.approx(120 / 90 - 1)
    assert [way.option.way for way in answer.ranked] == ["loan", "own", "reserved", "on_demand", "spot"]


def test_keeping_what_is_there() -> None:
    assert said(own=100, on_demand=90, keep=50).verdict == "keep"
    assert said(own=100, on_demand=90, keep=88).verdict == "close"
    assert said(own=60, on_demand=90, keep=88).verdict == "own"
    assert said(on_demand=90, keep=50).verdict == "keep"


def test_what_cannot_be_paid_today_is_limited() -> None:
    answer = said(own=308_000, on_demand_later=400_000, cash=200_000)
    assert answer.verdict == "limited"
    assert answer.limit.message == "buying needs $308,000 on day one and you have $200,000"
    assert answer.limit.remedy == "$108,000 more on day one"
    assert answer.best.option.way == "on_demand"
    assert answer.gap_share == pytest.approx(400_000 / 1.1 ** (1 / 12) / 308_000 - 1)


def test_another_way_to_own_may_keep_to_the_limit() -> None:
    answer = said(own=300, loan_later=320, on_demand_later=500, cash=200)
    assert answer.verdict == "own"
    assert answer.own.option.way == "loan"
    assert answer.limit is not None
    none = said(own=300, on_demand=500, cash=200)
    assert none.verdict == "limited"
    assert none.limit.message == "the least that any way needs (buying) is $300 on day one and you have $200"
    assert said(own=300, on_demand=250, cash=260).limit is None


def test_the_option_that_needs_least_is_the_one_that_is_named() -> None:
    """Credit and a smaller fleet are ways to buy, and no other option may answer to their names."""
    for limits in ({"cash": 200}, {"yearly": 200}, {"cash": 200, "yearly": 100}):
        credit = said(own=400, loan=300, on_demand=500, **limits)
        assert credit.limit.message.startswith("the least that any way needs (buying on credit) is $300 ")
        assert credit.best.option.way == "loan"
    assert LimitBreach("own", 300, "on day one", 200, size=16, is_unavoidable=True).message.startswith(
        "the least that any way needs (buying 16) is $300"
    )
    assert len({way.start_text for way in ALL_WAYS.values()}) == len(ALL_WAYS)


def test_what_a_year_does_not_pay_for_is_limited() -> None:
    """Day one is in the first year; month 13 is in the second."""
    answer = said(own=308, on_demand_later=400, yearly=400)
    assert answer.verdict == "own"
    answer = said(own=308, on_demand_next_year=400, yearly=300)
    assert answer.limit.message == "the least that any way needs (buying) is $308 in year 1 and you have $300"
    late = said(own_next_year=308, on_demand=299, yearly=300)
    assert late.verdict == "limited"
    assert late.best.option.way == "on_demand"
    assert late.limit.message == "buying needs $308 in year 2 and you have $300"


def test_a_mix_within_the_limit_is_chosen_where_buying_is_not() -> None:
    answer = said(own=300, on_demand_later=500, mix_later=400, cash=200)
    assert answer.verdict == "limited"
    assert answer.best.option.way == "mix"


def test_of_two_limits_the_first_that_cannot_be_kept_is_named() -> None:
    """Renting keeps to day one and not to the year; buying to neither."""
    answer = said(own=500, on_demand_later=400, cash=100, yearly=300)
    assert answer.limit.message == "the least that any way needs (renting) is $400 in year 1 and you have $300"


@pytest.mark.slow
@at_most(60)
@given(st.lists(st.floats(1.0, 1_000.0), min_size=3, max_size=3), st.floats(0.0, 1_000.0), st.floats(0.0, 1_000.0))
def test_a_wider_budget_never_costs_more(usd: list[float], one: float, other: float) -> None:
    """Up to the gap below which plainly buying speaks for owning."""
    made = dict(zip(("own", "on_demand_next_year", "mix_later"), usd, strict=True))
    costs = []
    for budget in sorted((one, other)):
        answer = said(**made, yearly=budget)
        if answer.best is not None and not (answer.limit and answer.limit.is_unavoidable):
            costs.append(answer.best.present_usd)
    assert len(costs) < 2 or costs[1] <= costs[0] * (1 + CLOSE_GAP) + 1e-9


def test_what_selling_would_fetch_is_not_paid() -> None:
    """20,000 forgone today count as a cost of keeping, and not against a limit of cash."""
    kept = ExistingHardware(accelerators=8, usd_today_if_sold=20_000.0)
    answer = asked(Scenario(kept=kept, terms=FinancialTerms(cash_on_day_one_usd=0.0), ways=("on_demand", "keep")))
    assert answer.verdict == "keep"
    assert answer.limit is None
    assert answer.best.measures.cash_today_usd == 0
    assert answer.best.present_usd >= 20_000


def test_nothing_at_all_has_a_price() -> None:
    made = plan(CATALOGUE, Scenario(ways=("own", "on_demand")), DAY)
    answer = build_answer(replace(made, options=()))
    assert (answer.verdict, answer.best, answer.ranked) == ("incomplete", None, ())


def test_the_toy() -> None:
    """80 at once, 17 % busy: it pays back in 53 months, and not at all discounted to today, at 10 % and year ends."""
    answer = asked(toy(rate=0.10))
    assert answer.verdict == "probably rent"  # rents may rise
    measures = answer.own.measures
    assert measures.npv_usd == pytest.approx(-117_658, abs=1)
    assert measures.simple_payback.months == pytest.approx(53.333, abs=1e-3)
    assert measures.irr.value == pytest.approx(0.0406, abs=5e-5)
    assert measures.eac_usd_per_year == pytest.approx(271_038, abs=1)
    assert not answer.payback.is_found
    assert answer.turned_by_timing == ()
    monthly = asked(toy(rate=0.10, timing="month_end")).own
    assert monthly.measures.npv_usd == pytest.approx(-86_922, abs=1)


@pytest.mark.parametrize(
    ("accelerators", "running", "months"),
    [(80, 5_000, {0.0: 54, -0.1: 91, -0.2: None, -0.3: None}), (16, 1_000, {0.0: 9, -0.1: 9, -0.2: 10, -0.3: 10})],
)
def test_when_rents_fall_a_long_payback_is_lost(
    accelerators: int, running: float, months: dict[float, int | None]
) -> None:
    changes = asked(toy(accelerators=accelerators, running=running, years=10.0)).payback_by_rent_change
    found = {change: plain for change, _, plain in changes}
    for change, month in months.items():
        assert found[change].is_found == (month is not None)
        if month is not None:
            assert found[change].month == month
    assert found[0.2].month <= found[0.0].month


def published(timing: Any) -> Scenario:
    """legitlads.com: 64 accelerators at 30,000, four years, 70 % busy, 2.00 an hour, 728,681 to run them."""
    own = {"capex_usd": 1_920_000.0, "running_usd_per_month": 728_681 / 48}
    return Scenario(
        years=4.0,
        work=(Work(accelerators=64, busy_share=0.7, storage_tb=0, egress_tb_per_month=0),),
        own=OwnInputs(**{**bare_own(), **own}),
        rent=RentalInputs(usd_per_accelerator_hour=2.0, accelerators_per_machine=1),
        terms=FinancialTerms(discount_rate_per_year=0.1, rent_change_per_year=0.0, timing=timing),
        ways=("own", "on_demand"),
    )


@pytest.mark.parametrize(("timing", "npv_usd", "turned"), [
    ("year_end", -9_440, ("month_end", "month_middle", "year_middle", "dated")),
    ("month_end", 76_620, ("year_end",)),
    ("year_middle", 83_812, ("year_end",)),
])  # fmt: skip
def test_a_published_verdict_that_the_convention_alone_turns(
    timing: str, npv_usd: float, turned: tuple[str, ...]
) -> None:
    answer = asked(published(timing))
    assert answer.own.measures.npv_usd == pytest.approx(npv_usd, abs=5)
    assert answer.turned_by_timing == turned
    assert answer.verdict == "close"


def test_tax_and_its_lines_are_in_the_verdict() -> None:
    """-136,612 after tax, straight line, of a toy that loses 117,658 before."""
    tax = TaxInputs(tax_share=0.25, schedule="straight-line-5")
    answer = asked(toy(rate=0.10, tax=tax))
    assert answer.own.measures.npv_usd == pytest.approx(-136_612, abs=1)
    busy = answer.break_evens[0]
    untaxed = asked(toy(rate=0.10)).break_evens[0]
    assert busy.value is not None
    assert untaxed.value is not None
    assert busy.value > untaxed.value


SCENARIOS = st.builds(
    lambda busy, years, rate, timing, count, price, tax: Scenario(
        years=years,
        work=(Work(accelerators=count, busy_share=busy),),
        rent=RentalInputs(usd_per_accelerator_hour=price),
        terms=FinancialTerms(discount_rate_per_year=rate, timing=timing),
        tax=tax,
        ways=("own", "on_demand"),
    ),
    st.floats(0.05, 1.0),
    st.floats(0.25, 8.0),
    st.floats(0.0, 0.4),
    st.sampled_from(["month_end", "month_middle", "year_end", "year_middle", "dated"]),
    st.integers(1, 400),
    st.floats(0.5, 20.0),
    st.sampled_from([None, TaxInputs(), TaxInputs(vat_share=0.2, profit_usd_per_year=0.0)]),
)


@pytest.mark.slow
@at_most(40)
@given(SCENARIOS)
def test_the_parts_of_an_answer_do_not_contradict_each_other(scenario: Scenario) -> None:
    answer = asked(scenario)
    own, rent = answer.own, answer.rent
    assume(own is not None)  # machines that come after the plan has ended are no option
    assert own is not None
    assert rent is not None
    if answer.verdict in ("own", "probably own"):
        assert own.measures.npv_usd > 0  # a published error: BUY beside a negative NPV
    if answer.verdict in ("rent", "probably rent"):
        assert own.measures.npv_usd < 0
    assert own.measures.npv_usd == pytest.approx(rent.present_usd - own.present_usd, rel=1e-9, abs=1e-6)
    assert answer.gap_share is not None
    assert (answer.verdict == "close") == (answer.gap_share < CLOSE_GAP)
    for way in answer.ranked:
        assert way.cumulative_usd[-1] == pytest.approx(way.present_usd)
        assert way.low_usd <= way.present_usd <= way.high_usd
        assert way.measures.present_usd == way.present_usd
    month = answer.payback.month
    if answer.payback.is_found and month > 0:
        at = int(month)
        assert own.cumulative_usd[at] <= rent.cumulative_usd[at] + 1e-6
        assert own.cumulative_usd[at - 1] > rent.cumulative_usd[at - 1] - 1e-6
    busy = answer.break_evens[0]
    if busy.value is not None and busy.you is not None and scenario.tax is None and busy.reason != STEP:
        assert (busy.value < busy.you) == (own.measures.npv_usd > 0) or busy.value == pytest.approx(busy.you, rel=1e-5)


@pytest.mark.slow
@at_most(15)
@given(st.floats(0.1, 50.0), st.floats(0.0, 0.3))
def test_all_prices_times_k_leave_the_verdict(times: float, rate: float) -> None:
    once, again = asked(toy(rate=rate)), asked(scaled(toy(rate=rate), times))
    assert once.verdict == again.verdict
    assert again.gap_share == pytest.approx(once.gap_share)
    assert again.own.present_usd == pytest.approx(once.own.present_usd * times)


def test_dearer_money_speaks_for_renting() -> None:
    savings = []
    for rate in (0.0, 0.05, 0.1, 0.2, 0.4):
        own = asked(Scenario(terms=FinancialTerms(discount_rate_per_year=rate), ways=("own", "on_demand"))).own
        savings.append(float(own.measures.npv_usd))
    assert savings == sorted(savings, reverse=True)


WAYS: tuple[Way, ...] = ("own", "on_demand")


def test_a_plan_of_a_quarter_of_a_year_has_an_answer() -> None:
    answer = asked(Scenario(years=0.25, ways=WAYS))
    assert len(answer.rent.cumulative_usd) == 4


def test_the_day_is_the_plans_and_not_todays() -> None:
    terms = FinancialTerms(timing="dated", discount_rate_per_year=0.5)
    once, again = (build_answer(plan(CATALOGUE, Scenario(terms=terms, ways=WAYS), DAY)) for _ in range(2))
    leap = build_answer(plan(CATALOGUE, Scenario(terms=terms, ways=WAYS), date(2027, 11, 21)))
    assert [way.present_usd for way in once.ranked] == [one.present_usd for one in again.ranked]
    assert [one.present_usd for one in once.ranked] != [one.present_usd for one in leap.ranked]
