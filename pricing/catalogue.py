"""The catalogue: every record of every data file, checked against each other, with one digest and one date."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from pricing.figure import Figure, Source, StrictModel
from pricing.finance import DepreciationSchedule, ResidualCurve, UsedPrice
from pricing.model import Model
from pricing.record import Delivery, Host, Premises
from pricing.records import (
    Accelerator,
    AmbiguousAccelerator,
    CountryRecord,
    Fact,
    HostedPrice,
    Offer,
    PriceSeries,
    Provider,
    Server,
    Site,
    TownList,
)

SECTIONS = (
    "sources", "accelerators", "ambiguous", "servers", "hosts", "deliveries", "sites", "places", "lands", "towns",
    "providers", "offers", "series", "models", "hosted", "facts", "schedules", "residuals", "used_prices",
)  # fmt: skip


class Catalogue(StrictModel):
    """All facts at once. The same digest always gives the same answers."""

    digest: str = Field(description="SHA-256 over the names and bytes of all data files, and the quotes laid over them")
    day: date = Field(description="the newest day on which anybody looked at any figure in it")
    sources: dict[str, Source]
    accelerators: dict[str, Accelerator]
    ambiguous: dict[str, AmbiguousAccelerator]
    servers: dict[str, Server]
    hosts: dict[str, Host]
    deliveries: dict[str, Delivery]
    sites: dict[str, Site]
    places: dict[str, Premises]
    lands: dict[str, CountryRecord]
    towns: dict[str, TownList]
    providers: dict[str, Provider]
    offers: dict[str, Offer]
    series: dict[str, PriceSeries]
    models: dict[str, Model]
    hosted: dict[str, HostedPrice]
    facts: dict[str, Fact]
    schedules: dict[str, DepreciationSchedule]
    residuals: dict[str, ResidualCurve]
    used_prices: dict[str, UsedPrice]

    def site_figure(self, site: str, name: str) -> tuple[str, Figure] | None:
        """Return a site's figure, or the nearest ancestor's: the id of the site that knows it, and the figure."""
        for place in self.around(site):
            figure: Figure | None = getattr(self.sites[place], name)
            if figure is not None:
                return place, figure
        return None

    def around(self, site: str) -> tuple[str, ...]:
        """Return the site, and what it lies in, from near to far."""
        sites: list[str] = []
        place: str | None = site
        while place is not None:
            sites.append(place)
            place = self.sites[place].parent
        return tuple(sites)

    def accelerator_label(self, name: str) -> str:
        if name in self.accelerators:
            return self.accelerators[name].label
        return self.ambiguous[name].label


class CatalogueFigure(NamedTuple):
    """A figure and where it stands."""

    section: str
    record: str
    field: str
    figure: Figure


def figures(catalogue: Catalogue) -> Iterator[CatalogueFigure]:
    """Yield every figure of the catalogue, in the order of the files."""
    for section in SECTIONS:
        for key, record in getattr(catalogue, section).items():
            for field, value in record:
                if isinstance(value, Figure):
                    yield CatalogueFigure(section, key, field, value)
    for key, provider in catalogue.providers.items():
        for joined in provider.fabrics:
            yield from (
                CatalogueFigure("providers", key, name, figure) for name, figure in joined if isinstance(figure, Figure)
            )


def cited_sources(catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    """Yield every citation: section, record, source id."""
    for section, key, _, figure in figures(catalogue):
        for value in figure.values.values():
            yield section, key, value.source
    for section in ("lands", "towns", "models", "schedules", "residuals", "used_prices"):
        for key, record in getattr(catalogue, section).items():
            yield section, key, record.source
    for key, provider in catalogue.providers.items():
        yield from (("providers", key, source) for source in provider.sale_sources)
        yield from (("providers", key, joined.source) for joined in provider.fabrics)
    for key, accelerator in catalogue.accelerators.items():
        if accelerator.mig_source is not None:
            yield "accelerators", key, accelerator.mig_source


KEEP_COPIES = 3


def cache_dir() -> Path | None:
    """Return the folder of checked copies: the user's own cache, never a place others can write to. None: nowhere."""
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:  # a user without a home, as in some containers
        return None
    return Path(base) / "rent-or-buy"


def read_cached(copy: Path) -> bytes | None:
    """Return the cached bytes; None where there are none, or they are damaged."""
    try:
        seal, _, body = copy.read_bytes().partition(b"\n")
    except OSError:
        return None
    return body if hashlib.sha256(body).hexdigest().encode() == seal else None


def write_cached(copy: Path, body: bytes) -> None:
    """Keep a copy, whole or not at all. A folder that cannot be written to costs only the time to make it again.

    Of copies that are called alike up to the last hyphen the newest stay.
    """
    try:
        copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=copy.parent) as room:
            new = Path(room) / copy.name
            new.touch(mode=0o600)
            new.write_bytes(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
            os.replace(new, copy)
        alike = copy.parent.glob(f"{copy.name.rpartition('-')[0]}-*{copy.suffix}")
        for old in sorted(alike, key=lambda path: path.stat().st_mtime, reverse=True)[KEEP_COPIES:]:
            old.unlink(missing_ok=True)
    except OSError:
        return
