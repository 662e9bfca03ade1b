"""AWS: the small list of its page of prices on demand, then its bulk list for the terms, a few regions at once.

A region's bulk file has hundreds of megabytes, and is read line by line: reserved for one and three years (standard,
with nothing, a part or all paid up front). Last its savings plans, another file of each region. On a slow line the
prices on demand are there all the same. A version of a file is loaded once: what it says is kept beside the prices.
"""

import csv
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from pricing.catalogue import read_cached, write_cached
from pricing.choices import Purchase
from pricing.feeds.feed import (
    AnyObservation,
    Feed,
    FeedReply,
    Fetcher,
    InterruptionObservation,
    Observation,
    ObservedPrice,
    UnreadableRow,
    joined,
    split_observation,
)
from pricing.feeds.machines import machines, regions
from pricing.feeds.parsing import (
    HOURS_OF,
    TERMS,
    Observations,
    ReplyRows,
    Row,
    by_rows,
    leading,
    number,
    offers,
    read_parts,
    text,
    whole,
)

SMALL = (
    "https://b0.p.awsstatic.com/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel/"
    "{place}/Linux/index.json"
)
HOST = "https://pricing.us-east-1.amazonaws.com"
NEWEST = "/offers/v1.0/aws/AmazonEC2/current/{region}/index.csv"
CONTRACTS = "terms"
INDEXES = {  # each names the newest version of the file of each region
    CONTRACTS: "/offers/v1.0/aws/AmazonEC2/current/region_index.json",
    "savings plans": "/savingsPlan/v1.0/aws/AWSComputeSavingsPlan/current/region_index.json",
}
HEADER = "SKU"  # the first word of the header, behind some lines of small print
NEEDED = (
    "SKU", "OfferTermCode", "TermType", "Unit", "PricePerUnit", "Currency", "LeaseContractLength", "PurchaseOption",
    "OfferingClass", "Instance Type", "vCPU", "Memory", "Tenancy", "Operating System", "CapacityStatus", "GPU",
    "Pre Installed S/W", "Region Code", "MarketOption",
)  # fmt: skip
FIXED = {"Tenancy": "Shared", "Operating System": "Linux", "CapacityStatus": "Used", "Currency": "USD"}
QUOTED = tuple(f'"{word}"' for word in ("Linux", "Shared", "USD"))  # a line without them is not worth parsing
PLAN_NEEDED = (
    "DiscountedRate", "Currency", "DiscountedUsageType", "DiscountedOperation", "PurchaseOption", "LeaseContractLength",
    "LeaseContractLengthUnit", "Product Family", "DiscountedRegionCode", "DiscountedInstanceType",
)  # fmt: skip
FAMILIES = {"ComputeSavingsPlans": ", compute savings plan", "EC2InstanceSavingsPlans": ", instance savings plan"}
SHARED, LINUX = "BoxUsage:", "RunInstances"
OPTIONS = {"No Upfront": "", "Partial Upfront": ", partly upfront", "All Upfront": ", all upfront"}

Line = dict[str, str]


@dataclass
class _ReservationPrice:
    """One reservation, gathered from its two lines: the hourly price, and the payment at the start."""

    line: Line
    hourly: float = 0.0
    upfront: float = 0.0


def read(ask: Fetcher) -> Observations:
    rows, small, bulk = ReplyRows("AWS"), ReplyRows("AWS's page of prices"), regions("aws")
    unknown: set[str] = set()
    listed: set[str] = set()  # regions whose prices on demand are known before their bulk files are read
    files: dict[str, tuple[FeedReply, str]] = {}  # by part: the path of its newest version, and where that stood

    def on_demand(name: str) -> Observations:
        place = bulk[name]
        reply = ask.get(SMALL.format(place=quote(place, safe="()")))
        entries = small.table_at(reply.json(), "regions", place).values()
        yield from small.read(reply, entries, ("price", "Instance Type"), _small, name)
        listed.add(name)

    def find(what: str) -> Observations:
        reply = ask.get(f"{HOST}{INDEXES[what]}")
        entries = rows.at(reply.json(), "regions")
        for entry in entries.values() if isinstance(entries, Mapping) else entries:
            if (path := text(entry.get("currentVersionUrl") or entry.get("versionUrl"))).startswith("/"):
                files[f"{text(entry.get('regionCode'))}, {what}"] = reply, path.replace(".json", ".csv")
        yield from ()

    def file(name: str, what: str) -> Observations:
        parse = partial(_prices, rows, unknown, name in listed) if what == CONTRACTS else partial(_plan_prices, rows)
        index, path = files.get(f"{name}, {what}", (None, NEWEST.format(region=name)))
        return _once(ask, index, path, f"{name}, {what}{'' if name in listed else ', on demand too'}", parse)

    small_parts = {f"{name}, on demand": partial(on_demand, name) for name in bulk}
    terms, plans = ({f"{name}, {what}": partial(file, name, what) for name in bulk} for what in INDEXES)
    every = small_parts | {what: partial(find, what) for what in INDEXES} | terms | plans
    return read_parts(
        lambda part: every[part](), small_parts, INDEXES, terms, (part for part in plans if part in files)
    )


def _once(
    ask: Fetcher, index: FeedReply | None, path: str, part: str, parse: Callable[[FeedReply], Iterator[AnyObservation]]
) -> Observations:
    """Read a file, unless this version of it was read before for the same machines: then the prices that were kept."""
    version = hashlib.sha256(f"{path} {sorted(machines('aws'))}".encode()).hexdigest()[:16]
    copy = ask.copies / f"aws, {part}-{version}.json" if ask.copies and index else None
    if copy and index and (kept := read_cached(copy)):
        yield from ((index, joined("rental", identity, ObservedPrice(price))) for identity, price in json.loads(kept))
        return
    reply = ask.get(f"{HOST}{path}")
    every = list(parse(reply))
    yield from ((reply, item) for item in every)
    if copy:
        prices = [(split_observation(item)[1], item.price) for item in every if isinstance(item, Observation)]
        write_cached(copy, json.dumps(prices).encode())


def _small(entry: Row, region: str) -> Iterator[Observation]:
    if entry["Instance Type"] in machines("aws") and entry.get("Operating System") == "Linux":
        yield from _priced({**entry, "Region Code": region, "Currency": "USD"}, number(entry["price"]), "on_demand")


def _prices(rows: ReplyRows, unknown: set[str], listed: bool, reply: FeedReply) -> Iterator[AnyObservation]:
    reserved: dict[tuple[str, str], _ReservationPrice] = {}
    for line in filter(_is_plain, _lines(rows, reply, NEEDED, QUOTED)):
        name = line["Instance Type"]
        if name not in machines("aws"):
            if whole(line["GPU"]) and name not in unknown:
                unknown.add(name)
                yield UnreadableRow(name, f"a machine with {line['GPU']} unknown accelerators")
        elif line["TermType"] == "Reserved":
            _gather(line, reserved)
        elif line["Unit"] == "Hrs" and ((block := line["MarketOption"] == "CapacityBlock") or not listed):
            yield from _priced(line, number(line["PricePerUnit"]), "capacity_block" if block else "on_demand")
    for price in reserved.values():
        if term := TERMS.get(price.line["LeaseContractLength"]):  # the payment at the start is spread over the term
            hourly = price.hourly + price.upfront / HOURS_OF[term]
            yield from _priced(price.line, hourly, term, OPTIONS[price.line["PurchaseOption"]])


def _is_plain(line: Line) -> bool:
    """Return whether a line prices a shared Linux machine without further software."""
    return line["Pre Installed S/W"] in ("", "NA") and all(line[name] == word for name, word in FIXED.items())


def _gather(line: Line, reserved: dict[tuple[str, str], _ReservationPrice]) -> None:
    if line["OfferingClass"] == "standard" and line["PurchaseOption"] in OPTIONS:
        price = reserved.setdefault((line["SKU"], line["OfferTermCode"]), _ReservationPrice(line))
        setattr(price, "hourly" if line["Unit"] == "Hrs" else "upfront", number(line["PricePerUnit"]) or 0.0)


def _plan_prices(rows: ReplyRows, reply: FeedReply) -> Iterator[Observation]:
    """Yield the hourly rates of shared Linux machines under a plan, whatever is paid up front."""
    for line in _lines(rows, reply, PLAN_NEEDED, (SHARED, LINUX)):
        name, family = line["DiscountedInstanceType"], FAMILIES.get(line["Product Family"])
        term = TERMS.get(f"{line['LeaseContractLength']}yr") if line["LeaseContractLengthUnit"] == "year" else None
        is_shared = line["DiscountedUsageType"].endswith(f"{SHARED}{name}") and line["DiscountedOperation"] == LINUX
        if family and term and is_shared and name in machines("aws") and line["PurchaseOption"] in OPTIONS:
            described = {**line, "Instance Type": name, "Region Code": line["DiscountedRegionCode"]}
            product = f"{family}{OPTIONS[line['PurchaseOption']]}"
            yield from _priced(described, number(line["DiscountedRate"]), term, product)


def _lines(rows: ReplyRows, reply: FeedReply, needed: Sequence[str], words: Sequence[str]) -> Iterator[Line]:
    lines = reply.lines()
    header: list[str] = next((next(csv.reader([line])) for line in lines if line.lstrip('"').startswith(HEADER)), [])
    rows.columns(header, needed)
    places = [header.index(name) for name in needed]
    for cells in csv.reader(line for line in lines if all(word in line for word in words)):
        if len(cells) == len(header):
            yield {name: cells[place] for name, place in zip(needed, places, strict=True)}


def _priced(
    line: Mapping[str, Any], price: float | None, purchase: Purchase, product: str = ""
) -> Iterator[Observation]:
    machine = machines("aws")[line["Instance Type"]]
    return offers(
        "aws", machine.accelerator, machine.count, {purchase: price}, currency=line["Currency"],
        region=line["Region Code"], sku=f"{machine.name}{product}", vcpus=number(line.get("vCPU")),
        ram_gb=leading(line.get("Memory")), fabric=machine.fabric,
    )  # fmt: skip


ADVISOR = "https://spot-bid-advisor.s3.amazonaws.com/spot-advisor-data.json"
SHARE_OF_CLASS = {"<5%": 0.025, "5-10%": 0.075, "10-15%": 0.125, "15-20%": 0.175, ">20%": 0.25}  # the last is assumed


@by_rows("AWS's spot advisor")
def read_advisor(ask: Fetcher, rows: ReplyRows) -> Observations:
    """Read how many spot machines AWS takes back within a month: a class for each type, region and system."""
    reply = ask.get(ADVISOR)
    page = reply.json()
    shares = {row["index"]: SHARE_OF_CLASS[row["label"]] for row in rows.list_at(page, "ranges")}
    for region, systems in rows.table_at(page, "spot_advisor").items():
        entries = [{**entry, "name": name} for name, entry in rows.table_at(systems, "Linux").items()]
        yield from rows.read(reply, entries, ("r",), _interruption, region, shares)


def _interruption(entry: Row, region: str, shares: Mapping[int, float]) -> Iterator[InterruptionObservation]:
    if machine := machines("aws").get(entry["name"]):
        yield InterruptionObservation(machine.accelerator, machine.name, region, shares[entry["r"]])


FEED = Feed(
    "aws", "AWS", "https://aws.amazon.com/ec2/pricing/on-demand/",
    ("b0.p.awsstatic.com", "pricing.us-east-1.amazonaws.com"), "public price list; facts cited", read,
    sellers=("aws",), largest_reply_bytes=2_000_000_000,  # read line by line
)  # fmt: skip
FEEDS = (
    FEED,
    Feed(
        "aws-spot-advisor", "AWS's spot advisor", "https://aws.amazon.com/ec2/spot/instance-advisor/",
        ("spot-bid-advisor.s3.amazonaws.com",), "public data; facts cited", read_advisor, kind="interruption",
    ),
)  # fmt: skip
