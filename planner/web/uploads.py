"""Files and tables of one's own: price quotes and discounts, a model's config.json, measured runs and their factors."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, get_args

import pandas as pd
import pydantic
import streamlit as st

from planner.evidence.checked import FactorTable, merge_factors
from planner.evidence.constants_file import read_factors
from planner.evidence.table import TABLES, decode_table
from planner.money.renting.orders import own_price_notes
from planner.network.config_file import MOST_CHARACTERS, own_model
from planner.report import words
from planner.report.speed import runs as own_runs
from planner.report.speed.fit_words import architecture_text
from planner.scenario.known_names import PERCENT, first_error, with_unchanged_note
from planner.scenario.link import LinkTooLongError
from planner.scenario.measured import MOST_MODELS, MeasuredRun, OwnModel
from planner.scenario.own_prices import Bought, RentalQuote, SellerDiscount, quotes_for_later
from planner.scenario.scenario import Scenario
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.web import ask, show, state
from planner.web.shared import memory, noting_refusal
from pricing import QuoteError
from pricing.quotes import TEMPLATE_CSV, Quotes, parse_quotes

_REFUSAL = "own_prices_refused"
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
    sellers = {key: provider.label for key, provider in state.live_catalogue().providers.items()}
    scenario = state.scenario()
    st.markdown("Quotes for this plan's GPU: for how many, how bought, until when you may order; from a later day on, "
                "or as a block of days. They go with the link and the file of the plan.")  # fmt: skip
    _table("quotes", scenario.quotes, _QUOTES, RentalQuote.model_validate)
    st.markdown("Discounts: what you pay below the list of a seller.")
    choices = {**_DISCOUNTS, "provider": (
        "Seller", _COLUMN.SelectboxColumn(options=list(sellers), format_func=lambda key: sellers.get(key, key),
                                          required=True))}  # fmt: skip
    _table("discounts", scenario.discounts, choices, discount_of)
    show.refusal(_REFUSAL)
    if scenario.quotes or scenario.discounts:
        show.bullets([words.markdown(note) for note in own_price_notes(state.result().plan.setting)])


def discount_of(row: Mapping[str, Any]) -> SellerDiscount:
    """Return the discount in a row of the table, which shows percent."""
    return SellerDiscount(**{**row, "discount_share": row["discount_share"] / PERCENT})


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
        shown["discount_share"] *= PERCENT
    return shown


def use_rows(section: str, rows: Sequence[Mapping[str, Any]], before: Sequence[Any], make: Callable[..., Any]) -> None:
    """Make the rows that have a price part of the plan; what cannot be used is said, and nothing is changed."""
    memory()[_REFUSAL] = None
    needed = "provider" if section == "discounts" else "usd_per_accelerator_hour"
    filled = [{name: _plain(value) for name, value in row.items() if value not in (None, "")} for row in rows]
    whole = [row for row in filled if row.get(needed) and (section == "quotes" or row.get("discount_share"))]
    try:
        records = tuple(map(make, whole))
        scenario = Scenario.model_validate({**dict(state.scenario()), section: records})
        if records != tuple(before):
            ask.use(scenario.with_typed(state.scenario().typed))
    except pydantic.ValidationError as error:
        memory()[_REFUSAL] = f"{first_error(error)[1]}. Nothing was changed."
    except LinkTooLongError as error:
        memory()[_REFUSAL] = f"{error} Nothing was changed."


def _plain(value: Any) -> Any:
    """Return a cell as the record takes it: a day as a date, a whole number without a point."""
    if isinstance(value, str) and len(value) >= 10 and value[4:5] == "-":
        return date.fromisoformat(value[:10])
    return int(value) if isinstance(value, float) and value.is_integer() and value >= 1 else value


def _use(scenario: Scenario, refusal_key: str) -> None:
    """Make a scenario the plan; one that says more than a link can hold leaves the plan as it is."""
    with noting_refusal(refusal_key, with_unchanged_note):
        ask.use(scenario)


# Quotes

QUOTE_FILE, _QUOTE_REFUSAL = "quote_file", "quote_refusal"
_MOST_PROBLEMS = 5


def quote_upload() -> None:
    """Show the plan's own prices, the upload of a file of quotes, and what became of each row."""
    tables()
    st.markdown(
        "A CSV or YAML file with rental prices, discounts or hardware quotes. They override the catalogue everywhere "
        "and are marked *yours*. The file stays in this session; nothing is stored."
    )
    with st.expander("Upload a file", key="upload"):
        kinds = ["csv", "yaml", "yml", "txt"]
        st.file_uploader("Quote file", type=kinds, key=QUOTE_FILE, max_upload_size=1, on_change=_read_quotes)
    show.download("Download a file to fill in", "quotes.csv", TEMPLATE_CSV.encode, "template")
    show.refusal(_QUOTE_REFUSAL)
    quotes = state.session().quotes
    if quotes is not None:
        _quotes_summary(quotes)
        st.button("Remove my prices", on_click=_remove_quotes)


def _read_quotes() -> None:
    """Read the file once, when it is chosen. A file that cannot be read leaves the earlier quotes in place."""
    file = st.session_state[QUOTE_FILE]
    with noting_refusal(_QUOTE_REFUSAL, with_unchanged_note):
        if file is None:
            return
        quotes = parse_quotes(file.getvalue(), name=file.name, catalogue=state.live_catalogue(), day=state.day())
        if quotes.is_empty:
            reasons = " ".join(map(str, quotes.problems[:_MOST_PROBLEMS]))
            raise QuoteError(f"{file.name} has no row that can be used. {reasons}")
        later = quotes_for_later(quotes)
        state.session().quotes = quotes
        if later:  # they are the plan's, and in its link
            scenario = state.scenario()
            ask.use(scenario.model_copy(update={"quotes": (*scenario.quotes, *later)}))


def _remove_quotes() -> None:
    state.session().quotes = None
    memory()[_QUOTE_REFUSAL] = None


def _quotes_summary(quotes: Quotes) -> None:
    counts = ((quotes.offers, "price"), (quotes.discounts, "discount"), (quotes.hardware, "hardware quote"))
    st.success(f"In use: {words.listed([words.count(len(rows), name) for rows, name in counts])}.")
    for show_box, head, notes in (
        (st.error, f"{words.count(len(quotes.problems), 'problem')}; those rows are not used", quotes.problems),
        (st.warning, "In use, but check again", quotes.questions),
    ):
        if notes:
            show_box(f"{head}:\n\n" + "\n".join(f"- {words.markdown(str(note))}" for note in notes))


# A model

CONFIG_FILE, CONFIG_TEXT, CONFIG_NAME = "config_file", "config_text", "config_name"
_MODEL, _CONFIG_REFUSAL = "own_model", "config_refusal"
MODEL_TITLE = "Add a model from its config.json"


def model_upload() -> None:
    """Show the upload or the text of a configuration, the model it describes, and the buttons that use it."""
    with st.expander(MODEL_TITLE, key="own-model"):
        st.markdown(
            "Most open models have a `config.json` beside their weights. It is read, never run. The model "
            "becomes part of this plan, its link and its file only once you press a button."
        )
        st.file_uploader("config.json", type=["json"], key=CONFIG_FILE, max_upload_size=1, on_change=_read_config_file)
        st.text_area(
            "or its text", key=CONFIG_TEXT, max_chars=MOST_CHARACTERS,
            on_change=lambda: _read_config(st.session_state[CONFIG_TEXT], "config.json"),
        )  # fmt: skip
        st.text_input("Name", key=CONFIG_NAME, max_chars=80, placeholder="as in the file")
        show.refusal(_CONFIG_REFUSAL)
        model: OwnModel | None = memory().get(_MODEL)
        if model is None:
            return
        st.success(words.markdown(architecture_text(model)))
        with st.container(horizontal=True):
            st.button("Train it", on_click=_plan_with_model, args=("train",), key="train-own-model")
            st.button("Serve it", on_click=_plan_with_model, args=("serve",), key="serve-own-model")


def _read_config_file() -> None:
    file = st.session_state[CONFIG_FILE]
    if file is not None:
        _read_config(file.getvalue().decode("utf-8-sig", errors="replace"), file.name)


def _read_config(text: str, file: str) -> None:
    """Read it once, when it comes. A text that cannot be read leaves everything as it was."""
    if not text:
        return
    with noting_refusal(_CONFIG_REFUSAL, with_unchanged_note):
        memory()[_MODEL] = own_model(text, file=file)


def _plan_with_model(task: str) -> None:
    """Make it the work of the plan, in place of the first; the newest models stay."""
    scenario, model = state.scenario(), memory()[_MODEL]
    model = model.model_copy(update={"name": st.session_state.get(CONFIG_NAME) or model.name})
    others = tuple(other for other in scenario.models if other.name != model.name)[-(MOST_MODELS - 1) :]
    work = (_work_with_model(scenario.work[0], model.name, task), *scenario.work[1:])
    _use(scenario.model_copy(update={"models": (*others, model), "work": work}), _CONFIG_REFUSAL)


def _work_with_model(work: Work, name: str, task: str) -> Work:
    present = getattr(work, task)
    if present is not None:
        return work.model_copy(update={task: present.model_copy(update={"model": name})})
    new = TrainingTask(model=name) if task == "train" else ServingTask(model=name)
    return Work.model_validate({"accelerators": work.accelerators, task: new})


# Runs of one's own

RUNS_FILE, _RUNS, _RUNS_REFUSAL = "runs_file", "own_runs", "runs_refusal"
MOST_MB, MOST_ROWS = 2, 5_000
_RATE = st.column_config.NumberColumn(format="%,.5g")
_SHAPE, _REASON = "Shape", "Not used because"
_BELIEF = "The more runs, and the nearer they are to each other, the more; the docs have the formula."


def runs_upload() -> None:
    """Show the upload of measured runs, each beside its prediction, and the factors that the plan uses."""
    st.markdown(
        "A CSV with training or serving runs that you measured. Their factors become part of this plan, its link and "
        "its file only once you press a button. The table itself stays in this session."
    )
    with st.expander("Upload a file", key="upload-runs"):
        label = "Your runs (CSV)"
        st.file_uploader(label, type=["csv"], key=RUNS_FILE, max_upload_size=MOST_MB, on_change=_read_runs)
        with st.container(horizontal=True):
            for kind, table in TABLES.items():
                file, key = f"{kind}-runs.csv", f"template-{kind}-runs"
                show.download(f"A {kind} table to fill in", file, table.template.encode, key)
    show.refusal(_RUNS_REFUSAL)
    factors: FactorTable | None = memory().get(_RUNS)
    if factors is not None:
        _runs_view(factors)
    used = state.scenario().measured
    if used:
        st.header(words.markdown(own_runs.used_runs_text(used)), anchor=False)
        _factors(used)
        st.button("Remove my runs", on_click=_use_factors, args=((),), key="drop-runs")


def _read_runs() -> None:
    """Read the file once, when it is chosen. A file that cannot be read leaves everything as it was."""
    file = st.session_state[RUNS_FILE]
    with noting_refusal(_RUNS_REFUSAL, with_unchanged_note):
        if file is not None:
            text = decode_table(file.getvalue(), file=file.name)
            memory()[_RUNS] = read_factors(state.catalogue(), text, file=file.name, day=state.day(), most=MOST_ROWS)


def _runs_view(factors: FactorTable) -> None:
    finding = own_runs.own_runs_finding(state.catalogue(), factors)
    st.header(words.markdown(finding), anchor=False)
    table = own_runs.runs_table(state.catalogue(), factors)
    columns = {"Measured": _RATE, "Predicted": _RATE, "Of predicted": show.WHOLE_SHARE}
    columns[_REASON] = st.column_config.TextColumn(width=420)
    order = [name for name in table.columns if name not in (_SHAPE, _REASON) or any(table[name])]
    show.table("my-runs", "", table, columns, "my-runs.csv", placeholder="–", alt=finding, column_order=order)
    scenario = state.scenario()
    merged = merge_factors(scenario.measured, factors, accelerator=scenario.accelerator)
    if merged == scenario.measured:
        return
    st.markdown(f"**Combined correction factors** and their weight for similar jobs. {_BELIEF}")
    _factors(factors.scenario_factors())
    carried = sum(factor.kind == factors.kind for factor in merged)
    for sentence in own_runs.unused_run_sentences(factors, carried=carried):
        show.small(words.markdown(sentence))
    st.button("Use these", on_click=_use_factors, args=(merged,), key="use-runs")


def _factors(factors: tuple[MeasuredRun, ...]) -> None:
    columns = dict.fromkeys(("Of predicted", "from", "to", "Believed"), show.WHOLE_SHARE)
    table = own_runs.factors_table(state.catalogue(), factors)
    show.table("factors", "", table, columns, placeholder="–", alt=_BELIEF)


def _use_factors(factors: tuple[MeasuredRun, ...]) -> None:
    _use(state.scenario().model_copy(update={"measured": factors}), _RUNS_REFUSAL)
