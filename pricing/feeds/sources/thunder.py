"""Thunder Compute: whole accelerators for production, and others shared over a network for trying things out."""

import re
from collections.abc import Iterator, Mapping

from pricing.feeds.feed import Feed, FeedError, Fetcher, Observation
from pricing.feeds.machines import accelerator, rule
from pricing.feeds.parsing import Observations, ReplyRows, Row, offers, positive, text, whole

URL = "https://api.thundercompute.com:8443/v1"
SKU = re.compile(r"(?P<board>[a-z0-9]+)_x(?P<count>\d+)_(?P<mode>production|prototyping)")
SHARED = "prototyping"
FURTHER_VCPUS = "additional_vcpus"


def read(ask: Fetcher) -> Observations:
    """Read the prices, with what is known of each machine."""
    rows = ReplyRows("Thunder Compute")
    try:
        specs = ask.get(f"{URL}/specs").json()["specs"]
    except (FeedError, KeyError, TypeError):  # it does not say what is in a machine
        specs = {}
    reply = ask.get(f"{URL}/pricing")
    prices = rows.at(reply.json(), "pricing")
    if not isinstance(prices, Mapping):
        raise rows.wrong("want prices by name")
    machines: list[Observation] = []
    for name, price in prices.items():
        spec = specs.get(str(name)) if isinstance(specs, Mapping) else None
        machines += _machine(str(name), price, spec if isinstance(spec, Mapping) else {}, prices.get(FURTHER_VCPUS))
    if not machines:
        raise rows.wrong(f"want names such as h100_x1_production, got {', '.join(list(map(str, prices))[:8])}")
    yield from ((reply, machine) for machine in machines)


def _machine(name: str, price: object, spec: Row, usd_per_vcpu: object) -> Iterator[Observation]:
    parts, memory, usd = SKU.fullmatch(name), positive(spec.get("vramGB")), positive(price)
    if parts is None or usd is None:  # disks, snapshots, further processors
        return
    vcpus = min(filter(None, map(positive, spec.get("vcpuOptions") or ())), default=None)  # further ones are extra
    per_vcpu, count = positive(spec.get("ramPerVCPUGiB")), whole(parts["count"]) or 1
    if vcpus and parts["mode"] == SHARED:  # the smallest machine may have more processors than the price holds
        usd += max(vcpus - rule("thunder_vcpus_per_accelerator") * count, 0.0) * (positive(usd_per_vcpu) or 0.0)
    yield from offers(
        "thundercompute", accelerator("thunder", text(spec.get("displayName")) or parts["board"], memory),
        count, {"on_demand": usd}, sku=parts["mode"], vcpus=vcpus,
        ram_gb=vcpus * per_vcpu if vcpus and per_vcpu else None, memory_gb=memory,
        doubts=("may_be_shared",) if parts["mode"] == SHARED else (),
    )  # fmt: skip


FEED = Feed(
    "thunder", "Thunder Compute", "https://www.thundercompute.com/pricing",
    ("api.thundercompute.com", "api.thundercompute.com:8443"), "public API; facts cited", read,
    sellers=("thundercompute",),
)  # fmt: skip
