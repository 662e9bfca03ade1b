"""Sellers' names of machines and accelerators: facts of `data/*.csv`, each row with its source."""

import csv
import re
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from pricing.caching import cached
from pricing.choices import Fabric, Purchase
from pricing.feeds.agreement import FOLDERS
from pricing.feeds.parsing import number, positive, whole

FOLDER = Path(__file__).parent / "data"
ANY = "any"
_FORM = re.compile(r"(?:^|[-_ ])(sxm|pcie|nvl)", re.IGNORECASE)
SAME_MEMORY = 0.08  # a GB is 1e9 bytes to some and 2^30 to others, and a part of it is not for work


@dataclass(frozen=True, slots=True)
class MachineType:
    """A machine that a seller rents out."""

    name: str
    accelerator: str  # id of the catalogue
    count: int | None  # None: only a part of an accelerator
    vcpus: float | None
    ram_gb: float | None
    ssd_gib: float  # local disks that come with it, where they have a price of their own
    fabric: Fabric | None
    on_demand_doubt: str  # why nobody gets its price on demand; empty: it can be ordered

    def describe(self, purchase: Purchase) -> dict[str, Any]:
        """Return the fields of an observation that the table knows."""
        doubts = (self.on_demand_doubt,) if self.on_demand_doubt and purchase == "on_demand" else ()
        return {"vcpus": self.vcpus, "ram_gb": self.ram_gb, "fabric": self.fabric, "doubts": doubts}


@dataclass(frozen=True, slots=True)
class AcceleratorAlias:
    """A seller's name of an accelerator."""

    accelerator: str
    memory_gb: float | None  # None: the name says enough


def table(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a file of facts."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@cached(None)
def machines(seller: str) -> dict[str, MachineType]:
    return {
        row["machine"]: MachineType(
            row["machine"], row["accelerator"], whole(row["count"]), number(row["vcpus"]), positive(row["ram_gb"]),
            number(row["ssd_gib"]) or 0.0,
            cast(Fabric, row["fabric"]) if row["fabric"] in get_args(Fabric) else None, row["on_demand_doubt"],
        )
        for row in table("machines")
        if row["seller"] == seller
    }  # fmt: skip


@cached(None)
def boards(seller: str) -> dict[str, tuple[AcceleratorAlias, ...]]:
    """Return a seller's names of accelerators first, then the common names."""
    aliases: dict[str, tuple[AcceleratorAlias, ...]] = {}
    for row in sorted(table("boards"), key=lambda row: row["seller"] == ANY):
        if row["seller"] in (seller, ANY):
            key = _plain(row["called"])
            aliases[key] = (*aliases.get(key, ()), AcceleratorAlias(row["accelerator"], positive(row["memory_gb"])))
    return aliases


def find_accelerator_any_memory(seller: str, name: str) -> AcceleratorAlias | None:
    """Return the accelerator that a seller calls so, of unknown memory: the seller's own row comes first."""
    return next(iter(boards(seller).get(_plain(name), ())), None)


def accelerator(seller: str, name: str, memory_gb: float | None = None) -> str:
    """Return the catalogue's name of an accelerator; the seller's own name where no table knows better."""
    for alias in boards(seller).get(_plain(name), ()):
        near = alias.memory_gb and memory_gb and abs(memory_gb / alias.memory_gb - 1.0) < SAME_MEMORY
        if alias.memory_gb is None or near:
            return alias.accelerator
    return name


def add_form_factor(name: str, machine: str) -> str:
    """Return an accelerator's name with the form that only the machine's name says: `A100` of `A100-sxm4x8`."""
    form = _FORM.search(machine)
    return f"{name} {form[1]}" if form and form[1].casefold() not in name.casefold() else name


def _plain(name: str) -> str:
    return "".join(mark for mark in name.casefold() if mark.isalnum()).removeprefix("nvidia").removeprefix("tesla")


def regions(seller: str) -> dict[str, str]:
    """Return the regions of a seller whose list has one file for each, with the seller's words for each."""
    return {row["region"]: row["called"] for row in table("regions") if row["seller"] == seller}


@cached(None)
def contracts() -> dict[str, dict[str, str]]:
    """Return of each source what a whole reading names, and the day of the real reply that it was tried on."""
    return {row["source"]: row for row in table("coverage")}


def counts_machines(source: str) -> bool:
    """Return whether a source counts the machines that are free, rather than say where there are some."""
    return source.startswith(FOLDERS) or bool(contracts().get(source, {}).get("counts"))


def uncovered(source: str, names: Set[str], products: int) -> list[str]:
    """Return what a whole reading of a source names, and this one does not."""
    wants = contracts().get(source, {"names": "", "least": "0"})
    few = [f"{int(wants['least']) - products:,} of at least {wants['least']} products"]
    return [name for name in wants["names"].split() if name not in names] + few * (products < int(wants["least"]))


def rule(name: str) -> float:
    """Return a number from a seller's terms."""
    return next(float(row["value"]) for row in table("rules") if row["rule"] == name)
