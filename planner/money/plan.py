"""The plan: every option for a scenario's work, each as a ledger with a low and a high case."""

from dataclasses import dataclass, replace
from datetime import date
from functools import partial

import numpy as np

from planner.money.option import (
    Builder,
    Option,
    OptionLedger,
    SkippedOption,
    Unavailable,
    complete_ledger,
    fleet_option_key,
)
from planner.money.renting.cheapest_offer import taken
from planner.money.renting.orders import placement_limits, site_country, with_dated_quotes, with_own_prices
from planner.money.selling import no_sale_reason
from planner.money.setting import PlanContext
from planner.money.sizing import right_size
from planner.money.ways import WAYS
from planner.money.ways.own import right_size_ledger
from planner.scenario.scenario import Scenario
from planner.scenario.ways import Way
from planner.speed.work_to_hours import convert_to_hours
from pricing import Catalogue
from pricing.orderable import ANYWHERE, allowed_countries, bloc_members

_ROUNDING = 1e-9
_PLACES = {"country": "in the country of your site", "europe": "in Europe", "eu": "in the European Union",
           "eu_sellers": "in the European Union, with sellers of the Union"}  # fmt: skip


def hosted_residency_conflict(catalogue: Catalogue, scenario: Scenario) -> str | None:
    """Return why a hosted model conflicts with residency: its place is unknown."""
    yours = scenario.hosted is not None and scenario.hosted.price is None
    if yours or replace(placement_limits(catalogue, scenario), without=frozenset()) == ANYWHERE:
        return None
    return (
        f"the place of a hosted model is unknown, and the work must stay {residency_text(catalogue, scenario)}: "
        "ask the seller and enter the price as yours, or let the work be anywhere (`stay: anywhere`)"
    )


def own_weights_conflict(setting: PlanContext) -> str | None:
    """Return why a plan with weights of its own buys no tokens; None where it names a price of its own choice."""
    if setting.resolved is None or not setting.resolved.serves_own_weights or setting.written.hosted is not None:
        return None
    return (
        "sellers by the token known here serve only their own weights, or LoRA adapters of some models, and the plan "
        "serves others of yours: name a hosted.price of a seller that takes them"
    )


def owned_residency_conflict(catalogue: Catalogue, scenario: Scenario) -> str | None:
    """Return why owned machines at this site conflict with residency."""
    limits, country = placement_limits(catalogue, scenario), site_country(catalogue, scenario.site)
    members = bloc_members(catalogue, scenario.site if country is None else country)
    if not (limits.countries or limits.areas) or members <= allowed_countries(catalogue, limits):
        return None
    site, residency = catalogue.sites[scenario.site].label, residency_text(catalogue, scenario)
    return f"yours would stand in {site}, and the work must stay {residency}: choose a site there"


def residency_text(catalogue: Catalogue, scenario: Scenario) -> str:
    """Return the required residency in words: in Germany or France, in the European Union."""
    if scenario.stay_in:
        names = [catalogue.lands[code].label if code in catalogue.lands else code for code in scenario.stay_in]
        return f"in {' or '.join(names)}"
    country = site_country(catalogue, scenario.site)
    if scenario.residency == "country" and country is not None:
        return f"in {catalogue.lands[country].label}"
    return _PLACES[scenario.residency]


@dataclass(frozen=True)
class Plan:
    """The ledgers of a scenario: the source of verdict, break-evens, charts and exports."""

    setting: PlanContext
    options: tuple[Option, ...]
    absent: tuple[SkippedOption, ...]

    def option(self, key: str) -> Option | None:
        """Return the option with this key."""
        return next((option for option in self.options if option.key == key), None)


def build_context(catalogue: Catalogue, scenario: Scenario, day: date) -> PlanContext:
    """Return the context of a scenario on a day, with its offers chosen."""
    written = scenario
    if scenario.quotes or scenario.discounts:
        catalogue, scenario = with_own_prices(catalogue, scenario, day), with_dated_quotes(scenario, day)
    resolved = replace(convert_to_hours(catalogue, scenario), written=written)
    bare = PlanContext(catalogue, resolved.scenario, day, resolved=resolved)
    return bare.with_offers(taken(bare))


def plan(catalogue: Catalogue, scenario: Scenario, day: date) -> Plan:
    """Build every option that the scenario asks for and that has a price."""
    return plan_from_context(build_context(catalogue, scenario, day))


def plan_from_context(setting: PlanContext) -> Plan:
    """Return the plan of a context, perhaps with inputs that are tried out."""
    problems = setting.resolved.problems if setting.resolved else ()
    if problems:
        return Plan(setting, (), tuple(SkippedOption(way, "; ".join(problems)) for way in WAYS))
    results: list[Option | SkippedOption] = []
    for way in setting.scenario.ways or tuple(WAYS):
        results.append(option(setting, way, WAYS[way].build))
        entered = setting.scenario.own.accelerators if way == "own" else None
        if entered is not None and (enough := right_size(setting)) is not None and enough < entered:
            # The right size beside a larger fleet that was entered.
            results.append(
                option(setting, "own", partial(right_size_ledger, accelerators=enough), key=fleet_option_key(enough))
            )
    options = tuple(result for result in results if isinstance(result, Option))
    return Plan(setting, options, tuple(result for result in results if isinstance(result, SkippedOption)))


def option(setting: PlanContext, way: Way, build: Builder, key: str | None = None) -> Option | SkippedOption:
    """Return one option at typical figures, with the function for its low and high cases."""
    spec, catalogue, scenario = WAYS[way], setting.catalogue, setting.scenario
    conflict = None
    if spec.is_billed_by_token and not spec.is_current:
        conflict = own_weights_conflict(setting) or hosted_residency_conflict(catalogue, scenario)
    elif spec.owns:
        conflict = owned_residency_conflict(catalogue, scenario)
    conflict = conflict or (no_sale_reason(setting) if spec.owns else None)
    middle = build(setting) if conflict is None else Unavailable(conflict)
    if isinstance(middle, Unavailable):
        return SkippedOption(way, middle.reason)
    share = _work_share(setting, middle)
    if share == 0:
        return SkippedOption(way, _DOES_NOTHING)
    return Option(
        key=key or way, way=way, title=middle.title, what=middle.what,
        ledger=complete_ledger(setting, middle.title, middle.lines),
        at_end=partial(complete_ledger, setting, middle.title, middle.lines), useful_hours=middle.useful_hours,
        accelerators=middle.accelerators, orders=middle.orders, warnings=middle.warnings,
        work_share=share, is_beside=middle.is_beside,
    )  # fmt: skip


_DOES_NOTHING = "it would do none of the work: no seller has so many, and no machines arrive before the plan ends"


def _work_share(setting: PlanContext, built: OptionLedger) -> float:
    """Return the share of the work that an option does; 1 where nothing waits for machines."""
    hours = float(np.sum(setting.demand.all.busy_hours))
    share = float(np.sum(built.useful_hours)) / hours if hours > 0 else 1.0
    return max(share, 0.0) if share < 1 - _ROUNDING else 1.0
