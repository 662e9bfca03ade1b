"""What stands behind a number: each line of a way in words, with its inputs and who says so."""

from collections.abc import Callable, Iterable, Sequence
from urllib.parse import quote

import streamlit as st

from planner.money.ledger import Ledger, LedgerInput, Line, Origin
from planner.money.renting.bill import Money
from planner.report import words
from planner.report.answer.line_words import format_input, formula_text, sourced_inputs, total_text
from planner.report.answer.side_by_side import priced
from planner.report.facts.assumptions import sources_of_ledgers
from planner.report.futures.input_words import formula_input_label
from planner.report.market.compare import PurchaseComparison, no_purchase_reason, purchase_range_text, running_cost_rows
from planner.web import show, state
from pricing import Catalogue


def ledger(shown: Ledger) -> None:
    """Every line with its amount, its formula, and each input with who says so; what costs nothing in one sentence."""
    nothing = [line.name for line in shown.lines if line.total_usd == 0]
    for line in shown.lines:
        if line.total_usd != 0:
            _line(line)
    if nothing:
        show.small(words.markdown(f"Nothing in this plan: {words.listed(dict.fromkeys(nothing))}."))
    missing = f", without {words.listed(shown.unpriced).lower()} (not priced)" if shown.unpriced else ""
    said = words.markdown(f"{missing}. The sum of the lines above.")
    st.markdown(f"**Total: {words.escape_dollar_signs(total_text(shown))}**{said}")


def _line(line: Line) -> None:
    with st.expander(words.markdown(f"{line.name}: {words.usd(float(line.total_usd))}")):
        st.markdown(words.markdown(formula_text(line)))
        if line.note:
            show.small(words.markdown(line.note))
        st.markdown("\n".join(f"- {_input(one)}" for one in sourced_inputs(line)))


def _input(used: LedgerInput) -> str:
    """One input: what it is, its value, and who says so since when."""
    origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
    said = f"{words.markdown(formula_input_label(used.name))}: **{words.markdown(format_input(used))}**"
    note = f" · {words.markdown(origin.note)}" if origin.note else ""
    return f"{said} · {source_text(origin)}{note}"


def source_text(origin: Origin) -> str:
    """A source by its name, as a link where it has an address, with the kind of statement and its day."""
    name = words.markdown(origin.source)
    by = f"[{name}]({_address(origin.url)})" if origin.url and origin.url.startswith(("http://", "https://")) else name
    kind = origin.kind.replace("_", " ")
    more = ("" if kind in (origin.source, "input") else kind, "" if origin.since is None else words.day(origin.since))
    return ", ".join(filter(None, (by, *more)))


def _address(url: str) -> str:
    """An address that ends where it ends, whatever stands in it."""
    return quote(url, safe="%/:?#&=+,;@!$'*~-._")


def explain_button(ledgers: Callable[[], Sequence[Ledger]]) -> None:
    """Opens the drawer with every number in it."""
    if st.button("Explain these numbers", icon=":material/calculate:", key="explain"):
        explain(ledgers())


@st.dialog("Explain these numbers", width=680, position="right")
def explain(ledgers: Sequence[Ledger]) -> None:
    """What the drawer shows: any number of an option taken apart into its parts, formula, inputs and sources."""
    titles = [one.title for one in ledgers]
    chosen = st.selectbox("Option", range(len(titles)), format_func=lambda number: titles[number], key="explained")
    ledger(ledgers[chosen])


def cost_parts_with_drawer(ledgers: Sequence[Ledger], money: Money) -> None:
    """The stacked bars with the drawer beside them."""
    show.parts(ledgers, money)
    if ledgers:
        explain_button(lambda: ledgers)


def buying(catalogue: Catalogue, own: PurchaseComparison | None, accelerator: str) -> None:
    """What the accelerator costs to buy and to run, beside renting it."""
    if own is None:
        st.markdown(words.markdown(no_purchase_reason(catalogue, accelerator)))
        return
    with st.grid(4, min_column_width=150):
        for label, value, detail in running_cost_rows(own):
            st.metric(label, value, border=True, height="stretch", help=words.escape_dollar_signs(detail))
    since = "" if own.bought.since is None else f", {words.day(own.bought.since)}"
    show.small(
        words.markdown(f"Price of {own.bought.what}{since}: {own.bought.source}. In all{purchase_range_text(own)}:")
    )
    ledger(own.ledger)


def below(key: str, ledgers: Callable[[], Iterable[Ledger]]) -> None:
    """The sources of the chart of this key, which rests on these ledgers."""
    with show.table_on_demand(f"sources-{key}", "Sources") as is_open:
        if is_open:
            table = sources_of_ledgers(ledgers())
            show.show_dataframe(table, hide_index=True, column_config={"Link": show.OPEN}, placeholder="", alt=_ALT)
            show.csv_button(table, f"sources-{key}.csv", f"csv-sources-{key}")
            show.next_page("Assumptions", "All of them by weight, and how to change them")


_ALT = "The figures of the chart above, with who says so."


def plan_ledgers() -> list[Ledger]:
    """The ways of the plan on the screen, and the best one of each pinned plan."""
    ranked = [way.option.ledger for way in state.reckoned().answer.ranked]
    return ranked + [best.option.ledger for _, best in priced(state.pinned())]
