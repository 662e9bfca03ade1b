"""Buying: whole servers, every cost once, resale back, and a range that holds the typical total."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.inputs.need import Need
from planner.money.formula import formula
from planner.money.owned import Buying, buying
from pricing import Catalogue, load_catalogue
from pricing.figure import Source, Value

NEED = Need(accelerator="H100-SXM5-80GB", accelerators=8, busy_share=0.6, years=3.0)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def bought(catalogue: Catalogue, **changes: object) -> Buying:
    """Buying what the plan needs, with these changes to the plan."""
    own = buying(catalogue, NEED.model_copy(update=changes))
    assert own is not None
    return own


def amounts(own: Buying) -> dict[str, float]:
    """What each line comes to."""
    return {line.name: float(line.total_usd) for line in own.ledger.lines}


def test_eight_h100_by_hand(catalogue: Catalogue) -> None:
    """30,000 x 8 x 1.21 = 290,400; 10.2 kW x 194.95 x 36; (0.6 x 0.76 + 0.4 x 0.25) of 10.2 kW x 1.25 x 0.0861; ..."""
    usd = amounts(bought(catalogue))
    hardware = 30_000 * 8 * 1.21
    assert usd["Servers, with spares"] == pytest.approx(hardware)
    assert usd["Installation"] == pytest.approx(0.03 * hardware)
    assert usd["Network between servers"] == 0
    assert usd["Space, by contracted power"] == pytest.approx(10.2 * 194.95 * 36)
    drawn_kw = 10.2 * (0.6 * 0.76 + 0.4 * 0.25)
    kwh = catalogue.sites["US"].usd_per_kwh
    assert kwh is not None
    assert usd["Electricity, by what is drawn"] == pytest.approx(
        drawn_kw * 1.25 * kwh.newest.typical * 26_280, rel=1e-6
    )
    assert usd["People"] == pytest.approx(8 / 256 * 200_000 * 3)
    assert usd["Maintenance and insurance"] == pytest.approx(hardware * 0.045 * 3)
    assert usd["Resale at the end"] == pytest.approx(-0.46 * hardware)


def test_capex_is_counted_once(catalogue: Catalogue) -> None:
    """A published error: price *and* depreciation in one total. The price goes out once, resale comes back once."""
    lines = [line for line in bought(catalogue).ledger.lines if "usd_per_accelerator" in line.how]
    assert [line.name for line in lines if line.part == "hardware"] == ["Servers, with spares", "Installation"]
    assert sum("residual_share" in line.how for line in lines) == 1


@pytest.mark.parametrize(("needed", "servers"), [(1, 1), (8, 1), (9, 2), (160, 21), (1_024, 135)])
def test_servers_are_whole_and_clusters_keep_spares(catalogue: Catalogue, needed: int, servers: int) -> None:
    """160 need 20 servers and 5 % spares: 21. One server has no spare beside it."""
    usd = amounts(bought(catalogue, accelerators=needed))
    assert usd["Servers, with spares"] == pytest.approx(servers * 290_400)


@pytest.mark.parametrize(
    ("needed", "usd_each"), [(8, 0.0), (16, 1_882.5), (512, 1_882.5), (513, 4_247.5), (16_384, 4_247.5)]
)
def test_the_network_grows_with_the_cluster(catalogue: Catalogue, needed: int, usd_each: float) -> None:
    assert amounts(bought(catalogue, accelerators=needed))["Network between servers"] == pytest.approx(
        needed * usd_each
    )


@pytest.mark.parametrize(
    ("years", "left"), [(1.0, 0.78), (2.5, 0.53), (5.0, 0.25), (6.0, 0.25 * 0.25 / 0.35), (0.5, 0.89)]
)
def test_resale_follows_the_curve(catalogue: Catalogue, years: float, left: float) -> None:
    assert amounts(bought(catalogue, years=years))["Resale at the end"] == pytest.approx(-left * 290_400)


def test_what_cannot_be_bought_is_none(catalogue: Catalogue) -> None:
    assert buying(catalogue, NEED.model_copy(update={"accelerator": "TPU-v5p"})) is None
    assert buying(catalogue, NEED.model_copy(update={"accelerator": "A10G-24GB"})) is None


def test_your_quote_wins_over_newer_prices(catalogue: Catalogue) -> None:
    server = catalogue.servers["HGX-H100-8"]
    assert server.price_usd is not None
    day = server.price_usd.checked + timedelta(days=1)
    value = Value(typical=250_000, kind="quote", source="yours")
    figure = server.price_usd.model_copy(update={"values": {**server.price_usd.values, day: value}, "checked": day})
    fresh = type(figure).model_validate(figure.model_dump())
    yours = Source(title="Yours", url="docs/glossary.md", retrieved=date(2026, 1, 1), via="yours", licence="yours")
    quoted = catalogue.model_copy(
        update={
            "servers": {**catalogue.servers, "HGX-H100-8": server.model_copy(update={"price_usd": fresh})},
            "sources": {**catalogue.sources, "yours": yours},
        }
    )
    own = bought(quoted)
    assert own.trust == "yours"
    assert amounts(own)["Servers, with spares"] == pytest.approx(250_000)


def test_every_accelerator_that_can_be_bought_has_a_total(catalogue: Catalogue) -> None:
    found = [buying(catalogue, NEED.model_copy(update={"accelerator": key})) for key in catalogue.accelerators]
    owned = [own for own in found if own is not None]
    assert len(owned) >= 30
    for own in owned:
        assert 0 < own.low_usd <= own.total_usd <= own.high_usd


NEEDS = st.builds(
    Need,
    accelerator=st.sampled_from(["H100-SXM5-80GB", "RTX-4090-24GB", "MI300X-192GB", "GB200-NVL72-186GB"]),
    accelerators=st.integers(1, 16_384),
    busy_share=st.floats(0.01, 1.0),
    years=st.floats(0.25, 10.0),
    storage_tb=st.floats(0.0, 1e5),
    site=st.sampled_from(["US", "US-TX", "DE", "NO", "JP", "WORLD"]),
)


@settings(max_examples=40)
@given(need=NEEDS)
def test_lines_recompute_sum_and_stay_in_the_range(need: Need) -> None:
    own = buying(load_catalogue(), need)
    assert own is not None
    again = [float(np.sum(formula(one.how)({u.name: u.value for u in one.used}))) for one in own.ledger.lines]
    assert own.total_usd == pytest.approx(sum(again), rel=1e-9)
    assert own.low_usd <= own.total_usd <= own.high_usd


@settings(max_examples=40)
@given(need=NEEDS, busier=st.floats(0.01, 1.0))
def test_a_busy_hour_of_your_own_never_costs_more_when_more_are_used(need: Need, busier: float) -> None:
    low, high = sorted((need.busy_share, busier))
    facts = load_catalogue()
    idle, busy = (buying(facts, need.model_copy(update={"busy_share": share})) for share in (low, high))
    assert idle is not None
    assert busy is not None
    assert busy.usd_per_busy_hour <= idle.usd_per_busy_hour * (1 + 1e-9)
    assert busy.total_usd >= idle.total_usd * (1 - 1e-9)
