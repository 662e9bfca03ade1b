"""Time against cost over the whole catalogue: the finding, the table with why each lost, and the chart of the front."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go

from planner.money.verdict.answer import Answer
from planner.money.ways import WAYS
from planner.report import words
from planner.report.chart_frame import INK, PAPER, axis, marks, money, note, style_figure, vertical_line
from planner.report.speed.speed_charts import ORANGE
from planner.report.table import Table
from planner.scenario.base import MONTHS_PER_YEAR
from planner.scenario.durations import format_duration, time_mark
from planner.speed.training.result import Interval
from planner.study.market.survey import MarketCandidate, MarketStudy, is_single_model_work
from pricing.query import AGEING_DAYS

HEIGHT_PX = 560
EACH = "Tokens/s each"
_TWICE = 2.0  # from this ratio on, cost is written as times, not as percent
_LOG_FROM = 20.0  # a larger span is drawn in powers of ten
_APART = 0.075  # of the chart's height: nearer names would cover each other, on a phone wherever they start
MOST_POINTS = 12  # on the chart until the reader wants all
_BEYOND = 4.0  # times the front in time or cost: left to the table
_MINUTE, _HOUR = 1 / 1_440, 1 / 24
# Few and short: on a phone there are 30 pixels for each.
_TICKS_DAYS = (_MINUTE, _HOUR, *(10.0**n for n in range(7)))
_MORE_TICKS_DAYS = (*(n * _MINUTE for n in (3, 10, 30)), 3 * _HOUR, 8 * _HOUR, *(3 * 10.0**n for n in range(5)))
_FEW_TICKS = 3
_GB = re.compile(r" \d+ GB$")
_LINE = 60  # letters of a line under the mouse


def plottable_candidates(market: MarketStudy) -> list[MarketCandidate]:
    """Return the candidates with a speed and a price, whatever they lost for."""
    return [it for it in market.candidates if math.isfinite(it.speed) and math.isfinite(it.cost) and it.cost > 0]


def candidate_id(candidate: MarketCandidate) -> str:
    """Return an id that no other candidate of the market has."""
    return f"{candidate.accelerator}|{candidate.accelerators}|{candidate.way}|{candidate.offer or ''}"


def by_id(market: MarketStudy) -> dict[str, MarketCandidate]:
    """Return the candidates by their ids."""
    return {candidate_id(candidate): candidate for candidate in market.candidates}


def plan_of(
    market: MarketStudy, accelerator: str, accelerators: int, answer: Answer | None = None
) -> MarketCandidate | None:
    """Return the plan as a point: its accelerator and number, paid for as the answer to this work says.

    Where that is by the token, or there is none, it is paid for in the cheapest way.
    """
    same = [it for it in plottable_candidates(market) if it.accelerator == accelerator]
    if not market.is_service:
        same = [it for it in same if it.accelerators == accelerators]
    best = answer.best if answer is not None and is_single_model_work(answer.plan.setting) else None
    if best is None or best.present_usd <= 0 or WAYS[best.option.way].is_billed_by_token:
        return min(same, key=lambda it: it.cost, default=None)
    point = min(same, key=lambda it: (it.way != best.option.way, it.wait_days, it.cost), default=None)
    if point is None:
        return None
    per = float(best.measures.eac_usd_per_year) / best.as_entered_usd / MONTHS_PER_YEAR if market.monthly else 1.0
    usd = Interval(best.low_usd * per, best.present_usd * per, best.high_usd * per)
    # Of a plan the answer sets the way to pay, and the offer where it differs from that of the point.
    return replace(point, way=best.option.way, offer=None, provider=None, usd=usd, why_not=None, on_front=False)


def front_summary(market: MarketStudy, plan: MarketCandidate | None) -> str:
    """Return the recommendation in its own words, and the plan beside it."""
    best = market.best
    text = market.reasons[0] if market.reasons else "Nothing of the catalogue does this work at a known price."
    text = text if best is None else f"Recommended: {text[:1].lower()}{text[1:]}"
    if plan is None or best is None:
        return text
    if candidate_id(plan) == candidate_id(best):
        return f"{text} That is your plan."
    if plan.cost <= best.cost:
        return text
    times = plan.cost / best.cost
    more = f"{times:.2g} times as much" if times > _TWICE else f"{words.percent(times - 1)} more"
    cost = f"Your plan, {plan.words}, costs {more} ({words.usd(plan.cost)})"
    if plan.days is None or best.days is None:
        return f"{text} {cost}."
    faster = best.days.typical / plan.days.typical
    when = f"is done {faster:.2g} times as fast" if faster > 1 else f"takes {1 / faster:.2g} times as long"
    return f"{text} {cost} and {when}."


def front_table(market: MarketStudy) -> Table:
    """Return every candidate, the front first, then the cheapest; each with why it lost. The index is its id."""
    order = sorted(market.candidates, key=lambda it: (not it.on_front, it.cost, it.speed, it.accelerator))
    table = Table.of(
        {
            "What": it.label or it.accelerator or "by the token",
            "GPUs": it.accelerators or None,
            "How": WAYS[it.way].name,
            "From": it.provider or "",
            "Days": None if it.days is None else it.days.typical,
            "ms a token, 99 %": it.tpot_p99_ms,
            "USD": None if it.usd is None else it.usd.typical,
            "USD, low": None if it.usd is None else it.usd.low,
            "USD, high": None if it.usd is None else it.usd.high,
            EACH: it.tokens_per_s_per_accelerator,
            "Layout": it.layout,
            "Why not": str(it.why_not or ("nothing beats it on both" if it.on_front else "")),
        }
        for it in order
    )
    return Table(table.cells, tuple(map(candidate_id, order)))


def window(
    market: MarketStudy, plan: MarketCandidate | None, pins: Sequence[MarketCandidate] = ()
) -> list[MarketCandidate]:
    """Return the candidates to draw: the front, the plan, and all that are not many times slower or costlier."""
    candidates = plottable_candidates(market)
    marked = [*_finite_front(market), *([plan] if plan is not None else []), *pins]
    if not marked:
        return candidates
    speed, cost = _BEYOND * max(it.speed for it in marked), _BEYOND * max(it.cost for it in marked)
    return [it for it in candidates if it.speed <= speed and it.cost <= cost]


def nearest_to_front(
    market: MarketStudy, plan: MarketCandidate | None, pins: Sequence[MarketCandidate] = ()
) -> list[MarketCandidate]:
    """Return the few candidates to draw first: the front, what is marked, then the cheapest of other accelerators.

    Of a long front the ends and the recommendation stay, and those between at even steps.
    """
    front, marked = _finite_front(market), [it for it in (market.best, plan, *pins) if it is not None]
    steps = np.linspace(0, len(front) - 1, min(len(front), MOST_POINTS - len(marked))).round().astype(int)
    shown = {id(it): it for it in (*marked, *(front[step] for step in steps))}
    accelerators = {it.accelerator for it in shown.values()}
    others = [it for it in window(market, plan, pins) if it.why_not is None or it.why_not.is_dominated]
    for candidate in sorted(others, key=lambda it: it.cost):
        if len(shown) < MOST_POINTS and candidate.accelerator not in accelerators:
            shown[id(candidate)] = candidate
            accelerators.add(candidate.accelerator)
    return [it for it in shown.values() if math.isfinite(it.speed) and math.isfinite(it.cost)]


def _finite_front(market: MarketStudy) -> list[MarketCandidate]:
    return [it for it in market.front if math.isfinite(it.speed)]


class AxisScale:
    """Where a value stands between the ends of its axis, and where an annotation must be put on it."""

    def __init__(self, values: Sequence[float]) -> None:
        self.log = is_log(values)
        self.low, high = _range(values)
        self.span = max(high - self.low, 1e-9)

    def position(self, value: float) -> float:
        """Return the place of an annotation: on a logarithmic axis the power of ten."""
        return math.log10(value) if self.log else value

    def __call__(self, value: float) -> float:
        return (self.position(value) - self.low) / self.span


def front_chart(
    market: MarketStudy,
    plan: MarketCandidate | None,
    dark: bool,
    pins: Sequence[tuple[str, MarketCandidate]] = (),
    *,
    every: bool = True,
) -> go.Figure:
    """Draw candidates as faint marks, the front as a line with names, the plan as a star, limits as lines.

    Pinned plans that do the same work are stars with their letters.
    """
    shown = (window if every else nearest_to_front)(market, plan, [pin for _, pin in pins])
    drawn = set(map(id, shown))
    front, best = [it for it in _finite_front(market) if id(it) in drawn], market.best
    flexible_first = sorted(WAYS.values(), key=lambda option: (option.commitment_rank, option.place))
    data = [_faint_marks(option.key, same, dark) for option in flexible_first
            if (same := [it for it in shown if it.way == option.key])]  # fmt: skip
    if front:
        look = {"size": 9, "color": INK[dark], "symbol": [WAYS[it.way].style.symbol for it in front]}
        line: dict[str, Any] = {"mode": "lines+markers", "line": {"color": INK[dark], "width": 2, "shape": "hv"}}
        texts = [it.words for it in front]
        data.append(marks("nothing is faster and cheaper", **_places(front), marker=look, text=texts, **line))
    if best is not None and math.isfinite(best.speed):
        data.append(_mark(best, "recommended", {"symbol": "circle-open", "size": 20, "color": INK[dark]}))
    if plan is not None:
        data.append(_mark(plan, "your plan", {"symbol": "star", "size": 17, "color": ORANGE[dark]}))
    data += [_mark(pin, letter, {"symbol": "star-open", "size": 15, "color": INK[dark]}) for letter, pin in pins]
    times, costs = [it.speed for it in shown], [it.cost for it in shown]
    scales = AxisScale(times), AxisScale(costs)
    labels = [*_labels(front, best, plan, scales, dark), *_limit_names(market, scales, dark)]
    for letter, pin in pins:
        below: dict[str, Any] = {"yanchor": "top", "yshift": -9}
        at = scales[0].position(pin.speed), scales[1].position(pin.cost)
        labels.append(note(*at, f"<b>{letter}</b>", dark, **below))
    return style_figure(
        data, dark, HEIGHT_PX, quiet=True, hovermode="closest", clickmode="event", xaxis=_time_axis(times, market),
        yaxis=_cost_axis(costs, market), shapes=_limits(market, dark), annotations=labels,
    )  # fmt: skip


def _faint_marks(option: str, candidates: Sequence[MarketCandidate], dark: bool) -> dict[str, Any]:
    look = WAYS[option].style
    symbols = [look.symbol if (it.age_days or 0) <= AGEING_DAYS else f"{look.symbol}-open" for it in candidates]
    marker, texts = {"symbol": symbols, "color": look.colour(dark), "size": 7, "opacity": 0.45}, []
    for it in candidates:
        seller = f", {it.provider}" if it.provider else ""
        texts.append(f"{it.words}{seller}<br>{'<br>'.join(wrap(str(it.why_not or ''), _LINE))}")
    return marks(WAYS[option].name, **_places(candidates), marker=marker, text=texts)


def _mark(candidate: MarketCandidate, name: str, marker: dict[str, Any]) -> dict[str, Any]:
    edged = marker | {"line": {"width": 2, "color": marker["color"]}}
    return marks(name, **_places([candidate], f"{name}: "), marker=edged, text=[candidate.words])


def _places(candidates: Sequence[MarketCandidate], before: str = "") -> dict[str, Any]:
    """Return the places of candidates on the chart, the ids that a click gives, and their texts."""
    return {
        "x": [_short(it.speed) for it in candidates], "y": [_short(it.cost) for it in candidates],
        "customdata": [[candidate_id(it)] for it in candidates],
        "hovertemplate": before + "%{text}<br>$%{y:,.0f}<extra></extra>",
    }  # fmt: skip


def _labels(
    front: Sequence[MarketCandidate],
    best: MarketCandidate | None,
    plan: MarketCandidate | None,
    scales: tuple[AxisScale, AxisScale],
    dark: bool,
) -> Iterator[dict[str, Any]]:
    """Yield names that do not cover each other: the plan and the recommendation always, then the ends of the front.

    A name stands on the left of its mark near the right edge, and the recommendation below its mark.
    """
    across, up = scales
    heads: list[tuple[MarketCandidate, str, bool]] = []
    if plan is not None:
        heads.append((plan, "<b>your plan</b>: ", False))
    if best is not None and math.isfinite(best.speed) and (plan is None or candidate_id(plan) != candidate_id(best)):
        heads.append((best, "<b>recommended</b>: ", True))
    heads += [(candidate, "", False) for candidate in (*front[:1], *front[-1:], *front[1:-1])]
    heights, names = list[float](), set[str]()
    for candidate, head, is_below in heads:
        name, height = _short_name(candidate), up(candidate.cost) - (_APART if is_below else 0.0)
        if not head and (name in names or any(abs(height - other) < _APART for other in heights)):
            continue
        heights.append(height)
        names.add(name)
        is_left = across(candidate.speed) > 0.6
        yield note(
            across.position(candidate.speed), up.position(candidate.cost), head + name, dark,
            xanchor="right" if is_left else "left", yanchor="top" if is_below else "bottom",
            xshift=-8 if is_left else 8, yshift=-8 if is_below else 5, align="left", bgcolor=PAPER[dark], opacity=0.9,
        )  # fmt: skip


def is_log(values: Sequence[float]) -> bool:
    """Return whether the span needs powers of ten."""
    return max(values) > _LOG_FROM * min(values)


def _time_axis(values: Sequence[float], market: MarketStudy) -> dict[str, Any]:
    days = "Time until it is done: minutes, hours, days"
    title = "Milliseconds a token, for 99 of 100 requests" if market.is_service else days
    across = axis(title, range=_range(values), tickangle=0)
    if market.is_service:
        return across | ({"type": "log", "tickvals": _powers(values)} if is_log(values) else {})
    if not is_log(values):
        return across | {"ticksuffix": " days"}
    ticks = _ticks_days(*(10.0**end for end in _range(values)))
    return across | {"type": "log", "tickvals": list(ticks), "ticktext": list(ticks.values())}


def _ticks_days(low: float, high: float) -> dict[float, str]:
    """Return round times between two; where those a power apart are few, those between them too."""
    ticks = [days for days in _TICKS_DAYS if low <= days <= high]
    if len(ticks) < _FEW_TICKS:
        ticks = [days for days in sorted((*_TICKS_DAYS, *_MORE_TICKS_DAYS)) if low <= days <= high]
    return {days: time_mark(days) for days in ticks}


def _cost_axis(values: Sequence[float], market: MarketStudy) -> dict[str, Any]:
    title = "USD a month" if market.monthly else "USD for the run"
    if not is_log(values):
        return money(title, range=_range(values))
    ticks = _powers(values)
    labels = [words.format_usd_short(usd) for usd in ticks]
    return axis(title, range=_range(values), type="log", tickvals=ticks, ticktext=labels)


def _range(values: Sequence[float]) -> list[float]:
    """Return the ends of the axis with a margin; of a logarithmic one in powers of ten."""
    if is_log(values):
        low, high = math.log10(min(values)), math.log10(max(values))
        margin = 0.06 * (high - low)
        return [low - margin, high + margin]
    return [0.0, 1.08 * max(values)]


def _powers(values: Sequence[float]) -> list[float]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    steps = (1.0, 3.0) if high - low <= 4 else (1.0,)
    return [float(step * 10.0**power) for power in range(low, high + 1) for step in steps]


def _limits(market: MarketStudy, dark: bool) -> list[dict[str, Any]]:
    line = {"type": "line", "line": {"color": INK[dark], "width": 1.5, "dash": "dot"}}
    due, amounts = market.deadline_days, (market.budget_usd, _usd_by_token(market))
    flat = [line | {"y0": usd, "y1": usd, "x0": 0, "x1": 1, "xref": "paper"} for usd in amounts if usd is not None]
    return ([] if due is None else [vertical_line(due, dark, 1.5)]) + flat


def _limit_names(market: MarketStudy, scales: tuple[AxisScale, AxisScale], dark: bool) -> Iterator[dict[str, Any]]:
    across, up = scales
    if market.deadline_days is not None:
        top: dict[str, Any] = {"yref": "paper", "yanchor": "top", "xanchor": "left"}
        text = f" due in {format_duration(market.deadline_days)}"
        yield note(across.position(market.deadline_days), 1, text, dark, **top)
    right: dict[str, Any] = {"xref": "paper", "xanchor": "right", "yanchor": "bottom"}
    for name, usd in {"budget": market.budget_usd, "by the token": _usd_by_token(market)}.items():
        if usd is not None:
            yield note(1, up.position(usd), f"{name}: {words.format_usd_short(usd)}", dark, **right)


def _usd_by_token(market: MarketStudy) -> float | None:
    return next((it.cost for it in market.candidates if WAYS[it.way].is_billed_by_token and it.usd is not None), None)


def _short_name(candidate: MarketCandidate) -> str:
    how = "" if candidate.way == "on_demand" else f", {WAYS[candidate.way].name.lower()}"
    return f"{candidate.accelerators:,} x {_GB.sub('', candidate.label)}{how}"


def _short(value: float) -> float:
    """Five digits are enough for a position."""
    return float(np.format_float_positional(value, 5, fractional=False))
