"""The offers of the Compare page onto the screen."""

from typing import Any

import pyarrow as pa
import streamlit as st

from planner.report import words
from planner.report.market.compare import old_prices_label
from planner.report.table import Table
from planner.scenario.known_names import with_unchanged_note
from planner.web import address, filters, show, state
from planner.web.download import download
from pricing import QuoteError
from pricing.caching import arguments, cached
from pricing.quotes import TEMPLATE_CSV, Quotes, parse_quotes


def _badge_column(colours: dict[str, str]) -> Any:
    return st.column_config.MultiselectColumn(options=list(colours), color=list(colours.values()))


OFFER_COLUMNS = {
    "Provider": st.column_config.TextColumn(width=130),
    "GPUs per machine": st.column_config.NumberColumn(
        "Per machine", help="GPUs in one machine. Machines are rented whole."
    ),
    "Today USD/GPU-h": st.column_config.NumberColumn(
        "Today $/h",
        format="$%,.2f",
        width=80,
        help="What the posted price is worth today: sellers change prices, offers go.",
    ),
    "Today low": st.column_config.NumberColumn("low", format="$%,.2f", help="One in ten is lower."),
    "Today high": st.column_config.NumberColumn("high", format="$%,.2f", help="One in ten is higher."),
    "Sticker USD/GPU-h": st.column_config.NumberColumn(
        "Sticker $/h", format="$%,.2f", help="The price as posted, for one GPU-hour."
    ),
    "USD per busy GPU-h": st.column_config.NumberColumn(
        "Per busy hour", format="$%,.2f", help="The plan's whole bill over the hours of useful work."
    ),
    "GPU": st.column_config.TextColumn(width=150),
    "GPUs": st.column_config.NumberColumn(help="How many one run takes, or the service at its peak."),
    "Takes days": st.column_config.NumberColumn("Takes, days", format="%.3g", help="One run, from start to end."),
    "Memory": st.column_config.TextColumn(help="How full one of them is: it fits, or it would not stand here."),
    "One run USD": st.column_config.NumberColumn(
        "One run", format="$%,.0f", help="The machines for one run, without disks and traffic."
    ),
    "A month USD": st.column_config.NumberColumn(
        "A month", format="$%,.0f", help="The machines for a month, without disks and traffic."
    ),
    "Plan total USD": st.column_config.NumberColumn(
        "This plan", format="$%,.0f", help="The whole plan, in the money that is said above."
    ),
    "Against buying": st.column_config.NumberColumn("vs buying", format="percent"),
    "Checked": st.column_config.DateColumn(format="D MMM YYYY", help="The day the source read the provider's price."),
    "Days old": st.column_config.NumberColumn(
        format="%d", width=70, help="Since the source read the provider's price."
    ),
    "Total is": st.column_config.TextColumn(
        help="'at least': a price, such as the disk's, is not published. The order supposes the others' median for it."
    ),
    "Freshness": _badge_column({"fresh": "green", "ageing": "blue", "stale": "orange", "no public price": "gray"}),
    "Trust": _badge_column(
        {
            "yours": "violet",
            "quote": "violet",
            "API": "green",
            "published": "green",
            "collected": "blue",
            "estimated": "orange",
            "no public price": "gray",
        }
    ),
    "Source": show.OPEN,
}


def offers(listed: state.OfferListing, hidden: str) -> None:
    """The comparison, old prices folded away. Ticked rows join the chart below, by their id."""
    table, above = listed.usual, st.container()
    if listed.old:
        address.switch("old")
        table = listed.every if st.toggle(old_prices_label(listed.old), key="old") else table
    with above:
        _rows(table)
    with st.container(horizontal=True, vertical_alignment="center"):
        show.csv_button(table, "compare.csv", "csv-offers")
        if hidden:
            show.small(words.markdown(hidden))
            label = "Hide them again" if filters.shows_hidden() else "Show them"
            st.button(label, on_click=filters.turn_hidden, key="show-hidden")


def _rows(table: Table) -> None:
    key = f"offers-{hash(table.ids)}"

    def tick() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        st.session_state["pick"] = [(table.ids or ())[row] for row in rows][:6]

    show.show_dataframe(
        _to_arrow(table),
        hide_index=True,
        column_config=OFFER_COLUMNS,
        placeholder="–",
        key=key,
        on_select=tick,
        selection_mode="multi-row",
        alt="Ways to get the machines, cheapest plan first.",
    )


@cached(128, same=arguments)  # as it is sent, the same for everybody who sees it
def _to_arrow(table: Table) -> pa.Table:
    badges = {name: [[word] if word else [] for word in table[name]] for name in ("Freshness", "Trust")}
    cells = {**table.cells, **badges}
    return pa.table({name: pa.array(column, from_pandas=True) for name, column in cells.items()})


KEY = "quote_file"


def quote_upload() -> None:
    """The upload, and what became of each row."""
    st.markdown(
        "A CSV or YAML file with rental prices, discounts or hardware quotes. They win over the catalogue everywhere "
        "and are marked *yours*. The file stays in this session; nothing is stored."
    )
    with st.expander("Upload a file", key="upload"):
        st.file_uploader("Quote file", type=["csv", "yaml", "yml", "txt"], key=KEY, max_upload_size=1, on_change=_read)
    download("Download a file to fill in", "quotes.csv", TEMPLATE_CSV.encode, "template")
    if st.session_state.get("quote_refusal"):
        st.error(words.markdown(st.session_state["quote_refusal"]))
    brought = state.quotes()
    if brought is not None:
        _say(brought)
        st.button("Take my prices away", on_click=_take_away)


def _read() -> None:
    """Read the file once, when it is chosen. A file that cannot be read leaves the quotes before it in place."""
    file = st.session_state[KEY]
    st.session_state["quote_refusal"] = None
    if file is None:
        return
    try:
        brought = parse_quotes(file.getvalue(), name=file.name, catalogue=state.live(), day=state.day())
        if brought.is_empty:
            raise QuoteError(_NOTHING.format(name=file.name, why=" ".join(map(str, brought.problems[:_SHOWN]))))
    except QuoteError as refusal:
        st.session_state["quote_refusal"] = with_unchanged_note(refusal)
        return
    state.set_quotes(brought)


_SHOWN = 5
_NOTHING = "{name} has no row that can be used. {why}"


def _take_away() -> None:
    state.set_quotes(None)
    st.session_state["quote_refusal"] = None


def _say(brought: Quotes) -> None:
    kept = (
        words.count(len(brought.offers), "price"),
        words.count(len(brought.discounts), "discount"),
        words.count(len(brought.hardware), "hardware quote"),
    )
    st.success(f"In use: {words.listed(kept)}.")
    if brought.problems:
        left_out = words.count(len(brought.problems), "problem")
        st.error(
            f"{left_out}; those rows are not used:\n\n"
            + "\n".join(f"- {words.markdown(str(p))}" for p in brought.problems)
        )
    if brought.questions:
        st.warning("In use, but look again:\n\n" + "\n".join(f"- {words.markdown(str(q))}" for q in brought.questions))
