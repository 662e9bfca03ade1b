"""What an order gets, rented: one market for every number, term and place; no assumed size is a wall."""

from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from planner.money.plan import Plan, plan
from planner.money.renting.offer_inputs import PRICE
from planner.money.renting.order_market import spot_shortfall
from planner.money.setting import MarketPrice
from planner.money.ways.spot import ON_DEMAND_SHARE
from planner.scenario.scenario import Scenario
from planner.study.uncertainty.uncertain_inputs import uncertain_inputs
from pricing import Catalogue, load_catalogue
from pricing.market.band import OrderRequest
from pricing.market.depth import DAY_MONTHS, own_term
from pricing.market.sellers import chip_age, market_band

DAY = date(2026, 11, 21)
H100 = "H100-SXM5-80GB"


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def asked(catalogue: Catalogue, chip: str, number: int, *, job: int | None = None, **fields: Any) -> Plan:
    work = {"accelerators": number, "busy_share": 1.0, "storage_tb": 0.0, "accelerators_per_job": job}
    return plan(catalogue, Scenario.model_validate({"accelerator": chip, "years": 1.0, "work": (work,), **fields}), DAY)


def per_hour(made: Plan, way: str) -> float:
    option = made.option(way)
    assert option is not None, way
    return float(np.sum(option.ledger.total_usd) / np.sum(option.useful_hours))


def missing(made: Plan, way: str) -> str:
    return next(skipped.reason for skipped in made.absent if skipped.way == way)


@pytest.mark.parametrize("way", ["on_demand", "reserved"])
def test_a_larger_job_costs_about_the_same_an_hour(catalogue: Catalogue, way: str) -> None:
    made = [asked(catalogue, H100, number, job=number) for number in (512, 513, 520, 1_024, 2_000)]
    usd = [per_hour(each, way) for each in made if each.option(way) is not None]
    assert len(usd) == (5 if way == "reserved" else 4)  # 2,000 on demand are not available
    assert np.max(np.abs(np.diff(np.log(usd)))) <= 0.05
    assert "395 are, with an even chance" in missing(made[-1], "on_demand")


@pytest.mark.parametrize(
    ("chip", "number", "months", "usd"),
    [("H200-SXM-141GB", 100, 6, 3.1), ("H200-SXM-141GB", 64, 12, 2.95), (H100, 256, 12, 2.55), (H100, 1_024, 3, 2.9)],
)
def test_every_term_is_a_contract_at_the_price_of_the_market(
    catalogue: Catalogue, chip: str, number: int, months: int, usd: float
) -> None:
    made = asked(catalogue, chip, number, years=months / 12)
    assert 0.9 * usd < per_hour(made, "reserved") < 1.1 * usd < per_hour(made, "on_demand")
    assert {price.months for price in made.setting.offers.market} == {0, 1, 3, 6, 12, 24, 36}
    assert made.setting.offers.reserved_months == months


def rented_usd(made: Plan, way: str) -> float:
    option = made.option(way)
    assert option is not None
    return sum(float(np.sum(line.total_usd)) for line in option.ledger.lines if line.name.startswith("Until delivery"))


def test_what_nobody_has_is_not_rented_until_delivery(catalogue: Catalogue) -> None:
    """20,000 H100: not on demand. Until delivery a part is rented that can be had; the rest of the work waits."""
    made = asked(catalogue, H100, 20_000, years=3.0)
    assert missing(made, "on_demand").startswith("20,000 H100 SXM5 80 GB on demand at once are not available")
    own, bridge = made.option("own"), made.setting.offers.market_price(None)
    assert own is not None
    assert bridge is not None
    assert 1_000 < bridge.count < 4_000
    months = made.setting.demand.all.busy_hours.sum() * (1 - own.work_share) / (20_000 - bridge.count) / 730
    assert 6.0 < months < 8.0  # until delivery
    hours = months * 730 * bridge.count
    assert rented_usd(made, "own") == pytest.approx(hours * bridge.band.typical, rel=0.02)
    assert any(text.startswith(f"Not all of it: {1 - own.work_share:.1%} of the work waits") for text in own.warnings)


def test_a_job_larger_than_what_can_be_had_waits_whole(catalogue: Catalogue) -> None:
    made = asked(catalogue, H100, 20_000, job=20_000, years=3.0)
    own = made.option("own")
    assert own is not None
    assert rented_usd(made, "own") == 0
    assert any("; nothing is rented meanwhile" in text for text in own.warnings)


def test_owning_has_no_step_where_the_order_is_no_longer_available(catalogue: Catalogue) -> None:
    most = asked(catalogue, H100, 20_000).setting.offers.market_price(None)
    assert most is not None
    plans = [asked(catalogue, H100, most.count + more, years=3.0) for more in (-1, 1)]
    assert [plan.setting.offers.market_price(None) is None for plan in plans] == [True, False]
    usd = [per_hour(plan, "own") for plan in plans]
    assert usd[1] == pytest.approx(usd[0], rel=0.01)
    assert plans[0].option("own").work_share == 1.0  # type: ignore[union-attr]


def test_small_peaks_above_a_large_fleet_are_rented(catalogue: Catalogue) -> None:
    """A mix of 20,000: its 100 above the base can be had, though the whole order cannot."""
    kept = {"own_accelerators": 19_904, "peaks": "on_demand"}
    made = asked(catalogue, H100, 20_000, years=3.0, mix=kept, own={"lead_time_months": 0})
    option = made.option("mix")
    assert option is not None
    assert option.work_share == 1.0
    assert not any(text.startswith("Not all of it") for text in option.warnings)


def test_two_months_of_1024_and_a_reserved_chip_with_few_lists(catalogue: Catalogue) -> None:
    usd = []
    for months in (1.0, 2.0, 3.0):
        band = market_band(catalogue, H100, DAY, OrderRequest(1_024, months, "reserved"))
        assert band is not None
        assert band.standing != "unavailable"
        usd.append(band.typical)
    assert 3.3 > usd[0] > usd[1] > usd[2] > 2.6
    b200 = asked(catalogue, "B200-SXM-180GB", 8)  # one seller publishes a year: Google, at 11.12
    assert 3.5 < per_hour(b200, "reserved") < per_hour(b200, "on_demand") < 7.5


def test_a_year_lies_between_six_months_and_two_years_of_the_same_list(catalogue: Catalogue) -> None:
    terms = {6.0: 3.05, 24.0: 2.7}
    year = own_term("machine", 12.0, terms, "hopper", 4.82)
    assert not year.is_published
    assert 2.7 < year.usd < 3.05


@pytest.mark.slow
def test_sixty_days_of_the_calendar_move_a_price_by_at_most_15_percent(catalogue: Catalogue) -> None:
    """Nothing is read anew meanwhile; the price of every order moves smoothly."""
    chips = (H100, "H200-SXM-141GB", "B200-SXM-180GB", "A100-SXM4-40GB", "L40S-48GB", "L4-24GB", "MI300X-192GB")
    for chip, number in (*((chip, 8) for chip in chips), (H100, 64), ("RTX-4090-24GB", 1), ("TPU-v6e", 16)):
        order = OrderRequest(number, DAY_MONTHS, "on_demand", False, chip_age(catalogue, chip))
        bands = [market_band(catalogue, chip, DAY + timedelta(days=days), order) for days in range(0, 61, 5)]
        usd = np.log([band.typical for band in bands if band is not None])
        assert len(usd) == len(bands)
        assert np.ptp(usd) <= 0.14, chip
        assert np.max(np.abs(np.diff(usd))) <= 0.05, chip


def test_one_card_and_a_chip_of_one_seller_have_a_price(catalogue: Catalogue) -> None:
    assert 0.3 < per_hour(asked(catalogue, "RTX-4090-24GB", 1), "on_demand") < 0.45
    tpu = asked(catalogue, "TPU-v6e", 16)
    assert any(tpu.option(way) is not None for way in ("on_demand", "reserved"))
    assert all(price.band.has_few_sellers for price in tpu.setting.offers.market)


def test_work_that_stays_in_europe_is_rented_there(catalogue: Catalogue) -> None:
    made = asked(catalogue, H100, 8, years=0.25, stay="eu", site="DE")
    assert made.setting.offers.market[0].sellers < asked(catalogue, H100, 8).setting.offers.market[0].sellers
    assert 2.0 < per_hour(made, "reserved") < per_hour(made, "on_demand") < 4.5


def test_the_price_is_the_bands_and_says_from_whom(catalogue: Catalogue) -> None:
    made = asked(catalogue, H100, 8)
    quote, option = made.setting.offers.market[0], made.option("on_demand")
    assert option is not None
    used = next(used for line in option.ledger.lines for used in line.used if used.name == PRICE)
    assert float(np.asarray(used.value).flat[0]) == quote.band.typical
    note = used.origin.note if not callable(used.origin) else used.origin(0).note
    assert note.startswith(f"market for 8 GPUs on demand: typical {quote.band.typical:.3g} (")
    for case in ("low", "high"):
        ledger = getattr(option, case)
        end = next(used for line in ledger.lines for used in line.used if used.name == PRICE)
        assert float(np.asarray(end.value).flat[0]) == getattr(quote.band, case)


def test_your_price_and_a_named_offer_are_taken_as_they_are(catalogue: Catalogue) -> None:
    assert per_hour(asked(catalogue, H100, 512, rent={"usd_per_accelerator_hour": 2.5}), "on_demand") == pytest.approx(
        2.5, rel=1e-4
    )
    key = "crusoe/H100-SXM5-80GB/1x/us-iceland/on_demand"
    made = asked(catalogue, H100, 8, rent={"offer": key})
    assert made.setting.offers.market_price(key) is None
    assert made.setting.offers.on_demand == key


@pytest.mark.slow
def test_without_any_one_seller_the_price_moves_little(catalogue: Catalogue) -> None:
    usual = asked(catalogue, H100, 64).setting.offers.market[0].band.typical
    sellers = {offer.provider for offer in catalogue.offers.values() if offer.accelerator == H100}
    for seller in sorted(sellers):
        left = {key: offer for key, offer in catalogue.offers.items() if offer.provider != seller}
        fewer = asked(catalogue.model_copy(update={"offers": left}), H100, 64).setting.offers.market[0].band.typical
        assert abs(np.log(fewer / usual)) <= 0.08, seller


def test_hosts_of_others_are_taken_for_one_machine_unless_you_say(catalogue: Catalogue) -> None:
    """Vast lists the cheapest A100. For two machines hosts are left out; with them the price is a little lower."""

    def quote(number: int, hosts: str) -> MarketPrice:
        rent = {} if hosts == "usual" else {"hosts_of_others": hosts}
        return asked(catalogue, "A100-SXM4-80GB", number, rent=rent).setting.offers.market[0]

    for number, same, other in ((8, "always", "never"), (16, "never", "always")):
        usual, like, unlike = (quote(number, hosts) for hosts in ("usual", same, other))
        assert usual == like
        assert usual.sellers != unlike.sellers
        assert 0.0 < abs(np.log(unlike.band.typical / usual.band.typical)) < 0.08
    assert quote(8, "never").band.typical > quote(8, "always").band.typical
    assert quote(16, "always").offer == quote(16, "never").offer  # a host has one machine


@pytest.mark.parametrize(
    ("chip", "number"), [(H100, 8), (H100, 10), (H100, 20), ("A100-SXM4-80GB", 3), ("MI325X-256GB", 11)]
)
def test_an_order_goes_where_the_fewest_idle_gpus_are_paid_for(catalogue: Catalogue, chip: str, number: int) -> None:
    """Massed Compute has the lowest price of 10 H100, in machines of 8: 16 would be paid for."""
    rented = asked(catalogue, chip, number).option("on_demand")
    assert rented is not None
    usd = {line.part: float(line.total_usd) for line in rented.ledger.lines}
    assert usd["compute"] > 0
    assert usd.get("whole machines", 0.0) == 0


def test_what_is_not_there_on_spot_is_rented_on_demand_and_drawn(catalogue: Catalogue) -> None:
    """256 H100: somebody has half of them with an even chance, so the other half is rented on demand."""

    def stopping(number: int) -> Plan:
        work = {"accelerators": number, "busy_share": 0.9, "may_stop": True, "storage_tb": 0.0}
        return plan(catalogue, Scenario.model_validate({"accelerator": H100, "years": 1.0, "work": (work,)}), DAY)

    made = stopping(256)
    lacks = spot_shortfall(made.setting)
    assert 0 <= lacks["low"] < lacks["typical"] < lacks["high"] < 1
    option, usual = made.option("spot"), made.option("on_demand")
    assert option is not None
    assert usual is not None
    instead = sum(float(line.total_usd) for line in option.ledger.lines if line.name.startswith("Where none are there"))
    assert instead == pytest.approx(lacks["typical"] * float(usual.ledger.total_usd), rel=0.01)
    drawn = next(one for one in uncertain_inputs(made) if one.name == ON_DEMAND_SHARE)
    assert (drawn.spread.low, drawn.spread.typical, drawn.spread.high) == tuple(lacks.values())
    assert spot_shortfall(stopping(8).setting)["typical"] == 0
