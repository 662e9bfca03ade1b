"""The plan: every way to supply a scenario's work, each as a ledger with a cheap and a dear end."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial

from planner.money.ledger import Case, Ledger
from planner.money.option import Option, SkippedOption, fleet_option_key
from planner.money.renting.cheapest_offer import taken
from planner.money.renting.orders import placement_limits, site_country
from planner.money.selling import no_sale_reason
from planner.money.setting import PlanContext
from planner.money.sizing import right_size
from planner.money.ways import WAYS
from planner.money.ways.ledger_of_way import Builder, OptionLedger, Unavailable, complete_ledger
from planner.money.ways.record import OptionSpec
from planner.money.ways.right_size import right_size_builder
from planner.scenario.scenario import Scenario
from planner.scenario.ways import Way
from planner.speed.work_to_hours import convert_to_hours
from pricing import Catalogue
from pricing.orderable import bloc_members

_PLACES = {"country": "in the country of your site", "eu": "in the European Union",
           "eu_sellers": "in the European Union, with sellers of the Union"}  # fmt: skip


def residency_conflict(setting: PlanContext, way: OptionSpec) -> str | None:
    """Why a way cannot be taken where the work must stay; None where it can, or where each offer tells by itself."""
    if way.by_the_token:
        return hosted_residency_conflict(setting.catalogue, setting.scenario)
    return owned_residency_conflict(setting.catalogue, setting.scenario) if way.owns else None


def hosted_residency_conflict(catalogue: Catalogue, scenario: Scenario) -> str | None:
    """Why a model by the token cannot be used where the work must stay: nobody says where it runs."""
    yours = scenario.hosted is not None and scenario.hosted.price is None
    if yours or not placement_limits(catalogue, scenario).countries:
        return None
    return (
        f"nobody says where a hosted model runs, and the work must stay {residency_text(catalogue, scenario)}: "
        "ask the seller, and enter his price as yours"
    )


def owned_residency_conflict(catalogue: Catalogue, scenario: Scenario) -> str | None:
    """Why machines of one's own would take the work away from where it must stay."""
    allowed = placement_limits(catalogue, scenario).countries
    here = site_country(catalogue, scenario.site)
    inside = bloc_members(catalogue, scenario.site if here is None else here) <= allowed
    if not allowed or inside:
        return None
    site, there = catalogue.sites[scenario.site].label, residency_text(catalogue, scenario)
    return f"yours would stand in {site}, and the work must stay {there}: choose a site there"


def residency_text(catalogue: Catalogue, scenario: Scenario) -> str:
    """Where the work must stay, in words: in Germany or France, in the European Union."""
    if scenario.stay_in:
        names = [catalogue.lands[code].label if code in catalogue.lands else code for code in scenario.stay_in]
        return f"in {' or '.join(names)}"
    here = site_country(catalogue, scenario.site)
    if scenario.stay == "country" and here is not None:
        return f"in {catalogue.lands[here].label}"
    return _PLACES[scenario.stay]


@dataclass(frozen=True)
class Plan:
    """The ledgers of a scenario. Verdict, break-evens, charts and exports are all drawn from it."""

    setting: PlanContext
    options: tuple[Option, ...]
    absent: tuple[SkippedOption, ...]

    def option(self, key: str) -> Option | None:
        """The option with this key."""
        return next((option for option in self.options if option.key == key), None)


def build_context(catalogue: Catalogue, scenario: Scenario, day: date) -> PlanContext:
    """The setting of a scenario on a day, with the offers it rents from chosen."""
    found = convert_to_hours(catalogue, scenario)
    bare = PlanContext(catalogue, found.scenario, day, resolved=found)
    return bare.with_offers(taken(bare))


def plan(catalogue: Catalogue, scenario: Scenario, day: date) -> Plan:
    """Reckon every way that the scenario asks for and that has a price."""
    return plan_from_context(build_context(catalogue, scenario, day))


def plan_from_context(setting: PlanContext) -> Plan:
    """The plan of a setting that was made before, perhaps with inputs that are tried out."""
    problems = setting.resolved.problems if setting.resolved else ()
    if problems:
        return Plan(setting, (), tuple(SkippedOption(way, "; ".join(problems)) for way in WAYS))
    made = list(_made(setting))
    options = tuple(one for one in made if isinstance(one, Option))
    return Plan(setting, options, tuple(one for one in made if isinstance(one, SkippedOption)))


def _made(setting: PlanContext) -> Iterator[Option | SkippedOption]:
    wanted = setting.scenario.ways or tuple(WAYS)
    for way in wanted:
        yield option(setting, way, WAYS[way].build)
        if way == "own":
            yield from _right_size_option(setting)


def _right_size_option(setting: PlanContext) -> Iterator[Option | SkippedOption]:
    """The right size beside a larger fleet that was asked for."""
    wanted, enough = setting.scenario.own.accelerators, right_size(setting)
    if wanted is not None and enough is not None and enough < wanted:
        yield option(setting, "own", right_size_builder(enough), key=fleet_option_key(enough))


def option(setting: PlanContext, way: Way, build: Builder, key: str | None = None) -> Option | SkippedOption:
    """One way at typical figures, and how it is made at its cheap and dear ends."""
    cannot = residency_conflict(setting, WAYS[way]) or (no_sale_reason(setting) if WAYS[way].owns else None)
    middle = build(setting) if cannot is None else Unavailable(cannot)
    if isinstance(middle, Unavailable):
        return SkippedOption(way, middle.reason)
    return Option(
        key=key or way,
        way=way,
        title=middle.title,
        what=middle.what,
        ledger=complete_ledger(setting, middle.title, middle.lines),
        at_end=partial(_ledger_at_case, setting, build, middle),
        useful_hours=middle.useful_hours,
        accelerators=middle.accelerators,
        orders=middle.orders,
        warnings=middle.warnings,
    )


def _ledger_at_case(setting: PlanContext, build: Builder, middle: OptionLedger, case: Case) -> Ledger:
    """A way at one end of all ranges; where it cannot be had there, as it is in the middle."""
    there = setting.ends[case]
    built = build(there)
    return complete_ledger(there, middle.title, middle.lines if isinstance(built, Unavailable) else built.lines)
