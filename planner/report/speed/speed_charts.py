"""The Speed page's charts: rows in, Plotly figures out. Labels stand above their bars, where a phone fits both.

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
_LONG_AT, _LINE = -0.34, 48  # of a label on two lines; letters that a phone fits on one
_LONGEST = 52  # letters of a note; the table has all of it
_HEADROOM = 1.0  # rows above the first bar, for the name of the line
_CUT = 3.0  # times the limit line at which a bar is cut; its label has the value
BLUE, ORANGE, GREY = ("#0b5cad", "#7cb7ff"), ("#b45309", "#fbbf77"), ("#7a7f8c", "#b6bac6")
# light, dark, hatch; in the order of the parts
_PART_LOOKS = (
    ("#0b5cad", "#7cb7ff", ""), ("#0f766e", "#5eead4", "/"), ("#6d28d9", "#c4b5fd", "\\"), ("#b45309", "#fbbf77", ""),
    ("#9d174d", "#f9a8d4", "x"), ("#4d7c0f", "#bef264", "|"), ("#475569", "#cbd5e1", "-"), ("#a16207", "#fde047", "."),
)  # fmt: skip


def memory_stacks(
    options: Sequence[StackedBar], parts: Iterable[str], limits_gb: Sequence[float], dark: bool
) -> go.Figure:
    """Draw the memory of an accelerator as stacked parts, one bar for each option, against the memory there is."""
    places = [place + _BAR_AT for place in range(len(options))]
    most = max(*(bar.total for bar in options), *limits_gb) * 1.04
    end, data = min(most, _CUT * max(limits_gb)), []
    for number, (name, look) in enumerate(zip(parts, _PART_LOOKS, strict=False)):
        amounts = [bar.amounts[number] for bar in options]
        if max(amounts) > end / 1_000:
            hover = "%{customdata}<br>" + name + " %{x:,.3g} GB<extra></extra>"
            marker, labels = _filled(look[int(dark)], look[2], dark), [bar.label for bar in options]
            data.append(bars(name, amounts, places, marker, width=_WIDTH, customdata=labels, hovertemplate=hover))
    return style_figure(
        data, dark, FRAME_PX + 40 + BAR_PX * len(options), quiet=True, barmode="stack",
        xaxis=axis("GB on the fullest accelerator", range=[0, end]),
        yaxis=_rows(len(options), _HEADROOM),
        annotations=[*_labels([(bar.label, bar.note) for bar in options], dark), _limit_label(limits_gb[0], end, dark)],
        shapes=_limits(limits_gb, dark),
    )  # fmt: skip


def _filled(colour: str, hatch: str, dark: bool) -> dict[str, Any]:
    """Return a full colour with its hatch cut into it, so that a thin piece is still recognizable."""
    cut = {"shape": hatch, "fillmode": "overlay", "fgcolor": PAPER[dark], "size": 7, "solidity": 0.22}
    return {"color": colour, "pattern": cut if hatch else {"shape": ""}, "line": {"width": 0}}


def _limits(limits_gb: Sequence[float], dark: bool) -> list[dict[str, Any]]:
    """Return the line of the memory there is: one line, or a piece for each bar where accelerators differ."""
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
    """Draw the losses from the peak down to useful work: each begins where the one before it ended."""
    peak, last = steps[0].after, steps[-1].after
    rows = [(words.upper_first(steps[0].words), f"{words.round_significant(peak):,.0f} tokens/s")]
    for step in steps[1:]:
        lost = f"−{words.round_significant(step.lost):,.0f} ({words.percent(step.lost / peak, 1)})"
        rows.append((words.upper_first(step.words), lost))
    rows.append(("What counts in the end", f"{words.round_significant(last):,.0f} ({words.percent(last / peak, 1)})"))
    places = [place + _BAR_AT for place in range(len(rows))]
    losses = [step for step in steps if step.name != PEAK]
    whole = bars(
        "speed", [peak, last], [places[0], places[-1]], {"color": BLUE[dark]}, width=_WIDTH,
        hovertemplate="%{x:,.0f} tokens/s<extra></extra>",
    )  # fmt: skip
    cuts = bars(
        "lost", [step.lost for step in losses], places[1:-1], _filled(ORANGE[dark], "/", dark), width=_WIDTH,
        base=[step.after for step in losses], customdata=[words.upper_first(step.words) for step in losses],
        hovertemplate="%{customdata}<br>%{x:,.0f} tokens/s lost<extra></extra>",
    )  # fmt: skip
    return style_figure(
        [whole, cuts], dark, FRAME_PX + BAR_PX * len(rows), quiet=True,
        xaxis=axis("Tokens a second on each accelerator", rangemode="tozero", tickformat="~s"),
        yaxis=_rows(len(rows)), annotations=_labels(rows, dark),
    )  # fmt: skip


def time_shares(shares: Sequence[TimeShare], dark: bool) -> go.Figure:
    """Draw where the time of a service goes, the largest part on top."""
    large = [part for part in shares if part.share >= 5e-4]
    parts = bars(
        None, [part.share for part in large], [place + _BAR_AT for place in range(len(large))], {"color": BLUE[dark]},
        width=_WIDTH, showlegend=False, customdata=[words.upper_first(part.name) for part in large],
        hovertemplate="%{customdata}<br>%{x:.1%}<extra></extra>",
    )  # fmt: skip
    return style_figure(
        [parts], dark, FRAME_PX + BAR_PX * len(large), quiet=True,
        xaxis=axis("Share of the time of a full batch", tickformat=".0%", rangemode="tozero"),
        yaxis=_rows(len(large)),
        annotations=_labels([(words.upper_first(part.name), words.percent(part.share, 1)) for part in large], dark),
    )  # fmt: skip


def agreement(runs: Sequence[PublishedRun], near: Collection[str], near_share: float, dark: bool) -> go.Figure:
    """Draw every published run, measured across and predicted upwards; a good prediction lies on the line."""
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
    """Return the line of perfect agreement, and so many percent to either side of it."""
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
    """Return the label and the note above each bar: on one line, or on two where a phone does not fit them."""
    look = {"xref": "paper", "xanchor": "left", "yanchor": "middle", "align": "left", "borderpad": 0}
    notes = []
    for place, (label, detail) in enumerate(rows):
        is_long = len(label) + len(detail) > _LINE
        between, at = ("<br>", _LONG_AT) if is_long else ("  ", _LABEL_AT)
        text = f"<b>{label}</b>{between}{shorten(detail, _LONGEST, placeholder='…')}"
        notes.append(note(0, place + at, text, dark, 12.5, bgcolor=PAPER[dark], **look))
    return notes


def _rows(number: int, headroom: float = 0.6) -> dict[str, Any]:
    return {"showticklabels": False, "range": [number - 0.5, -headroom], "showgrid": False, "zeroline": False}
