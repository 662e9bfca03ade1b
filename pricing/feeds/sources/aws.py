"""AWS: its bulk price list, one region at a time and line by line, as a region's file has hundreds of megabytes.

On demand, reserved for one and three years (standard, with nothing, a part or all paid up front), and capacity blocks
where a price of them is published.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, FeedReply, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import Machine, machines, regions
from pricing.feeds.parsing import HOURS_OF, TERMS, Rows, Told, leading, number, read_parts, whole

URL = "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/{region}/index.csv"
HEADER = '"SKU"'  # the first word of the header, behind some lines of small print
WANTED = (
    "SKU", "OfferTermCode", "TermType", "Unit", "PricePerUnit", "Currency", "LeaseContractLength", "PurchaseOption",
    "OfferingClass", "Instance Type", "vCPU", "Memory", "Tenancy", "Operating System", "CapacityStatus", "GPU",
    "Pre Installed S/W", "Region Code", "MarketOption",
)  # fmt: skip
HELD = {"Tenancy": "Shared", "Operating System": "Linux", "CapacityStatus": "Used", "Currency": "USD"}
QUOTED = tuple(f'"{word}"' for word in ("Linux", "Shared", "USD"))  # a line without them is not worth taking apart
OPTIONS = {"No Upfront": "", "Partial Upfront": ", partly upfront", "All Upfront": ", all upfront"}

Line = dict[str, str]


@dataclass
class _ReservationPrice:
    """One reservation, gathered from its two lines: what an hour costs, and what is paid at the start."""

    line: Line
    hourly: float = 0.0
    upfront: float = 0.0


def read(ask: Fetcher) -> Told:
    """All regions that are asked."""
    rows = Rows("AWS")
    unknown: set[str] = set()
    return read_parts(regions("aws"), lambda region: _region(rows, ask.get(URL.format(region=region)), unknown))


def _region(rows: Rows, reply: FeedReply, unknown: set[str]) -> Told:
    yield from ((reply, one) for one in _prices(rows, reply, unknown))


def _prices(rows: Rows, reply: FeedReply, unknown: set[str]) -> Iterator[AnyObservation]:
    reserved: dict[tuple[str, str], _ReservationPrice] = {}
    for line in _lines(rows, reply):
        machine = machines("aws").get(line["Instance Type"])
        if machine is None:
            yield from _unknown(line, unknown)
        elif line["TermType"] == "Reserved":
            _gather(line, reserved)
        elif machine.count and line["Unit"] == "Hrs" and (price := number(line["PricePerUnit"])):
            block = line["MarketOption"] == "CapacityBlock"
            yield _priced(line, machine, machine.count, price, "capacity_block" if block else "on_demand")
    for found in reserved.values():
        yield from _amortized_reservations(found)


def _lines(rows: Rows, reply: FeedReply) -> Iterator[Line]:
    """The lines that price a shared Linux machine without further software."""
    lines = reply.lines()
    header: list[str] = next((next(csv.reader([line])) for line in lines if line.startswith(HEADER)), [])
    rows.columns(header, WANTED)
    places = [header.index(name) for name in WANTED]
    for cells in csv.reader(line for line in lines if all(word in line for word in QUOTED)):
        if len(cells) == len(header):
            line = {name: cells[place] for name, place in zip(WANTED, places, strict=True)}
            if all(line[name] == word for name, word in HELD.items()) and line["Pre Installed S/W"] in ("", "NA"):
                yield line


def _unknown(line: Line, unknown: set[str]) -> Iterator[UnreadableRow]:
    name = line["Instance Type"]
    if whole(line["GPU"]) and name not in unknown:
        unknown.add(name)
        yield UnreadableRow(name, f"a machine with {line['GPU']} accelerators that are not known")


def _gather(line: Line, reserved: dict[tuple[str, str], _ReservationPrice]) -> None:
    if line["OfferingClass"] != "standard" or line["PurchaseOption"] not in OPTIONS:
        return
    found = reserved.setdefault((line["SKU"], line["OfferTermCode"]), _ReservationPrice(line))
    price = number(line["PricePerUnit"]) or 0.0
    if line["Unit"] == "Hrs":
        found.hourly = price
    else:
        found.upfront = price


def _amortized_reservations(found: _ReservationPrice) -> Iterator[Observation]:
    """What is paid at the start is spread over the hours of the term."""
    line = found.line
    machine, term = machines("aws")[line["Instance Type"]], TERMS.get(line["LeaseContractLength"])
    if machine.count and term and (price := found.hourly + found.upfront / HOURS_OF[term]):
        yield _priced(line, machine, machine.count, price, term, OPTIONS[line["PurchaseOption"]])


def _priced(
    line: Line, machine: Machine, count: int, price: float, purchase: Purchase, product: str = ""
) -> Observation:
    return Observation(
        seller="aws",
        accelerator=machine.accelerator,
        count=count,
        purchase=purchase,
        price=price,
        currency=line["Currency"],
        region=line["Region Code"],
        sku=f"{machine.name}{product}",
        vcpus=number(line["vCPU"]),
        ram_gb=leading(line["Memory"]),
        fabric=machine.fabric,
    )


FEED = Feed(
    name="aws",
    label="AWS",
    page="https://aws.amazon.com/ec2/pricing/on-demand/",
    hosts=("pricing.us-east-1.amazonaws.com",),
    licence="public price list; facts cited",
    read=read,
    largest_reply_bytes=2_000_000_000,  # read line by line
)
