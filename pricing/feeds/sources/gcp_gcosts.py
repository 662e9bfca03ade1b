"""Google Cloud without a key: the machine prices of all regions that gcosts puts together from the billing catalogue.

The file is read by the depth of its lines, as it has two million letters and only ever one form.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, FeedReply, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import Machine, machines
from pricing.feeds.parsing import HOURS_PER_MONTH, Rows, Told, positive

URL = "https://raw.githubusercontent.com/Cyclenerd/google-cloud-pricing-cost-calculator/master/pricing.yml"
PRICES: dict[str, tuple[Purchase, float]] = {
    "hour": ("on_demand", 1.0), "hour_spot": ("spot", 1.0),
    "month_1y": ("reserved_1y", HOURS_PER_MONTH), "month_3y": ("reserved_3y", HOURS_PER_MONTH),
}  # fmt: skip
WITH_ACCELERATORS = re.compile(r"[ag]([2-9]|\d\d)x?-")  # how families with accelerators are called
INDENT = 2

Path = tuple[str, ...]


def read(ask: Fetcher) -> Told:
    """The one file."""
    reply = ask.get(URL)
    yield from ((reply, one) for one in _told(Rows("gcosts"), reply))


def _told(rows: Rows, reply: FeedReply) -> Iterator[AnyObservation]:
    made: date | None = None
    seen, priced, unknown = 0, 0, set[str]()
    for path, value in _leaves(reply):
        if path == ("about", "timestamp") and (stamp := positive(value)):
            made = datetime.fromtimestamp(stamp, UTC).date()
        if path[:2] == ("compute", "instance") and len(path) == 6 and path[3] == "cost":
            seen += 1
            if path[2] not in machines("gcp"):
                yield from _unknown(path[2], unknown)
                continue
            priced += path[5] in PRICES
            yield from _price(path, value, made)
    if not priced:
        found = f"{seen:,} other prices" if seen else "none at all"
        raise rows.wrong(f"want compute.instance.NAME.cost.REGION.hour of machines with accelerators, got {found}")


def _unknown(name: str, unknown: set[str]) -> Iterator[UnreadableRow]:
    if WITH_ACCELERATORS.match(name) and name not in unknown:
        unknown.add(name)
        yield UnreadableRow(name, "a machine whose accelerators are not known")


def _price(path: Path, value: str, made: date | None) -> Iterator[Observation]:
    _, _, name, _, region, kind = path
    machine, price = machines("gcp")[name], positive(value)
    if kind in PRICES and machine.count and price:
        yield _priced(machine, machine.count, region, kind, price, made)


def _priced(machine: Machine, count: int, region: str, kind: str, price: float, made: date | None) -> Observation:
    purchase, hours = PRICES[kind]
    doubted = machine.on_demand_doubt and purchase == "on_demand"
    return Observation(
        seller="gcp",
        accelerator=machine.accelerator,
        count=count,
        purchase=purchase,
        price=price / hours,
        region=region,
        sku=machine.name,
        vcpus=machine.vcpus,
        ram_gb=machine.ram_gb,
        fabric=machine.fabric,
        doubts=(machine.on_demand_doubt,) if doubted else (),
        day=made,
    )


def _leaves(reply: FeedReply) -> Iterator[tuple[Path, str]]:
    """Each value with the keys above it, from lines such as `      hour: 3.67`."""
    above: list[str] = []
    for line in reply.lines():
        key, colon, value = line.strip().partition(":")
        depth, odd = divmod(len(line) - len(line.lstrip()), INDENT)
        if not colon or odd or depth > len(above):
            continue
        del above[depth:]
        above.append(key.strip("'\""))
        if value.strip():
            yield tuple(above), value.strip()


FEED = Feed(
    name="gcp-gcosts",
    label="gcosts (Google Cloud)",
    page="https://cloud.google.com/compute/gpus-pricing",
    hosts=("raw.githubusercontent.com",),
    licence="Apache-2.0",
    read=read,
    via="third_party",
)
