"""Live prices: read today's, show the result, decide on prices on hold and on unknown names, undo a refresh."""

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

import streamlit as st

from planner.report import words
from planner.report.market import live_prices as live_report
from planner.report.table import Table
from planner.web import address, show, sign_in, state
from planner.web.headers import browser_name
from planner.web.shared import noting_refusal
from pricing import Catalogue, PricingError
from pricing.caching import T, arguments, cached
from pricing.feeds.database import open_read_only, opened
from pricing.feeds.feed import Feed, Verdict
from pricing.feeds.folder import StoreError
from pricing.feeds.given import Name, What
from pricing.feeds.laid import PREFIX
from pricing.feeds.naming import NameInput, say, trail, unresolved_names
from pricing.feeds.refresh import RefreshResult, SourceProgress, Ways, refresh
from pricing.feeds.registry import ADDRESS, ALL, asked_for
from pricing.feeds.store import HeldReading, LivePriceStore, ProductAvailability, StoredRefresh

VIEW = "Live prices"
WAYS: list[Callable[[], Ways]] = [Ways]  # how sources are read; a test adds servers of its own
FEEDS: list[Callable[[Sequence[str]], Sequence[Feed]]] = [asked_for]  # the sources by name; a test has its own
_FAILED = "The refresh failed. Existing prices are unchanged; see the server log."
_EVERY_S = 1.0
_FEW = 3  # sources that could not be read, each in a box of its own
_MOST = 10  # prices on hold, or names; the next ones come up as these are decided
_WEEK = timedelta(days=7)
_REVIEWER, _REFUSAL = "live_who", "live_refusal"
_REVIEWER_HELP = "Kept with the time beside each decision. Type it to decide."
_UNDO = "Restores the previous prices. Nothing is deleted."
_TAKE_BACK = "The next refresh lists this name as unknown again; its prices are hidden until then."


class PriceRefresher:
    """The running refresh, or the result of the last one."""

    def __init__(self) -> None:
        """Start without a result."""
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._cancelled = threading.Event()
        self._progress: dict[str, SourceProgress] = {}
        self._browser: str | None = None
        self.result: RefreshResult | None = None
        self.error = ""  # why there is no result, in a sentence

    @property
    def is_running(self) -> bool:
        """Return whether a refresh is running, of any session."""
        return self._thread is not None and self._thread.is_alive()

    def may_cancel(self, browser: str | None) -> bool:
        """Return whether this browser began the refresh."""
        return self._browser == browser

    @property
    def is_cancelling(self) -> bool:
        """Return whether it is cancelled, and has not ended yet."""
        return self.is_running and self._cancelled.is_set()

    def begin(self, person: str, names: Sequence[str] = (), browser: str | None = None) -> None:
        """Read these sources, or those of the settings, unless a refresh is running already."""
        with self._lock:
            if self.is_running:
                return
            self.result, self.error, self._browser = None, _FAILED, browser
            try:
                feeds = tuple(FEEDS[-1](names))
            except PricingError as error:
                self.error = str(error)
                return
            self._cancelled = threading.Event()
            self._progress = {feed.name: SourceProgress(feed.name, feed.label, "waiting") for feed in feeds}
            ways = replace(WAYS[-1](), tell=self._note, cancelled=self._cancelled, person=person)
            self._thread = threading.Thread(target=self._run, args=(feeds, ways), daemon=True)
            self._thread.start()

    def cancel(self, browser: str | None = None) -> None:
        """Leave everything as it was, where this browser began."""
        if self.may_cancel(browser):
            self._cancelled.set()

    def wait(self, seconds: float) -> None:
        """Wait for its end."""
        if self._thread is not None:
            self._thread.join(seconds)

    def progress(self) -> list[SourceProgress]:
        """Return the progress of each source."""
        return list(self._progress.values())

    def _note(self, progress: SourceProgress) -> None:
        self._progress[progress.source] = progress

    def _run(self, feeds: Sequence[Feed], ways: Ways) -> None:
        try:
            self.result, self.error = refresh(feeds, ways=ways), ""
        except PricingError as error:
            self.error = str(error)


READER = PriceRefresher()


# The store


@dataclass(frozen=True)
class LivePriceStatus:
    """The last refresh that counts, the number of sources ever read, and decisions that wait for a reviewer."""

    last: StoredRefresh | None = None
    sources: int = 0
    held: tuple[HeldReading, ...] = ()
    names: tuple[Name, ...] = ()


def status() -> LivePriceStatus:
    """Return the contents of the store; empty where there is none."""
    with closing(open_read_only()) as database:
        store = LivePriceStore(database)
        runs = store.runs()
        held = tuple(store.held(state.today()))
        return LivePriceStatus(runs[0] if runs else None, len(store.sources()), held, store.given().every)


def availability() -> list[ProductAvailability]:
    """Return on how many days of the last two weeks each product was available."""
    with closing(open_read_only()) as database:
        return LivePriceStore(database).availability(state.today() - 2 * _WEEK)


def has_prices_of_this_week() -> bool:
    """Return whether live prices of this week lie over the facts."""
    last = _last_refresh_date(state.live_catalogue())
    return last is not None and last > state.today() - _WEEK


@cached(8, same=arguments)
def _last_refresh_date(facts: Catalogue) -> date | None:
    days = (source.retrieved for key, source in facts.sources.items() if key.startswith(PREFIX))
    return max((day for day in days if day is not None), default=None)


def _reviewer() -> str:
    """Return the name of the person who decides: as somebody vouches for it, else as typed in this session."""
    return sign_in.visitor().name or st.session_state.get(_REVIEWER, "")


def _signed(name: str) -> str:
    """Return a name as it is kept, with the way in which it is known; raise where this visitor may change nothing."""
    visitor = sign_in.visitor()
    if not visitor.may_change:
        raise PricingError(live_report.MAY_NOT)
    if not name:
        raise PricingError(live_report.NAMELESS)
    return f"{name} ({visitor.means})"


def decide(verdict: Verdict, ids: Iterable[str]) -> None:
    """Accept or refuse prices on hold, in the name of this session's reviewer."""
    _change(lambda store: store.decide({verdict: tuple(ids)}, _signed(_reviewer()), datetime.now(UTC)))


def explain_name(what: What, called: str, means: str) -> None:
    """Record the meaning of a name, in the name of this session's reviewer; an empty meaning takes it back."""
    live, now = state.live_catalogue(), datetime.now(UTC)
    outcome = _change(lambda store: say(store, live, NameInput(called, means, _signed(_reviewer()), now, what)))
    if outcome is not None:
        st.toast(words.markdown(live_report.name_decision_outcome(outcome)), icon=":material/info:")


def undo(run: str) -> None:
    """Put aside the prices of a refresh."""
    _change(lambda store: store.undo(run, _signed(_reviewer()), datetime.now(UTC)))


def _change(change: Callable[[LivePriceStore], T]) -> T | None:
    with noting_refusal(_REFUSAL), closing(opened()) as database:
        return change(LivePriceStore(database))
    return None


# The view


def suggest_refresh() -> None:
    """Show one sentence where no price is of this week, with a way to the view. Nothing is read unasked."""
    if not READER.is_running and not has_prices_of_this_week():
        with st.container(horizontal=True, vertical_alignment="center", key="offer-live"):
            show.small(live_report.OFFER)
            icon = ":material/sync:"
            st.button("See live prices", type="tertiary", on_click=select_view, key="see-live", icon=icon)


def select_view() -> None:
    """Open the view at the next showing of Compare."""
    address.put({"view": VIEW})


def view() -> None:
    """Show the whole view."""
    try:
        stored = status()
    except StoreError as error:
        st.error(words.markdown(str(error)))
        return
    show.paragraph(live_report.last_refresh_text(stored.last.started if stored.last else None, stored.sources))
    st.fragment(_progress_view, run_every=_EVERY_S)() if READER.is_running else _idle_view()
    show.refusal(_REFUSAL)
    if stored.last is not None or stored.held:
        _review(stored)
        _trail_view()
        _availability_view()


def _idle_view() -> None:
    if not sign_in.visitor().may_change:
        show.small(live_report.MAY_NOT)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Read today's prices", on_click=_start_refresh, key="read-today", icon=":material/sync:")
        if os.environ.get(ADDRESS):
            st.button("Ask every source", on_click=_start_refresh, args=((ALL,),), key="read-all", type="tertiary")
    show.small(live_report.promise(os.environ.get(ADDRESS, "")))
    if READER.error:
        st.error(words.markdown(READER.error))
    if READER.result is not None:
        _summary_view(READER.result)


def _start_refresh(names: Sequence[str] = ()) -> None:
    with noting_refusal(_REFUSAL):
        READER.begin(_signed(_reviewer() or "somebody"), names, _browser())


def _browser() -> str | None:
    return browser_name(st.context.cookies)


def _progress_view() -> None:
    """Shown again every second, by itself; the whole page once the refresh has ended."""
    if not READER.is_running:
        st.rerun(scope="app")
    progress = live_report.refresh_status(READER.progress())
    st.progress(progress.share, words.markdown(progress.title))
    is_ending = READER.is_cancelling
    label = "Cancelling …" if is_ending else "Cancel"
    if READER.may_cancel(_browser()):
        st.button(label, on_click=READER.cancel, args=(_browser(),), disabled=is_ending, key="cancel-live")
    if progress.lines:
        show.bullets(list(map(words.markdown, progress.lines)))


def _summary_view(result: RefreshResult) -> None:
    if result.cancelled or result.offline:
        st.info(live_report.CANCELLED if result.cancelled else live_report.OFFLINE)
        return
    summary = live_report.summarize_refresh(result)
    st.markdown(f"**The last refresh.** {words.markdown(summary.title)}")
    is_long = len(summary.failed) > _FEW
    for line in (*summary.shrunk, *(() if is_long else summary.failed)):
        st.warning(words.markdown(line))
    if is_long:
        with st.expander(f"{words.count(len(summary.failed), 'source')} could not be read, with reasons", key="failed"):
            show.bullets(list(map(words.markdown, summary.failed)))
    show.table("live-sources", "Source by source", summary.table, file="refresh.csv")
    if summary.skipped:
        with st.expander(f"{words.count(len(summary.skipped), 'source')} not read: no key", key="no-key"):
            show.bullets(list(map(words.markdown, summary.skipped)))


def _review(stored: LivePriceStatus) -> None:
    """Show prices on hold and unknown names, with the buttons that decide on them."""
    rows = live_report.held_rows(stored.held)
    prices = live_report.to_decide_on(rows)
    st.header(words.markdown(live_report.held_title(rows)), anchor=False)
    visitor = sign_in.visitor()
    if visitor.name:
        show.small(words.markdown(f"Decisions are kept under {visitor.name}, {visitor.means}."))
    elif visitor.may_change:
        name = st.text_input("Who decides", _reviewer(), key="live-name", max_chars=100, help=_REVIEWER_HELP)
        st.session_state[_REVIEWER] = " ".join(name.split())[:100]
    is_anonymous = not _reviewer() or not visitor.may_change
    for price in prices[:_MOST]:
        with st.container(horizontal=True, vertical_alignment="center", key=f"held-{price['id']}"):
            text = words.markdown(f"{price['what']}: {price['why']}.")
            read = words.markdown(f"{price['source']}, {words.day(price['day'])}")
            st.markdown(f"{text} :small[:gray[{read}]]", width="stretch")
            for label, verdict, able in (("Accept", "believed", price["can_be_accepted"]), ("Refuse", "refused", True)):
                st.button(
                    label, key=f"{verdict}-{price['id']}", on_click=decide, args=(verdict, (price["id"],)),
                    disabled=is_anonymous or not able,
                )  # fmt: skip
    if prices[_MOST:]:
        show.small(f"{words.count(len(prices) - _MOST, 'price')} more come up as these are decided.")
    _names_view(stored, is_anonymous=is_anonymous)
    if stored.held:
        table = Table.from_raw_rows(rows)
        show.download("Download all prices on hold (CSV)", "held.csv", lambda: show.to_csv(table), "csv-held")
    if stored.last is not None:
        st.button(
            "Undo the last refresh", key="undo-live", icon=":material/undo:", help=_UNDO, disabled=is_anonymous,
            on_click=undo, args=(stored.last.run,),
        )  # fmt: skip


def _trail_view() -> None:
    with show.on_demand("live-trail", "Who changed prices") as is_open:
        if is_open:
            with closing(open_read_only()) as database:
                table = live_report.trail_table(trail(database))
            alt = f"{words.count(len(table), 'change')} of live prices, the newest first."
            show.table("live-who", "", table, file="trail.csv", alt=alt)


def _availability_view() -> None:
    with show.on_demand("live-had", "Availability in the last two weeks") as is_open:
        if is_open:
            try:
                table = live_report.availability_table(availability())
            except StoreError as error:
                st.error(words.markdown(str(error)))
                return
            alt = "On how many days each was available, the rarest first."
            show.table("had", "", table, file="to-be-had.csv", alt=alt)


# The headings of the next two boxes do not change: a box of another heading is another box, closed.


def _names_view(stored: LivePriceStatus, *, is_anonymous: bool) -> None:
    """Show the names whose meaning is unknown, and below them those that a reviewer explained."""
    unknown = unresolved_names(stored.held)
    if unknown:
        with st.expander("Unknown names", key="live-names"):
            for question in live_report.questions(state.live_catalogue(), unknown[:_MOST]):
                _name_question(question, is_anonymous=is_anonymous)
            if unknown[_MOST:]:
                show.small(f"{words.count(len(unknown) - _MOST, 'name')} more come up as these are explained.")
    if stored.names:
        with st.expander("Explained names", key="live-named"):
            for name in stored.names:
                key = f"{name.what}-{name.called}"
                with st.container(horizontal=True, vertical_alignment="center", key=f"named-{key}"):
                    text = live_report.name_decision_text(state.live_catalogue(), name)
                    st.markdown(words.markdown(text), width="stretch")
                    st.button(
                        "Take back", key=f"unsay-{key}", on_click=explain_name, args=(name.what, name.called, ""),
                        disabled=is_anonymous, help=_TAKE_BACK,
                    )  # fmt: skip


def _name_question(question: live_report.UnknownNameQuestion, *, is_anonymous: bool) -> None:
    key = f"{question.what}-{question.called}"
    with st.container(horizontal=True, vertical_alignment="center", key=f"question-{key}"):
        st.markdown(words.markdown(f"{question.words}."), width="stretch")
        answer = st.selectbox(
            f"What {question.called} is", list(question.choices), index=None, placeholder="It is …", width=280,
            label_visibility="collapsed", key=f"means-{key}",
        )  # fmt: skip
        means = question.choices.get(answer or "", "")
        st.button(
            "Save", key=f"say-{key}", on_click=explain_name, args=(question.what, question.called, means),
            disabled=is_anonymous or not means,
        )  # fmt: skip
