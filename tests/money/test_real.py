"""Real terms: the same plan told with and without inflation has the same present value, if its paths are the same."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.finance import real_rate
from planner.money.measures import plan_discount_rate, present_usd
from planner.money.plan import plan
from planner.money.ways import WAYS
from planner.scenario.own import IdleSaleInputs, Lease, OwnInputs, RentToOwn, SaleAndLeaseBack
from planner.scenario.rent import MixInputs, RentalInputs, ReservationInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms, TaxInputs
from planner.scenario.work import Work
from tests.examples import at_most
from tests.facts import CATALOGUE, DAY
from tests.money.anyplan import of, plans, small

INFLATION, RATE = 0.04, 0.11
CHANGES = {"rent": -0.15, "power": 0.06, "hardware": -0.1, "wage": 0.05, "space": 0.03, "maintenance": 0.08}
# What has no path of its own costs the same dollars in the one, and the same of today's money in the other: none here.
_FLAT = (
    "usd_per_accelerator_year_of_software", "install_share", "usd_per_accelerator_of_network", "usd_per_tb_of_disk",
    "decommissioning_share",
)  # fmt: skip
_FILLED_IN = ("rent_to_own", "sale_and_lease_back", "mix")
_WAYS = tuple(
    key
    for key, way in WAYS.items()
    if way.inputs in _FILLED_IN or (way.when_empty == "usual" and not way.filled_by_service)
)
_OWN: dict[str, Any] = {
    **dict.fromkeys(_FLAT, 0.0), "usd_per_kwh": 0.2, "lead_time_months": 2.5, "deposit_share": 0.4,
    "residual_share": 0.3, "resale_month": 29,
}  # fmt: skip


def told(
    money: Any, *, own: dict[str, Any] | None = None, terms: dict[str, Any] | None = None, **said: Any
) -> Scenario:
    """The plan in terms of `money`: every rate and path with its inflation, or without."""

    def less(nominal: float) -> float:
        return real_rate(nominal_rate_per_year=nominal, inflation_per_year=INFLATION) if money == "real" else nominal

    return Scenario.model_validate(
        {
            "years": 2.7,
            "accelerator": "H100-SXM5-80GB",
            "work": (Work(accelerators=12, busy_share=0.5, may_stop=True, storage_tb=0.0, egress_tb_per_month=0.0),),
            "own": OwnInputs(
                **{**_OWN, **(own or {})},
                power_price_change_per_year=less(CHANGES["power"]),
                hardware_price_change_per_year=less(CHANGES["hardware"]),
                wage_change_per_year=less(CHANGES["wage"]),
                space_price_change_per_year=less(CHANGES["space"]),
                maintenance_change_per_year=less(CHANGES["maintenance"]),
            ),
            "rent_to_own": RentToOwn(usd_per_month=9_000.0, months=20, upfront_usd=5_000.0, final_usd=900.0),
            "sale_and_lease_back": SaleAndLeaseBack(price_share=0.9, years=2.0),
            "sell": IdleSaleInputs(usd_per_accelerator_hour=1.5, reserved=True),
            "rent": RentalInputs(usd_per_accelerator_hour=2.5),
            "mix": MixInputs(own_accelerators=4, reserve_accelerators=4),
            "terms": FinancialTerms(
                money=money,
                inflation_per_year=INFLATION,
                discount_rate_per_year=less(RATE),
                rent_change_per_year=less(CHANGES["rent"]),
                **(terms or {}),
            ),
            "ways": _WAYS,
            **said,
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("timing", ["month_end", "month_middle", "year_end", "dated"])
@pytest.mark.parametrize(
    "said",
    [
        {},
        {"own": {"refresh_years": 1.0, "resale_month": None}},
        {"own": {"capex_usd": 500_000.0}},
        {"lease": Lease(usd_per_month=12_000.0, buys_at_end=True, years=2.0)},
        {"reserve": ReservationInputs(usd_per_accelerator_hour=1.8, term="reserved_1y", prepaid=True)},
        {"reserve": ReservationInputs(usd_per_accelerator_hour=1.8, term="reserved_1y", at_end="expire")},
    ],
    ids=["plain", "refreshed", "one sum", "bought from a lease", "prepaid", "let go"],
)
def test_both_terms_give_the_same_present_value(said: dict[str, Any], timing: str) -> None:
    nominal, real = (
        plan(CATALOGUE, told(money, terms={"timing": timing}, **said), DAY) for money in ("nominal", "real")
    )
    assert [option.way for option in nominal.options] == list(_WAYS)
    for one, other in zip(nominal.options, real.options, strict=True):
        wanted = float(present_usd(nominal.setting, one.ledger))
        assert float(present_usd(real.setting, other.ledger)) == pytest.approx(wanted, rel=1e-9), one.key


def test_so_they_do_where_it_is_ordered_later() -> None:
    """A quote for paying bit by bit is one of the day of the order, so it is left out here."""
    ways = ("own", "loan", "lease")
    nominal, real = (plan(CATALOGUE, told(one, own={"order_month": 5}, ways=ways), DAY) for one in ("nominal", "real"))
    assert [option.way for option in real.options] == list(ways)
    for one, other in zip(nominal.options, real.options, strict=True):
        wanted = float(present_usd(nominal.setting, one.ledger))
        assert float(present_usd(real.setting, other.ledger)) == pytest.approx(wanted, rel=1e-9), one.key


@pytest.mark.parametrize(
    "tax", [TaxInputs(tax_share=0.3), TaxInputs(tax_share=0.3, profit_usd_per_year=None, vat_share=0.19)]
)
def test_so_they_do_with_tax(tax: TaxInputs) -> None:
    nominal, real = (plan(CATALOGUE, told(money, tax=tax), DAY) for money in ("nominal", "real"))
    for option, other in zip(nominal.options, real.options, strict=True):
        wanted = float(present_usd(nominal.setting, option.ledger))
        assert float(present_usd(real.setting, other.ledger)) == pytest.approx(wanted, rel=1e-9), option.key


@pytest.mark.parametrize("way", ["own", "loan", "lease", "on_demand", "reserved"])
def test_a_plan_of_which_only_the_work_is_said_is_the_nominal_one_deflated(way: Any) -> None:
    """With the catalogue's prices and paths, and the catalogue's rate as with the same rate of your own."""
    usd = []
    for money, rate in (("nominal", 0.09), ("real", 1.09 / 1.03 - 1), ("real", None)):
        terms = FinancialTerms(money=money, inflation_per_year=0.03, discount_rate_per_year=rate)  # type: ignore[arg-type]
        asked = Scenario(work=(Work(accelerators=8, busy_share=0.7),), terms=terms, ways=(way,))
        made = plan(CATALOGUE, asked, DAY)
        usd.append(float(present_usd(made.setting, made.options[0].ledger)))
    assert usd[1:] == pytest.approx([usd[0]] * 2, rel=1e-9)


def _in_real_terms(said: Scenario) -> Scenario:
    """The same plan in real terms: its rate and its changes of prices less inflation, all amounts as they are."""
    inflation = said.terms.inflation_per_year

    def less(record: Any) -> Any:
        ends = ("change_per_year", "discount_rate_per_year")
        known = {name: value for name, value in record if name.endswith(ends) and value is not None}
        return record.model_copy(update={name: (1 + value) / (1 + inflation) - 1 for name, value in known.items()})

    def ordered(record: Any) -> Any:
        return record and record.model_copy(update={"orders": tuple(map(less, record.orders))})

    said = said.model_copy(update={"own": less(ordered(said.own)), "mix": ordered(said.mix), "terms": less(said.terms),
                                   "sell": said.sell and less(said.sell)})  # fmt: skip
    return said.model_copy(update={"terms": said.terms.model_copy(update={"money": "real"})})


@pytest.mark.slow
@at_most(40)
@given(plans(), st.floats(0.0, 0.2), st.floats(0.0, 0.3))
def test_any_plan_in_real_terms_is_the_nominal_one_deflated(said: Scenario, inflation: float, rate: float) -> None:
    """Levels of rent by year are left out: they stay as they are within a year, in the money of the plan's terms."""
    terms = {"money": "nominal", "inflation_per_year": inflation, "discount_rate_per_year": rate, "rent_by_year": (),
             "rent_as_quotes_imply": False}  # fmt: skip
    said = said.model_copy(update={"terms": said.terms.model_copy(update=terms)})
    there = small(CATALOGUE, said.accelerator)
    nominal, real = (of(one, there) for one in (said, _in_real_terms(said)))
    assert [option.key for option in real.options] == [one.key for one in nominal.options]
    for one, other in zip(nominal.options, real.options, strict=True):
        little = max(1e-9 * float(np.abs(one.ledger.monthly_usd).sum()), 1e-300)  # below it a float has few digits
        wanted = float(present_usd(nominal.setting, one.ledger))
        assert float(present_usd(real.setting, other.ledger)) == pytest.approx(wanted, abs=little), one.key


def test_what_was_agreed_loses_worth_and_what_was_not_does_not() -> None:
    terms = FinancialTerms(money="real", inflation_per_year=0.1)
    flat = OwnInputs(wage_change_per_year=0.0)  # discounted to today
    made = plan(
        CATALOGUE, Scenario(years=2.0, terms=terms, own=flat, rent=RentalInputs(usd_per_accelerator_hour=2.0)), DAY
    )
    loan = made.option("loan")
    assert loan is not None
    lines = {line.name: line.usd for line in loan.ledger.lines}
    month = np.flatnonzero(lines["Interest"])
    people = lines["People"][month]
    paid = (lines["Interest"] + lines["Loan paid back"])[month]
    assert people == pytest.approx(people[0])
    assert paid[12] == pytest.approx(paid[0] / 1.1)


@pytest.mark.parametrize(
    "name", ["rent_change_per_year", "power_price_change_per_year", "wage_change_per_year", "discount"]
)
def test_the_catalogues_changes_are_taken_less_inflation(name: str) -> None:
    def used(terms: FinancialTerms) -> float:
        made = plan(
            CATALOGUE,
            Scenario(terms=terms, rent=RentalInputs(usd_per_accelerator_hour=2.0), ways=("own", "on_demand")),
            DAY,
        )
        if name == "discount":
            return float(plan_discount_rate(made.setting))
        lines = (line for option in made.options for line in option.ledger.lines)
        return next(float(one.value) for line in lines for one in line.used if one.name == name)

    nominal, real = used(FinancialTerms()), used(FinancialTerms(money="real", inflation_per_year=0.1))
    assert 1 + real == pytest.approx((1 + nominal) / 1.1)


def test_without_inflation_real_is_nominal() -> None:
    once, again = (plan(CATALOGUE, Scenario(terms=FinancialTerms(money=money)), DAY) for money in ("nominal", "real"))  # type: ignore[arg-type]
    for option, other in zip(once.options, again.options, strict=True):
        assert [line.how for line in option.ledger.lines] == [line.how for line in other.ledger.lines]
        assert np.array_equal(option.ledger.monthly_usd, other.ledger.monthly_usd)
