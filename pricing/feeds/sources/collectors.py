"""Lists that others collect from several sellers. A seller whose own feed was read is left to it."""

import csv
import re
from collections.abc import Iterator
from datetime import date

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import accelerator, add_form_factor
from pricing.feeds.parsing import (
    CENTS,
    MB,
    Observations,
    ReplyRows,
    Row,
    by_rows,
    day,
    first_reply,
    lowest,
    number,
    offers,
    positive,
    text,
    whole,
)
from pricing.feeds.sources import PriceList, list_feed, numbered

# gpurentalprices.com: some thirty sellers' pages, each day. Its rows of AWS and Google Cloud are wrong (an old
# price, and an accelerator without its machine).

KINDS: dict[str, tuple[Purchase, str, tuple[str, ...]]] = {
    "on-demand": ("on_demand", "", ()),
    "secure": ("on_demand", "Secure Cloud", ()),
    "community": ("on_demand", "Community Cloud", ()),
    "spot": ("spot", "", ()),
    "serverless": ("on_demand", "serverless", ("per_second_service",)),
}
WRONG = frozenset({"aws", "gcp"})


def _gpurentalprices(row: Row, collected: date | None) -> Iterator[AnyObservation]:
    seller, name, memory = text(row["provider"]), text(row["gpu"]), positive(row.get("vram_gb"))
    if positive(row["usd_hr"]) is None or seller in WRONG:
        return
    if row["kind"] not in KINDS:
        yield UnreadableRow(f"{seller}, {name}", f"unknown kind of sale: {row['kind']!r}")
        return
    purchase, sku, doubts = KINDS[row["kind"]]
    yield from offers(
        seller, accelerator("gpurentalprices", name, memory), whole(row.get("min_gpus")) or 1,
        {purchase: row["usd_hr"]}, per="accelerator", sku=sku, memory_gb=memory, doubts=doubts,
        day=day(row.get("fetched_at")) or collected,
    )  # fmt: skip


GPU_RENTAL_PRICES = PriceList(
    "https://raw.githubusercontent.com/adriannutiu/gpu-rental-prices/main/data/latest.json", ("offers",),
    ("provider", "gpu", "usd_hr", "kind"), _gpurentalprices, dated="date", market=True,
)  # fmt: skip

# toolshedlabs' gpu-price-feed: eight sellers each day, offer by offer

PURCHASES: dict[str, Purchase] = {"on-demand": "on_demand", "spot": "spot"}
FORMS = frozenset({"SXM", "PCIe", "NVL"})


def _toolshedlabs(row: Row, collected: date | None) -> Iterator[AnyObservation]:
    count, memory = whole(row["gpu_count"]), positive(row.get("vram_gb"))
    if count is None or positive(row.get("price_total_hr")) is None or row.get("gpu_partition"):
        return  # a part of an accelerator
    purchase = PURCHASES.get(text(row["pricing_type"]))
    if purchase is None:
        yield UnreadableRow(f"{row['provider']}, {row['gpu_family']}", f"unknown kind of sale: {row['pricing_type']!r}")
        return
    name, form = text(row["gpu_family"]), text(row.get("gpu_form"))
    if form in FORMS and row.get("gpu_form_source") == "provider":  # else it is a guess
        name = f"{name} {form}{f' {memory:g}GB' if memory else ''}"
    yield from offers(
        text(row["provider"]), accelerator("toolshedlabs", name, memory), count, {purchase: row["price_total_hr"]},
        currency=text(row.get("currency")) or "USD", region=text(row.get("region")), memory_gb=memory,
        free=None if row.get("available") is None else int(bool(row["available"])), day=collected,
    )  # fmt: skip


TOOLSHEDLABS = PriceList(
    "https://raw.githubusercontent.com/toolshedlabs-hash/gpu-price-feed/main/data/prices.json", ("offers",),
    ("provider", "gpu_family", "gpu_count", "pricing_type"), _toolshedlabs, dated="collected_at", market=True,
)  # fmt: skip

# Shadeform, with or without a key: machines of many sellers in one list, and where each is free, in cents


def _shadeform(row: Row) -> Iterator[Observation]:
    parts, cents = row["configuration"], positive(row["hourly_price"])
    memory, form = positive(parts.get("vram_per_gpu_in_gb")), text(parts.get("interconnect"))
    name = f"{text(parts.get('gpu_type')).replace('_', ' ')} {form}".strip()
    for place in row.get("availability") or ():
        yield from offers(
            text(row["cloud"]), accelerator("shadeform", name, memory), whole(parts.get("num_gpus")),
            {"on_demand": cents and cents / CENTS}, region=text(place.get("region")),
            sku=text(row.get("shade_instance_type")), vcpus=positive(parts.get("vcpus")),
            ram_gb=positive(parts.get("memory_in_gb")), memory_gb=memory, free=int(bool(place.get("available"))),
        )  # fmt: skip


SHADEFORM = PriceList(
    "https://api.shadeform.ai/v1/instances/types", ("instance_types",), ("cloud", "hourly_price", "configuration"),
    _shadeform, key_header=("X-API-KEY", "{key}"),
)  # fmt: skip

# Prime Intellect, with a key: machines of many sellers, page by page

PRIME_PAGE = 100
CLOUDS = {("runpod", "secure_cloud"): "Secure Cloud", ("runpod", "community_cloud"): "Community Cloud"}


def _prime(row: Row) -> Iterator[Observation]:
    memory, form = positive(row.get("gpuMemory")), text(row.get("socket"))
    name = " ".join(filter(None, (text(row["gpuType"]).partition("_")[0], form)))
    prices, seller = row["prices"], text(row["provider"])
    purchase: Purchase = "spot" if row.get("isSpot") else "on_demand"
    yield from offers(
        seller, accelerator("prime-intellect", name, memory), whole(row["gpuCount"]),
        {purchase: prices.get("onDemand")}, currency=text(prices.get("currency")) or "USD", memory_gb=memory,
        sku=CLOUDS.get((seller, text(row.get("security"))), ""),
    )  # fmt: skip


# SkyPilot: of sellers whose own list wants a key. Its files carry no day; only those are read that it writes each day.


SKYPILOT = (
    "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8/{cloud}/vms.csv",
    "https://skypilot-catalog.s3.us-east-1.amazonaws.com/catalogs/v8/{cloud}/vms.csv",
)
SKYPILOT_CLOUDS = ("lambda", "shadeform")
RESOLD = "shadeform"  # its machines are other sellers': massedcompute_A6000
ONE_PRICE = "lambda"  # in all its regions, though there is a row for each
SIZE = re.compile(r"'SizeInMiB': ([\d.]+)")
SKYPILOT_NEEDED = ("InstanceType", "GpuInfo", "AcceleratorName", "AcceleratorCount", "Price", "SpotPrice", "Region")


@by_rows("SkyPilot")
def _read_skypilot(ask: Fetcher, rows: ReplyRows) -> Observations:
    for cloud in SKYPILOT_CLOUDS:
        reply = first_reply(ask, (place.format(cloud=cloud) for place in SKYPILOT))
        table = csv.DictReader(reply.text().splitlines())
        rows.columns(table.fieldnames or (), SKYPILOT_NEEDED)
        yield from lowest((reply, offer) for line in table for offer in _skypilot(cloud, line))


def _skypilot(cloud: str, line: dict[str, str]) -> Iterator[Observation]:
    if not line["AcceleratorName"]:
        return
    name = text(line["InstanceType"])
    seller, _, machine = name.partition("_") if cloud == RESOLD else (cloud, "", name)
    size = SIZE.search(line["GpuInfo"] or "")
    memory = number(size[1]) if size else None
    memory = memory / MB if memory and memory >= MB else memory  # some say it in GB
    board = accelerator("skypilot", add_form_factor(text(line["AcceleratorName"]), machine), memory)
    yield from offers(
        seller, board, whole(line["AcceleratorCount"]), {"on_demand": line["Price"], "spot": line["SpotPrice"]},
        region="" if cloud == ONE_PRICE else text(line["Region"]), sku=machine, memory_gb=memory,
    )  # fmt: skip


PRIME = PriceList(
    "https://api.primeintellect.ai/api/v1/availability/gpus", ("items",),
    ("gpuType", "provider", "gpuCount", "prices"), _prime, market=True, key_header=("Authorization", "Bearer {key}"),
    params={"page": "1", "page_size": str(PRIME_PAGE)},
    following=numbered(lambda page, number: number * PRIME_PAGE < (whole(page.get("totalCount")) or 0)),
)  # fmt: skip
FEEDS = (
    Feed(
        "skypilot", "SkyPilot's catalogue", "https://github.com/skypilot-org/skypilot-catalog",
        ("raw.githubusercontent.com", "skypilot-catalog.s3.us-east-1.amazonaws.com"), "none seen; facts cited",
        _read_skypilot, via="third_party",
    ),
    list_feed(
        "prime-intellect", "Prime Intellect", "https://app.primeintellect.ai/dashboard/create-cluster", PRIME,
        licence="facts cited", via="third_party", key_name="PRIME_API_KEY",
    ),
    list_feed(
        "gpurentalprices", "gpurentalprices.com", "https://gpurentalprices.com", GPU_RENTAL_PRICES, licence="CC-BY-4.0",
        via="third_party",
    ),
    list_feed(
        "toolshedlabs", "toolshedlabs", "https://github.com/toolshedlabs-hash/gpu-price-feed", TOOLSHEDLABS,
        licence="not stated; facts cited", via="third_party",
    ),
    list_feed(
        "shadeform", "Shadeform", "https://www.shadeform.ai", SHADEFORM, licence="facts cited", via="third_party",
        key_name="SHADEFORM_API_KEY", key_optional=True,
    ),
)  # fmt: skip
