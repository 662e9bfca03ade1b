"""The inputs of a plan as rows, with its method, its checks and its limits, all from computed results.

The sources behind every number, how much the catalogue holds, and the figures that are overdue for a check.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, get_args

import numpy as np

from planner.money.ledger import Ledger, LedgerInput, Line, Origin
from planner.money.measures import discounted_ledger, plan_discount_rate
from planner.money.plan import Plan
from planner.money.renting.offer_inputs import PRICE
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.line_words import format_input, sourced_inputs
from planner.report.futures.input_words import formula_input_label, p10_p90_text, value_text
from planner.report.speed.runs import assumption_lines
from planner.report.table import Table, text_table
from planner.scenario.budget import FUTURES
from planner.scenario.path import get_value
from planner.scenario.question import KEYS, LinkKey
from planner.study.uncertainty.futures import Futures, OverdueImpact
from planner.study.uncertainty.tornado import TornadoBar
from pricing import Catalogue, Figure
from pricing.catalogue import cited_sources, figures
from pricing.figure import Kind
from pricing.stale import ALLOWED_DAYS, limit_days, stale

_NEGLIGIBLE = 0.0005  # of a plan
_SECTIONS = {
    "accelerators": "Accelerators",
    "servers": "Servers",
    "hosts": "Machines off the shelf",
    "deliveries": "Delivery",
    "providers": "Providers",
    "offers": "Rental offers",
    "series": "Price histories",
    "sites": "Places",
    "places": "What machines stand in",
    "models": "Model shapes",
    "hosted": "Hosted models' prices",
    "facts": "Other facts",
}


def sources_table(catalogue: Catalogue) -> Table:
    """Return every source: publisher, day read, licence, and how many statements cite it."""
    cited = Counter(source for _, _, source in cited_sources(catalogue))
    return Table.of(
        {
            "Source": source.title,
            "Publisher": source.publisher or "",
            "Cited": cited[key],
            "Read": source.retrieved,
            "Licence": source.licence,
            "Credit": source.attribution or "",
            "Address": source.url if source.url.startswith("http") else None,
        }
        for key, source in sorted(catalogue.sources.items(), key=lambda item: (-cited[item[0]], item[0]))
    )


def required_credits(catalogue: Catalogue) -> list[tuple[str, str, str]]:
    """Return the credit lines that licences require: line, licence, address."""
    sources = catalogue.sources.values()
    return sorted({(str(it.attribution), it.licence, it.url) for it in sources if it.attribution})


def counts_table(catalogue: Catalogue, day: date) -> Table:
    """Return how much the catalogue holds, and how much of it is due for another look."""
    due = Counter(old.placed.section for old in stale(catalogue, day))
    held = Counter(placed.section for placed in figures(catalogue))
    return Table.of(
        {
            "Facts about": label,
            "Records": len(getattr(catalogue, section)),
            "Figures": held[section],
            "Due for a check": due[section],
        }
        for section, label in _SECTIONS.items()
    )


def refresh_limits_text() -> str:
    """Return the age limit of each kind of figure in words."""
    return words.listed(f"{kind.replace('_', ' ')} {days} days" for kind, days in ALLOWED_DAYS.items())


def overdue_row(catalogue: Catalogue, impact: OverdueImpact, day: date) -> dict[str, Any]:
    """Return one flat record for an overdue figure, with what it moves."""
    figure = impact.placed.figure
    source = catalogue.sources[figure.newest.source]
    return {
        "figure": ".".join(impact.placed[:3]),
        "age_days": figure.age_days(day),
        "limit_days": limit_days(figure),
        "moves_share": impact.weight if impact.impact_by_plan else None,
        "moves": [{"plan": plan, "share": share} for plan, share in impact.impact_by_plan.items()],
        "kind": figure.newest.kind,
        "source": source.title,
        "source_url": source.url,
    }


def overdue_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return the rows as a table for a file; the plans become one text."""
    return Table.of({**row, "moves": _moves(row)} for row in rows)


def overdue_text(rows: Sequence[Mapping[str, Any]], day: date) -> str:
    """Return the figures that plans use, then the rest, then the number of each kind."""
    table = Table.of(
        {
            "Moves": _moves(row) or "no preset",
            "Age, days": row["age_days"],
            "Limit": row["limit_days"],
            "Source": row["source"],
            "Figure": row["figure"],
        }
        for row in rows
    )
    kinds = Counter(row["kind"] for row in rows)
    counts = ", ".join(f"{kinds[kind]:,} {kind.replace('_', ' ')}" for kind in get_args(Kind) if kinds[kind])
    used = sum(bool(row["moves"]) for row in rows)
    total = f"{words.count(len(rows), 'figure')} to look at again on {day}: {counts or 'none'}."
    return "\n".join(filter(None, (text_table(table), f"{total} The presets and the default use {used:,}.\n")))


def _moves(row: Mapping[str, Any]) -> str:
    """Return by how much it moves the plan that it moves most, and how many others it moves."""
    moves = sorted((it for it in row["moves"] if it["share"] > _NEGLIGIBLE), key=lambda it: -it["share"])
    if not moves:
        return "hardly anything" if row["moves"] else ""
    others = f", and {len(moves) - 1} more" if moves[1:] else ""
    return f"{words.percent(moves[0]['share'], 1)} of {moves[0]['plan']}{others}"


HEADS = ("Figure", "Value", "Said by", "Kind", "Day", "Link")
_CALCULATED = ("computed", "convention")
ALL, YOURS, STALE, ASSUMED = "All", "Yours", "Stale", "Assumed"
GROUPS = (ALL, YOURS, STALE, ASSUMED)
SWING = "Moves the saving by, USD"
# Inputs of the lines that follow from one that is drawn under another name.
_FOLLOWS = {"busy_share": "busy_factor", "residual_share": "residual_position", "rent_level": "rent_drift_per_year"}
_PRICES = {"on_demand_price_factor": "rent", "reserved_price_factor": "reserved", "spot_price_factor": "spot"}
_AMBIGUOUS = frozenset({"accelerators", PRICE})  # names of formula inputs that stand for several fields
_PARTS = ("own", "rent", "terms", "tax")  # of the scenario, whose fields the inputs share their names with
_CENT = 0.005


def sources_of_ledgers(ledgers: Iterable[Ledger]) -> Table:
    """Return the figures of these ledgers: those with a link first, then assumptions, inputs and quotes."""
    figures: dict[object, tuple[LedgerInput, Origin]] = {}
    for used, origin, value in (stated for ledger in ledgers for stated in _stated_inputs(ledger)):
        if origin.kind != "input":
            figures.setdefault((value, origin.source), (used, origin))
    rows = [
        {
            "Figure": formula_input_label(used.name),
            "Value": format_input(used),
            "Said by": origin.source,
            "Kind": origin.kind.replace("_", " "),
            "Day": origin.checked or origin.since,
            "Link": origin.url if origin.url and origin.url.startswith(("http://", "https://")) else None,
        }
        for used, origin in figures.values()
    ]
    return Table.of(sorted(rows, key=lambda row: (row["Link"] is None, row["Figure"])), HEADS)


def _stated_inputs(ledger: Ledger) -> Iterator[tuple[LedgerInput, Origin, tuple[str, bytes]]]:
    return (stated for line in ledger.lines for stated in _stated(line))


def _stated(line: Line) -> Iterator[tuple[LedgerInput, Origin, tuple[str, bytes]]]:
    """Yield the inputs with a source, each with its origin and what tells its value from others of its name."""
    for used in sourced_inputs(line):
        origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
        if origin.kind not in _CALCULATED:
            yield used, origin, (used.name, np.asarray(used.value, dtype=np.float64).tobytes())


@dataclass(frozen=True)
class AssumptionRow:
    """One input of a plan as a row of the page."""

    name: str
    label: str
    value: str
    range: str  # of eight of ten futures; empty where it is taken as certain
    swing_usd: float  # the change of the saving over that range
    origin: Origin
    ways: tuple[str, ...]  # the titles of the options that use it
    age_days: int | None
    limit_days: int | None
    is_yours: bool
    key: str | None  # in a link, where it has a field

    @property
    def id(self) -> str:
        """What tells it from other inputs of the plan, whatever their values."""
        return f"{self.name} {self.ways}"

    @property
    def is_stale(self) -> bool:
        """Whether it was last checked longer ago than its kind allows."""
        return self.age_days is not None and self.limit_days is not None and self.age_days > self.limit_days

    def is_in(self, group: str) -> bool:
        """Return whether it belongs to a group of the page."""
        is_assumed = self.origin.kind == "assumption"
        return {YOURS: self.is_yours, STALE: self.is_stale, ASSUMED: is_assumed}.get(group, True)


def assumption_rows(plan: Plan, bars: Sequence[TornadoBar]) -> tuple[AssumptionRow, ...]:
    """Return every input once: the largest effect on the answer first, then yours, then the rest by name."""
    by_name = {bar.input.name: bar for bar in bars}
    by_figure = {id(bar.input.figure): bar for bar in bars if bar.input.figure is not None}
    rows, with_bar = list[AssumptionRow](), set[str]()
    for used, origin, options in _inputs(plan):
        bar = by_name.get(used.name) or by_name.get(_FOLLOWS.get(used.name, "")) or by_figure.get(id(origin.figure))
        if bar is not None:
            with_bar.add(bar.input.name)
        rows.append(_row(plan, used.name, format_input(used), origin, bar, options))
    for bar in bars:
        drawn = bar.input
        if drawn.name not in with_bar:
            origin = Origin(drawn.source, drawn.kind, url=drawn.url, note=drawn.reason, figure=drawn.figure)
            rows.append(_row(plan, drawn.name, value_text(drawn.name, drawn.spread.typical), origin, bar, ()))
    for line in assumption_lines(plan):
        name, value = line["name"], f"{line['value']} {line['unit']}"
        origin = Origin("you", "yours", since=line["as_of"], note=line["note"])
        rows.append(AssumptionRow(name, name, value, "", 0.0, origin, (), None, None, True, None))
    return tuple(sorted(rows, key=lambda row: (-row.swing_usd, not row.is_yours, row.label)))


def rows_table(rows: Sequence[AssumptionRow]) -> Table:
    """Return the rows as a table for a file."""
    return Table.of(
        {
            "Assumption": row.label,
            "Value": row.value,
            "Range": row.range,
            SWING: row.swing_usd,
            "Kind": row.origin.kind,
            "Said by": row.origin.source,
            "Since": row.origin.since,
            "Age, days": row.age_days,
            "Limit, days": row.limit_days,
            "Ways": "; ".join(row.ways),
            "Note": row.origin.note or "",
            "Source": row.origin.url,
        }
        for row in rows
    )


def screen_table(rows: Sequence[AssumptionRow]) -> Table:
    """Return the rows as the page shows them."""
    return Table.of(
        {
            "Input": row.label,
            "Value": row.value,
            "Range": row.range,
            SWING: row.swing_usd or None,
            "Source": "yours" if row.is_yours else row.origin.source,
            "Read": age_words(row),
            "Link": row.origin.url if row.origin.url and row.origin.url.startswith(("http://", "https://")) else None,
            "Options": words.some(row.ways, 2) if row.ways else "",
        }
        for row in rows
    )


def age_words(row: AssumptionRow) -> str:
    """Return the age of a figure, and whether it is over its limit."""
    if row.age_days is None:
        return ""
    over = f", over its limit of {row.limit_days:,} days" if row.is_stale else ""
    return f"{words.age(row.age_days)}{over}"


def scenario_field(name: str) -> LinkKey | None:
    """Return the field of the scenario in which an input is entered; None where it has none of its own."""
    if name in _PRICES:
        return KEYS[_PRICES[name]]
    if name in _AMBIGUOUS:
        return None
    return next((key for key in KEYS.values() if key.path[-1] == name and key.path[0] in _PARTS), None)


def _inputs(plan: Plan) -> Iterator[tuple[LedgerInput, Origin, tuple[str, ...]]]:
    """Return the stated inputs, each value once, with the titles of the options that use it."""
    options: dict[tuple[str, bytes], dict[str, None]] = {}
    first: dict[tuple[str, bytes], tuple[LedgerInput, Origin]] = {}
    for option in plan.options:
        for used, origin, value in _stated_inputs(option.ledger):
            first.setdefault(value, (used, origin))
            options.setdefault(value, {})[option.title] = None
    return ((used, origin, tuple(options[value])) for value, (used, origin) in first.items())


def _row(
    plan: Plan, name: str, value: str, origin: Origin, bar: TornadoBar | None, options: tuple[str, ...]
) -> AssumptionRow:
    key = scenario_field(name) or (None if bar is None else scenario_field(bar.input.name))
    figure = origin.figure
    is_entered = key is not None and get_value(plan.setting.written, key.path) != key.default
    return AssumptionRow(
        name, formula_input_label(name), value, _figure_range(figure) if bar is None else p10_p90_text(bar.input),
        0.0 if bar is None else bar.swing_usd, origin, options,
        None if figure is None else max(figure.age_days(plan.setting.day), 0),
        None if figure is None else limit_days(figure),
        is_entered or origin.kind in ("yours", "quote"), None if key is None else key.key,
    )  # fmt: skip


def _figure_range(figure: Figure | None) -> str:
    newest = None if figure is None else figure.newest
    if newest is None or newest.low is None or newest.high is None or newest.low == newest.high:
        return ""
    return f"{newest.low:,.6g} to {newest.high:,.6g}"


def method(plan: Plan, futures: Futures | None) -> tuple[str, ...]:
    """Return how the answer is calculated, step by step."""
    setting, terms = plan.setting, plan.setting.terms
    rate = words.percent(float(np.asarray(plan_discount_rate(setting)).flat[0]), 1)
    count = FUTURES if futures is None else futures.count
    return (
        f"The work becomes hours of machines by the month; a month has {terms.hours_per_month:g} hours.",
        f"Each of {words.count(len(plan.options), 'option')} is a list of lines; a line is a formula of its "
        "inputs, month by month, over the whole plan.",
        f"Money is {terms.money}, moves at {words.TIMINGS[terms.timing]} and is discounted at {rate} a year.",
        f"The options are compared by net present cost, and again in {count:,} futures, each with every uncertain "
        "input drawn from its range.",
    )


def checks(plan: Plan, answer: Answer) -> tuple[str, ...]:
    """Return the checks made for this plan, with their results."""
    lines = [line for option in plan.options for line in option.ledger.lines]
    sums = all(
        abs(float(np.nansum([line.priced_usd.sum() for line in option.ledger.lines])) - float(option.ledger.total_usd))
        < _CENT
        for option in plan.options
    )
    discounted = all(
        abs(float(discounted_ledger(plan.setting, ranked.option.ledger).total_usd) - ranked.as_entered_usd) < _CENT
        for ranked in answer.ranked
    )
    named = all(used.name for line in lines for used in line.used)
    outcome = {True: "yes", False: "NO, tell us"}
    return (
        f"Totals equal the sum of their lines ({len(lines)} lines): {outcome[sums]}.",
        f"The discounted lines sum to the net present costs of the answer: {outcome[discounted]}.",
        f"Every input has a name and a source: {outcome[named]}.",
        f"The same question gives the same answer: facts {plan.setting.catalogue.digest[:16]}, of "
        f"{words.day(plan.setting.catalogue.day)}.",
    )


def limits(answer: Answer, rows: Sequence[AssumptionRow]) -> tuple[str, ...]:
    """Return how far the totals can be off by the futures of this plan, and what the futures do not vary."""
    certain = sum(not row.range for row in rows)
    old = sum(row.is_in(STALE) for row in rows)
    return (
        *(f"{it.option.title}: {_error_text(it.present_usd, it.low_usd, it.high_usd)}." for it in answer.ranked[:3]),
        f"Inputs without a range, which do not vary: {certain} of {len(rows)}. Due for a check: {old}.",
    )


def _error_text(typical: float, low: float, high: float) -> str:
    if typical == 0:
        return "nothing to pay"
    return f"eight of ten futures lie between {low / typical - 1:+.0%} and {high / typical - 1:+.0%} of its total"
