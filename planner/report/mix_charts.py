"""Charts of the best mix and of waiting: the load with its layers, and two cost curves."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from planner.money.ways import WAYS
from planner.report.chart_frame import (
    axis,
    band,
    bars,
    curve,
    hatched_style,
    marks,
    money,
    note,
    option_color,
    style_figure,
    vertical_line,
)
from planner.report.mix_words import LAYERS
from planner.scenario.ways import Way
from planner.study.buy_or_wait import BuyOrWaitFutures, Waiting
from planner.study.mix.best_mix import BestMix

_HEIGHT = 400


def load_chart(best: BestMix, dark: bool) -> go.Figure:
    """Draw the load-duration curve in the colours of the layers, with the break-even utilization of owning."""
    load = best.load
    data: list[dict[str, Any]] = []
    bounds = {"own": (0, best.own), "reserved": (best.own, best.own + best.reserved)}
    bounds[best.burst] = (best.own + best.reserved, int(load.peak))
    for name, (low, high) in bounds.items():
        inside = (load.edges[1:] > low) & (load.edges[:-1] < high)
        if not inside.any():
            continue
        tops = np.minimum(load.edges[1:][inside], high)
        bottoms = np.maximum(load.edges[:-1][inside], low)
        data.append(
            bars(
                f"{LAYERS[name].name} ({high - low:,})",
                load.busy_share[inside].tolist(),
                ((tops + bottoms) / 2).tolist(),
                hatched_style(option_color(name, dark), LAYERS[name].hatch) | {"line": {"width": 0}},
                width=(tops - bottoms).tolist(),
                hovertemplate=f"{LAYERS[name].name}<br>busy %{{x:.0%}} of the time<extra></extra>",
            )
        )
    return style_figure(
        data,
        dark,
        _HEIGHT,
        xaxis=axis("Share of the time with work", tickformat=".0%", range=[0, 1.02]),
        yaxis=axis("GPUs at once", range=[0, load.peak * 1.02]),
        bargap=0,
        barmode="overlay",
        **_break_even_line(
            float(np.asarray(best.break_even_utilization.value)) if best.break_even_utilization.is_found else None, dark
        ),
    )


def _break_even_line(share: float | None, dark: bool) -> dict[str, Any]:
    """The share of the time above which owning pays."""
    if share is None:
        return {}
    top = {"yref": "paper", "yanchor": "top", "xanchor": "right" if share > 0.5 else "left"}
    label = note(share, 0.99, f" owning pays above {share:.0%} ", dark, None, **top)
    return {"shapes": [vertical_line(share, dark, 2)], "annotations": [label]}


def base_size_chart(best: BestMix, dark: bool) -> go.Figure:
    """Draw the cost of the plan over the size of the base, the best one marked, and the band of one percent."""
    sizes, usd = [point.accelerators for point in best.curve], [point.usd for point in best.curve]
    low, high = best.flat
    data = [
        _line("Cost of the plan", sizes, usd, "own", dark, "%{x} owned: %{y:$,.0f}"),
        _best_marker("The best mix", best.own, best.at_most_usd, dark),
    ]
    return style_figure(
        data,
        dark,
        _HEIGHT,
        xaxis=axis("GPUs owned", rangemode="tozero"),
        yaxis=money("Net present cost", rangemode="tozero"),
        shapes=[
            {"type": "rect", "x0": low, "x1": high, "y0": 0, "y1": 1, "yref": "paper", "line": {"width": 0},
             "fillcolor": "rgba(128,128,128,0.18)"},
        ],
    )  # fmt: skip


def buy_or_wait_chart(result: Waiting, dark: bool, futures: BuyOrWaitFutures | None = None) -> go.Figure:
    """Draw the cost by month of the order, with the range of eight of ten futures, and renting all along."""
    months, own = list(result.months), option_color("own", dark)
    edges = [] if futures is None else band(months, futures.low_usd.tolist(), futures.high_usd.tolist(), own)
    never = _line("Never: rent all along", [0, months[-1]], [result.never_usd] * 2, "on_demand", dark, "%{y:$,.0f}")
    never["line"]["dash"] = WAYS["on_demand"].style.dash
    data = [
        _line("Order in this month", months, result.present_usd.tolist(), "own", dark, "month %{x}: %{y:$,.0f}"),
        never | {"mode": "lines"},
    ]
    if result.best_month is not None:
        data.append(_best_marker("The best month", result.best_month, result.best_usd, dark))
    return style_figure(
        [*edges, *data],
        dark,
        _HEIGHT,
        xaxis=axis("Months from today to the order", rangemode="tozero"),
        yaxis=money("Net present cost", rangemode="tozero"),
    )


def _line(name: str, x: list[int], y: list[float], way: Way, dark: bool, hover: str) -> dict[str, Any]:
    line = {"color": option_color(way, dark), "width": 3, "dash": "solid"}
    dots = {"mode": "lines+markers", "marker": {"size": 5}}
    return curve(name, x, y, line, hovertemplate=f"{hover}<extra></extra>", **dots)


def _best_marker(name: str, x: int, y: float, dark: bool) -> dict[str, Any]:
    marker = {"symbol": "star", "size": 15, "color": option_color("mix", dark)}
    return marks(name, [x], [y], marker, cliponaxis=False, hovertemplate=f"{name}: %{{y:$,.0f}}<extra></extra>")
