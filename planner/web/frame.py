"""The frame around every page: messages about the link, the age of the facts, and the box to share and export.

Share and export: the link, the cash flow for finance, the scenario as a file, and back again.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.plan_report import PlanReport
from planner.report.answer.sentences import AnswerSummary
from planner.report.facts.assumptions import STALE
from planner.report.files.csv import SIGN, assumptions_table, cash_table, results_table, saved_scenario, to_csv
from planner.report.files.csv_style import DECIMALS, ENCODINGS, SEPARATORS, CsvStyle
from planner.report.files.workbook import workbook
from planner.report.handouts import memo_data, write_memo, write_pack
from planner.scenario.file import MOST_BYTES, read_scenario, write_scenario
from planner.scenario.known_names import with_unchanged_note
from planner.speed.scenario_jobs import model_notes
from planner.study.uncertainty.futures import Futures
from planner.web import (
    address,
    ask,
    history,
    kept_plans,
    live_prices,
    questions,
    show,
    show_assumptions,
    state,
    state_results,
    workers,
)
from planner.web.shared import memory, noting_refusal, shared
from pricing import Catalogue
from pricing.formulas import printable
from pricing.stale import stale

KEY = "scenario_file"
_REFUSAL = "scenario_refusal"
_CSV_CHOICES = (
    ("csv_separator", "CSV cells separated by", tuple(SEPARATORS)), ("csv_decimal", "Decimals with a", tuple(DECIMALS)),
    ("csv_encoding", "Encoding", ENCODINGS),
)  # fmt: skip


def popover(plan: Plan, answer: Answer) -> None:
    """Show a box with everything that leaves the page. A file is made when somebody downloads it."""
    for key, _, choices in _CSV_CHOICES:
        st.session_state[key] = st.session_state.get(key, choices[0])  # kept while the box is closed
    with st.popover("Share", icon=":material/ios_share:", key="share", on_change="rerun") as box:
        if box.open:
            _content(plan, answer)


def _content(plan: Plan, answer: Answer) -> None:
    result = state.result()
    kept_plans.save_form(PlanReport("", plan, answer, result.summary, futures=result.futures))
    st.markdown("**Link** to this plan, dated today, so it always shows the same result")
    st.code(address.link(), language=None, wrap_lines=True)
    futures, summary = state.result().futures, state.result().summary
    _finance_files(plan, answer, futures, summary)
    saved = saved_scenario(plan)
    st.markdown("**For a board**: the answer on one or two pages")
    report = PlanReport(plan.setting.scenario.name, plan, answer, summary, futures=futures)
    memo = memo_data(report, state_results.bars() if answer.pair else (), address.link())
    with st.container(horizontal=True):
        _download("Memo (PDF)", "memo.pdf", lambda: write_memo(memo, ".pdf"))
        _download("Memo (Markdown)", "memo.md", lambda: write_memo(memo, ".md"))
    st.markdown("**Scenario** as a file: only values that differ from the defaults, with the day of the prices")
    _download("Scenario (YAML)", "scenario.yaml", lambda: write_scenario(saved).encode())
    with st.expander("Load a plan", key="load"):
        label, most_mb = "A scenario, a pack, its plan.csv or assumptions.csv", MOST_BYTES // 1_000_000
        st.file_uploader(label, type=["yaml", "yml", "csv", "zip"], key=KEY, max_upload_size=most_mb, on_change=_read)
    show.refusal(_REFUSAL)


def _finance_files(plan: Plan, answer: Answer, futures: Futures | None, summary: AnswerSummary) -> None:
    st.markdown("**For finance**: every line of every option by month, every assumption, every result")
    style = _csv_style()
    with st.container(horizontal=True):
        if answer.baseline is not None:
            words_of_answer = (summary.title, *summary.sentences)
            _download("Workbook (XLSX)", "plan.xlsx", lambda: workbook(plan, answer, futures, words_of_answer))
        _download("Pack (CSV)", "pack.zip", lambda: write_pack(plan, answer, futures, summary.title, style))
        _download("Cash flow (CSV)", "cash-flow.csv", lambda: to_csv(cash_table(plan), style))
        _download("Assumptions (CSV)", "assumptions.csv", lambda: to_csv(assumptions_table(plan, SIGN), style))
        _download("Results (CSV)", "results.csv", lambda: to_csv(results_table(plan, answer, futures), style))


def _csv_style() -> CsvStyle:
    with st.container(horizontal=True):
        return CsvStyle(*(st.selectbox(label, choices, key=key) for key, label, choices in _CSV_CHOICES))


def _download(label: str, name: str, make: Callable[[], bytes]) -> None:
    show.download(label, name, make, f"download-{name.replace('.', '-')}")


def _read() -> None:
    """Read the file once, when it is chosen. A file that cannot be read leaves the plan as it is."""
    file = st.session_state[KEY]
    with noting_refusal(_REFUSAL, with_unchanged_note):
        if file is None:
            return
        saved = read_scenario(file.getvalue(), file.name, state.catalogue(), state.scenario())
        ask.use(saved.scenario)
        if saved.day is not None and saved.day < state.today():
            state.session().as_of = saved.day
        for note in (*saved.notes, *model_notes(state.catalogue(), saved.scenario)):
            st.toast(words.markdown(note), icon=":material/info:")


AS_OF = "asof"
EARLIEST = date(2022, 1, 1)  # the first prices of the catalogue are of that year
_NOTICES = "notices"


def begin_run() -> None:
    """Begin a run: take over the address of a visitor, and keep messages about parts that cannot be used."""
    state.begin_run()
    if address.begin_run():
        memory()[_NOTICES] = [*_apply_link_date(), *questions.apply_link(state.catalogue())]
        history.load_from_link()
        kept_plans.load_from_link()
        address.commit_run()
    address.put({AS_OF: state.day().isoformat()})
    state.show_plan_money()


@contextmanager
def refusals_shown() -> Iterator[None]:
    """Show in a sentence that something could not be calculated, in place of the rest of the page."""
    try:
        yield
    except workers.NoResultError as refusal:
        st.error(words.markdown(str(refusal)), icon=":material/memory_alt:")


def show_notices() -> None:
    """Show messages about the link and about live prices, and say when an earlier day is shown."""
    kept_plans.refusal()
    if not kept_plans.notice() and state.session().as_of is not None:
        with st.container(horizontal=True, vertical_alignment="center", key="looking-back"):
            text = f"This link uses prices as of {words.day(state.day())}, as its sender saw them."
            st.info(words.markdown(f"{text} Prices may have changed since."), icon=":material/history:")
            st.button("Use today's prices", key="use-today", on_click=setattr, args=(state.session(), "as_of", None))
    if trouble := state.memory().get("live_trouble"):
        st.warning(words.markdown(f"{trouble} Bundled prices are shown."))
    notices: list[str] = memory()[_NOTICES]
    for number, text in enumerate(notices):
        with st.container(horizontal=True, vertical_alignment="center", key=f"notice-{number}"):
            st.warning(words.markdown(text), icon=":material/link:")
            st.button("Understood", key=f"understood-{number}", on_click=notices.remove, args=(text,))


def _apply_link_date() -> list[str]:
    """Look back to the day a link was made, if it names one. Return a message if the day cannot be used."""
    text = address.text(AS_OF)
    state.session().as_of = None
    if text is None:
        return []
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return [f"The date {printable(text, 20)} in this link is invalid. Today's prices are used."]
    if not EARLIEST <= day <= state.today():
        return [f"There are no prices of {words.day(day)}, the date of this link. Today's prices are used."]
    if day < state.today():
        state.session().as_of = day
    return []


@shared(8)
def _overdue_figures(catalogue: Catalogue, day: date) -> int:
    return sum(1 for _ in stale(catalogue, day))


def show_footer(catalogue: Catalogue, day: date) -> None:
    """Show the age of the facts, on every page; what goes with a chart that is taken along stands unseen beside it."""
    with st.container(key="chart-credit"):
        st.markdown(f"{words.markdown(state.result().credit)}\n\n`{show.plan_and_day()}`")
    address.switch(show.WHOLE)
    with st.container(horizontal=True, vertical_alignment="center", key="foot"):
        show.small(
            f"Facts of {words.day(catalogue.day)} · {words.count(len(catalogue.sources), 'source')} · "
            f"catalogue {catalogue.digest[:8]} · prices exclude taxes · an estimate, not financial advice"
        )
        st.toggle("Full tables", key=show.WHOLE, help="Show every row of each table, for print.")
        overdue = words.count(_overdue_figures(catalogue, day), "figure")
        if st.button(
            "Old figures", icon=":material/history:", type="tertiary", key="see-old",
            help=f"The old figures in this plan; {overdue} of the catalogue are due for a check.",
        ):  # fmt: skip
            address.put({show_assumptions.GROUP: STALE})
            st.switch_page(state.session().pages["Assumptions"])
        if live_prices.has_prices_of_this_week():
            return
        if st.button("Live prices", icon=":material/sync:", type="tertiary", key="see-live-foot",
                     help="No source has been read this week."):  # fmt: skip
            live_prices.select_view()
            st.switch_page(state.session().pages["Compare"])


def phone_navigation(pages: Sequence[StreamlitPage]) -> None:
    """Show links to all pages in a row, which only a narrow screen shows: there the bar above folds them away."""
    with st.container(horizontal=True, key="phone-pages"):
        for page in pages:
            st.page_link(page)
