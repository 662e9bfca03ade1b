"""What the sellers of the catalogue sell, as it stands in the data: clusters, sizes, places, and how much at once."""

from typing import get_args

import pytest

from pricing.catalogue import Catalogue, cache_dir
from pricing.choices import SoldAs
from pricing.figure import Figure
from pricing.load import load
from pricing.orderable import MOST_OF, Order, bloc_members, country, eu, refusal_reason, sales
from tests.frozen import FROZEN
from tests.rows import each_row

H100 = "H100-SXM5-80GB"


@pytest.fixture(scope="module")
def frozen() -> Catalogue:
    return load(FROZEN, cache=cache_dir())


@each_row("seller", [
    "aws", "azure", "coreweave", "crusoe", "gcp", "impossiblecloud", "lambda", "modal", "nebius", "oci", "runpod",
    "together", "verda", "voltagepark",
])  # fmt: skip
def test_who_was_seen_to_sell_clusters_has_one_here(real: Catalogue, seller: str) -> None:
    sold = [sales(real)[key] for key, offer in real.offers.items() if offer.provider == seller]
    assert any(one.kind == "cluster" and one.reach.accelerators >= max(16, one.sizes[-1] + 1) for one in sold)


@each_row("seller", ["digitalocean", "hotaisle", "hyperstack", "thundercompute", "salad", "vast"])
def test_who_was_seen_to_have_no_network_takes_no_job_over_several_machines(real: Catalogue, seller: str) -> None:
    keys = [key for key, offer in real.offers.items() if offer.provider == seller]
    assert {refusal_reason(real, key, Order(16, together=16)) for key in keys} <= {"no fabric", "too few at once"}


@pytest.mark.parametrize(("chip", "prices"), [("B200-SXM-180GB", (9.86, 9.36, 8.87)), (H100, (6.16, 5.85, 5.54))])
def test_the_clusters_of_lambda_cost_less_the_larger_they_are(
    real: Catalogue, chip: str, prices: tuple[float, ...]
) -> None:
    steps = [f"lambda/{chip}/8x/all-regions/capacity_block/cluster-{least}x" for least in (16, 64, 256)]
    figures = [real.offers[key].usd_per_accelerator_hour for key in steps]
    assert [figure.newest.typical for figure in figures if figure is not None] == list(prices)
    for wanted, step in ((16, 0), (63, 0), (64, 1), (255, 1), (256, 2), (512, 2)):
        can = [key for key in steps if refusal_reason(real, key, Order(wanted, together=wanted)) is None]
        assert steps[step] in can
    assert refusal_reason(real, steps[1], Order(8, together=8)) == "smaller than its least order"


@pytest.mark.parametrize(("without", "joined"), [
    ("azure/H100-SXM5-80GB/8x/eastus/on_demand/standard-nd96is-h100-v5", "azure/H100-SXM5-80GB/8x/eastus/on_demand"),
    (
        "gcp/H100-SXM5-80GB/8x/us-east4/on_demand/a3-highgpu-8g",
        "gcp/H100-SXM5-80GB/8x/us-east4/on_demand/a3-megagpu-8g",
    ),
    (
        "lambda/H100-SXM5-80GB/8x/all-regions/on_demand",
        "lambda/H100-SXM5-80GB/8x/all-regions/capacity_block/cluster-16x",
    ),
])  # fmt: skip
def test_a_network_costs_extra_and_is_what_a_large_job_needs(real: Catalogue, without: str, joined: str) -> None:
    prices = [real.offers[key].usd_per_accelerator_hour for key in (without, joined)]
    bare, with_network = (figure.newest.typical for figure in prices if figure is not None)
    assert 1 < with_network / bare < 2
    order = Order(32, together=32)
    assert refusal_reason(real, without, order) == "no fabric"
    assert refusal_reason(real, joined, order) is None


def test_sixty_four_together_are_rented_only_where_a_network_joins_them(real: Catalogue) -> None:
    order = Order(64, together=64)
    keys = [key for key, offer in real.offers.items() if offer.accelerator == H100]
    able = {real.offers[key].provider for key in keys if refusal_reason(real, key, order) is None}
    assert able == {
        "aws", "azure", "coreweave", "crusoe", "gcp", "impossiblecloud", "lambda", "nebius", "oci", "runpod",
        "together", "voltagepark",
    }  # fmt: skip


def test_cards_have_no_network_of_their_own(real: Catalogue) -> None:
    for key, offer in real.offers.items():
        chip = real.accelerators.get(offer.accelerator)
        if chip is not None and chip.form_factor.startswith("PCIe"):
            assert sales(real)[key].fabric in (None, "ethernet"), key


def test_racks_are_sold_whole_or_by_the_tray(real: Catalogue) -> None:
    racks = [key for key, offer in real.offers.items() if "NVL72" in offer.accelerator]
    sizes = {sales(real)[key].sizes for key in racks if sales(real)[key].kind not in ("bid", "serverless")}
    assert {(4,), (72,)} <= sizes
    assert {sales(real)[key].reach.accelerators >= 72 for key in racks if sales(real)[key].fabric} == {True}


def test_one_accelerator_is_refused_only_where_an_order_starts_higher(real: Catalogue) -> None:
    refused = {real.offers[key].provider for key in real.offers if refusal_reason(real, key, Order(1)) is not None}
    assert refused >= {"lambda", "runpod", "together", "verda"}
    assert refusal_reason(real, "together/H200-SXM-141GB/1x/not-stated/on_demand", Order(128, together=128)) is not None
    assert refusal_reason(real, "together/H200-SXM-141GB/1x/not-stated/on_demand", Order(256, together=256)) is None


def test_sizes_rise_and_a_price_of_a_machine_has_none(real: Catalogue) -> None:
    sizes = [*(it.sizes for it in real.offers.values()), *(it.sizes for it in real.providers.values())]
    assert [row for row in sizes if list(row) != sorted(set(row))] == []
    assert not [key for key, offer in real.offers.items() if offer.sizes and offer.accelerators_per_instance > 1]


def test_how_much_at_once_is_known_of_every_kind(real: Catalogue) -> None:
    for kind in get_args(SoldAs):
        if kind != "bid":
            value = real.facts[MOST_OF + kind].figure.newest
            assert value.kind == "assumption"
            assert value.low is not None
            assert value.high is not None
    published = [key for key in real.offers if not sales(real)[key].most.assumed]
    assert len(published) > 25


def test_a_country_lies_where_the_offers_in_it_lie(real: Catalogue) -> None:
    told = 0
    for key, offer in real.offers.items():
        areas = {real.lands[code].area for place in sales(real)[key].places for code in place}
        told += bool(areas)
        assert not areas or offer.area in areas or offer.area == "anywhere", key
    assert told > 0.7 * len(real.offers)


def test_a_region_whose_country_is_told_is_a_region_of_an_offer(real: Catalogue) -> None:
    used = {(offer.provider, offer.region) for offer in real.offers.values()}
    told = {(key, region) for key, provider in real.providers.items() for region in provider.regions}
    assert told <= used


def test_the_union_has_its_members_and_the_map_of_electricity_agrees(real: Catalogue) -> None:
    members = bloc_members(real, "EU")
    assert len(members) == 27
    assert len(bloc_members(real, "EEA")) == 30
    assert {key for key, site in real.sites.items() if site.parent == "EU"} <= members
    countries = {key: site.label for key, site in real.sites.items() if site.kind == "country"}
    assert {key: real.lands[key].label for key in countries} == countries
    assert not {"GB", "CH", "NO", "IS"} & members


@each_row(("key", "place", "answer"), [
    ("gcp/H100-SXM5-80GB/8x/europe-west4/on_demand/a3-highgpu-8g", "EU", None),
    ("azure/H100-SXM5-80GB/8x/uksouth/on_demand", "EU", "elsewhere"),
    ("verda/H100-SXM5-80GB/1x/finland-iceland/on_demand", "EU", None),
    ("hyperstack/H100-SXM5-80GB/1x/canada-norway-us/on_demand", "EU", "elsewhere"),
    ("hyperstack/H100-SXM5-80GB/1x/canada-norway-us/on_demand", "NO", None),
    ("nebius/H100-SXM5-80GB/1x/all-regions/on_demand", "EU", None),
    ("nebius/B200-SXM-180GB/1x/all-regions/on_demand", "EU", "elsewhere"),
    ("scaleway/H100-SXM5-80GB/4x/eu/on_demand", "FR", None),
    ("impossiblecloud/H100-SXM5-80GB/8x/eu/reserved_1y", "EU", None),
    ("impossiblecloud/H100-SXM5-80GB/8x/eu/reserved_1y", "DE", "not stated where"),
    ("runpod/H100-SXM5-80GB/1x/global/on_demand/secure-cloud", "EU", "not stated where"),
    ("digitalocean/H100-SXM5-80GB/8x/not-stated/on_demand", "EU", "not stated where"),
    ("aws/H100-SXM5-80GB/8x/us-east-1/on_demand", "EU", "elsewhere"),
])  # fmt: skip
def test_who_can_promise_a_place(real: Catalogue, key: str, place: str, answer: str | None) -> None:
    stay = eu(real) if place == "EU" else country(real, place)
    assert refusal_reason(real, key, Order(8, stay=stay)) == answer


def test_the_frozen_sellers_sell_the_same(real: Catalogue, frozen: Catalogue) -> None:
    said = ("kind", "headquarters", "orders", "sizes", "fabrics", "most_at_once", "sale_sources", "sale_read")
    for key, provider in frozen.providers.items():
        for name in said:
            assert getattr(provider, name) == getattr(real.providers[key], name), key
        assert provider.regions.items() <= real.providers[key].regions.items(), key
    assert frozen.lands.items() <= real.lands.items()


# An offer that was listed under another card when the facts were frozen.
MOVED = {"runpod/RTX-PRO-6000-96GB/1x/global/on_demand/community-cloud-max-q-edition"}


def test_the_frozen_offers_are_of_the_same_things(real: Catalogue, frozen: Catalogue) -> None:
    for key in frozen.offers.keys() - MOVED:
        then, now = sales(frozen)[key], sales(real)[key]  # sizes follow from what else a seller lists today
        assert (then.fabric, then.places, then.provider_country) == (now.fabric, now.places, now.provider_country), key


def typical(figure: Figure | None) -> float:
    return figure.newest.typical


def test_most_accelerators_have_a_price_or_the_word_that_nobody_sells_them(catalogue: Catalogue) -> None:
    chips = catalogue.accelerators
    assert sum(chip.price_usd is not None for chip in chips.values()) >= 120
    assert sum(chip.price_usd is not None or chip.rent_only for chip in chips.values()) >= 135


def test_what_is_sold_whole_says_so(catalogue: Catalogue) -> None:
    whole = {key for key, chip in catalogue.accelerators.items() if chip.whole_machine}
    assert {"DGX-Spark-GB10-128GB", "Apple-M3-Ultra-60c", "Ryzen-AI-Max-395-128GB"} <= whole
    assert {key for key, chip in catalogue.accelerators.items() if chip.kind == "apple"} <= whole


# What cards cost in 2025 and 2026 over their price at launch, at least and at most: docs/decisions/0035.
ENDS_OF_LAUNCH = {"0.7 and 1.9 times": (0.7, 1.9), "0.9 and 1.7 times": (0.9, 1.7), "0.35 and 1.15 times": (0.35, 1.15)}


def test_a_launch_price_that_nobody_renewed_has_the_ends_of_its_like(catalogue: Catalogue) -> None:
    seen = 0
    for key, chip in catalogue.accelerators.items():
        newest = None if chip.price_usd is None else chip.price_usd.newest
        told = [ends for words, ends in ENDS_OF_LAUNCH.items() if newest and words in (newest.note or "")]
        for low, high in told:
            assert newest is not None
            seen += 1
            assert newest.low == pytest.approx(low * newest.typical, rel=0.01), key
            assert newest.high == pytest.approx(high * newest.typical, rel=0.01), key
    assert seen >= 25


@pytest.mark.parametrize(("cards", "low", "high"), [
    (("RTX-3070-8GB", "RTX-3090-24GB", "RTX-4060-Ti-16GB", "RTX-4080-SUPER-16GB", "RTX-4090-24GB",
      "RTX-5070-Ti-16GB", "RTX-5080-16GB", "RTX-5090-32GB"), 0.7, 1.9),
    (("RTX-2000E-Ada-16GB", "RTX-4000-Ada-20GB", "RTX-5000-Ada-32GB", "RTX-6000-Ada-48GB",
      "RTX-PRO-6000-96GB"), 0.9, 1.7),
    (("T4-16GB", "A100-PCIe-40GB"), 0.35, 1.15),
])  # fmt: skip
def test_the_ends_of_launch_prices_are_what_others_cost(
    catalogue: Catalogue, cards: tuple[str, ...], low: float, high: float
) -> None:
    for key in cards:
        figure = catalogue.accelerators[key].price_usd
        first = figure.values[min(figure.values)].typical
        assert low <= typical(figure) / first <= high, key


# List prices of 2019 beside used prices of 2026.
OUT_OF_STEP = {"DGX-1-V100-32GB"}


def test_a_server_costs_about_what_its_accelerators_cost(catalogue: Catalogue) -> None:
    compared = 0
    for key, server in catalogue.servers.items():
        chip = catalogue.accelerators[server.accelerator]
        if server.price_usd is None or chip.price_usd is None or key in OUT_OF_STEP:
            continue
        compared += 1
        assert 0.5 <= typical(server.price_usd) / server.accelerators / typical(chip.price_usd) <= 4, key
    assert compared >= 12


def test_no_server_costs_less_than_its_accelerators_unless_it_says_why(catalogue: Catalogue) -> None:
    below = set()
    for key, server in catalogue.servers.items():
        chip = catalogue.accelerators[server.accelerator]
        if server.price_usd is not None and chip.price_usd is not None:
            parts = server.accelerators * typical(chip.price_usd)
            if typical(server.price_usd) < 0.999 * parts:  # where one is a share of the other, the share is rounded
                below.add(key)
    assert below == {key for key, server in catalogue.servers.items() if server.cheaper_than_parts is not None}


def test_residual_curves_fall_and_keep_their_order(catalogue: Catalogue) -> None:
    assert {"spotwire-h100-pcie", "glri-h100-sxm5"} <= set(catalogue.residuals)
    for key, curve in catalogue.residuals.items():
        low, high = curve.low or curve.typical, curve.high or curve.typical
        assert all(a <= b <= c for a, b, c in zip(low, curve.typical, high, strict=True)), key
        for shares in (low, curve.typical, high):
            assert list(shares) == sorted(shares, reverse=True), key


def test_each_accelerator_is_bought_among_its_like(catalogue: Catalogue) -> None:
    kinds = {key: chip.hardware_class for key, chip in catalogue.accelerators.items()}
    wanted = {
        "H100-SXM5-80GB": "sxm", "GB200-NVL72-186GB": "sxm", "MI300X-192GB": "sxm", "H100-PCIe-80GB": "pcie",
        "L40S-48GB": "pcie", "RTX-A6000-48GB": "workstation", "RTX-PRO-6000-96GB": "workstation",
        "RTX-4090-24GB": "consumer", "Apple-M2-Ultra-76c": "desktop", "DGX-Spark-GB10-128GB": "desktop",
    }  # fmt: skip
    assert {key: kinds[key] for key in wanted} == wanted
    for key, chip in catalogue.accelerators.items():
        successor = catalogue.accelerators.get(chip.successor or "")
        if successor is not None and chip.launch_year is not None and successor.launch_year is not None:
            assert successor.launch_year >= chip.launch_year, key


def test_used_prices_say_the_share_they_imply(catalogue: Catalogue) -> None:
    assert len(catalogue.used_prices) >= 35
    for key, used in catalogue.used_prices.items():
        if used.price_usd and used.launch_price_usd and used.share_of_launch_price:
            assert used.price_usd / used.launch_price_usd == pytest.approx(used.share_of_launch_price, abs=0.001), key
