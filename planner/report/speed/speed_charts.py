"""The Speed page's charts: rows in, Plotly figures out. Labels stand above their bars: a phone has room for both.

Every mark differs in shape, hatch or words as well as in colour.
"""

from collections.abc import Collection, Iterable, Sequence
from textwrap import shorten
from typing import Any

import numpy as np
import plotly.graph_objects as go

from planner.evidence.nearest import PublishedRun
from planner.report import words
from planner.report.chart_frame import INK, PAPER, axis, bars, marks, note, style_figure
from planner.report.speed.speed_tables import StackedBar
from planner.speed.serving.result import TimeShare
from planner.speed.training.result import PEAK, WaterfallStep

BAR_PX, FRAME_PX = 62, 96
SCATTER_PX = 520
_WIDTH, _LABEL_AT, _BAR_AT = 0.42, -0.24, 0.16
_LONG_AT, _LINE = -0.34, 48  # of a label on two lines; letters that a phone has room for on one
_LONGEST = 52  # letters of what is said of a bar; the table has all of it
_HEADROOM = 1.0  # rows above the first bar, for the name of the line
_CUT = 3.0  # a bar ends at so many times the line it stands against; its label says how long it is
BLUE, ORANGE, GREY = ("#0b5cad", "#7cb7ff"), ("#b45309", "#fbbf77"), ("#7a7f8c", "#b6bac6")
# light, dark, hatch; in the order of the parts
_PART_LOOKS = (
    ("#0b5cad", "#7cb7ff", ""), ("#0f766e", "#5eead4", "/"), ("#6d28d9", "#c4b5fd", "\\"), ("#b45309", "#fbbf77", ""),
    ("#9d174d", "#f9a8d4", "x"), ("#4d7c0f", "#bef264", "|"), ("#475569", "#cbd5e1", "-"), ("#a16207", "#fde047", "."),
)  # fmt: skip


def memory_stacks(
    ways: Sequence[StackedBar], parts: Iterable[str], limits_gb: Sequence[float], dark: bool
) -> go.Figure:
    """What an accelerator holds as stacked parts, one bar for each way, against the memory there really is."""
    places = [place + _BAR_AT for place in range(len(ways))]
    most = max(*(bar.total for bar in ways), *limits_gb) * 1.04
    end = min(most, _CUT * max(limits_gb))
    data = []
    for number, (name, look) in enumerate(zip(parts, _PART_LOOKS, strict=False)):
        amounts = [bar.amounts[number] for bar in ways]
        if max(amounts) > end / 1_000:
            hover = "%{customdata}<br>" + name + " %{x:,.3g} GB<extra></extra>"
            marker, labels = _filled(look[int(dark)], look[2], dark), [bar.label for bar in ways]
            data.append(bars(name, amounts, places, marker, width=_WIDTH, customdata=labels, hovertemplate=hover))
    return style_figure(
        data, dark, FRAME_PX + 40 + BAR_PX * len(ways), quiet=True, barmode="stack",
        xaxis=axis("GB on the fullest accelerator", range=[0, end]),
        yaxis=_rows(len(ways), _HEADROOM),
        annotations=[*_labels([(bar.label, bar.note) for bar in ways], dark), _limit_label(limits_gb[0], end, dark)],
        shapes=_limits(limits_gb, dark),
    )  # fmt: skip


def _filled(colour: str, hatch: str, dark: bool) -> dict[str, Any]:
    """A full colour with its hatch cut into it, so that a thin piece still shows what it is."""
    cut = {"shape": hatch, "fillmode": "overlay", "fgcolor": PAPER[dark], "size": 7, "solidity": 0.22}
    return {"color": colour, "pattern": cut if hatch else {"shape": ""}, "line": {"width": 0}}


def _limits(limits_gb: Sequence[float], dark: bool) -> list[dict[str, Any]]:
    """The line of the memory there is: one line, or a piece for each bar where a way takes other accelerators."""
    line = {"type": "line", "line": {"color": INK[dark], "width": 2, "dash": "dash"}}
    ends = [(place - 0.5, place + 0.5) for place in range(len(limits_gb))]
    if len(set(limits_gb)) == 1:
        limits_gb, ends = limits_gb[:1], [(-_HEADROOM + 0.32, len(limits_gb) - 0.5)]
    return [
        line | {"x0": limit, "x1": limit, "y0": top, "y1": bottom}
        for limit, (top, bottom) in zip(limits_gb, ends, strict=True)
    ]


def _limit_label(limit_gb: float, end_gb: float, dark: bool) -> dict[str, Any]:
    side: dict[str, Any] = {"xanchor": "right" if limit_gb > 0.7 * end_gb else "center", "yanchor": "bottom"}
    return note(limit_gb, -_HEADROOM + 0.3, f"memory: {words.round_significant(limit_gb):g} GB", dark, **side)


def waterfall(steps: Sequence[WaterfallStep], dark: bool) -> go.Figure:
    """From the peak down to what counts: each loss hangs where the one before it ended."""
    peak, last = steps[0].after, steps[-1].after
    rows = [(_first(steps[0].words), f"{words.round_significant(peak):,.0f} tokens/s")]
    rows += [(_first(one.words), f"−{words.round_significant(one.lost):,.0f} ({words.percent(one.lost / peak, 1)})")
             for one in steps[1:]]  # fmt: skip
    rows.append(("What counts in the end", f"{words.round_significant(last):,.0f} ({words.percent(last / peak, 1)})"))
    places = [place + _BAR_AT for place in range(len(rows))]
    losses = [one for one in steps if one.name != PEAK]
    whole = bars(
        "speed", [peak, last], [places[0], places[-1]], {"color": BLUE[dark]}, width=_WIDTH,
        hovertemplate="%{x:,.0f} tokens/s<extra></extra>",
    )  # fmt: skip
    lost = bars(
        "lost", [one.lost for one in losses], places[1:-1], _filled(ORANGE[dark], "/", dark), width=_WIDTH,
        base=[one.after for one in losses], customdata=[_first(one.words) for one in losses],
        hovertemplate="%{customdata}<br>%{x:,.0f} tokens/s lost<extra></extra>",
    )  # fmt: skip
    return style_figure(
        [whole, lost], dark, FRAME_PX + BAR_PX * len(rows), quiet=True,
        xaxis=axis("Tokens a second on each accelerator", rangemode="tozero", tickformat="~s"),
        yaxis=_rows(len(rows)), annotations=_labels(rows, dark),
    )  # fmt: skip


def time_shares(shares: Sequence[TimeShare], dark: bool) -> go.Figure:
    """Where the time of a service goes, the largest part on top."""
    kept = [one for one in shares if one.share >= 5e-4]
    parts = bars(
        None, [one.share for one in kept], [place + _BAR_AT for place in range(len(kept))], {"color": BLUE[dark]},
        width=_WIDTH, showlegend=False, customdata=[_first(one.name) for one in kept],
        hovertemplate="%{customdata}<br>%{x:.1%}<extra></extra>",
    )  # fmt: skip
    return style_figure(
        [parts], dark, FRAME_PX + BAR_PX * len(kept), quiet=True,
        xaxis=axis("Share of the time of a full batch", tickformat=".0%", rangemode="tozero"),
        yaxis=_rows(len(kept)),
        annotations=_labels([(_first(one.name), words.percent(one.share, 1)) for one in kept], dark),
    )  # fmt: skip


def agreement(runs: Sequence[PublishedRun], near: Collection[str], near_share: float, dark: bool) -> go.Figure:
    """Every published run, what was measured across and what is predicted upwards; a good one lies on the line."""
    ends = [end for run in runs for end in (run.published, run.predicted)]
    low, high = min(ends) * 0.7, max(ends) * 1.4
    kinds = {
        "dense": ("circle-open", BLUE, [run for run in runs if not run.traits.network.experts]),
        "mixture of experts": ("diamond-open", ORANGE, [run for run in runs if run.traits.network.experts]),
    }
    dots = [_run_markers(name, *look, dark) for name, look in kinds.items() if look[2]]
    nearest = [run for run in runs if run.id in near]
    if nearest:
        dots.append(_run_markers("most like yours", "star", (INK[False], INK[True]), nearest, dark, size=13))
    return style_figure(
        [*_band(low, high, near_share, dark), *dots], dark, SCATTER_PX, quiet=True,
        xaxis=_log_axis("Published, tokens/s on each accelerator", low, high),
        yaxis=_log_axis("Predicted", low, high),
    )  # fmt: skip


def _run_markers(
    name: str, symbol: str, colours: tuple[str, str], runs: Sequence[PublishedRun], dark: bool, size: int = 6
) -> dict[str, Any]:
    return marks(
        name, [float(f"{run.published:.5g}") for run in runs], [float(f"{run.predicted:.5g}") for run in runs],
        {"symbol": symbol, "color": colours[int(dark)], "size": size, "opacity": 0.75},
        text=[f"{run.traits.network.label}, {run.traits.work.accelerators:,.0f} x {run.traits.chip}" for run in runs],
        customdata=[float(f"{100 * np.expm1(run.error):.3g}") for run in runs],
        hovertemplate="%{text}<br>published %{x:,.0f}, predicted %{y:,.0f} (%{customdata:+.0f} %)<extra></extra>",
    )  # fmt: skip


def _band(low: float, high: float, share: float, dark: bool) -> list[dict[str, Any]]:
    """The line of perfect agreement, and so many percent to either side of it."""
    edge: dict[str, Any] = {"type": "scatter", "mode": "lines", "x": [low, high], "hoverinfo": "skip"}
    thin = {"color": GREY[dark], "width": 1, "dash": "dot"}
    return [
        edge | {"y": [low * (1 - share), high * (1 - share)], "line": thin, "showlegend": False},
        edge | {"y": [low * (1 + share), high * (1 + share)], "line": thin, "fill": "tonexty",
                "fillcolor": "rgba(122,127,140,0.16)", "name": f"within {words.percent(share)}"},
        edge | {"y": [low, high], "line": {"color": INK[dark], "width": 1}, "name": "as published"},
    ]  # fmt: skip


def _log_axis(title: str, low: float, high: float) -> dict[str, Any]:
    ends = [float(np.log10(low)), float(np.log10(high))]
    return axis(title, type="log", range=ends, tickformat="~s", dtick=1)


def _labels(rows: Sequence[tuple[str, str]], dark: bool) -> list[dict[str, Any]]:
    """What each bar is and what to say of it, above it: on one line, or on two where a phone has no room for one."""
    look = {"xref": "paper", "xanchor": "left", "yanchor": "middle", "align": "left", "borderpad": 0}
    notes = []
    for place, (label, said) in enumerate(rows):
        is_long = len(label) + len(said) > _LINE
        between, at = ("<br>", _LONG_AT) if is_long else ("  ", _LABEL_AT)
        text = f"<b>{label}</b>{between}{shorten(said, _LONGEST, placeholder='…')}"
        notes.append(note(0, place + at, text, dark, 12.5, bgcolor=PAPER[dark], **look))
    return notes


def _rows(number: int, headroom: float = 0.6) -> dict[str, Any]:
    return {"showticklabels": False, "range": [number - 0.5, -headroom], "showgrid": False, "zeroline": False}


def _first(text: str) -> str:
    return text[:1].upper() + text[1:]
