"""Charts of the best mix and of waiting: the load with its layers, and two cost curves."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from planner.money.ways import WAYS
from planner.report.charts import INK, band, framed
from planner.report.mix.mix_words import LAYERS
from planner.scenario.ways import Way
from planner.study.mix.best_mix import BestMix
from planner.study.when.buy_or_wait import Waiting
from planner.study.when.buy_or_wait_futures import WaitingFutures

_HEIGHT = 400


def load(found: BestMix, dark: bool) -> go.Figure:
    """How many have work for how much of the time, in the colours of the layers, with the share that owning takes."""
    curve = found.load
    data: list[dict[str, Any]] = []
    bounds = {"own": (0, found.own), "reserved": (found.own, found.own + found.reserved)}
    bounds[found.burst] = (found.own + found.reserved, int(curve.peak))
    for name, (low, high) in bounds.items():
        inside = (curve.edges[1:] > low) & (curve.edges[:-1] < high)
        if not inside.any():
            continue
        tops = np.minimum(curve.edges[1:][inside], high)
        bottoms = np.maximum(curve.edges[:-1][inside], low)
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": f"{LAYERS[name].name} ({high - low:,})",
                "x": curve.busy_share[inside].tolist(),
                "y": ((tops + bottoms) / 2).tolist(),
                "width": (tops - bottoms).tolist(),
                "marker": {
                    "color": _colour(name, dark),
                    "line": {"width": 0},
                    "pattern": {"shape": LAYERS[name].hatch, "solidity": 0.25},
                },
                "hovertemplate": f"{LAYERS[name].name}<br>busy %{{x:.0%}} of the time<extra></extra>",
            }
        )
    return framed(
        data,
        dark,
        _HEIGHT,
        xaxis={"title": {"text": "Share of the time with work"}, "tickformat": ".0%", "range": [0, 1.02]},
        yaxis={"title": {"text": "GPUs at once"}, "range": [0, curve.peak * 1.02]},
        bargap=0,
        barmode="overlay",
        **_upright(float(np.asarray(found.least_busy.value)) if found.least_busy.found else None, dark),
    )


def _upright(share: float | None, dark: bool) -> dict[str, Any]:
    """The share of the time above which owning pays."""
    if share is None:
        return {}
    ink = INK[dark]
    return {
        "shapes": [
            {"type": "line", "x0": share, "x1": share, "y0": 0, "y1": 1, "yref": "paper",
             "line": {"color": ink, "width": 2, "dash": "dot"}},
        ],
        "annotations": [
            {"x": share, "y": 0.99, "yref": "paper", "showarrow": False, "yanchor": "top", "font": {"color": ink},
             "xanchor": "right" if share > 0.5 else "left", "text": f" owning pays above {share:.0%} "},
        ],
    }  # fmt: skip


def base_curve(found: BestMix, dark: bool) -> go.Figure:
    """What the plan costs over the size of the base, the best one marked, and the band of one percent."""
    sizes, usd = [one.accelerators for one in found.curve], [one.usd for one in found.curve]
    low, high = found.flat
    data = [
        _line("Cost of the plan", sizes, usd, _colour("own", dark), "%{x} owned: %{y:$,.0f}"),
        _star("The best mix", found.own, found.at_most_usd, dark),
    ]
    return framed(
        data,
        dark,
        _HEIGHT,
        xaxis={"title": {"text": "GPUs owned"}, "rangemode": "tozero"},
        yaxis={"title": {"text": "Today's money"}, "tickformat": "$~s", "rangemode": "tozero"},
        shapes=[
            {"type": "rect", "x0": low, "x1": high, "y0": 0, "y1": 1, "yref": "paper", "line": {"width": 0},
             "fillcolor": "rgba(128,128,128,0.18)"},
        ],
    )  # fmt: skip


def waiting_curve(found: Waiting, dark: bool, drawn: WaitingFutures | None = None) -> go.Figure:
    """What the plan costs by month of the order, with where eight of ten futures lie, and renting all along."""
    months, colour = list(found.months), _colour("own", dark)
    edges = [] if drawn is None else band(months, drawn.low_usd.tolist(), drawn.high_usd.tolist(), colour)
    data = [
        _line("Order in this month", months, found.present_usd.tolist(), colour, "month %{x}: %{y:$,.0f}"),
        {
            **_line(
                "Never: rent all along",
                [0, months[-1]],
                [found.never_usd] * 2,
                _colour("on_demand", dark),
                "%{y:$,.0f}",
            ),
            "mode": "lines",
        },
    ]
    data[1]["line"] = {**data[1]["line"], "dash": WAYS["on_demand"].look.dash}
    if found.best_month is not None:
        data.append(_star("The best month", found.best_month, found.best_usd, dark))
    return framed(
        [*edges, *data],
        dark,
        _HEIGHT,
        xaxis={"title": {"text": "Months from today to the order"}, "rangemode": "tozero"},
        yaxis={"title": {"text": "Today's money"}, "tickformat": "$~s", "rangemode": "tozero"},
    )


def _line(name: str, x: list[int], y: list[float], colour: str, hover: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": x,
        "y": y,
        "line": {"color": colour, "width": 3, "dash": "solid"},
        "marker": {"size": 5},
        "hovertemplate": f"{hover}<extra></extra>",
    }


def _star(name: str, x: int, y: float, dark: bool) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [x],
        "cliponaxis": False,
        "y": [y],
        "marker": {"symbol": "star", "size": 15, "color": _colour("mix", dark)},
        "hovertemplate": f"{name}: %{{y:$,.0f}}<extra></extra>",
    }


def _colour(name: Way, dark: bool) -> str:
    return WAYS[name].look.colour(dark)
