"""The best mix: its words, tables and charts."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from planner.money.measures import present_usd
from planner.money.ways import WAYS
from planner.report import words
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
from planner.report.table import Table
from planner.report.title import order_schedule_text
from planner.scenario.rent import MixInputs
from planner.scenario.ways import Way
from planner.study.buy_or_wait import BuyOrWaitFutures, Waiting
from planner.study.mix.best_mix import BestMix, MixUnavailable, completed_share_in_stages
from planner.study.mix.load_duration import EnvelopeSegment

# From the bottom up: what binds most lies lowest.
_BY_FIRMNESS = sorted(WAYS.values(), key=lambda way: (-way.commitment_rank, way.place))
LAYERS = {way.key: way.layer for way in _BY_FIRMNESS if way.layer is not None}
_LITTLE = 0.005  # of a share: less is not shown as a difference


def mix_text(mix: MixInputs) -> str:
    """Return a mix in words: Own 8, reserve 4, rent the peaks."""
    stages = f" ({order_schedule_text(mix.orders)})" if mix.orders else ""
    own = f"own {mix.own_accelerators:,}{stages}" if mix.own_accelerators else ""
    reserve = f"reserve {mix.reserve_accelerators:,}" if mix.reserve_accelerators else ""
    return words.upper_first(", ".join(filter(None, (own, reserve, LAYERS[mix.peaks].peaks))))


def mix_sentences(best: BestMix | MixUnavailable) -> tuple[str, ...]:
    """Return the best mix, its saving, the reason, and its sensitivity."""
    if isinstance(best, MixUnavailable):
        return (f"There is no mix to look for: {best.reason}.",)
    wait = tuple[str, ...]()
    if best.wait_hours is not None and best.wait_hours.is_found:
        hours = words.round_significant(float(np.asarray(best.wait_hours.value)), 2)
        wait = (f"A job that may wait does so for {words.count(hours, 'hour')} on average.",)
    return (
        _headline(best),
        *_newsvendor_text(best),
        _sensitivity_text(best),
        *wait,
        *(words.sentence(item.reason) for item in best.infeasible),
        *(f"Not looked at: {reason}." for reason in best.rates.missing),
    )


def _headline(best: BestMix) -> str:
    priced_usd = float(present_usd(best.plan.setting, best.single_option.ledger))
    at_most = " with unpublished prices at their highest" if best.single_option_usd > priced_usd * (1 + 1e-9) else ""
    single = f"{best.single_option.title}, {words.usd(best.single_option_usd)}{at_most}"
    if not best.is_mixed:
        return f"No mix is cheaper than one option alone ({single})."
    least = "at least" if best.at_most_usd > best.usd * (1 + 1e-9) else "about"
    name, cost = mix_text(best.mix), f"costs {least} {words.usd(best.usd)} as entered"
    if not best.single_option_allowed:
        return f"{name}: it {cost}. No option alone keeps to your budget."
    if best.saving_usd <= 0:
        return f"No mix is cheaper than one option alone ({single}). The best ({name.lower()}) {cost}."
    saved = words.percent(best.saving_usd / best.single_option_usd)
    return f"{name}: it {cost}, {saved} less than the best option alone ({single})."


def _newsvendor_text(best: BestMix) -> tuple[str, ...]:
    """Return the newsvendor rule with its numbers: the reason for the size of the owned base."""
    own = next((screen for screen in best.screening_lines if screen.name == "own"), None)
    if own is None:
        return ()
    rest = "on_demand" if best.burst == "spot" else best.burst
    other = next(screen for screen in best.screening_lines if screen.name == rest)
    idle, busy, rent = map(words.usd_per_hour, (own.usd_per_hour, own.usd_per_busy_hour, other.usd_per_busy_hour))
    prices = f"an owned hour costs {idle}, and {busy} more when busy, against {rent} for a busy hour elsewhere"
    if not best.break_even_utilization.is_found:
        return (f"Owning never pays here: {prices}.",)
    share = float(np.asarray(best.break_even_utilization.value))
    rule = f"Owning a GPU pays if it is used more than {words.percent(share)} of the time: {prices}."
    if best.mix.orders:
        return (f"{rule} Each server is ordered about when it would be that busy from then on.",)
    busier = best.load.units_busier_than(share)
    return (f"{rule} {abs(busier):,.0f} of {best.load.peak:,.0f} would be that busy.",)


def _sensitivity_text(best: BestMix) -> str:
    low, high = best.flat
    if low < high:
        return f"It is flat: with anything between {low:,} and {high:,} owned it costs within 1% of the least."
    others = [(point.usd, point.accelerators) for point in best.curve if point.accelerators != best.own]
    if not others:
        return "No other number to own keeps to the limits."
    usd, size = min(others)
    return f"The number matters: the next best, {size:,} owned, costs {words.percent(usd / best.at_most_usd - 1)} more."


def layers_table(best: BestMix) -> Table:
    """Return the layers from the bottom up: their number, their part of the work, and the cost of an hour."""
    base, firm = (completed_share_in_stages(best.plan.setting, best.mix, reserved) for reserved in (0, best.reserved))
    counts = {"own": best.own, "reserved": best.reserved}
    shares = {"own": base, "reserved": firm - base, best.burst: 1.0 - firm}
    cheapest = {segment.name: segment for segment in best.layers}
    return Table.of(
        {
            "Layer": LAYERS[screen.name].name,
            "GPUs": f"{counts[screen.name]:,}" if screen.name in counts else "what is left",
            "Part of the work": words.percent(max(shares.get(screen.name, 0.0), 0.0)),
            "An hour of capacity": words.usd_per_hour(screen.usd_per_hour) if screen.usd_per_hour else "–",
            "More when busy": words.usd_per_hour(screen.usd_per_busy_hour),
            "Cheapest if busy": _cheapest_label(screen.name, cheapest),
        }
        for screen in sorted(best.screening_lines, key=lambda screen: list(LAYERS).index(screen.name))
    )


def _cheapest_label(name: str, cheapest: dict[str, EnvelopeSegment]) -> str:
    if name not in cheapest:
        return "only where work may stop" if name == "spot" else "never"
    low, high = cheapest[name].from_share, cheapest[name].to_share
    return "never" if high - low < _LITTLE else f"{words.percent(low)} to {words.percent(high)}"


def base_size_table(best: BestMix) -> Table:
    """Return the cost of the plan over the size of the base."""
    least = best.at_most_usd
    rows = [(it.accelerators, it.usd, it.usd / least - 1 if least > 0 else 0.0) for it in best.curve]
    return Table.listed(("Owned", "Net present cost, USD", "Above the least"), rows) if rows else Table.of([])


def load_table(best: BestMix) -> Table:
    """Return the utilization of each slice of capacity."""
    load = best.load
    slices = zip(load.edges[:-1], load.edges[1:], load.busy_share, load.hours, strict=True)
    return Table.of(
        {
            "GPUs": f"{int(low) + 1:,} to {int(high):,}" if high - low > 1 else f"{int(high):,}",
            "Busy": float(share),
            "Hours": float(hours),
        }
        for low, high, share, hours in slices
    )


def load_summary(best: BestMix) -> str:
    """Return the load chart in a sentence, for screen readers."""
    done, turn = completed_share_in_stages(best.plan.setting, best.mix, 0), best.break_even_utilization
    share = words.percent(float(np.asarray(turn.value))) if turn.is_found else "no share"
    return (
        f"How many GPUs have work for how much of the time, up to {best.load.peak:,.0f} at once. Owning pays above "
        f"{share} of the time. A base of {best.own:,} does {words.percent(done)} of the work."
    )


def base_size_summary(best: BestMix) -> str:
    """Return the cost curve in a sentence."""
    low, high = best.flat
    near = f"between {low:,} and {high:,}" if low < high else f"at {best.own:,}"
    return f"Cost over the number owned: least {near}, {words.usd(best.at_most_usd)} as entered."


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
        tops, bottoms = np.minimum(load.edges[1:][inside], high), np.maximum(load.edges[:-1][inside], low)
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
