"""Paper, axes, marks and notes that every chart shares, light and dark, and its money as it is shown."""

import math
import re
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.io import templates

from planner.money.ways import WAYS
from planner.report import words
from planner.scenario.shown_money import ShownMoney, shown_money
from planner.scenario.ways import Way
from pricing.caching import cached
from pricing.exchange import DOLLAR

Part = dict[str, Any]
_HOVER = re.compile(r"\$?%{(\w+):\$?([^}]*)}")  # $%{x:.2f}, %{y:$,.0f}


def in_shown_money(data: list[Part], layout: Part) -> tuple[list[Part], Part]:
    """Return traces and layout with every axis of dollars in the money shown."""
    money = shown_money()
    if money.code == DOLLAR:
        return data, layout
    axes = {name: layout[f"{name}axis"] for name in "xy"}
    in_usd = {name: axis.get("type") == "log" for name, axis in axes.items() if _is_money(axis)}
    converted: Part = {f"{name}axis": _axis(axes[name], is_log, money) for name, is_log in in_usd.items()}
    for name in ("shapes", "annotations"):
        converted[name] = [_mark(part, in_usd, name == "annotations", money) for part in layout.get(name, ())]
    return [_trace(trace, tuple(in_usd), money) for trace in data], layout | converted


def _is_money(axis: Part) -> bool:
    title = str(axis.get("title", {}).get("text", ""))
    return DOLLAR in title or "$" in f"{axis.get('tickformat', '')}{axis.get('tickprefix', '')}{axis.get('ticktext')}"


def _scaled(value: Any, money: ShownMoney) -> Any:
    if isinstance(value, list | tuple):
        return [_scaled(each, money) for each in value]
    return money.amount(value) if isinstance(value, int | float) and math.isfinite(value) else value


def _place(value: float, is_log: bool, money: ShownMoney) -> float:
    """Return a place on an axis; on a logarithmic one it is a power of ten."""
    return value - math.log10(money.usd_per_unit) if is_log else money.amount(value)


def _axis(axis: Part, is_log: bool, money: ShownMoney) -> Part:
    title = axis.get("title", {})
    changed: Part = {"title": title | {"text": title["text"].replace(DOLLAR, money.code)}} if title else {}
    if "ticktext" in axis:  # round dollars are no round amounts of another money
        ticks = [words.round_significant(money.amount(usd), 1) for usd in axis["tickvals"]]
        texts = [words.format_usd_short(tick * money.usd_per_unit) for tick in ticks]
        changed |= {"tickvals": ticks, "ticktext": texts}
    else:
        changed["tickprefix"] = money.mark
    if "tickformat" in axis:
        changed["tickformat"] = axis["tickformat"].replace("$", "")
    if "range" in axis:
        changed["range"] = [_place(end, is_log, money) for end in axis["range"]]
    return axis | changed


def _trace(trace: Part, in_usd: tuple[str, ...], money: ShownMoney) -> Part:
    """Return a trace with what it shows on the axes of money, and in its hover, converted."""
    hover = str(trace.get("hovertemplate", ""))
    changed = {name: _scaled(trace[name], money) for name in in_usd if name in trace}
    for error in (f"error_{name}" for name in in_usd if f"error_{name}" in trace):
        sides = {side: _scaled(trace[error][side], money) for side in ("array", "arrayminus")}
        changed[error] = trace[error] | sides
    if "base" in trace and in_usd:
        changed["base"] = _scaled(trace["base"], money)
    if "%{customdata:$" in hover:
        changed["customdata"] = _scaled(trace["customdata"], money)
    if "$" in hover:
        changed["hovertemplate"] = _HOVER.sub(
            lambda match: f"{money.mark}%{{{match[1]}:{match[2]}}}" if "$" in match[0] else match[0], hover
        )
    bar = trace.get("colorbar", {})
    if "$" in str(bar.get("tickformat", "")):
        changed |= {name: _scaled(trace[name], money) for name in ("z", "zmin", "zmax")}
        changed["colorbar"] = bar | {"tickformat": bar["tickformat"].replace("$", ""), "tickprefix": money.mark}
    return trace | changed


def _mark(part: Part, in_usd: dict[str, bool], is_note: bool, money: ShownMoney) -> Part:
    """Return a shape or a note with its places on the axes of money converted; a note counts in powers of ten."""
    changed: Part = {}
    for name, is_log in in_usd.items():
        if part.get(f"{name}ref", name) == name:
            places = (key for key in (name, f"{name}0", f"{name}1") if key in part)
            changed |= {key: _place(part[key], is_log and is_note, money) for key in places}
    return part | changed


BAR_PX = 48  # a line of words and a bar
FRAME_PX = 110

# light, dark
INK = {False: "#31333f", True: "#fafafa"}
PAPER = {False: "#ffffff", True: "#12171f"}  # the page's own background
GRID = {False: "#d9dce3", True: "#3b3f4a"}


class Chart(go.Figure):  # type: ignore[misc]  # plotly has no types
    """A figure as the browser gets it: plotly's own objects take long to build, and nobody reads them."""

    def __init__(self, data: list[dict[str, Any]], layout: dict[str, Any]) -> None:
        """Keep traces of plain values and a layout."""
        self._traces, self._frame = data, layout

    def to_dict(self) -> dict[str, Any]:
        """The figure for the browser. Not to be changed: all charts share one template."""
        return {"data": self._traces, "layout": self._frame | {"template": _template(templates.default)}}


@cached(2)
def _template(name: str) -> dict[str, Any]:
    template: dict[str, Any] = templates[name].to_plotly_json()
    return template


def style_figure(
    data: list[dict[str, Any]], dark: bool, height: int, *, quiet: bool = False, **layout: Any
) -> go.Figure:
    """The frame all charts share: fixed height, no dragging, legend above. A quiet one makes nothing of nought.

    Built in one go and not checked property by property, which would take longer than the rest of the page; the tests
    give every chart to plotly's own validation.
    """
    ink = INK[dark]
    zero = GRID[dark] if quiet else ink
    both = {"gridcolor": GRID[dark], "zerolinecolor": zero, "automargin": True, "fixedrange": True}
    shared: dict[str, Any] = {
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
    if quiet:
        shared["legend"] |= {"traceorder": "normal"}
    axes = {name: both | layout.pop(name) for name in ("xaxis", "yaxis")}
    return Chart(*in_shown_money(data, shared | axes | layout))


def option_color(way: Way, dark: bool) -> str:
    """The colour a way has in every chart."""
    return WAYS[way].style.colour(dark)


def channels(colour: str) -> tuple[int, ...]:
    """Red, green and blue of a colour like #0b5cad."""
    return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis and what it is called."""
    return {"title": {"text": title}, **more}


def money(title: str, **more: Any) -> dict[str, Any]:
    """An axis of dollars, in thousands and millions."""
    return axis(title, tickformat="$~s", **more)


def marks(name: str | None, x: Sequence[Any], y: Sequence[Any], marker: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Points, each with the same kind of mark."""
    return {"type": "scatter", "mode": "markers", **_named(name), "x": x, "y": y, "marker": marker, **more}


def curve(name: str, x: Sequence[Any], y: Sequence[Any], line: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Points that a line joins."""
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": line, **more}


def bars(
    name: str | None, lengths: Sequence[float], y: Sequence[Any], marker: dict[str, Any], **more: Any
) -> dict[str, Any]:
    """Bars that lie, one in each row."""
    return {"type": "bar", "orientation": "h", **_named(name), "x": lengths, "y": y, "marker": marker, **more}


def _named(name: str | None) -> dict[str, str]:
    return {} if name is None else {"name": name}


def hatched_style(colour: str, hatch: str) -> dict[str, Any]:
    """The fill and outline of a hatched bar."""
    return {"color": colour, "pattern": {"shape": hatch, "solidity": 0.25}}


def note(x: float, y: float, text: str, dark: bool, size: float | None = 12, **more: Any) -> dict[str, Any]:
    """Words on the paper."""
    font = {"color": INK[dark]} | ({} if size is None else {"size": size})
    return {"x": x, "y": y, "text": text, "showarrow": False, "font": font, **more}


def vertical_line(x: float, dark: bool, width: float = 1, dash: str | None = "dot") -> dict[str, Any]:
    """A line from top to bottom."""
    line = {"color": INK[dark], "width": width} | ({} if dash is None else {"dash": dash})
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def bar_labels(names: Sequence[str], dark: bool) -> list[dict[str, Any]]:
    """A name above each bar, in its order: beside the bars names would leave a phone no room for them."""
    above = {"xref": "paper", "xanchor": "left", "yshift": 21, "bgcolor": PAPER[dark]}
    return [note(0, row, name, dark, 13, **above) for row, name in enumerate(names)]


def band(months: list[int], low: list[float], high: list[float], colour: str) -> list[dict[str, Any]]:
    """Two edges without a line, and what lies between them."""
    edge: dict[str, Any] = {"type": "scatter", "mode": "lines", "x": months, "line": {"width": 0}, "showlegend": False}
    edge["hoverinfo"] = "skip"
    red, green, blue = channels(colour)
    return [edge | {"y": low}, edge | {"y": high, "fill": "tonexty", "fillcolor": f"rgba({red},{green},{blue},0.18)"}]
