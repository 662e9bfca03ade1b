"""Charts of the futures: fifty dots, the tornado, the break-even map. Tables in, Plotly figures out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.chart_frame import (
    BAR_PX,
    FRAME_PX,
    GRID,
    INK,
    PAPER,
    axis,
    bar_labels,
    bars,
    channels,
    curve,
    hatched_style,
    marks,
    money,
    note,
    option_color,
    style_figure,
    vertical_line,
)
from planner.report.futures.counted import format_futures_count, simulated_pair
from planner.report.futures.input_words import (
    input_label,
    other_side_label,
    saving_side_label,
    short_label,
    short_value_text,
    value_text,
)
from planner.scenario.ways import Way
from planner.study.uncertainty.break_even_map import BreakEvenMap, MapAxis
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.tornado import TornadoBar

_BINS = 20  # few enough that dots stand apart on a phone
_MOST_BARS = 10
_MAP_PX = 540
_ROWS_OF_DOTS, _PINNED_PX = 9, 32  # rows that the dots have room for, and the height of one more
_TINT = 0.18  # of the colour, where it begins
_SEEN_CELLS = 12  # a region of fewer is not named on the map
Ways = tuple[Way, Way]  # the owning and the renting way


SavingByFuture = tuple[
    str, NDArray[np.float64]
]  # by the letter of a pinned plan: what its first way saves, future by future


def futures_dots(answer: Answer, futures: Futures, dark: bool, pins: Sequence[SavingByFuture] = ()) -> go.Figure | None:
    """The dots of an answer; None where there are no two ways to compare in every future."""
    keys = simulated_pair(answer, futures)
    if keys is None or answer.pair is None:
        return None
    return dot_chart(futures.dots(*keys), *answer.pair, dark, futures.share_cheaper(*keys), pins)


def pinned_savings(letter: str, answer: Answer, futures: Futures | None) -> SavingByFuture | None:
    """The fifty futures of a pinned plan; None where it has no two ways to compare."""
    keys = None if futures is None else simulated_pair(answer, futures)
    return None if futures is None or keys is None else (letter, futures.dots(*keys))


def dot_chart(
    saved_usd: NDArray[np.float64],
    own: EvaluatedOption,
    rent: EvaluatedOption,
    dark: bool,
    share: float,
    pins: Sequence[SavingByFuture] = (),
) -> go.Figure:
    """Fifty equally likely futures as dots over what owning saves: squares where it does, else circles.

    `share` is of all futures, those between the dots too: in it owning costs less. Below the dots a bar for each pinned
    plan: from the second lowest to the second highest of its own fifty, with a mark at the middle.
    """
    low, high = float(saved_usd.min()), float(saved_usd.max())
    width = max((high - low) / _BINS, 1.0)
    places = np.floor(saved_usd / width)  # nought is an edge: no dot lies on the wrong side of the line
    heights = np.array([np.sum(places[:number] == place) for number, place in enumerate(places)]) + 1.0
    data = []
    sides = ((own, "square", saved_usd > 0, share), (rent, "circle", saved_usd <= 0, 1 - share))
    for way, shape, wins, often in sides:
        name = WAYS[way.option.way].name
        saver_name = name if way is own else saving_side_label(own.option.way)
        data.append(
            marks(
                f"{name} costs less: {format_futures_count(often)}",
                ((places[wins] + 0.5) * width).tolist(),
                heights[wins].tolist(),
                {"symbol": shape, "size": 11, "color": option_color(way.option.way, dark)},
                customdata=saved_usd[wins].tolist(),
                hovertemplate=f"2 of 100 futures: {saver_name} saves %{{customdata:$,.0f}}<extra></extra>",
            )
        )
    row = max(8.0, float(heights.max()) + 1) / _ROWS_OF_DOTS  # what one pinned plan takes of the height
    for place, (letter, its) in enumerate(pins, start=1):
        data += _spread(letter, its, -row * place, dark)
    return style_figure(
        data,
        dark,
        320 + _PINNED_PX * len(pins),
        xaxis=money(
            f"What {saving_side_label(own.option.way)} saves against "
            f"{other_side_label(rent.option.way, own.option.way)}, discounted to today"
        ),
        yaxis={"visible": False, "range": [-row * (len(pins) + 0.6) if pins else 0.0, row * _ROWS_OF_DOTS]},
        shapes=[vertical_line(0.0, dark, 2, None)],
        annotations=[
            note(float(np.sort(its)[-2]), -row * place, f"<b>{letter}</b>", dark, xanchor="left", xshift=6)
            for place, (letter, its) in enumerate(pins, start=1)
        ],
    )


def _spread(letter: str, saved_usd: NDArray[np.float64], row: float, dark: bool) -> list[dict[str, Any]]:
    ordered = np.sort(saved_usd)
    ends, middle = (float(ordered[1]), float(ordered[-2])), float(np.median(ordered))
    hover, ink = f"{letter}: saves %{{x:$,.0f}}<extra></extra>", INK[dark]
    quiet: dict[str, Any] = {"showlegend": False, "hovertemplate": hover}
    return [
        curve(letter, ends, (row, row), {"color": ink, "width": 3}, **quiet),
        marks(letter, [middle], [row], {"symbol": "line-ns-open", "size": 13, "color": ink}, **quiet),
    ]


def tornado_chart(
    tornado: Sequence[TornadoBar], dark: bool, ways: Ways = ("own", "on_demand"), pins: Sequence[tuple[str, float]] = ()
) -> go.Figure:
    """Draw the saving of owning between both ends of each input; inputs that turn it have a mark on the line.

    What each pinned plan saves as it is entered, by its letter, is an upright line.
    """
    shown = list(tornado[:_MOST_BARS])
    bottom = max(3, len(shown)) - 0.5
    return style_figure(
        [
            _bar_half(shown, ways, True, dark),
            _bar_half(shown, ways, False, dark),
            *_entered_value_marks(shown, bottom, dark),
            _sign_change_marks(shown, dark),
        ],
        dark,
        FRAME_PX + BAR_PX * max(3, len(shown)),
        xaxis=money(
            f"What {saving_side_label(ways[0])} saves, discounted to today", nticks=6, tickangle=0,
            range=_reach(shown, [usd for _, usd in pins]),
        ),
        yaxis={"range": [bottom, -0.9], "visible": False},
        barmode="overlay",
        shapes=[*_rows(len(shown), dark), vertical_line(0.0, dark, 2, None),
                *(vertical_line(usd, dark) for _, usd in pins)],
        annotations=[
            *bar_labels([_name(bar) for bar in shown], dark), *_ends(shown, dark),
            *(note(usd, bottom, f"<b>{letter}</b>", dark, yanchor="bottom", xanchor="left", xshift=3)
              for letter, usd in pins),
        ],
    )  # fmt: skip


_PHONE_PX, _MOST_PX, _LETTER_PX, _TIMES = 326, 110, 7, 4


def _reach(shown: Sequence[TornadoBar], pins: Sequence[float]) -> list[float]:
    """From where to where the chart goes, so that on a phone too the value at each end of a bar has its room."""
    ends = [end for bar in shown for end in _values(bar)] + [(usd, "A", True) for usd in pins]
    low, high = (pick([0.0, *(usd for usd, _, _ in ends)]) for pick in (min, max))
    usd, left, right = (high - low) or 1.0, 0.0, 0.0
    for _ in range(_TIMES):  # the more pixels the words take beyond the longest bars, the shorter are the bars
        usd_per_px = usd / (_PHONE_PX - left - right)
        left, right = _label_width_px(ends, low, usd_per_px, False), _label_width_px(ends, high, usd_per_px, True)
    usd_per_px = usd / (_PHONE_PX - left - right)
    return [low - left * usd_per_px, high + right * usd_per_px]


def _label_width_px(ends: Sequence[tuple[float, str, bool]], edge: float, usd_per_px: float, to_right: bool) -> float:
    """Return the pixels that the labels on one side need beyond its longest bar."""
    needs = (
        _LETTER_PX * (len(text) + 1) - abs(edge - usd) / usd_per_px for usd, text, side in ends if side == to_right
    )
    return min(max([0.0, *needs]), _MOST_PX)


def _rows(count: int, dark: bool) -> list[dict[str, Any]]:
    """A faint line above each row but the first, so that a name and a bar far away belong together."""
    line = {"color": GRID[dark], "width": 1}
    return [
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": place - 0.66, "y1": place - 0.66, "line": line}
        for place in range(1, count)
    ]


def _bar_half(shown: Sequence[TornadoBar], ways: Ways, saves: bool, dark: bool) -> dict[str, Any]:
    """The part of each bar on one side of the line, in the looks of the way that costs less there."""
    way, side = ways[0] if saves else ways[1], saving_side_label(ways[0])
    hatch, within = ("", (0.0, np.inf)) if saves else ("/", (-np.inf, 0.0))
    ends = [np.clip(sorted((bar.saved_low_usd, bar.saved_high_usd)), *within).tolist() for bar in shown]
    return bars(
        f"{WAYS[way].name} costs less", [high - low for low, high in ends], list(range(len(shown))),
        hatched_style(option_color(way, dark), hatch), base=[low for low, _ in ends], width=0.42,
        customdata=[[_hover(bar, side)] for bar in shown], hovertemplate="%{customdata[0]}<extra></extra>",
    )  # fmt: skip


def _sign_change_marks(shown: Sequence[TornadoBar], dark: bool) -> dict[str, Any]:
    places = [place for place, bar in enumerate(shown) if bar.flips_sign]
    marker = {"symbol": "diamond", "size": 13, "color": PAPER[dark], "line": {"color": INK[dark], "width": 2.5}}
    return marks("turns here", [0.0] * len(places), places, marker, hoverinfo="skip")


def _entered_value_marks(shown: Sequence[TornadoBar], bottom: float, dark: bool) -> list[dict[str, Any]]:
    line = {"color": INK[dark], "width": 2, "dash": "dot"}
    return [curve("as entered", [bar.saved_usd] * 2, [-0.9, bottom], line, hoverinfo="skip") for bar in shown[:1]]


def _name(bar: TornadoBar) -> str:
    """The label of a bar: its input, and where that turns the answer."""
    turns = f" <b>same at {value_text(bar.input.name, bar.flip)}</b>" if bar.flips_sign and bar.flip else ""
    return f"{short_label(bar.input.name)}{turns}"


def _hover(bar: TornadoBar, side: str) -> str:
    ends = ((bar.input.spread.low, bar.saved_low_usd), (bar.input.spread.high, bar.saved_high_usd))
    lines = [f"{value_text(bar.input.name, value)}: {side} {_saving_text(usd)}" for value, usd in ends]
    return "<br>".join([f"<b>{input_label(bar.input.name)}</b>", *lines])


def _saving_text(usd: float) -> str:
    return f"saves {words.usd(usd)}" if usd >= 0 else f"costs {words.usd(-usd)} more"


_MARK_PX, _NEAR = 11, 0.05  # half of the mark with its edge; how near to it an end is, as a share of the longest


def _ends(shown: Sequence[TornadoBar], dark: bool) -> list[dict[str, Any]]:
    """The values at both ends of each bar, beside them, and beside the mark where it turns near an end."""
    most = max((abs(usd) for bar in shown for usd, _, _ in _values(bar)), default=0.0)
    out = []
    for place, bar in enumerate(shown):
        for usd, text, right in _values(bar):
            away = _MARK_PX if bar.flips_sign and abs(usd) < _NEAR * most else 3
            side, shift = ("left", away) if right else ("right", -away)
            out.append(note(usd, place, text, dark, xanchor=side, xshift=shift, bgcolor=PAPER[dark]))
    return out


def _values(bar: TornadoBar) -> tuple[tuple[float, str, bool], ...]:
    """Both ends of a bar: what is saved there, the value of the input, and whether it stands to the right."""
    low, high = (short_value_text(bar.input.name, value) for value in (bar.input.spread.low, bar.input.spread.high))
    rising = bar.saved_high_usd >= bar.saved_low_usd
    return (bar.saved_low_usd, low, not rising), (bar.saved_high_usd, high, rising)


def break_even_map_chart(grid: BreakEvenMap, dark: bool, ways: Ways = ("own", "on_demand")) -> go.Figure:
    """Draw the saving of owning over two inputs, the break-even line, your plan and its range.

    Every cell holds an unseen mark, since a heat map does not say where it was clicked.
    """
    across, up = grid.across, grid.up
    return style_figure(
        [*_heatmap(grid, dark, ways), _cells(grid, saving_side_label(ways[0])), _plan_marker(grid, dark)],
        dark,
        _MAP_PX,
        margin={"l": 8, "r": 16, "t": 40, "b": 120},
        hovermode="closest",
        hoverdistance=-1,
        clickmode="event",
        xaxis=axis(input_label(across.name), range=_axis_range(across), **_scale(across.name)),
        yaxis=axis(input_label(up.name), range=_axis_range(up), **_scale(up.name)),
        annotations=_region_labels(grid, dark, ways),
    )


def _heatmap(grid: BreakEvenMap, dark: bool, ways: Ways) -> list[dict[str, Any]]:
    most = float(np.nanmax(np.abs(grid.saved_usd))) or 1.0
    own, rent = (option_color(way, dark) for way in ways)
    axes = {"x": grid.across.values.tolist(), "y": grid.up.values.tolist(), "z": grid.saved_usd.tolist()}
    bar = {
        "title": {"text": f"What {saving_side_label(ways[0])} saves", "side": "top"},
        "tickformat": "$~s", "orientation": "h",
        "thickness": 12, "len": 0.9, "y": -0.24, "yanchor": "top", "nticks": 5,
    }  # fmt: skip
    return [
        {
            "type": "heatmap", **axes, "zmin": -most, "zmax": most, "colorbar": bar, "hoverinfo": "skip",
            "colorscale": [
                [0.0, rent], [0.5, _tint(PAPER[dark], rent)], [0.5, _tint(PAPER[dark], own)], [1.0, own],
            ],
        },
        {
            "type": "contour", **axes, "showscale": False, "name": "same cost", "showlegend": True,
            "contours": {"start": 0, "end": 0, "size": 1, "coloring": "none"},
            "line": {"color": INK[dark], "width": 3}, "hoverinfo": "skip",
        },
    ]  # fmt: skip


def _tint(paper: str, colour: str) -> str:
    """A faint tint of a colour: the two sides of the line differ also where hardly anything is saved."""
    mixed = zip(channels(paper), channels(colour), strict=True)
    return "#" + "".join(f"{round(under + _TINT * (over - under)):02x}" for under, over in mixed)


def _cells(grid: BreakEvenMap, side: str) -> dict[str, Any]:
    across, up = grid.across, grid.up
    places = [(row, column) for row in range(len(up.values)) for column in range(len(across.values))]
    return marks(
        None, [float(across.values[column]) for _, column in places], [float(up.values[row]) for row, _ in places],
        {"size": 22, "symbol": "square", "opacity": 0}, showlegend=False,
        customdata=[[f"{row},{column}"] for row, column in places],
        text=[
            f"{short_label(across.name)} {value_text(across.name, float(across.values[column]))}<br>"
            f"{short_label(up.name)} {value_text(up.name, float(up.values[row]))}<br>"
            f"{side} {_saving_text(float(grid.saved_usd[row, column]))}"
            for row, column in places
        ],
        hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip


def clicked_values(grid: BreakEvenMap, cell: str) -> dict[str, float] | None:
    """The values of both inputs at a cell that was clicked, by name; None where there is no such cell."""
    row, _, column = cell.partition(",")
    if not (row.isdecimal() and column.isdecimal()):
        return None
    if int(row) >= len(grid.up.values) or int(column) >= len(grid.across.values):
        return None
    return {grid.across.name: float(grid.across.values[int(column)]), grid.up.name: float(grid.up.values[int(row)])}


def _plan_marker(grid: BreakEvenMap, dark: bool) -> dict[str, Any]:
    across, up = grid.across, grid.up
    text = "you" if (across.low, up.low) == (across.high, up.high) else "you, and where 8 of 10 futures lie"
    line = {"color": INK[dark], "thickness": 2.5, "width": 8, "symmetric": False}
    marker = {"symbol": "x", "size": 15, "color": PAPER[dark], "line": {"color": INK[dark], "width": 2.5}}
    return marks(
        text, [across.you], [up.you], marker, hoverinfo="skip",
        error_x={**line, "array": [across.high - across.you], "arrayminus": [across.you - across.low]},
        error_y={**line, "array": [up.high - up.you], "arrayminus": [up.you - up.low]},
    )  # fmt: skip


def _region_labels(grid: BreakEvenMap, dark: bool, ways: Ways) -> list[dict[str, Any]]:
    """Return the labels of the cheaper option on each side of the line."""
    out = []
    for way, mask in zip(ways, (grid.saved_usd > 0, grid.saved_usd < 0), strict=True):
        rows, columns = np.nonzero(mask)
        if len(rows) < _SEEN_CELLS:
            continue
        near = int(np.argmin((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2))
        x, y = float(grid.across.values[columns[near]]), float(grid.up.values[rows[near]])
        look: dict[str, Any] = {"bgcolor": PAPER[dark], "opacity": 0.9, "borderpad": 3}
        out.append(note(x, y, f"{WAYS[way].name} costs less", dark, 13, **look))
    return out


def _axis_range(side: MapAxis) -> list[float]:
    """The range of an axis, from edge to edge of the cells; where you are is always in it."""
    half = float(side.values[1] - side.values[0]) / 2
    return [min(float(side.values[0]) - half, side.you - half), max(float(side.values[-1]) + half, side.you + half)]


def _scale(name: str) -> dict[str, Any]:
    share = "share" in name or "change" in name or "drift" in name or name.endswith("factor")
    return {"tickformat": ".0%"} if share else {"tickprefix": "$"} if name.startswith("usd_") else {}
