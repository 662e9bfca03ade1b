"""Google Cloud without a key: the machine prices of all regions that gcosts puts together from the billing catalogue.

The file is read by the depth of its lines, as it has two million letters and only ever one form.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, FeedReply, Fetcher, UnreadableRow
from pricing.feeds.machines import machines
from pricing.feeds.parsing import HOURS_PER_MONTH, Observations, ReplyRows, offers, positive

URL = "https://raw.githubusercontent.com/Cyclenerd/google-cloud-pricing-cost-calculator/master/pricing.yml"
PRICES: dict[str, tuple[Purchase, float]] = {
    "hour": ("on_demand", 1.0), "hour_spot": ("spot", 1.0),
    "month_1y": ("reserved_1y", HOURS_PER_MONTH), "month_3y": ("reserved_3y", HOURS_PER_MONTH),
}  # fmt: skip
WITH_ACCELERATORS = re.compile(r"[ag]([2-9]|\d\d)x?-")  # names of families with accelerators
INDENT = 2


def read(ask: Fetcher) -> Observations:
    reply = ask.get(URL)
    yield from ((reply, observation) for observation in _observations(ReplyRows("gcosts"), reply))


def _observations(rows: ReplyRows, reply: FeedReply) -> Iterator[AnyObservation]:
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


FEED = Feed(
    "gcp-gcosts", "gcosts (Google Cloud)", "https://cloud.google.com/compute/gpus-pricing",
    ("raw.githubusercontent.com",), "Apache-2.0", read, via="third_party", sellers=("gcp",),
)  # fmt: skip
