"""What is kept of live prices, as the pages show it; and what a person decides of it."""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TypeVar

import streamlit as st

from planner.report import words
from planner.report.market.live_prices import name_decision_outcome
from planner.web import state
from pricing import Catalogue, PricingError
from pricing.caching import arguments, cached
from pricing.feeds.database import open_read_only, opened
from pricing.feeds.given import Name, What
from pricing.feeds.laid import PREFIX
from pricing.feeds.naming import NameInput, say
from pricing.feeds.store import HeldReading, LivePriceStore, ProductAvailability, StoredRefresh
from pricing.feeds.verdict import Verdict

_WEEK = timedelta(days=7)
_T = TypeVar("_T")
_WHO, _REFUSAL = "live_who", "live_refusal"


@dataclass(frozen=True)
class LivePriceStatus:
    """The last refresh that counts, how many sources were ever read, and what waits for a person."""

    last: StoredRefresh | None = None
    sources: int = 0
    held: tuple[HeldReading, ...] = ()
    names: tuple[Name, ...] = ()


def stored() -> LivePriceStatus:
    """What the store holds now; nothing where there is none."""
    database = open_read_only()
    if database is None:
        return LivePriceStatus()
    with closing(database):
        store = LivePriceStore(database)
        runs = store.runs()
        held = tuple(store.held(state.today()))
        return LivePriceStatus(runs[0] if runs else None, len(store.sources()), held, store.given().every)


def had() -> list[ProductAvailability]:
    """On how many days of the last two weeks each product was to be had."""
    database = open_read_only()
    if database is None:
        return []
    with closing(database):
        return LivePriceStore(database).had(state.today() - 2 * _WEEK)


def has_prices_of_this_week() -> bool:
    """Whether live prices of this week lie over the facts."""
    facts = state.live()
    last = _last_refresh_date(facts)
    return last is not None and last > state.today() - _WEEK


@cached(8, same=arguments)
def _last_refresh_date(facts: Catalogue) -> date | None:
    read = (one.retrieved for key, one in facts.sources.items() if key.startswith(PREFIX))
    return max((day for day in read if day is not None), default=None)


def decide(verdict: Verdict, ids: Iterable[str]) -> None:
    """Accept or refuse held prices, in the name of this session's person."""
    _written(lambda store: store.decide({verdict: tuple(ids)}, who(), datetime.now(UTC)))


def name(what: What, called: str, means: str) -> None:
    """Say what a name is, in the name of this session's person; nothing takes it back."""
    live = state.live()
    said = _written(lambda store: say(store, live, NameInput(called, means, who(), datetime.now(UTC), what)))
    if said is not None:
        st.toast(words.markdown(name_decision_outcome(said)), icon=":material/info:")


def undo(run: str) -> None:
    """Put aside what a refresh brought."""
    _written(lambda store: store.undo(run, who(), datetime.now(UTC)))


def refusal() -> str | None:
    """Why the last decision could not be kept, in a sentence."""
    return st.session_state.get(_REFUSAL)


def who() -> str:
    """Who decides, as he said himself."""
    said: str = st.session_state.get(_WHO, "")
    return said


def set_decision_maker(name: str) -> None:
    """Keep the name for this session."""
    st.session_state[_WHO] = " ".join(name.split())[:100]


def _written(change: Callable[[LivePriceStore], _T]) -> _T | None:
    """What a change gives; None where it is refused."""
    st.session_state[_REFUSAL] = None
    try:
        with closing(opened()) as database:
            return change(LivePriceStore(database))
    except PricingError as error:
        st.session_state[_REFUSAL] = str(error)
        return None
