"""The machine to buy: a server at its own price, or accelerators with a host; your price first, then the newest."""

import math
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any

from planner.money.owning.likely_price import EstimatedPrice, estimated_price
from planner.money.setting import PlanContext
from planner.scenario.own import Place
from pricing import Catalogue, Figure
from pricing.caching import cached
from pricing.choices import MachineKind, Trust
from pricing.query import servers_with, trust
from pricing.record import Host
from pricing.records import Accelerator, Server

_MOST_CARDS = 10  # of one server
# How many accelerators share a board or a frame, by how the form factor begins.
_BOARDS = {"SXM": 8, "OAM": 8, "module": 8, "not stated": 8, "APU socket": 4, "NVL72": 72, "rack": 72}
ABOUT = ", at about what others of its kind cost"
_MOST_AT_HOME = 1  # accelerators that stand at a desk unless the plan says otherwise
_MOST_IN_OFFICE = {"consumer": 4, "desktop": 4, "workstation": 2}  # of one machine
_MOST_AT_DESKS = 16  # cards for private people whose jobs take one each: those of a small studio, assumed


def usual_place(catalogue: Catalogue, accelerator: str, count: int, *, is_single: bool) -> Place:
    """Return where so many accelerators stand: a few cards of desks at one, all others in a data centre.

    `is_single`: each job takes one accelerator, so that more cards for private people stand at several desks.
    """
    chip = catalogue.accelerators.get(accelerator)
    most = 0 if chip is None else _MOST_IN_OFFICE.get(chip.hardware_class, 0)
    most = _MOST_AT_DESKS if is_single and most > _MOST_IN_OFFICE["workstation"] else most
    if chip is None or count > most:
        return "colocation"
    return "home" if count <= _MOST_AT_HOME and chip.hardware_class != "workstation" else "office"


def usual_place_of(setting: PlanContext, count: int) -> Place:
    """Return where so many accelerators of a plan stand unless it says otherwise."""
    return usual_place(setting.catalogue, setting.scenario.accelerator, count, is_single=has_single_jobs(setting))


def place_of_count(setting: PlanContext, count: int) -> Place:
    """Return where so many stand: yours, else the usual place; no room is built for machines of a desk."""
    yours, usual = setting.scenario.own.place, usual_place_of(setting, count)
    return "office" if yours == "own_room" and usual != "colocation" else yours or usual


def place_key(setting: PlanContext) -> Place:
    """Return where the fleet of a plan stands."""
    return place_of_count(setting, fleet(setting))


def has_single_jobs(setting: PlanContext) -> bool:
    """Return whether each job is stated to take one accelerator, or each person has one."""
    works = setting.written.work
    return all(work.accelerators_per_job == 1 or work.people == work.accelerators for work in works)


@dataclass(frozen=True)
class PurchaseQuote:
    """The purchase by the catalogue: the machine, its price and the source. Your own price wins over it."""

    usd: tuple[float, float, float]  # low, typical, high: of a server, or of one accelerator
    source: str
    url: str | None  # none where it follows from what others cost
    since: date | None
    checked: date | None
    trust: Trust
    what: str
    accelerators_per_server: int
    site_label: str


@dataclass(frozen=True)
class Machine:
    label: str
    accelerators: int  # in one server
    is_known_product: bool  # such a server is known to be sold; else its size is a guess, or yours
    price: Figure | None  # None where only you know it
    is_priced_whole: bool  # the price is for the server, not for one accelerator
    power: Figure | None  # rated draw of the server
    tdp: Figure | None  # of one accelerator
    accelerator_price: Figure | None  # price of one accelerator, where it is known beside the server's
    what: str  # one of them, in words: workstation with 2 x RTX 4090 24 GB
    plural: str = ""  # several of them; empty where it is a product with a name
    estimate: EstimatedPrice | None = None  # of one accelerator, where nobody publishes a price
    kind: MachineKind = "server"
    is_complete: bool = False  # the accelerator is the machine: a Mac
    host: Host | None = None  # what is bought off the shelf: around cards, or complete
    busy_power: Figure | None = None  # draw of the machine while it works, where it was measured
    idle_power: Figure | None = None

    @property
    def holds_cards(self) -> bool:
        """Return whether it is a machine into which cards are put that are bought for themselves."""
        return self.host is not None and not self.is_complete

    def order_text(self, accelerators: int) -> str:
        """The order for so many accelerators: one workstation with 2 x RTX 4090 24 GB."""
        machines = math.ceil(accelerators / self.accelerators)
        if not self.plural:
            return self.what
        return f"one {self.what}" if machines == 1 else f"{machines:,} {self.plural}"

    @property
    def price_formula(self) -> str:
        """The formula for the price of a machine whose accelerators are bought with it."""
        if self.is_priced_whole:
            return "usd_per_server"
        beside = "" if self.is_complete else " * (1 + host_share)"
        return f"usd_per_accelerator * accelerators_per_server{beside}"


def buying(setting: PlanContext) -> PurchaseQuote | None:
    """Return the purchase by a published or an estimated price; None where there is neither."""
    catalogue = setting.catalogue
    what = _best(catalogue, _published(setting)) or _estimated_machine(setting)
    if what is None:
        return None
    about = (what.what, what.accelerators, catalogue.sites[setting.scenario.site].label)
    if what.price is None:
        estimate = what.estimate
        assert estimate is not None  # a machine without either is not estimated
        usd = (estimate.low, estimate.typical, estimate.high)
        return PurchaseQuote(usd, estimate.note, None, None, None, "estimated", *about)
    value, source = what.price.newest, catalogue.sources[what.price.newest.source]
    usd = (value.low or value.typical, value.typical, value.high or value.typical)
    since, checked = what.price.since, what.price.checked
    return PurchaseQuote(usd, source.title, source.url, since, checked, trust(catalogue, value), *about)


@cached(
    64,
    same=lambda setting: (setting.catalogue, setting.scenario.own),
    equal=lambda setting: (setting.scenario.accelerator, fleet(setting), has_single_jobs(setting)),
)
def machine(setting: PlanContext) -> Machine | None:
    """Return the machine to buy: one you have a price for, else the newest price of the catalogue, else an estimate."""
    own = setting.scenario.own
    published = _best(setting.catalogue, _published(setting))
    if own.usd_per_server is None and own.usd_per_accelerator is None and own.capex_usd is None:
        return published or _estimated_machine(setting)
    plain = _unpriced(setting, only_priced=False)
    if own.usd_per_server is not None:
        return replace(plain, is_priced_whole=True)
    return replace(plain, is_priced_whole=False) if own.usd_per_accelerator is not None else published or plain


def stands_in(setting: PlanContext) -> Machine:
    """Return the machine around the accelerators of the plan, whether or not anybody sells it."""
    return machine(setting) or _unpriced(setting, only_priced=False)


def _published(setting: PlanContext) -> list[Machine]:
    """Every machine with a price: servers of the size you entered, and the accelerator with a host around it."""
    catalogue, accelerator = setting.catalogue, setting.scenario.accelerator
    size = setting.scenario.own.accelerators_per_server
    plain = _unpriced(setting, only_priced=True)
    at_desks, machines = plain.holds_cards and _is_among_people(setting), []
    for server in servers_with(catalogue, accelerator):
        if server.price_usd is None or size not in (None, server.accelerators):
            continue
        if at_desks and (server.kind in ("server", "rack") or server.accelerators > plain.accelerators):
            continue
        # The measured draw of a machine; a server's is a share of its rating, which has a range.
        power: dict[str, Any] = {} if server.kind in ("server", "rack") else {
            "busy_power": server.typical_power_w, "idle_power": server.idle_power_w}  # fmt: skip
        machines.append(replace(
            plain, label=server.label, what=server.label, plural="", accelerators=server.accelerators,
            is_known_product=True, price=server.price_usd, is_priced_whole=True, is_complete=False,
            power=server.max_power_w, kind=server.kind, host=None, **power))  # fmt: skip
    if plain.accelerator_price is not None and not catalogue.accelerators[accelerator].rent_only:
        machines.append(replace(plain, price=plain.accelerator_price))
    return machines


def _estimated_machine(setting: PlanContext) -> Machine | None:
    """The accelerator with a host around it, at its estimated price; None where there is none."""
    estimate = estimated_price(setting.catalogue, setting.scenario.accelerator)
    plain = _unpriced(setting, only_priced=False)
    if estimate is None:
        return None
    return replace(plain, estimate=estimate, what=f"{plain.what}{ABOUT}", plural=f"{plain.plural}{ABOUT}")


def _unpriced(setting: PlanContext, *, only_priced: bool) -> Machine:
    """The accelerator with a host around it, in servers of the size you entered, or that are sold."""
    catalogue, accelerator = setting.catalogue, setting.scenario.accelerator
    chip = catalogue.accelerators.get(accelerator)  # none where the name may mean several
    label = catalogue.accelerator_label(accelerator)
    size = setting.scenario.own.accelerators_per_server
    servers = [
        server
        for server in servers_with(catalogue, accelerator)
        if size in (None, server.accelerators) and not (only_priced and server.price_usd is None)
    ]
    like = max(servers, key=partial(_size_preference, fleet=fleet(setting)), default=None)
    if host := _host(setting, like):
        chip = setting.catalogue.accelerators[setting.scenario.accelerator]
        needed = max(fleet(setting), 1)  # of no work at all, one
        machines = -(-needed // host.accelerators)
        cards = setting.scenario.own.accelerators_per_server or -(-needed // machines)
        return Machine(
            label=host.label, accelerators=cards, is_known_product=True, price=None, is_priced_whole=False,
            power=host.max_power_w if chip.whole_machine else None, tdp=chip.tdp_w, accelerator_price=chip.price_usd,
            **_singular_and_plural("" if chip.whole_machine else "workstation", chip.label, cards),
            kind=host.kind, is_complete=chip.whole_machine, host=host,
            busy_power=host.typical_power_w, idle_power=host.idle_power_w,
        )  # fmt: skip
    count = size or (_size_of_server(chip, max(fleet(setting), 1)) if like is None else like.accelerators)
    return Machine(
        label=label, accelerators=count, is_known_product=like is not None, price=None, is_priced_whole=False,
        power=None if like is None else like.max_power_w, tdp=chip.tdp_w if chip else None,
        accelerator_price=chip.price_usd if chip else None, **_singular_and_plural("server", label, count),
        is_complete=chip is not None and chip.whole_machine and setting.scenario.own.host_share is None,
    )  # fmt: skip


def _size_of_server(chip: Accelerator | None, fleet: int) -> int:
    """Return how many a server holds of a chip that is in no known server: boards as built, cards as they fit."""
    if chip is None or chip.rent_only:
        return 1
    if chip.form_factor.startswith("PCIe"):
        sizes = range(1, min(fleet, _MOST_CARDS) + 1)
        return min(sizes, key=lambda size: (-(-fleet // size) * (size + 1), -size))
    return next((size for form, size in _BOARDS.items() if chip.form_factor.startswith(form)), 1)


def _host(setting: PlanContext, like: Server | None) -> Host | None:
    """The smallest machine off the shelf that holds the cards; none where a server is for more of them."""
    catalogue, accelerator, own = setting.catalogue, setting.scenario.accelerator, setting.scenario.own
    chip, hosts = catalogue.accelerators.get(accelerator), catalogue.hosts.values()
    if chip is None or chip.rent_only or own.host_share is not None:
        return None
    for_it = [host for host in hosts if accelerator in host.takes] or [
        host for host in hosts if chip.form_factor in host.form_factors and accelerator not in host.not_for
    ]
    by_size = sorted(for_it, key=lambda host: host.accelerators)
    holding = [host for host in by_size if host.accelerators >= (own.accelerators_per_server or fleet(setting))]
    if holding or own.accelerators_per_server is not None or not by_size:
        return holding[0] if holding else None
    if _is_among_people(setting):
        return by_size[0 if has_single_jobs(setting) else -1]
    return None if like is not None and like.accelerators > by_size[-1].accelerators else by_size[-1]


def _is_among_people(setting: PlanContext) -> bool:
    return setting.catalogue.places[place_key(setting)].people_beside


def _singular_and_plural(machine: str, chip: str, cards: int) -> dict[str, Any]:
    """One such machine and several: workstation with 2 x RTX 4090 24 GB, workstations with 2 x RTX 4090 24 GB each."""
    if not machine:
        return {"what": f"whole {chip}", "plural": f"whole {chip}"}
    return {"what": f"{machine} with {cards} x {chip}", "plural": f"{machine}s with {cards} x {chip} each"}


def fleet(setting: PlanContext) -> int:
    """Return the fleet size: your number, else as many as the work needs at once. [count]"""
    own = setting.scenario.own
    ordered = sum(order.accelerators for order in own.orders)
    return own.accelerators or ordered or setting.demand.all.peak_accelerators


def _size_preference(server: Server, fleet: int) -> tuple[bool, int, bool, bool]:
    """The smallest server that holds the fleet, else the largest; two GPUs do not want a machine for eight."""
    holds = server.accelerators >= fleet
    size = -server.accelerators if holds else server.accelerators
    return (holds, size, server.price_usd is not None, server.max_power_w is not None)


def _best(catalogue: Catalogue, choices: list[Machine]) -> Machine | None:
    def sort_key(what: Machine) -> tuple[bool, str, bool, bool]:
        if what.price is None:
            return (False, "", False, False)
        yours = catalogue.sources[what.price.newest.source].via == "yours"
        return (yours, what.price.since.isoformat(), what.is_priced_whole, what.power is not None)

    return max(choices, key=sort_key, default=None)
