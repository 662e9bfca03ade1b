"""Your own measured runs: upload, each beside its prediction, the factors of them, into the plan and out again."""

import streamlit as st

from planner.evidence.checked import FactorTable, merge_factors
from planner.evidence.constants_file import read_factors
from planner.evidence.table import TABLES, decode_table
from planner.report import words
from planner.report.speed import runs as run_report
from planner.scenario.known_names import with_unchanged_note
from planner.scenario.measured import MeasuredRun
from planner.speed.scenario_jobs import ScenarioServing, ScenarioTraining
from planner.web import ask, show, state
from planner.web.download import download
from pricing import PricingError

KEY, FOUND, REFUSAL = "runs_file", "own_runs", "runs_refusal"
MOST_MB, MOST_ROWS = 2, 5_000
_RATE = st.column_config.NumberColumn(format="%,.5g")
_SHAPE, _WHY_NOT, _WIDE = "Shape", "Not used because", st.column_config.TextColumn(width=420)


def work_runs_view(_: ScenarioTraining | ScenarioServing) -> None:
    """The box of one's own runs beside a model that was asked about."""
    runs_upload()


def runs_upload() -> None:
    """The upload of one's own runs, what they say, and what of it the plan uses."""
    st.markdown(
        "A CSV with training or serving runs that you measured. What they say becomes part of this plan only once you "
        "press a button, and is then in its link and its file. The table itself stays in this session."
    )
    with st.expander("Upload a file", key="upload-runs"):
        st.file_uploader("Your runs (CSV)", type=["csv"], key=KEY, max_upload_size=MOST_MB, on_change=_read)
        with st.container(horizontal=True):
            for kind, table in TABLES.items():
                file, key = f"{kind}-runs.csv", f"template-{kind}-runs"
                download(f"A {kind} table to fill in", file, table.template.encode, key)
    if st.session_state.get(REFUSAL):
        st.error(words.markdown(st.session_state[REFUSAL]))
    found: FactorTable | None = st.session_state.get(FOUND)
    if found is not None:
        _say(found)
    _in_use(state.scenario().measured)


def _read() -> None:
    """Read the file once, when it is chosen. A file that cannot be read leaves everything as it was."""
    file = st.session_state[KEY]
    st.session_state[REFUSAL] = None
    if file is None:
        return
    try:
        text = decode_table(file.getvalue(), file=file.name)
        found = read_factors(state.catalogue(), text, file=file.name, day=state.day(), most=MOST_ROWS)
    except PricingError as refusal:
        st.session_state[REFUSAL] = with_unchanged_note(refusal)
        return
    st.session_state[FOUND] = found


def _say(found: FactorTable) -> None:
    said = run_report.own_runs_finding(state.catalogue(), found)
    st.header(words.markdown(said), anchor=False)
    table = run_report.runs_table(state.catalogue(), found)
    columns = {"Measured": _RATE, "Predicted": _RATE, "Of predicted": show.SHARE, _WHY_NOT: _WIDE}
    show.show_dataframe(
        table.to_pandas().round({"Of predicted": 2}), hide_index=True, column_config=columns, placeholder="–", alt=said,
        column_order=[name for name in table.columns if name not in (_SHAPE, _WHY_NOT) or any(table[name])],
    )  # fmt: skip
    show.csv_button(table, "my-runs.csv", "csv-my-runs")
    carried = merge_factors(state.scenario().measured, found, accelerator=state.scenario().accelerator)
    if carried == state.scenario().measured:
        return
    st.markdown(f"**What they say together**, and how much of it is believed of a job like them. {_BELIEF}")
    _factors(found.scenario_factors())
    for sentence in run_report.unused_run_sentences(found, carried=sum(one.kind == found.kind for one in carried)):
        show.small(words.markdown(sentence))
    st.button("Use these", on_click=_add_to_plan, key="use-runs")


_BELIEF = "The more runs, and the nearer they are to each other, the more; the docs have the formula."


def _factors(said: tuple[MeasuredRun, ...]) -> None:
    table = run_report.factors_table(state.catalogue(), said)
    shares = dict.fromkeys(("Of predicted", "from", "to", "Believed"), show.SHARE)
    show.show_dataframe(
        table.to_pandas().round(dict.fromkeys(shares, 2)),
        hide_index=True,
        column_config=shares,
        placeholder="–",
        alt=_BELIEF,
    )


def _in_use(carried: tuple[MeasuredRun, ...]) -> None:
    if not carried:
        return
    st.header(words.markdown(run_report.used_runs_text(carried)), anchor=False)
    _factors(carried)
    st.button("Take my runs away", on_click=_take_away, key="drop-runs")


def _add_to_plan() -> None:
    asked = state.scenario()
    _ask(merge_factors(asked.measured, st.session_state[FOUND], accelerator=asked.accelerator))


def _take_away() -> None:
    _ask(())


def _ask(measured: tuple[MeasuredRun, ...]) -> None:
    """Make these runs part of the plan; a plan that says more than a link can hold stays as it is."""
    st.session_state[REFUSAL] = None
    try:
        ask.use(state.scenario().model_copy(update={"measured": measured}))
    except PricingError as refusal:
        st.session_state[REFUSAL] = with_unchanged_note(refusal)
