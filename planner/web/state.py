"""What the pages share: the catalogue (with the person's quotes laid over it), the day, the theme."""

import gc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import plotly.graph_objects as go
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from planner.money.ledger import Ledger
from planner.money.renting.bill import Money
from planner.money.setting import PlanContext
from planner.report import charts
from planner.report.answer import payback_chart
from planner.report.answer.plan_report import PlanResult
from planner.report.answer.plan_report import evaluate as reckon
from planner.report.answer.side_by_side import PinnedPlan
from planner.report.futures import future_charts
from planner.report.market.compare import hide_old_prices, purchase_comparison
from planner.report.market.job_offers import OfferComparison, compare_offers
from planner.report.market.prices import chart_row_order, price_history_summary, value_for_money_summary
from planner.report.table import Table
from planner.scenario.scenario import Scenario
from planner.study.market.price_history import PriceHistory, PriceSpread, dots, histories, worth
from planner.study.market.survey import SizedAccelerator, sized_accelerators
from planner.web import parcels, workers
from planner.web.turns import SingleFlightCache
from pricing import Catalogue, load_catalogue
from pricing.caching import cached
from pricing.feeds.folder import StoreError
from pricing.feeds.live import current
from pricing.query import OfferFilter, find
from pricing.quotes import Quotes, with_quotes
from pricing.stale import as_of

_PLANS = 128  # kept, with their answers: what fifty people look at and looked at before


@cached(8)
def settle(page: str) -> None:
    """Once for each page, after its first run: take what is loaded by now out of the garbage collector's rounds.

    With pandas, pyarrow, plotly and the catalogue in memory a full collection takes longer than a run of the script;
    what is frozen is not looked at again. (Collecting after every run is switched off in the settings.)
    """
    gc.collect()
    gc.freeze()


@st.cache_resource(show_spinner=False, max_entries=8)
def _known(digest: str, day: date, _facts: Catalogue) -> Catalogue:
    return as_of(_facts, day)


def live() -> Catalogue:
    """The facts that ship, with live prices over them; without these where they cannot be read."""
    try:
        st.session_state["live_trouble"] = None
        facts = current()
    except StoreError as error:
        st.session_state["live_trouble"] = str(error)
        return load_catalogue()
    parcels.register_catalogue(facts, parcels.CatalogSpec())
    return facts


def live_trouble() -> str | None:
    """Why live prices cannot be read, in a sentence."""
    return st.session_state.get("live_trouble")


def catalogue() -> Catalogue:
    """The facts this session sees: of the day its link asks for, with its own quotes laid over them."""
    asked: date | None = st.session_state.get("as_of")
    facts = live()
    if asked is not None:
        facts = _known(facts.digest, asked, facts)
        parcels.register_catalogue(facts, parcels.CatalogSpec(asked))
    brought = quotes()
    if brought is None:
        return facts
    kept: tuple[str, Quotes, Catalogue] | None = st.session_state.get("quoted_catalogue")
    if kept is None or kept[0] != facts.digest or kept[1] is not brought:
        kept = (facts.digest, brought, with_quotes(facts, brought))
        parcels.register_catalogue(kept[2], parcels.CatalogSpec(asked, brought))
        st.session_state["quoted_catalogue"] = kept
    return kept[2]


def quotes() -> Quotes | None:
    """The quotes this session has brought."""
    return st.session_state.get("quotes")


def set_quotes(brought: Quotes | None) -> None:
    """Lay quotes over the catalogue for this session, or take them away."""
    st.session_state["quotes"] = brought


def set_as_of_date(day: date | None) -> None:
    """See the facts and their ages as they were on a day, or (None) as they are."""
    st.session_state["as_of"] = day


def has_as_of_date() -> bool:
    """Whether this session looks back at an earlier day."""
    return st.session_state.get("as_of") is not None


def day() -> date:
    """The day the answer is for: the one a link asks for, else today."""
    asked: date | None = st.session_state.get("as_of")
    return today() if asked is None else asked


@dataclass(frozen=True)
class Market:
    """All priced offers that fit a wish, drawn; the same for everybody who asks the same."""

    rows: list[PriceSpread]
    finding: str
    prices: go.Figure
    arithmetic: go.Figure
    memory: go.Figure


@st.cache_resource(show_spinner=False, max_entries=64)
def _market(digest: str, wish: OfferFilter, day: date, chosen: str, night: bool, _catalogue: Catalogue) -> Market:
    every = find(_catalogue, wish, day).ids
    rows = worth(_catalogue, every, day)
    order = chart_row_order(_catalogue, rows, chosen)
    labels = dict(order)
    return Market(
        rows,
        value_for_money_summary(_catalogue, rows, chosen),
        charts.price_dots(dots(_catalogue, every, day), order, night),
        charts.value_for_money_bars(rows, labels, "pflop", night),
        charts.value_for_money_bars(rows, labels, "gb", night),
    )


def market(facts: Catalogue, wish: OfferFilter, day: date, chosen: str) -> Market:
    """What other accelerators cost, with the chosen one marked."""
    return _market(facts.digest, wish, day, chosen, dark(), facts)


@dataclass(frozen=True)
class PriceHistoryChart:
    """The price histories of an accelerator, drawn."""

    lines: list[PriceHistory]
    finding: str
    figure: go.Figure


@st.cache_resource(show_spinner=False, max_entries=64)
def _past(digest: str, chosen: str, night: bool, _catalogue: Catalogue) -> PriceHistoryChart:
    lines = histories(_catalogue, chosen)
    return PriceHistoryChart(
        lines, price_history_summary(_catalogue, lines, chosen), charts.price_history(lines, night)
    )


def past(facts: Catalogue, chosen: str) -> PriceHistoryChart:
    """How the prices of an accelerator have moved."""
    return _past(facts.digest, chosen, dark(), facts)


def today() -> date:
    """The day the person is looking. Only the web and the command line ask."""
    return date.today()


def dark() -> bool:
    """Whether the person's theme is dark; charts choose their colours by it."""
    return st.context.theme.type == "dark"


def register_pages(pages: Iterable[StreamlitPage]) -> None:
    """Keep the pages by title, so that one can link to another."""
    st.session_state["pages"] = {page.title: page for page in pages}


def pages() -> dict[str, StreamlitPage]:
    """The pages by title."""
    known: dict[str, StreamlitPage] = st.session_state["pages"]
    return known


def set_current_plan(asked: Scenario, *, with_details: bool) -> PlanResult:
    """Keep what the question bar asked for, for the page that runs next, with its plan."""
    found = reckoned(asked, with_details=with_details)
    st.session_state["asked"] = asked
    st.session_state["now"] = _CurrentPlan(asked, catalogue().digest, day(), found)
    return found


def scenario() -> Scenario:
    """What the question bar asked for in this run."""
    asked: Scenario = st.session_state["asked"]
    return asked


def previous_placeholder_texts() -> dict[str, str] | None:
    """What empty fields stood for in the run before; None in a first run, or where the facts are others since.

    Among many people the plan of the run before may have left the cache, and it would be reckoned again only for this.
    """
    now: _CurrentPlan | None = st.session_state.get("now")
    return now.reckoned.hints if now is not None and now.rests_on(catalogue(), day()) else None


@dataclass(frozen=True)
class _CurrentPlan:
    """What this session looks at. Kept with it, since asking the cache takes a hundred times as long."""

    asked: Scenario
    digest: str
    day: date
    reckoned: PlanResult

    def rests_on(self, facts: Catalogue, day: date) -> bool:
        """Whether what this session looks at rests on these facts and this day."""
        return (self.digest, self.day) == (facts.digest, day)


def _reckoned(facts: Catalogue, asked: Scenario, day: date, *, with_details: bool = False) -> PlanResult:
    named = f"{facts.digest} {day} {_said(asked)}"

    def made() -> PlanResult:
        is_slow = asked.estimate.seconds > _QUICK_SECONDS
        return workers.once(f"{named} {with_details}", reckon, is_slow=is_slow)(
            facts, asked, day, with_details=with_details
        )

    return _KEPT.of(named, made)


_KEPT: SingleFlightCache[PlanResult] = SingleFlightCache(_PLANS)
_QUICK_SECONDS = 0.2


def reckoned(asked: Scenario | None = None, *, with_details: bool = False) -> PlanResult:
    """The plan of this run and its answer, or that of another scenario; in full, with all that is told of it."""
    facts, asked = catalogue(), asked or scenario()
    now: _CurrentPlan | None = st.session_state.get("now")
    if now is not None and now.asked is asked and now.rests_on(facts, day()):
        return now.reckoned
    return _reckoned(facts, asked, day(), with_details=with_details)


def result_at_todays_prices() -> PlanResult | None:
    """The same plan with today's facts, where a link shows those of an earlier day; none where nothing differs."""
    facts, asked = live(), scenario()
    if not has_as_of_date() or quotes() is not None or facts.digest == catalogue().digest:
        return None
    return _reckoned(facts, asked, today())


def _said(asked: Scenario) -> str:
    """All that a scenario says, a price in euros as such: what is told of it differs from that of one in dollars."""
    return f"{asked.model_dump_json(exclude_defaults=True)} {asked.typed}"


@st.cache_resource(show_spinner=False, max_entries=32)
def _doers(digest: str, asked: str, day: date, _setting: PlanContext) -> tuple[SizedAccelerator, ...]:
    return workers.run_in_slow_worker(sized_accelerators, _setting)


def who_can() -> tuple[SizedAccelerator, ...]:
    """Every accelerator that does the work of this run's plan."""
    setting = reckoned().plan.setting
    return _doers(catalogue().digest, scenario().model_dump_json(exclude_defaults=True), day(), setting)


_OFFERS: SingleFlightCache[OfferComparison] = SingleFlightCache(_PLANS)


def offers(
    there: PlanResult,
    able: Sequence[SizedAccelerator],
    wish: OfferFilter,
    *,
    able_only: bool,
    is_job: bool,
    money: Money,
) -> OfferComparison:
    """What a plan would cost at every offer; the same for everybody who asks the same."""
    facts, among = catalogue(), [one.accelerator for one in able]
    asked = f"{facts.digest} {day()} {_said(there.scenario)} {wish.said} {among} {able_only} {is_job} {money}"

    def made() -> OfferComparison:
        own = purchase_comparison(there.plan, money, there.answer)
        return compare_offers(facts, able, wish, day(), own, able_only=able_only, is_job=is_job, money=money)

    return _OFFERS.of(asked, made)


@cached(_PLANS)
def opened(found: OfferComparison, picks: tuple[str, ...]) -> tuple[Ledger, ...]:
    """The ledgers of the chosen rows; the same for everybody who chose them."""
    return tuple(found.opened(picks))


@dataclass(frozen=True)
class OfferListing:
    """Offers as the page lists them: without the old ones, how many those are, and all."""

    usual: Table
    old: int
    every: Table


@cached(_PLANS)
def listed(found: OfferComparison) -> OfferListing:
    """The offers with the old ones folded away."""
    return OfferListing(*hide_old_prices(found.table, found.finding.offer), found.table)


def parts(ledgers: tuple[Ledger, ...]) -> go.Figure:
    """What ways cost as stacked bars, drawn once for the same ledgers."""
    return _parts(ledgers, dark())


@cached(_PLANS, same=lambda ledgers, _: ledgers, equal=lambda _, night: night)
def _parts(ledgers: tuple[Ledger, ...], night: bool) -> go.Figure:
    return charts.cost_parts(ledgers, night)


def precompute_default_answer() -> None:
    """Keep the answer to the question that the page opens with, and its picture, before anybody asks."""
    facts, first = parcels.latest(), Scenario()
    found = _reckoned(facts, first, today(), with_details=True)
    _payback(found.answer, False, every=False)


# By answer: it is one and the same for everybody who asks the same.
_payback = cached(_PLANS)(payback_chart.payback_chart)
cached_payback_summary = cached(_PLANS)(payback_chart.payback_summary)
_sure = cached(_PLANS)(future_charts.futures_dots)


def sure() -> go.Figure | None:
    """Fifty futures as dots; none where there are no two ways to compare."""
    there = reckoned()
    if there.futures is None or not pinned():
        return None if there.futures is None else _sure(there.answer, there.futures, dark())
    its = (future_charts.pinned_savings(one.letter, one.result.answer, one.result.futures) for one in pinned())
    return future_charts.futures_dots(there.answer, there.futures, dark(), [one for one in its if one is not None])


def payback(*, every: bool) -> go.Figure:
    """When it pays back, drawn with the two ways compared or with every one; the same for all who ask the same."""
    if pinned():
        return payback_chart.payback_chart(reckoned().answer, dark(), every=every, pins=pinned())
    return _payback(reckoned().answer, dark(), every=every)


def pin(plans: Sequence[PinnedPlan]) -> None:
    """Have the charts and tiles of this run show these plans too."""
    st.session_state["beside"] = tuple(plans)


def pinned() -> tuple[PinnedPlan, ...]:
    """The plans that charts and tiles show beside the one on the screen."""
    there: tuple[PinnedPlan, ...] = st.session_state.get("beside", ())
    return there
