"""State of a session that its pages share: the facts it sees, the day, the theme, the plan on the screen and pins."""

import gc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import reduce
from typing import Any

import plotly.graph_objects as go
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from planner.money.renting.orders import own_quotes
from planner.money.setting import show_money_in_plan
from planner.money.verdict.answer import Answer
from planner.report import charts
from planner.report.answer.plan_report import PlanResult, evaluate
from planner.report.answer.side_by_side import PinnedPlan
from planner.report.futures import future_charts
from planner.scenario.scenario import Scenario
from planner.scenario.shown_money import show_money_of
from planner.web import messages, workers
from planner.web.shared import key_of, memory, shared
from pricing import Catalogue, load_catalogue
from pricing.caching import cached
from pricing.feeds.folder import StoreError
from pricing.feeds.live import current
from pricing.quotes import Quotes, with_quotes
from pricing.stale import as_of

PLANS = 64  # kept, with their answers, beside the one that each session looks at
_QUICK_SECONDS = 0.2
_QUOTED = 2  # catalogues with quotes over them that a session keeps


@cached(8)
def settle(page: str) -> None:
    """Once for each page, after its first run: take what is loaded by now out of the garbage collector's rounds.

    With pandas, pyarrow, plotly and the catalogue in memory a full collection takes longer than a run of the script;
    what is frozen is not looked at again. (Collecting after every run is switched off in the settings.)
    """
    gc.collect()
    gc.freeze()


@dataclass
class PageSession:
    """What the pages of a session share, beside the plan on the screen."""

    frozen_facts: Catalogue | None = None  # of a kept plan; else those of the day
    quotes: Quotes | None = None  # uploaded, and laid over the catalogue
    as_of: date | None = None  # the earlier day whose facts, and their ages, are used
    pages: Mapping[str, StreamlitPage] = field(default_factory=dict)  # by title, so that one can link to another
    pinned: Sequence[PinnedPlan] = ()  # that charts and tiles show beside the one on the screen


def session() -> PageSession:
    """Return what its pages share; what they change there is seen by all."""
    kept: PageSession = memory().setdefault("session", PageSession())
    return kept


# The facts


_facts_as_of = shared(8)(as_of)


def begin_run() -> None:
    """Read live prices anew: once in a run, which then has one price for one thing."""
    memory().pop("live_facts", None)


def live_catalogue() -> Catalogue:
    """Return the bundled facts with live prices over them; without these where they cannot be read."""
    if (facts := memory().get("live_facts")) is None:
        facts = memory()["live_facts"] = _live_catalogue()
    return facts


def _live_catalogue() -> Catalogue:
    try:
        memory()["live_trouble"] = None
        facts = current()
    except StoreError as error:
        memory()["live_trouble"] = str(error)
        return load_catalogue()
    messages.register_catalogue(facts, messages.CatalogSpec())
    return facts


def catalogue(plan: Scenario | None = None) -> Catalogue:
    """Return the facts of this session: of the day its link asks for, with its quotes and those of a plan over them.

    The plan is that of the question bar, unless another is named.
    """
    plan, as_of_day, facts = plan or memory().get("scenario"), session().as_of, _facts_of_day()
    of_plan = plan and own_quotes(facts, plan, day())
    of_session = session().quotes
    own = tuple(filter(None, (of_session, of_plan)))
    if not own:
        return facts
    key = facts.digest, id(of_session), of_plan  # a file may have thousands of rows, so it is not compared by value
    kept: dict[object, tuple[Quotes | None, Catalogue]] = memory().setdefault("quoted_catalogues", {})
    if key not in kept:
        while len(kept) >= _QUOTED:
            del kept[next(iter(kept))]
        kept[key] = of_session, reduce(with_quotes, own, facts)  # while the file is kept, no other has its id
        messages.register_catalogue(kept[key][1], messages.CatalogSpec(as_of_day, own))
    return kept[key][1]


def _facts_of_day() -> Catalogue:
    """Return the facts of a kept plan, else those of the day that the link asks for, else today's."""
    as_of_day, frozen = session().as_of, session().frozen_facts
    facts = frozen or live_catalogue()
    if frozen is None and as_of_day is not None:
        facts = _facts_as_of(facts, as_of_day)
    if facts is frozen or as_of_day is not None:
        messages.register_catalogue(facts, messages.CatalogSpec(as_of_day))
    return facts


def facts_to_keep() -> Catalogue:
    """Return what a kept plan is calculated with again: the facts of this run with the quotes of this session."""
    facts, own = _facts_of_day(), session().quotes
    return facts if own is None else with_quotes(facts, own)


def show_plan_money() -> None:
    """Show amounts in the currency of the plan, from here on in this run."""
    if (plan := memory().get("scenario")) is None:
        show_money_of(None)
    else:
        show_money_in_plan(catalogue(), plan, day())


def day() -> date:
    """Return the day the answer is for: the one a link asks for, else today."""
    return session().as_of or today()


def today() -> date:
    """Return the calendar day. Only the web and the command line ask for it."""
    return date.today()


def dark() -> bool:
    """Return whether the theme is dark; charts choose their colors by it."""
    return st.context.theme.type == "dark"


# The plan


@dataclass(frozen=True)
class CurrentPlan:
    """The plan on the screen. Kept with the session, since asking the shared cache takes a hundred times as long."""

    scenario: Scenario
    digest: str
    day: date
    result: PlanResult

    def is_current(self) -> bool:
        """Return whether it rests on the facts and the day of this run."""
        return (self.digest, self.day) == (catalogue().digest, day())


def current_plan() -> CurrentPlan | None:
    """Return the plan of the run before; None in a first run, or where the facts have changed since."""
    current_plan: CurrentPlan | None = memory().get("current_plan")
    return current_plan if current_plan is not None and current_plan.is_current() else None


def set_current_plan(scenario: Scenario, *, with_details: bool) -> PlanResult:
    """Keep the scenario of the question bar, and its plan, for the page that runs next."""
    memory()["scenario"] = scenario
    show_plan_money()
    plan = result(scenario, with_details=with_details)
    memory()["current_plan"] = CurrentPlan(scenario, catalogue().digest, day(), plan)
    return plan


def scenario() -> Scenario:
    """Return the scenario of the question bar in this run."""
    return memory()["scenario"]


def result(other: Scenario | None = None, *, with_details: bool = False) -> PlanResult:
    """Return the plan and answer of this run's scenario or of another; with details, all sentences are made too."""
    wanted, plan = other or scenario(), current_plan()
    if plan is not None and plan.scenario is wanted:
        return plan.result
    return shared_result(catalogue(wanted), wanted, day(), with_details=with_details)


@shared(PLANS, key=lambda facts, scenario, day, **_: (facts, scenario, day))
def shared_result(facts: Catalogue, scenario: Scenario, day: date, *, with_details: bool = False) -> PlanResult:
    """Return a plan and its answer, calculated once for all sessions; in a worker process where there is one."""
    name = f"{facts.digest} {day} {key_of(scenario)} {with_details}"
    is_slow = scenario.estimate.seconds > _QUICK_SECONDS
    return workers.remote(evaluate, is_slow=is_slow, name=name)(facts, scenario, day, with_details=with_details)


def of_plan(*args: Any) -> tuple[Any, ...]:
    """Return the key of a shared result that depends on the plan of this run and on the arguments."""
    return (result().plan, *args)


def result_at_todays_prices() -> PlanResult | None:
    """Return the plan with today's facts, where a link shows earlier ones; None where nothing differs."""
    facts, own = live_catalogue(), session()
    if (own.frozen_facts is None and own.as_of is None) or own.quotes is not None or facts.digest == catalogue().digest:
        return None
    return shared_result(facts, scenario(), today())


def precompute_default_answer() -> None:
    """Calculate the answer to the question that the page opens with, and its chart, before the first visit."""
    default = shared_result(messages.latest_catalogue(), Scenario(), today(), with_details=True)
    ranges_figure(default.answer, False).to_dict()


def futures_figure() -> go.Figure | None:
    """Return the chart of simulated futures; None where only one option can be compared."""
    plan = result()
    if plan.futures is None:
        return None
    savings = (
        future_charts.pinned_savings(pin.letter, pin.result.answer, pin.result.futures) for pin in session().pinned
    )
    return future_charts.futures_dots(
        plan.answer, plan.futures, dark(), [saving for saving in savings if saving is not None]
    )


def ranges_figure(answer: Answer, is_dark: bool) -> go.Figure:
    """Return the chart of every option with its range."""
    return charts.option_ranges(answer.ranked, [each.option.title for each in answer.ranked], is_dark)
