"""Charts of the futures: fifty dots, the tornado, the break-even map. Tables in, Plotly figures out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from planner.money.answer import Answer, Weighed
from planner.report.charts import FRAME_PX, INK, framed
from planner.report.futures_words import label, written
from planner.report.ways import LOOKS
from planner.study.futures import Futures
from planner.study.map import BreakEvenMap
from planner.study.tornado import Bar

_BINS = 24
_ROW_PX = 34
_MOST_BARS = 12


def sure(found: Answer, drawn: Futures, dark: bool) -> go.Figure | None:
    """The dots of an answer; None where there are no two ways to compare in every future."""
    own, rent = found.own, found.rent
    if own is None or rent is None or None in (drawn.row(own.option.key), drawn.row(rent.option.key)):
        return None
    return dots(drawn.dots(own.option.key, rent.option.key), own, rent, dark)


def dots(saved_usd: NDArray[np.float64], own: Weighed, rent: Weighed, dark: bool) -> go.Figure:
    """Fifty equally likely futures as dots over what owning saves: squares where it does, else circles."""
    low, high = float(saved_usd.min()), float(saved_usd.max())
    width = max((high - low) / _BINS, 1.0)
    places = np.floor((saved_usd - low) / width)
    heights = np.array([np.sum(places[:number] == place) for number, place in enumerate(places)]) + 1.0
    data = []
    for way, shape, wins in ((own, "square", saved_usd > 0), (rent, "circle", saved_usd <= 0)):
        look = LOOKS[way.option.way]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": f"{look.name} costs less: {2 * int(wins.sum())} of 100",
                "x": (low + (places[wins] + 0.5) * width).tolist(),
                "y": heights[wins].tolist(),
                "marker": {"symbol": shape, "size": 13, "color": look.dark if dark else look.light},
                "customdata": saved_usd[wins].tolist(),
                "hovertemplate": f"2 of 100 futures: {look.name} saves %{{customdata:$,.0f}}<extra></extra>"
                if way is own
                else "2 of 100 futures: owning saves %{customdata:$,.0f}<extra></extra>",
            }
        )
    return framed(
        data,
        dark,
        320,
        xaxis={"title": {"text": "What owning saves against renting, today's money"}, "tickformat": "$~s"},
        yaxis={"visible": False, "range": [0.0, max(8.0, float(heights.max()) + 1)]},
        shapes=[_line_at_nought(dark)],
    )


def tornado(bars: Sequence[Bar], dark: bool) -> go.Figure:
    """What owning saves from each input's low end to its high one; a mark on the line of nought where it turns."""
    shown = list(bars[:_MOST_BARS])
    names = [label(bar.input.name) for bar in shown]
    base = shown[0].saved_usd if shown else 0.0
    ends = (
        ("at its low end", [bar.saved_low_usd for bar in shown], [bar.input.spread.low for bar in shown], "", 0),
        ("at its high end", [bar.saved_high_usd for bar in shown], [bar.input.spread.high for bar in shown], "/", 1),
    )
    data: list[dict[str, Any]] = []
    for name, saved, values, hatch, place in ends:
        look = LOOKS["own" if place == 0 else "on_demand"]
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": name,
                "y": names,
                "x": [usd - base for usd in saved],
                "base": base,
                "customdata": [
                    [written(bar.input.name, value), usd] for bar, value, usd in zip(shown, values, saved, strict=True)
                ],
                "marker": {"color": look.dark if dark else look.light, "pattern": {"shape": hatch, "solidity": 0.25}},
                "hovertemplate": "%{y}: %{customdata[0]}<br>owning saves %{customdata[1]:$,.0f}<extra></extra>",
            }
        )
    turning = [bar for bar in shown if bar.flip is not None and bar.flips_within]
    data.append(
        {
            "type": "scatter",
            "mode": "markers+text",
            "name": "turns here",
            "y": [label(bar.input.name) for bar in turning],
            "x": [0.0] * len(turning),
            "text": [f" {written(bar.input.name, bar.flip or 0.0)}" for bar in turning],
            "textposition": "middle right",
            "textfont": {"color": INK[dark]},
            "marker": {"symbol": "diamond", "size": 10, "color": INK[dark]},
            "hovertemplate": "%{y}: both cost the same at%{text}<extra></extra>",
        }
    )
    return framed(
        data,
        dark,
        FRAME_PX + _ROW_PX * max(3, len(shown)),
        xaxis={"title": {"text": "What owning saves against renting, today's money"}, "tickformat": "$~s"},
        yaxis={"autorange": "reversed"},
        barmode="overlay",
        shapes=[_line_at_nought(dark)],
    )


def break_even_map(found: BreakEvenMap, dark: bool) -> go.Figure:
    """What owning saves over two inputs, the line where it saves nothing, and you."""
    own, rent = LOOKS["own"], LOOKS["on_demand"]
    most = float(np.nanmax(np.abs(found.saved_usd))) or 1.0
    middle = "#1e2129" if dark else "#f7f7f7"
    ends = (rent.dark, own.dark) if dark else (rent.light, own.light)
    axes = {"x": found.across.values.tolist(), "y": found.up.values.tolist(), "z": found.saved_usd.tolist()}
    across, up = label(found.across.name), label(found.up.name)
    data: list[dict[str, Any]] = [
        {
            "type": "heatmap", **axes, "zmin": -most, "zmax": most,
            "colorscale": [[0.0, ends[0]], [0.5, middle], [1.0, ends[1]]],
            "colorbar": {"title": {"text": "Owning saves"}, "tickformat": "$~s"},
            "hovertemplate": f"{across} %{{x}}<br>{up} %{{y}}<br>owning saves %{{z:$,.0f}}<extra></extra>",
        },
        {
            "type": "contour", **axes, "showscale": False, "name": "same cost", "showlegend": True,
            "contours": {"start": 0, "end": 0, "size": 1, "coloring": "none"},
            "line": {"color": INK[dark], "width": 3}, "hoverinfo": "skip",
        },
        {
            "type": "scatter", "mode": "markers+text", "name": "you", "x": [found.across.you], "y": [found.up.you],
            "text": ["you"], "textposition": "top center", "textfont": {"color": INK[dark], "size": 15},
            "marker": {"symbol": "x", "size": 14, "color": INK[dark]},
            "hovertemplate": "you<extra></extra>",
        },
    ]  # fmt: skip
    return framed(
        data,
        dark,
        460,
        xaxis={"title": {"text": across}, **_scale(found.across.name)},
        yaxis={"title": {"text": up}, **_scale(found.up.name)},
    )


def _scale(name: str) -> dict[str, Any]:
    share = "share" in name or "change" in name or "drift" in name or name.endswith("factor")
    return {"tickformat": ".0%"} if share else {}


def _line_at_nought(dark: bool) -> dict[str, Any]:
    return {
        "type": "line", "x0": 0, "x1": 0, "y0": 0, "y1": 1, "yref": "paper", "line": {"color": INK[dark], "width": 2},
    }  # fmt: skip
