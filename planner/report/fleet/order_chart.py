"""The fleet as steps under the demand: what the work wants, what is busy, what is there."""

import plotly.graph_objects as go

from planner.report.chart_frame import INK, axis, curve, option_color, style_figure
from planner.report.fleet.order_words import FleetReport

_HEIGHT = 400


def steps(found: FleetReport, dark: bool) -> go.Figure:
    """Wanted at once, busy on average and owned, month by month."""
    colour, months = option_color(found.way.option.way, dark), list(range(1, len(found.owned)))

    def line(name: str, values: list[float], look: dict[str, object], **more: object) -> dict[str, object]:
        hover = f"{name}<br>month %{{x}}: %{{y:,.0f}}<extra></extra>"
        return curve(name, months, values, look | {"shape": "hv"}, hovertemplate=hover, **more)

    ink = INK[dark]
    return style_figure(
        [
            line("Owned", found.owned[1:].tolist(), {"color": colour, "width": 3}, fill="tozeroy"),
            line("Wanted at once", found.wanted[1:].tolist(), {"color": ink, "width": 2, "dash": "dash"}),
            line("Busy on average", found.busy[1:].tolist(), {"color": ink, "width": 2, "dash": "dot"}),
        ],
        dark,
        _HEIGHT,
        xaxis=axis("Month", rangemode="tozero"),
        yaxis=axis("GPUs", rangemode="tozero"),
    )
