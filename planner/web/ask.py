"""The question bar: widgets in, one checked `Need` out.

It stands in the entrypoint: every page has it and every link keeps it. Widget keys are the names in the address.
What a browser sends is checked again by pydantic; a link that held something impossible is answered, and said to be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from planner.inputs.need import Need
from planner.inputs.terms import Terms
from planner.money.answer import usual_terms
from pricing import Catalogue
from pricing.errors import NameError_
from pricing.names import accelerator

URL = "query-params"
DEFAULT_ACCELERATOR = "H100-SXM5-80GB"


@dataclass(frozen=True)
class Bound:
    """A number that lives in the address: its key, label, bounds and default."""

    key: str
    label: str
    low: float
    high: float
    default: float
    help: str


GPUS = Bound("gpus", "How many at once?", 1.0, 16_384.0, 8.0, "Count GPUs, not servers.")
BUSY = Bound("busy", "Busy, % of hours", 1, 100, 60, "Share of all hours in which they do useful work.")
YEARS = Bound("years", "For how long, years", 0.25, 10.0, 3.0, "How long you need them, or would keep what you buy.")
SESSION = Bound(
    "session",
    "Hours in one session",
    0.01,
    8_760.0,
    8.0,
    "How long machines run before you stop them. Providers round it up.",
)
DISK = Bound(
    "disk", "Data kept on disk, TB", 0.0, 100_000.0, 10.0, "Billed by the month, also while machines are stopped."
)
EGRESS = Bound(
    "egress", "Traffic out, TB a month", 0.0, 100_000.0, 1.0, "What leaves the provider. Many charge nothing."
)
RATE, RENTS = "rate", "rents"


def _numbers(catalogue: Catalogue) -> tuple[Bound, ...]:
    """Every number of the question bar; the defaults of money are figures of the catalogue."""
    return (GPUS, BUSY, YEARS, SESSION, DISK, EGRESS, *_money(catalogue))


def _money(catalogue: Catalogue) -> tuple[Bound, Bound]:
    usual = usual_terms(catalogue)
    low, high = -60.0, 50.0
    return (
        Bound(RATE, "Cost of money, % a year", 0.0, 50.0, _in_percent(usual.discount_rate_per_year), _RATE),
        Bound(RENTS, "Rents change by, % a year", low, high, _in_percent(usual.rent_change_per_year), _RENTS),
    )


def _in_percent(share: float) -> float:
    return round(share * 100, 6)


_RATE = "What the money would earn or cost elsewhere."
_RENTS = "Below zero where they fall. They fell until 2025 and rose in 2026."


def wrong_in_link(catalogue: Catalogue) -> list[str]:
    """What the address held that cannot be used. Read before the widgets exist, since they drop it in silence."""
    wrong = []
    for bound in _numbers(catalogue):
        held = st.query_params.get(bound.key)
        if held is not None and not _within(held, bound):
            wrong.append(
                f"This link held {bound.key} = {held[:40]}, outside {bound.low:,g} to {bound.high:,g}. "
                f"{bound.default:g} is used instead, so this answer differs from the sender's."
            )
    for key, known in (("gpu", choices(catalogue)), ("site", tuple(catalogue.sites))):
        held = st.query_params.get(key)
        if held is not None and held not in known:
            wrong.append(
                f"This link held {key} = {held[:60]}, which the catalogue does not know.{_nearest(catalogue, held)}"
            )
    return wrong


def _nearest(catalogue: Catalogue, held: str) -> str:
    try:
        return f" It may have meant {accelerator(catalogue, held)}."
    except NameError_ as error:
        return f" It may have meant {' or '.join(error.candidates)}." if error.candidates else ""


def _within(held: str, bound: Bound) -> bool:
    try:
        return bound.low <= float(held) <= bound.high
    except ValueError:
        return False


@st.cache_data(show_spinner=False, max_entries=4)
def _choices(digest: str, _catalogue: Catalogue) -> tuple[str, ...]:
    offered: dict[str, int] = {}
    for offer in _catalogue.offers.values():
        offered[offer.accelerator] = offered.get(offer.accelerator, 0) + 1
    priced = [key for key, chip in _catalogue.accelerators.items() if chip.price_usd is not None]
    wanted = {key for key in (*offered, *priced) if key in _catalogue.accelerators}
    return tuple(sorted(wanted, key=lambda key: (-offered.get(key, 0), key)))


def choices(catalogue: Catalogue) -> tuple[str, ...]:
    """The accelerators one can rent or buy, those with the most offers first."""
    return _choices(catalogue.digest, catalogue)


def need(catalogue: Catalogue) -> Need:
    """The question bar. Always returns a `Need`: what a widget cannot hold is cut to its bounds and said."""
    options = choices(catalogue)
    with st.container(key="question"):
        bar = st.grid(4, min_column_width=150, vertical_alignment="bottom")
        with bar:
            # Not a field for whole numbers: such a field takes 1e12 for 1 and 32.500 for 32, and says nothing.
            gpus = st.number_input(
                GPUS.label, GPUS.low, GPUS.high, GPUS.default, 1.0, format="%g", key=GPUS.key, bind=URL, help=GPUS.help
            )
            gpu = st.selectbox("Which GPU?", options, options.index(DEFAULT_ACCELERATOR), key="gpu", bind=URL)
            busy = st.slider(BUSY.label, 1, 100, 60, format="%d%%", key="busy", bind=URL, help=BUSY.help)
            years = st.slider(YEARS.label, 0.25, 10.0, 3.0, 0.25, format="%g", key="years", bind=URL, help=YEARS.help)
        with st.expander("Adjust assumptions"):
            site, session, disk, egress = _assumptions(catalogue)
        whole = math.ceil(gpus)
        if whole != gpus:
            st.warning(_NOT_WHOLE.format(typed=gpus, whole=whole, thousand=round(gpus * 1_000)), icon=":material/help:")
    return Need(
        accelerator=str(gpu),
        accelerators=whole,
        busy_share=busy / 100,
        years=float(years),
        hours_per_session=float(session),
        storage_tb=float(disk),
        egress_tb_per_month=float(egress),
        site=str(site),
    )


def _assumptions(catalogue: Catalogue) -> tuple[str, float, float, float]:
    sites = tuple(catalogue.sites)
    with st.grid(3, min_column_width=200, vertical_alignment="bottom"):
        site = st.selectbox("Where would you run your own?", sites, sites.index("US"), key="site", bind=URL, help=_SITE)
        session, disk, egress, _, _ = [
            st.number_input(one.label, one.low, one.high, one.default, key=one.key, bind=URL, help=one.help)
            for one in (SESSION, DISK, EGRESS, *_money(catalogue))
        ]
    return str(site), session, disk, egress


def terms() -> Terms:
    """What the question bar says of money and prices."""
    return Terms(
        discount_rate_per_year=st.session_state[RATE] / 100,
        rent_change_per_year=st.session_state[RENTS] / 100,
    )


_NOT_WHOLE = "GPUs come whole: {typed:g} counts as {whole:,}. If you meant {thousand:,}, type it without a point."
_SITE = "Country or US state, by its ISO code. Sets the price of electricity and of space for machines you buy."

MOST_PICKS = 6
FIRST_PICKS = 4


def picks(options: list[str], buy: str) -> list[str]:
    """Which rows to draw, kept by offer id: a new order or another filter never points at the wrong row."""
    if "pick" in st.session_state:
        st.session_state["pick"] = [key for key in st.session_state["pick"] if key in options]
    chosen = st.multiselect(
        "Offers to open up",
        options,
        key="pick",
        bind=URL,
        max_selections=MOST_PICKS,
        placeholder="The cheapest, and buying. Choose here, or tick rows in the table above",
    )
    return chosen or list(dict.fromkeys([*options[:FIRST_PICKS], *([buy] if buy in options else [])]))
