"""The inputs that are drawn, in words: what each is called and how its values are written."""

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path

from planner.money.ways import WAYS
from planner.report import glossary, words
from planner.scenario.durations import hours_words, months_words, years_words
from planner.scenario.shown_money import shown_money, write_usd
from planner.scenario.ways import Way
from planner.study.uncertainty.break_even_map import BUSY, YEARS
from planner.study.uncertainty.uncertain_inputs import UncertainParameter

Write = Callable[[float], str]


def _change(share: float) -> str:
    return "0%" if abs(share) < 0.0005 else f"{share * 100:+.2g}%"


def _format_position(position: float) -> str:
    """A place in a range of prices: -1 is its low end, 1 its high end."""
    share, place = round(100 * abs(position)), _place(position)
    return "the middle" if share == 0 else f"{'the ' if share == 100 else ''}{place} end"


def _place(position: float) -> str:
    share, end = round(100 * abs(position)), "low" if position < 0 else "high"
    return "middle" if share == 0 else end if share == 100 else f"{share}% towards the {end}"


# What each is called, with what is said of it where there is room; and how its values are written.
_LABELS: dict[str, tuple[str, str, Write]] = {
    "busy_factor": ("Actual workload", "", lambda share: f"{words.percent(share)} of plan"),
    "hours_factor": ("Hours the models take", "", lambda share: f"{words.percent(share)} of prediction"),
    "rent_change_per_year": ("Yearly change of rents", "", _change),
    "currency_change_per_year": ("Yearly change of the currency", "against the dollar", _change),
    "rent_drift_per_year": ("Yearly change of rents", "beside your path", _change),
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
    "residual_position": ("Resale value", "of a new one that day", _format_position),
    "hardware_price_position": ("Price of new machines", "", _format_position),
    "desk_left_share": ("Resale of a machine at a desk", "share of its price", words.percent),
    "rental_depth_position": ("GPUs for rent at once", "", _format_position),
    "lead_time_months": ("Delivery time", "", months_words),
    "warranty_years": ("Warranty", "", years_words),
    "usd_per_accelerator": ("Price of one GPU", "", words.usd),
    "usd_per_server": ("Price of one server", "", words.usd),
    "usd_per_accelerator_of_network": ("Network", "per GPU", words.usd),
    "usd_per_tb_of_disk": ("Purchased disks", "per TB", words.usd),
    "usd_per_gb_month_of_disk": ("Rented disks", "per GB-month", partial(write_usd, form=".3f")),
    "usd_per_gb_of_egress": ("Traffic out", "per GB", partial(write_usd, form=".3f")),
    "usd_per_kwh": ("Electricity", "per kWh", partial(write_usd, form=".3f")),
    "usd_per_kw_month": ("Space", "per kW-month", words.usd),
    "pue": ("PUE", "", lambda value: f"{value:.2f}"),
    "usd_per_fte_year": ("Cost of a person", "per year", words.usd),
    "fte_per_accelerator": (
        "People for the GPUs",
        "",
        lambda fte: f"1 for {words.number(1 / fte)}" if fte > 0 else "nobody",
    ),
    "least_fte": ("Minimum staff of a fleet", "", lambda fte: f"{words.number(fte)} full-time"),
    "sold_share": ("Idle hours sold", "share of them", words.percent),
    "host_share": ("Host around the GPUs", "share of their price", words.percent),
    "scarcity_premium_share": ("Premium for sooner delivery", "", words.percent),
    "maintenance_share_per_year": ("Yearly maintenance", "share of the price", words.percent),
    "support_share": ("Provider support", "share of the bill", words.percent),
    "deposit_share": ("Deposit with the order", "", words.percent),
    "interruptions_per_machine_hour": ("Interruptions of a spot machine", "per hour", words.number),
    "failures_per_accelerator_hour": (
        "Failures of jobs",
        "per GPU",
        lambda rate: f"one in {hours_words(1 / rate)}",
    ),
    "repair_hours": ("Repair of owned machines", "", hours_words),
    BUSY: ("Utilization", "share of hours", words.percent),
    YEARS: ("Years", "", years_words),
}

_SHORTER: dict[str, Write] = {"busy_factor": words.percent, "hours_factor": words.percent,
                              "residual_position": _place, "hardware_price_position": _place,
                              "rental_depth_position": _place}  # fmt: skip


def input_label(name: str) -> str:
    if name in _LABELS:
        return ", ".join(filter(None, _LABELS[name][:2]))
    plain = name.replace("_per_year", " a year").replace("usd_per", f"{shown_money().code} per").replace("_", " ")
    return words.upper_first(plain)


_CALLED = dict(list(csv.reader(Path(__file__).with_name("input_labels.csv").read_text("utf-8").splitlines()))[1:])


def formula_input_label(name: str) -> str:
    """Return the label of an input of any formula: from the list of uncertain inputs, else from the glossary."""
    return _CALLED.get(name) or (short_label(name) if name in _LABELS else glossary.in_short(name) or input_label(name))


def value_text(name: str, value: float) -> str:
    """A value of an input as people write it."""
    if name in _LABELS:
        return _LABELS[name][2](value)
    if "change" in name:
        return _change(value)
    if "share" in name or "rate" in name:
        return words.percent(value, 1)
    return words.usd(value) if "usd" in name else words.number(value)


def short_value_text(name: str, value: float) -> str:
    """A value of an input as people write it, where there is little room."""
    return _SHORTER.get(name, partial(value_text, name))(value)


def short_label(name: str) -> str:
    """Return the short label of an input, without the part after the comma."""
    return _LABELS[name][0] if name in _LABELS else input_label(name)


def saving_side_label(way: Way) -> str:
    """Return the name of the side whose saving is shown."""
    return "the mix" if WAYS[way].side == "mix" else "owning" if WAYS[way].owns else WAYS[way].gerund


def other_side_label(way: Way, beside: Way) -> str:
    """Return the name of the other side of a comparison."""
    return "renting" if WAYS[way].rents_machines and WAYS[beside].owns else WAYS[way].gerund


def p10_p90_text(parameter: UncertainParameter) -> str:
    """The range that eight of ten futures lie in."""
    return f"{value_text(parameter.name, parameter.spread.low)} to {value_text(parameter.name, parameter.spread.high)}"
