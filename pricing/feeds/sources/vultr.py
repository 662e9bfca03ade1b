"""Vultr: cloud GPUs, machines of one's own (bare metal) and dedicated ones, each list to its last page."""

from collections.abc import Iterator
from typing import Any

from pricing.feeds.feed import AnyObservation, Feed, Fetcher, Observation, UnreadableRow
from pricing.feeds.machines import find_accelerator_any_memory, machines
from pricing.feeds.parsing import MB, Row, Rows, Told, parse_gigabytes, positive, text, whole

URL = "https://api.vultr.com/v2"
LISTS = (("plans", "vcg"), ("plans", "vdm"), ("plans-metal", ""))
PER_PAGE = "500"
UNTRUSTED = "vdm"  # whose places are empty although machines can be had


def read(ask: Fetcher) -> Told:
    """All three lists."""
    rows = Rows("Vultr")
    for path, kind in LISTS:
        cursor = ""
        while True:
            question = (
                {"per_page": PER_PAGE} | ({"type": kind} if kind else {}) | ({"cursor": cursor} if cursor else {})
            )
            reply = ask.get(f"{URL}/{path}", params=question)
            page = reply.json()
            for plan in rows.list_at(page, path.replace("-", "_")):
                yield from rows.each(reply, _plan, plan, kind)
            if not (cursor := text(((page.get("meta") or {}).get("links") or {}).get("next"))):
                break
    rows.check()


def _plan(rows: Rows, plan: Row, kind: str) -> Iterator[AnyObservation]:
    if odd := rows.lacks(plan, "id", "hourly_cost"):
        yield odd
        return
    if plan.get("deploy_ondemand") is False:
        return
    name = text(plan["id"])
    known = machines("vultr").get(name)
    if known:
        yield from _priced(plan, kind, known.accelerator, known.count)
    elif plan.get("gpu_type"):
        yield from _count_from_memory(plan, kind)
    elif kind or name.endswith("-gpu"):
        yield UnreadableRow(name, "a machine whose accelerators are not known")


def _count_from_memory(plan: Row, kind: str) -> Iterator[AnyObservation]:
    """How many there are, from the memory of all of them; a part of one is not rented out by the accelerator."""
    called, memory = text(plan["gpu_type"]), positive(plan.get("gpu_vram_gb"))
    board = find_accelerator_any_memory("vultr", called)
    if board is None or not board.memory_gb:
        yield UnreadableRow(text(plan["id"]), f"accelerators that are not known: {called}")
    elif memory and (count := whole(memory / board.memory_gb)):
        yield from _priced(plan, kind, board.accelerator, count)


def _priced(plan: Row, kind: str, accelerator: str, count: int | None) -> Iterator[Observation]:
    if count is None:
        return
    free = None if kind == UNTRUSTED else len(plan.get("locations") or ())
    common: dict[str, Any] = {
        "seller": "vultr",
        "accelerator": accelerator,
        "count": count,
        "sku": text(plan["id"]),
        "vcpus": positive(plan.get("vcpu_count") or plan.get("cpu_threads")),
        "ram_gb": parse_gigabytes(plan.get("ram"), MB),
        "free": free,
    }
    if price := positive(plan["hourly_cost"]):
        yield Observation(purchase="on_demand", price=price, **common)
    if price := positive(plan.get("hourly_cost_preemptible")):
        yield Observation(purchase="spot", price=price, **common)


FEED = Feed(
    name="vultr",
    label="Vultr",
    page="https://www.vultr.com/pricing/",
    hosts=("api.vultr.com",),
    licence="public API; facts cited",
    read=read,
)
