"""Time against cost over the whole catalogue: the finding, the table with why each lost, and the chart of the front."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from planner.money.ways import WAYS, OptionSpec
from planner.report import words
from planner.report.chart_frame import INK, PAPER, axis, marks, money, note, style_figure, vertical_line
from planner.report.speed.speed_charts import ORANGE
from planner.report.table import Table
from planner.scenario.durations import format_duration, time_mark
from planner.study.market.survey import MarketCandidate, MarketStudy
from pricing.query import AGEING_DAYS

HEIGHT_PX = 560
EACH = "Tokens/s each"
_TWICE = 2.0  # from there, cost is told in times, not in percent
_LOG_FROM = 20.0  # a span of more than so many times is drawn in powers of ten
_APART = 0.075  # of the chart's height: names nearer than this would cover each other, on a phone wherever they start
_BEYOND = 4.0  # what is so many times slower or dearer than the front is left to the table
_MINUTE, _HOUR = 1 / 1_440, 1 / 24
# In short: on a phone there are 30 pixels for each.
_TICKS_DAYS = (_MINUTE, _HOUR, *(10.0**n for n in range(7)))
_MORE_TICKS_DAYS = (*(n * _MINUTE for n in (3, 10, 30)), 3 * _HOUR, 8 * _HOUR, *(3 * 10.0**n for n in range(5)))
_FEW_TICKS = 3
_TIME = "Time until it is done: minutes, hours, days"


def plottable_candidates(market: MarketStudy) -> list[MarketCandidate]:
    """The tries with a speed and a price, whatever they lost for."""
    return [one for one in market.candidates if math.isfinite(one.speed) and math.isfinite(one.cost) and one.cost > 0]


def try_id(one: MarketCandidate) -> str:
    """What tells a try from all others of its market."""
    return f"{one.accelerator}|{one.accelerators}|{one.way}|{one.offer or ''}"


def by_id(market: MarketStudy) -> dict[str, MarketCandidate]:
    """The tries by their ids."""
    return {try_id(one): one for one in market.candidates}


def plan_of(market: MarketStudy, accelerator: str, accelerators: int) -> MarketCandidate | None:
    """The try that is the plan as it stands: its accelerator and number, paid for in the cheapest way."""
    same = [one for one in plottable_candidates(market) if one.accelerator == accelerator]
    if not market.is_service:
        same = [one for one in same if one.accelerators == accelerators]
    return min(same, key=lambda one: one.cost, default=None)


def front_summary(market: MarketStudy, plan: MarketCandidate | None) -> str:
    """The recommendation in its own words, and how the plan stands beside it."""
    best = market.best
    said = market.reasons[0] if market.reasons else "Nothing of the catalogue does this work at a known price."
    said = said if best is None else f"Recommended: {said[:1].lower()}{said[1:]}"
    if plan is None or best is None:
        return said
    if try_id(plan) == try_id(best) or plan.cost <= best.cost:
        return f"{said} That is your plan." if try_id(plan) == try_id(best) else said
    times = plan.cost / best.cost
    dearer = f"{times:.2g} times as much" if times > _TWICE else f"{words.percent(times - 1)} more"
    more = f"Your plan, {plan.words}, costs {dearer}"
    if plan.days is None or best.days is None:
        return f"{said} {more}."
    faster = best.days.typical / plan.days.typical
    when = f"is done {faster:.2g} times as fast" if faster > 1 else f"takes {1 / faster:.2g} times as long"
    return f"{said} {more} and {when}."


def front_table(market: MarketStudy) -> Table:
    """Every try, those that nothing beats first, then the cheapest; each with what it lost for. Its index is the id."""
    order = sorted(market.candidates, key=lambda one: (not one.on_front, one.cost, one.speed, one.accelerator))
    return Table.of([_row(one) for one in order]).with_ids(try_id(one) for one in order)


def _row(one: MarketCandidate) -> dict[str, object]:
    return {
        "What": one.label or one.accelerator or "by the token",
        "GPUs": one.accelerators or None,
        "How": WAYS[one.way].name,
        "From": one.provider or "",
        "Days": None if one.days is None else one.days.typical,
        "ms a token, 99 %": one.tpot_p99_ms,
        "USD": None if one.usd is None else one.usd.typical,
        "USD, low": None if one.usd is None else one.usd.low,
        "USD, high": None if one.usd is None else one.usd.high,
        EACH: one.tokens_per_s_per_accelerator,
        "Layout": one.layout,
        "Why not": str(one.why_not or ("nothing beats it on both" if one.on_front else "")),
    }


def window(
    market: MarketStudy, plan: MarketCandidate | None, pins: Sequence[MarketCandidate] = ()
) -> list[MarketCandidate]:
    """What the chart has room for: the front, the plan, and all that is not many times slower or dearer."""
    tries = plottable_candidates(market)
    seen = [*(one for one in market.front if math.isfinite(one.speed)), *([plan] if plan is not None else []), *pins]
    if not seen:
        return tries
    slowest, dearest = max(one.speed for one in seen), max(one.cost for one in seen)
    return [one for one in tries if one.speed <= _BEYOND * slowest and one.cost <= _BEYOND * dearest]


def front_chart(
    market: MarketStudy, plan: MarketCandidate | None, dark: bool, pins: Sequence[tuple[str, MarketCandidate]] = ()
) -> go.Figure:
    """All tries as faint marks, what nothing beats as a line with its names, the plan as a star, limits as lines.

    Pinned plans that do the same work are stars by their letters.
    """
    tries, front = (
        window(market, plan, [one for _, one in pins]),
        [one for one in market.front if math.isfinite(one.speed)],
    )
    loose_first = sorted(WAYS.values(), key=lambda way: (way.commitment_rank, way.place))
    tried = [_marks(way, [one for one in tries if one.way == way.key], dark) for way in loose_first]
    data = [mark for mark in tried if mark["x"]]
    if front:
        data.append(_line(front, dark))
    if market.best is not None and math.isfinite(market.best.speed):
        data.append(_mark(market.best, "recommended", {"symbol": "circle-open", "size": 20, "color": INK[dark]}))
    if plan is not None:
        data.append(_mark(plan, "your plan", {"symbol": "star", "size": 17, "color": ORANGE[dark]}))
    data += [_mark(one, letter, {"symbol": "star-open", "size": 15, "color": INK[dark]}) for letter, one in pins]
    labels = [*_labels(tries, front, market.best, plan, dark), *_letters(tries, pins, dark)]
    return style_figure(
        data, dark, HEIGHT_PX, quiet=True, hovermode="closest", clickmode="event",
        xaxis=_time_axis([one.speed for one in tries], market), yaxis=_cost_axis([one.cost for one in tries], market),
        shapes=_limits(market, dark), annotations=[*labels, *_limit_names(market, tries, dark)],
    )  # fmt: skip


def _letters(
    tries: Sequence[MarketCandidate], pins: Sequence[tuple[str, MarketCandidate]], dark: bool
) -> list[dict[str, Any]]:
    """The letter of each pinned plan below its star."""
    across, up = AxisScale([one.speed for one in tries]), AxisScale([one.cost for one in tries])
    below: dict[str, Any] = {"yanchor": "top", "yshift": -9}
    return [
        note(across.position(one.speed), up.position(one.cost), f"<b>{letter}</b>", dark, **below)
        for letter, one in pins
    ]


def _marks(way: OptionSpec, tries: Sequence[MarketCandidate], dark: bool) -> dict[str, Any]:
    """Faint marks; hollow where nobody looked at the price this month."""
    shape = way.look.symbol
    symbols = [shape if (one.age_days or 0) <= AGEING_DAYS else f"{shape}-open" for one in tries]
    marker = {"symbol": symbols, "color": way.look.colour(dark), "size": 7, "opacity": 0.45}
    return marks(way.name, **_places(tries), marker=marker, text=[_hover(one) for one in tries])


def _line(front: Sequence[MarketCandidate], dark: bool) -> dict[str, Any]:
    marker = {"size": 9, "color": INK[dark], "symbol": [WAYS[one.way].look.symbol for one in front]}
    line = {"color": INK[dark], "width": 2, "shape": "hv"}
    told: dict[str, Any] = {"mode": "lines+markers", "line": line, "text": [one.words for one in front]}
    return marks("nothing is faster and cheaper", **_places(front), marker=marker, **told)


def _mark(one: MarketCandidate, name: str, marker: dict[str, Any]) -> dict[str, Any]:
    edged = marker | {"line": {"width": 2, "color": marker["color"]}}
    return marks(name, **_places([one], f"{name}: "), marker=edged, text=[one.words])


def _places(tries: Sequence[MarketCandidate], before: str = "") -> dict[str, Any]:
    """Where tries stand on the chart, the ids that a click gives, and what each says of itself."""
    return {
        "x": [_short(one.speed) for one in tries], "y": [_short(one.cost) for one in tries],
        "customdata": [[try_id(one)] for one in tries],
        "hovertemplate": before + "%{text}<br>$%{y:,.0f}<extra></extra>",
    }  # fmt: skip


def _labels(
    tries: Sequence[MarketCandidate],
    front: Sequence[MarketCandidate],
    best: MarketCandidate | None,
    plan: MarketCandidate | None,
    dark: bool,
) -> list[dict[str, Any]]:
    """Names where there is room, each once: the plan's and the recommended first, then along the front."""
    across, up = AxisScale([one.speed for one in tries]), AxisScale([one.cost for one in tries])
    placed: list[float] = []
    said: set[str] = set()
    made = []
    for one, name, below in _named(front, best, plan):
        height = up(one.cost) - (_APART if below else 0.0)
        if not name and (_called(one) in said or any(abs(height - other) < _APART for other in placed)):
            continue
        placed.append(height)
        said.add(_called(one))
        made.append(_label(one, name + _called(one), (across(one.speed) > 0.6, below), (across, up), dark))
    return made


def _named(
    front: Sequence[MarketCandidate], best: MarketCandidate | None, plan: MarketCandidate | None
) -> Iterator[tuple[MarketCandidate, str, bool]]:
    """What is named, by what name, and whether below its mark: plan and recommendation always, the rest with room."""
    if plan is not None:
        yield plan, "<b>your plan</b>: ", False
    if best is not None and math.isfinite(best.speed) and (plan is None or try_id(plan) != try_id(best)):
        yield best, "<b>recommended</b>: ", True
    for one in _extremes_first(front):
        yield one, "", False


def _extremes_first(front: Sequence[MarketCandidate]) -> list[MarketCandidate]:
    """The two ends of the front, then the rest."""
    return [*front[:1], *front[-1:], *front[1:-1]]


def _label(
    one: MarketCandidate, text: str, side: tuple[bool, bool], scales: tuple[AxisScale, AxisScale], dark: bool
) -> dict[str, Any]:
    """A name beside its mark: on the left near the right edge, below where it would cover another name."""
    left, below = side
    return note(
        scales[0].position(one.speed), scales[1].position(one.cost), text, dark,
        xanchor="right" if left else "left", yanchor="top" if below else "bottom",
        xshift=-8 if left else 8, yshift=-8 if below else 5, align="left", bgcolor=PAPER[dark], opacity=0.9,
    )  # fmt: skip


class AxisScale:
    """Where a value stands between the ends of its axis, and where an annotation must be put on it."""

    def __init__(self, values: Sequence[float]) -> None:
        self.log = is_log(values)
        self.low, high = _range(values)
        self.span = max(high - self.low, 1e-9)

    def position(self, value: float) -> float:
        """On a logarithmic axis an annotation is placed by the power of ten."""
        return math.log10(value) if self.log else value

    def __call__(self, value: float) -> float:
        return (self.position(value) - self.low) / self.span


def is_log(values: Sequence[float]) -> bool:
    """Whether the span asks for powers of ten."""
    return max(values) > _LOG_FROM * min(values)


def _time_axis(values: Sequence[float], market: MarketStudy) -> dict[str, Any]:
    title = "Milliseconds a token, for 99 of 100 requests" if market.is_service else _TIME
    across = axis(title, range=_range(values), tickangle=0)
    if market.is_service:
        return across | ({"type": "log", "tickvals": _powers(values)} if is_log(values) else {})
    if not is_log(values):
        return across | {"ticksuffix": " days"}
    ticks = _ticks_days(*(10.0**end for end in _range(values)))
    return across | {"type": "log", "tickvals": list(ticks), "ticktext": list(ticks.values())}


def _ticks_days(low: float, high: float) -> dict[float, str]:
    """Round times between two; where those that are a power apart are few, those between them too."""
    found = [days for days in _TICKS_DAYS if low <= days <= high]
    if len(found) < _FEW_TICKS:
        found = [days for days in sorted((*_TICKS_DAYS, *_MORE_TICKS_DAYS)) if low <= days <= high]
    return {days: time_mark(days) for days in found}


def _cost_axis(values: Sequence[float], market: MarketStudy) -> dict[str, Any]:
    title = "USD a month" if market.monthly else "USD for the run"
    if not is_log(values):
        return money(title, range=_range(values))
    ticks = _powers(values)
    told = [words.format_usd_short(usd) for usd in ticks]
    return axis(title, range=_range(values), type="log", tickvals=ticks, ticktext=told)


def _range(values: Sequence[float]) -> list[float]:
    """A little room on either side; on a logarithmic axis in powers of ten."""
    if is_log(values):
        low, high = math.log10(min(values)), math.log10(max(values))
        room = 0.06 * (high - low)
        return [low - room, high + room]
    return [0.0, 1.08 * max(values)]


def _powers(values: Sequence[float]) -> list[float]:
    """1, 3, 10, 30 … over the span."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    steps = (1.0, 3.0) if high - low <= 4 else (1.0,)
    return [float(step * 10.0**power) for power in range(low, high + 1) for step in steps]


def _limits(market: MarketStudy, dark: bool) -> list[dict[str, Any]]:
    """Deadline, budget, and what the same comes to by the token, as dotted lines."""
    line = {"type": "line", "line": {"color": INK[dark], "width": 1.5, "dash": "dot"}}
    due, sums = market.deadline_days, (market.budget_usd, _by_token(market))
    flat = [line | {"y0": usd, "y1": usd, "x0": 0, "x1": 1, "xref": "paper"} for usd in sums if usd is not None]
    return ([] if due is None else [vertical_line(due, dark, 1.5)]) + flat


def _limit_names(market: MarketStudy, tries: Sequence[MarketCandidate], dark: bool) -> list[dict[str, Any]]:
    across, up = AxisScale([one.speed for one in tries]), AxisScale([one.cost for one in tries])
    made: list[dict[str, Any]] = []
    if market.deadline_days is not None:
        top: dict[str, Any] = {"yref": "paper", "yanchor": "top", "xanchor": "left"}
        said = f" due in {format_duration(market.deadline_days)}"
        made.append(note(across.position(market.deadline_days), 1, said, dark, **top))
    right: dict[str, Any] = {"xref": "paper", "xanchor": "right", "yanchor": "bottom"}
    names = {"budget": market.budget_usd, "by the token": _by_token(market)}
    for name, usd in names.items():
        if usd is not None:
            made.append(note(1, up.position(usd), f"{name}: {words.format_usd_short(usd)}", dark, **right))
    return made


def _by_token(market: MarketStudy) -> float | None:
    """What the tokens cost from whoever sells them."""
    return next((one.cost for one in market.candidates if WAYS[one.way].by_the_token and one.usd is not None), None)


_SIZE = re.compile(r" \d+ GB$")


def _called(one: MarketCandidate) -> str:
    """512 x H200 SXM, buy."""
    how = "" if one.way == "on_demand" else f", {WAYS[one.way].name.lower()}"
    return f"{one.accelerators:,} x {_SIZE.sub('', one.label)}{how}"


def _hover(one: MarketCandidate) -> str:
    why = _wrapped(str(one.why_not or ""))
    return f"{one.words}{f', {one.provider}' if one.provider else ''}<br>{why}"


def _wrapped(text: str, width: int = 60) -> str:
    lines, line = [], ""
    for word in text.split():
        if len(line) + len(word) > width:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return "<br>".join([*lines, line])


def _short(value: float) -> float:
    """Five digits are enough for a position."""
    return float(np.format_float_positional(value, 5, fractional=False))
