"""Twenty offers that nobody made but anybody might: correct in every field, to be put beside those that ship.

Some are cheaper than any of their accelerator, some dearer, some stale, some of a provider or an accelerator that
nobody had heard of. They are written as a data file, so that the strict reader judges whether they are correct.
"""

import random
from collections.abc import Iterator
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pricing import Catalogue
from pricing import load as loading
from pricing.records import Offer
from tests.frozen import LIVE, live_catalogue

FILE = "rentals/newcomers.yaml"
EACH = 4  # of every kind
PROVIDERS = ("newcloud-1", "newcloud-2")
CHIPS = ("Newchip-A-96GB", "Newchip-B")
_FEWEST_OFFERS = 5  # an accelerator with fewer has no cheapest and no dearest to speak of
_DEAREST_USD = 49.0  # above this the data tests ask whether a price is of the whole machine

_HEAD = """\
about: "Offers that nobody made, for a test."
sources:
  newcomers:
    {{title: New, url: "https://example.org/new", retrieved: {day}, via: official_page, licence: facts cited}}
accelerators:
  Newchip-A-96GB:
    label: Newchip A 96 GB
    vendor: Newchip
    kind: gpu
    form_factor: OAM
    memory_type: HBM3
    confidence: medium
    memory_gb: {{unit: GB, checked: {day}, values: {{{day}: {{typical: 96, kind: spec, source: newcomers}}}}}}
    memory_bandwidth_gb_s:
      {{unit: GB/s, checked: {day}, values: {{{day}: {{typical: 4000, kind: spec, source: newcomers}}}}}}
    bf16_dense_tflops:
      {{unit: TFLOP/s, checked: {day}, values: {{{day}: {{typical: 900, kind: spec, source: newcomers}}}}}}
    tdp_w: {{unit: W, checked: {day}, values: {{{day}: {{typical: 700, kind: spec, source: newcomers}}}}}}
    price_usd: {{unit: USD, checked: {day}, values: {{{day}: {{typical: 21000, kind: reported, source: newcomers}}}}}}
  Newchip-B:
    label: Newchip B
    vendor: Newchip
    kind: asic
    form_factor: board
    confidence: low
    rent_only: true
    memory_gb: {{unit: GB, checked: {day}, values: {{{day}: {{typical: 64, kind: spec, source: newcomers}}}}}}
providers:
  newcloud-1:
    label: New Cloud 1
    kind: neocloud
    egress_usd_per_gb:
      {{unit: USD/GB, checked: {day}, values: {{{day}: {{typical: 0.01, kind: list_price, source: newcomers}}}}}}
    block_storage_usd_per_gb_month:
      {{unit: USD/GB-month, checked: {day}, values: {{{day}: {{typical: 0.08, kind: list_price, source: newcomers}}}}}}
  newcloud-2: {{label: New Cloud 2, kind: hyperscaler}}
offers:
"""
_OFFER = """\
  {provider}/{accelerator}/{per_machine}x/{region}/{purchase}:
    {{provider: {provider}, accelerator: {accelerator}, accelerators_per_instance: {per_machine}, region: {region},
     area: {area}, purchase: {purchase}, usd_per_accelerator_hour: {{unit: USD/accelerator-hour, checked: {checked},
       values: {{{checked}: {{typical: {usd:.4f}, kind: list_price, source: newcomers}}}}}}}}
"""


class Range(NamedTuple):
    """What offers of one accelerator and one kind of purchase cost. [USD/accelerator-hour]"""

    least: float
    most: float


def with_newcomers(seed: int) -> Catalogue:
    """The catalogue that ships with twenty more offers, read by the strict reader from files."""
    contents = live_contents()
    return loading.build({**contents, FILE: newcomers(seed).encode()}, digest=f"newcomers {seed}")


@lru_cache(maxsize=1)
def live_contents() -> dict[str, bytes]:
    """The data files that ship, by name."""
    return {path.relative_to(LIVE).as_posix(): path.read_bytes() for path in sorted(LIVE.rglob("*.yaml"))}


def put_newcomers(data: Path, seed: int) -> None:
    """Put the twenty into a copy of the data folder."""
    (data / FILE).write_text(newcomers(seed), encoding="utf-8")


def newcomers(seed: int) -> str:
    """A data file of twenty offers, two new providers and two new accelerators."""
    day = live_catalogue().day
    chance = random.Random(seed)
    return _HEAD.format(day=day) + "".join(_offers(live_catalogue(), chance, day))


def _offers(catalogue: Catalogue, chance: random.Random, day: date) -> Iterator[str]:
    """Four of each kind; the first of the cheap ones is of the accelerator that most plans are about."""
    known, sold = _providers(catalogue), _sold(catalogue)
    purchases = ("on_demand", "on_demand", "spot", "reserved_1y", "reserved_3y")
    kinds = [kind for kind in ("cheap", "dear", "stale", "provider", "chip") for _ in range(EACH)]
    for place, kind in enumerate(kinds):
        accelerator, purchase = chance.choice(sorted(sold)), chance.choice(purchases)
        if place == 0:
            accelerator, purchase = "H100-SXM5-80GB", "on_demand"
        usual = sold[accelerator]
        usd = chance.uniform(usual.least, usual.most)
        if kind == "cheap":
            usd = usual.least * chance.uniform(0.4, 0.95)
        elif kind == "dear":
            usd = min(usual.most * chance.uniform(1.05, 3.0), _DEAREST_USD)
        yield _OFFER.format(
            provider=chance.choice(PROVIDERS if kind == "provider" else known),
            accelerator=chance.choice(CHIPS) if kind == "chip" else accelerator,
            per_machine=chance.choice((1, 2, 4, 8)),
            region=f"newcomer-{place}",
            area=chance.choice(("north_america", "europe", "asia", "anywhere")),
            purchase=purchase,
            checked=day - timedelta(days=chance.randint(31, 300) if kind == "stale" else chance.randint(0, 20)),
            usd=usd,
        )


def _sold(catalogue: Catalogue) -> dict[str, Range]:
    """What accelerators that several people rent out cost at all, by any kind of purchase."""
    usd: dict[str, list[float]] = {}
    for offer in catalogue.offers.values():
        if _is_plain(offer) and offer.usd_per_accelerator_hour is not None:
            usd.setdefault(offer.accelerator, []).append(offer.usd_per_accelerator_hour.newest.typical)
    return {key: Range(min(some), max(some)) for key, some in usd.items() if len(some) >= _FEWEST_OFFERS}


def _providers(catalogue: Catalogue) -> list[str]:
    """Providers of whose offers none is in doubt: another of theirs needs no doubt either."""
    doubted = {offer.provider for offer in catalogue.offers.values() if not _is_plain(offer)}
    return sorted({offer.provider for offer in catalogue.offers.values()} - doubted)


def _is_plain(offer: Offer) -> bool:
    return not offer.doubts
