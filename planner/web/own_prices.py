"""Tables of the plan's own prices: quotes and discounts, edited in place; the link and the file hold them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, get_args

import pandas as pd
import pydantic
import streamlit as st

from planner.money.renting.own_prices import own_price_notes
from planner.report import words
from planner.scenario.known_names import first_error
from planner.scenario.link import LinkTooLongError
from planner.scenario.own_prices import Bought, RentalQuote, SellerDiscount
from planner.scenario.scenario import Scenario
from planner.web import ask, show, state

_REFUSAL = "own_prices_refused"
_PERCENT = 100
_COLUMN = st.column_config
_DATE = {"format": "YYYY-MM-DD"}
_QUOTES: dict[str, tuple[str, Any]] = {
    "seller": ("Seller", _COLUMN.TextColumn(max_chars=120)),
    "accelerators": ("For GPUs, at most", _COLUMN.NumberColumn(min_value=1, max_value=100_000, step=1)),
    "purchase": ("Bought", _COLUMN.SelectboxColumn(
        options=list(get_args(Bought)), default="on_demand", format_func=lambda bought: words.PURCHASE[bought])),
    "usd_per_accelerator_hour": (
        "USD per GPU-hour", _COLUMN.NumberColumn(min_value=0.001, max_value=1_000.0, format="%.4g", required=True)
    ),
    "valid_until": ("Valid until", _COLUMN.DateColumn(**_DATE)),
    "starts": ("Starts (empty: today)", _COLUMN.DateColumn(**_DATE)),
    "ends": ("Block ends", _COLUMN.DateColumn(**_DATE)),
}  # fmt: skip
_DISCOUNTS: dict[str, tuple[str, Any]] = {
    "provider": ("Seller", None),
    "discount_share": ("% below its list", _COLUMN.NumberColumn(min_value=0.1, max_value=99.9, required=True)),
    "valid_until": ("Valid until", _COLUMN.DateColumn(**_DATE)),
}


def tables() -> None:
    """Show both tables, and what became of each price."""
    sellers = {key: one.label for key, one in state.live_catalogue().providers.items()}
    scenario = state.scenario()
    st.markdown("Quotes for this plan's GPU: for how many, how bought, until when you may order; from a later day on, "
                "or as a block of days. They go with the link and the file of the plan.")  # fmt: skip
    _table("quotes", scenario.quotes, _QUOTES, quote_of)
    st.markdown("Discounts: what you pay below the list of a seller.")
    choices = {**_DISCOUNTS, "provider": (
        "Seller", _COLUMN.SelectboxColumn(options=list(sellers), format_func=lambda key: sellers.get(key, key),
                                          required=True))}  # fmt: skip
    _table("discounts", scenario.discounts, choices, discount_of)
    if st.session_state.get(_REFUSAL):
        st.error(words.markdown(st.session_state[_REFUSAL]))
    if scenario.quotes or scenario.discounts:
        show.bullets([words.markdown(note) for note in own_price_notes(state.result().plan.setting)])


def quote_of(row: Mapping[str, Any]) -> RentalQuote:
    """Return the quote in a row of the table."""
    return RentalQuote(**row)


def discount_of(row: Mapping[str, Any]) -> SellerDiscount:
    """Return the discount in a row of the table, which shows percent."""
    return SellerDiscount(**{**row, "discount_share": row["discount_share"] / _PERCENT})


def _table(
    section: str, rows: Sequence[Any], columns: Mapping[str, tuple[str, Any]], make: Callable[[dict[str, Any]], Any]
) -> None:
    """Show an editor of rows. It is new when the plan is another: edits go by their row."""
    labels = {label: name for name, (label, _) in columns.items()}
    cells = [_cells(row, columns) for row in rows]
    name = f"own-{section}-{hash(tuple(map(str, cells)))}"
    data = pd.DataFrame({label: [cell[key] for cell in cells] for label, key in labels.items()}, dtype=object)

    def take() -> None:
        edits, kept = st.session_state[name], list(range(len(rows)))
        taken = [dict(cell) for cell in cells]
        for at, changes in edits["edited_rows"].items():
            taken[int(at)] |= {labels[label]: value for label, value in changes.items()}
        kept = [taken[at] for at in kept if at not in edits["deleted_rows"]]
        kept += [{labels[label]: value for label, value in row.items() if label in labels}
                 for row in edits["added_rows"]]  # fmt: skip
        use_rows(section, kept, rows, make)

    st.data_editor(
        data, num_rows="dynamic", hide_index=True, key=name, on_change=take, width="stretch",
        column_config=dict(columns.values()),
        alt=f"{section}: a row for each, edited in place",
    )  # fmt: skip


def _cells(row: Any, columns: Mapping[str, tuple[str, Any]]) -> dict[str, Any]:
    shown = {name: getattr(row, name) for name in columns}
    if "discount_share" in shown:
        shown["discount_share"] *= _PERCENT
    return shown


def use_rows(section: str, rows: Sequence[Mapping[str, Any]], before: Sequence[Any], make: Callable[..., Any]) -> None:
    """Make the rows that have a price part of the plan; what cannot be used is said, and nothing is changed."""
    st.session_state[_REFUSAL] = None
    needed = "provider" if section == "discounts" else "usd_per_accelerator_hour"
    filled = [{name: _plain(value) for name, value in row.items() if value not in (None, "")} for row in rows]
    whole = [row for row in filled if row.get(needed) and (section == "quotes" or row.get("discount_share"))]
    try:
        made = tuple(map(make, whole))
        scenario = Scenario.model_validate({**dict(state.scenario()), section: made})
        if made != tuple(before):
            ask.use(scenario.with_typed(state.scenario().typed))
    except pydantic.ValidationError as error:
        st.session_state[_REFUSAL] = f"{first_error(error)[1]}. Nothing was changed."
    except LinkTooLongError as error:
        st.session_state[_REFUSAL] = f"{error} Nothing was changed."


def _plain(value: Any) -> Any:
    """Return a cell as the record takes it: a day as a date, a whole number without a point."""
    if isinstance(value, str) and len(value) >= 10 and value[4:5] == "-":
        return date.fromisoformat(value[:10])
    return int(value) if isinstance(value, float) and value.is_integer() and value >= 1 else value
