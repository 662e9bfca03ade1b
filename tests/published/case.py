"""A published case: who stated what, what this engine gives for the same inputs, and what a difference means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from planner.money.measures import Measures, Payback, compute_measures
from planner.money.option import Option
from planner.money.plan import Plan, plan
from planner.money.verdict.answer import build_answer
from planner.money.verdict.breakeven import break_even
from planner.scenario.known_names import resolve_names
from planner.scenario.scenario import Scenario
from pricing import Catalogue, load_catalogue
from tests.facts import DAY

REPRODUCED, PUBLISHED_ERROR = "reproduced", "published error"
CASES: dict[str, Case] = {}
_PRINTED = 1e-6  # recomputed numbers are printed to seven digits
_ROUNDING = 1e-12
_SYNONYMS = {"buy": "own", "cloud": "on_demand"}
# A publication leaves out what it does not mention: all of that costs nothing.
_FREE = (
    *("host_share", "spare_share", "install_share", "deposit_share", "scarcity_premium_share", "lead_time_months"),
    *("usd_per_accelerator_of_network", "usd_per_tb_of_disk", "usd_per_kw_month", "usd_per_kwh", "idle_power_share"),
    *("power_price_change_per_year", "space_price_change_per_year", "wage_change_per_year"),
    *("fte_per_accelerator", "usd_per_fte_year", "usd_per_accelerator_year_of_software", "warranty_years"),
    *("maintenance_share_per_year", "insurance_share_per_year", "maintenance_change_per_year", "repair_share"),
    *("failures_per_accelerator_year", "hardware_price_change_per_year"),
    *("residual_share", "selling_cost_share", "decommissioning_share"),
)
_BARE: dict[str, Any] = {
    "accelerator": "H100-SXM5-80GB",
    "site": "US",
    "years": 5,
    "ways": ("own", "on_demand"),
    "work": {"storage_tb": 0, "egress_tb_per_month": 0},
    "run_by_fte": 0,
    "own": {**dict.fromkeys(_FREE, 0), "place": "colocation", "pue": 1, "busy_power_share": 1},
    "rent": {
        **dict.fromkeys(("usd_per_gb_month_of_disk", "usd_per_gb_of_egress", "support_share"), 0),
        **dict.fromkeys(("billing_increment_s", "accelerators_per_machine"), 1),
        "hours_per_session": 8,
    },
    "spot": {"interruptions_per_hour": 0, "restart_hours": 0},
    "lease": {"left_share": 0},
    "terms": {"discount_rate_per_year": 0, "timing": "month_end", "hours_per_month": 730, "rent_change_per_year": 0},
}


@cache
def catalogue() -> Catalogue:
    """Return the catalogue without offers: a case rents at the price it states."""
    return load_catalogue().model_copy(update={"offers": {}})


class Scene:
    """One scenario, laid over the bare one; its plan is made on first use."""

    def __init__(self, _under: dict[str, Any] | None = None, **inputs: Any) -> None:
        self.inputs = dict(_under or _BARE)
        for name, value in inputs.items():
            over = self.inputs.get(name)
            self.inputs[name] = {**over, **value} if isinstance(over, dict) and isinstance(value, dict) else value

    def but(self, **inputs: Any) -> Scene:
        """Return the same scenario with other inputs."""
        return Scene(self.inputs, **inputs)

    @cached_property
    def plan(self) -> Plan:
        """Return the plan of the engine behind the pages."""
        scenario = Scenario.model_validate({**self.inputs, "work": (self.inputs["work"],)})
        settled, unknown = resolve_names(scenario, catalogue())
        assert not unknown, unknown
        return plan(catalogue(), settled, DAY)

    def option(self, way: str) -> Option:
        """Return the option of a way, all of whose lines have a price."""
        option = self.plan.option(way)
        assert option is not None, [absent.reason for absent in self.plan.absent if absent.way == way]
        assert not option.ledger.unpriced
        return option

    def measures(self, way: str = "own", other: str = "on_demand") -> Measures:
        """Return the measures of a way against another."""
        option = self.option(way)
        return compute_measures(self.plan.setting, option.ledger, option.useful_hours, self.option(other).ledger)

    def total_usd(self, way: str) -> float:
        """Return the cost over the plan, not discounted."""
        return float(self.option(way).ledger.total_usd)

    def month_usd(self, way: str, month: int) -> float:
        """Return the payment of a month, from 1; month 0 is the first day."""
        return float(self.option(way).ledger.monthly_usd[month])

    def part_usd(self, way: str, part: str) -> float:
        """Return the cost of one part of the ledger over the plan."""
        lines = [line for line in self.option(way).ledger.lines if line.part == part]
        assert lines, part
        return float(sum(line.total_usd for line in lines))

    def useful_hours(self) -> float:
        """Return the accelerator-hours of work that an own fleet does."""
        return float(self.option("own").useful_hours.sum())

    def saving_usd(self, way: str = "own", other: str = "on_demand") -> float:
        """Return how much less a way costs than another, not discounted."""
        return self.total_usd(other) - self.total_usd(way)

    def npv_usd(self) -> float:
        """Return the net present value of owning instead of renting."""
        return float(self.measures().npv_usd)

    def irr(self) -> float:
        """Return the yearly return of owning instead of renting."""
        return float(self.measures().irr.value)

    def cheaper(self) -> str:
        """Return the cheaper way of the two, at present values."""
        return "own" if self.npv_usd() > 0 else "on_demand"

    def payback(self) -> Payback:
        """Return the simple payback of owning instead of renting."""
        return self.measures().simple_payback

    def payback_months(self) -> float:
        found = self.payback()
        assert found.is_found, found.reason
        return float(found.months)

    def break_even_busy_share(self) -> float:
        """Return the busy share at which owning and renting cost the same."""
        own, rent = self.option("own"), self.option("on_demand")
        found = break_even(self.plan, own, rent, "busy_share").value
        assert found is not None
        return float(found)

    def verdict(self) -> str:
        """Return the answer to the scenario in a word."""
        return build_answer(self.plan).verdict

    def turned_by_timing(self) -> tuple[str, ...]:
        """Return the timing conventions under which the other side is cheaper."""
        return tuple(build_answer(self.plan).turned_by_timing)


CaseResult = float | str


@dataclass(frozen=True)
class StatedNumber:
    """One number or word: as stated, as recomputed by others from the stated inputs, and as this engine gives it."""

    metric: str
    unit: str
    stated: CaseResult | None
    recomputed: float | None
    tolerance: float
    calculate: Callable[[], CaseResult]
    error: str = ""  # of the source
    note: str = ""

    @cached_property
    def ours(self) -> CaseResult:
        found = self.calculate()
        return found if isinstance(found, str) else float(found)

    @property
    def difference(self) -> float | None:
        """Return ours over what was stated, or else recomputed, less 1."""
        other = self.recomputed if self.stated is None else self.stated
        return None if isinstance(self.ours, str) or not isinstance(other, int | float) else self.ours / other - 1

    def verdict(self) -> str:
        """Return the verdict. A difference that is neither rounding nor a named error of the source is ours."""
        if self.recomputed is not None:
            assert _near(self.ours, self.recomputed, max(self.tolerance, _PRINTED)), "differs from the recomputation"
        as_stated = self.stated is None or _near(self.ours, self.stated, self.tolerance)
        assert as_stated != bool(self.error), f"{self.ours} beside {self.stated}; error: {self.error or 'none named'}"
        return PUBLISHED_ERROR if self.error else REPRODUCED


def recomputed(
    metric: str, unit: str, by_others: float, calculate: Callable[[], CaseResult], note: str = ""
) -> StatedNumber:
    """Return the check of a number that the source does not state, within 0.5 %."""
    return StatedNumber(metric, unit, None, by_others, 0.005, calculate, note=note)


def _near(ours: CaseResult, other: CaseResult, tolerance: float) -> bool:
    if isinstance(ours, str) or isinstance(other, str):
        return ours == _SYNONYMS.get(str(other), other)
    return abs(ours - other) <= max(tolerance, _ROUNDING) * (abs(other) or 1.0)


@dataclass(frozen=True)
class Case:
    """One publication."""

    id: str
    title: str
    url: str
    date: str
    checks: tuple[StatedNumber, ...]


def case(title: str, url: str, date: str) -> Callable[[Callable[[], tuple[StatedNumber, ...]]], None]:
    """Register a function as a case: its name is the id of the case."""

    def register(checks: Callable[[], tuple[StatedNumber, ...]]) -> None:
        CASES[checks.__name__] = Case(checks.__name__, title, url, date, checks())

    return register
