"""Google Cloud with a key: the billing catalogue. A machine is its accelerators, its cores and its memory together."""

from collections.abc import Iterator

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, Fetcher
from pricing.feeds.machines import MachineType, machines, table
from pricing.feeds.parsing import Observations, ReplyRows, Row, number, offers, pages, positive, text, without

URL = "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"  # Compute Engine
USAGE: dict[str, Purchase] = {
    "OnDemand": "on_demand", "Preemptible": "spot", "Commit1Yr": "reserved_1y", "Commit3Yr": "reserved_3y",
}  # fmt: skip
BY_WORDS: dict[str, Purchase] = {"Spot Preemptible": "spot", "Calendar Mode": "capacity_block"}  # whatever its usage
PREFIXES = ("Spot Preemptible ", "Commitment v1: ", "Commitment: ", "DWS Calendar Mode ", "Reserved ")
OTHER_PRODUCTS = ("Sole Tenancy", "Reserved", "Premium", "Custom", "suspended", "DWS Defined Duration")
ALONE = "alone"  # an accelerator that is put into a machine of one's choice
NANO = 1e-9

RegionAndPurchase = tuple[str, Purchase]
PartPrices = dict[tuple[str, str], dict[RegionAndPurchase, float]]  # by family and part


def read(ask: Fetcher) -> Observations:
    """Read all pages, and then put the machines together."""
    rows, headers = ReplyRows("Google's billing catalogue"), {"X-Goog-Api-Key": ask.key()}
    prices: PartPrices = {}
    count, last = 0, None
    for reply, page in pages(ask, URL, {"pageSize": "5000"}, _next_page, headers=headers):
        last = reply
        count += sum(_add(prices, sku) for sku in rows.list_at(page, "skus"))
    if last is None or not count:
        raise rows.wrong("it describes no accelerator in known words")
    yield from ((last, observation) for observation in _observations(prices))


def _next_page(page: Row, params: Row) -> dict[str, str] | None:
    token = text(page.get("nextPageToken"))
    return {**params, "pageToken": token} if token else None


def _add(prices: PartPrices, sku: Row) -> int:
    """Add the prices of one stock-keeping unit; return how many known parts it describes."""
    description = text(sku.get("description"))
    usage = text((sku.get("category") or {}).get("usageType"))
    purchase = next((sold for words, sold in BY_WORDS.items() if words in description), USAGE.get(usage))
    block = purchase == "capacity_block"
    if purchase is None or any(word in description for word in OTHER_PRODUCTS if not (block and word == "Reserved")):
        return 0
    words = f"{_bare(without(description, PREFIXES))} "
    parts = [row for row in table("gcp_skus") if words.startswith(f"{_bare(row['starts'])} ")]
    if price := _price(sku):
        for row in parts:
            places = prices.setdefault((row["family"], row["part"]), {})
            places.update({(str(region), purchase): price for region in sku.get("serviceRegions") or ()})
    return len(parts)


def _bare(name: str) -> str:
    """Return the name of a part without its maker's, which newer ones lack."""
    return name.replace("Nvidia ", "").replace("Tesla ", "")


def _price(sku: Row) -> float | None:
    try:
        rate = sku["pricingInfo"][0]["pricingExpression"]["tieredRates"][-1]["unitPrice"]
    except (KeyError, IndexError, TypeError):
        return None
    return positive((number(rate.get("units")) or 0.0) + (number(rate.get("nanos")) or 0.0) * NANO)


def _observations(prices: PartPrices) -> Iterator[AnyObservation]:
    for machine in machines("gcp").values():
        family = machine.name.rpartition("-")[0]
        for place in sorted({place for (name, _), of in prices.items() if name == family for place in of}):
            region, purchase = place
            parts = {part: of.get(place) for (name, part), of in prices.items() if name == family}
            yield from offers(
                "gcp", machine.accelerator, machine.count, {purchase: _machine_price(parts, machine)}, region=region,
                sku=machine.name, **machine.describe(purchase),
            )  # fmt: skip
    for (accelerator, part), of in prices.items():
        for (region, purchase), price in of.items() if part == ALONE else ():
            yield from offers("gcp", accelerator, 1, {purchase: price}, region=region, sku="N1 with an accelerator",
                              doubts=("component_only",))  # fmt: skip


def _machine_price(parts: dict[str, float | None], machine: MachineType) -> float | None:
    """Return a slice holds all that belongs to one accelerator; else all three parts must have a price."""
    count = machine.count or 0
    if share := parts.get("slice"):
        return share * count
    gpu, core, ram = (parts.get(part) for part in ("gpu", "core", "ram"))
    if gpu is None or core is None or ram is None or machine.vcpus is None or machine.ram_gb is None:
        return None
    return gpu * count + core * machine.vcpus + ram * machine.ram_gb


FEED = Feed(
    "gcp-billing", "Google Cloud", "https://cloud.google.com/compute/gpus-pricing", ("cloudbilling.googleapis.com",),
    "facts cited", read, sellers=("gcp",), key_name="GOOGLE_BILLING_KEY",
)  # fmt: skip
