"""What is bought: a server at its own price, or accelerators with a host around them; yours first, then the newest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial

from planner.money.owning.likely_price import LikelyPrice, likely_price
from planner.money.setting import Setting
from pricing import Catalogue, Figure
from pricing.choices import Trust
from pricing.query import trust
from pricing.records import Server


@dataclass(frozen=True)
class Buying:
    """What the catalogue says of the purchase: the machine, its price and who says so. Your own price wins over it."""

    price: Figure
    price_url: str
    trust: Trust
    what: str
    accelerators_per_server: int
    site_label: str


@dataclass(frozen=True)
class Machine:
    """The machine that is bought."""

    label: str
    accelerators: int  # in one server
    sold: bool  # such a server is known to be sold; else its size is a guess, or yours
    price: Figure | None  # None where only you know it
    whole: bool  # the price is for the server, not for one accelerator
    power: Figure | None  # rated draw of the server
    tdp: Figure | None  # of one accelerator
    each: Figure | None  # price of one accelerator, where it is known beside the server's
    what: str
    likely: LikelyPrice | None = None  # of one accelerator, where nobody publishes a price

    @property
    def usd(self) -> str:
        """The formula for the price of a server."""
        return "usd_per_server" if self.whole else "usd_per_accelerator * accelerators_per_server * (1 + host_share)"


def buying(setting: Setting) -> Buying | None:
    """What would be bought, or None where nobody publishes a price for the accelerator or a server with it."""
    catalogue = setting.catalogue
    found = _best(catalogue, _published(setting))
    if found is None or found.price is None:
        return None
    value = found.price.newest
    return Buying(
        price=found.price,
        price_url=catalogue.sources[value.source].url,
        trust=trust(catalogue, value),
        what=found.what,
        accelerators_per_server=found.accelerators,
        site_label=catalogue.sites[setting.scenario.site].label,
    )


@lru_cache(maxsize=16)
def machine(setting: Setting) -> Machine | None:
    """What to buy: what you have a price for, else the newest price of the catalogue, else what others let expect."""
    own = setting.scenario.own
    found = _best(setting.catalogue, _published(setting))
    if own.usd_per_server is None and own.usd_per_accelerator is None and own.capex_usd is None:
        return found or _foretold(setting)
    plain = _unpriced(setting, only_priced=False)
    if own.usd_per_server is not None:
        return replace(plain, whole=True)
    if own.usd_per_accelerator is not None:
        return replace(plain, whole=False)
    return found or plain


def _published(setting: Setting) -> list[Machine]:
    """Every machine with a price: servers of the size you asked for, and the accelerator with a host around it."""
    catalogue, accelerator = setting.catalogue, setting.scenario.accelerator
    wanted = setting.scenario.own.accelerators_per_server
    plain = _unpriced(setting, only_priced=True)
    choices = [
        replace(
            plain,
            label=server.label,
            what=server.label,
            accelerators=server.accelerators,
            sold=True,
            price=server.price_usd,
            whole=True,
            power=server.max_power_w,
        )
        for _, server in sorted(catalogue.servers.items())
        if server.accelerator == accelerator and server.price_usd is not None and wanted in (None, server.accelerators)
    ]
    chip = catalogue.accelerators.get(accelerator)
    if chip is not None and chip.price_usd is not None and not chip.rent_only:
        whole = chip.whole_machine
        choices.append(replace(plain, price=plain.each, whole=whole, what=plain.label if whole else plain.what))
    return choices


def _foretold(setting: Setting) -> Machine | None:
    """The accelerator with a host around it, at what it is likely to cost; None where that cannot be said."""
    likely = likely_price(setting.catalogue, setting.scenario.accelerator)
    plain = _unpriced(setting, only_priced=False)
    return (
        None
        if likely is None
        else replace(plain, likely=likely, what=f"{plain.what}, at about what others of its kind cost")
    )


def _unpriced(setting: Setting, *, only_priced: bool) -> Machine:
    """The accelerator with a host around it, in servers of the size you asked for, or that are sold."""
    catalogue, accelerator = setting.catalogue, setting.scenario.accelerator
    chip = catalogue.accelerators.get(accelerator)  # none where the name may mean several
    label = catalogue.accelerator_label(accelerator)
    wanted = setting.scenario.own.accelerators_per_server
    servers = [
        server
        for _, server in sorted(catalogue.servers.items())
        if server.accelerator == accelerator
        and wanted in (None, server.accelerators)
        and not (only_priced and server.price_usd is None)
    ]
    like = max(servers, key=partial(_likeness, fleet=fleet(setting)), default=None)
    count = wanted or (1 if like is None else like.accelerators)
    return Machine(
        label=label,
        accelerators=count,
        sold=like is not None,
        price=None,
        whole=False,
        power=None if like is None else like.max_power_w,
        tdp=chip.tdp_w if chip else None,
        each=chip.price_usd if chip else None,
        what=f"{label} with a host around {'them' if count > 1 else 'it'}",
    )


def fleet(setting: Setting) -> int:
    """How many are wanted: as many as you say, else as many as the work wants at once."""
    return setting.scenario.own.accelerators or setting.demand.all.most_accelerators


def _likeness(server: Server, fleet: int) -> tuple[bool, int, bool, bool]:
    """The smallest server that holds the fleet, else the largest; two GPUs do not want a machine for eight."""
    holds = server.accelerators >= fleet
    size = -server.accelerators if holds else server.accelerators
    return (holds, size, server.price_usd is not None, server.max_power_w is not None)


def _best(catalogue: Catalogue, choices: list[Machine]) -> Machine | None:
    def preference(one: Machine) -> tuple[bool, str, bool, bool]:
        if one.price is None:
            return (False, "", False, False)
        newest = one.price.newest
        yours = catalogue.sources[newest.source].via == "yours"
        return (yours, one.price.since.isoformat(), one.whole, one.power is not None)

    return max(choices, key=preference, default=None)
