"""Names in a scenario: loose spellings become the catalogue's ids, unknown ones are told with the nearest known."""

from collections.abc import Callable, Collection
from difflib import get_close_matches
from typing import NamedTuple

from planner.scenario.path import Path
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from pricing import Catalogue, PricingError, meant
from pricing import names as naming
from pricing.errors import AmbiguousName, UnknownName
from pricing.exchange import DOLLAR, rates, unknown_currency
from pricing.meant import Meant
from pricing.near import near

_MOST_SHOWN, _MOST_LISTED = 4, 12
RESERVED = "reserved"
# The fields that hold a name of the catalogue.
NAMED: tuple[Path, ...] = (
    ("accelerator",), ("site",), ("rent", "offer"), ("reserve", "offer"), ("spot", "offer"), ("hosted", "price"),
    ("tax", "schedule"),
)  # fmt: skip


class NotKnown(NamedTuple):
    """A name that leads nowhere, or to several things."""

    path: Path
    error: PricingError


def settle(scenario: Scenario, catalogue: Catalogue) -> tuple[Scenario, list[NotKnown]]:
    """The scenario with every name as the catalogue writes it, and the names that it does not know."""
    lost: list[NotKnown] = []

    def find(path: Path, name: str | None, among: Callable[[Catalogue, str], str]) -> str | None:
        try:
            return name if name is None else among(catalogue, name)
        except PricingError as error:
            lost.append(NotKnown(path, error))
            return name

    changed: dict[str, object] = {
        "accelerator": find(("accelerator",), scenario.accelerator, accelerator),
        "site": find(("site",), scenario.site, naming.site),
    }
    if scenario.stay_in:
        changed["stay_in"] = tuple(find(("stay_in", place), code, land) for place, code in enumerate(scenario.stay_in))
    chosen = str(changed["accelerator"])
    for section, purchase in (("rent", "on_demand"), ("reserve", RESERVED), ("spot", "spot")):
        record = getattr(scenario, section)
        if record.offer is not None:
            found = find((section, "offer"), record.offer, _offer_of(chosen, purchase))
            changed[section] = record.model_copy(update={"offer": found})
    if scenario.hosted is not None and scenario.hosted.price is not None:
        price = find(("hosted", "price"), scenario.hosted.price, hosted_price)
        changed["hosted"] = scenario.hosted.model_copy(update={"price": price})
    if scenario.tax is not None:
        schedule = find(("tax", "schedule"), scenario.tax.schedule, tax_schedule)
        changed["tax"] = scenario.tax.model_copy(update={"schedule": schedule})
    find(("currency",), _without_rate(scenario), currency)
    changed["measured"] = tuple(
        one.model_copy(
            update={"accelerator": find(("measured", place, "accelerator"), one.accelerator, naming.accelerator)}
        )
        for place, one in enumerate(scenario.measured)
    )
    return scenario.model_copy(update=changed), lost


def accelerator(catalogue: Catalogue, name: str) -> str:
    """The one accelerator called `name`; or that any will do."""
    return accelerator_meant(catalogue, name).key


def accelerator_meant(catalogue: Catalogue, name: str) -> Meant:
    """The same, with a sentence where the name fits several."""
    any_will_do = naming.plain(name) == ANY_ACCELERATOR
    return Meant(ANY_ACCELERATOR) if any_will_do else meant.accelerator(catalogue, name)


def land(catalogue: Catalogue, name: str) -> str:
    """The country of these two letters."""
    return name if name in catalogue.lands else _one("country", name, catalogue.lands)


def hosted_price(catalogue: Catalogue, name: str) -> str:
    """The one hosted price called `name`."""
    return _one("hosted price", name, catalogue.hosted)


def tax_schedule(catalogue: Catalogue, name: str) -> str:
    """The one schedule of depreciation called `name`."""
    return _one("schedule", name, catalogue.schedules)


def _without_rate(scenario: Scenario) -> str | None:
    """The code of a currency whose rate is the catalogue's."""
    shown = scenario.currency
    return shown.code if shown is not None and shown.usd_per_unit is None else None


def currency(catalogue: Catalogue, code: str) -> str:
    """The currency of this code, if the catalogue has a rate of it."""
    known = rates(catalogue)
    if code == DOLLAR or code in known:
        return code
    raise UnknownName(f"{unknown_currency(code, known)}; or write usd_per_unit, day and source beside the code", ())


def _offer_of(accelerator: str, purchase: str) -> Callable[[Catalogue, str], str]:
    """An offer by its id, or by its provider and as much more (parted by /) as tells it from the others."""

    def find(catalogue: Catalogue, name: str) -> str:
        if name in catalogue.offers:
            return name
        who, *rest = name.split("/")
        provider = naming.provider(catalogue, who)
        of_provider = [
            key
            for key, offer in catalogue.offers.items()
            if offer.provider == provider and offer.accelerator == accelerator and offer.purchase.startswith(purchase)
        ]
        steps = [naming.plain(step) for step in rest]
        fitting = [key for key in of_provider if set(steps) <= {naming.plain(step) for step in key.split("/")}]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            more = f" and {len(fitting) - _MOST_SHOWN} more" if len(fitting) > _MOST_SHOWN else ""
            shown = ", ".join(fitting[:_MOST_SHOWN])
            raise AmbiguousName(f"{name!r} can be {shown}{more}. Say which.", fitting)
        meant = get_close_matches(name, of_provider or catalogue.offers, n=2) or of_provider[:_MOST_SHOWN]
        hint = f" Did you mean {' or '.join(meant)}?" if meant else ""
        raise UnknownName(f"No {purchase.replace('_', ' ')} offer of {accelerator} is called {name!r}.{hint}", meant)

    return find


def _one(what: str, name: str, known: Collection[str]) -> str:
    index = {naming.plain(key): key for key in known}
    if name in index.values():
        return name
    if (found := index.get(naming.plain(name))) is not None:
        return found
    meant = [index[key] for key in near(naming.plain(name), index, _MOST_SHOWN)]
    hint = f" Did you mean {' or '.join(meant)}?" if meant else ""
    listed = f": there are {', '.join(known)}" if len(known) <= _MOST_LISTED else ""
    raise UnknownName(f"No {what} is called {name!r}{listed}.{hint}", meant)
