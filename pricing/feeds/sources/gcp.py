"""Google Cloud: with a key from its billing catalogue, without one from the list that gcosts makes of it."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, FeedReply, Fetcher, UnreadableRow
from pricing.feeds.machines import MachineType, machines, table
from pricing.feeds.parsing import (
    HOURS_PER_MONTH,
    Observations,
    ReplyRows,
    Row,
    by_rows,
    number,
    offers,
    pages,
    positive,
    text,
    without,
)

# Google Cloud with a key: the billing catalogue. A machine is its accelerators, its cores and its memory together.

BILLING_URL = "https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus"  # Compute Engine
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


@by_rows("Google's billing catalogue")
def read_billing(ask: Fetcher, rows: ReplyRows) -> Observations:
    """Read all pages, and then put the machines together."""
    headers = {"X-Goog-Api-Key": ask.key()}
    prices: PartPrices = {}
    count, last = 0, None
    for reply, page in pages(ask, BILLING_URL, {"pageSize": "5000"}, _next_page, headers=headers):
        last = reply
        count += sum(_add(prices, sku) for sku in rows.list_at(page, "skus"))
    if last is None or not count:
        raise rows.wrong("it describes no accelerator in known words")
    yield from ((last, observation) for observation in _billing_observations(prices))


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
        expression = sku["pricingInfo"][0]["pricingExpression"]
        rate = expression["tieredRates"][-1]["unitPrice"]
    except (KeyError, IndexError, TypeError):
        return None
    hours = (
        HOURS_PER_MONTH if text(expression.get("usageUnit")).endswith(".mo") else 1.0
    )  # disks are priced by the month
    return positive(((number(rate.get("units")) or 0.0) + (number(rate.get("nanos")) or 0.0) * NANO) / hours)


def _billing_observations(prices: PartPrices) -> Iterator[AnyObservation]:
    for machine in machines("gcp").values():
        family = machine.name.rpartition("-")[0]
        for place in sorted({place for (name, _), of in prices.items() if name == family for place in of}):
            region, purchase = place
            parts = {part: of.get(place) for (name, part), of in prices.items() if name == family}
            parts["ssd"] = parts.get("ssd") or prices.get((family, "ssd"), {}).get((region, "on_demand"))
            yield from offers(
                "gcp", machine.accelerator, machine.count, {purchase: _machine_price(parts, machine)}, region=region,
                sku=machine.name, **machine.describe(purchase),
            )  # fmt: skip
    for (accelerator, part), of in prices.items():
        for (region, purchase), price in of.items() if part == ALONE else ():
            yield from offers("gcp", accelerator, 1, {purchase: price}, region=region, sku="N1 with an accelerator",
                              doubts=("component_only",))  # fmt: skip


def _machine_price(parts: dict[str, float | None], machine: MachineType) -> float | None:
    """Return a slice holds all that belongs to one accelerator; else all parts must have a price, local disks too."""
    count = machine.count or 0
    if share := parts.get("slice"):
        return share * count
    gpu, core, ram = (parts.get(part) for part in ("gpu", "core", "ram"))
    ssd = parts.get("ssd") if machine.ssd_gib else 0.0
    needed = (gpu, count), (core, machine.vcpus), (ram, machine.ram_gb), (ssd, machine.ssd_gib)
    if any(price is None or amount is None for price, amount in needed):
        return None
    return sum(price * amount for price, amount in needed if price is not None and amount is not None)


BILLING = Feed(
    "gcp-billing", "Google Cloud", "https://cloud.google.com/compute/gpus-pricing", ("cloudbilling.googleapis.com",),
    "facts cited", read_billing, sellers=("gcp",), key_name="GOOGLE_BILLING_KEY",
)  # fmt: skip


# Google Cloud without a key: the machine prices of all regions that gcosts puts together from the billing catalogue.
#
# The file is read by the depth of its lines, as it has two million letters and only ever one form.

GCOSTS_URL = "https://raw.githubusercontent.com/Cyclenerd/google-cloud-pricing-cost-calculator/master/pricing.yml"
PRICES: dict[str, tuple[Purchase, float]] = {
    "hour": ("on_demand", 1.0), "hour_spot": ("spot", 1.0),
    "month_1y": ("reserved_1y", HOURS_PER_MONTH), "month_3y": ("reserved_3y", HOURS_PER_MONTH),
}  # fmt: skip
WITH_ACCELERATORS = re.compile(r"[ag]([2-9]|\d\d)x?-")  # names of families with accelerators
INDENT = 2


def read_gcosts(ask: Fetcher) -> Observations:
    reply = ask.get(GCOSTS_URL)
    yield from ((reply, observation) for observation in _gcosts_observations(ReplyRows("gcosts"), reply))


def _gcosts_observations(rows: ReplyRows, reply: FeedReply) -> Iterator[AnyObservation]:
    collected: date | None = None
    other_prices, priced, unknown = 0, 0, set[str]()
    for path, value in _leaves(reply):
        if path == ("about", "timestamp") and (stamp := positive(value)):
            collected = datetime.fromtimestamp(stamp, UTC).date()
        if path[:2] != ("compute", "instance") or len(path) != 6 or path[3] != "cost":
            continue
        _, _, name, _, region, kind = path
        other_prices += 1
        machine = machines("gcp").get(name)
        if machine is None and WITH_ACCELERATORS.match(name) and name not in unknown:
            unknown.add(name)
            yield UnreadableRow(name, "a machine with unknown accelerators")
        if machine is not None and kind in PRICES:
            priced += 1
            purchase, hours = PRICES[kind]
            price = positive(value)
            yield from offers(
                "gcp", machine.accelerator, machine.count, {purchase: price and price / hours}, region=region,
                sku=machine.name, day=collected, **machine.describe(purchase),
            )  # fmt: skip
    if not priced:
        got = f"{other_prices:,} other prices" if other_prices else "none at all"
        raise rows.wrong(f"want compute.instance.NAME.cost.REGION.hour of machines with accelerators, got {got}")


def _leaves(reply: FeedReply) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield each value with the keys above it, from lines such as `      hour: 3.67`."""
    above: list[str] = []
    for line in reply.lines():
        key, colon, value = line.strip().partition(":")
        depth, uneven = divmod(len(line) - len(line.lstrip()), INDENT)
        if not colon or uneven or depth > len(above):
            continue
        del above[depth:]
        above.append(key.strip("'\""))
        if value.strip():
            yield tuple(above), value.strip()


GCOSTS = Feed(
    "gcp-gcosts", "gcosts (Google Cloud)", "https://cloud.google.com/compute/gpus-pricing",
    ("raw.githubusercontent.com",), "Apache-2.0", read_gcosts, via="third_party", sellers=("gcp",),
)  # fmt: skip

FEEDS = (BILLING, GCOSTS)
