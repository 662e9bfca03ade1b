"""Names in a scenario: loose spellings become the catalogue's ids, unknown ones are refused with the nearest known."""

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import pydantic
from pydantic_core import ErrorDetails

from planner.scenario.base import ScenarioFieldError
from planner.scenario.fields import FieldSpec, field_spec, nearest_key
from planner.scenario.path import Path, format_path
from planner.scenario.scenario import ANY_ACCELERATOR, Scenario
from pricing import Catalogue, PricingError, meant, strict_yaml
from pricing import names as naming
from pricing.errors import AmbiguousNameError, UnknownNameError
from pricing.exchange import DOLLAR, rates, unknown_currency
from pricing.meant import Meant
from pricing.near import near
from pricing.strict_yaml import shown

_MOST_SHOWN, _MOST_LISTED = 4, 12
RESERVED = "reserved"
# The fields that hold a name of the catalogue.
NAMED: tuple[Path, ...] = (
    ("accelerator",), ("site",), ("rent", "offer"), ("reserve", "offer"), ("spot", "offer"), ("hosted", "price"),
    ("bill", "price"), ("kept", "accelerator"),
    ("tax", "schedule"),
)  # fmt: skip
# Lists whose rows hold one.
_NAMED_IN_ROWS: tuple[tuple[str, str, Callable[[Catalogue, str], str]], ...] = (
    ("measured", "accelerator", naming.accelerator), ("quotes", "accelerator", naming.accelerator),
    ("discounts", "accelerator", naming.accelerator), ("discounts", "provider", naming.provider),
)  # fmt: skip


class UnknownReference(NamedTuple):
    """A name that leads nowhere, or to several things."""

    path: Path
    error: PricingError


def resolve_names(scenario: Scenario, catalogue: Catalogue) -> tuple[Scenario, list[UnknownReference]]:
    """The scenario with every name as the catalogue writes it, and the names that it does not know."""
    lost: list[UnknownReference] = []

    def find(path: Path, name: str | None, among: Callable[[Catalogue, str], str]) -> str | None:
        try:
            return name if name is None else among(catalogue, name)
        except PricingError as error:
            lost.append(UnknownReference(path, error))
            return name

    changed: dict[str, Any] = {
        "accelerator": find(("accelerator",), scenario.accelerator, lambda *named: accelerator_meant(*named).key),
        "site": find(("site",), scenario.site, naming.site),
    }
    if scenario.stay_in:
        changed["stay_in"] = tuple(
            find(("stay_in", place), code, lambda known, name: _resolve_one("country", name, known.lands))
            for place, code in enumerate(scenario.stay_in)
        )
    changed["not_from"] = tuple(
        find(("not_from", at), key, naming.provider) for at, key in enumerate(scenario.not_from)
    )
    chosen = str(changed["accelerator"])
    for section, purchase in (("rent", "on_demand"), ("reserve", RESERVED), ("spot", "spot")):
        record = getattr(scenario, section)
        if record.offer is not None:
            offer = find((section, "offer"), record.offer, _offer_resolver(chosen, purchase))
            changed[section] = record.model_copy(update={"offer": offer})
    priced = {"hosted": scenario.hosted, "bill": scenario.bill}
    changed |= {
        section: record.model_copy(update={"price": find(
            (section, "price"), record.price, lambda known, name: _resolve_one("hosted price", name, known.hosted)
        )})
        for section, record in priced.items()
        if record is not None
    }  # fmt: skip
    if scenario.tax is not None:
        schedule = find(("tax", "schedule"), scenario.tax.schedule, resolve_tax_schedule)
        changed["tax"] = scenario.tax.model_copy(update={"schedule": schedule})
    find(("currency",), _without_rate(scenario), resolve_currency)
    if (kept := scenario.kept) is not None:
        chip = find(("kept", "accelerator"), kept.accelerator, naming.accelerator)
        changed["kept"] = kept.model_copy(update={"accelerator": chip})
    changed |= _resolve_rows(scenario, find)
    return scenario.model_copy(update=changed), lost


def _resolve_rows(scenario: Scenario, find: Callable[..., str | None]) -> dict[str, Any]:
    """Return the lists whose rows hold names, with these as the catalogue writes them."""
    lists: dict[str, Any] = {}
    for section, name, among in _NAMED_IN_ROWS:
        lists[section] = tuple(
            row.model_copy(update={name: find((section, place, name), getattr(row, name), among)})
            for place, row in enumerate(lists.get(section, getattr(scenario, section)))
        )
    return lists


def accelerator_meant(catalogue: Catalogue, name: str) -> Meant:
    """The one accelerator called `name`, or that any will do; with a sentence where the name fits several."""
    any_will_do = naming.plain(name) == ANY_ACCELERATOR
    return Meant(ANY_ACCELERATOR) if any_will_do else meant.accelerator(catalogue, name)


def resolve_tax_schedule(catalogue: Catalogue, name: str) -> str:
    """The one schedule of depreciation called `name`; of several that begin so, the usual one, which stands first."""
    begins = f"{name.casefold().replace(' ', '-')}-"
    usual = next((key for key in catalogue.schedules if key.startswith(begins)), name)
    return _resolve_one("schedule", name if name in catalogue.schedules else usual, catalogue.schedules)


def _without_rate(scenario: Scenario) -> str | None:
    shown = scenario.currency
    return shown.code if shown is not None and shown.usd_per_unit is None else None


def resolve_currency(catalogue: Catalogue, code: str) -> str:
    """The currency of this code, if the catalogue has a rate of it."""
    known_rates = rates(catalogue)
    if code == DOLLAR or code in known_rates:
        return code
    raise UnknownNameError(
        f"{unknown_currency(code, known_rates)}; or write usd_per_unit, day and source beside the code", ()
    )


def _offer_resolver(accelerator: str, purchase: str) -> Callable[[Catalogue, str], str]:
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
            raise AmbiguousNameError(f"{name!r} can be {shown}{more}. Say which.", fitting)
        meant = get_close_matches(name, of_provider or catalogue.offers, n=2) or of_provider[:_MOST_SHOWN]
        hint = f" Did you mean {' or '.join(meant)}?" if meant else ""
        raise UnknownNameError(
            f"No {purchase.replace('_', ' ')} offer of {accelerator} is called {name!r}.{hint}", meant
        )

    return find


def _resolve_one(what: str, name: str, candidates: Collection[str]) -> str:
    index = {naming.plain(key): key for key in candidates}
    if name in index.values():
        return name
    if (key_found := index.get(naming.plain(name))) is not None:
        return key_found
    meant = [index[key] for key in near(naming.plain(name), index, _MOST_SHOWN)]
    hint = f" Did you mean {' or '.join(meant)}?" if meant else ""
    listed = f": there are {', '.join(candidates)}" if len(candidates) <= _MOST_LISTED else ""
    raise UnknownNameError(f"No {what} is called {name!r}{listed}.{hint}", meant)


UNCHANGED = "nothing was changed"
PERCENT = 100
PER_KWH, _LEAST_CENTS = "USD per kWh", 1.0


class ScenarioError(PricingError):
    """A scenario that cannot be used. `line` is where in the file, `wish` what is wrong and what would do."""

    def __init__(self, name: str, line: int | None, wish: str, *, more: int = 0, path: Path = ()) -> None:
        where = f"Line {line}: " if line else ""
        end = f" {UNCHANGED[0].upper()}{UNCHANGED[1:]}" if wish.endswith("?") else f"; {UNCHANGED}"
        others = f" ({more} more to look at)" if more else ""
        super().__init__(f"{where}{wish}{end}{others}.")
        self.name = name
        self.line = line
        self.wish = wish
        self.path = path  # of the field that is wrong by itself, where there is one


def with_unchanged_note(refusal: PricingError) -> str:
    """The refusal as a page says it: that nothing was changed stands in it, and stands in it once."""
    if isinstance(refusal, ScenarioError):  # its own words end with it
        return str(refusal)
    return f"{refusal} {UNCHANGED[0].upper()}{UNCHANGED[1:]}."


def error_path(error: Mapping[str, Any]) -> Path:
    """The path of one of pydantic's errors, without its own marks."""
    return tuple(step for step in error["loc"] if step != "[key]")


def format_error(error: Mapping[str, Any]) -> str:
    """One of pydantic's errors as `work.0.busy_share: 1.6 must be 0.01 to 1`."""
    path = error_path(error)
    wish = _wish(error, path)
    return f"{format_path(path)}: {wish}" if path else wish


def _wish(error: Mapping[str, Any], path: Path) -> str:
    kind, got = error["type"], error.get("input")
    if kind == "extra_forbidden":
        return unknown_key_message(str(path[-1]), path[:-1])
    if kind == "missing":
        spec = field_spec(path)
        return f"missing; it must be {spec.wish}" if spec else "missing"
    spec = field_spec(path)
    if spec is None or kind == "value_error":
        return strict_yaml.wish(error)
    if kind in ("too_short", "too_long"):
        return f"{len(error['input']):,} entries must be {spec.entries}"
    return f"{shown(got)} must be {_bounds_text(spec, got)}"


def _bounds_text(spec: FieldSpec, got: object) -> str:
    if not isinstance(got, int | float) or isinstance(got, bool) or spec.kind not in ("whole", "number"):
        word = got.casefold() if isinstance(got, str) else ""
        meant = near(word, spec.choices) or get_close_matches(word, spec.choices, n=1)  # few words: a hint is cheap
        return spec.wish + (f". Did you mean {meant[0]}?" if meant else "")
    if spec.holds(got):  # only its kind is wrong
        return spec.wish
    if spec.unit == PER_KWH and got > _LEAST_CENTS:
        return f"{spec.range}. Did you mean cents? {got:.15g} cents are {got / PERCENT:.15g}"
    is_share = spec.kind == "number" and spec.high is not None and spec.high <= 1
    if is_share and 2 <= got <= PERCENT:
        return f"{spec.range}: {got:g} % is written {got / PERCENT:g}"
    return spec.range


def unknown_key_message(key: str, path: Path) -> str:
    """Return what to say of a key that nobody knows."""
    meant = nearest_key(key, path)
    hint = f"; did you mean {meant}?" if meant else ""
    record = field_spec(path)
    listed = f"; there are {', '.join(record.fields)}" if record and record.fields and not meant else ""
    return f"there is no such key{hint}{listed}" if path else f"there is no such key{hint or listed}"


def format_errors(error: pydantic.ValidationError) -> list[tuple[Path, str]]:
    """Every one of pydantic's errors: its path and its sentence."""
    return [(error_path(detail) or _named_field(detail), format_error(detail)) for detail in _relevant_errors(error)]


def first_error(error: pydantic.ValidationError) -> tuple[Path, str]:
    """The first of pydantic's errors; its path is that of the wrong value, empty where values disagree."""
    first = _relevant_errors(error)[0]
    return error_path(first), format_error(first)


def _relevant_errors(error: pydantic.ValidationError) -> list[ErrorDetails]:
    every = error.errors(include_url=False)
    # A list whose items are wrong is also said to be too short: that is no error of its own.
    lists = {error_path(detail)[:-n] for detail in every for n in range(1, len(error_path(detail)))}
    return [detail for detail in every if not (detail["type"] == "too_short" and error_path(detail) in lists)]


def _named_field(error: Mapping[str, Any]) -> Path:
    cause = error.get("ctx", {}).get("error")
    return cause.path if isinstance(cause, ScenarioFieldError) else ()
