"""Sources of a number: each line of an option in words, with its inputs and their sources."""

from collections.abc import Callable, Iterable, Sequence
from urllib.parse import quote

import streamlit as st

from planner.money.ledger import Ledger, LedgerInput, Line, Origin
from planner.report import words
from planner.report.answer.line_words import format_input, formula_text, sourced_inputs, total_text
from planner.report.answer.side_by_side import priced
from planner.report.facts.assumptions import sources_of_ledgers
from planner.report.futures.input_words import formula_input_label
from planner.report.market.compare import PurchaseComparison, no_purchase_reason, purchase_range_text, running_cost_rows
from planner.web import show, state
from pricing import Catalogue


def ledger(shown: Ledger) -> None:
    """Show every line with its amount, formula and sourced inputs; lines that cost nothing in one sentence."""
    zero = [line.name for line in shown.lines if line.total_usd == 0]
    for line in shown.lines:
        if line.total_usd != 0:
            _line(line)
    if zero:
        show.small(words.markdown(f"Nothing in this plan: {words.listed(dict.fromkeys(zero))}."))
    missing = f", without {words.listed(shown.unpriced).lower()} (not priced)" if shown.unpriced else ""
    rest = words.markdown(f"{missing}. The sum of the lines above.")
    st.markdown(f"**Total: {words.escape_dollar_signs(total_text(shown))}**{rest}")


def _line(line: Line) -> None:
    with st.expander(words.markdown(f"{line.name}: {words.usd(float(line.total_usd))}")):
        show.paragraph(formula_text(line))
        if line.note:
            show.small(words.markdown(line.note))
        show.bullets([_input(used) for used in sourced_inputs(line)])


def _input(used: LedgerInput) -> str:
    """Return one input as text: its name, value, source and date."""
    origin = used.origin if isinstance(used.origin, Origin) else used.origin(0)
    name, value = words.markdown(formula_input_label(used.name)), words.markdown(format_input(used))
    note = f" · {words.markdown(origin.note)}" if origin.note else ""
    return f"{name}: **{value}** · {source_text(origin)}{note}"


def source_text(origin: Origin) -> str:
    """Return a source by its name, as a link where it has an address, with the kind of statement and its day."""
    name = words.markdown(origin.source)
    if origin.url and origin.url.startswith(("http://", "https://")):
        address = quote(origin.url, safe="%/:?#&=+,;@!$'*~-._")  # it ends where it ends, whatever stands in it
        name = f"[{name}]({address})"
    kind = origin.kind.replace("_", " ")
    more = ("" if kind in (origin.source, "input") else kind, "" if origin.since is None else words.day(origin.since))
    return ", ".join(filter(None, (name, *more)))


def explain_button(ledgers: Callable[[], Sequence[Ledger]], notes: Sequence[str] = ()) -> None:
    """Show a button that opens the drawer with every number in it, and a note on the total of each ledger."""
    if st.button("Explain", icon=":material/calculate:", key="explain"):
        explain(ledgers(), notes)


@st.dialog("Explain these numbers", width=680, position="right")
def explain(ledgers: Sequence[Ledger], notes: Sequence[str] = ()) -> None:
    """Show any number of an option taken apart into its parts, formula, inputs and sources."""
    titles = [option.title for option in ledgers]
    index = st.selectbox("Option", range(len(titles)), format_func=titles.__getitem__, key="explained")
    ledger(ledgers[index])
    if notes:
        show.small(words.markdown(notes[index]))


def buying(catalogue: Catalogue, own: PurchaseComparison | None, accelerator: str) -> None:
    """Show the cost of buying and running the accelerator, beside renting it."""
    if own is None:
        show.paragraph(no_purchase_reason(catalogue, accelerator))
        return
    with st.grid(4, min_column_width=150):
        for label, value, detail in running_cost_rows(own):
            st.metric(label, value, border=True, height="stretch", help=words.escape_dollar_signs(detail))
    since = "" if own.bought.since is None else f", {words.day(own.bought.since)}"
    text = f"Price of {own.bought.what}{since}: {own.bought.source}. In all{purchase_range_text(own)}:"
    show.small(words.markdown(text))
    ledger(own.ledger)


def below(key: str, ledgers: Callable[[], Iterable[Ledger]]) -> None:
    """Show the sources of the chart of this key, which rests on these ledgers."""
    with show.on_demand(f"sources-{key}", "Sources") as is_open:
        if is_open:
            columns, alt = {"Link": show.OPEN}, "The figures of the chart above, with their sources."
            table, file = sources_of_ledgers(ledgers()), f"sources-{key}.csv"
            show.table(f"of-{key}", "", table, columns, file, placeholder="", alt=alt)
            show.next_page("Assumptions", "All of them by weight, and how to change them")


def plan_ledgers() -> list[Ledger]:
    """Return the options of the plan on the screen, and the best one of each pinned plan."""
    ranked = [option.option.ledger for option in state.result().answer.ranked]
    return ranked + [best.option.ledger for _, best in priced(state.pinned())]
