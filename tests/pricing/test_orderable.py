"""What an offer can deliver, on a catalogue made by hand: how much at once, joined by what, where and by whom."""

import sys
from types import FrameType

import pytest

from pricing.catalogue import Catalogue, cache_dir
from pricing.errors import CatalogError, UnknownNameError
from pricing.load import build, load
from pricing.orderable import (
    Capacity,
    Order,
    Refusal,
    ResidencyRequirement,
    country,
    eu,
    machine,
    refusal_reason,
    sales,
)
from tests.frozen import FROZEN
from tests.rows import each_row

PRICE = (
    "usd_per_accelerator_hour: {unit: USD/accelerator-hour, checked: 2026-11-01, values: {"
    "2026-11-01: {typical: 3, kind: list_price, source: lists}}}"
)
SELLERS = """\
about: "Six sellers who sell in six ways."
sources:
  lists: {title: Lists, url: "https://example.org", retrieved: 2026-11-01, via: official_page, licence: MIT}
lands:
  DE: {label: Germany, area: europe, blocs: [EU, EEA], source: lists}
  FI: {label: Finland, area: europe, blocs: [EU, EEA], source: lists}
  IS: {label: Iceland, area: europe, blocs: [EEA], source: lists}
  US: {label: United States, area: north_america, source: lists}
accelerators:
  H100: {label: H100, vendor: NVIDIA, kind: gpu, form_factor: SXM5, confidence: high}
  L40S: {label: L40S, vendor: NVIDIA, kind: gpu, form_factor: PCIe4, confidence: high}
  GB200: {label: GB200, vendor: NVIDIA, kind: gpu, form_factor: NVL72, confidence: high}
providers:
  big:
    label: Big
    kind: hyperscaler
    headquarters: US
    regions: {eu-1: [DE], us-1: [US], somewhere in the EU: [EU]}
    sale_sources: [lists]
    sale_read: 2026-11-01
  joined:
    label: Joined
    kind: neocloud
    headquarters: FI
    orders: verified
    sizes: [8, 1]
    regions: {North: [FI, IS]}
    fabrics:
      - {accelerators: [H100], fabric: infiniband, source: lists, read: 2026-11-01, fabric_gb_s: {
          unit: GB/s, checked: 2026-11-01, values: {2026-11-01: {typical: 50, kind: spec, source: lists}}}}
    sale_sources: [lists]
    sale_read: 2026-11-01
  market: {label: Market, kind: marketplace}
  seconds: {label: Seconds, kind: serverless, headquarters: US}
  racks: {label: Racks, kind: neocloud, headquarters: US}
  yours/me: {label: Mine, kind: yours}
offers:
"""
FACTS = """\
facts:
"""


def offer(key: str, area: str, more: str = "") -> str:
    provider, chip, count, region, purchase, *_ = key.replace("yours/", "yours!").split("/")
    return (
        f"  {key}: {{provider: {provider.replace('!', '/')}, accelerator: {chip}, "
        f"accelerators_per_instance: {count.removesuffix('x')}, region: {region}, area: {area}, purchase: {purchase}, "
        f"{more}{PRICE}}}\n"
    )


def figure(unit: str, typical: float) -> str:
    value = f"{{typical: {typical}, kind: spec, source: lists}}"
    return f"{{unit: {unit}, checked: 2026-11-01, values: {{2026-11-01: {value}}}}}"


def fact(key: str, unit: str, typical: float) -> str:
    return f"  {key}: {{label: {key}, topic: market, figure: {figure(unit, typical)}}}\n"


def count(typical: int) -> str:
    return figure("count", typical)


BIG, ONE, BLOC = "big/H100/8x/eu-1/on_demand", "big/H100/1x/us-1/on_demand", "big/H100/8x/somewhere in the EU/on_demand"
TERM, LISTED, CARDS = "big/H100/8x/eu-1/reserved_1y", "joined/H100/1x/North/on_demand", "joined/L40S/1x/North/on_demand"
BID, SECOND = "market/H100/4x/global/on_demand", "seconds/H100/1x/global/on_demand"
RACK, TRAY = "racks/GB200/72x/global/on_demand", "racks/GB200/4x/global/on_demand"
CLUSTER, PLAIN = "racks/H100/8x/US/on_demand/cluster", "racks/H100/8x/US/on_demand/plain"
SPOT, SPOT_BID = "joined/H100/1x/North/spot", "market/H100/4x/global/spot"
MINE = "yours/me/H100/1x/global/on_demand"
OFFERS = (
    offer(BIG, "europe") + offer(ONE, "north_america") + offer(BLOC, "europe") + offer(TERM, "europe")
    + offer(LISTED, "europe") + offer(CARDS, "europe")
    + offer(BID, "anywhere") + offer(SECOND, "anywhere")
    + offer(RACK, "anywhere", "fabric: nvlink_domain, ") + offer(TRAY, "anywhere", "fabric: nvlink_domain, ")
    + offer(CLUSTER, "north_america", f"sku: c, fabric: roce, least_at_once: {count(16)}, most_at_once: {count(63)}, ")
    + offer(PLAIN, "north_america", "sku: p, fabric: ethernet, ")
    + offer(MINE, "not_stated") + offer(SPOT, "europe") + offer(SPOT_BID, "anywhere")
)  # fmt: skip
TAKEN = (
    fact("most-at-once-pod", "count", 16) + fact("most-at-once-machine", "count", 64)
    + fact("most-at-once-cluster", "count", 512) + fact("most-at-once-serverless", "count", 32)
    + fact("most-at-once-hyperscaler", "count", 64) + fact("most-at-once-reserved-factor", '"1"', 8)
    + fact("nvlink-domain-accelerators", "count", 72) + fact("most-at-once-spot-share", '"1"', 0.25)
)  # fmt: skip
TEXT = SELLERS + OFFERS + FACTS + TAKEN


@pytest.fixture(scope="module")
def sellers() -> Catalogue:
    return build({"all.yaml": TEXT.encode()}, digest="sellers")


@each_row(("key", "kind", "sizes", "most", "reach"), [
    (BIG, "machine", (8,), 64, 8),
    (ONE, "pod", (1,), 64, 1),
    (TERM, "machine", (8,), 512, 8),
    (LISTED, "cluster", (1, 8), 512, 512),
    (CARDS, "machine", (1, 8), 64, 8),
    (BID, "bid", (4,), 4, 4),
    (SPOT, "cluster", (1, 8), 128, 128),  # a part of what it has
    (SPOT_BID, "bid", (4,), 4, 4),
    (SECOND, "serverless", (1,), 32, 1),
    (RACK, "cluster", (72,), 512, 72),
    (TRAY, "cluster", (4,), 512, 72),
    (CLUSTER, "cluster", (8,), 63, 63),
    (PLAIN, "machine", (8,), 64, 8),
])  # fmt: skip
def test_what_is_sold_follows_from_the_seller_and_the_size(
    sellers: Catalogue, key: str, kind: str, sizes: tuple[int, ...], most: int, reach: int
) -> None:
    sold = sales(sellers)[key]
    assert (sold.kind, sold.sizes, sold.most.accelerators, sold.reach.accelerators) == (kind, sizes, most, reach)
    assert sold.most.assumed == (key != CLUSTER)


def test_a_list_by_the_accelerator_alone_is_one_of_boards_where_they_come_on_boards() -> None:
    plain = TEXT.replace("    sizes: [8, 1]\n", "").replace("form_factor: SXM5", "form_factor: SXM5, board: 8")
    catalogue = build({"all.yaml": plain.encode()}, digest="boards")
    assert sales(catalogue)[LISTED].sizes == (1, 8)
    assert sales(catalogue)[LISTED].sizes_assumed
    assert sales(catalogue)[CARDS].sizes == (1,)
    assert not sales(catalogue)[CARDS].sizes_assumed
    assert sales(catalogue)[ONE].sizes == (1,)  # its provider is no neocloud and lists machines of eight
    assert sales(catalogue)[SECOND].sizes == (1,)
    eight = plain.replace("facts:\n", offer("joined/L40S/2x/South/on_demand", "europe") + "facts:\n")
    assert sales(build({"all.yaml": eight.encode()}, digest="machines"))[LISTED].sizes == (1,)


def test_an_offers_own_words_win_over_the_providers(sellers: Catalogue) -> None:
    own = TEXT.replace(f"{LISTED}: {{", f"{LISTED}: {{sizes: [2, 4], sold_as: machine, most_at_once: {count(24)}, ")
    sold = sales(build({"all.yaml": own.encode()}, digest="own"))[LISTED]
    assert (sold.kind, sold.sizes, sold.most, sold.fabric) == ("machine", (2, 4), Capacity(24, assumed=False), None)
    there = TEXT.replace(f"{LISTED}: {{", f"{LISTED}: {{countries: [DE], ")
    assert sales(build({"all.yaml": there.encode()}, digest="there"))[LISTED].country == "DE"
    assert sales(sellers)[LISTED].fabric_gb_s == 50
    assert (sales(sellers)[LISTED].orders, sales(sellers)[LISTED].provider_country) == ("verified", "FI")


@each_row(("key", "order", "refusal"), [
    (BIG, Order(64), None),
    (BIG, Order(65), None),  # that it has 64 at once is our assumption
    (BIG, Order(accelerators=2), None),  # a machine of 8, rented whole
    (BIG, Order(8, together=8), None),
    (BIG, Order(16, together=16), "no fabric"),
    (PLAIN, Order(16, together=16), "no fabric"),
    (ONE, Order(16), None),
    (ONE, Order(2, together=2), "no fabric"),
    (LISTED, Order(64, together=64), None),
    (LISTED, Order(together=64), None),
    (CARDS, Order(64, together=64), "no fabric"),
    (BID, Order(5), "too few at once"),
    (RACK, Order(72, together=72), None),
    (RACK, Order(144, together=144), "no fabric"),
    (TRAY, Order(72, together=72), None),
    (CLUSTER, Order(8, together=8), "smaller than its least order"),
    (CLUSTER, Order(9, together=9), None),  # two machines of 8
    (CLUSTER, Order(64, together=64), "too few at once"),
    (CLUSTER, Order(16, stay=ResidencyRequirement(countries=frozenset({"DE"}))), "elsewhere"),
    (MINE, Order(512, together=512, stay=ResidencyRequirement(countries=frozenset({"DE"}))), None),
])  # fmt: skip
def test_who_cannot_deliver_says_why(sellers: Catalogue, key: str, order: Order, refusal: Refusal | None) -> None:
    assert refusal_reason(sellers, key, order) == refusal


@pytest.mark.parametrize(("together", "size"), [(1, 1), (2, 8), (8, 8), (64, 8)])
def test_the_machine_is_the_smallest_that_holds_a_job_else_the_largest(
    sellers: Catalogue, together: int, size: int
) -> None:
    assert machine(sales(sellers)[LISTED], together) == size


EUROPE, AMERICA = (
    ResidencyRequirement(areas=frozenset({"europe"})),
    ResidencyRequirement(areas=frozenset({"north_america"})),
)


@each_row(("key", "stay", "refusal"), [
    (BIG, "EU", None),
    (BIG, "DE", None),
    (BIG, "FI", "elsewhere"),
    (BIG, "US", "elsewhere"),
    (ONE, "EU", "elsewhere"),
    (BLOC, "EU", None),
    (BLOC, "DE", "not stated where"),
    (BLOC, "IS", "elsewhere"),
    (LISTED, "EU", None),  # one may choose Finland
    (LISTED, "IS", None),
    (LISTED, "DE", "elsewhere"),
    (BID, "DE", "not stated where"),
    (PLAIN, "US", "not stated where"),  # its provider says no country
    (PLAIN, "EU", "elsewhere"),
    (BIG, EUROPE, None),
    (BIG, AMERICA, "elsewhere"),
    (BLOC, EUROPE, None),
    (PLAIN, AMERICA, None),
    (PLAIN, EUROPE, "elsewhere"),
    (BID, EUROPE, "not stated where"),
    (BIG, ResidencyRequirement(frozenset({"DE", "US"}), frozenset({"north_america"})), "elsewhere"),
    (BIG, ResidencyRequirement(provider_countries=frozenset({"FI", "DE"})), "elsewhere"),
    (LISTED, ResidencyRequirement(provider_countries=frozenset({"FI", "DE"})), None),
    (BID, ResidencyRequirement(provider_countries=frozenset({"US"})), "not stated where"),
])  # fmt: skip
def test_where_it_must_stay_and_who_may_hold_it(
    sellers: Catalogue, key: str, stay: ResidencyRequirement | str, refusal: Refusal | None
) -> None:
    if isinstance(stay, str):
        stay = eu(sellers) if stay == "EU" else country(sellers, stay)
    assert refusal_reason(sellers, key, Order(stay=stay)) == refusal


def test_a_country_is_told_only_where_there_is_one(sellers: Catalogue) -> None:
    assert [sales(sellers)[key].country for key in (BIG, LISTED, BLOC, BID)] == ["DE", None, None, None]


def test_the_union_is_its_members_and_may_hold_the_seller_too(sellers: Catalogue) -> None:
    members = frozenset({"DE", "FI"})
    assert eu(sellers) == ResidencyRequirement(countries=members)
    assert eu(sellers, sellers_too=True) == ResidencyRequirement(countries=members, provider_countries=members)
    assert country(sellers, "IS", sellers_too=True).provider_countries == {"IS"}
    with pytest.raises(UnknownNameError, match="two letters"):
        country(sellers, "Germany")


@each_row(("old", "new", "wish"), [
    ("headquarters: FI", "headquarters: FR", "headquarters: nothing is called 'FR'"),
    ("headquarters: FI", "headquarters: Finland", "headquarters"),
    ("eu-1: [DE]", "eu-1: [FR]", "regions: nothing is called 'FR'"),
    ("{accelerators: [H100], fabric", "{accelerators: [H300], fabric", "fabrics: nothing is called 'H300'"),
    ("    orders: verified\n", "    orders: everybody\n", "orders"),
    ("    sale_sources: [lists]\n    sale_read: 2026-11-01\n", "", "regions: want sale_sources and sale_read"),
    ("fabric: roce, ", "fabric: roce, countries: [FR], ", "countries: nothing is called 'FR'"),
    ("fabric: infiniband, source: lists", "fabric: infiniband, source: hearsay", "hearsay"),
])  # fmt: skip
def test_a_record_that_cannot_be_is_refused(old: str, new: str, wish: str) -> None:
    assert old in TEXT
    with pytest.raises(CatalogError, match=wish):
        build({"all.yaml": TEXT.replace(old, new, 1).encode()}, digest="wrong")


def test_a_copy_with_other_offers_is_not_taken_for_the_first(sellers: Catalogue) -> None:
    assert refusal_reason(sellers, BIG, Order(64)) is None
    few = sellers.offers[BIG].model_copy(update={"most_at_once": sellers.offers[CLUSTER].least_at_once})
    copy = sellers.model_copy(update={"offers": sellers.offers | {BIG: few}})
    assert refusal_reason(copy, BIG, Order(64)) == "too few at once"
    assert refusal_reason(sellers, BIG, Order(64)) is None


def test_what_is_known_of_an_offer_is_put_together_once() -> None:
    frozen = load(FROZEN, cache=cache_dir())
    order = Order(8, together=8, stay=eu(frozen))

    def calls() -> float:
        """Calls of functions for each offer."""
        made = 0

        def count(_frame: FrameType, event: str, _argument: object) -> None:
            nonlocal made
            made += event == "call"

        sys.setprofile(count)
        try:
            for key in frozen.offers:
                refusal_reason(frozen, key, order)
        finally:
            sys.setprofile(None)
        return made / len(frozen.offers)

    first = calls()

    assert calls() < min(first, 10)
