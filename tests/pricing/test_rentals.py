"""What accelerators rent for, as it stands in the data: plausible, dated, sourced, and marked where it is doubtful."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from itertools import pairwise

import pytest

from pricing import Figure, names
from pricing.catalogue import Catalogue
from pricing.records import ListingDoubt, Offer
from tests.rows import each_row

MONTHS = {
    "reserved_1m": 1, "reserved_3m": 3, "reserved_6m": 6, "reserved_1y": 12, "reserved_2y": 24, "reserved_3y": 36,
}  # fmt: skip
TERMS = (
    "billing_increment_s", "minimum_accelerators", "egress_usd_per_gb", "free_egress_gb_per_month",
    "block_storage_usd_per_gb_month", "object_storage_usd_per_gb_month", "startup_credits_usd",
    "interconnect", "spot_semantics", "compliance", "note",
)  # fmt: skip
SAME = 1.0005  # the sources round

Machine = tuple[str, str, int, str]


def priced(catalogue: Catalogue) -> Iterator[tuple[str, Offer, Figure]]:
    for key, offer in catalogue.offers.items():
        if offer.usd_per_accelerator_hour is not None:
            yield key, offer, offer.usd_per_accelerator_hour


def rents(catalogue: Catalogue) -> Iterator[tuple[str, Figure]]:
    """Every rent through time, of an offer or of a series."""
    yield from ((key, figure) for key, _, figure in priced(catalogue))
    yield from ((key, series.usd_per_accelerator_hour) for key, series in catalogue.series.items())


def price(offer: Offer) -> float:
    return offer.usd_per_accelerator_hour.newest.typical


def machine(offer: Offer) -> Machine:
    return (offer.provider, offer.accelerator, offer.accelerators_per_instance, offer.region)


def on_the_same_machine(catalogue: Catalogue) -> dict[Machine, list[tuple[str, Offer]]]:
    together: dict[Machine, list[tuple[str, Offer]]] = defaultdict(list)
    for key, offer, _ in priced(catalogue):
        together[machine(offer)].append((key, offer))
    return together


def rivals(offer: Offer, peers: list[tuple[str, Offer]], purchases: set[str]) -> list[Offer]:
    """The other ways to pay for this machine: under the same name if there is one, else under any."""
    found = [peer for _, peer in peers if peer.purchase in purchases]
    return [peer for peer in found if peer.sku == offer.sku] or found


def test_there_is_enough_to_choose_from(catalogue: Catalogue) -> None:
    offers = [offer for _, offer, _ in priced(catalogue)]
    assert len(offers) >= 1_200
    assert len({offer.provider for offer in offers}) >= 60
    assert sum(any(getattr(p, term) is not None for term in TERMS) for p in catalogue.providers.values()) >= 45
    points = sum(len(series.usd_per_accelerator_hour.values) for series in catalogue.series.values())
    assert points + sum(len(figure.values) - 1 for _, _, figure in priced(catalogue)) >= 500


def test_an_id_says_who_what_where_and_how(catalogue: Catalogue) -> None:
    for key, offer in catalogue.offers.items():
        where = re.sub(r"[^a-z0-9.]+", "-", offer.region.lower()).strip("-.")
        base = f"{offer.provider}/{offer.accelerator}/{offer.accelerators_per_instance}x/{where}/{offer.purchase}"
        assert key == base or (key.startswith(base + "/") and offer.sku)


def test_no_two_offers_are_the_same_thing(catalogue: Catalogue) -> None:
    seen = [(*machine(offer), offer.sku, offer.purchase) for offer in catalogue.offers.values()]
    assert len(seen) == len(set(seen))


@each_row(("spelling", "provider"), [
    ("DataCrunch", "verda"), ("Verda (DataCrunch)", "verda"), ("GCP", "gcp"), ("Amazon Web Services", "aws"),
    ("SageMaker", "aws-sagemaker"), ("CoreWeave", "coreweave"), ("CoreWeave Classic", "coreweave-classic"),
    ("Lambda Labs", "lambda"), ("NexGen Cloud", "hyperstack"), ("Oracle", "oci"), ("vast.ai", "vast"),
])  # fmt: skip
def test_a_provider_is_found_by_every_name_it_goes_by(catalogue: Catalogue, spelling: str, provider: str) -> None:
    assert names.provider(catalogue, spelling) == provider


ASKED_FOR = (
    "Nscale", "Firmus", "IREN", "Lium", "Hyperbolic", "Mithril", "Hydra Host", "Denvr", "Lightning AI", "Seeweb",
    "Akamai", "Linode", "E2E", "Yotta", "Yotta Labs", "Exoscale", "Leaseweb", "Hetzner", "IBM", "Alibaba Cloud",
    "Tencent Cloud", "Sakura", "io.net", "AMD Developer Cloud", "Brev",
)  # fmt: skip


@each_row("name", ASKED_FOR)
def test_a_seller_that_buyers_ask_for_is_known_and_says_what_it_asks_or_that_nobody_read_it(
    catalogue: Catalogue, name: str
) -> None:
    provider = names.provider(catalogue, name)
    has_price = any(offer.provider == provider for _, offer, _ in priced(catalogue))
    assert has_price or catalogue.providers[provider].note


def test_yotta_of_india_is_not_yotta_labs(catalogue: Catalogue) -> None:
    assert names.provider(catalogue, "Yotta") != names.provider(catalogue, "Yotta Labs")
    assert {o.region for o in catalogue.offers.values() if o.provider == "yotta"} == {"India (Navi Mumbai)"}


def test_nothing_is_free_and_nothing_costs_less_than_nothing(catalogue: Catalogue) -> None:
    for key, figure in rents(catalogue):
        for value in figure.values.values():
            assert (value.typical if value.low is None else value.low) > 0, key
            assert value.typical < 50, f"{key}: is this the price of the machine?"


def test_the_machine_costs_what_its_accelerators_cost(catalogue: Catalogue) -> None:
    quoted = [(key, o) for key, o, _ in priced(catalogue) if o.usd_per_instance_hour is not None]
    assert len(quoted) > 400
    for key, offer in quoted:
        whole = price(offer) * offer.accelerators_per_instance
        assert offer.usd_per_instance_hour == pytest.approx(whole, rel=0.001), key


@each_row(("offer", "per_machine", "per_accelerator"), [
    ("coreweave/GB200-NVL72-186GB/4x/north-america/on_demand", 42.0, 10.5),
    ("azure/GB200-NVL72-186GB/4x/eastus/on_demand", 108.16, 27.04),
    ("aws/H100-SXM5-80GB/8x/us-east-1/on_demand", 55.04, 6.88),
    ("gcp/H100-SXM5-80GB/8x/us-central1/on_demand", 88.49, 11.06125),
    ("massedcompute/H100-SXM5-80GB/8x/not-stated/on_demand", None, 3.14),
    ("replicate/H100-80GB/1x/global/on_demand", None, 5.49),
    ("oci/H100-SXM5-80GB/8x/all-commercial-regions/on_demand/bm.gpu.h100.8-b98415", None, 10.0),
])  # fmt: skip
def test_by_the_accelerator_and_by_the_machine_are_not_mixed_up(
    catalogue: Catalogue, offer: str, per_machine: float | None, per_accelerator: float
) -> None:
    assert catalogue.offers[offer].usd_per_instance_hour == per_machine
    assert price(catalogue.offers[offer]) == pytest.approx(per_accelerator)


def test_spot_is_not_dearer_than_on_demand_unless_it_says_that_it_is_odd(catalogue: Catalogue) -> None:
    compared = 0
    for peers in on_the_same_machine(catalogue).values():
        for key, offer in peers:
            listed = rivals(offer, peers, {"on_demand"}) if offer.purchase == "spot" else []
            compared += bool(listed)
            dearer = any(price(offer) > price(peer) * SAME for peer in listed)
            assert not dearer or "odd" in offer.doubts, key
    assert compared > 100


def test_a_longer_promise_is_never_dearer(catalogue: Catalogue) -> None:
    compared = 0
    for peers in on_the_same_machine(catalogue).values():
        for key, offer in peers:
            months = MONTHS.get(offer.purchase, 0)
            shorter = {"on_demand", *(purchase for purchase, n in MONTHS.items() if n < months)} if months else set()
            for peer in rivals(offer, [p for p in peers if p[1].sku == offer.sku] or peers, shorter):
                compared += 1
                assert price(offer) <= price(peer) * SAME or "odd" in offer.doubts, key
    assert compared > 250


def test_a_price_that_trebles_says_why(catalogue: Catalogue) -> None:
    for key, figure in rents(catalogue):
        for before, after in pairwise(sorted(figure.values)):
            old, new = figure.values[before], figure.values[after]
            ordinary = 1 / 3 <= new.typical / old.typical <= 3
            assert ordinary or new.note, f"{key}: {old.typical} on {before}, {new.typical} on {after}"


def test_every_value_has_a_source_that_could_know_it(catalogue: Catalogue) -> None:
    terms = [
        (key, figure)
        for key, provider in catalogue.providers.items()
        for _, figure in provider
        if isinstance(figure, Figure)
    ]
    for key, figure in [*rents(catalogue), *terms]:
        for day, value in figure.values.items():
            assert day <= figure.checked <= date.today(), key
            assert day <= catalogue.sources[value.source].retrieved, f"{key}: {value.source} was read before {day}"


def test_price_apis_and_provider_pages_carry_most_of_the_weight(catalogue: Catalogue) -> None:
    vias = [catalogue.sources[figure.newest.source].via for _, _, figure in priced(catalogue)]
    assert vias.count("price_api") > 0.5 * len(vias)
    assert vias.count("third_party") < 0.1 * len(vias)


def test_what_asks_for_a_credit_line_gets_one(catalogue: Catalogue) -> None:
    credited = [s for s in catalogue.sources.values() if s.licence == "CC-BY-4.0" and "gpurentalprices" in s.title]
    assert len(credited) > 20
    assert all(source.attribution and "gpurentalprices.com" in source.attribution for source in credited)


REJECTED = (
    "ai-infra-index", "kuanhuang", "teeesss", "zeins76", "promptcost", "skypilot-catalog", "ec2.shop",
    "historical_estimate",
)  # fmt: skip


def test_sources_that_were_found_wanting_are_not_cited(catalogue: Catalogue) -> None:
    for key, source in catalogue.sources.items():
        text = f"{source.title} {source.url}".lower()
        assert not [word for word in REJECTED if word in text], key


def test_one_snapshot_is_not_believed_about_two_clouds(catalogue: Catalogue) -> None:
    """It has a price AWS gave up in June 2025, and for Google Cloud only the GPU's part of the machine."""
    for key, offer, figure in priced(catalogue):
        if offer.provider in ("aws", "aws-sagemaker", "gcp"):
            assert not [value.source for value in figure.values.values() if value.source.startswith("rent_grp")], key


@pytest.mark.parametrize(("provider", "field", "allowed"), [
    # "36 months" meant 3 and "spot" meant Community Cloud
    ("runpod", "purchase", {"on_demand", "reserved_3m", "reserved_6m"}),
    # its B300 and RTX PRO 6000 were misread
    ("latitude", "accelerator", {"H100-80GB"}),
])  # fmt: skip
def test_rows_that_were_found_wanting_stay_out(
    catalogue: Catalogue, provider: str, field: str, allowed: set[str]
) -> None:
    found = {getattr(offer, field) for offer in catalogue.offers.values() if offer.provider == provider}
    assert found == allowed


def test_only_those_tpus_are_priced_whose_prices_agree_with_each_other(catalogue: Catalogue) -> None:
    tpus = {offer.accelerator for offer in catalogue.offers.values() if offer.accelerator.startswith("TPU")}
    assert tpus == {"TPU-v5e", "TPU-v5p", "TPU-v6e"}


def test_calendar_and_flex_start_are_not_taken_for_commitments(catalogue: Catalogue) -> None:
    blocks = [offer for offer in catalogue.offers.values() if (offer.sku or "").endswith(("calendar", "flex-start"))]
    assert len(blocks) > 15
    assert {offer.purchase for offer in blocks} == {"capacity_block"}


def test_getdeploying_is_not_read_after_its_parser_broke(catalogue: Catalogue) -> None:
    for key, figure in rents(catalogue):
        days = [day for day, value in figure.values.items() if value.source.startswith("rent_getdeploying")]
        assert max(days, default=date.min) < date(2026, 6, 1), key


def test_no_price_stands_in_two_places(catalogue: Catalogue) -> None:
    """A reading belongs to an offer or to a series, not to both."""
    read: dict[tuple[str, date, float], set[str]] = defaultdict(set)
    for _, offer, figure in priced(catalogue):
        for day, value in figure.values.items():
            read[value.source, day, value.typical].add(offer.provider)
    for key, series in catalogue.series.items():
        for day, value in series.usd_per_accelerator_hour.values.items():
            assert not read[value.source, day, value.typical] & set(key.split("/")), key


def test_a_region_lies_in_one_area(catalogue: Catalogue) -> None:
    areas: dict[str, set[str]] = defaultdict(set)
    for offer in catalogue.offers.values():
        areas[offer.region].add(offer.area)
    assert {region: area for region, area in areas.items() if len(area) > 1} == {}


@each_row(("region", "area"), [
    ("us-east-1", "north_america"), ("us-gov-west-1", "north_america"), ("CA", "north_america"),
    ("GB", "europe"), ("uksouth", "europe"), ("Finland/Iceland", "europe"), ("europe-west4", "europe"),
    ("ap-south-1", "asia"), ("India", "asia"), ("SA", "middle_east"), ("me-west1", "middle_east"),
    ("ap-southeast-4", "oceania"), ("australiaeast", "oceania"), ("all regions", "anywhere"),
    ("not stated", "not_stated"), ("cheapest region", "not_stated"),
])  # fmt: skip
def test_regions_lie_where_they_lie(catalogue: Catalogue, region: str, area: str) -> None:
    assert {offer.area for offer in catalogue.offers.values() if offer.region == region} == {area}


def newest_year(offer: Offer) -> int:
    return max(offer.usd_per_accelerator_hour.values).year if offer.usd_per_accelerator_hour else 2026


BILL_CPU_BESIDE = ("coreweave-classic", "daytona", "modal", "salad", "tensordock")

# What can be told from the offer itself: these doubts stand on exactly these offers.
EXACTLY: dict[ListingDoubt, Callable[[Catalogue, Offer], bool]] = {
    "accelerator_not_stated": lambda c, o: o.accelerator in c.ambiguous,
    "modified_hardware": lambda c, o: o.accelerator.endswith("-modded"),
    "restricted": lambda c, o: o.region.startswith("us-gov-"),
    "old": lambda c, o: newest_year(o) < 2026,
    "per_second_service": lambda c, o: c.providers[o.provider].kind == "serverless" or o.sku == "Flex worker",
    "minimum_bid": lambda c, o: (
        o.provider in ("akash", "spheron")
        or (o.provider == "vast" and o.purchase == "spot")
        or (o.provider == "mithril" and o.accelerators_per_instance == 1)
        or (o.provider == "hyperbolic" and o.accelerator == "H100-80GB")
    ),
    "may_be_shared": lambda c, o: o.provider == "thundercompute" and o.sku != "production",
    "rarely_available": lambda c, o: (
        o.provider in ("amd-developer-cloud", "impossiblecloud") or (o.provider == "novita" and o.purchase == "spot")
    ),
    "converted": lambda c, o: o.provider in ("e2e", "scaleway", "yotta"),
    "component_only": lambda c, o: o.provider in BILL_CPU_BESIDE or "GPU part" in (o.sku or ""),
}


@each_row("doubt", EXACTLY)
def test_doubtful_offers_say_so_and_no_others(catalogue: Catalogue, doubt: ListingDoubt) -> None:
    should = {key for key, offer in catalogue.offers.items() if EXACTLY[doubt](catalogue, offer)}
    assert should == {key for key, offer in catalogue.offers.items() if doubt in offer.doubts}
    assert should


@each_row(("provider", "sku", "purchases", "doubt"), [
    ("gcp", "A4 slice of 1 GPU", {"on_demand"}, "listed_not_sold"),
    ("gcp", "A3 Ultra H200 GPU part", {"on_demand"}, "listed_not_sold"),
    ("gcp", "a3-highgpu-1g", {"on_demand", "reserved_1y", "reserved_3y"}, "listed_not_sold"),
    ("hyperstack", None, {"reserved_1y"}, "term_not_stated"),
    ("genesis", "HGX H100", {"on_demand"}, "term_not_stated"),
    ("vultr", "Bare metal HGX H100", {"on_demand"}, "term_not_stated"),
    ("nebius", None, {"spot"}, "odd"),
    ("latitude", "g3-h100-small", {"reserved_1m", "reserved_1y"}, "listed_not_sold"),
    ("crusoe", None, {"spot"}, "listed_not_sold"),
    ("runpod", "Secure Cloud", {"reserved_3m", "reserved_6m"}, "odd"),
])  # fmt: skip
def test_doubts_that_somebody_had_to_know_about(
    catalogue: Catalogue, provider: str, sku: str | None, purchases: set[str], doubt: ListingDoubt
) -> None:
    meant = [
        o for o in catalogue.offers.values() if o.provider == provider and o.sku == sku and o.purchase in purchases
    ]
    assert meant
    assert {o.accelerator for o in meant if doubt not in o.doubts} <= {"L40S-48GB"}  # Nebius' fixed spot price


def test_what_is_odd_says_in_what_way(catalogue: Catalogue) -> None:
    for key, offer in catalogue.offers.items():
        unexplained = {"odd", "term_not_stated", "listed_not_sold"} & set(offer.doubts) and not offer.note
        assert not unexplained or "GPU part" in (offer.sku or ""), key
