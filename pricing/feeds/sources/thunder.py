"""Thunder Compute: whole accelerators for production, and such as are shared over a network for trying things out."""

import re
from collections.abc import Iterator, Mapping

from pricing.feeds.feed import AnyObservation, Feed, FeedError, Fetcher, Observation
from pricing.feeds.machines import accelerator
from pricing.feeds.parsing import Row, Rows, Told, positive, text, whole

URL = "https://api.thundercompute.com:8443/v1"
SKU = re.compile(r"(?P<board>[a-z0-9]+)_x(?P<count>\d+)_(?P<mode>production|prototyping)")
SHARED = "prototyping"


def read(ask: Fetcher) -> Told:
    """The prices, with what is known of each machine."""
    rows = Rows("Thunder Compute")
    specs = _specs(ask)
    reply = ask.get(f"{URL}/pricing")
    prices = rows.at(reply.json(), "pricing")
    if not isinstance(prices, Mapping):
        raise rows.wrong("want prices by name")
    found = [one for name, price in prices.items() for one in _machine(str(name), price, specs.get(str(name), {}))]
    if not found:
        raise rows.wrong(f"want names such as h100_x1_production, got {', '.join(list(map(str, prices))[:8])}")
    yield from ((reply, one) for one in found)


def _specs(ask: Fetcher) -> dict[str, Row]:
    """What is in each machine; nothing where that is not told."""
    try:
        told = ask.get(f"{URL}/specs").json()["specs"]
    except (FeedError, KeyError, TypeError):
        return {}
    return {name: spec for name, spec in told.items() if isinstance(spec, Mapping)} if isinstance(told, Mapping) else {}


def _machine(name: str, asked: object, spec: Row) -> Iterator[AnyObservation]:
    parts, price = SKU.fullmatch(name), positive(asked)
    if parts is None or price is None:  # disks, snapshots, further processors
        return
    memory = positive(spec.get("vramGB"))
    vcpus = [one for one in map(positive, spec.get("vcpuOptions") or ()) if one]
    per_vcpu = positive(spec.get("ramPerVCPUGiB"))
    yield Observation(
        seller="thundercompute",
        accelerator=accelerator("thunder", text(spec.get("displayName")) or parts["board"], memory),
        count=whole(parts["count"]) or 1,
        purchase="on_demand",
        price=price,
        sku=parts["mode"],
        vcpus=min(vcpus) if vcpus else None,  # further ones are billed beside
        ram_gb=min(vcpus) * per_vcpu if vcpus and per_vcpu else None,
        memory_gb=memory,
        doubts=("may_be_shared",) if parts["mode"] == SHARED else (),
    )


FEED = Feed(
    name="thunder",
    label="Thunder Compute",
    page="https://www.thundercompute.com/pricing",
    hosts=("api.thundercompute.com", "api.thundercompute.com:8443"),
    licence="public API; facts cited",
    read=read,
)
