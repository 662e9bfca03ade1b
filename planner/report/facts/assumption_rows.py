"""Every input of a plan as one row: value, range, what it weighs in the answer, who says so, how old it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from planner.money.ledger import Origin, Used
from planner.money.plan import Plan
from planner.money.renting.offer_inputs import PRICE
from planner.report import words
from planner.report.answer.line_words import input_value, inputs_of
from planner.report.evidence.own_runs_words import assumption_rows
from planner.report.futures.input_words import called, range_of, written
from planner.report.table import Table
from planner.scenario.path import value_at
from planner.scenario.short_keys import KEYS, Key
from planner.study.uncertainty.tornado import TornadoBar
from pricing import Figure
from pricing.stale import limit_days

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
        origin = _origin(used)
        bar = by_name.get(used.name) or by_name.get(_FOLLOWS.get(used.name, "")) or by_figure.get(id(origin.figure))
        told |= set() if bar is None else {bar.input.name}
        found.append(_row(plan, used.name, input_value(used), origin, bar, ways))
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


def of_this_plan(rows: Sequence[Row]) -> str:
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


def key_of(name: str) -> Key | None:
    """The field of the scenario that an input is entered in; None where it has none of its own."""
    if name in _PRICES:
        return KEYS[_PRICES[name]]
    if name in _NOT_ITS_FIELD:
        return None
    return next((key for key in KEYS.values() if key.path[-1] == name and key.path[0] in _PARTS), None)


def _inputs(plan: Plan) -> Iterator[tuple[Used, tuple[str, ...]]]:
    """The inputs that somebody says, each value once, with the ways that use it."""
    ways: dict[tuple[str, bytes], dict[str, None]] = {}
    first: dict[tuple[str, bytes], Used] = {}
    for option in plan.options:
        for used in (used for line in option.ledger.lines for used in inputs_of(line)):
            if _origin(used).kind not in ("computed", "convention"):
                place = (used.name, np.asarray(used.value, dtype=np.float64).tobytes())
                first.setdefault(place, used)
                ways.setdefault(place, {})[option.title] = None
    return ((used, tuple(ways[place])) for place, used in first.items())


def _origin(used: Used) -> Origin:
    return used.origin if isinstance(used.origin, Origin) else used.origin(0)


def _row(plan: Plan, name: str, value: str, origin: Origin, bar: TornadoBar | None, ways: tuple[str, ...]) -> Row:
    key = key_of(name) or (None if bar is None else key_of(bar.input.name))
    figure, day = origin.figure, plan.setting.day
    entered = key is not None and value_at(plan.setting.written, key.path) != key.default
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
        yield Row(name, name, f"{one['Value']} {one['Unit']}", "", 0.0, origin, (), None, None, True, None)
