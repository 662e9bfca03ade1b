"""The lists that SkyPilot collects and hosts, of sellers whose own list wants a key.

Its files carry no day. Only those are read that it makes anew each day; others are kept by hand, some for years.
"""

import csv
import re
from collections.abc import Iterator
from typing import Any

from pricing.feeds.feed import Feed, Fetcher, Observation
from pricing.feeds.machines import accelerator, add_form_factor
from pricing.feeds.parsing import MB, Rows, Told, first_reply, lowest, number, positive, text, whole

PLACES = (
    "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8/{cloud}/vms.csv",
    "https://skypilot-catalog.s3.us-east-1.amazonaws.com/catalogs/v8/{cloud}/vms.csv",
)
CLOUDS = ("lambda", "shadeform")
RESOLD = "shadeform"  # its machines are other sellers': massedcompute_A6000
ONE_PRICE = "lambda"  # in all its regions, though there is a row for each
SIZE = re.compile(r"'SizeInMiB': ([\d.]+)")
WANTED = ("InstanceType", "GpuInfo", "AcceleratorName", "AcceleratorCount", "Price", "SpotPrice", "Region")


def read(ask: Fetcher) -> Told:
    """Each seller's file, from the mirror where the first place does not answer."""
    rows = Rows("SkyPilot")
    for cloud in CLOUDS:
        reply = first_reply(ask, (place.format(cloud=cloud) for place in PLACES))
        table = csv.DictReader(reply.text().splitlines())
        rows.columns(table.fieldnames or (), WANTED)
        yield from lowest((reply, one) for line in table for one in _machine(cloud, line))


def _machine(cloud: str, line: dict[str, str]) -> Iterator[Observation]:
    count = whole(line["AcceleratorCount"])
    if count is None or not line["AcceleratorName"]:
        return
    name = text(line["InstanceType"])
    seller, _, machine = name.partition("_") if cloud == RESOLD else (cloud, "", name)
    size = SIZE.search(line["GpuInfo"] or "")
    memory = number(size[1]) if size else None
    memory = memory / MB if memory and memory >= MB else memory  # some say it in GB
    common: dict[str, Any] = {
        "seller": seller,
        "accelerator": accelerator("skypilot", add_form_factor(text(line["AcceleratorName"]), machine), memory),
        "count": count,
        "region": "" if cloud == ONE_PRICE else text(line["Region"]),
        "sku": machine,
        "memory_gb": memory,
    }
    if price := positive(line["Price"]):
        yield Observation(purchase="on_demand", price=price, **common)
    if price := positive(line["SpotPrice"]):
        yield Observation(purchase="spot", price=price, **common)


FEED = Feed(
    name="skypilot",
    label="SkyPilot's catalogue",
    page="https://github.com/skypilot-org/skypilot-catalog",
    hosts=("raw.githubusercontent.com", "skypilot-catalog.s3.us-east-1.amazonaws.com"),
    licence="none seen; facts cited",
    read=read,
    via="third_party",
    second_hand=("akamai", "cloudrift", "datacrunch", "hyperbolic", "scaleway", "verda", "vultr"),
)
