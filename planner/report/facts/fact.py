"""One statement of the catalogue as a row: what, how much, how old, who says so."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from pydantic import BaseModel

from planner.report import words
from pricing import Catalogue, Figure, UnknownNameError
from pricing import names as naming
from pricing.belief import in_their_markets
from pricing.electricity import FIELDS, electricity
from pricing.orderable import sale
from pricing.query import OfferFilter, find
from pricing.stale import limit_days


@dataclass(frozen=True)
class Fact:
    """One statement. What is no figure has no day and no source of its own."""

    about: str  # which part it stands in: Figures, Offers, Servers ...
    name: str
    value: Any
    unit: str | None = None
    low: float | None = None
    high: float | None = None
    kind: str | None = None
    since: date | None = None
    checked: date | None = None
    age_days: int | None = None
    limit_days: int | None = None  # for how long such a figure holds without another look
    source: str | None = None
    source_url: str | None = None
    note: str | None = None

    @property
    def overdue(self) -> bool:
        """Whether it is older than its limit."""
        return self.age_days is not None and self.limit_days is not None and self.age_days > self.limit_days


def fact_from_figure(
    catalogue: Catalogue, about: str, name: str, figure: Figure, day: date, note: str | None = None
) -> Fact:
    """A figure: its newest value with its range, its age, and what it was before."""
    value = figure.newest
    source = catalogue.sources[value.source]
    before = "; ".join(f"{when}: {figure.values[when].typical:,.10g}" for when in sorted(figure.values)[:-1])
    parts = (note, value.locator, value.note, figure.note, f"before, {before}" if before else None)
    return Fact(
        about, name, value.typical, figure.unit, value.low, value.high, value.kind, figure.since, figure.checked,
        figure.age_days(day), limit_days(figure), source.title, source.url, "; ".join(filter(None, parts)) or None,
    )  # fmt: skip


def fact_from_source(catalogue: Catalogue, about: str, name: str, key: str) -> Fact:
    """Who says what a record says without a figure."""
    source = catalogue.sources[key]
    return Fact(about, name, source.title, checked=source.retrieved, source=source.title, source_url=source.url)


OFFERS = "Offers"
_BOARDS = "we assume that it also rents whole boards; it publishes a price for one accelerator and no sizes"


def accelerator_context(catalogue: Catalogue, key: str, day: date) -> Iterator[Fact]:
    """Offers of it by purchase, the servers it is sold in, what used ones brought, what is left of its price."""
    of_it = [one for one, offer in catalogue.offers.items() if offer.accelerator == key]
    for purchase in words.PURCHASE:
        there = [one for one in of_it if catalogue.offers[one].purchase == purchase]
        if there:
            yield _offers(catalogue, words.PURCHASE[purchase], there, day)
    for name, server in catalogue.servers.items():
        if server.accelerator == key:
            holds = f"{server.accelerators} of them"
            yield (
                Fact("Servers", name, holds)
                if server.price_usd is None
                else fact_from_figure(catalogue, "Servers", name, server.price_usd, day, holds)
            )
    yield from _used_price_facts(catalogue, key)
    yield from _residual_facts(catalogue, key)
    for name, series in catalogue.series.items():
        if series.accelerator == key:
            what = f"{series.publisher}, {words.PURCHASE[series.purchase]}, {series.measure.replace('_', ' ')}"
            yield fact_from_figure(catalogue, "Prices through time", name, series.usd_per_accelerator_hour, day, what)


def provider_context(catalogue: Catalogue, key: str, day: date) -> Iterator[Fact]:
    """What it sells, in which sizes and how much at once; its offers by accelerator and purchase."""
    of_it = [one for one, offer in catalogue.offers.items() if offer.provider == key]
    sales = [sale(catalogue, one) for one in of_it]
    if sales:
        most = max(one.most for one in sales)
        said = "we assume it: what sellers of its kind usually have; it publishes none" if most.assumed else "published"
        yield Fact("Scale", "sold as", words.listed(sorted({one.kind for one in sales})))
        boards = _BOARDS if any(one.sizes_assumed for one in sales) else None
        yield Fact("Scale", "sizes of machines", _numbers({size for one in sales for size in one.sizes}), note=boards)
        kind = "assumption" if most.assumed else None
        yield Fact("Scale", "most at once", most.accelerators, "accelerators", kind=kind, note=said)
        yield Fact("Scale", "regions", words.listed(sorted({catalogue.offers[one].region for one in of_it})))
    else:
        yield Fact(OFFERS, "offers", "none: it publishes no price that is known here")
    groups: dict[tuple[str, str], list[str]] = {}
    for one in of_it:
        offer = catalogue.offers[one]
        groups.setdefault((offer.accelerator, offer.purchase), []).append(one)
    for (accelerator, purchase), there in sorted(groups.items()):
        yield _offers(catalogue, f"{accelerator}, {words.PURCHASE[purchase]}", there, day)


def model_context(catalogue: Catalogue, key: str, day: date) -> Iterator[Fact]:
    """What it costs by the token."""
    for name, hosted in catalogue.hosted.items():
        if hosted.model == key:
            for field, figure in (("in", hosted.input_usd_per_mtoken), ("out", hosted.output_usd_per_mtoken),
                                  ("cached", hosted.cached_input_usd_per_mtoken)):  # fmt: skip
                if figure is not None:
                    yield fact_from_figure(
                        catalogue, "Prices by the token", f"{name}, {field}", figure, day, hosted.note
                    )


def _offers(catalogue: Catalogue, name: str, keys: Sequence[str], day: date) -> Fact:
    """Some offers in one line: how many, and the one that is believed to cost the least today."""
    wish = OfferFilter(accelerators=frozenset(catalogue.offers[key].accelerator for key in keys))
    there = [key for key in find(catalogue, wish, day).ids if key in set(keys)]
    priced = [key for key in there if catalogue.offers[key].usd_per_accelerator_hour is not None]
    asked, hidden = len(there) - len(priced), len(keys) - len(there)
    count = words.count(len(keys), "offer")
    said = "; ".join(
        part
        for part, number in (
            (f"{count}, {asked:,} of them without a published price" if asked else count, 1),
            (f"{hidden:,} no price to rent by ({_doubt_counts(catalogue, keys)})", hidden),
        )
        if number
    )
    if not priced:
        return Fact(OFFERS, name, "on request" if asked else "none to rent by", note=said)
    prices = in_their_markets(catalogue, day, priced)
    place = min(range(len(priced)), key=lambda at: (prices.at(at).typical, priced[at]))
    return _cheapest(catalogue, name, priced[place], prices.at(place), said, day)


def _cheapest(catalogue: Catalogue, name: str, key: str, price: Any, said: str, day: date) -> Fact:
    figure = catalogue.offers[key].usd_per_accelerator_hour
    assert figure is not None  # only offers with a price get here
    value, source = figure.newest, catalogue.sources[figure.newest.source]
    read = f"cheapest believed: {key}, read at {words.usd_per_hour(value.typical)}"
    return Fact(
        OFFERS, name, words.round_significant(price.typical, 4), figure.unit, words.round_significant(price.low, 4),
        words.round_significant(price.high, 4), value.kind, figure.since, figure.checked, figure.age_days(day),
        limit_days(figure), source.title, source.url, f"{said}; {read}",
    )  # fmt: skip


def _doubt_counts(catalogue: Catalogue, keys: Sequence[str]) -> str:
    doubts = dict.fromkeys(doubt for key in keys for doubt in catalogue.offers[key].doubts)
    return "; ".join(words.DOUBT[doubt] for doubt in doubts)


def _used_price_facts(catalogue: Catalogue, key: str) -> Iterator[Fact]:
    for name, used in catalogue.used_prices.items():
        if key in _meant(catalogue, used.accelerator):
            source = catalogue.sources[used.source]
            share = used.share_of_launch_price
            value = used.price_usd if used.price_usd is not None else share
            age = None if used.age_months is None else f"{words.count(used.age_months, 'month')} old"
            of_launch = None if share is None else f"{words.percent(share)} of its launch price"
            note = "; ".join(filter(None, (f"{used.accelerator} in {used.on}", used.basis, age, of_launch, used.note)))
            unit = "1" if used.price_usd is None else "USD"
            yield Fact("Used prices", name, value, unit, source=source.title, source_url=source.url, note=note)


def _meant(catalogue: Catalogue, name: str) -> tuple[str, ...]:
    """The accelerators that a source may mean."""
    try:
        return naming.offered_accelerators(catalogue, name)
    except UnknownNameError:
        return ()


def _residual_facts(catalogue: Catalogue, key: str) -> Iterator[Fact]:
    for name, curve in catalogue.residuals.items():
        if not curve.accelerators or key in curve.accelerators:
            source = catalogue.sources[curve.source]
            path = ", ".join(
                f"{words.percent(share)} at {months} months"
                for months, share in zip(curve.age_months, curve.typical, strict=True)
            )
            scope = "of any accelerator" if not curve.accelerators else None
            note = "; ".join(filter(None, (scope, curve.note)))
            yield Fact("Residual value", name, path, kind=curve.kind, source=source.title, source_url=source.url,
                       note=note or None)  # fmt: skip


def _numbers(numbers: set[int]) -> str:
    return ", ".join(f"{number:,}" for number in sorted(numbers))


_OF_SOURCES = frozenset({"source", "sale_sources", "mig_source"})  # fields that name sources
_FIGURES, _RECORD = "Figures", "Record"
_NEAREST = 6  # names that may have been meant

# Which sections of the catalogue a name is looked up in, by whose finder.
FINDERS: dict[str, Callable[[Catalogue, str], str]] = {
    "accelerators": naming.accelerator,
    "providers": naming.provider,
    "sites": naming.site,
    "models": naming.model,
    "servers": naming.server,
}
CALLED = {"accelerators": "accelerator", "providers": "provider", "sites": "place", "models": "model",
          "servers": "server"}  # fmt: skip
_BESIDE: dict[str, Callable[[Catalogue, str, date], Iterator[Fact]]] = {
    "accelerators": accelerator_context,
    "providers": provider_context,
    "models": model_context,
}


@dataclass(frozen=True)
class Known:
    """One thing of the catalogue with all that is known of it."""

    section: str
    key: str
    label: str
    facts: tuple[Fact, ...]


def known(catalogue: Catalogue, name: str, day: date) -> tuple[Known, ...]:
    """Everything that is called `name`: an accelerator and a place of one name are two answers."""
    found: list[Known] = []
    near: list[str] = []
    for section, finder in FINDERS.items():
        try:
            found.append(_known(catalogue, section, finder(catalogue, name), day))
        except UnknownNameError as unknown:
            near += unknown.candidates
    if found:
        return tuple(found)
    candidates = tuple(dict.fromkeys(near))[:_NEAREST]
    hint = f" Did you mean {words.listed(candidates, 'or')}?" if near else ""
    raise UnknownNameError(f"No {words.listed(CALLED.values(), 'or')} is called {name!r}.{hint}", candidates)


def _known(catalogue: Catalogue, section: str, key: str, day: date) -> Known:
    record = getattr(catalogue, section)[key]
    facts = [*_record_facts(catalogue, record, day), *_inherited_facts(catalogue, section, key, day)]
    if section in _BESIDE:
        facts += _BESIDE[section](catalogue, key, day)
    return Known(section, key, record.label, tuple(sorted(facts, key=lambda one: _order(one.about))))


def _order(about: str) -> int:
    """Where a part stands: the record and its figures first, then what is beside them."""
    parts = (_RECORD, _FIGURES, OFFERS)
    return parts.index(about) if about in parts else len(parts)


def _record_facts(catalogue: Catalogue, record: BaseModel, day: date, of: str = "") -> Iterator[Fact]:
    """The fields of a record that say something, one after the other; of records in it, theirs."""
    for name, value in record:
        if value is None or value is False or value in ((), {}):
            continue
        if isinstance(value, Figure):
            yield fact_from_figure(catalogue, _FIGURES, f"{of}{name}", value, day)
        elif name in _OF_SOURCES:
            for source in (value,) if isinstance(value, str) else value:
                yield fact_from_source(catalogue, _RECORD, f"{of}{name}", source)
        elif isinstance(value, tuple) and isinstance(value[0], BaseModel):
            for place, inner in enumerate(value, start=1):
                yield from _record_facts(catalogue, inner, day, f"{of}{name} {place}: ")
        else:
            yield Fact(_RECORD, f"{of}{name}", _said(value))


def _inherited_facts(catalogue: Catalogue, section: str, key: str, day: date) -> Iterator[Fact]:
    """What a place does not know itself and takes from the one that it lies in."""
    if section != "sites":
        return
    classes = {field: customer for customer, field in FIELDS.items()}
    for name in catalogue.sites[key].FIGURE_UNITS:
        if name in classes:
            price = electricity(catalogue, key, classes[name])
            if price is not None and price.stands_in:
                yield fact_from_figure(catalogue, _FIGURES, name, price.figure, day)
            continue
        found = catalogue.site_figure(key, name)
        if found is not None and found[0] != key:
            taken = fact_from_figure(catalogue, _FIGURES, name, found[1], day)
            of = f"taken from {catalogue.sites[found[0]].label}"
            yield replace(taken, note="; ".join(part for part in (of, taken.note) if part))


def _said(value: Any) -> Any:
    """A field that is no figure, as text or number."""
    if isinstance(value, BaseModel):
        return ", ".join(f"{name} {_said(one)}" for name, one in value if one is not None)
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_said(one)}" for name, one in value.items())
    if isinstance(value, tuple):
        return ", ".join(str(_said(one)) for one in value)
    return "yes" if value is True else value if isinstance(value, int | float | str) else str(value)
