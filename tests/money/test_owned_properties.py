"""Owning, for any plan: every field counts, and arrays are their scalars."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.money.owning import owning
from planner.money.setting import PlanContext
from planner.scenario.own import OwnInputs
from planner.scenario.scenario import Scenario
from pricing import load_catalogue
from tests.examples import at_most
from tests.facts import DAY
from tests.money.owning import EIGHTY, scenario, setting, whole
from tests.rows import each_row

_ROOM = {**EIGHTY, "place": "own_room"}
_LATER = {**EIGHTY, "refresh_years": 1.5, "residual_share": None}
_CURVE = ({"load": 0.0, "power_share": 0.2}, {"load": 0.4, "power_share": 0.7}, {"load": 1.0, "power_share": 0.8})
_FIELDS: dict[str, tuple[dict[str, Any], Any]] = {
    "accelerators": (EIGHTY, 96), "usd_per_server": (EIGHTY, 90_000.0), "usd_per_accelerator": (EIGHTY, 9_000.0),
    "accelerators_per_server": ({**EIGHTY, "usd_per_server": 80_000.0}, 4), "host_share": (EIGHTY, 0.1),
    "spare_share": (EIGHTY, 0.2), "usd_per_accelerator_of_network": (EIGHTY, 1_000.0),
    "usd_per_tb_of_disk": (EIGHTY, 100.0), "install_share": (EIGHTY, 0.1), "capex_usd": (EIGHTY, 900_000.0),
    "capex_per": ({**EIGHTY, "capex_usd": 90_000.0}, "machine"), "order_month": (EIGHTY, 6),
    "channel": ({**EIGHTY, "usd_per_accelerator": None}, "used"),
    "age_years": ({**EIGHTY, "usd_per_accelerator": None, "channel": "used"}, 5.0),
    "lead_time_months": ({**EIGHTY, "running_usd_per_month": 1_000.0}, 3.0), "scarcity_premium_share": (EIGHTY, 0.1),
    "deposit_share": ({**EIGHTY, "lead_time_months": 3.0}, 0.5),
    "place": ({**EIGHTY, "usd_per_kw_month": 100.0}, "own_room"), "usd_per_kw_month": (EIGHTY, 200.0),
    "usd_per_kw_of_room": (_ROOM, 9_000.0), "room_life_years": (_ROOM, 10.0),
    "room_upkeep_share_per_year": (_ROOM, 0.2), "usd_per_kwh": (EIGHTY, 0.1),
    "power_price_change_per_year": ({**EIGHTY, "usd_per_kwh": 0.1}, 0.1),
    "space_price_change_per_year": ({**EIGHTY, "usd_per_kw_month": 100.0}, 0.1),
    "wage_change_per_year": ({**EIGHTY, "fte_per_accelerator": 0.1}, 0.1),
    "maintenance_change_per_year": ({**EIGHTY, "maintenance_share_per_year": 0.1}, 0.1),
    "pue": ({**EIGHTY, "usd_per_kwh": 0.1}, 1.5), "rated_w_per_server": ({**EIGHTY, "usd_per_kwh": 0.1}, 8_000.0),
    "busy_power_share": ({**EIGHTY, "usd_per_kwh": 0.1}, 0.9),
    "idle_power_share": ({**EIGHTY, "usd_per_kwh": 0.1}, 0.1),
    "power_at_load": ({**EIGHTY, "usd_per_kwh": 0.1}, _CURVE), "fte_per_accelerator": (EIGHTY, 0.1),
    "least_fte": ({**EIGHTY, "usd_per_fte_year": 1e5}, 1.0),
    "usd_per_fte_year": ({**EIGHTY, "fte_per_accelerator": 0.1}, 100_000.0),
    "maintenance_share_per_year": (EIGHTY, 0.1), "insurance_share_per_year": (EIGHTY, 0.1),
    "usd_per_accelerator_year_of_software": (EIGHTY, 1_000.0),
    "failures_per_accelerator_year": ({**EIGHTY, "warranty_years": 1.0}, 0.1),
    "repair_share": ({**EIGHTY, "failures_per_accelerator_year": 0.1, "warranty_years": 1.0}, 0.7),
    "warranty_years": ({**EIGHTY, "failures_per_accelerator_year": 0.1}, 1.0),
    "running_usd_per_month": (EIGHTY, 1_000.0), "resale_month": ({**EIGHTY, "residual_share": None}, 24),
    "residual_share": (EIGHTY, 0.3), "host_residual_share": ({**EIGHTY, "host_share": 0.2}, 0.5),
    "guaranteed_residual_share": (EIGHTY, 0.2),
    "guarantee_cost_share": ({**EIGHTY, "guaranteed_residual_share": 0.2}, 0.02),
    "forward_residual_share": ({**EIGHTY, "residual_share": None}, 0.05),
    "selling_cost_share": ({**EIGHTY, "residual_share": 0.3}, 0.3), "decommissioning_share": (EIGHTY, 0.1),
    "refresh_years": (EIGHTY, 2.0), "hardware_price_change_per_year": (_LATER, -0.3),
}  # fmt: skip


# `most_kw` moves nothing: it forbids (tests/money/test_places.py). Orders are fleets of their own (test_orders.py).
_ELSEWHERE = ("most_kw", "orders", "orders_every_months")


@each_row("field", [name for name in OwnInputs.model_fields if name not in _ELSEWHERE])
def test_every_field_of_owning_moves_the_ledger(field: str) -> None:
    base, value = _FIELDS[field]

    def cash(own: dict[str, Any]) -> Any:
        at = setting(scenario(own))
        found = owning(at, at.demand.upto(own.get("accelerators", 80)))
        assert found is not None
        return sum(line.usd for line in found)

    assert not np.allclose(cash(base), cash({**base, field: value}), rtol=1e-6)


SCENARIOS = st.builds(
    lambda own, accelerators, busy, years, accelerator, site: Scenario.model_validate({
        "own": own, "work": ({"accelerators": accelerators, "busy_share": busy},), "years": years,
        "accelerator": accelerator, "site": site,
    }),
    own=st.fixed_dictionaries(
        {},
        optional={
            "lead_time_months": st.floats(0.0, 30.0), "refresh_years": st.floats(1.0, 5.0),
            "place": st.sampled_from(["colocation", "own_room", "campus", "data_centre"]),
            "usd_per_server": st.floats(1e3, 1e6), "capex_usd": st.floats(1e3, 1e9), "resale_month": st.integers(1, 3),
        },
    ),
    accelerators=st.integers(1, 16_384),
    busy=st.floats(0.01, 1.0),
    years=st.floats(0.25, 10.0),
    accelerator=st.sampled_from(["H100-SXM5-80GB", "RTX-4090-24GB", "MI300X-192GB", "GB200-NVL72-186GB"]),
    site=st.sampled_from(["US", "US-TX", "DE", "NO", "JP", "WORLD"]),
)  # fmt: skip


def bare(plan: Scenario, **tried: Any) -> PlanContext:
    """A setting without the search for an offer, which owning does not need."""
    return PlanContext(load_catalogue(), plan, DAY, tried=tried)


@at_most(40)
@given(
    plan=SCENARIOS,
    name=st.sampled_from(
        ["lead_time_months", "usd_per_kwh", "residual_share", "warranty_years", "refresh_years", "resale_month"]
    ),
    values=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=4),
)
def test_many_at_once_are_what_each_is_alone(plan: Scenario, name: str, values: list[float]) -> None:
    scale = {"lead_time_months": 40.0, "warranty_years": 10.0, "resale_month": 60.0, "refresh_years": 4.0}.get(name, 1)
    values = [value * scale + (1.0 if name in ("refresh_years", "resale_month") else 0.0) for value in values]
    column = np.array(values)[:, np.newaxis]
    together = np.broadcast_to(whole(bare(plan, **{name: column})), len(values))
    alone = [float(whole(bare(plan, **{name: value}))) for value in values]
    assert together == pytest.approx(alone, rel=1e-9, abs=1e-3)
