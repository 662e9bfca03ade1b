"""The closed lists of words that select prices. They load nothing, so that `--help` lists them at once."""

from typing import Literal, get_args

Purchase = Literal[
    "on_demand", "spot", "reserved_1m", "reserved_3m", "reserved_6m", "reserved_1y", "reserved_2y", "reserved_3y",
    "capacity_block",
]  # fmt: skip
Area = Literal[
    "north_america", "south_america", "europe", "asia", "middle_east", "africa", "oceania", "anywhere", "not_stated",
]  # fmt: skip

# What is sold: somebody's machine at a market, some accelerators of a machine, whole machines, machines with a network
# between them that the price holds, and work without machines.
SoldAs = Literal["bid", "pod", "machine", "cluster", "serverless"]
# What joins the accelerators of several machines. `ethernet` is the ordinary network that everything has; `not_stated`
# is a fast one whose seller does not say which.
Fabric = Literal["infiniband", "roce", "efa", "gpudirect", "nvlink_domain", "ici", "not_stated", "ethernet"]
Orders = Literal["anyone", "verified", "on_request"]

# What a price rests on, weakest first. The order is what `least_trust` compares.
Trust = Literal["estimated", "collected", "published", "API", "quote", "yours"]
TRUST_ORDER: dict[str, int] = {word: rank for rank, word in enumerate(get_args(Trust))}
Customer = Literal["household", "firm", "large"]  # of electricity
Mains = Literal[120, 230]  # volts of the sockets: 100 to 127 count as 120
Channel = Literal["stock", "used", "standard", "priority"]  # of a purchase
MachineKind = Literal["server", "rack", "workstation", "mac", "small_box"]
