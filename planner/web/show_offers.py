"""Views of the Compare page: offers, other GPUs, price histories."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import plotly.graph_objects as go
import pyarrow as pa
import streamlit as st

from planner.money.ledger import Ledger
from planner.money.renting.bill import Money
from planner.report import charts, words
from planner.report.market.compare import BUY_ID, hide_old_prices, old_prices_label, purchase_comparison
from planner.report.market.job_offers import A_MONTH, ONE_RUN, OfferComparison, compare_offers
from planner.report.market.prices import (
    chart_row_order,
    history_table,
    price_history_summary,
    value_for_money_summary,
    value_for_money_table,
)
from planner.report.table import Table
from planner.scenario.shown_money import ShownMoney, shown_money
from planner.study.market.price_history import PriceHistory, PriceSpread, dots, histories, worth
from planner.study.market.survey import SizedAccelerator, sized_accelerators
from planner.web import address, ask, filters, show, state, workers
from planner.web.shared import shared
from planner.web.state import PLANS, PlanResult
from pricing import Catalogue
from pricing.caching import cached
from pricing.exchange import DOLLAR
from pricing.query import OfferFilter, find


@shared(32, key=state.of_plan)
def capable_accelerators() -> tuple[SizedAccelerator, ...]:
    """Return every accelerator that can do the work of this run's plan."""
    return workers.run_in_slow_worker(sized_accelerators, state.result().plan.setting)


@dataclass(frozen=True)
class OfferQuestion:
    """The comparison that the page asks for: a plan on some accelerators, in some money."""

    result: PlanResult
    accelerators: Sequence[SizedAccelerator]
    is_job: bool
    money: Money

    def offers(self, query: OfferFilter, *, able_only: bool) -> OfferComparison:
        """Return the cost of the plan at every offer that fits the filters."""
        return _compare_offers(state.catalogue(), state.day(), self, query, able_only)


def _offers_key(
    facts: Catalogue, day: date, question: OfferQuestion, query: OfferFilter, able_only: bool
) -> tuple[Any, ...]:
    names = tuple(sized.accelerator for sized in question.accelerators)
    return facts, question.result.scenario, day, query, names, able_only, question.is_job, question.money


@shared(PLANS, key=_offers_key)
def _compare_offers(
    facts: Catalogue, day: date, question: OfferQuestion, query: OfferFilter, able_only: bool
) -> OfferComparison:
    own = purchase_comparison(question.result.plan, question.money, question.result.answer)
    return compare_offers(
        facts, question.accelerators, query, day, own,
        able_only=able_only, is_job=question.is_job, money=question.money,
    )  # fmt: skip


@cached(PLANS)
def opened(comparison: OfferComparison, picks: tuple[str, ...]) -> tuple[Ledger, ...]:
    """Return the ledgers of the chosen rows."""
    return tuple(comparison.opened(picks))


@dataclass(frozen=True)
class OfferListing:
    """Offers as the page lists them: without old prices, the number of these, and all."""

    recent: Table
    old: int
    all_offers: Table


@cached(PLANS)
def listed(comparison: OfferComparison) -> OfferListing:
    """Return the offers with old prices folded away."""
    return OfferListing(*hide_old_prices(comparison.table, comparison.finding.offer), comparison.table)


def _usd(label: str, help_text: str, digits: int = 2, **options: Any) -> Any:
    return st.column_config.NumberColumn(label, format=f"$%,.{digits}f", help=help_text, **options)


def _badges(colors: dict[str, str]) -> Any:
    return st.column_config.MultiselectColumn(options=list(colors), color=list(colors.values()))


_FRESHNESS = {"fresh": "green", "ageing": "blue", "stale": "orange", "no public price": "gray"}
_TRUST = {
    "yours": "violet", "quote": "violet", "API": "green", "published": "green", "collected": "blue",
    "estimated": "orange", "no public price": "gray",
}  # fmt: skip
_PRICE_READ = "What the price rests on, and its age; green: from the provider itself."
_READ = "The day the source read the provider's price."
_MEMORY = "How full the memory of one GPU is."
_TOTAL = "'at least': a price, such as the disk's, is not published. The order supposes the others' median for it."
_TODAY = "Estimated price today, allowing for price changes and withdrawn offers."
_AT_ONCE = "What this seller has at once: free today where it counts that, else published or usual for its kind."
_TOTAL_HELP = "The whole plan, in the money named below."
_COLUMN = st.column_config
_LABEL_OF_LINK = r"#(.+)$"  # a provider is a link to his page of prices, which ends in his name
OFFER_COLUMNS = {
    "Provider": _COLUMN.LinkColumn(width=190, display_text=_LABEL_OF_LINK, help="Opens the provider's page of prices."),
    "Region": _COLUMN.TextColumn(width=150),
    "GPUs per machine": _COLUMN.NumberColumn("Per machine", help="GPUs in one machine. Machines are rented whole."),
    "Today USD/GPU-h": _usd("$/h today", _TODAY),
    "Today low": _usd("Low", "One in ten is lower."),
    "Today high": _usd("High", "One in ten is higher."),
    "Typical order USD/GPU-h": _usd("Order like yours", "What an order like yours pays, from all sellers together."),
    "Typical order low": _usd("Order, low", "One in ten such orders pays less."),
    "Typical order high": _usd("Order, high", "One in ten such orders pays more."),
    "Sticker USD/GPU-h": _usd("List $/h", "The price as posted, for one GPU-hour."),
    "USD per useful GPU-h": _usd("Per useful hour", "The cost of the whole plan per hour of useful work."),
    "GPU": _COLUMN.TextColumn(width=150),
    "GPUs": _COLUMN.NumberColumn(help="How many one run takes, or the service at its peak."),
    "Takes days": _COLUMN.NumberColumn("Takes, days", format="%.3g", help="One run, from start to end."),
    "Memory": _COLUMN.TextColumn(help=_MEMORY),
    "One run USD": _usd("One run", "The machines for one run, without disks and traffic.", 0),
    "A month USD": _usd("A month", "The machines for a month, without disks and traffic.", 0),
    "Against buying": _COLUMN.NumberColumn("vs buying", format="percent"),
    "Against cheapest": _COLUMN.NumberColumn("vs cheapest", format="percent"),
    "At once": _COLUMN.NumberColumn(help=_AT_ONCE),
    "Checked": _COLUMN.DateColumn(format="D MMM YYYY", help=_READ),
    "Days old": _COLUMN.NumberColumn(format="%d", width=70, help="Days since the source read the provider's price."),
    "Total is": _COLUMN.TextColumn(help=_TOTAL),
    "Freshness": _badges(_FRESHNESS),
    "Trust": _badges(_TRUST),
    "Source": show.OPEN,
    "Page": show.OPEN,
}
# The columns that stand there until others are chosen: of hours, and of a job on one GPU or on several.
_USUAL = (
    "Provider", "Region", "Terms", "Today USD/GPU-h", "Plan total USD", "Against cheapest", "At once", "Price read",
)  # fmt: skip
_CARDS = 10
_LINKED = ("Provider", "Product", "Page", "Source")
_OURS = "/assumptions"  # where our own prices are explained


def _usual_columns(table: Table) -> tuple[str, ...]:
    if "GPU" not in table.columns:
        return _USUAL
    job = ONE_RUN if ONE_RUN in table.columns else A_MONTH
    gpu = ("GPU", "GPUs") if len(set(table["GPU"])) > 1 else ("Region", "Terms")
    return "Provider", *gpu, "Takes days", job, "Plan total USD", "Against cheapest", "Price read"


def offers(listing: OfferListing, hidden: str, reasons: str) -> None:
    """Show the comparison, old prices folded away. Ticked rows join the chart below, by their id."""
    table, above = listing.recent, st.container()
    with st.container(horizontal=True, vertical_alignment="center"):
        if listing.old:
            address.switch("old")
            table = listing.all_offers if st.toggle(old_prices_label(listing.old), key="old") else table
        columns = _columns_menu(table)
        show.csv_button(_in_shown_money(table), "compare.csv", "csv-offers")
    with above:
        _cards(table)
        _rows(table, columns)
    if hidden:
        with st.container(horizontal=True, vertical_alignment="center"):
            show.small(words.markdown(hidden), words.markdown(reasons))
            label = "Hide them again" if filters.shows_hidden() else "Show them"
            st.button(label, on_click=filters.turn_hidden, key="show-hidden")


def _columns_menu(table: Table) -> list[str]:
    """Show the choice of columns and return it in the order of the table's usual ones."""
    usual = _usual_columns(table)
    names = [*usual, *(name for name in table.columns if name not in usual)]
    address.choices("columns", names, usual)
    with st.popover("Columns", icon=":material/view_column:", key="columns-menu"):
        chosen = st.multiselect("Columns", names, key="columns", format_func=_in_code)
    return [name for name in names if name in chosen] or list(usual)


def _cards(table: Table) -> None:
    """Show the first offers as cards, which only a narrow screen shows: there a table has no room."""
    lines = []
    cells = [table[name] for name in ("Provider", "Page", "Today USD/GPU-h", "Plan total USD", "Against cheapest")]
    beside = [table[name] for name in ("Terms", "Region", "Price read")]
    for name, page, hour, usd, more, *rest in list(zip(*cells, *beside, strict=True))[:_CARDS]:
        label = words.markdown(str(name))
        first = [f"**[{label}]({page})**" if page else f"**{label}**"]
        first += [] if usd is None else [f"**{words.markdown(words.format_usd_short(usd))}**", f"{more:+.0%}"]
        first += [words.markdown(f"{words.usd_per_hour(hour)}/h")] if hour and math.isfinite(hour) else []
        lines.append(f"{' · '.join(first)}  \n{words.markdown(', '.join(str(cell) for cell in rest if cell))}")
    with st.container(key="offer-cards"):
        show.bullets(lines)


def _rows(table: Table, columns: list[str]) -> None:
    key = f"offers-{hash(table.ids)}"

    def tick() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        st.session_state["pick"] = [(table.ids or ())[row] for row in rows][: ask.MOST_PICKS]

    most = shown_money().amount(max(filter(None, table["Plan total USD"]), default=1.0))
    marks = {text: _TRUST[trust] for text, trust in zip(table["Price read"], table["Trust"], strict=True) if text}
    read = _COLUMN.MultiselectColumn(options=list(marks), color=list(marks.values()), width=190, help=_PRICE_READ)
    total = _COLUMN.ProgressColumn("This plan", format="$%,.0f", min_value=0.0, max_value=most, help=_TOTAL_HELP)
    with st.container(key="offer-table"):
        show.dataframe(
            _to_arrow(table, shown_money()),
            column_config=show.in_shown_money(OFFER_COLUMNS | {"Plan total USD": total, "Price read": read}),
            column_order=[_in_code(name) for name in columns], placeholder="–", key=key, on_select=tick,
            selection_mode="multi-row", alt="Offers and buying, cheapest plan first.",
        )  # fmt: skip


def _in_code(column: str) -> str:
    return column.replace(DOLLAR, shown_money().code)


def _in_shown_money(table: Table) -> Table:
    return table.in_shown_money(*(name for name, column in OFFER_COLUMNS.items() if show.is_money(column)))


@cached(PLANS, same=lambda table, _: (table,), equal=lambda _, money: money)  # as it is sent to each browser
def _to_arrow(table: Table, _: ShownMoney) -> pa.Table:
    table = _in_shown_money(table)
    badges = {name: [[word] if word else [] for word in table[name]] for name in ("Freshness", "Trust", "Price read")}
    rows = zip(table.ids or (), *map(table.__getitem__, _LINKED), strict=True)
    return Table({**table.cells, **badges, "Provider": [_provider_link(*row) for row in rows]}).to_arrow()


def _provider_link(key: str, name: str, product: str, page: str | None, source: str | None) -> str:
    """Return the address of a seller's prices, which ends in what it is called; that of our own for buying."""
    read = source if (source or "").startswith("https:") else _OURS
    return f"{_OURS}#{name}" if key == BUY_ID else f"{page or read}#{words.seller(name, product)}"


# Other GPUs


@dataclass(frozen=True)
class MarketCharts:
    """All priced offers that fit the filters, drawn."""

    rows: list[PriceSpread]
    finding: str
    prices: go.Figure
    arithmetic: go.Figure
    memory: go.Figure


@shared(64)
def _market(facts: Catalogue, query: OfferFilter, day: date, accelerator: str, is_dark: bool) -> MarketCharts:
    ids = find(facts, query, day).ids
    rows = worth(facts, ids, day)
    order = chart_row_order(facts, rows, accelerator)
    return MarketCharts(
        rows,
        value_for_money_summary(facts, rows, accelerator),
        charts.price_dots(dots(facts, ids, day), order, is_dark),
        charts.value_for_money_bars(rows, dict(order), "pflop", is_dark),
        charts.value_for_money_bars(rows, dict(order), "gb", is_dark),
    )


def market(query: OfferFilter, accelerator: str) -> None:
    """Show every offer as a dot, and the cost of arithmetic and memory on each accelerator."""
    catalogue = state.catalogue()
    drawn = _market(catalogue, query, state.day(), accelerator, state.dark())
    show.paragraph(drawn.finding)
    show.chart(drawn.prices, drawn.finding, "dots")
    left, right = st.columns(2, gap="large")
    with left:
        show.chart(drawn.arithmetic, "Cheapest arithmetic first. " + drawn.finding, "pflop")
    with right:
        show.chart(drawn.memory, "Cheapest memory first. " + drawn.finding, "gb")
    columns = show.from_column(2, show.CENTS)
    show.table(
        "market-table", show.AS_TABLE, lambda: value_for_money_table(catalogue, drawn.rows), columns, "market.csv",
        alt=drawn.finding,
    )  # fmt: skip


@shared(64)
def _history(facts: Catalogue, accelerator: str, is_dark: bool) -> tuple[list[PriceHistory], str, go.Figure]:
    lines = histories(facts, accelerator)
    return lines, price_history_summary(facts, lines, accelerator), charts.price_history(lines, is_dark)


def price_history(accelerator: str) -> None:
    """Show price histories; a line stops where no price was read."""
    lines, finding, figure = _history(state.catalogue(), accelerator, state.dark())
    show.paragraph(finding)
    if lines:
        show.chart(figure, finding, "past")
        columns = {"USD per GPU-hour": show.CENTS}
        show.table("history-table", show.AS_TABLE, lambda: history_table(lines), columns, "history.csv", alt=finding)
