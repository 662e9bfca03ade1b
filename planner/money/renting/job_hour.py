"""What an hour of so many accelerators costs, whole bill, at the cheapest offer that a job can use."""

from dataclasses import dataclass, replace
from datetime import date

from planner.money.demand.stream import DemandLayer
from planner.money.renting.bill import bills
from planner.money.renting.cheapest_offer import choose
from planner.money.setting import PlanContext
from planner.scenario.base import HOURS_PER_YEAR
from planner.scenario.scenario import Scenario
from planner.scenario.terms import FinancialTerms
from pricing import Catalogue
from pricing.belief import PriceEstimate, believed
from pricing.orderable import ANYWHERE, Order, ResidencyRequirement
from pricing.query import OfferFilter, find

UNBOUND = frozenset({"on_demand", "capacity_block"})  # nothing is bound for longer than the job
FLAT_YEARS = 0.25  # the plan over which a bill is averaged; rents stay as they are, so any would do


@dataclass(frozen=True)
class JobHourQuote:
    """The offer that was taken, and what an hour of one busy accelerator really costs there."""

    offer: str
    provider: str
    region: str
    usd_per_accelerator_hour: float
    list_usd_per_accelerator_hour: float
    accelerators_per_machine: int
    price: PriceEstimate  # what the price that was read is worth on the day
    checked: date | None


def flat(catalogue: Catalogue, scenario: Scenario, day: date) -> PlanContext:
    """The setting in which what is asked of a scenario costs the same in every month of a short plan."""
    terms = FinancialTerms(rent_change_per_year=0.0)
    return PlanContext(catalogue, scenario.model_copy(update={"years": FLAT_YEARS, "terms": terms}), day)


def hired(  # noqa: PLR0913 - a question of as many parts
    catalogue: Catalogue,
    accelerator: str,
    *,
    accelerators: int,
    hours: float,
    together: int,
    day: date,
    stay: ResidencyRequirement = ANYWHERE,
) -> JobHourQuote | None:
    """The cheapest whole bill, each price as it is believed on the day, of those that have so many at once; or None.

    `together` of them work on one job and need one machine, or a network between machines.

    Whole machines, minimums and billing increments are in it; disks and traffic are not.
    """
    wish = OfferFilter(accelerators=frozenset({accelerator}), purchases=UNBOUND)
    ids = find(catalogue, replace(wish, order=Order(accelerators, min(together, accelerators), stay)), day).ids
    if not ids:
        return None
    setting = flat(catalogue, Scenario(accelerator=accelerator), day)
    need = DemandLayer(
        accelerator=accelerator, accelerators=float(accelerators), busy_share=1.0, years=FLAT_YEARS,
        hours_per_session=min(max(hours, 0.01), HOURS_PER_YEAR), storage_tb=0.0, egress_tb_per_month=0.0,
        site=setting.scenario.site,
    )  # fmt: skip
    among = bills(setting, need, ids, prices=believed(catalogue, day, ids), money="bills")
    at = choose((among,))
    if at is None:
        return None
    key = among.offers[at]
    offer = catalogue.offers[key]
    figure = offer.usd_per_accelerator_hour
    return JobHourQuote(
        offer=key, provider=catalogue.providers[offer.provider].label, region=offer.region,
        usd_per_accelerator_hour=float(among.usd_per_busy_hour[at]),
        list_usd_per_accelerator_hour=float("nan") if figure is None else figure.newest.typical,
        accelerators_per_machine=offer.accelerators_per_instance, price=among.prices.at(at),
        checked=None if figure is None else figure.checked,
    )  # fmt: skip
