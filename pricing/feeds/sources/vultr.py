"""Vultr: cloud GPUs, bare metal and dedicated machines, each list to its last page."""

from collections.abc import Iterator

from pricing.choices import Purchase
from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import find_accelerator_any_memory, machines
from pricing.feeds.parsing import (
    MB,
    Observations,
    ReplyRows,
    Row,
    offers,
    pages,
    parse_gigabytes,
    positive,
    text,
    whole,
)
from pricing.feeds.sources import nested

URL = "https://api.vultr.com/v2"
LISTS = (("plans", "vcg"), ("plans", "vdm"), ("plans-metal", ""))
PRICES: dict[Purchase, tuple[str, str]] = {  # the field of the price, and whether it can be ordered so
    "on_demand": ("hourly_cost", "deploy_ondemand"), "spot": ("hourly_cost_preemptible", "deploy_preemptible"),
}  # fmt: skip
UNTRUSTED = "vdm"  # its places are empty although machines are free


def read(ask: Fetcher) -> Observations:
    rows = ReplyRows("Vultr")
    for path, kind in LISTS:
        params = {"per_page": "500"} | ({"type": kind} if kind else {})
        for reply, page in pages(ask, f"{URL}/{path}", params, _next_page):
            plans = rows.list_at(page, path.replace("-", "_"))
            yield from rows.read(reply, plans, ("id", "hourly_cost"), _plan, kind)
    rows.check()


def _next_page(page: Row, params: Row) -> dict[str, str] | None:
    cursor = text(nested(page, "meta", "links", "next"))
    return {**params, "cursor": cursor} if cursor else None


def _plan(plan: Row, kind: str) -> Iterator[AnyObservation]:
    name, machine = text(plan["id"]), machines("vultr").get(text(plan["id"]))
    if machine:
        yield from _priced(plan, kind, machine.accelerator, machine.count)
    elif plan.get("gpu_type"):  # how many there are follows from the memory of all of them
        called, memory = text(plan["gpu_type"]), positive(plan.get("gpu_vram_gb"))
        board = find_accelerator_any_memory("vultr", called)
        if board is None or not board.memory_gb:
            yield UnreadableRow(name, f"unknown accelerators: {called}")
        elif memory:
            yield from _priced(plan, kind, board.accelerator, whole(memory / board.memory_gb))
    elif kind or name.endswith("-gpu"):
        yield UnreadableRow(name, "a machine with unknown accelerators")


def _priced(plan: Row, kind: str, accelerator: str, count: int | None) -> Iterator[Observation]:
    places = plan.get("location_cost") or {}
    for region, price in {"": plan, **places}.items():
        prices: dict[Purchase, object] = {
            purchase: price.get(field) for purchase, (field, flag) in PRICES.items() if plan.get(flag) is not False
        }
        yield from offers(
            "vultr", accelerator, count, prices, region=str(region), sku=text(plan["id"]),
            vcpus=positive(plan.get("vcpu_count") or plan.get("cpu_threads")),
            ram_gb=parse_gigabytes(plan.get("ram"), MB),
            free=None if kind == UNTRUSTED or region else len(set(plan.get("locations") or ()) - set(places)),
        )  # fmt: skip


FEED = Feed(
    "vultr", "Vultr", "https://www.vultr.com/pricing/", ("api.vultr.com",), "public API; facts cited", read,
    sellers=("vultr",),
)  # fmt: skip
