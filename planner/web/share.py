"""Share and export: the link, the cash flow for finance, the scenario as a file, and back again."""

from collections.abc import Callable

import streamlit as st

from planner.money.plan import Plan
from planner.money.verdict.answer import Answer
from planner.report import words
from planner.report.answer.plan_report import PlanReport
from planner.report.answer.sentences import AnswerSummary
from planner.report.files.csv import SIGN, assumptions_table, cash_table, results_table, saved_scenario, to_csv
from planner.report.files.csv_style import DECIMALS, ENCODINGS, SEPARATORS, CsvStyle
from planner.report.files.workbook import workbook
from planner.report.memo import memo_data, write_memo
from planner.report.pack import write_pack
from planner.scenario.file import MOST_BYTES, read_scenario, write_scenario
from planner.scenario.known_names import with_unchanged_note
from planner.speed.scenario_jobs import model_notes
from planner.study.uncertainty.futures import Futures
from planner.web import address, ask, kept_plans, show, state, state_results
from pricing import PricingError

KEY = "scenario_file"
_REFUSAL = "scenario_refusal"
_CSV_CHOICES = (
    ("csv_separator", "CSV cells separated by", tuple(SEPARATORS)), ("csv_decimal", "Decimals with a", tuple(DECIMALS)),
    ("csv_encoding", "Encoding", ENCODINGS),
)  # fmt: skip


def popover(plan: Plan, answer: Answer) -> None:
    """Show a box with everything that leaves the page. Files are made when they are asked for."""
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
    if refusal := st.session_state.get(_REFUSAL):
        st.error(words.markdown(refusal))


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
    """Ask how CSV files are written."""
    with st.container(horizontal=True):
        return CsvStyle(*(st.selectbox(label, choices, key=key) for key, label, choices in _CSV_CHOICES))


def _download(label: str, name: str, make: Callable[[], bytes]) -> None:
    show.download(label, name, make, f"download-{name.replace('.', '-')}")


def _read() -> None:
    """Read the file once, when it is chosen. A file that cannot be read leaves the plan as it is."""
    file = st.session_state[KEY]
    st.session_state[_REFUSAL] = None
    if file is None:
        return
    try:
        saved = read_scenario(file.getvalue(), file.name, state.catalogue(), state.scenario())
        ask.use(saved.scenario)
    except PricingError as refusal:
        st.session_state[_REFUSAL] = with_unchanged_note(refusal)
        return
    if saved.day is not None and saved.day < state.today():
        state.set_as_of_date(saved.day)
    for note in (*saved.notes, *model_notes(state.catalogue(), saved.scenario)):
        st.toast(words.markdown(note), icon=":material/info:")
