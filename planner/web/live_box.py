"""Live prices: read today's, see what came of it, decide on what is held, put a refresh aside."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from planner.report import words
from planner.report.files.csv import to_csv
from planner.report.market import live_prices
from planner.web import address, names_box, show, state_live
from planner.web.download import download
from planner.web.state_live import LivePriceStatus
from pricing import PricingError
from pricing.feeds.feed import Feed
from pricing.feeds.folder import StoreError
from pricing.feeds.refresh import RefreshResult, SourceProgress, Ways, refresh
from pricing.feeds.registry import asked_for

WAYS: list[Callable[[], Ways]] = [Ways]  # how sources are asked; a test puts servers of its own behind
FEEDS: list[Callable[[], Sequence[Feed]]] = [lambda: asked_for(())]  # which sources there are


class PriceRefresher:
    """The refresh that is at work, or what came of the last one."""

    def __init__(self) -> None:
        """Nothing was read yet."""
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._cancelled = threading.Event()
        self._progress: dict[str, SourceProgress] = {}
        self.found: RefreshResult | None = None
        self.trouble = ""  # why there is nothing, in a sentence

    @property
    def is_running(self) -> bool:
        """Whether somebody's refresh goes on."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def is_cancelling(self) -> bool:
        """Whether somebody has cancelled it, and it is not at its end yet."""
        return self.is_running and self._cancelled.is_set()

    def begin(self, person: str) -> None:
        """Read all sources, unless that is at work already."""
        with self._lock:
            if self.is_running:
                return
            feeds = tuple(FEEDS[-1]())
            self.found, self.trouble = None, _LOST
            self._cancelled = threading.Event()
            self._progress = {feed.name: SourceProgress(feed.name, feed.label, "waiting") for feed in feeds}
            ways = replace(WAYS[-1](), tell=self._told, cancelled=self._cancelled, person=person)
            self._thread = threading.Thread(target=self._work, args=(feeds, ways), daemon=True)
            self._thread.start()

    def cancel(self) -> None:
        """Leave everything as it was."""
        self._cancelled.set()

    def wait(self, seconds: float) -> None:
        """Wait for its end."""
        if self._thread is not None:
            self._thread.join(seconds)

    def progress(self) -> list[SourceProgress]:
        """How far each source is."""
        return list(self._progress.values())

    def _told(self, one: SourceProgress) -> None:
        self._progress[one.source] = one

    def _work(self, feeds: Sequence[Feed], ways: Ways) -> None:
        try:
            self.found, self.trouble = refresh(feeds, ways=ways), ""
        except PricingError as error:
            self.trouble = str(error)


_LOST = "Reading the prices broke off. Nothing that was known is lost; the log of this server says why."
READER = PriceRefresher()


VIEW = "Live prices"
_EVERY_S = 1.0
_FEW = 3  # sources that could not be read, each in a box of its own
_SHOWN = 10  # held prices; the next ones come up as these are decided


def offer() -> None:
    """One sentence where no price is of this week, with a way to the view. Nobody is asked before somebody says so."""
    if not READER.is_running and not state_live.has_prices_of_this_week():
        with st.container(horizontal=True, vertical_alignment="center", key="offer-live"):
            show.small(live_prices.OFFER)
            st.button(
                "See live prices",
                type="tertiary",
                on_click=select_live_prices_view,
                key="see-live",
                icon=":material/sync:",
            )


def select_live_prices_view() -> None:
    """Open the view at the next showing of Compare."""
    address.put({"view": VIEW})


def ask() -> None:
    """The whole view."""
    try:
        kept = state_live.stored()
    except StoreError as error:
        st.error(words.markdown(str(error)))
        return
    st.markdown(words.markdown(live_prices.last_refresh_text(kept.last.started if kept.last else None, kept.sources)))
    st.fragment(_progress_view, run_every=_EVERY_S)() if READER.is_running else _idle_view()
    if refusal := state_live.refusal():
        st.error(words.markdown(refusal))
    if kept.last is not None or kept.held:
        _held_prices_view(kept)
        _availability_view()


# Reading


def _idle_view() -> None:
    st.button("Read today's prices", on_click=_begin, key="read-today", icon=":material/sync:")
    show.small(live_prices.PROMISE)
    if READER.trouble:
        st.error(words.markdown(READER.trouble))
    if READER.found is not None:
        _summary_view(READER.found)


def _begin() -> None:
    READER.begin(state_live.who() or "somebody")


def _progress_view() -> None:
    """Shown again every second, by itself; the whole page once the refresh is at its end."""
    if not READER.is_running:
        st.rerun(scope="app")
    far = live_prices.refresh_status(READER.progress())
    st.progress(far.share, words.markdown(far.title))
    ends = READER.is_cancelling
    st.button("Cancelling …" if ends else "Cancel", on_click=READER.cancel, disabled=ends, key="cancel-live")
    if far.lines:
        st.markdown("\n".join(f"- {words.markdown(line)}" for line in far.lines))


def _summary_view(found: RefreshResult) -> None:
    if found.cancelled:
        st.info(live_prices.CANCELLED)
        return
    came = live_prices.summarize_refresh(found)
    st.markdown(f"**The last refresh.** {words.markdown(came.title)}")
    for line in (*came.shrunk, *(() if len(came.failed) > _FEW else came.failed)):
        st.warning(words.markdown(line))
    if len(came.failed) > _FEW:
        with st.expander(f"{words.count(len(came.failed), 'source')} that could not be read, and why", key="failed"):
            st.markdown("\n".join(f"- {words.markdown(line)}" for line in came.failed))
    with show.table_on_demand("live-sources", "Source by source") as is_open:
        if is_open:
            show.show_dataframe(came.table, hide_index=True)
            show.csv_button(came.table, "refresh.csv", "csv-refresh")
    if came.skipped:
        with st.expander(f"{words.count(len(came.skipped), 'source')} not asked, for want of a key", key="no-key"):
            st.markdown("\n".join(f"- {words.markdown(line)}" for line in came.skipped))


# Deciding


def _held_prices_view(kept: LivePriceStatus) -> None:
    found = live_prices.held_summary(kept.held)
    st.header(words.markdown(found.title), anchor=False)
    named = st.text_input("Who decides", state_live.who(), key="live-name", max_chars=100, help=_WHO)
    state_live.set_decision_maker(named)
    nobody = not state_live.who()
    for one in found.prices[:_SHOWN]:
        with st.container(horizontal=True, vertical_alignment="center", key=f"held-{one.id}"):
            said = words.markdown(f"{one.what}: {one.why}.")
            st.markdown(f"{said} :small[:gray[{words.markdown(one.of)}]]", width="stretch")
            for label, verdict, able in (("Accept", "believed", one.can_be_accepted), ("Refuse", "refused", True)):
                st.button(
                    label, key=f"{verdict}-{one.id}", on_click=state_live.decide, args=(verdict, (one.id,)),
                    disabled=nobody or not able,
                )  # fmt: skip
    if found.prices[_SHOWN:]:
        show.small(f"{words.count(len(found.prices) - _SHOWN, 'price')} more come up as these are decided.")
    names_box.ask(kept, nobody=nobody)
    if kept.held:
        download("Download all that is held (CSV)", "held.csv", lambda: to_csv(found.table), "csv-held")
    if kept.last is not None:
        st.button(
            "Undo the last refresh", key="undo-live", icon=":material/undo:", help=_UNDO, disabled=nobody,
            on_click=state_live.undo, args=(kept.last.run,),
        )  # fmt: skip


def _availability_view() -> None:
    with show.table_on_demand("live-had", "How often each was to be had in the last two weeks") as is_open:
        if is_open:
            try:
                table = live_prices.availability_table(state_live.had())
            except StoreError as error:
                st.error(words.markdown(str(error)))
                return
            show.show_dataframe(table, hide_index=True, alt="On how many days each was to be had, the rarest first.")
            show.csv_button(table, "to-be-had.csv", "csv-had")


_WHO = "Kept with the time beside each decision. Type it to decide."
_UNDO = "Puts its prices aside; those before it count again. Nothing is deleted."
