"""Charts: tables in, Plotly figures out. Nothing is computed here that is not a position on the paper.

Every mark differs in shape, dash or hatch as well as in colour. The colours keep 3:1 against their background.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from plotly.io import templates

from planner.money.ledger import Ledger, Part
from planner.money.verdict.answer import Answer, Weighed
from planner.money.ways import WAYS
from planner.report import words
from planner.study.market.price_history import History
from planner.study.market.value_for_money import Priced, Worth

ROW_PX = 44
BAR_PX = 48  # a line of words and a bar
FRAME_PX = 110

# light, dark
INK = {False: "#31333f", True: "#fafafa"}
PAPER = {False: "#ffffff", True: "#12171f"}  # the page's own background
GRID = {False: "#d9dce3", True: "#3b3f4a"}
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
}
_KIND_MARKS: dict[str, tuple[str, str, str]] = {
    # kind of provider: light, dark, shape
    "hyperscaler": ("#0b5cad", "#7cb7ff", "square"),
    "neocloud": ("#b45309", "#fbbf77", "circle"),
    "marketplace": ("#0f766e", "#5eead4", "diamond"),
    "serverless": ("#9d174d", "#f9a8d4", "triangle-up"),
    "yours": ("#111827", "#ffffff", "star"),
}
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_LINES = (
    ("#0b5cad", "#7cb7ff"), ("#b45309", "#fbbf77"), ("#0f766e", "#5eead4"), ("#9d174d", "#f9a8d4"),
    ("#6d28d9", "#c4b5fd"), ("#4d7c0f", "#bef264"),
)  # fmt: skip


def cost_parts(ledgers: Sequence[Ledger], dark: bool) -> go.Figure:
    """What each option's money goes into: stacked bars on one scale, money that comes back to the left of zero."""
    rows = list(range(len(ledgers)))
    names = [f"<b>{escape(ledger.title)}</b>  {words.usd(float(ledger.total_usd))}" for ledger in ledgers]
    bars = []
    for part, (light, night, hatch) in _PART_COLOURS.items():
        amounts = [float(ledger.part_usd(part)) for ledger in ledgers]
        if any(abs(amount) >= 1 for amount in amounts):
            bars.append(
                {
                    "type": "bar",
                    "y": rows,
                    "x": amounts,
                    "name": part,
                    "orientation": "h",
                    "width": 0.45,
                    "marker": {"color": night if dark else light, "pattern": {"shape": hatch, "solidity": 0.25}},
                    "customdata": [escape(ledger.title) for ledger in ledgers],
                    "hovertemplate": "%{customdata}<br>" + part + " %{x:$,.0f}<extra></extra>",
                }
            )
    return framed(
        bars,
        dark,
        FRAME_PX + BAR_PX * max(2, len(ledgers)),
        xaxis={"title": {"text": "Whole plan, USD"}, "tickformat": "$~s", "nticks": 6, "tickangle": 0},
        yaxis={"range": [max(2, len(ledgers)) - 0.6, -0.75], "visible": False},
        barmode="relative",
        annotations=names_above(names, dark),
    )


def names_above(names: Sequence[str], dark: bool) -> list[dict[str, Any]]:
    """A name above each bar, in its order: beside the bars names would leave a phone no room for them."""
    return [
        {
            "x": 0, "xref": "paper", "xanchor": "left", "y": row, "yshift": 18, "showarrow": False,
            "text": name, "font": {"color": INK[dark], "size": 13}, "bgcolor": PAPER[dark],
        }
        for row, name in enumerate(names)
    ]  # fmt: skip


def payback(found: Answer, dark: bool) -> go.Figure:
    """What every way has cost so far, with the ranges of the two that are compared and the month that pays back."""
    banded = [one.option.key for one in (found.own, found.rent) if one is not None]
    month = float(np.asarray(found.payback.month).flat[0])
    return cumulative(found.ranked, banded, month if month > 0 else None, dark)


def cumulative(ways: Sequence[Weighed], banded: Sequence[str], pays_back: float | None, dark: bool) -> go.Figure:
    """What each way has cost so far, in today's money, month by month; the range of those in `banded` as a band."""
    data: list[dict[str, Any]] = []
    for way in ways:
        look = WAYS[way.option.way].look
        colour = look.colour(dark)
        months = list(range(way.cumulative_usd.shape[-1]))
        if way.option.key in banded:
            data += band(months, way.low_cumulative_usd.tolist(), way.high_cumulative_usd.tolist(), colour)
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": way.option.title,
                "x": months,
                "y": way.cumulative_usd.tolist(),
                "line": {"color": colour, "width": 3 if way.option.key in banded else 2, "dash": look.dash},
                "hovertemplate": f"{way.option.title} %{{y:$,.0f}}<extra></extra>",
            }
        )
    return framed(
        data,
        dark,
        420,
        xaxis={"title": {"text": "Months from today"}, "zeroline": False},
        yaxis={"title": {"text": "Cost so far, today's money"}, "tickformat": "$~s", "rangemode": "tozero"},
        hovermode="x unified",
        **_marked(pays_back, dark),
    )


def band(months: list[int], low: list[float], high: list[float], colour: str) -> list[dict[str, Any]]:
    """Two edges without a line, and what lies between them."""
    edge: dict[str, Any] = {"type": "scatter", "mode": "lines", "x": months, "line": {"width": 0}, "showlegend": False}
    edge["hoverinfo"] = "skip"
    return [edge | {"y": low}, edge | {"y": high, "fill": "tonexty", "fillcolor": _faded(colour)}]


def _marked(month: float | None, dark: bool) -> dict[str, Any]:
    """A line where the money spent on buying has come back."""
    if month is None:
        return {}
    ink = INK[dark]
    return {
        "shapes": [
            {
                "type": "line", "x0": month, "x1": month, "y0": 0, "y1": 1, "yref": "paper",
                "line": {"color": ink, "width": 1, "dash": "dot"},
            }
        ],
        "annotations": [
            {
                "x": month, "y": 0.02, "yref": "paper", "xanchor": "left", "yanchor": "bottom", "showarrow": False,
                "text": f" pays back in month {month:.0f}", "font": {"color": ink},
            }
        ],
    }  # fmt: skip


def _faded(colour: str) -> str:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"


def price_dots(dots: Sequence[Priced], order: Sequence[tuple[str, str]], dark: bool) -> go.Figure:
    """Every offer as a dot, one row for each accelerator (id, label), one shape for each kind of provider."""
    labels = dict(order)
    marks = []
    for kind, (light, night, shape) in _KIND_MARKS.items():
        chosen = [dot for dot in dots if dot.provider_kind == kind and dot.accelerator in labels]
        if chosen:
            marks.append(
                {
                    "type": "scatter",
                    "mode": "markers",
                    "name": words.PROVIDER_KIND[kind],
                    "x": [dot.usd_per_accelerator_hour for dot in chosen],
                    "y": [labels[dot.accelerator] for dot in chosen],
                    "marker": {"symbol": shape, "color": night if dark else light, "size": 9, "opacity": 0.65},
                    "customdata": [dot.offer for dot in chosen],
                    "hovertemplate": "%{customdata}<br>$%{x:.2f} a GPU-hour<extra></extra>",
                }
            )
    ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
    return framed(
        marks,
        dark,
        FRAME_PX + 30 * max(3, len(order)),
        xaxis={
            "type": "log",
            "title": {"text": "USD per GPU-hour, sticker"},
            "tickvals": ticks,
            "ticktext": [f"${tick:g}" for tick in ticks],
        },
        yaxis={"categoryorder": "array", "categoryarray": [label for _, label in reversed(order)]},
    )


def worth_bars(rows: Sequence[Worth], labels: dict[str, str], what: Literal["pflop", "gb"], dark: bool) -> go.Figure:
    """What arithmetic or memory costs on each of the labelled accelerators, the cheapest on top."""
    amount = {row.accelerator: row.usd_per_pflop_hour if what == "pflop" else row.usd_per_gb_hour for row in rows}
    known = sorted((usd, key) for key, usd in amount.items() if usd is not None and key in labels)
    title = "USD per hour for 1 PFLOP/s (16 bit, dense)" if what == "pflop" else "USD per hour for 1 GB of memory"
    bars = {
        "type": "bar",
        "x": [usd for usd, _ in known],
        "y": [labels[key] for _, key in known],
        "orientation": "h",
        "marker": {"color": "#fbbf77" if dark else "#b45309"},
        "hovertemplate": "%{y}<br>$%{x:.4g}<extra></extra>",
        "showlegend": False,
    }
    return framed(
        [bars],
        dark,
        FRAME_PX + 24 * max(3, len(known)),
        xaxis={"title": {"text": title}, "tickprefix": "$"},
        yaxis={"autorange": "reversed"},
    )


def price_history(histories: Sequence[History], dark: bool) -> go.Figure:
    """Prices as steps through time. Where nobody looked there is no line."""
    lines = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": f"{history.label} ({words.PURCHASE[history.purchase]})",
            "x": history.days,
            "y": history.usd,
            "line": {
                "shape": "hv",
                "dash": _DASHES[number % len(_DASHES)],
                "color": _LINES[number % len(_LINES)][int(dark)],
                "width": 3 if history.measure == "index" else 1.5,
            },
            "marker": {"size": 10 if history.measure == "index" else 5},
            "connectgaps": False,
            "hovertemplate": "%{x|%d %b %Y}<br>$%{y:.2f} a GPU-hour<extra>%{fullData.name}</extra>",
        }
        for number, history in enumerate(histories)
    ]
    return framed(
        lines,
        dark,
        420 + 20 * len(histories),
        xaxis={},
        yaxis={"title": {"text": "USD per GPU-hour"}, "tickprefix": "$", "rangemode": "tozero"},
        legend={"orientation": "h", "yanchor": "top", "y": -0.12, "x": 0},
    )


class Chart(go.Figure):  # type: ignore[misc]  # plotly has no types
    """A figure that is finished once it is made: a page that shows it again has its dictionary from the first time."""

    _shown: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The figure for the browser. Not to be changed."""
        if self._shown is None:
            self._shown = super().to_dict()
            self._shown["layout"]["template"] = _template(templates.default)
        return self._shown


def finished(data: list[dict[str, Any]], layout: dict[str, Any]) -> Chart:
    """A chart without plotly's own checks. All share one template: to copy it into each takes longer than all else."""
    return Chart({"data": data, "layout": layout | {"template": {}}}, _validate=False)


@lru_cache(maxsize=2)
def _template(name: str) -> dict[str, Any]:
    template: dict[str, Any] = templates[name].to_plotly_json()
    return template


def framed(data: list[dict[str, Any]], dark: bool, height: int, **layout: Any) -> go.Figure:
    """The frame all charts share: fixed height, no dragging, legend above.

    Built in one go and not checked property by property, which would take longer than the rest of the page; the tests
    give every chart to plotly's own validation.
    """
    ink = INK[dark]
    axis = {"gridcolor": GRID[dark], "zerolinecolor": ink, "automargin": True, "fixedrange": True}
    shared = {
        "height": height,
        "margin": {"l": 8, "r": 16, "t": 40, "b": 40},
        "dragmode": False,
        "hoverlabel": {"namelength": -1},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "font": {"color": ink}},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": ink, "size": 13},
        "showlegend": True,
    }
    axes = {name: axis | layout.pop(name) for name in ("xaxis", "yaxis")}
    return finished(data, shared | axes | layout)
