"""The method of a plan on one page, its checks, and how far it can be wrong: all from what was computed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from planner.money.ledger import Ledger, LedgerInput, Origin
from planner.money.measures import discounted_ledger, rate_per_year
from planner.money.plan import Plan
from planner.money.renting.offer_inputs import PRICE
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.line_words import format_input, sourced_inputs
from planner.report.evidence.own_runs_words import assumption_rows
from planner.report.futures.input_words import called, range_of, written
from planner.report.table import Table
from planner.scenario.budget import FUTURES
from planner.scenario.path import get_value
from planner.scenario.question import KEYS, Key
from planner.study.uncertainty.futures import Futures
from planner.study.uncertainty.tornado import TornadoBar
from pricing import Figure
from pricing.stale import limit_days

HEADS = ("Figure", "Value", "Said by", "Kind", "Day", "Link")
_NOBODY = ("computed", "convention", "input")  # follows from the rest, or is what the plan says


def sources_of_ledgers(ledgers: Iterable[Ledger]) -> Table:
    """The figures of these ledgers: those with a link first, then what is assumed, entered or quoted."""
    rows = [
        {
            "Figure": called(used.name),
            "Value": format_input(used),
            "Said by": origin.said_by,
            "Kind": origin.kind.replace("_", " "),
            "Day": origin.checked or origin.since,
            "Link": _link(origin.url),
        }
        for used, origin in _said(ledgers)
    ]
    return Table.of(sorted(rows, key=lambda row: (row["Link"] is None, row["Figure"])), HEADS)


def _said(ledgers: Iterable[Ledger]) -> Iterator[tuple[LedgerInput, Origin]]:
    told = set[tuple[str, bytes, str]]()
    for used in (used for ledger in ledgers for line in ledger.lines for used in sourced_inputs(line)):
        origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
        mark = (used.name, np.asarray(used.value, dtype=np.float64).tobytes(), origin.said_by)
        if origin.kind not in _NOBODY and mark not in told:
            told.add(mark)
            yield used, origin


def _link(url: str | None) -> str | None:
    """An address that a browser may open."""
    return url if url and url.startswith(("http://", "https://")) else None


# Inputs of the lines that follow from one that is drawn under another name.
_FOLLOWS = {"busy_share": "busy_factor", "residual_share": "residual_position", "rent_level": "rent_drift_per_year"}
_PRICES = {"on_demand_price_factor": "rent", "reserved_price_factor": "reserved", "spot_price_factor": "spot"}
_NOT_ITS_FIELD = frozenset({"accelerators", PRICE})  # of the formulas: one name for several fields
_PARTS = ("own", "rent", "terms", "tax")  # of the scenario, whose fields the inputs share their names with
ALL, YOURS, STALE, ASSUMED = "All", "Yours", "Stale", "Assumed"
GROUPS = (ALL, YOURS, STALE, ASSUMED)


@dataclass(frozen=True)
class Row:
    """One input as people look at it."""

    name: str
    label: str
    value: str
    range: str  # what eight of ten futures lie in; empty where it is taken as certain
    swing_usd: float  # by how much the saving moves over that range
    origin: Origin
    ways: tuple[str, ...]  # the titles of those that use it
    age_days: int | None
    limit_days: int | None
    is_yours: bool
    key: str | None  # under which a link holds it, where it has a field

    @property
    def is_stale(self) -> bool:
        """Whether nobody looked at it for longer than its kind allows."""
        return self.age_days is not None and self.limit_days is not None and self.age_days > self.limit_days

    @property
    def is_assumed(self) -> bool:
        """Whether it is a judgement of ours."""
        return self.origin.kind == "assumption"

    def is_in(self, group: str) -> bool:
        """Whether it belongs to a group of the page."""
        return {YOURS: self.is_yours, STALE: self.is_stale, ASSUMED: self.is_assumed}.get(group, True)


def rows_of(plan: Plan, bars: Sequence[TornadoBar]) -> tuple[Row, ...]:
    """Every input once, what weighs most in the answer first; then yours; then the rest by name."""
    by_name = {bar.input.name: bar for bar in bars}
    by_figure = {id(bar.input.figure): bar for bar in bars if bar.input.figure is not None}
    found, told = list[Row](), set[str]()
    for used, ways in _inputs(plan):
        origin = _source_of(used)
        bar = by_name.get(used.name) or by_name.get(_FOLLOWS.get(used.name, "")) or by_figure.get(id(origin.figure))
        told |= set() if bar is None else {bar.input.name}
        found.append(_row(plan, used.name, format_input(used), origin, bar, ways))
    for bar in bars:
        if bar.input.name not in told:
            one = bar.input
            origin = Origin(one.source, one.kind, url=one.url, note=one.reason, figure=one.figure)
            found.append(_row(plan, one.name, written(one.name, one.spread.typical), origin, bar, ()))
    found += _measured(plan)
    return tuple(sorted(found, key=lambda row: (-row.swing_usd, not row.is_yours, row.label)))


def rows_table(rows: Sequence[Row]) -> Table:
    """The rows as a table for a file."""
    return Table.of(
        [
            {
                "Assumption": row.label,
                "Value": row.value,
                "Range": row.range,
                "Moves the saving by, USD": row.swing_usd,
                "Kind": row.origin.kind,
                "Said by": row.origin.said_by,
                "Since": row.origin.since,
                "Age, days": row.age_days,
                "Limit, days": row.limit_days,
                "Ways": "; ".join(row.ways),
                "Note": row.origin.note or "",
                "Source": row.origin.url,
            }
            for row in rows
        ]
    )


def assumption_counts_text(rows: Sequence[Row]) -> str:
    """How many inputs there are, and how many of them are whose."""
    counts = {group: sum(row.is_in(group) for row in rows) for group in GROUPS}
    return (
        f"{words.count(counts[ALL], 'input')}, what weighs most in the answer first: {counts[YOURS]:,} yours, "
        f"{counts[STALE]:,} older than their kind allows, {counts[ASSUMED]:,} assumed by us."
    )


def age_words(row: Row) -> str:
    """How old a figure is, and whether that is too old."""
    if row.age_days is None:
        return ""
    over = f", over its limit of {row.limit_days:,} days" if row.is_stale else ""
    return f"{words.age(row.age_days)}{over}"


def scenario_field(name: str) -> Key | None:
    """The field of the scenario that an input is entered in; None where it has none of its own."""
    if name in _PRICES:
        return KEYS[_PRICES[name]]
    if name in _NOT_ITS_FIELD:
        return None
    return next((key for key in KEYS.values() if key.path[-1] == name and key.path[0] in _PARTS), None)


def _inputs(plan: Plan) -> Iterator[tuple[LedgerInput, tuple[str, ...]]]:
    """The inputs that somebody says, each value once, with the ways that use it."""
    ways: dict[tuple[str, bytes], dict[str, None]] = {}
    first: dict[tuple[str, bytes], LedgerInput] = {}
    for option in plan.options:
        for used in (used for line in option.ledger.lines for used in sourced_inputs(line)):
            if _source_of(used).kind not in ("computed", "convention"):
                place = (used.name, np.asarray(used.value, dtype=np.float64).tobytes())
                first.setdefault(place, used)
                ways.setdefault(place, {})[option.title] = None
    return ((used, tuple(ways[place])) for place, used in first.items())


def _source_of(used: LedgerInput) -> Origin:
    return used.origin if isinstance(used.origin, Origin) else used.origin(0)


def _row(plan: Plan, name: str, value: str, origin: Origin, bar: TornadoBar | None, ways: tuple[str, ...]) -> Row:
    key = scenario_field(name) or (None if bar is None else scenario_field(bar.input.name))
    figure, day = origin.figure, plan.setting.day
    entered = key is not None and get_value(plan.setting.written, key.path) != key.default
    swing = 0.0 if bar is None else bar.swing_usd
    return Row(
        name, called(name), value, _range(bar, figure), swing, origin, ways, _age(figure, day), _limit(figure),
        entered or origin.kind in ("yours", "quote"), None if key is None else key.key,
    )  # fmt: skip


def _range(bar: TornadoBar | None, figure: Figure | None) -> str:
    if bar is not None:
        return range_of(bar.input)
    newest = None if figure is None else figure.newest
    if newest is None or newest.low is None or newest.high is None or newest.low == newest.high:
        return ""
    return f"{newest.low:,.6g} to {newest.high:,.6g}"


def _age(figure: Figure | None, day: date) -> int | None:
    return None if figure is None else max(figure.age_days(day), 0)


def _limit(figure: Figure | None) -> int | None:
    return None if figure is None else limit_days(figure)


def _measured(plan: Plan) -> Iterator[Row]:
    """Speeds that you measured."""
    for one in assumption_rows(plan):
        origin = Origin("you", "yours", since=one["Since"], note=str(one["Note"]))  # type: ignore[arg-type]
        name = str(one["Assumption"])
        yield Row(name, name, f"{one['FigureValue']} {one['Unit']}", "", 0.0, origin, (), None, None, True, None)


_CENT = 0.005


def method(plan: Plan, drawn: Futures | None) -> tuple[str, ...]:
    """How the answer comes about, step by step."""
    setting, terms = plan.setting, plan.setting.terms
    rate = words.percent(float(np.asarray(rate_per_year(setting)).flat[0]), 1)
    count = FUTURES if drawn is None else drawn.count
    return (
        f"The work becomes hours of machines by the month; a month has {terms.hours_per_month:g} hours.",
        f"Each of {words.count(len(plan.options), 'way')} to do it is a list of lines; a line is a formula of its "
        "inputs, month by month, over the whole plan.",
        f"Money is {terms.money}, moves at {words.TIMINGS[terms.timing]} and is discounted at {rate} a year.",
        f"The ways are compared in today's money, and again in {count:,} futures, each with every open input drawn "
        "from its range.",
    )


def checks(plan: Plan, found: Answer) -> tuple[str, ...]:
    """What is checked here and now, with its outcome."""
    sums = all(
        abs(float(np.nansum([line.priced_usd.sum() for line in option.ledger.lines])) - float(option.ledger.total_usd))
        < _CENT
        for option in plan.options
    )
    today = all(
        abs(float(discounted_ledger(plan.setting, way.option.ledger).total_usd) - way.present_usd) < _CENT
        for way in found.ranked
    )
    said = sum(len(option.ledger.lines) for option in plan.options)
    named = all(used.name for option in plan.options for line in option.ledger.lines for used in line.used)
    return (
        f"Totals equal the sum of their lines ({said} lines): {_format_check(sums)}.",
        f"In today's money the lines give what the answer says: {_format_check(today)}.",
        f"Every input has a name and somebody who says so: {_format_check(named)}.",
        f"The same question gives the same answer: facts {plan.setting.catalogue.digest[:16]}, of "
        f"{words.day(plan.setting.catalogue.day)}.",
    )


def limits(found: Answer, rows: Sequence[Row]) -> tuple[str, ...]:
    """How far the totals can be off, as the futures of this plan have it, and what is not in them."""
    said = [f"{way.option.title}: {_off(way.present_usd, way.low_usd, way.high_usd)}." for way in found.ranked[:3]]
    certain = sum(not row.range for row in rows)
    old = sum(row.is_in(STALE) for row in rows)
    return (
        *said,
        f"Inputs without a range, which do not vary in it: {certain} of {len(rows)}. Older than their kind "
        f"allows: {old}.",
    )


def _off(typical: float, low: float, high: float) -> str:
    if typical == 0:
        return "nothing to pay"
    return f"eight of ten futures lie between {low / typical - 1:+.0%} and {high / typical - 1:+.0%} of its total"


def _format_check(holds: bool) -> str:
    return "yes" if holds else "NO, tell us"
