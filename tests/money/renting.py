"""Quotes for the tests of renting: the real facts, with round prices that are yours, so that no market moves them."""

from datetime import date
from typing import Any

import numpy as np

from planner.money.formula import formula
from planner.money.ledger import Ledger, Line
from planner.money.option import Builder, OptionLedger, Unavailable
from planner.money.plan import build_context
from planner.money.setting import PlanContext
from planner.scenario.scenario import Scenario
from pricing import Catalogue, load_catalogue
from pricing.figure import Figure, FigureValue, Source
from pricing.records import Offer, Provider

DAY = date(2026, 1, 1)
CHIP = "H100-SXM5-80GB"


def figure(typical: float, unit: str) -> Figure:
    """A figure with one posted value."""
    return Figure(unit=unit, checked=DAY, values={DAY: FigureValue(typical=typical, kind="list_price", source="page")})  # type: ignore[arg-type]


def offer(purchase: str = "on_demand", usd: float | None = 2.0, per_machine: int = 8, provider: str = "p") -> Offer:
    return Offer(
        provider=provider,
        accelerator=CHIP,
        accelerators_per_instance=per_machine,
        region="here",
        area="europe",
        purchase=purchase,  # type: ignore[arg-type]
        usd_per_accelerator_hour=None if usd is None else figure(usd, "USD/accelerator-hour"),
    )


def world(offers: dict[str, Offer], **terms: Figure) -> Catalogue:
    """The catalogue with these offers only; provider `p` has these terms, `q` to `u` tell nothing."""
    facts = load_catalogue()
    page = Source(
        title="The page", url="https://example.org", retrieved=DAY, via="official_page", licence="facts cited"
    )
    return facts.model_copy(
        update={
            "sources": {**facts.sources, "page": page},
            "providers": {
                "p": Provider(label="P", kind="yours", **{"most_at_once": figure(1_000, "count"), **terms}),
                **{name: Provider(label=name.upper(), kind="yours") for name in ("q", "r", "s", "t", "u")},
            },
            "offers": offers,
        }
    )


MARKET = {
    "now": offer("on_demand", 2.0), "year": offer("reserved_1y", 1.5), "years": offer("reserved_3y", 1.2),
    "spot": offer("spot", 0.8),
}  # fmt: skip


def work(**changes: Any) -> dict[str, Any]:
    """Eight accelerators, half of the time, without data."""
    return {"accelerators": 8, "busy_share": 0.5, "storage_tb": 0.0, "egress_tb_per_month": 0.0, **changes}


def plan(*works: dict[str, Any], **changes: Any) -> Scenario:
    """A year of this work at constant rents."""
    usual = {"years": 1.0, "terms": {"rent_change_per_year": 0.0}}
    return Scenario.model_validate({**usual, **changes, "work": works or (work(),)})


def setting(scenario: Scenario, offers: dict[str, Offer] | None = None, **terms: Figure) -> PlanContext:
    """Its setting in the small market."""
    return build_context(world(MARKET if offers is None else offers, **terms), scenario, DAY)


def built(there: PlanContext, build: Builder) -> OptionLedger:
    """One way, which must be there."""
    found = build(there)
    assert isinstance(found, OptionLedger), found
    return found


def why(there: PlanContext, build: Builder) -> str:
    found = build(there)
    assert isinstance(found, Unavailable)
    return found.reason


def amounts(found: OptionLedger) -> dict[str, float]:
    """What each line comes to."""
    return {line.name: float(line.total_usd) for line in found.lines}


def total(found: OptionLedger) -> float:
    return float(Ledger(found.title, found.lines).total_usd)


def recomputes(lines: tuple[Line, ...]) -> bool:
    """Whether every line is what its formula gives for the inputs it shows."""
    for line in lines:
        again = formula(line.how)({used.name: used.value for used in line.used})
        if not np.allclose(again, line.usd, rtol=1e-9, atol=1e-9, equal_nan=True):
            return False
    return True
