"""What sellers call their machines, and what is in them: facts of `data/*.csv`, each row with its source."""

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from pricing.caching import cached
from pricing.choices import Fabric
from pricing.feeds.parsing import number, positive, whole

FOLDER = Path(__file__).parent / "data"
ANY = "any"
_FORM = re.compile(r"(?:^|[-_ ])(sxm|pcie|nvl)", re.IGNORECASE)
SAME_MEMORY = 0.08  # a GB is 1e9 bytes to some, 2^30 to others, and a part of it is not for work


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that a seller rents out."""

    name: str
    accelerator: str  # id of the catalogue
    count: int | None  # None: only a part of an accelerator
    vcpus: float | None
    ram_gb: float | None
    fabric: Fabric | None
    on_demand_doubt: str  # why its price on demand is not one that can be had; empty: it can


@dataclass(frozen=True, slots=True)
class AcceleratorAlias:
    """What a seller calls an accelerator."""

    accelerator: str
    memory_gb: float | None  # None: the name says enough


def table(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a file of facts."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@cached(None)
def machines(seller: str) -> dict[str, Machine]:
    """All that is known of a seller's machines, by what it calls them."""
    return {row["machine"]: _machine(row) for row in table("machines") if row["seller"] == seller}


@cached(None)
def boards(seller: str) -> dict[str, tuple[AcceleratorAlias, ...]]:
    """What a seller calls its accelerators, and then what all call them."""
    found: dict[str, tuple[AcceleratorAlias, ...]] = {}
    for row in sorted(table("boards"), key=lambda row: row["seller"] == ANY):
        if row["seller"] in (seller, ANY):
            key = _plain(row["called"])
            found[key] = (*found.get(key, ()), AcceleratorAlias(row["accelerator"], positive(row["memory_gb"])))
    return found


def board(seller: str, called: str, memory_gb: float | None = None) -> AcceleratorAlias | None:
    """The accelerator that a seller calls so; where two are called alike, the one with that memory."""
    for one in boards(seller).get(_plain(called), ()):
        near = one.memory_gb and memory_gb and abs(memory_gb / one.memory_gb - 1.0) < SAME_MEMORY
        if one.memory_gb is None or near:
            return one
    return None


def find_accelerator_any_memory(seller: str, called: str) -> AcceleratorAlias | None:
    """The accelerator that a seller calls so, where its memory is not said: the seller's own row comes first."""
    return next(iter(boards(seller).get(_plain(called), ())), None)


def accelerator(seller: str, called: str, memory_gb: float | None = None) -> str:
    """The catalogue's name of what a seller calls so; its own name where no table knows better."""
    found = board(seller, called, memory_gb)
    return found.accelerator if found else called


def add_form_factor(called: str, machine: str) -> str:
    """An accelerator with how it is built in, where only the machine's name says that: `A100` of `A100-sxm4x8`."""
    form = _FORM.search(machine)
    return f"{called} {form[1]}" if form and form[1].casefold() not in called.casefold() else called


def _plain(called: str) -> str:
    return "".join(mark for mark in called.casefold() if mark.isalnum()).removeprefix("nvidia").removeprefix("tesla")


def regions(seller: str) -> tuple[str, ...]:
    """Which regions of a seller are asked, where its list has one file for each."""
    return tuple(row["region"] for row in table("regions") if row["seller"] == seller)


def rule(name: str) -> float:
    """A number out of a seller's terms."""
    return next(float(row["value"]) for row in table("rules") if row["rule"] == name)


def _machine(row: dict[str, str]) -> Machine:
    fabric = row["fabric"]
    return Machine(
        name=row["machine"],
        accelerator=row["accelerator"],
        count=whole(row["count"]),
        vcpus=number(row["vcpus"]),
        ram_gb=positive(row["ram_gb"]),
        fabric=cast(Fabric, fabric) if fabric in get_args(Fabric) else None,
        on_demand_doubt=row["on_demand_doubt"],
    )
