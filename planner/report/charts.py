"""Charts: tables in, Plotly figures out. Nothing is computed here that is not a position on the paper.

The colours keep 3:1 against their background.
"""

from collections.abc import Sequence
from html import escape
from typing import Literal

import plotly.graph_objects as go

from planner.money.ledger import Ledger, Part
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.chart_frame import (
    BAR_PX,
    FRAME_PX,
    INK,
    axis,
    bar_labels,
    bars,
    curve,
    hatched_style,
    marks,
    money,
    option_color,
    style_figure,
)
from planner.report.table import Table
from planner.report.title import FleetReport
from planner.study.market.price_history import PricedOffer, PriceHistory, PriceSpread

_PART_COLOURS: dict[Part, tuple[str, str, str]] = {
    # part: light, dark, hatch
    "hardware": ("#0b5cad", "#7cb7ff", ""),
    "network": ("#3f7fbf", "#a9d0ff", "/"),
    "compute": ("#b45309", "#fbbf77", ""),
    "whole machines": ("#8a5a2b", "#d9a679", "/"),
    "rounding": ("#6b4f3a", "#c9b09a", "-"),
    "idle": ("#7a7f8c", "#b6bac6", "x"),
    "commitment": ("#9f1239", "#fda4af", "\\"),
    "storage": ("#0f766e", "#5eead4", "."),
    "egress": ("#4d7c0f", "#bef264", "+"),
    "space": ("#6d28d9", "#c4b5fd", "|"),
    "power": ("#a16207", "#fde047", "."),
    "staff": ("#be185d", "#f9a8d4", "-"),
    "upkeep": ("#475569", "#cbd5e1", "/"),
    "finance": ("#7c2d12", "#fdba74", "|"),
    "tokens": ("#a16207", "#fde047", ""),
    "interruptions": ("#b91c1c", "#fca5a5", "x"),
    "waiting": ("#57534e", "#d6d3d1", "-"),
    "support": ("#0369a1", "#7dd3fc", "."),
    "tax": ("#3f3f46", "#d4d4d8", "+"),
    "resale": ("#166534", "#86efac", "\\"),
    "income": ("#15803d", "#4ade80", ""),
    "selling": ("#9f1239", "#fda4af", "."),
}
_KIND_MARKS: dict[str, tuple[str, str, str]] = {
    # kind of provider: light, dark, shape
    "hyperscaler": ("#0b5cad", "#7cb7ff", "square"),
    "neocloud": ("#b45309", "#fbbf77", "circle"),
    "marketplace": ("#0f766e", "#5eead4", "diamond"),
    "serverless": ("#9d174d", "#f9a8d4", "triangle-up"),
    "yours": ("#111827", "#ffffff", "star"),
}
_LEGEND_ROW_PX, _LEGEND_COLUMNS = 19, 3  # of the legend on a phone, where its rows must not take those of the bars
_RANGE_PX, _RANGES_FRAME_PX = 42, 60
_MOST_OF_FIRST = 4.0  # the width of the chart of ranges, in high ends of the first option
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_LINES = (
    ("#0b5cad", "#7cb7ff"), ("#b45309", "#fbbf77"), ("#0f766e", "#5eead4"), ("#9d174d", "#f9a8d4"),
    ("#6d28d9", "#c4b5fd"), ("#4d7c0f", "#bef264"),
)  # fmt: skip


def option_ranges(options: Sequence[EvaluatedOption], names: Sequence[str], dark: bool) -> go.Figure:
    """Draw each option as a bar over the range that 8 of 10 futures lie in, with a mark at the median.

    A bar that would dwarf the first one ends at the edge.
    """
    edge = _MOST_OF_FIRST * max(options[0].high_usd, options[1].low_usd if len(options) > 1 else 0.0, 1.0)
    rows, styles = range(len(options)), [WAYS[each.option.way].style for each in options]
    ends = [(min(each.low_usd, edge), min(each.high_usd, edge)) for each in options]
    spans = bars(
        None, [high - low for low, high in ends], list(rows),
        {"color": [style.colour(dark) for style in styles], "opacity": 0.25, "cornerradius": 6},
        base=[low for low, _ in ends], width=0.4, hoverinfo="skip",
    )  # fmt: skip
    medians = marks(
        None,
        [min(each.present_usd, edge) for each in options],
        list(rows),
        {"color": [style.colour(dark) for style in styles], "symbol": [style.symbol for style in styles], "size": 11},
        customdata=[
            [escape(name), *map(words.usd, (it.present_usd, it.low_usd, it.high_usd))]
            for name, it in zip(names, options, strict=True)
        ],
        hovertemplate="%{customdata[0]}<br>"
        "median %{customdata[1]}, %{customdata[2]} to %{customdata[3]}<extra></extra>",
    )
    beyond = [
        f": {words.format_usd_short(it.present_usd)}, beyond the edge" * (it.present_usd > edge) for it in options
    ]
    labels = [escape(name) + text for name, text in zip(names, beyond, strict=True)]
    return style_figure(
        [spans, medians],
        dark,
        _RANGES_FRAME_PX + _RANGE_PX * len(options),
        quiet=True,
        showlegend=False,
        margin={"l": 8, "r": 16, "t": 8, "b": 40},
        xaxis=money("Net present cost, 80% range", nticks=4, tickangle=0) | {"rangemode": "tozero"},
        yaxis={"range": [len(options) - 0.6, -0.75], "visible": False},
        annotations=bar_labels([f"<b>{labels[0]}</b>", *labels[1:]], dark),
    )


def cost_parts(ledgers: Sequence[Ledger], dark: bool) -> go.Figure:
    """Draw the cost of each option by part: stacked bars on one scale, income to the left of zero."""
    rows = list(range(len(ledgers)))
    names = [f"<b>{escape(ledger.title)}</b>  {words.usd(float(ledger.total_usd))}" for ledger in ledgers]
    stacks = []
    for part, (light, night, hatch) in _PART_COLOURS.items():
        amounts = [float(ledger.part_usd(part)) for ledger in ledgers]
        if any(abs(amount) >= 1 for amount in amounts):
            stacks.append(
                bars(
                    part,
                    amounts,
                    rows,
                    hatched_style(night if dark else light, hatch),
                    width=0.45,
                    customdata=[escape(ledger.title) for ledger in ledgers],
                    hovertemplate="%{customdata}<br>" + part + " %{x:$,.0f}<extra></extra>",
                )
            )
    return style_figure(
        stacks,
        dark,
        FRAME_PX + BAR_PX * max(2, len(ledgers)) + _LEGEND_ROW_PX * (len(stacks) // _LEGEND_COLUMNS),
        xaxis=money("Whole plan, USD", nticks=6, tickangle=0),
        yaxis={"range": [max(2, len(ledgers)) - 0.6, -0.75], "visible": False},
        barmode="relative",
        annotations=bar_labels(names, dark),
    )


def price_dots(dots: Sequence[PricedOffer], order: Sequence[tuple[str, str]], dark: bool) -> go.Figure:
    """Every offer as a dot, one row for each accelerator (id, label), one shape for each kind of provider."""
    labels, kinds = dict(order), []
    for kind, (light, night, shape) in _KIND_MARKS.items():
        chosen = [dot for dot in dots if dot.provider_kind == kind and dot.accelerator in labels]
        if chosen:
            kinds.append(
                marks(
                    words.PROVIDER_KIND[kind],
                    [dot.usd_per_accelerator_hour for dot in chosen],
                    [labels[dot.accelerator] for dot in chosen],
                    {"symbol": shape, "color": night if dark else light, "size": 9, "opacity": 0.65},
                    customdata=[dot.offer for dot in chosen],
                    hovertemplate="%{customdata}<br>$%{x:.2f} a GPU-hour<extra></extra>",
                )
            )
    ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
    return style_figure(
        kinds,
        dark,
        FRAME_PX + 30 * max(3, len(order)),
        xaxis=axis("USD per GPU-hour, sticker", type="log", tickvals=ticks, ticktext=[f"${tick:g}" for tick in ticks]),
        yaxis={"categoryorder": "array", "categoryarray": [label for _, label in reversed(order)]},
    )


def value_for_money_bars(
    rows: Sequence[PriceSpread], labels: dict[str, str], what: Literal["pflop", "gb"], dark: bool
) -> go.Figure:
    """Draw the cost of arithmetic or memory on each labelled accelerator, the cheapest on top."""
    amount = {row.accelerator: row.usd_per_pflop_hour if what == "pflop" else row.usd_per_gb_hour for row in rows}
    priced = sorted((usd, key) for key, usd in amount.items() if usd is not None and key in labels)
    title = "USD per hour for 1 PFLOP/s (16 bit, dense)" if what == "pflop" else "USD per hour for 1 GB of memory"
    amounts, hover = [usd for usd, _ in priced], "%{y}<br>$%{x:.4g}<extra></extra>"
    marker = {"color": "#fbbf77" if dark else "#b45309"}
    return style_figure(
        [bars(None, amounts, [labels[key] for _, key in priced], marker, hovertemplate=hover, showlegend=False)],
        dark,
        FRAME_PX + 24 * max(3, len(priced)),
        xaxis=axis(title, tickprefix="$"),
        yaxis={"autorange": "reversed"},
    )


def price_history(histories: Sequence[PriceHistory], dark: bool) -> go.Figure:
    """Prices as steps through time. Where nobody looked there is no line."""
    lines = [
        curve(
            f"{history.label} ({words.PURCHASE[history.purchase]})",
            history.days,
            history.usd,
            {
                "shape": "hv",
                "dash": _DASHES[number % len(_DASHES)],
                "color": _LINES[number % len(_LINES)][int(dark)],
                "width": 3 if history.measure == "index" else 1.5,
            },
            mode="lines+markers",
            marker={"size": 10 if history.measure == "index" else 5},
            connectgaps=False,
            hovertemplate="%{x|%d %b %Y}<br>$%{y:.2f} a GPU-hour<extra>%{fullData.name}</extra>",
        )
        for number, history in enumerate(histories)
    ]
    return style_figure(
        lines,
        dark,
        420 + 20 * len(histories),
        xaxis={},
        yaxis=axis("USD per GPU-hour", tickprefix="$", rangemode="tozero"),
        legend={"orientation": "h", "yanchor": "top", "y": -0.12, "x": 0},
    )


_FLEET_PX = 400


def fleet_chart(fleet: FleetReport, dark: bool) -> go.Figure:
    """Wanted at once, busy on average and owned, month by month."""
    colour, months = option_color(fleet.way.option.way, dark), list(range(1, len(fleet.owned)))

    def line(name: str, values: list[float], look: dict[str, object], **more: object) -> dict[str, object]:
        hover = f"{name}<br>month %{{x}}: %{{y:,.0f}}<extra></extra>"
        return curve(name, months, values, look | {"shape": "hv"}, hovertemplate=hover, **more)

    ink = INK[dark]
    return style_figure(
        [
            line("Owned", fleet.owned[1:].tolist(), {"color": colour, "width": 3}, fill="tozeroy"),
            line("Wanted at once", fleet.wanted[1:].tolist(), {"color": ink, "width": 2, "dash": "dash"}),
            line("Busy on average", fleet.busy[1:].tolist(), {"color": ink, "width": 2, "dash": "dot"}),
        ],
        dark,
        _FLEET_PX,
        xaxis=axis("Month", rangemode="tozero"),
        yaxis=axis("GPUs", rangemode="tozero"),
    )


_CHARGE_PX, _CHARGES_FRAME_PX = 64, 90


def chargeback_bars(rows: Table, of: str, dark: bool) -> go.Figure:
    """Draw what each plan or team pays of a shared fleet, beside what it would pay alone."""
    names, ink = [escape(name) for name in rows[of]], INK[dark]
    looks = (
        ("Alone", "Alone, USD", 0.28, hatched_style(ink, "/")),
        ("Shared", "Pays, USD", 0.0, {"color": _LINES[0][dark]}),
    )
    pairs = [
        bars(name, rows[column], [row + below for row in range(len(names))], look, width=0.24, customdata=names,
             hovertemplate=f"%{{customdata}}<br>{name.lower()} %{{x:$,.0f}}<extra></extra>")
        for name, column, below, look in looks
    ]  # fmt: skip
    return style_figure(
        pairs, dark, _CHARGES_FRAME_PX + _CHARGE_PX * len(names), quiet=True,
        margin={"l": 8, "r": 16, "t": 32, "b": 40},
        xaxis=money("Total cash", nticks=4, tickangle=0) | {"rangemode": "tozero"},
        yaxis={"range": [len(names) - 0.4, -0.7], "visible": False},
        annotations=bar_labels([f"<b>{name}</b>" for name in names], dark),
    )  # fmt: skip
