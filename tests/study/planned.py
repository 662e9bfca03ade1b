"""Plans for the tests of what is many at once: the default, small ones, one with a deadline."""

from functools import lru_cache
from typing import Any

from planner.money.plan import Plan, plan
from planner.scenario.own import OwnInputs
from planner.scenario.rent import RentalInputs
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from planner.scenario.work import Work
from pricing import Catalogue, load_catalogue
from tests.facts import DAY


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    """The real facts, read once."""
    return load_catalogue()


def planned(**changes: Any) -> Plan:
    """The default plan, bought or rented on demand, with changes."""
    return plan(catalogue(), Scenario(**{"ways": ("own", "on_demand"), **changes}), DAY)


def certain(**changes: Any) -> Scenario:
    """Eight machines of which everything is said: only rents, support and how much work comes stay open."""
    names = (
        "host_share", "spare_share", "usd_per_accelerator_of_network", "usd_per_tb_of_disk", "install_share",
        "lead_time_months", "scarcity_premium_share", "deposit_share", "residual_share", "selling_cost_share",
        "decommissioning_share", "running_usd_per_month",
    )  # fmt: skip
    own = dict.fromkeys(names, 0.0) | {"accelerators_per_server": 1, "usd_per_accelerator": 20_000.0}
    said: dict[str, Any] = {
        "years": 1.0, "work": (Work(accelerators=8, busy_share=0.5, storage_tb=0, egress_tb_per_month=0),),
        "own": OwnInputs(**own),
        "rent": RentalInputs(usd_per_accelerator_hour=4.0, accelerators_per_machine=1, support_share=0.0),
        "terms": FinancialTerms(discount_rate_per_year=0.1), "ways": ("own", "on_demand"),
    }  # fmt: skip
    return Scenario(**{**said, **changes})
