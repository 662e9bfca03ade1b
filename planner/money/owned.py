"""What buying and running costs: a first, simple total over the plan, not discounted, without tax.

Whole servers and spares, the network between them, disks, a contracted place to stand, electricity by what is drawn,
people, upkeep, and what the hardware fetches at the end. Each is a line; each input is a figure of the catalogue. Three
runs of the same lines give the range: everything dear and little resale, typical, everything cheap and much resale.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from planner.inputs.need import MONTHS_PER_YEAR, Need
from planner.money.formula import formula
from planner.money.ledger import COMPUTED, CONVENTION, YOUR_INPUT, Ledger, Line, Origin, Part, Used
from planner.money.origin import origin
from planner.money.timeline import Timeline
from pricing import Catalogue, Figure
from pricing.figure import Value
from pricing.query import Trust, trust

Case = Literal["low", "typical", "high"]  # of cost: "low" takes the cheap end of each figure

# The facts of owning, by the name the formulas use and the id in the catalogue.
FACTS: dict[str, str] = {
    "spare_share": "owned-spare-nodes-share",
    "usd_per_tb_of_disk": "owned-storage-usd-per-tb",
    "install_share": "install-share",
    "maintenance_share_per_year": "maintenance-share",
    "insurance_share_per_year": "insurance-share",
    "fte_per_accelerator": "staff-fte-per-accelerator",
    "usd_per_fte_year": "staff-salary",
    "busy_power_share": "power-share-training",
    "idle_power_share": "power-share-idle",
}
NETWORK_TIERS: tuple[tuple[int, str], ...] = (
    (512, "network-to-512"),
    (16_384, "network-to-16k"),
)
HOST_SHARE = "host-share"
HOST_POWER = "server-power-over-tdp"
CURVE = "owned-residual"

SERVERS = "ceil(accelerators * (1 + spare_share * many) / accelerators_per_server)"


NOT_PUBLISHED = Origin("not published: not priced", "unknown")


@dataclass(frozen=True)
class Buying:
    """The typical ledger, those at the ends of the range, and what the price rests on."""

    ledger: Ledger
    low: Ledger
    high: Ledger
    price: Figure
    price_url: str
    trust: Trust
    what: str
    accelerators_per_server: int
    site_label: str
    busy_accelerator_hours: float

    @property
    def total_usd(self) -> float:
        """Hardware to resale, over the plan."""
        return float(self.ledger.total_usd)

    @property
    def low_usd(self) -> float:
        """The total with every figure at its cheap end."""
        return float(self.low.total_usd)

    @property
    def high_usd(self) -> float:
        """The total with every figure at its dear end."""
        return float(self.high.total_usd)

    @property
    def usd_per_busy_hour(self) -> float:
        """The total over the useful accelerator-hours."""
        return self.total_usd / self.busy_accelerator_hours


@dataclass
class _Inputs:
    """Figures as one case takes them, each with its origin."""

    catalogue: Catalogue
    case: Case
    used: dict[str, Used] = field(default_factory=dict)

    def say(self, name: str, value: float, unit: str, where: Origin) -> None:
        self.used[name] = Used(name, value, unit, where)

    def figure(self, name: str, figure: Figure) -> None:
        self.say(name, _end(figure.newest, self.case), figure.unit, origin(self.catalogue, figure))

    def figure_or_unknown(self, name: str, figure: Figure | None) -> None:
        if figure is None:
            self.say(name, float("nan"), "unknown", NOT_PUBLISHED)
        else:
            self.figure(name, figure)

    def line(self, name: str, part: Part, how: str, note: str | None = None) -> Line:
        return Line(name, part, how, tuple(self.used[one] for one in formula(how).names), note)


def buying(catalogue: Catalogue, need: Need) -> Buying | None:
    """The cost of buying, or None where nobody publishes a price for the accelerator or a server with it."""
    machine = _machine(catalogue, need)
    if machine is None:
        return None
    ledgers = {case: _ledger(catalogue, need, machine, case) for case in ("low", "typical", "high")}
    value = machine.price.newest
    source = catalogue.sources[value.source]
    return Buying(
        ledger=ledgers["typical"],
        low=ledgers["low"],
        high=ledgers["high"],
        price=machine.price,
        price_url=source.url,
        trust=trust(catalogue, value),
        what=machine.what,
        accelerators_per_server=machine.accelerators,
        site_label=catalogue.sites[need.site].label,
        busy_accelerator_hours=need.busy_accelerator_hours,
    )


def typical(catalogue: Catalogue, need: Need) -> Ledger | None:
    """The ledger of buying at typical figures alone."""
    machine = _machine(catalogue, need)
    return None if machine is None else _ledger(catalogue, need, machine, "typical")


@dataclass(frozen=True)
class _Machine:
    """What is bought: a server at its own price, or accelerators with a host around them."""

    label: str
    accelerators: int
    price: Figure
    whole: bool  # the price is for the server, not for one accelerator
    power: Figure | None  # rated draw of the server
    tdp: Figure | None  # of one accelerator
    what: str

    @property
    def usd(self) -> str:
        """How a server's price is had."""
        return "usd_per_server" if self.whole else "usd_per_accelerator * accelerators_per_server * (1 + host_share)"

    @property
    def kw(self) -> str:
        """How a server's rated power is had."""
        if self.power is not None:
            return "rated_w_per_server / 1000"
        return "tdp_w * accelerators_per_server * server_power_over_tdp / 1000"


def _machine(catalogue: Catalogue, need: Need) -> _Machine | None:
    """What to buy, at the newest price there is: your own first, then a server's, or its accelerators' with a host."""
    chip = catalogue.accelerators[need.accelerator]
    servers = [
        _Machine(
            server.label, server.accelerators, server.price_usd, True, server.max_power_w, chip.tdp_w, server.label
        )
        for _, server in sorted(catalogue.servers.items())
        if server.accelerator == need.accelerator and server.price_usd is not None
    ]
    choices = list(servers)
    if chip.price_usd is not None and not chip.rent_only:
        like = max(servers, key=lambda one: (one.power is not None, one.accelerators), default=None)
        per_server, power = (like.accelerators, like.power) if like else (1, None)
        what = f"{chip.label} with a host around {'them' if per_server > 1 else 'it'}"
        choices.append(_Machine(chip.label, per_server, chip.price_usd, False, power, chip.tdp_w, what))
    return max(choices, key=lambda one: _preference(catalogue, one), default=None)


def _preference(catalogue: Catalogue, machine: _Machine) -> tuple[bool, str, bool, bool]:
    newest = machine.price.newest
    yours = catalogue.sources[newest.source].via == "yours"
    return (yours, machine.price.since.isoformat(), machine.whole, machine.power is not None)


def _ledger(catalogue: Catalogue, need: Need, machine: _Machine, case: Case) -> Ledger:
    put = _Inputs(catalogue, case)
    _plan(put, need)
    _hardware(put, need, machine)
    _place(put, need)
    _resale(put, need)
    people = "runs * accelerators * fte_per_accelerator * usd_per_fte_year / 12"
    hardware = f"{SERVERS} * {machine.usd}"
    draw = "busy_share * busy_power_share + (1 - busy_share) * idle_power_share"
    lines = (
        put.line("Servers, with spares", "hardware", f"starts * {hardware}"),
        put.line("Installation", "hardware", f"starts * {hardware} * install_share"),
        put.line("Network between servers", "network", "starts * accelerators * usd_per_accelerator_of_network * many"),
        put.line("Disks", "storage", "starts * storage_tb * usd_per_tb_of_disk"),
        put.line("Space, by contracted power", "space", f"{SERVERS} * {machine.kw} * usd_per_kw_month * runs"),
        put.line(
            "Electricity, by what is drawn",
            "power",
            f"{SERVERS} * {machine.kw} * ({draw}) * pue * usd_per_kwh * hours_per_month * runs",
        ),
        put.line("People", "staff", people),
        put.line(
            "Maintenance and insurance",
            "upkeep",
            f"runs * {hardware} * (maintenance_share_per_year + insurance_share_per_year) / 12",
        ),
        put.line("Resale at the end", "resale", f"-1 * ends * {hardware} * residual_share"),
    )
    return Ledger(f"Buy ({catalogue.sites[need.site].label})", lines)


def _plan(put: _Inputs, need: Need) -> None:
    put.say("accelerators", float(need.accelerators), "accelerators", YOUR_INPUT)
    put.say("busy_share", need.busy_share, "share of hours", YOUR_INPUT)
    for flag in Timeline(need.months).flags:
        put.used[flag.name] = flag
    put.say("hours_per_month", need.hours_per_month, "hours", CONVENTION)
    put.say("storage_tb", need.storage_tb, "TB", YOUR_INPUT)
    for name, fact in FACTS.items():
        put.figure(name, put.catalogue.facts[fact].figure)


def _hardware(put: _Inputs, need: Need, machine: _Machine) -> None:
    put.say("accelerators_per_server", float(machine.accelerators), "accelerators", Origin(machine.label, "spec"))
    many = float(need.accelerators > machine.accelerators)
    put.say("many", many, "1 if more than one server", COMPUTED)
    put.figure("usd_per_server" if machine.whole else "usd_per_accelerator", machine.price)
    put.figure("host_share", put.catalogue.facts[HOST_SHARE].figure)
    put.figure("server_power_over_tdp", put.catalogue.facts[HOST_POWER].figure)
    put.figure("usd_per_accelerator_of_network", put.catalogue.facts[_network(need.accelerators)].figure)
    put.figure_or_unknown("rated_w_per_server", machine.power)
    put.figure_or_unknown("tdp_w", machine.tdp)


def _network(accelerators: int) -> str:
    tiers = [most for most, _ in NETWORK_TIERS]
    return NETWORK_TIERS[min(bisect_right(tiers, accelerators - 1), len(tiers) - 1)][1]


def _place(put: _Inputs, need: Need) -> None:
    for name, attribute in (
        ("usd_per_kwh", "usd_per_kwh"),
        ("pue", "pue"),
        ("usd_per_kw_month", "colocation_usd_per_kw_month"),
    ):
        found = put.catalogue.site_figure(need.site, attribute)
        put.figure_or_unknown(name, found and found[1])


def _resale(put: _Inputs, need: Need) -> None:
    """The share of the price left at the end: read off the curve, beyond its last age falling as in its last year."""
    curve = put.catalogue.residuals[CURVE]
    shares = {"low": curve.high, "typical": curve.typical, "high": curve.low}[put.case] or curve.typical
    source = put.catalogue.sources[curve.source]
    share = _left((0, *curve.age_months), (1.0, *shares), need.years * MONTHS_PER_YEAR)
    put.say("residual_share", share, "share", Origin(source.title, curve.kind, url=source.url, note=curve.note))


def _left(ages: tuple[int, ...], shares: tuple[float, ...], age: float) -> float:
    if age > ages[-1]:
        last = shares[-1] / shares[-2]
        return float(shares[-1] * last ** ((age - ages[-1]) / (ages[-1] - ages[-2])))
    return float(np.interp(age, ages, shares))


def _end(value: Value, case: Case) -> float:
    end = {"low": value.low, "typical": value.typical, "high": value.high}[case]
    return value.typical if end is None else end
