"""Sellers whose prices stand in one list: each is a record, and a function that reads one row."""

import re
from collections.abc import Iterator

from pricing.feeds.feed import AnyObservation, Feed, FeedError, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import (
    BYTES,
    CENTS,
    MB,
    Observations,
    ReplyRows,
    Row,
    by_rows,
    first_reply,
    leading,
    lowest,
    offers,
    parse_gigabytes,
    positive,
    quantity,
    read_parts,
    text,
    whole,
)
from pricing.feeds.sources import PriceList, list_feed, nested, numbered


def _in_dollars(cents: object) -> float | None:
    price = positive(cents)
    return None if price is None else price / CENTS


# CloudRift: machines by data centre, with how many of each are free, in cents


def _cloudrift(row: Row) -> Iterator[Observation]:
    memory = parse_gigabytes(row.get("vram"), BYTES)
    name = accelerator("cloudrift", text(row["outer"].get("brand_short")), memory)
    free = row.get("available_nodes_per_dc") or {}
    everywhere = {"": row.get("available_nodes")}
    for place, nodes in ({**dict.fromkeys(row.get("nodes_per_dc") or {}), **free} or everywhere).items():
        yield from offers(
            "cloudrift", name, whole(row["gpu_count"]), {"on_demand": _in_dollars(row["cost_per_hour"])},
            region=str(place), sku=text(row["name"]), vcpus=positive(row.get("cpu_count")),
            ram_gb=parse_gigabytes(row.get("dram"), BYTES), memory_gb=memory, free=quantity(nodes),
        )  # fmt: skip


CLOUDRIFT = PriceList(
    "https://api.cloudrift.ai/api/v1/instance-types/list", ("data", "instance_types"),
    ("name", "cost_per_hour", "gpu_count"), _cloudrift, inner="variants",
    body={"version": "2025-03-21", "data": {"selector": {"ByServiceAndLocation": {"services": ["vm"]}}}},
)  # fmt: skip

# Daytona: accelerators by the hour for its sandboxes; processors and memory are billed beside them

LISTED_NOT_SOLD = frozenset({"B200"})  # has a rate, but orders of it are refused


def _daytona(row: Row) -> Iterator[Observation]:
    name = text(row["type"])
    return offers(
        "daytona", accelerator("daytona", name), 1,
        {"on_demand": row["onDemandPricePerHour"], "spot": row.get("spotPricePerHour")}, per="accelerator", sku=name,
        doubts=("component_only", *(("listed_not_sold",) if name in LISTED_NOT_SOLD else ())),
    )  # fmt: skip


DAYTONA = PriceList("https://billing.app.daytona.io/gpu-pricing", ("gpus",), ("type", "onDemandPricePerHour"), _daytona)

# Hyperbolic: what can be rented on demand; cents of the whole option, which may be several machines


def _hyperbolic(row: Row) -> Iterator[Observation]:
    count, usd = whole(row["gpuCount"]), _in_dollars(row["costPerHourCents"])
    machine: Row = next(iter(row.get("nodes") or ()), {})
    if not row.get("enabled", True) or count is None or usd is None:
        return
    name = f"{text(row['gpuType']).upper()} {text(row.get('gpuFormFactor')).upper()}".strip()
    yield from offers(
        "hyperbolic", accelerator("hyperbolic", name), whole(machine.get("gpuCount")) or count,
        {"on_demand": usd / count}, per="accelerator", region=text(row.get("region")),
        sku=text(row.get("machineType")), vcpus=positive(machine.get("vcpuCount")),
        ram_gb=positive(machine.get("ramGb")), free=quantity(row.get("totalAvailable")),
    )  # fmt: skip


HYPERBOLIC = PriceList(
    "https://api.hyperbolic.ai/v2/alpha/on-demand/rental-options", (), ("gpuType", "gpuCount", "costPerHourCents"),
    _hyperbolic, market=True,
)  # fmt: skip

# Lium: a market; one order takes from the fewest accelerators that are rented out of a machine to all that are free


def _lium(row: Row) -> Iterator[Observation]:
    count, free = whole(row["gpu_count"]), whole(row["available_gpu_count"])
    least, memory = whole(row.get("min_rentable_gpu_count")) or count, positive(row.get("gpu_memory_gb"))
    for size in sorted({*range(least, (free or 0) + 1), least, count}) if count and least else ():
        yield from offers(
            "lium", accelerator("lium", text(row["gpu_model"]), memory), size,
            {"spot" if row.get("tier") == "spot" else "on_demand": row["price_per_gpu_hour"]}, per="accelerator",
            region=text(row.get("country_code")), sku=text(row.get("tier")), memory_gb=memory,
            free=(free or 0) // (size or 1),
        )  # fmt: skip


LIUM = PriceList(
    "https://lium.io/api/public/v1/nodes", ("nodes",),
    ("gpu_model", "gpu_count", "available_gpu_count", "price_per_gpu_hour"), _lium, market=True,
)  # fmt: skip

# Lambda, with a key: machines, and in how many regions some are free

DESCRIBED = re.compile(r"(?P<count>\d+)x (?P<model>.+?) \((?P<memory>\d+) GB ?(?P<form>[\w ]*)\)")


@by_rows("Lambda")
def _read_lambda(ask: Fetcher, rows: ReplyRows) -> Observations:
    headers = {"Authorization": f"Bearer {ask.key()}"}
    reply = first_reply(ask, (f"https://{host}/api/v1/instance-types" for host in LAMBDA_HOSTS), headers=headers)
    entries = rows.table_at(reply.json(), "data").values()
    machines = [
        {**machine, "free": entry.get("regions_with_capacity_available")}
        for entry in entries
        if isinstance(machine := entry.get("instance_type") or {}, dict)
    ]
    yield from rows.read(reply, machines, ("name", "description", "price_cents_per_hour"), _lambda)


def _lambda(row: Row) -> Iterator[AnyObservation]:
    name = text(row["name"])
    described = DESCRIBED.match(text(row["description"])) or DESCRIBED.match(text(row.get("gpu_description")))
    if described is None:
        if "gpu" in name:
            yield UnreadableRow(name, f"describes itself in unknown words: {row['description']}")
        return
    memory = float(described["memory"])
    model = " ".join((described["model"], *described["form"].split()[:1]))
    yield from offers(
        "lambda", accelerator("lambda", model, memory), whole(described["count"]),
        {"on_demand": _in_dollars(row["price_cents_per_hour"])}, sku=name,
        vcpus=positive(nested(row, "specs", "vcpus")), ram_gb=positive(nested(row, "specs", "memory_gib")),
        memory_gb=memory, free=len(row["free"] or ()),
    )  # fmt: skip


LAMBDA_HOSTS = ("cloud.lambda.ai", "cloud.lambdalabs.com")  # the second is its old name

# DigitalOcean, with a key: droplets with accelerators


def _digitalocean(row: Row) -> Iterator[Observation]:
    gpu, count = row["gpu_info"], whole(row["gpu_info"].get("count"))
    total = positive(nested(gpu, "vram", "amount"))  # of all accelerators
    memory = total / count if total and count else None
    maker, _, model = text(gpu.get("model")).partition("_")
    return offers(
        "digitalocean", accelerator("digitalocean", (model or maker).replace("_", " "), memory), count,
        {"on_demand": row["price_hourly"]}, sku=text(row["slug"]), vcpus=positive(row.get("vcpus")),
        ram_gb=parse_gigabytes(row.get("memory"), MB), memory_gb=memory,
        free=len(row.get("regions") or ()) if row.get("available", True) else 0,
    )  # fmt: skip


DIGITALOCEAN = PriceList(
    "https://api.digitalocean.com/v2/sizes", ("sizes",), ("slug", "price_hourly", "gpu_info"), _digitalocean,
    key_header=("Authorization", "Bearer {key}"), params={"per_page": "200", "page": "1"},
    following=numbered(lambda page, _: nested(page, "links", "pages", "next")), wanted=lambda row: row.get("gpu_info"),
)  # fmt: skip

# Akamai (Linode): machines with accelerators, with other prices in some regions

MODEL = re.compile(r"(?:.*\+ )?(?P<model>.+?)(?: GPU)? x\d+\b.*")  # "Dedicated 32GB + RTX6000 GPU x1"


def _linode(row: Row) -> Iterator[AnyObservation]:
    model = MODEL.fullmatch(text(row["label"]))
    if model is None:
        yield UnreadableRow(text(row["label"]), "names no accelerator in its label")
        return
    places = [("", row["price"]), *((text(place.get("id")), place) for place in row.get("region_prices") or ())]
    for region, price in places:
        yield from offers(
            "akamai", accelerator("linode", model["model"]), whole(row["gpus"]),
            {"on_demand": (price or {}).get("hourly")}, region=region, sku=text(row["id"]),
            vcpus=positive(row.get("vcpus")), ram_gb=parse_gigabytes(row.get("memory"), MB),
        )  # fmt: skip


LINODE = PriceList(
    "https://api.linode.com/v4/linode/types", ("data",), ("id", "label", "price"), _linode,
    params={"page": "1", "page_size": "500"}, wanted=lambda row: whole(row.get("gpus")),
    following=numbered(lambda page, number: number < (whole(page.get("pages")) or 0)),
)  # fmt: skip

# Hot Aisle, with a key, `TEAM:TOKEN`: the machines that a team can order now, in cents and bytes

HOT_AISLE = "https://admin.hotaisle.app/api/teams/{team}/{kind}/available/"


@by_rows("Hot Aisle")
def _read_hot_aisle(ask: Fetcher, rows: ReplyRows) -> Observations:
    team, colon, token = ask.key().partition(":")
    if not colon:
        raise FeedError("Hot Aisle wants HOTAISLE_API_KEY as TEAM:TOKEN.")
    for kind, sku in (("virtual_machines", "VM"), ("bare_metal", "bare metal")):
        reply = ask.get(HOT_AISLE.format(team=team, kind=kind), headers={"Authorization": f"Token {token}"})
        page = reply.json()
        machines = [] if page is None else rows.list_at(page)
        yield from lowest(rows.read(reply, machines, ("OnDemandPrice", "Specs"), _hot_aisle, sku))


def _hot_aisle(row: Row, sku: str) -> Iterator[Observation]:
    specs = row["Specs"]
    gpu: Row = next(iter(specs.get("gpus") or ()), {})
    hours = (positive(row.get("MinimumReservationMinutes")) or 0.0) / 60
    return offers(
        "hotaisle", accelerator("hotaisle", text(gpu.get("model"))), whole(gpu.get("count")),
        {"on_demand": _in_dollars(row["OnDemandPrice"])}, sku=f"{sku}, {hours:g} hours at least" if hours > 1 else sku,
        vcpus=positive(specs.get("cpu_cores")), ram_gb=parse_gigabytes(specs.get("ram_capacity"), BYTES),
        free=quantity(row.get("Quantity", 1)),
    )  # fmt: skip


# Akash: a market; the median of a month's bids on one accelerator


def _akash(row: Row) -> Iterator[Observation]:
    price, memory = row["price"], leading(row.get("ram"))
    name = " ".join(filter(None, (text(row["model"]).upper(), text(row.get("interface")))))
    usd = price.get("med") or price.get("avg")
    return offers(
        "akash", accelerator("akash", name, memory), 1, {"on_demand": usd}, memory_gb=memory,
        free=quantity(nested(row, "availability", "available")), doubts=("minimum_bid",),
    )  # fmt: skip


AKASH = PriceList("https://console-api.akash.network/v1/gpu-prices", ("models",), ("model", "price"), _akash)

# Cudo: accelerators, processors and memory apart; the price is that of the least machine with one


def _cudo(row: Row) -> Iterator[Observation]:
    vcpus = positive(row.get("minVcpuPerGpu")) or 1.0
    ram_gb = vcpus / (positive(row.get("maxVcpuPerMemoryGib")) or 1.0)
    gpu, cpu, ram = (positive(nested(row, f"{part}PriceHr", "value")) for part in ("gpu", "vcpu", "memoryGib"))
    whole_usd = None if None in (gpu, cpu, ram) else gpu + vcpus * cpu + ram_gb * ram  # type: ignore[operator]
    return offers(
        "cudo", accelerator("cudo", text(row["gpuModel"])), 1, {"on_demand": whole_usd}, vcpus=vcpus, ram_gb=ram_gb,
        region=text(row.get("dataCenterId")), sku=text(row["machineType"]), free=quantity(row.get("totalGpuFree")),
    )  # fmt: skip


CUDO = PriceList(
    "https://rest.compute.cudo.org/v1/vms/machine-types", ("machineTypes",), ("machineType", "gpuModel"), _cudo
)

# OVHcloud: flavours of its public catalogue, in hundred-millionths of a currency; the United States have their own

OVH = {
    "": "https://api.ovh.com/1.0/order/catalog/public/cloud?ovhSubsidiary=FR",
    "US": "https://api.us.ovhcloud.com/1.0/order/catalog/public/cloud?ovhSubsidiary=US",
}
OVH_UNIT = 1e-8
OVH_HOURS = frozenset({"hour", "none"})  # ai-* are by the minute, and no machines


@by_rows("OVHcloud")
def _read_ovh(ask: Fetcher, rows: ReplyRows) -> Observations:

    def catalogue(region: str) -> Observations:
        reply = ask.get(OVH[region])
        page = reply.json()
        currency = text(nested(rows.at(page, "locale"), "currencyCode"))
        flavours = (row for row in rows.list_at(page, "addons") if nested(row, "blobs", "technical", "gpu"))
        yield from rows.read(reply, flavours, ("planCode", "pricings", "blobs"), _ovh, region, currency)

    yield from read_parts(catalogue, OVH)


def _ovh(row: Row, region: str, currency: str) -> Iterator[Observation]:
    name, _, kind = text(row["planCode"]).partition(".")
    parts, tags = row["blobs"]["technical"], row["blobs"].get("tags") or ()
    if kind != "consumption" or name.startswith("win-") or "coming_soon" in tags:
        return
    memory = positive(nested(parts, "gpu", "memory", "size"))
    hourly = next((price.get("price") for price in row["pricings"] if price.get("intervalUnit") in OVH_HOURS), None)
    yield from offers(
        "ovhcloud", accelerator("ovh", text(parts["gpu"]["model"]), memory), whole(parts["gpu"].get("number")),
        {"on_demand": (positive(hourly) or 0.0) * OVH_UNIT}, currency=currency, region=region, sku=name,
        vcpus=positive(nested(parts, "cpu", "cores")), ram_gb=positive(nested(parts, "memory", "size")),
        memory_gb=memory,
    )  # fmt: skip


# Hyperstack, with a key: prices of accelerators in its price book, in machines of the sizes it lists


HYPERSTACK = "https://infrahub-api.nexgencloud.com/v1"
SPOT = re.compile(r"-spot$")


@by_rows("Hyperstack")
def _read_hyperstack(ask: Fetcher, rows: ReplyRows) -> Observations:
    headers = {"api_key": ask.key()}
    book = rows.list_at(ask.get(f"{HYPERSTACK}/pricebook", headers=headers).json())
    prices = {text(entry.get("name")): price for entry in book if (price := positive(entry.get("value")))}
    if not prices:
        raise rows.wrong("want a price book of names and values")
    reply = ask.get(f"{HYPERSTACK}/core/flavors", headers=headers)
    for group in rows.list_at(reply.json(), "data"):
        flavours = (row for row in rows.list_at(group, "flavors") if whole(row.get("gpu_count")))
        yield from rows.read(reply, flavours, ("name", "gpu"), _hyperstack, prices)


def _hyperstack(row: Row, prices: dict[str, float]) -> Iterator[AnyObservation]:
    name, stock = text(row["gpu"]), row.get("stock_available")
    if name not in prices:
        yield UnreadableRow(text(row["name"]), f"{name} is not in the price book")
        return
    board = SPOT.sub("", name)
    yield from offers(
        "hyperstack", accelerator("hyperstack", board), whole(row["gpu_count"]),
        {"spot" if board != name else "on_demand": prices[name]}, per="accelerator",
        region=text(row.get("region_name")), sku=text(row["name"]), vcpus=positive(row.get("cpu")),
        ram_gb=positive(row.get("ram")), free=None if stock is None else int(bool(stock)),
    )  # fmt: skip


FEEDS = (
    Feed(
        "hyperstack", "Hyperstack", "https://www.hyperstack.cloud/gpu-pricing", ("infrahub-api.nexgencloud.com",),
        "facts cited", _read_hyperstack, key_name="HYPERSTACK_API_KEY", sellers=("hyperstack",),
    ),
    list_feed("akash", "Akash", "https://akash.network/pricing/gpus/", AKASH, sellers=("akash",)),
    list_feed("cudo", "Cudo Compute", "https://www.cudocompute.com/pricing", CUDO, sellers=("cudo",)),
    Feed(
        "ovh", "OVHcloud", "https://www.ovhcloud.com/en/public-cloud/prices/", ("api.ovh.com", "api.us.ovhcloud.com"),
        "public price list; facts cited", _read_ovh, sellers=("ovhcloud", "ovh"),
    ),
    list_feed("cloudrift", "CloudRift", "https://www.cloudrift.ai/pricing", CLOUDRIFT, sellers=("cloudrift",)),
    list_feed("daytona", "Daytona", "https://www.daytona.io/pricing", DAYTONA, sellers=("daytona",)),
    list_feed(
        "hyperbolic", "Hyperbolic", "https://www.hyperbolic.ai/marketplace", HYPERBOLIC, sellers=("hyperbolic",)
    ),
    list_feed("lium", "Lium", "https://lium.io", LIUM, sellers=("lium",), may_be_empty=True),
    Feed(
        "lambda", "Lambda", "https://lambda.ai/pricing", LAMBDA_HOSTS, "facts cited", _read_lambda,
        key_name="LAMBDA_API_KEY", sellers=("lambda", "lambdalabs"),
    ),
    list_feed(
        "digitalocean", "DigitalOcean", "https://www.digitalocean.com/pricing/gpu-droplets", DIGITALOCEAN,
        licence="facts cited", key_name="DIGITALOCEAN_TOKEN", sellers=("digitalocean",),
    ),
    list_feed(
        "linode", "Akamai Cloud (Linode)", "https://www.linode.com/pricing/", LINODE, sellers=("akamai", "linode")
    ),
    Feed(
        "hot-aisle", "Hot Aisle", "https://hotaisle.xyz/pricing/", ("admin.hotaisle.app",), "facts cited",
        _read_hot_aisle, may_be_empty=True, key_name="HOTAISLE_API_KEY", sellers=("hotaisle",),
    ),
)  # fmt: skip
