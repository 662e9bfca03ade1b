"""The inputs that are drawn, in words: what each is called and how its values are written."""

from collections.abc import Callable
from functools import partial

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
    """A place in a range of prices, where there is little room."""
    share, end = round(100 * abs(position)), "low" if position < 0 else "high"
    return "middle" if share == 0 else end if share == 100 else f"{share}% towards the {end}"


# What each is called, with what is said of it where there is room; and how its values are written.
_LABELS: dict[str, tuple[str, str, Write]] = {
    "busy_factor": ("Work that comes", "", lambda share: f"{words.percent(share)} of plan"),
    "hours_factor": ("Hours the models take", "", lambda share: f"{words.percent(share)} of prediction"),
    "rent_change_per_year": ("Change of rents a year", "", _change),
    "currency_change_per_year": ("Change of the currency a year", "against the dollar", _change),
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
    "residual_position": ("Resale value", "of a new one that day", _format_position),
    "hardware_price_position": ("Price of new machines", "", _format_position),
    "desk_left_share": ("Resale of a machine at a desk", "share of its price", words.percent),
    "rental_depth_position": ("GPUs for rent at once", "", _format_position),
    "lead_time_months": ("Delivery time", "", months_words),
    "warranty_years": ("Warranty", "", years_words),
    "usd_per_accelerator": ("Price of one GPU", "", words.usd),
    "usd_per_server": ("Price of one server", "", words.usd),
    "usd_per_accelerator_of_network": ("Network", "a GPU", words.usd),
    "usd_per_tb_of_disk": ("Disks that are bought", "a TB", words.usd),
    "usd_per_gb_month_of_disk": ("Disks that are rented", "a GB and month", partial(write_usd, form=".3f")),
    "usd_per_gb_of_egress": ("Traffic out", "a GB", partial(write_usd, form=".3f")),
    "usd_per_kwh": ("Electricity", "a kWh", partial(write_usd, form=".3f")),
    "usd_per_kw_month": ("Space", "a kW and month", words.usd),
    "pue": ("PUE", "", lambda value: f"{value:.2f}"),
    "usd_per_fte_year": ("Cost of a person", "a year", words.usd),
    "fte_per_accelerator": (
        "People for the GPUs",
        "",
        lambda fte: f"1 for {words.number(1 / fte)}" if fte > 0 else "nobody",
    ),
    "least_fte": ("People for a fleet at least", "", lambda fte: f"{words.number(fte)} full-time"),
    "sold_share": ("Idle hours sold on", "share of them", words.percent),
    "host_share": ("Host around the GPUs", "share of their price", words.percent),
    "scarcity_premium_share": ("Premium for sooner delivery", "", words.percent),
    "maintenance_share_per_year": ("Maintenance a year", "share of the price", words.percent),
    "support_share": ("Support of the provider", "share of the bill", words.percent),
    "deposit_share": ("Deposit with the order", "", words.percent),
    "interruptions_per_machine_hour": ("Interruptions of a spot machine", "an hour", words.number),
    "failures_per_accelerator_hour": (
        "Failures of jobs",
        "of each GPU",
        lambda rate: f"one in {hours_words(1 / rate)}",
    ),
    "repair_hours": ("Repair of own machines", "", hours_words),
    BUSY: ("Busy", "share of hours", words.percent),
    YEARS: ("Years", "", years_words),
}

_SHORTER: dict[str, Write] = {"busy_factor": words.percent, "hours_factor": words.percent,
                              "residual_position": _place, "hardware_price_position": _place,
                              "rental_depth_position": _place}  # fmt: skip


def input_label(name: str) -> str:
    """Return the label of an input."""
    if name in _LABELS:
        return ", ".join(filter(None, _LABELS[name][:2]))
    plain = name.replace("_per_year", " a year").replace("usd_per", f"{shown_money().code} per").replace("_", " ")
    return words.upper_first(plain)


_CALLED = {
    "accelerators": "Accelerators at once",
    "accelerators_before": "Accelerators of earlier orders",
    "accelerators_per_server": "Accelerators in one server",
    "hours_per_month": "Hours in a month",
    "usd_per_accelerator_hour": "Rent of one accelerator",
    "accelerators_per_job": "Accelerators of the largest job",
    "accelerators_per_machine": "Accelerators in one machine",
    "balloon_share": "Part of the loan due at its end",
    "begun_years": "Time from today to the month",
    "checkpoint_every_hours": "Time between two checkpoints",
    "checkpoint_hours": "Time to write a checkpoint",
    "decommissioning_share": "Taking it down, share of the price",
    "hardware_price_change_per_year": "Change of the price of hardware",
    "install_share": "Installation, share of the price",
    "lost_share": "Busy hours lost to failures and restarts",
    "maintenance_change_per_year": "Change of the price of maintenance",
    "max_w_per_host": "Most that the host draws",
    "million_input_tokens_per_month": "Tokens sent",
    "million_output_tokens_per_month": "Tokens written",
    "minimum_accelerators": "Fewest accelerators in one order",
    **dict.fromkeys(
        ("new_price_path", "old_price_path", "last_price_path", "ordered_path", "priced_path"),
        "Price of new machines, beside its yearly change",
    ),
    "bought_used_share": "Price of a used one over a new one",
    "new_price_after_years": "Time until the price of what comes is set",
    "old_price_after_years": "Time until the price of what goes was set",
    "ordered_after_years": "Time until the order",
    "power_price_change_per_year": "Change of the price of electricity",
    "rated_w_per_server": "Most that a server draws",
    "repair_share": "Cost of a repair, share of the price",
    "residual_share": "Left of the price at the end",
    "selling_cost_share": "Cost of selling, share of the price",
    "space_price_change_per_year": "Change of the price of space",
    "tdp_w": "Rated power of a card",
    "usd_per_host": "Price of the host without its cards",
    "usd_per_million_input_tokens": "Price of a million tokens sent",
    "usd_per_million_output_tokens": "Price of a million tokens written",
    "wage_change_per_year": "Change of the cost of people",
    "work_level": "Work of the month",
    "capex_accelerators": "Accelerators that sum was for",
    "rent_to_own_months": "Months until it is yours",
    "after_warranty": "Share of each month after the warranty",
    "bills_idle": "Idle hours are billed",
    "busy_accelerators": "Mean number busy",
    "card_power_idle": "Part of a card's rated power drawn while waiting",
    "idle_power_w_each": "Draw of a kept machine at rest",
    "idle_w_per_server": "What a machine off the shelf draws while waiting",
    "last_price_after_years": "Time until the price of what is sold last was set",
    "months": "Months of the last reservation within the plan",
    "power_w_each": "Draw of a kept machine at work",
    "relative_speed": "Speed of a kept machine",
    "rent_level": "Level of rents",
    "expected_rents": "Level of rents as expected",
    "sale_fee_share": "Fee of the marketplace",
    "sale_price_share": "What a lessor pays, share of the price",
    "server_power_over_tdp": "Power of a server over that of its accelerators",
    "sold_price_change_per_year": "Change of the price of a sold hour",
    "storage_gb": "Data kept on rented disks",
    "tax_share": "Tax rate",
    "usd_at_end": "What kept machines fetch at the end",
    "usd_per_hour_sold": "Price of a sold hour",
    "usd_per_month_to_sell": "People and billing to sell hours",
    "vat_recovered_share": "Part of that tax that comes back",
    "worth_today": "Worth today of a dollar of the month",
    "many": "More than one server",
    "bill_usd": "Other lines of the month",
    "deducted_usd": "Running costs of a tax year",
    "written_off_usd": "Depreciation of a tax year",
    "sold_for_usd": "Proceeds of sales of a tax year",
    "still_in_books_usd": "Left in the tax books of what was sold",
    "taxed_without_usd": "Profit taxed without the plan",
    "taxed_with_usd": "Profit taxed with it",
    "bought_usd": "What bears value-added tax",
    "bought_earlier_usd": "Tax that comes back, on what was bought earlier",
}


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
