"""When it pays back, drawn: what the two ways that are compared have cost so far, and what happens in which month."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from planner.money.ledger import Ledger
from planner.money.verdict.answer import Answer
from planner.money.verdict.contender import EvaluatedOption
from planner.money.ways import WAYS
from planner.report import words
from planner.report.answer.sensitivity import month_text
from planner.report.answer.side_by_side import PinnedPlan, priced
from planner.report.chart_frame import PAPER, axis, band, curve, marks, note, option_color, style_figure, vertical_line
from planner.report.forms import scalar

_HIGH_PX, _ABOVE_PX, _BELOW_PX = 360, 24, 46
_AXIS_PX, _LABELS_PX = 56, 118  # left of the lines for the money, right of them for what they are called
_PHONE_PX = 200  # what a phone leaves for the months
_LETTER_PX = 6.4
_ROW_PX = 17
_MOST_ROWS = 3
_FEW = 3  # of one kind of event that are named one by one
_ENOUGH_TICKS = 8
PINNED_DASH = "1px 5px"  # of every pinned plan's line; no way has it


@dataclass(frozen=True)
class TimelineEvent:
    """An event of an option in a month."""

    month: int
    what: str
    way: EvaluatedOption


def charted_options(answer: Answer, *, every: bool) -> tuple[EvaluatedOption, ...]:
    """The two ways that are compared, or every one, the cheapest first."""
    if every or answer.best is None:
        return answer.ranked
    pair = answer.pair or (answer.best,)
    return tuple(way for way in answer.ranked if way in pair)


def timeline_events(answer: Answer) -> tuple[TimelineEvent, ...]:
    """Deliveries, replacements, sales and ends of reservations of the two ways that are compared, the first first."""
    all_events = [event for way in charted_options(answer, every=False) for event in _events(answer, way)]
    return tuple(sorted(all_events, key=lambda moment: moment.month))


def _events(answer: Answer, way: EvaluatedOption) -> Iterator[TimelineEvent]:
    ledger = way.option.ledger
    for month in _months(ledger, "delivered"):
        if month:  # what is there today has not to come
            yield TimelineEvent(month, "delivered", way)
    yield from (TimelineEvent(month, "replaced", way) for month in _months(ledger, "refreshes"))
    if any(line.part == "resale" and np.any(line.priced_usd) for line in ledger.lines):
        yield from (TimelineEvent(month, "sold", way) for month in _months(ledger, "sold"))
    if WAYS[way.option.way].key == "reserved":
        ends = {booking.until for tier in answer.plan.setting.offers.reserved_tiers for booking in tier.bookings}
        last = answer.plan.setting.timeline.last
        yield from (TimelineEvent(int(end), "reservation ends", way) for end in sorted(ends) if end <= last)


def _months(ledger: Ledger, flag: str) -> list[int]:
    up = {
        int(month)
        for line in ledger.lines
        for used in line.used
        if used.name == flag and np.ndim(used.value) == 1
        for month in np.flatnonzero(used.value)
    }
    return sorted(up)


def payback_summary(answer: Answer) -> str:
    """When what is spent first has come back, against which way, and what happens on the way there, in sentences."""
    happens = ", ".join(_happens(what, months) for what, months in _months_by_event(answer).items())
    last = answer.plan.setting.timeline.last
    then = f" {words.upper_first(happens)}." if happens else ""
    if answer.pair is None:
        return f"There is one option only, so there is nothing that it could pay back against.{then}"
    first, second = (WAYS[way.option.way].start_text for way in answer.pair)
    more = answer.pair[0].as_entered_usd - answer.pair[1].as_entered_usd
    end = f"by month {last} it has cost {words.usd(abs(more))} {'more' if more > 0 else 'less'} than {second}"
    month = scalar(answer.payback.month)
    if month is None:
        how = "does not pay back within the plan"
    elif month == 0:
        how = "is never behind"
    else:
        how = f"has paid back in {month_text(answer.payback)}"
    return f"At the inputs as entered, {first} {how}: {end}.{then}"


def _months_by_event(answer: Answer) -> dict[str, list[int]]:
    months: dict[str, list[int]] = {}
    for event in timeline_events(answer):
        months.setdefault(event.what, []).append(event.month)
    return {what: sorted(set(each)) for what, each in months.items()}


def _happens(what: str, months: Sequence[int]) -> str:
    if len(months) <= _FEW:
        return ", ".join(f"{what} in month {month}" for month in months)
    return f"{what} in {len(months)} of the months {months[0]} to {months[-1]}"


def payback_chart(answer: Answer, dark: bool, *, every: bool = False, pins: Sequence[PinnedPlan] = ()) -> go.Figure:
    """Draw the cumulative cost of the options, the ranges of the two compared, and the months of events.

    Names stand at the ends of the lines. Of every way, those that are not compared are drawn thin; of a pinned plan,
    the way that it recommends, thin too, by the plan's letter.
    """
    ways, compared = charted_options(answer, every=every), charted_options(answer, every=False)
    beside = priced(pins)
    last = max((len(way.cumulative_usd) - 1 for _, way in beside), default=0)
    last = max(answer.plan.setting.timeline.last, last)
    data = [trace for way in ways for trace in _line(way, way in compared, dark)]
    data += [_pinned_line(pin.label, way, dark) for pin, way in beside]
    low, high = _reach([*ways, *(way for _, way in beside)], compared)
    happen = _rows_of(_events_by_month(answer), last)
    rows = 1 + max((row for _, _, row, _ in happen), default=-1)
    above, plot_px = _ABOVE_PX + _ROW_PX * rows, _HIGH_PX - _ABOVE_PX - _BELOW_PX
    data += _marks(timeline_events(answer), dark)
    return style_figure(
        data,
        dark,
        plot_px + above + _BELOW_PX,
        xaxis=axis(
            "Months from today", zeroline=False, range=[0, last], tickvals=ticks(last), automargin=False,
            unifiedhovertitle={"text": "Month %{x}"},
        ),
        yaxis={"tickformat": "$~s", "range": [low, high], "nticks": 7, "automargin": False},
        hovermode="x unified",
        showlegend=False,
        margin={"l": _AXIS_PX, "r": _LABELS_PX, "t": above, "b": _BELOW_PX},
        shapes=[vertical_line(month, dark) for month in sorted({month for month, _, _, _ in happen})],
        annotations=[
            note(0, 1, "Cost so far, discounted to today", dark, yref="paper", xref="paper", xanchor="left",
                 yanchor="bottom", yshift=_ROW_PX * rows + 3),
            *_event_labels(happen, dark),
            *_names([*(_LineLabel(_called(way, ways), way, way in compared) for way in ways),
                     *(_LineLabel(pin.label, way) for pin, way in beside)],
                    (low, high), plot_px, dark),
        ],
    )  # fmt: skip


def ticks(last: int) -> list[int]:
    """Months to be named below the chart: today, even steps, and the last one."""
    step = next((months for months in (1, 2, 3, 6, 12, 24) if last <= months * _ENOUGH_TICKS), 60)
    return [*(month for month in range(0, last, step) if last - month > step / 2), last]


def _line(way: EvaluatedOption, is_compared: bool, dark: bool) -> list[dict[str, Any]]:
    colour, dash = option_color(way.option.way, dark), WAYS[way.option.way].style.dash
    months = list(range(way.cumulative_usd.shape[-1]))
    low, _, high = way.cumulative_range_usd.tolist()
    line = {"color": colour, "width": 3 if is_compared else 1.5, "dash": dash}
    hover = f"{escape(way.option.title)} %{{y:$,.0f}}<extra></extra>"
    shown = curve(way.option.title, months, way.cumulative_usd.tolist(), line, hovertemplate=hover)
    return [*(band(months, low, high, colour) if is_compared else ()), shown]


def _pinned_line(name: str, way: EvaluatedOption, dark: bool) -> dict[str, Any]:
    line = {"color": option_color(way.option.way, dark), "width": 1.5, "dash": PINNED_DASH}
    hover, usd = f"{escape(name)} %{{y:$,.0f}}<extra></extra>", way.cumulative_usd.tolist()
    return curve(name, list(range(len(usd))), usd, line, hovertemplate=hover)


def _reach(ways: Sequence[EvaluatedOption], compared: Sequence[EvaluatedOption]) -> tuple[float, float]:
    """From where to where the money goes: nought, all lines, and the ranges of those that have one."""
    every = [way.cumulative_usd for way in ways]
    every += [ends for way in compared for ends in way.cumulative_range_usd[::2]]
    finite = [np.nan_to_num(usd) for usd in every]
    low, high = min(0.0, *(float(usd.min()) for usd in finite)), max(1.0, *(float(usd.max()) for usd in finite))
    return low - 0.02 * (high - low) * (low < 0), high + 0.02 * (high - low)


def _marks(happen: Sequence[TimelineEvent], dark: bool) -> list[dict[str, Any]]:
    return [
        marks(
            event.what,
            [event.month],
            [float(event.way.cumulative_usd[event.month])],
            {"symbol": "diamond", "size": 10, "color": option_color(event.way.option.way, dark)},
            cliponaxis=False,
            hoverinfo="skip",
        )
        for event in happen
    ]


def _events_by_month(answer: Answer) -> list[tuple[int, str]]:
    """The months with what happens in them, of many the first and the last; and the one in which the money is back."""
    months = [
        (month, what)
        for what, every in _months_by_event(answer).items()
        for month in (every if len(every) <= _FEW else (every[0], every[-1]))
    ]
    month = scalar(answer.payback.month)
    if month:
        months.append((int(month), "pays back"))
    return sorted(dict.fromkeys(months))


Noted = tuple[int, str, int, bool]  # month, words, row, whether they end at the month


def _rows_of(events: Sequence[tuple[int, str]], last: int) -> list[Noted]:
    """A row for each note so that on a phone none lies on another; what finds no room is left to its diamond."""
    full_to: list[float] = []  # up to where each row is full
    noted: list[Noted] = []
    for month, what in events:
        text = f"{what}, month {month}"
        at, wide = month / last * _PHONE_PX, len(text) * _LETTER_PX
        ends_here = at + wide > _PHONE_PX
        begins = at - wide if ends_here else at
        row = next((row for row, full in enumerate(full_to) if full <= begins), len(full_to))
        if row < _MOST_ROWS:
            full_to[row:] = [begins + wide + _LETTER_PX, *full_to[row + 1 :]]
            noted.append((month, text, row, ends_here))
    return noted


def _event_labels(happen: Sequence[Noted], dark: bool) -> list[dict[str, Any]]:
    above: dict[str, Any] = {"yref": "paper", "yanchor": "bottom"}
    return [
        note(month, 1, event, dark, **above, xanchor="right" if ends_here else "left", yshift=2 + _ROW_PX * row)
        for month, event, row, ends_here in happen
    ]


class _LineLabel(NamedTuple):
    """The end of a line: what it is called, and the way."""

    name: str
    way: EvaluatedOption
    is_compared: bool = False

    @property
    def month(self) -> int:
        """Where it ends."""
        return len(self.way.cumulative_usd) - 1


def _names(ends: Sequence[_LineLabel], reach: tuple[float, float], plot_px: int, dark: bool) -> list[dict[str, Any]]:
    """Return the label and total at the end of each line, moved apart where they would overlap."""
    low, high = reach
    at_px = [(float(label.way.cumulative_usd[-1]) - low) / (high - low) * plot_px for label in ends]
    places = _apart(at_px, [_ROW_PX * (2 if label.is_compared else 1) for label in ends], plot_px)
    notes = []
    for one, place in zip(ends, places, strict=True):
        name, usd = escape(one.name), words.format_usd_short(float(one.way.cumulative_usd[-1]))
        text = f"<b>{name}</b><br>{usd}" if one.is_compared else f"{name} {usd}"
        at: dict[str, Any] = {"xanchor": "left", "yanchor": "middle", "align": "left", "xshift": 9}
        if one.month < max(other.month for other in ends):  # it ends among other lines
            at |= {"bgcolor": PAPER[dark]}
        annotation = note(one.month, low + place / plot_px * (high - low), text, dark, **at)
        notes.append(annotation | {"font": {"color": option_color(one.way.option.way, dark), "size": 12}})
    return notes


def _called(way: EvaluatedOption, ways: Sequence[EvaluatedOption]) -> str:
    """The short name of a way, with its number where another of its kind stands beside it."""
    name, kind = WAYS[way.option.way].name, way.option.way
    alone = sum(other.option.way == kind for other in ways) == 1
    return name if alone else f"{name} {way.option.accelerators:,.0f}"


def _apart(places: Sequence[float], heights: Sequence[float], most: float) -> list[float]:
    """Where labels of these heights go: as near to their places as they can without lying on each other."""
    order, moved = sorted(range(len(places)), key=lambda index: places[index]), list(places)
    floor = -_BELOW_PX / 2
    for index in order:  # each above the one below it
        moved[index] = max(places[index], floor + heights[index] / 2)
        floor = moved[index] + heights[index] / 2
    ceiling = most + _ROW_PX
    for index in reversed(order):  # and none above the paper
        moved[index] = min(moved[index], ceiling - heights[index] / 2)
        ceiling = moved[index] - heights[index] / 2
    return moved
