"""Any plan at all: the scenarios of hypothesis, brought to what the catalogue knows, and their dearer catalogues."""

from typing import Any

from hypothesis import strategies as st

from planner.money.plan import Plan, plan
from planner.scenario.own import PurchaseOrder
from planner.scenario.scenario import Scenario
from pricing import Catalogue, Figure
from pricing.figure import FigureValue
from tests.facts import CATALOGUE, DAY
from tests.scenario.scenarios import scenarios

CHIPS = ("H100-SXM5-80GB", "RTX-4090-24GB", "MI300X-192GB", "GB200-NVL72-186GB")
SITES = ("US-TX", "DE", "NO", "JP", "WORLD")
SECOND = 1 / 3600


def plans() -> st.SearchStrategy[Scenario]:
    """Scenarios that can be calculated: random in everything but the names of things."""
    return st.builds(known, scenarios(), st.sampled_from(CHIPS), st.sampled_from(SITES))


def known(scenario: Scenario, accelerator: str = CHIPS[0], site: str = "DE") -> Scenario:
    """The same scenario of things that the catalogue knows, in all ways."""
    said: dict[str, Any] = {"accelerator": accelerator, "site": site, "ways": (), "currency": None}
    for name in ("rent", "reserve", "spot"):
        said[name] = getattr(scenario, name).model_copy(update={"offer": None})
    every = scenario.spot.checkpoint_every_hours
    if every is not None:  # a checkpoint every 1e-300 hours is a slip that costs more than numbers hold
        said["spot"] = said["spot"].model_copy(update={"checkpoint_every_hours": max(every, SECOND)})
    if scenario.hosted is not None:
        said["hosted"] = scenario.hosted.model_copy(update={"price": "OpenAI/gpt-4o"})
    if scenario.kept is not None and scenario.kept.accelerator is not None:
        said["kept"] = scenario.kept.model_copy(update={"accelerator": CHIPS[-1]})
    if scenario.tax is not None:
        said["tax"] = scenario.tax.model_copy(update={"schedule": "macrs-5-half-year"})
    return scenario.model_copy(update=said)


def of(scenario: Scenario, catalogue: Catalogue = CATALOGUE) -> Plan:
    return plan(catalogue, scenario, DAY)


def small(catalogue: Catalogue, accelerator: str) -> Catalogue:
    """The catalogue with the offers of one accelerator only."""
    offers = {key: offer for key, offer in catalogue.offers.items() if offer.accelerator == accelerator}
    return catalogue.model_copy(update={"offers": offers})


def dearer(catalogue: Catalogue, times: float) -> Catalogue:
    """The catalogue with everything that is told in dollars so many times as dear."""
    kinds = ("accelerators", "servers", "sites", "providers", "offers", "hosted", "facts", "hosts", "places")
    return catalogue.model_copy(
        update={kind: {key: _record(one, times) for key, one in getattr(catalogue, kind).items()} for kind in kinds}
    )


def scaled(scenario: Scenario, times: float) -> Scenario:
    """The scenario with every amount of dollars so many times as large."""
    said: dict[str, Any] = {}
    for name in (
        "own",
        "lease",
        "rent_to_own",
        "sale_and_lease_back",
        "rent",
        "reserve",
        "spot",
        "hosted",
        "bill",
        "kept",
        "sell",
        "terms",
        "tax",
    ):
        record = getattr(scenario, name)
        if record is not None:
            usd = {field: value for field, value in record if "usd" in field and value is not None}
            said[name] = record.model_copy(update={field: value * times for field, value in usd.items()})
    said["reserve"] = said["reserve"].model_copy(update={"volume": tuple(
        one.model_copy(update={"usd_per_accelerator_hour": one.usd_per_accelerator_hour * times})
        for one in scenario.reserve.volume
    )})  # fmt: skip
    said["own"] = said["own"].model_copy(
        update={"orders": tuple(_dearer_order(one, times) for one in scenario.own.orders)}
    )
    said["quotes"] = tuple(
        quote.model_copy(update={"usd_per_accelerator_hour": quote.usd_per_accelerator_hour * times})
        for quote in scenario.quotes
    )
    if scenario.mix is not None:
        orders = tuple(_dearer_order(order, times) for order in scenario.mix.orders)
        said["mix"] = scenario.mix.model_copy(update={"orders": orders})
    return scenario.model_copy(update=said)


def _dearer_order(order: PurchaseOrder, times: float) -> PurchaseOrder:
    usd = {field: value * times for field, value in order if "usd" in field and value is not None}
    return order.model_copy(update=usd)


def _record(record: Any, times: float) -> Any:
    money = {name: one for name, one in record if isinstance(one, Figure) and one.unit.startswith("USD")}
    return record.model_copy(update={name: _figure(one, times) for name, one in money.items()})


def _figure(figure: Figure, times: float) -> Figure:
    values = {day: value.model_copy(update={name: None if end is None else end * times for name, end in
                                            _ends(value).items()}) for day, value in figure.values.items()}  # fmt: skip
    return Figure(unit=figure.unit, checked=figure.checked, values=values)


def _ends(value: FigureValue) -> dict[str, float | None]:
    return {"typical": value.typical, "low": value.low, "high": value.high}
