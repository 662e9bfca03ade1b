"""The plan: every way to supply a scenario's work, each as a ledger with a cheap and a dear end."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial

from planner.money.input_sheet import Case
from planner.money.ledger import Ledger
from planner.money.option import Absent, Option, sized_key
from planner.money.renting.cheapest_offer import taken
from planner.money.renting.orders import country_of, stay_of
from planner.money.selling import unsold
from planner.money.setting import Setting
from planner.money.sizing import right_size
from planner.money.ways import WAYS
from planner.money.ways.ledger_of_way import Builder, Unavailable, WayLedger, whole_ledger
from planner.money.ways.record import WayRecord
from planner.money.ways.right_size import of_right_size
from planner.scenario.scenario import Scenario
from planner.scenario.ways import Way
from planner.speed.work_to_hours import asked
from pricing import Catalogue
from pricing.orderable import members_of

_PLACES = {"country": "in the country of your site", "eu": "in the European Union",
           "eu_sellers": "in the European Union, with sellers of the Union"}  # fmt: skip


def not_allowed(setting: Setting, way: WayRecord) -> str | None:
    """Why a way cannot be taken where the work must stay; None where it can, or where each offer tells by itself."""
    if way.by_the_token:
        return hosted_elsewhere(setting.catalogue, setting.scenario)
    return owned_elsewhere(setting.catalogue, setting.scenario) if way.owns else None


def hosted_elsewhere(catalogue: Catalogue, scenario: Scenario) -> str | None:
    """Why a model by the token cannot be used where the work must stay: nobody says where it runs."""
    yours = scenario.hosted is not None and scenario.hosted.price is None
    if yours or not stay_of(catalogue, scenario).countries:
        return None
    return (
        f"nobody says where a hosted model runs, and the work must stay {place_words(catalogue, scenario)}: "
        "ask the seller, and enter his price as yours"
    )


def owned_elsewhere(catalogue: Catalogue, scenario: Scenario) -> str | None:
    """Why machines of one's own would take the work away from where it must stay."""
    allowed = stay_of(catalogue, scenario).countries
    here = country_of(catalogue, scenario.site)
    inside = members_of(catalogue, scenario.site if here is None else here) <= allowed
    if not allowed or inside:
        return None
    site, there = catalogue.sites[scenario.site].label, place_words(catalogue, scenario)
    return f"yours would stand in {site}, and the work must stay {there}: choose a site there"


def place_words(catalogue: Catalogue, scenario: Scenario) -> str:
    """Where the work must stay, in words: in Germany or France, in the European Union."""
    if scenario.stay_in:
        names = [catalogue.lands[code].label if code in catalogue.lands else code for code in scenario.stay_in]
        return f"in {' or '.join(names)}"
    here = country_of(catalogue, scenario.site)
    if scenario.stay == "country" and here is not None:
        return f"in {catalogue.lands[here].label}"
    return _PLACES[scenario.stay]


@dataclass(frozen=True)
class Plan:
    """The ledgers of a scenario. Verdict, break-evens, charts and exports are all drawn from it."""

    setting: Setting
    options: tuple[Option, ...]
    absent: tuple[Absent, ...]

    def option(self, key: str) -> Option | None:
        """The option with this key."""
        return next((option for option in self.options if option.key == key), None)


def setting_of(catalogue: Catalogue, scenario: Scenario, day: date) -> Setting:
    """The setting of a scenario on a day, with the offers it rents from chosen."""
    found = asked(catalogue, scenario)
    bare = Setting(catalogue, found.scenario, day, asked=found)
    return bare.renting(taken(bare))


def plan(catalogue: Catalogue, scenario: Scenario, day: date) -> Plan:
    """Reckon every way that the scenario asks for and that has a price."""
    return plan_at(setting_of(catalogue, scenario, day))


def plan_at(setting: Setting) -> Plan:
    """The plan of a setting that was made before, perhaps with inputs that are tried out."""
    problems = setting.asked.problems if setting.asked else ()
    if problems:
        return Plan(setting, (), tuple(Absent(way, "; ".join(problems)) for way in WAYS))
    made = list(_made(setting))
    options = tuple(one for one in made if isinstance(one, Option))
    return Plan(setting, options, tuple(one for one in made if isinstance(one, Absent)))


def _made(setting: Setting) -> Iterator[Option | Absent]:
    wanted = setting.scenario.ways or tuple(WAYS)
    for way in wanted:
        yield option(setting, way, WAYS[way].build)
        if way == "own":
            yield from _right_sized(setting)


def _right_sized(setting: Setting) -> Iterator[Option | Absent]:
    """The right size beside a larger fleet that was asked for."""
    wanted, enough = setting.scenario.own.accelerators, right_size(setting)
    if wanted is not None and enough is not None and enough < wanted:
        yield option(setting, "own", of_right_size(enough), key=sized_key(enough))


def option(setting: Setting, way: Way, build: Builder, key: str | None = None) -> Option | Absent:
    """One way at typical figures, and how it is made at its cheap and dear ends."""
    cannot = not_allowed(setting, WAYS[way]) or (unsold(setting) if WAYS[way].owns else None)
    middle = build(setting) if cannot is None else Unavailable(cannot)
    if isinstance(middle, Unavailable):
        return Absent(way, middle.reason)
    return Option(
        key=key or way,
        way=way,
        title=middle.title,
        what=middle.what,
        ledger=whole_ledger(setting, middle.title, middle.lines),
        at_end=partial(_at_end, setting, build, middle),
        useful_hours=middle.useful_hours,
        accelerators=middle.accelerators,
        orders=middle.orders,
        warnings=middle.warnings,
    )


def _at_end(setting: Setting, build: Builder, middle: WayLedger, case: Case) -> Ledger:
    """A way at one end of all ranges; where it cannot be had there, as it is in the middle."""
    there = setting.ends[case]
    built = build(there)
    return whole_ledger(there, middle.title, middle.lines if isinstance(built, Unavailable) else built.lines)
