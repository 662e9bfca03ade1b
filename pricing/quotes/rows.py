"""From a row of cells to a quote: its cells read, its names placed, its days checked, the whole validated.

All faults of a row are found at once. Accelerators and servers must be ones that the catalogue knows; a name that
covers several is refused with the candidates. A provider's name that is a catalogue provider's id, label or alias (but
for case, spaces and punctuation) means that provider. Any other is a provider of the user's own, of kind "yours", even
where it is nearly one of ours: the row is kept, and a question says which one the name resembles.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pydantic
from pydantic_core import ErrorDetails

from pricing.catalogue import Catalogue
from pricing.errors import AmbiguousName, UnknownName
from pricing.quotes.cells import KINDS, WISHES, read_cell
from pricing.quotes.files import COLUMNS, Problem, Row, either, shown
from pricing.quotes.known_names import KnownNames
from pricing.quotes.records import AnyQuote, DiscountQuote, HardwareQuote, OfferQuote
from pricing.wishes import wanted

_MODELS: Mapping[str, type[AnyQuote]] = {"offer": OfferQuote, "discount": DiscountQuote, "hardware": HardwareQuote}
# A filled cell in one of these columns tells what kind of row it is.
_TELLING = {
    "offer": ("usd_per_accelerator_hour", "usd_per_instance_hour", "area"),
    "discount": ("discount_share",),
    "hardware": ("price_usd", "low_usd", "high_usd", "server", "accelerators"),
}


class _Faults(dict[str, str]):
    """The wishes of one row, by column. The first wish for a column stands."""

    def wish(self, column: str, wanted: str) -> None:
        self.setdefault(column, wanted)


class RowReader:
    """Reads rows against one catalogue, as of one day."""

    def __init__(self, catalogue: Catalogue, day: date, names: KnownNames) -> None:
        self.catalogue = catalogue
        self.day = day
        self.names = names

    def read(self, row: Row) -> AnyQuote | tuple[Problem, ...]:
        """The quote in a row, or everything that is wrong with it."""
        faults = _Faults()
        cells = _values(row, faults)
        kind = _kind(row, cells, faults)
        _check_currency(cells, faults)
        self._check_days(cells, faults)
        quote = None
        if kind is not None:
            self._place_names(kind, cells, faults)
            quote = _validated(kind, {**cells, "line": row.line}, faults)
        if quote is None or faults:
            return tuple(Problem(row.line, c, shown(row.cells.get(c, "")), wish) for c, wish in faults.items())
        return quote

    def _check_days(self, cells: dict[str, Any], faults: _Faults) -> None:
        start = cells.setdefault("valid_from", self.day)
        end = cells.get("valid_until")
        if start > self.day:
            faults.wish("valid_from", f"a day up to {self.day} (this quote does not hold yet and is not used)")
        if end is not None and end < self.day:
            faults.wish("valid_until", f"a day on or after {self.day} (this quote has expired and is not used)")
        if end is not None and end < start:
            faults.wish("valid_until", f"a day on or after {start}, from which it holds")

    def _place_names(self, kind: str, cells: dict[str, Any], faults: _Faults) -> None:
        self._place("accelerator", cells, faults)
        if kind == "discount":
            self._place("provider", cells, faults)
        elif kind == "offer" and "provider" in cells:
            cells["provider"], cells["provider_label"] = self.names.provider(cells["provider"])
        elif kind == "hardware":
            self._place("server", cells, faults)
            self._place_hardware(cells, faults)

    def _place(self, column: str, cells: dict[str, Any], faults: _Faults) -> None:
        if column not in cells:
            return
        found = self.names.find(column, cells[column])
        if isinstance(found, AmbiguousName):
            faults.wish(column, f"{either(found.candidates)} (the name covers all of them)")
        elif isinstance(found, UnknownName):
            hint = f" (did you mean {either(found.candidates)}?)" if found.candidates else ""
            faults.wish(column, f"{'an' if column == 'accelerator' else 'a'} {column} of the catalogue{hint}")
        else:
            cells[column] = found

    def _place_hardware(self, cells: dict[str, Any], faults: _Faults) -> None:
        """Settle what is priced: one server, or one accelerator by itself."""
        count = cells.pop("accelerators", None)
        if not faults.keys().isdisjoint({"server", "accelerator", "accelerators"}):
            return
        accelerator = cells.get("accelerator")
        if "server" in cells:
            self._check_server(cells["server"], cells.pop("accelerator", None), count, faults)
        elif accelerator is None:
            faults.wish("accelerator", "an accelerator, or a server, of the catalogue")
        elif count is not None:
            cells["server"] = self._server_with(cells.pop("accelerator"), count, faults)

    def _check_server(self, server: str, accelerator: str | None, count: int | None, faults: _Faults) -> None:
        record = self.catalogue.servers[server]
        if accelerator not in (None, record.accelerator):
            faults.wish("accelerator", f"{record.accelerator}, as in {record.label}, or nothing")
        if count not in (None, record.accelerators):
            faults.wish("accelerators", f"{record.accelerators}, as in {record.label}, or nothing")

    def _server_with(self, accelerator: str, count: int, faults: _Faults) -> str | None:
        servers = self.catalogue.servers.items()
        alike = tuple(key for key, one in servers if (one.accelerator, one.accelerators) == (accelerator, count))
        if len(alike) == 1:
            return alike[0]
        if alike:
            faults.wish("server", f"{either(alike)} (each has {count} x {accelerator})")
        else:
            known = "the catalogue has no server with that many; leave it empty for the price of one accelerator"
            faults.wish("accelerators", f"nothing here ({known})")
        return None


def _values(row: Row, faults: _Faults) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for column in row.cells:
        try:
            values[column] = read_cell(row, column)
        except ValueError as wish:
            faults.wish(column, str(wish))
    return values


def _kind(row: Row, cells: dict[str, Any], faults: _Faults) -> str | None:
    """What the row says it is; where it does not say, what its cells tell without doubt."""
    if "kind" in row.cells:
        said: str | None = cells.pop("kind", None)
        return said
    telling = [kind for kind, columns in _TELLING.items() if not row.cells.keys().isdisjoint(columns)]
    if len(telling) == 1:
        return telling[0]
    if not telling and "provider" in row.cells:
        return "offer"
    why = f"its cells could be {either(tuple(telling))}" if telling else "nothing in the row tells which"
    faults.wish("kind", f"{either(KINDS)} ({why})")
    return None


def _check_currency(cells: dict[str, Any], faults: _Faults) -> None:
    if cells.pop("currency", "USD").casefold() != "usd":
        faults.wish("currency", "USD (prices are in US dollars: convert this one and keep the rate in the note)")


def _validated(kind: str, cells: dict[str, Any], faults: _Faults) -> AnyQuote | None:
    try:
        return _MODELS[kind].model_validate(cells)
    except pydantic.ValidationError as error:
        for detail in error.errors(include_url=False):
            column = str(detail["loc"][0])
            if column in COLUMNS:
                faults.wish(column, _wish(kind, column, detail))
        return None


def _wish(kind: str, column: str, detail: ErrorDetails) -> str:
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    if detail["type"] == "extra_forbidden":
        longer = next((field for field in _MODELS[kind].model_fields if field.startswith(column)), None)
        hint = f" (did you mean {longer!r}?)" if longer else ""
        return f"nothing here: a row of kind {kind!r} has no {column}{hint}"
    return WISHES.get(column, wanted(detail))
