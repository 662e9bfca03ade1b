"""The line of a first visit, with four ways to begin: a line, a budget, a model, an API bill."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import streamlit as st

from planner.report import words
from planner.report.answer.phrases import plan_sentence
from planner.scenario.amounts import large
from planner.scenario.base import HOURS_PER_MONTH, SECONDS_PER_HOUR
from planner.scenario.durations import years_words
from planner.scenario.latency import latency_classes
from planner.scenario.link import scenario_to_link
from planner.scenario.presets import find_preset
from planner.scenario.question import KEYS, SERVE, TRAIN, TUNE
from planner.scenario.scenario import Scenario
from planner.study.one_line.line_plan import with_open_parts
from planner.study.one_line.line_records import (
    ANSWER_IT,
    ANSWERED,
    NOT_YET,
    LineReading,
    reading_sentences,
    sentence_of_reading,
)
from planner.study.one_line.read_line import LONGEST, read_line
from planner.study.plan_any import affordable_fleet, scenario_from_token_bill
from planner.web import address, fields, history, name_box, state, workers
from pricing import Catalogue, PricingError

_KEY, _CHOICE = "one_line", "one_line_choice"
_READING, _REFUSAL = "one_line_read", "one_line_refusal"
_EXAMPLE = "In your words: 64 H100 in Europe for 3 months"
UseScenario = Callable[[Scenario], None]


def line_form(catalogue: Catalogue, use: UseScenario) -> None:
    """Show the box for the line."""
    st.text_input(
        "In your words: what, how many, for how long, where", key=_KEY, placeholder=_EXAMPLE, max_chars=LONGEST,
        on_change=lambda: _take(catalogue, use, st.session_state[_KEY]), label_visibility="collapsed", width=480,
    )  # fmt: skip


def line_result(catalogue: Catalogue, use: UseScenario) -> None:
    """Show what was understood of the last line, once; an open question stays with its choices.

    Where the plan would leave something out that has weight, it waits for a click.
    """
    if refusal := st.session_state.pop(_REFUSAL, None):
        st.warning(words.markdown(refusal), icon=":material/help:")
    reading: LineReading | None = st.session_state.get(_READING)
    if reading is None:
        return
    plan, ending = reading.scenario, NOT_YET if reading.choices else ANSWERED
    first = () if plan is None else (sentence_of_reading(reading, plan_sentence(catalogue, plan), ending),)
    sentences = "  \n".join(map(words.markdown, (*first, *reading_sentences(reading))))
    show, icon = (st.warning, ":material/help:") if reading.choices else (st.info, ":material/edit_note:")
    show(sentences, icon=icon)
    if not _is_open(reading):
        del st.session_state[_READING]
        return
    question, choices = _open_question(reading)
    st.pills(
        words.markdown(question), list(choices), key=_CHOICE, on_change=_choose, args=(catalogue, use, dict(choices))
    )


def _is_open(reading: LineReading) -> bool:
    """Return whether a line waits for a choice."""
    return reading.scenario is None or bool(reading.choices)


def _open_question(reading: LineReading) -> tuple[str, Mapping[str, str]]:
    if reading.choices:
        return "Answer without what is left out?", reading.choices
    first = reading.questions[0]
    return f"{first.text.capitalize()}?" if first.is_whole else f"Which is meant by {first.text}?", first.choices


def forget() -> None:
    """Drop a question that is open: the visitor has gone on to a plan."""
    reading = st.session_state.get(_READING)
    if reading is not None and _is_open(reading):
        del st.session_state[_READING]


def _choose(catalogue: Catalogue, use: UseScenario, lines: dict[str, str]) -> None:
    chosen = st.session_state.pop(_CHOICE, None)
    if chosen in lines:
        _take(catalogue, use, lines[chosen], is_accepted=chosen == ANSWER_IT)


def _pin_others(catalogue: Catalogue, reading: LineReading) -> None:
    """Pin the plan of each other side of a line that compares."""
    for name, other in reading.beside.items():
        side = read_line(catalogue, other, state.day())
        if side.scenario is not None:
            plan, _ = workers.run_in_worker(with_open_parts, catalogue, side, state.day())
            history.add({**scenario_to_link(plan), "name": name})


def _take(catalogue: Catalogue, use: UseScenario, typed: str, *, is_accepted: bool = False) -> None:
    """Read a line and show its plan in the sentence; without a plan, or before a choice, nothing there changes."""
    st.session_state.pop(_READING, None)
    if not typed.strip():
        return
    try:
        reading = read_line(catalogue, typed, state.day())
        if reading.scenario is not None:
            plan, notes = workers.run_in_worker(with_open_parts, catalogue, reading, state.day())
            choices = {} if is_accepted else reading.choices
            reading = replace(reading, scenario=plan, notes=(*reading.notes, *notes), choices=choices)
            if not choices:
                use(plan)
                _pin_others(catalogue, reading)
        st.session_state[_READING] = reading
    except (PricingError, workers.NoResultError) as refusal:
        st.session_state[_REFUSAL] = str(refusal)


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
        forget()
    line_result(catalogue, use)
    if has_plan:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="welcome"):
        line_form(catalogue, use)
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
        f"{words.usd(usd)} a month pays for {large(serve.requests_per_s * _SECONDS_PER_MONTH)} requests of "
        f"{usual.input_tokens:,} tokens in and {usual.output_tokens:,} out: change the lengths to yours."
    )
    use(scenario)
