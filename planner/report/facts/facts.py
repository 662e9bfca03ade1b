"""Everything that the catalogue says of one thing: a row for each statement, as text, table and plain data."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from pydantic import BaseModel

from planner.report import words
from planner.report.forms import bullet_list, join_sections
from planner.report.table import WIDEST, Table, text_table
from pricing import Catalogue, Figure, UnknownNameError
from pricing import names as naming
from pricing.belief import in_their_markets
from pricing.electricity import FIELDS, electricity
from pricing.orderable import sales
from pricing.query import OfferFilter, find
from pricing.stale import limit_days

OFFERS, _FIGURES, _RECORD = "Offers", "Figures", "Record"
_ORDER = (_RECORD, _FIGURES, OFFERS)  # then the other parts, as they come
_BOARDS = "we assume that it also rents whole boards; it publishes a price for one accelerator and no sizes"
_SOURCE_FIELDS = frozenset({"source", "sale_sources", "mig_source"})
_MOST_SUGGESTIONS = 6


@dataclass(frozen=True)
class FactRow:
    """One statement; only figures have a day and a source of their own. Field names are keys of the JSON."""

    about: str  # its part: Figures, Offers, Servers ...
    name: str
    value: Any
    unit: str | None = None
    low: float | None = None
    high: float | None = None
    kind: str | None = None
    since: date | None = None
    checked: date | None = None
    age_days: int | None = None
    limit_days: int | None = None  # age limit of such a figure
    source: str | None = None
    source_url: str | None = None
    note: str | None = None

    @property
    def overdue(self) -> bool:
        """Whether it is older than its limit."""
        return self.age_days is not None and self.limit_days is not None and self.age_days > self.limit_days

    @property
    def long_text(self) -> str | None:
        """A value too long for a table."""
        is_long = isinstance(self.value, str) and len(self.value) > WIDEST and self.value != self.source
        return self.value if is_long else None


def _figure_fact(
    catalogue: Catalogue, about: str, name: str, figure: Figure, day: date, note: str | None = None
) -> FactRow:
    """Return a figure: its newest value with its range, its age and its earlier values."""
    value = figure.newest
    source = catalogue.sources[value.source]
    before = "; ".join(f"{when}: {figure.values[when].typical:,.10g}" for when in sorted(figure.values)[:-1])
    notes = (note, value.locator, value.note, figure.note, f"before, {before}" if before else None)
    return FactRow(
        about, name, value.typical, figure.unit, value.low, value.high, value.kind, figure.since, figure.checked,
        figure.age_days(day), limit_days(figure), source.title, source.url, "; ".join(filter(None, notes)) or None,
    )  # fmt: skip


def accelerator_context(catalogue: Catalogue, key: str, day: date) -> Iterator[FactRow]:
    """Yield an accelerator's offers by purchase, servers, used prices, resale values and price histories."""
    for purchase, label in words.PURCHASE.items():
        ids = [id_ for id_, it in catalogue.offers.items() if it.accelerator == key and it.purchase == purchase]
        if ids:
            yield _offers(catalogue, label, ids, day)
    for name, server in catalogue.servers.items():
        if server.accelerator == key:
            size, price = f"{server.accelerators} of them", server.price_usd
            if price is None:
                yield FactRow("Servers", name, size)
            else:
                yield _figure_fact(catalogue, "Servers", name, price, day, size)
    yield from _used_price_facts(catalogue, key)
    yield from _residual_facts(catalogue, key)
    for name, series in catalogue.series.items():
        if series.accelerator == key:
            label = f"{series.publisher}, {words.PURCHASE[series.purchase]}, {series.measure.replace('_', ' ')}"
            figure = series.usd_per_accelerator_hour
            yield _figure_fact(catalogue, "Prices through time", name, figure, day, label)


def provider_context(catalogue: Catalogue, key: str, day: date) -> Iterator[FactRow]:
    """Yield what a provider sells, in which sizes and how many at once; its offers by accelerator and purchase."""
    offers = {id_: offer for id_, offer in catalogue.offers.items() if offer.provider == key}
    sold = [sales(catalogue)[id_] for id_ in offers]
    if sold:
        most = max(capacity.most for capacity in sold)
        basis = "assumed: usual for sellers of its kind; it publishes none" if most.assumed else "published"
        yield FactRow("Scale", "sold as", words.listed(sorted({capacity.kind for capacity in sold})))
        sizes = sorted({size for capacity in sold for size in capacity.sizes})
        boards = _BOARDS if any(capacity.sizes_assumed for capacity in sold) else None
        yield FactRow("Scale", "sizes of machines", ", ".join(f"{size:,}" for size in sizes), note=boards)
        kind = "assumption" if most.assumed else None
        yield FactRow("Scale", "most at once", most.accelerators, "accelerators", kind=kind, note=basis)
        yield FactRow("Scale", "regions", words.listed(sorted({offer.region for offer in offers.values()})))
    else:
        yield FactRow(OFFERS, "offers", "none: it publishes no price that is known here")
    groups: dict[tuple[str, str], list[str]] = {}
    for id_, offer in offers.items():
        groups.setdefault((offer.accelerator, offer.purchase), []).append(id_)
    for (accelerator, purchase), ids in sorted(groups.items()):
        yield _offers(catalogue, f"{accelerator}, {words.PURCHASE[purchase]}", ids, day)


def model_context(catalogue: Catalogue, key: str, day: date) -> Iterator[FactRow]:
    """Yield the prices of a model by the token."""
    for name, hosted in catalogue.hosted.items():
        figures = {"in": hosted.input_usd_per_mtoken, "out": hosted.output_usd_per_mtoken,
                   "cached": hosted.cached_input_usd_per_mtoken}  # fmt: skip
        for field, figure in figures.items():
            if hosted.model == key and figure is not None:
                yield _figure_fact(catalogue, "Prices by the token", f"{name}, {field}", figure, day, hosted.note)


def _offers(catalogue: Catalogue, name: str, ids: Sequence[str], day: date) -> FactRow:
    """Return some offers in one line: how many, and the one with the lowest estimated price today."""
    wish = OfferFilter(accelerators=frozenset(catalogue.offers[id_].accelerator for id_ in ids))
    rentable = [id_ for id_ in find(catalogue, wish, day).ids if id_ in set(ids)]
    priced = [id_ for id_ in rentable if catalogue.offers[id_].usd_per_accelerator_hour is not None]
    unpriced, hidden = len(rentable) - len(priced), len(ids) - len(rentable)
    note = words.count(len(ids), "offer") + (f", {unpriced:,} of them without a published price" if unpriced else "")
    if hidden:
        doubts = dict.fromkeys(words.DOUBT[doubt] for id_ in ids for doubt in catalogue.offers[id_].doubts)
        note += f"; {hidden:,} no price to rent by ({'; '.join(doubts)})"
    if not priced:
        return FactRow(OFFERS, name, "on request" if unpriced else "none to rent by", note=note)
    prices = in_their_markets(catalogue, day, priced)
    place = min(range(len(priced)), key=lambda at: (prices.at(at).typical, priced[at]))
    price, figure = prices.at(place), catalogue.offers[priced[place]].usd_per_accelerator_hour
    assert figure is not None  # only offers with a price are here
    value, source = figure.newest, catalogue.sources[figure.newest.source]
    typical, low, high = (words.round_significant(end, 4) for end in (price.typical, price.low, price.high))
    return FactRow(
        OFFERS, name, typical, figure.unit, low, high, value.kind, figure.since, figure.checked, figure.age_days(day),
        limit_days(figure), source.title, source.url,
        f"{note}; lowest estimate: {priced[place]}, listed at {words.usd_per_hour(value.typical)}",
    )  # fmt: skip


def _used_price_facts(catalogue: Catalogue, key: str) -> Iterator[FactRow]:
    for name, used in catalogue.used_prices.items():
        try:
            accelerators = naming.offered_accelerators(catalogue, used.accelerator)
        except UnknownNameError:
            continue
        if key in accelerators:
            source, share = catalogue.sources[used.source], used.share_of_launch_price
            value, unit = (share, "1") if used.price_usd is None else (used.price_usd, "USD")
            age = None if used.age_months is None else f"{words.count(used.age_months, 'month')} old"
            of_launch = None if share is None else f"{words.percent(share)} of its launch price"
            note = "; ".join(filter(None, (f"{used.accelerator} in {used.on}", used.basis, age, of_launch, used.note)))
            yield FactRow("Used prices", name, value, unit, source=source.title, source_url=source.url, note=note)


def _residual_facts(catalogue: Catalogue, key: str) -> Iterator[FactRow]:
    for name, curve in catalogue.residuals.items():
        if not curve.accelerators or key in curve.accelerators:
            source, points = catalogue.sources[curve.source], zip(curve.age_months, curve.typical, strict=True)
            path = ", ".join(f"{words.percent(share)} at {months} months" for months, share in points)
            scope = None if curve.accelerators else "of any accelerator"
            note = "; ".join(filter(None, (scope, curve.note))) or None
            yield FactRow("Residual value", name, path, kind=curve.kind, source=source.title, source_url=source.url,
                          note=note)  # fmt: skip


# The sections of the catalogue in which a name is looked up.
_FINDERS: dict[str, Callable[[Catalogue, str], str]] = {
    "accelerators": naming.accelerator,
    "providers": naming.provider,
    "sites": naming.site,
    "models": naming.model,
    "servers": naming.server,
}
_SINGULAR = {"accelerators": "accelerator", "providers": "provider", "sites": "place", "models": "model",
             "servers": "server"}  # fmt: skip
_CONTEXT: dict[str, Callable[[Catalogue, str, date], Iterator[FactRow]]] = {
    "accelerators": accelerator_context,
    "providers": provider_context,
    "models": model_context,
}


@dataclass(frozen=True)
class CatalogueEntry:
    """One thing of the catalogue with all statements about it."""

    section: str
    key: str
    label: str
    facts: tuple[FactRow, ...]


def find_entries(catalogue: Catalogue, name: str, day: date) -> tuple[CatalogueEntry, ...]:
    """Return everything called `name`: an accelerator and a place of one name are two entries."""
    entries: list[CatalogueEntry] = []
    near: list[str] = []
    for section, finder in _FINDERS.items():
        try:
            entries.append(_entry(catalogue, section, finder(catalogue, name), day))
        except UnknownNameError as error:
            near += error.candidates
    if entries:
        return tuple(entries)
    candidates = tuple(dict.fromkeys(near))[:_MOST_SUGGESTIONS]
    hint = f" Did you mean {words.listed(candidates, 'or')}?" if near else ""
    raise UnknownNameError(f"No {words.listed(_SINGULAR.values(), 'or')} is called {name!r}.{hint}", candidates)


def _entry(catalogue: Catalogue, section: str, key: str, day: date) -> CatalogueEntry:
    record = getattr(catalogue, section)[key]
    facts = [*_record_facts(catalogue, record, day), *_inherited_facts(catalogue, section, key, day)]
    if section in _CONTEXT:
        facts += _CONTEXT[section](catalogue, key, day)
    facts.sort(key=lambda fact: _ORDER.index(fact.about) if fact.about in _ORDER else len(_ORDER))
    return CatalogueEntry(section, key, record.label, tuple(facts))


def _record_facts(catalogue: Catalogue, record: BaseModel, day: date, prefix: str = "") -> Iterator[FactRow]:
    """Yield the fields of a record that are not empty, and those of the records in it."""
    for field, value in record:
        name = f"{prefix}{field}"
        if value is None or value is False or value in ((), {}):
            continue
        if isinstance(value, Figure):
            yield _figure_fact(catalogue, _FIGURES, name, value, day)
        elif field in _SOURCE_FIELDS:
            for key in (value,) if isinstance(value, str) else value:
                source = catalogue.sources[key]
                yield FactRow(_RECORD, name, source.title, checked=source.retrieved, source=source.title,
                              source_url=source.url)  # fmt: skip
        elif isinstance(value, tuple) and isinstance(value[0], BaseModel):
            for place, inner in enumerate(value, start=1):
                yield from _record_facts(catalogue, inner, day, f"{name} {place}: ")
        else:
            yield FactRow(_RECORD, name, _plain(value))


def _inherited_facts(catalogue: Catalogue, section: str, key: str, day: date) -> Iterator[FactRow]:
    if section != "sites":
        return
    classes = {field: customer for customer, field in FIELDS.items()}
    for name in catalogue.sites[key].FIGURE_UNITS:
        if name in classes:
            price = electricity(catalogue, key, classes[name])
            if price is not None and price.stands_in:
                yield _figure_fact(catalogue, _FIGURES, name, price.figure, day)
            continue
        origin, figure = catalogue.site_figure(key, name) or (key, None)
        if figure is not None and origin != key:
            fact = _figure_fact(catalogue, _FIGURES, name, figure, day)
            note = f"taken from {catalogue.sites[origin].label}"
            yield replace(fact, note="; ".join(filter(None, (note, fact.note))))


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return ", ".join(f"{name} {_plain(field)}" for name, field in value if field is not None)
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_plain(item)}" for name, item in value.items())
    if isinstance(value, tuple):
        return ", ".join(str(_plain(item)) for item in value)
    return "yes" if value is True else value if isinstance(value, int | float | str) else str(value)


def facts_text(entries: Sequence[CatalogueEntry]) -> str:
    """Return the entries one after the other, each in its parts, with sources and notes below."""
    return "\n".join(join_sections(_sections(entry)) for entry in entries)


def facts_records(entries: Sequence[CatalogueEntry]) -> list[dict[str, Any]]:
    """Return one flat record for each statement."""
    return [
        {"section": entry.section, "id": entry.key, **asdict(fact), "overdue": fact.overdue}
        for entry in entries
        for fact in entry.facts
    ]


def _sections(entry: CatalogueEntry) -> Iterator[tuple[str, str]]:
    overdue = sum(fact.overdue for fact in entry.facts)
    summary = f"{words.count(len(entry.facts), 'fact')}, {overdue:,} of them older than their limit."
    yield f"{entry.label}: {_SINGULAR[entry.section]} {entry.key}", summary
    cited = dict.fromkeys((fact.source, fact.source_url) for fact in entry.facts if fact.source is not None)
    numbers = {source: number for number, source in enumerate(cited, start=1)}
    for about in dict.fromkeys(fact.about for fact in entry.facts):
        facts = [fact for fact in entry.facts if fact.about == about]
        rows = [_text_row(fact, numbers) for fact in facts]
        filled = [name for name in rows[0] if any(row[name] not in ("", None) for row in rows)]
        notes = [f"{fact.name}: {text}" for fact in facts for text in (fact.long_text, fact.note) if text]
        yield (
            about,
            "\n".join((text_table(Table.from_raw_rows(rows, filled)), *([bullet_list(notes)] if notes else []))),
        )
    yield "Sources", "\n".join(f"[{number}] {title}: {url}" for (title, url), number in numbers.items())


def _text_row(fact: FactRow, numbers: Mapping[tuple[str, str | None], int]) -> dict[str, Any]:
    number = numbers.get((fact.source or "", fact.source_url))
    if isinstance(fact.value, int | float):
        value = f"{fact.value:,.10g}"
    elif fact.long_text is not None:
        value = "below"
    else:
        value = "" if fact.value == fact.source else str(fact.value)  # the source column has it
    low, high = ("?" if end is None else f"{end:,.10g}" for end in (fact.low, fact.high))
    age = "" if fact.age_days is None else words.count(max(fact.age_days, 0), "day")
    return {
        "What": fact.name,
        "Value": value,
        "Unit": fact.unit or "",
        "Range": "" if fact.low is None and fact.high is None else f"{low} to {high}",
        "Kind": (fact.kind or "").replace("_", " "),
        "Checked": "" if fact.checked is None else fact.checked.isoformat(),
        "Age": f"{age}, older than its limit of {fact.limit_days}" if fact.overdue else age,
        "Source": "" if number is None else f"[{number}]",
    }
