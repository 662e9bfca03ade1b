"""The line of a first visit, with four ways to begin: a line, a budget, a model, an API bill."""

from collections.abc import Callable

import streamlit as st

from planner.report import words
from planner.scenario.base import HOURS_PER_MONTH, SECONDS_PER_HOUR
from planner.scenario.durations import years_words
from planner.scenario.latency import latency_classes
from planner.scenario.presets import find_preset
from planner.scenario.question import KEYS, SERVE, TRAIN, TUNE
from planner.scenario.scenario import Scenario
from planner.study.plan_any import affordable_fleet, scenario_from_token_bill
from planner.web import address, fields, name_box, one_line, state, workers
from pricing import Catalogue

Use = Callable[[Scenario], None]
_USUAL_MODEL, _USUAL_BUDGET_USD, _USUAL_BILL_USD = "Llama-3.3-70B", 250_000.0, 20_000.0
_OTHER_MODEL = "Choose a model that is good enough; this tool compares cost, not answer quality."
_CHOOSE = "Choose a model first: type its name in the box and press Enter, or choose one from its list."
_MOST_USD, _MOST_BILL_USD = 1e12, 1e9
_SECONDS_PER_MONTH = HOURS_PER_MONTH * SECONDS_PER_HOUR
_EXAMPLES = {TRAIN.name: "pre-train-7b", TUNE.name: "fine-tune-70b", SERVE.name: "chat-service"}
_NOTE = "start_told"


def line(catalogue: Catalogue, use: Use) -> None:
    """Show the line. It is gone where the address holds a plan of the visitor's own."""
    if note := st.session_state.pop(_NOTE, None):
        st.info(words.markdown(note), icon=":material/payments:")
    has_plan = bool(KEYS.keys() & address.texts().keys())
    if has_plan:
        one_line.forget()
    one_line.result(catalogue, use)
    if has_plan:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="welcome"):
        one_line.form(catalogue, use)
        with st.popover("Budget", icon=":material/savings:", key="start-budget"):
            _budget_form(catalogue, use)
        with st.popover("Model", icon=":material/network_node:", key="start-model"):
            _model_form(catalogue, use)
        with st.popover("API bill", icon=":material/receipt_long:", key="start-bill"):
            _api_bill_form(catalogue, use)


def _budget_form(catalogue: Catalogue, use: Use) -> None:
    st.number_input(
        "All you can spend, USD", 1.0, _MOST_USD, _USUAL_BUDGET_USD, 1_000.0, format="%.0f", key="budget_usd",
        help="On everything, over the whole time: machines, power, space, people.",
    )  # fmt: skip
    box = name_box.Box("budget_gpu", "For which GPU?", "gpu", Scenario().accelerator)
    name_box.ask(catalogue, box, fields.accelerator_choices(catalogue))
    st.slider("For how long, years", 0.25, 10.0, 3.0, 0.25, format="%g", key="budget_years")
    st.button("Show what it pays for", on_click=_use_budget, args=(catalogue, use), key="budget_go")


def _use_budget(catalogue: Catalogue, use: Use) -> None:
    # From the session: with a click that follows typing at once, the typed text comes in the same run.
    usd, accelerator, years = (st.session_state[key] for key in ("budget_usd", "budget_gpu", "budget_years"))
    scenario = Scenario(accelerator=accelerator, years=years)
    try:
        fleet = workers.run_in_worker(affordable_fleet, catalogue, scenario, usd, state.day())
    except workers.NoResultError as refusal:
        st.session_state[_NOTE] = str(refusal)
        return
    label, duration = catalogue.accelerator_label(accelerator), years_words(years)
    if fleet is None:
        note = f"{words.usd(usd)} does not pay for one {label} over {duration} by any option. Shown is the cost of one."
    else:
        note = (
            f"{words.usd(usd)} pays for {fleet.accelerators:,} x {label} over {duration}, used 60% of the time: "
            f"{words.usd(fleet.usd)} in all, by the cheapest option."
        )
    st.session_state[_NOTE] = note
    work = scenario.work[0].model_copy(update={"accelerators": fleet.accelerators if fleet else 1})
    terms = scenario.terms.model_copy(update={"budget_usd": usd})
    use(scenario.model_copy(update={"work": (work,), "terms": terms}))


def _model_form(catalogue: Catalogue, use: Use) -> None:
    pill = st.pills("To do what?", list(_EXAMPLES), default=SERVE.name, required=True, key="model_work")
    question = SERVE.name if pill is None else pill
    task = "serve" if question == SERVE.name else "train"
    box = name_box.Box("model_name", "Which model?", task)
    name_box.ask(catalogue, box, fields.model_choices(catalogue, task))
    st.button("Show the answer", on_click=_use_model, args=(use, question, task), key="model_go")


def _use_model(use: Use, question: str, task: str) -> None:
    if st.session_state["model_name"] is None:
        st.session_state[_NOTE] = _CHOOSE
        return
    example = find_preset(_EXAMPLES[question])
    assert example is not None  # each is a file of ours
    work = example.scenario.work[0]
    # The length of the text, the number of GPUs and the deadline of the example are no goals of the visitor.
    open_goals = {"tokens": None, "deadline_days": None, "choose_count": True} if task == "train" else {}
    named = {"model": st.session_state["model_name"], **open_goals}
    with_model = getattr(work, task).model_copy(update=named)
    work = work.model_copy(update={task: with_model})
    use(example.scenario.model_copy(update={"name": "Plan", "work": (work,)}))


def _api_bill_form(catalogue: Catalogue, use: Use) -> None:
    label = "What you pay, USD a month"
    st.number_input(label, 1.0, _MOST_BILL_USD, _USUAL_BILL_USD, 1_000.0, format="%.0f", key="bill_usd")
    hosted = catalogue.hosted
    keys = sorted(hosted, key=lambda key: (hosted[key].vendor, hosted[key].label))
    labels = {key: f"{hosted[key].label} ({hosted[key].vendor})" for key in keys}
    st.selectbox("For which model?", keys, format_func=labels.__getitem__, key="bill_price")
    box = name_box.Box("bill_model", "Which model would you run instead?", "serve", _USUAL_MODEL, _OTHER_MODEL)
    name_box.ask(catalogue, box, fields.model_choices(catalogue, "serve"))
    st.button("Compare", on_click=_use_bill, args=(catalogue, use), key="bill_go")


def _use_bill(catalogue: Catalogue, use: Use) -> None:
    usd, key, model = (st.session_state[name] for name in ("bill_usd", "bill_price", "bill_model"))
    usual = next(iter(latency_classes().values()))
    scenario = scenario_from_token_bill(catalogue.hosted[key], key, usd, model, usual)
    serve = scenario.work[0].serve
    assert serve is not None
    st.session_state[_NOTE] = (
        f"{words.usd(usd)} a month pays for {words.large(serve.requests_per_s * _SECONDS_PER_MONTH)} requests of "
        f"{usual.input_tokens:,} tokens in and {usual.output_tokens:,} out: change the lengths to yours."
    )
    use(scenario)
