"""What holds for every plan, whatever is in it: lines recompute, arrays are scalars, costs go the right way."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import pyxirr
from hypothesis import Phase, assume, example, given
from hypothesis import strategies as st

from planner.money.ledger import Ledger, Line
from planner.money.many_ledgers import build_ledger, option_builder
from planner.money.measures import present_usd, saved_usd
from planner.money.option import Option
from planner.money.plan import build_context, plan_from_context
from planner.money.verdict.answer import build_answer
from planner.money.ways import WAYS
from planner.scenario.own import ExistingHardware, IdleSaleInputs, OwnInputs, RentToOwn, SaleAndLeaseBack
from planner.scenario.rent import CurrentBill, HostedModelInputs, MixInputs
from planner.scenario.scenario import Scenario
from planner.scenario.ways import Way
from planner.scenario.work import Work
from tests.examples import at_most
from tests.facts import CATALOGUE, DAY
from tests.money.anyplan import dearer, known, of, plans, scaled, small

pytestmark = pytest.mark.slow

# Why an example fails is for whoever reads it to find: explaining takes minutes.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)
FEW = at_most(12, phases=_PHASES)
# A plan in which every way can be calculated, of no round numbers.
ALL = known(
    Scenario(
        years=2.6,
        work=(Work(accelerators=12, busy_share=0.45, may_stop=True, growth_per_year=0.2), Work(may_wait=True)),
        own=OwnInputs(usd_per_kwh=0.11),
        mix=MixInputs(own_accelerators=4, reserve_accelerators=4),
        kept=ExistingHardware(accelerators=4, relative_speed=0.3, power_w_each=400.0, usd_at_end=1_000.0),
        rent_to_own=RentToOwn(usd_per_month=9_000.0, months=24, upfront_usd=5_000.0),
        sale_and_lease_back=SaleAndLeaseBack(price_share=0.9, years=2.0),
        hosted=HostedModelInputs(million_input_tokens_per_month=2_000.0, million_output_tokens_per_month=500.0),
        bill=CurrentBill(usd_per_month=4_000.0, price="DeepInfra/Llama-3.3-70B-Instruct-Turbo"),
    )
)
# Their prices are none of the catalogue, and only a service of one model buys them: test_rivals has them.
OF_A_SERVICE = ("serverless", "processors", "desk", "by_request")
OPERATIONS: dict[str, Any] = {"min": np.minimum, "max": np.maximum, "ceil": np.ceil, "where": np.where}


def recomputed(line: Line) -> Any:
    """What Python itself makes of the text and the values that a line prints."""
    names = {used.name: np.asarray(used.value, dtype=np.float64) for used in line.used}
    with np.errstate(all="ignore"):
        return eval(line.how, {"__builtins__": {}, **OPERATIONS}, names)


def ledgers(option: Option) -> tuple[Ledger, Ledger, Ledger]:
    return option.low, option.ledger, option.high


def close(found: Any, wanted: Any, rel: float = 1e-9) -> bool:
    """The same but for the last digits of the largest."""
    wanted = np.asarray(wanted, dtype=np.float64)
    size = float(np.max(np.abs(np.nan_to_num(wanted)), initial=1.0))
    return bool(np.allclose(found, wanted, rtol=rel, atol=rel * size, equal_nan=True))


@FEW
@given(plans())
@example(ALL)
def test_every_line_recomputes_from_what_it_prints(scenario: Scenario) -> None:
    for option in of(scenario).options:
        for ledger in ledgers(option):
            for line in ledger.lines:
                assert close(line.usd, np.broadcast_to(recomputed(line), line.usd.shape)), (option.key, line.name)
            lines = [np.nan_to_num(line.usd) for line in ledger.lines]
            little = 1e-9 * size_of(ledger)
            assert ledger.monthly_usd == pytest.approx(np.asarray(sum(lines)), rel=1e-9, abs=little)
            parts = {line.part for line in ledger.lines}
            by_part = sum(float(ledger.part_usd(part)) for part in parts)
            assert float(ledger.total_usd) == pytest.approx(by_part, rel=1e-9, abs=little)


@FEW
@given(plans(), st.lists(st.floats(0.0, 1.0), min_size=2, max_size=2))
@example(ALL, [0.05, 0.3])
def test_dearer_power_never_lowers_a_cost(scenario: Scenario, usd: list[float]) -> None:
    cheap, dear = (
        of(scenario.model_copy(update={"own": scenario.own.model_copy(update={"usd_per_kwh": kwh})}))
        for kwh in sorted(usd)
    )
    for before, after in zip(cheap.options, dear.options, strict=True):
        at_first, then = (present_usd(cheap.setting, one.ledger) for one in (before, after))
        assert then >= at_first - 1e-9 * size_of(before.ledger) - rounding_usd(scenario), before.key


def size_of(ledger: Ledger) -> float:
    """All money that moves."""
    return float(sum(np.abs(np.nan_to_num(line.usd)).sum() for line in ledger.lines)) + 1.0


@at_most(8, phases=_PHASES)
@given(plans(), st.floats(0.1, 30.0))
@example(ALL, 3.0)
def test_all_prices_times_k_are_all_costs_times_k(scenario: Scenario, times: float) -> None:
    assume(all(0 < quote.usd_per_accelerator_hour * times <= 1000 for quote in scenario.quotes))  # as a quote may be
    world = small(CATALOGUE, scenario.accelerator)
    once, again = of(scenario, world), of(scaled(scenario, times), dearer(world, times))
    assert [option.key for option in once.options] == [one.key for one in again.options]
    for one, other in zip(once.options, again.options, strict=True):
        if one.key in OF_A_SERVICE:
            continue
        for before, after in zip(ledgers(one), ledgers(other), strict=True):
            little = (1e-9 * size_of(before) + rounding_usd(scenario)) * max(times, 1.0)
            assert after.monthly_usd == pytest.approx(times * before.monthly_usd, rel=1e-9, abs=little), one.key


def rounding_usd(scenario: Scenario) -> float:
    """What the last digits of a tax on a great profit come to."""
    tax = scenario.tax
    return 0.0 if tax is None else 1e-13 * (abs(tax.profit_usd_per_year or 0.0) + tax.losses_brought_usd)


@pytest.mark.parametrize("times", [0.2, 7.0])
def test_all_prices_times_k_leave_the_break_evens_and_the_verdict(times: float) -> None:
    world = small(CATALOGUE, ALL.accelerator)
    once, again = build_answer(of(ALL, world)), build_answer(of(scaled(ALL, times), dearer(world, times)))
    assert (once.verdict, once.gap_share) == (again.verdict, pytest.approx(again.gap_share))
    for before, after in zip(once.break_evens, again.break_evens, strict=True):
        wanted = before.value and before.value * (times if "USD" in before.unit else 1.0)
        assert after.value == (wanted if wanted is None else pytest.approx(wanted, rel=1e-5)), before.name


@FEW
@given(plans(), st.sampled_from(["month_end", "month_middle", "year_end", "year_middle", "dated"]))
def test_without_discount_the_present_is_the_plain_sum(scenario: Scenario, timing: Any) -> None:
    free = {"discount_rate_per_year": 0.0, "timing": timing}
    made = of(scenario.model_copy(update={"terms": scenario.terms.model_copy(update=free)}))
    for option in made.options:
        amounts_usd = np.concatenate([np.zeros(1), *(np.nan_to_num(line.usd).ravel() for line in option.ledger.lines)])
        # A tax of the whole profit cancels every amount: what is left of the sums is rounding, as large as they are.
        rounding_usd = 1e-12 * float(np.abs(amounts_usd).sum())
        plain_usd = math.fsum(amounts_usd.tolist())
        assert present_usd(made.setting, option.ledger) == pytest.approx(plain_usd, rel=1e-9, abs=rounding_usd)


TRIED: dict[str, tuple[float, ...]] = {
    "busy_factor": (0.1, 0.7, 1.0, 1.9), "usd_per_kwh": (0.0, 0.07, 0.4), "residual_share": (0.0, 0.35, 1.0),
    "lead_time_months": (0.0, 0.4, 3.0, 7.5, 50.0), "usd_per_accelerator_hour": (0.5, 2.0, 9.0),
    "rent_change_per_year": (-0.4, 0.0, 0.2), "usd_per_server": (100_000.0, 300_000.0),
    "usd_per_accelerator": (9_000.0, 40_000.0), "capex_usd": (100_000.0, 1_000_000.0),
    "discount_rate_per_year": (0.0, 0.1, 0.4), "loan_rate_per_year": (0.0, 0.2), "lease_rate_per_year": (0.0, 0.2),
}  # fmt: skip
WORLDS: dict[str, Callable[[Scenario], Scenario]] = {
    "plain": lambda plan: plan,
    "own sum": lambda plan: plan.model_copy(update={"own": OwnInputs(capex_usd=4e5, running_usd_per_month=900.0)}),
    "taxed": lambda plan: Scenario.model_validate({**plan.model_dump(), "tax": {"vat_share": 0.2, "tax_share": 0.3}}),
    "refreshed": lambda plan: plan.model_copy(update={"own": OwnInputs(refresh_years=1.0, resale_month=27)}),
    "selling": lambda plan: plan.model_copy(
        update={"sell": IdleSaleInputs(usd_per_accelerator_hour=1.5, reserved=True, price_change_per_year=-0.1)}
    ),
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("way", [way for way in WAYS if way not in OF_A_SERVICE])
def test_many_at_once_are_what_each_is_alone(way: Way, world: str) -> None:
    setting = build_context(CATALOGUE, WORLDS[world](ALL), DAY)
    for name, values in TRIED.items():
        many = setting.with_tried({name: np.array(values)[:, None]})
        together = build_ledger(many, WAYS[way].build)
        assert together is not None
        present = np.broadcast_to(np.asarray(present_usd(many, together)), len(values))
        for index, value in enumerate(values):
            one = setting.with_tried({name: value})
            alone = build_ledger(one, WAYS[way].build)
            assert alone is not None
            assert present[index] == pytest.approx(float(present_usd(one, alone)), rel=1e-9), (name, value)


@FEW
@given(plans(), st.lists(st.floats(0.05, 1.0), min_size=2, max_size=2))
def test_an_hour_of_ones_own_never_costs_more_when_more_are_used(scenario: Scenario, factors: list[float]) -> None:
    """The fleet stays what it is; what is rented beside it is left out."""
    setting = build_context(CATALOGUE, scenario, DAY)
    plan = plan_from_context(setting)
    for option in plan.options:
        if option.way != "own":
            continue
        idle, busy = (owned_hours(setting.with_tried({"busy_factor": factor}), option) for factor in sorted(factors))
        if idle is None or busy is None or idle[0] < 0:
            continue
        assert busy[0] / busy[1] <= idle[0] / idle[1] * (1 + 1e-9)


def owned_hours(setting: Any, option: Option) -> tuple[float, float] | None:
    """What one's own fleet costs, and the useful hours it does."""
    built = option_builder(option)(setting)
    own = [line for line in built.lines if ": " not in line.name]
    put = {used.name: used.value for line in own for used in line.used}
    if "busy_share" not in put or "owns" not in put:
        return None
    hours = float(np.sum(put["accelerators"] * put["busy_share"] * put["hours_per_month"] * put["owns"]))
    return (sum(float(np.nan_to_num(line.usd).sum()) for line in own), hours) if hours > 0 else None


PER_HOUR_SOLD = ("Hours sold on", "Fee for selling them", "Electricity of hours sold")


def sells_at_a_loss(ledger: Ledger) -> bool:
    """Whether an hour sold costs more than it brings, in some month."""
    per_hour = [np.nan_to_num(line.usd) for line in ledger.lines if line.name.endswith(PER_HOUR_SOLD)]
    return bool(np.any(sum(per_hour, np.zeros(1)) > 0))


@FEW
@given(plans())
@example(ALL)
@example(ALL.model_copy(update={"sell": IdleSaleInputs(usd_per_accelerator_hour=0.0)}))
def test_the_ends_of_a_range_lie_around_its_middle(scenario: Scenario) -> None:
    """With a wait of your own: whether waiting longer is dearer hangs on whether renting is, so it has no cheap end.

    And without quoted payments: beside them the price of the machines is only what they fetch, and a low one is dear.
    And with a share of your own to borrow: borrowing more is cheaper where money costs more than the loan.
    And where a sold hour brings less than its electricity: the more of them find a buyer, the dearer.
    """
    said = {
        "own": scenario.own.model_copy(update={"lead_time_months": scenario.own.lead_time_months or 0.0}),
        "loan": scenario.loan.model_copy(update={"loan_share": scenario.loan.loan_share or 0.0}),
        "lease": scenario.lease.model_copy(update={"usd_per_month": None}),
        "rent_to_own": None,
        "sale_and_lease_back": None,
    }
    made = of(scenario.model_copy(update=said))
    for option in made.options:
        if any(sells_at_a_loss(ledger) for ledger in ledgers(option)):
            continue
        low, middle, high = (float(present_usd(made.setting, ledger)) for ledger in ledgers(option))
        little = 1e-9 * size_of(option.ledger) + rounding_usd(scenario)
        assert low <= middle + little, option.key
        assert middle <= high + little, option.key


@FEW
@given(plans())
@example(ALL)
def test_owning_is_never_the_answer_beside_a_negative_value(scenario: Scenario) -> None:
    answer = build_answer(of(scenario))
    if answer.verdict in ("own", "probably own"):
        assert answer.best.measures.npv_usd >= 0
        assert answer.rent is None or answer.best.present_usd <= answer.rent.present_usd


@FEW
@given(plans())
@example(ALL)
def test_every_way_delivers_the_same_hours(scenario: Scenario) -> None:
    """Told by the option, and counted from the inputs of its lines; lines that cost nothing are not shown."""
    said: dict[str, Any] = {"kept": None}
    meter = paid_for(scenario.own.usd_per_kwh)
    said["own"] = scenario.own.model_copy(
        update={"running_usd_per_month": None, "capex_usd": None, "usd_per_kwh": meter}
    )
    for name in ("rent", "reserve", "spot"):
        terms = getattr(scenario, name)
        said[name] = terms.model_copy(update={"usd_per_accelerator_hour": paid_for(terms.usd_per_accelerator_hour)})
    made = of(scenario.model_copy(update=said))
    asked = made.setting.demand.all.busy_hours
    for option in made.options:
        if option.work_share < 1:  # a part waits for machines, or is not done
            continue
        assert close(option.useful_hours, asked), option.key
        by_token = option.way == "mix" and scenario.mix is not None and scenario.mix.peaks == "hosted"
        if not WAYS[option.way].is_billed_by_token and option.way not in OF_A_SERVICE and not by_token:
            assert counted(option.ledger) == pytest.approx(asked.sum(), rel=1e-6), option.key


def paid_for(usd: float | None) -> float | None:
    """The same price, but never nothing."""
    return None if usd is None else max(usd, 0.1)


def counted(ledger: Ledger) -> float:
    """The useful hours that are paid for."""
    hours = 0.0
    for line in ledger.lines:
        put = {used.name: used.value for used in line.used}
        name = line.name.rpartition(": ")[2].lower()
        if name in ("useful hours", "electricity while working"):
            flag = next(put[flag] for flag in ("owns", "paid_months", "runs") if flag in put)
            hours += float(np.sum(put["accelerators"] * put["busy_share"] * put["hours_per_month"] * flag))
    return hours


@at_most(8, phases=_PHASES)
@given(plans(), st.sets(st.sampled_from(list(WAYS)), min_size=1, max_size=4))
def test_asking_for_more_ways_makes_none_dearer(scenario: Scenario, few: set[Way]) -> None:
    there = {key for key, way in WAYS.items() if way.when_empty != "refused" or getattr(scenario, way.inputs)}
    ways = tuple(way for way in WAYS if way in few & there)
    fewer, every = of(scenario.model_copy(update={"ways": ways})), of(scenario)
    costs = {one.key: float(present_usd(every.setting, one.ledger)) for one in every.options}
    for option in fewer.options:
        assert float(present_usd(fewer.setting, option.ledger)) == pytest.approx(costs[option.key], rel=1e-12)
    if fewer.options and ways:
        assert min(costs.values()) <= min(costs[one.key] for one in fewer.options)


@FEW
@given(plans(), st.floats(0.0, 0.5))
@example(ALL, 0.1)
def test_value_and_rate_are_what_another_library_finds(scenario: Scenario, rate: float) -> None:
    terms = scenario.terms.model_copy(update={"discount_rate_per_year": rate, "timing": "month_end"})
    made = of(scenario.model_copy(update={"terms": terms}))
    rent = next((option for option in made.options if option.way == "on_demand"), None)
    if rent is None:
        return
    monthly = (1 + rate) ** (1 / 12) - 1
    for way in build_answer(made).ranked:
        usd = saved_usd(way.option.ledger, rent.ledger)
        theirs = pyxirr.npv(monthly, usd, start_from_zero=True)
        ours = float(present_usd(made.setting, rent.ledger)) - way.present_usd
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9 * size_of(rent.ledger)), way.option.key


def test_the_rate_of_return_is_what_another_library_finds() -> None:
    answer = build_answer(of(ALL))
    assert answer.baseline is not None
    rates = 0
    for way in answer.ranked:
        if not way.measures.irr.is_found:
            continue
        rates += 1
        usd = saved_usd(way.option.ledger, answer.baseline.option.ledger)
        assert float(way.measures.irr.value) == pytest.approx((1 + pyxirr.irr(usd)) ** 12 - 1, rel=1e-6)
    assert rates
