"""Plans to keep, and facts of a later month."""

from datetime import UTC, datetime
from functools import lru_cache

from planner.api.plans import evaluate
from planner.api.records import LoadedScenario
from planner.report.answer.plan_report import PlanReport
from planner.scenario.scenario import Scenario
from planner.store.kept import PlanVersion
from planner.store.versions import new_version
from pricing import Catalogue
from pricing.figure import FigureValue
from pricing.records import Offer
from tests.facts import CATALOGUE, DAY

AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


@lru_cache
def report(years: float = 3.0) -> PlanReport:
    """A plan of today with its answer."""
    return evaluate(LoadedScenario("plan", Scenario(years=years), CATALOGUE, DAY, ()))


@lru_cache
def version(years: float = 3.0, person: str = "Ada") -> PlanVersion:
    """What is kept of it."""
    it = report(years)
    return new_version(it, CATALOGUE, person, AT, "1.0")


@lru_cache
def later_facts(times: float = 1.5) -> Catalogue:
    """The catalogue of another month: what is posted for a GPU-hour costs so many times as much."""
    offers = {key: _priced(offer, times) for key, offer in CATALOGUE.offers.items()}
    later = CATALOGUE.model_copy(update={"offers": offers, "digest": f"later{int(times * 100)}"})
    return Catalogue.model_validate_json(later.model_dump_json(exclude_unset=True))  # with nothing calculated yet


def _priced(offer: Offer, times: float) -> Offer:
    figure = offer.usd_per_accelerator_hour
    if figure is None:
        return offer
    values = {day: _value(value, times) for day, value in figure.values.items()}
    figure = figure.model_copy(update={"values": values})
    return offer.model_copy(update={"usd_per_accelerator_hour": figure, "usd_per_instance_hour": None})


def _value(value: FigureValue, times: float) -> FigureValue:
    ends = {name: getattr(value, name) for name in ("typical", "low", "high")}
    return value.model_copy(update={name: end and end * times for name, end in ends.items()})
