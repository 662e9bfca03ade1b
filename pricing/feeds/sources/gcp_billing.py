"""Google Cloud with a key: the billing catalogue. A machine is its accelerators, its cores and its memory together."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation
from pricing.feeds.machines import Machine, machines, table
from pricing.feeds.parsing import Row, Rows, Told, number, positive, text, without

URL = "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"  # Compute Engine
PAGE = "5000"
USAGE: dict[str, Purchase] = {
    "OnDemand": "on_demand", "Preemptible": "spot", "Commit1Yr": "reserved_1y", "Commit3Yr": "reserved_3y",
}  # fmt: skip
CALENDAR = "DWS Calendar Mode "
PREFIXES = ("Spot Preemptible ", "Commitment v1: ", "Commitment: ", CALENDAR)
OTHER_PRODUCTS = ("Sole Tenancy", "Reserved", "Premium", "Custom", "suspended", "DWS Defined Duration")
ALONE = "alone"  # an accelerator that is put into a machine of one's choice
NANO = 1e-9

RegionAndPurchase = tuple[str, Purchase]  # region


@dataclass
class _Parts:
    """Prices of parts: by family and part, then by region and purchase."""

    of: dict[tuple[str, str], dict[RegionAndPurchase, float]] = field(default_factory=dict)

    def price(self, family: str, part: str, where: RegionAndPurchase) -> float | None:
        return self.of.get((family, part), {}).get(where)


def read(ask: Fetcher) -> Told:
    """All pages, and then the machines put together."""
    rows, parts = Rows("Google's billing catalogue"), _Parts()
    reply, token, count = None, "", 0
    while reply is None or token:
        question = {"pageSize": PAGE} | ({"pageToken": token} if token else {})
        reply = ask.get(URL, params=question, headers={"X-Goog-Api-Key": ask.key()})
        page = reply.json()
        for sku in rows.list_at(page, "skus"):
            count += _add(parts, sku)
        token = text(page.get("nextPageToken"))
    if not count:
        raise rows.wrong("it describes no accelerator in words that are known")
    yield from ((reply, one) for one in _told(parts))


def _add(parts: _Parts, sku: Row) -> int:
    described = text(sku.get("description"))
    purchase = USAGE.get(text((sku.get("category") or {}).get("usageType")))
    if purchase is None or any(word in described for word in OTHER_PRODUCTS):
        return 0
    if without(described, (CALENDAR,)) != described:
        purchase = "capacity_block"
    described = without(described, PREFIXES)
    price = _price(sku)
    found = [row for row in table_of_skus() if _starts_with_words(described, row["starts"])]
    for row in found if price else ():
        prices = parts.of.setdefault((row["family"], row["part"]), {})
        prices.update({(str(region), purchase): price or 0.0 for region in sku.get("serviceRegions") or ()})
    return len(found)


def table_of_skus() -> tuple[dict[str, str], ...]:
    """How the parts of families are described."""
    return table("gcp_skus")


def _starts_with_words(described: str, words: str) -> bool:
    return described == words or described.startswith(f"{words} ")


def _price(sku: Row) -> float | None:
    try:
        rate = sku["pricingInfo"][0]["pricingExpression"]["tieredRates"][-1]["unitPrice"]
    except (KeyError, IndexError, TypeError):
        return None
    return positive((number(rate.get("units")) or 0.0) + (number(rate.get("nanos")) or 0.0) * NANO)


def _told(parts: _Parts) -> Iterator[AnyObservation]:
    for machine in machines("gcp").values():
        if machine.count:
            yield from _machine(parts, machine, machine.count)
    for (accelerator, part), prices in parts.of.items():
        if part == ALONE:
            for (region, purchase), price in prices.items():
                yield Observation(
                    seller="gcp", accelerator=accelerator, count=1, purchase=purchase, price=price, region=region,
                    sku="N1 with an accelerator", doubts=("component_only",),
                )  # fmt: skip


def _machine(parts: _Parts, machine: Machine, count: int) -> Iterator[Observation]:
    family = machine.name.rpartition("-")[0]
    places = {where for (known, _), prices in parts.of.items() if known == family for where in prices}
    for where in sorted(places):
        if price := _whole(parts, machine, count, where):
            region, purchase = where
            doubted = machine.on_demand_doubt and purchase == "on_demand"
            yield Observation(
                seller="gcp",
                accelerator=machine.accelerator,
                count=count,
                purchase=purchase,
                price=price,
                region=region,
                sku=machine.name,
                vcpus=machine.vcpus,
                ram_gb=machine.ram_gb,
                fabric=machine.fabric,
                doubts=(machine.on_demand_doubt,) if doubted else (),
            )


def _whole(parts: _Parts, machine: Machine, count: int, where: RegionAndPurchase) -> float | None:
    """A slice is all that belongs to one accelerator; else all three parts must have a price."""
    family = machine.name.rpartition("-")[0]
    if share := parts.price(family, "slice", where):
        return share * count
    gpu, core, ram = (parts.price(family, part, where) for part in ("gpu", "core", "ram"))
    if gpu is None or core is None or ram is None or machine.vcpus is None or machine.ram_gb is None:
        return None
    return gpu * count + core * machine.vcpus + ram * machine.ram_gb


FEED = Feed(
    name="gcp-billing",
    label="Google Cloud",
    page="https://cloud.google.com/compute/gpus-pricing",
    hosts=("cloudbilling.googleapis.com",),
    licence="facts cited",
    read=read,
    key_name="GOOGLE_BILLING_KEY",
)
