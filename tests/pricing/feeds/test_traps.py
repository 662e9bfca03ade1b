"""What real replies have shown to mislead a reader, each in a reply with figures of our own."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from pricing.feeds.feed import AnyObservation, FeedError, HostedPriceObservation, Observation, UnreadableRow
from pricing.feeds.parsing import read_parts
from pricing.feeds.sources import feeds
from tests.pricing.feeds.replay import prices, raw, read


def observed(name: str, **changed: Any) -> list[Observation]:
    """What a source says where files of it, named without `.json`, hold something else."""
    files = {f"{file.replace('_', '-')}.json": json.dumps(page).encode() for file, page in changed.items()}
    return [one for one in read(feeds()[name], files) if isinstance(one, Observation)]


def page(name: str, file: str) -> Any:
    return json.loads(raw(name, file))


def sku(description: str, usage: str, usd: float, unit: str = "h") -> dict[str, Any]:
    """A part of Google's billing catalogue."""
    rate = {"unitPrice": {"units": str(int(usd)), "nanos": round(usd % 1 * 1e9)}}
    return {
        "description": description, "category": {"usageType": usage}, "serviceRegions": ["europe-west4"],
        "pricingInfo": [{"pricingExpression": {"usageUnit": unit, "tieredRates": [rate]}}],
    }  # fmt: skip


def test_google_names_newer_parts_without_their_maker_and_tags_some_spot_ones_on_demand() -> None:
    parts = [
        sku("H200 141GB GPU running in Netherlands", "OnDemand", 10.0),
        sku("A3Ultra Instance Core running in Netherlands", "OnDemand", 0.03),
        sku("A3Ultra Instance Ram running in Netherlands", "OnDemand", 0.002),
        sku("SSD backed Local Storage in Netherlands", "OnDemand", 0.073, "GiBy.mo"),
        sku("A4 Nvidia B200 (1 gpu slice) running in Netherlands", "OnDemand", 16.0),
        sku("Spot Preemptible A4 Nvidia B200 (1 gpu slice) running in Netherlands", "OnDemand", 5.0),
        sku("Nvidia Tesla T4 GPU attached to Spot Preemptible VMs running in Netherlands", "OnDemand", 0.2),
        sku("Reserved Nvidia H100 80GB Mega GPU in Netherlands in Calendar Mode", "OnDemand", 4.8),
        sku("Nvidia H100 80GB Mega GPU attached to DWS Defined Duration VMs running", "OnDemand", 4.4),
    ]
    told = {
        (one.accelerator, one.count, one.purchase): one.price
        for one in [
            *observed("gcp-billing", **{"1": {"skus": parts}, "2": {"skus": []}}),
        ]
    }
    assert told == pytest.approx(
        {
            ("H200-SXM-141GB", 8, "on_demand"): 8 * 10.0 + 224 * 0.03 + 2952 * 0.002 + 12_000 * 0.073 / 730,
            ("B200-SXM-180GB", 8, "on_demand"): 128.0,
            ("B200-SXM-180GB", 8, "spot"): 40.0,
            ("T4-16GB", 1, "spot"): 0.2,
        }
    )


def test_vultr_sells_some_machines_preemptible_only_and_asks_more_in_some_places() -> None:
    plan = {
        "id": "vbm-112c-2048gb-8-a100-gpu", "hourly_cost": 12.0, "hourly_cost_preemptible": 8.0,
        "deploy_ondemand": False, "deploy_preemptible": True, "locations": ["ewr"], "ram": 2_097_152,
    }  # fmt: skip
    dearer = {
        **plan, "id": "vbm-112c-2048gb-8-h100-gpu", "deploy_ondemand": True, "deploy_preemptible": False,
        "locations": ["sea", "gru"], "location_cost": {"gru": {"hourly_cost": 15.0}},
    }  # fmt: skip
    of = [one for one in observed("vultr", metal={"plans_metal": [plan, dearer]}) if one.sku.startswith("vbm-112c")]
    assert {(one.accelerator, one.purchase, one.region, one.price) for one in of} == {
        ("A100-SXM4-80GB", "spot", "", 8.0), ("H100-SXM5-80GB", "on_demand", "", 12.0),
        ("H100-SXM5-80GB", "on_demand", "gru", 15.0),
    }  # fmt: skip


def test_thunders_smallest_machine_may_have_more_processors_than_its_price_holds() -> None:
    specs = {"a100xl_x1_prototyping": {"vramGB": 80, "vcpuOptions": [8, 12], "ramPerVCPUGiB": 8}}
    usd = {"a100xl_x1_prototyping": 1.0, "a100xl_x1_production": 1.7, "additional_vcpus": 0.04}
    told = {
        one.sku: (one.price, one.vcpus) for one in observed("thunder", pricing={"pricing": usd}, specs={"specs": specs})
    }
    assert told == {"prototyping": (pytest.approx(1.16), 8.0), "production": (1.7, None)}


def test_hot_aisle_says_how_many_are_free_and_for_how_long_at_least() -> None:
    machine = page("hot-aisle", "vms.json")[0]
    vms = [{**machine, "Quantity": 3, "MinimumReservationMinutes": 1}]
    bare = [{**machine, "Quantity": 1, "MinimumReservationMinutes": 480, "OnDemandPrice": 250}]
    assert {(one.sku, one.price, one.free) for one in observed("hot-aisle", vms=vms, bare=bare)} == {
        ("VM", 1.99, 3), ("bare metal, 8 hours at least", 2.5, 1),
    }  # fmt: skip


def test_scaleways_machines_at_the_end_of_their_service_are_no_offer() -> None:
    servers = page("scaleway", "par-2.json")["servers"]
    name = next(name for name, server in servers.items() if server.get("gpu"))
    servers[name]["end_of_service"] = True
    assert name not in {one.sku for one in observed("scaleway", par_2={"servers": servers})}
    assert name in {key[4] for key in prices("scaleway")}


def test_openrouters_prices_by_hour_and_by_length() -> None:
    told = {
        (one.model, one.tier): one.input_usd_per_mtoken
        for one in read(feeds()["openrouter"])
        if isinstance(one, HostedPriceObservation)
    }
    assert told == {
        ("deepseek/deepseek-v4-pro", ""): 0.6, ("deepseek/deepseek-v4-pro", "peak hours"): 1.2,
        ("tencent/hy3", ""): 0.2, ("tencent/hy3", "off-peak hours"): 0.1,
        ("anthropic/claude-haiku-5.5", ""): 0.2, ("anthropic/claude-haiku-5.5", "over 100k"): 1.0,
    }  # fmt: skip


def test_runpods_placeholder_without_stock_is_no_price() -> None:
    types = page("runpod", "types.json")
    first = types["data"]["gpuTypes"][0]
    first |= {"securePrice": 0.5, "secure": {"stockStatus": None}, "communityCloud": False}
    of = [one for one in observed("runpod", types=types) if one.accelerator == "H100 SXM"]
    assert {one.sku for one in of} == {"Instant Cluster"}, "the price of clusters is asked for by itself"


def test_the_parts_of_a_source_are_read_a_few_at_once_and_its_groups_one_after_the_other() -> None:
    together, ended = threading.Barrier(4), list[str]()

    def part(name: str) -> Iterator[tuple[Any, AnyObservation]]:
        if name == "broken":
            raise FeedError("It is out of order.")
        together.wait(10)
        ended.append(name[0])
        yield "", UnreadableRow(name, "no price")

    small, terms = (f"a{n}" for n in range(4)), (f"b{n}" for n in range(4))
    read = [row.what for _, row in read_parts(part, small, ("broken",), terms)]  # type: ignore[union-attr]
    assert read == ["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3", "broken"]
    assert "".join(ended) == "aaaabbbb"
    with pytest.raises(FeedError, match="out of order"):
        list(read_parts(part, ("broken",)))
