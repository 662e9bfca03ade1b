"""The inputs that are drawn, in words: what each is called and how its values are written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from planner.money.ways import WAYS
from planner.report import words
from planner.scenario.ways import Way
from planner.study.uncertainty.breakeven_map import BUSY, YEARS
from planner.study.uncertainty.uncertain_inputs import Doubtful

Write = Callable[[float], str]


def _change(share: float) -> str:
    return "0%" if abs(share) < 0.0005 else f"{share * 100:+.2g}%"


def _number(value: float) -> str:
    return f"{words.significant(value):,g}"


def _months(value: float) -> str:
    return f"{words.significant(value):g} months"


def _one_for(share: float) -> str:
    """A share of a person for each machine, as one person for so many."""
    return "nobody" if share <= 0 else f"1 for {words.significant(1 / share):,g}"


def _on_curve(position: float) -> str:
    """A place between curves of resale values: -1 is the low one, 1 the high one."""
    the = "the " if round(100 * abs(position)) in (0, 100) else ""
    return f"{the}{_place(position)} curve"


def _place(position: float) -> str:
    """A place between curves of resale values, where there is little room."""
    share, end = round(100 * abs(position)), "low" if position < 0 else "high"
    return "middle" if share == 0 else end if share == 100 else f"{share}% towards the {end}"


# What each is called, with what is said of it where there is room; and how its values are written.
_LABELS: dict[str, tuple[str, str, Write]] = {
    "busy_factor": ("Work that comes", "", lambda share: f"{words.percent(share)} of plan"),
    "hours_factor": ("Hours the models take", "", lambda share: f"{words.percent(share)} of prediction"),
    "rent_change_per_year": ("Change of rents a year", "", _change),
    "rent_drift_per_year": ("Change of rents a year", "beside your path", _change),
    **{
        f"{kind}_price_factor": (name, "", lambda share: f"{words.percent(share)} of today's")
        for kind, name in (
            ("on_demand", "Rent on demand"),
            ("reserved", "Reserved rent"),
            ("spot", "Spot rent"),
            ("disk", "Price of rented disks"),
            ("egress", "Price of traffic out"),
        )
    },
    "residual_position": ("Resale value", "", _on_curve),
    "lead_time_months": ("Delivery time", "", _months),
    "warranty_years": ("Warranty", "", lambda years: f"{words.significant(years):g} years"),
    "usd_per_accelerator": ("Price of one GPU", "", words.usd),
    "usd_per_server": ("Price of one server", "", words.usd),
    "usd_per_accelerator_of_network": ("Network", "a GPU", words.usd),
    "usd_per_tb_of_disk": ("Disks that are bought", "a TB", words.usd),
    "usd_per_gb_month_of_disk": ("Disks that are rented", "a GB and month", lambda usd: f"${usd:.3f}"),
    "usd_per_gb_of_egress": ("Traffic out", "a GB", lambda usd: f"${usd:.3f}"),
    "usd_per_kwh": ("Electricity", "a kWh", lambda usd: f"${usd:.3f}"),
    "usd_per_kw_month": ("Space", "a kW and month", words.usd),
    "pue": ("PUE", "", lambda value: f"{value:.2f}"),
    "usd_per_fte_year": ("Cost of a person", "a year", words.usd),
    "fte_per_accelerator": ("People for the GPUs", "", _one_for),
    "sold_share": ("Idle hours sold on", "share of them", words.percent),
    "host_share": ("Host around the GPUs", "share of their price", words.percent),
    "scarcity_premium_share": ("Premium for sooner delivery", "", words.percent),
    "maintenance_share_per_year": ("Maintenance a year", "share of the price", words.percent),
    "support_share": ("Support of the provider", "share of the bill", words.percent),
    "deposit_share": ("Deposit with the order", "", words.percent),
    "interruptions_per_machine_hour": ("Interruptions of a spot machine", "an hour", _number),
    "failures_per_accelerator_hour": (
        "Failures of jobs",
        "of each GPU",
        lambda rate: f"one in {_number(1 / rate)} hours",
    ),
    "repair_hours": ("Repair of own machines", "", lambda hours: f"{_number(hours)} hours"),
    BUSY: ("Busy", "share of hours", words.percent),
    YEARS: ("Years", "", lambda value: words.count(1, "year") if value == 1 else f"{value:g} years"),
}

_SHORTER: dict[str, Write] = {
    "busy_factor": words.percent,
    "hours_factor": words.percent,
    "residual_position": _place,
}


def label(name: str) -> str:
    """What an input is called."""
    if name in _LABELS:
        return ", ".join(filter(None, _LABELS[name][:2]))
    plain = name.replace("_per_year", " a year").replace("usd_per", "USD per").replace("_", " ")
    return plain[0].upper() + plain[1:]


def written(name: str, value: float) -> str:
    """A value of an input as people write it."""
    if name in _LABELS:
        return _LABELS[name][2](value)
    if "change" in name:
        return _change(value)
    if "share" in name or "rate" in name:
        return words.percent(value, 1)
    return words.usd(value) if "usd" in name else _number(value)


def short_written(name: str, value: float) -> str:
    """A value of an input as people write it, where there is little room."""
    return _SHORTER.get(name, partial(written, name))(value)


def short(name: str) -> str:
    """What an input is called where there is little room: without what stands behind a comma."""
    return _LABELS[name][0] if name in _LABELS else label(name)


def lower(text: str) -> str:
    """A label inside a sentence."""
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def saver(way: Way) -> str:
    """Who saves, where a way is set against another."""
    return "the mix" if WAYS[way].side == "mix" else "owning" if WAYS[way].owns else WAYS[way].doing


def other(way: Way, beside: Way) -> str:
    """What a way is called that another one is set against."""
    return "renting" if WAYS[way].rents_machines and WAYS[beside].owns else WAYS[way].doing


def range_of(one: Doubtful) -> str:
    """The range that eight of ten futures lie in."""
    return f"{written(one.name, one.spread.low)} to {written(one.name, one.spread.high)}"
