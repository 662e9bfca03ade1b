"""The resale: GPUs and hosts apart, at least what is guaranteed, or exactly what was agreed today."""

from typing import Any

import numpy as np
import pytest

from planner.money.measures import present_usd
from planner.money.owned_fleet import split
from planner.money.owning.machine_price import POSITION, TIMES
from planner.money.plan import plan
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from pricing import load_catalogue
from tests.facts import DAY
from tests.money.owning import EIGHTY, flow, lines, scenario, setting

SOLD: dict[str, Any] = {**EIGHTY, "host_share": 0.25, "residual_share": 0.3, "selling_cost_share": 0.1}  # for 1,000,000
BY_SERVER = {**SOLD, "usd_per_server": 100_000.0}


# GPUs and hosts


@pytest.mark.parametrize("own", [SOLD, {**BY_SERVER, "host_share": 9.0}], ids=["by host_share", "by the GPU's price"])
def test_hosts_may_keep_another_share_than_gpus(own: dict[str, Any]) -> None:
    """800,000 of GPUs at 0.3 and 200,000 of hosts at 0.5, a tenth of each for selling them."""
    apart = {**own, "host_residual_share": 0.5}
    assert flow(apart, "Resale, GPUs") == pytest.approx({48: -216_000})
    assert flow(apart, "Resale, hosts") == pytest.approx({48: -90_000})
    assert "Resale" not in lines(setting(scenario(apart)))


def test_without_a_share_of_their_own_hosts_keep_what_gpus_keep() -> None:
    assert flow(SOLD, "Resale") == pytest.approx({48: -270_000})
    same = lines(setting(scenario({**SOLD, "host_residual_share": 0.3})))
    assert sum(float(same[name].total_usd) for name in ("Resale, GPUs", "Resale, hosts")) == pytest.approx(-270_000)


def test_a_server_that_costs_no_more_than_its_gpus_has_the_usual_part_of_a_host() -> None:
    """70,000 for eight of 10,000 each: the GPUs' price is none beside the server's. A fifth is the host's."""
    own = {**BY_SERVER, "usd_per_server": 70_000.0, "host_residual_share": 0.5}
    assert flow(own, "Resale, GPUs") == pytest.approx({48: -0.9 * 0.3 * 560_000})
    assert flow(own, "Resale, hosts") == pytest.approx({48: -0.9 * 0.5 * 140_000})


def test_a_workstation_is_the_host_of_its_cards() -> None:
    """What stands around the cards is priced for itself; it keeps a half, they a quarter."""
    own = {"residual_share": 0.25, "host_residual_share": 0.5, "selling_cost_share": 0.0, "place": "office"}
    cards = {"accelerator": "RTX-4090-24GB", "work": ({"accelerators": 2, "busy_share": 0.5},), "years": 3.0}
    found = lines(setting(Scenario.model_validate({**cards, "own": own})))
    used = {one.name: float(one.value) for one in found["Resale, hosts"].used if one.is_number}
    assert float(found["Resale, hosts"].total_usd) == pytest.approx(-0.5 * used["usd_per_host"])
    assert float(found["Resale, GPUs"].total_usd) == pytest.approx(-0.25 * 2 * used["usd_per_accelerator"])


def test_a_machine_without_a_host_has_none_to_sell() -> None:
    own = {"host_residual_share": 0.5, "place": "office", "usd_per_accelerator": 9_000.0}
    mac = {"accelerator": "Apple-M3-Ultra-512GB", "own": own, "work": ({"accelerators": 1, "busy_share": 0.5},)}
    found = lines(setting(Scenario.model_validate(mac)))
    assert "Resale" in found
    assert "Resale, hosts" not in found


def test_hosts_are_sold_at_a_replacement_too() -> None:
    """Bought for 800,000 and 200,000, again after two years at four fifths squared."""
    own = {**SOLD, "host_residual_share": 0.5, "refresh_years": 2.0, "hardware_price_change_per_year": -0.2}
    assert flow(own, "Resale, hosts of what is replaced") == pytest.approx({24: -90_000})
    assert flow(own, "Resale, hosts") == pytest.approx({48: -90_000 * 0.64})
    assert flow(own, "Resale, GPUs") == pytest.approx({48: -216_000 * 0.64})


def test_a_crash_of_used_prices_hits_hosts_too() -> None:
    crash = setting(scenario({**SOLD, "host_residual_share": 0.5})).with_tried({TIMES: 0.5})
    assert float(lines(crash)["Resale, hosts"].total_usd) == pytest.approx(-45_000)


# A guarantee


@pytest.mark.parametrize(("guaranteed", "added"), [(0.4, -130_000), (0.27, 0), (0.2, 0)])
def test_a_guarantee_pays_what_the_sale_brings_less(guaranteed: float, added: float) -> None:
    """The market pays 0.3 of 1,000,000, of which 0.27 are left after a tenth for selling."""
    own = {**SOLD, "guaranteed_residual_share": guaranteed, "guarantee_cost_share": 0.02}
    assert flow(own, "Resale") == pytest.approx({48: -270_000})
    assert flow(own, "Paid up to the guarantee").get(48, 0.0) == pytest.approx(added, abs=1e-6)
    assert flow(own, "Guarantee of the resale") == pytest.approx({0: 20_000})


def brought(own: dict[str, Any], tried: dict[str, Any]) -> Any:
    """What all sales bring, for each draw."""
    found = lines(setting(scenario({**SOLD, "residual_share": None, **own})).with_tried(tried))
    return sum(-line.total_usd for line in found.values() if line.treatment == "sale")


WHEREVER = np.linspace(-1.5, 1.5, 31)[:, None]  # of the prices of used ones, beyond both ends too


@pytest.mark.parametrize("apart", [{}, {"host_residual_share": 0.05}], ids=["together", "hosts apart"])
def test_in_every_future_the_sale_brings_what_is_guaranteed_or_more(apart: dict[str, Any]) -> None:
    market = brought(apart, {POSITION: WHEREVER})
    floor = brought({**apart, "guaranteed_residual_share": 0.5}, {POSITION: WHEREVER})
    assert floor == pytest.approx(np.maximum(market, 500_000))
    assert market.min() < 500_000 < market.max()


def test_a_guarantee_is_paid_for_with_the_delivery_and_at_every_replacement() -> None:
    own = {**SOLD, "guaranteed_residual_share": 0.5, "guarantee_cost_share": 0.02, "lead_time_months": 3.0}
    later = {**own, "refresh_years": 2.0, "hardware_price_change_per_year": -0.2}
    assert flow(own, "Guarantee of the resale") == pytest.approx({3: 20_000})
    assert flow(later, "Guarantee of the resale of what is replaced") == pytest.approx({27: 20_000 * 0.8**2.25})
    assert flow(later, "Paid up to the guarantee of what is replaced") == pytest.approx({27: -230_000})


def test_a_guarantee_bears_no_vat_and_counts_as_hardware() -> None:
    tax = {"tax_share": 0.3, "vat_share": 0.2, "vat_recovered_share": 0.0}
    own = {**SOLD, "guaranteed_residual_share": 0.2}
    plans = [
        plan(load_catalogue(), scenario({**own, "guarantee_cost_share": cost}, tax=tax, ways=("own",)), DAY)
        for cost in (0.0, 0.02)
    ]
    vat, hardware = [], []
    for made in plans:
        (option,) = made.options
        vat.append(sum(float(line.total_usd) for line in option.ledger.lines if "VAT" in line.name))
        found = split(made.setting, option.ledger)
        hardware.append(found.hardware_usd)
    assert vat[0] == pytest.approx(vat[1])
    assert vat[0] > 0
    assert hardware[1] - hardware[0] == pytest.approx(20_000)


# Agreed today


def test_what_was_agreed_today_is_what_comes_in_every_future() -> None:
    tried = {POSITION: WHEREVER, TIMES: np.full_like(WHEREVER, 0.4)}
    assert brought({"forward_residual_share": 0.35}, tried) == pytest.approx(350_000)


def test_what_was_agreed_is_dollars_of_the_day_of_the_order() -> None:
    terms = FinancialTerms(money="real", inflation_per_year=0.1)
    own = {**SOLD, "residual_share": None, "forward_residual_share": 0.35}
    assert flow(own, "Resale", terms=terms) == pytest.approx({48: -350_000 / 1.1**4})


@pytest.mark.parametrize(("own", "says"), [
    ({"forward_residual_share": 0.3, "residual_share": 0.3}, "leave residual_share empty"),
    ({"forward_residual_share": 0.3, "guaranteed_residual_share": 0.3}, "leave guaranteed_residual_share empty"),
    ({"forward_residual_share": 0.3, "host_residual_share": 0.3}, "leave host_residual_share empty"),
    ({"forward_residual_share": 0.3, "orders": ({"accelerators": 8, "residual_share": 0.3},)}, "of the orders empty"),
    ({"guarantee_cost_share": 0.3}, "say that too"),
])  # fmt: skip
def test_what_cannot_both_be_is_refused(own: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        scenario(own)


@pytest.mark.parametrize("accelerator", ["H100-SXM5-80GB", "RTX-4090-24GB", "RTX-3090-24GB", "B200-SXM-180GB"])
def test_every_way_can_be_reckoned_with_all_of_it(accelerator: str) -> None:
    """The longest formulas: hosts apart, guaranteed, ordered later, replaced, in real terms."""
    agreed = {"host_residual_share": 0.4, "guaranteed_residual_share": 0.5, "guarantee_cost_share": 0.02}
    own = {**agreed, "order_month": 2, "refresh_years": 2.0}
    terms = {"money": "real", "inflation_per_year": 0.03}
    asked = {"accelerator": accelerator, "own": own, "terms": terms, "lease": {"buys_at_end": True}, "years": 5.0}
    made = plan(load_catalogue(), Scenario.model_validate(asked), DAY)
    owned = [option for option in made.options if option.way in ("own", "loan", "lease")]
    assert len(owned) == 3
    assert all(np.isfinite(present_usd(made.setting, one.ledger)) for one in owned)
    assert all(any(line.name.startswith("Paid up to") for line in one.ledger.lines) for one in owned)
