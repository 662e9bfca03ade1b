"""The line of a first visit, with five ways to begin: a line, a budget, a model, an API bill, GPUs one has."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from planner.report import words
from planner.report.answer.phrases import plan_sentence
from planner.scenario.base import HOURS_PER_YEAR, MOST_ACCELERATORS
from planner.scenario.latency import latency_classes
from planner.scenario.link import scenario_to_link
from planner.scenario.question import KEYS, SERVE, TRAIN, TUNE
from planner.scenario.scenario import Scenario
from planner.study.one_line.line_plan import plan_of, with_open_parts
from planner.study.one_line.line_records import (
    ANSWER_IT,
    ANSWERED,
    NOT_YET,
    LineReading,
    reading_sentences,
    sentence_of_reading,
)
from planner.study.one_line.read_line import LONGEST, read_line
from planner.web import address, fields, history, name_box, state, workers
from planner.web.shared import memory
from pricing import Catalogue, PricingError
from pricing.market.rivals import open_model_for

_KEY, _CHOICE = "one_line", "one_line_choice"
_READING, _REFUSAL = "one_line_read", "one_line_refusal"
_EXAMPLE = "In your words: 64 H100 in Europe for 3 months"
UseScenario = Callable[[Scenario], None]


def line_result(catalogue: Catalogue, use: UseScenario) -> None:
    """Show what was understood of the last line, once; an open question stays with its choices.

    Where the plan would leave something out that has weight, it waits for a click.
    """
    if refusal := memory().pop(_REFUSAL, None):
        st.warning(words.markdown(refusal), icon=":material/help:")
    reading: LineReading | None = memory().get(_READING)
    if reading is None:
        return
    plan, ending = reading.scenario, NOT_YET if reading.choices else ANSWERED
    first = () if plan is None else (sentence_of_reading(reading, plan_sentence(catalogue, plan), ending),)
    sentences = "  \n".join(map(words.markdown, (*first, *reading_sentences(reading))))
    show, icon = (st.warning, ":material/help:") if reading.choices else (st.info, ":material/edit_note:")
    show(sentences, icon=icon)
    if plan is not None and not reading.choices:
        del memory()[_READING]
        return
    question, choices = "Answer without what is left out?", reading.choices
    if not choices:
        first = reading.questions[0]
        choices = first.choices
        question = f"{first.text.capitalize()}?" if first.is_whole else f"Which is meant by {first.text}?"
    st.pills(
        words.markdown(question), list(choices), key=_CHOICE, on_change=_choose, args=(catalogue, use, dict(choices))
    )


def forget() -> None:
    """Drop a question that is open: the visitor has gone on to a plan."""
    reading = memory().get(_READING)
    if reading is not None and (reading.scenario is None or reading.choices):
        del memory()[_READING]


def _choose(catalogue: Catalogue, use: UseScenario, lines: dict[str, str]) -> None:
    chosen = st.session_state.pop(_CHOICE, None)
    if chosen in lines:
        _take(catalogue, use, lines[chosen], is_accepted=chosen == ANSWER_IT)


def _pin_others(catalogue: Catalogue, reading: LineReading) -> None:
    for name, other in reading.beside.items():
        side = read_line(catalogue, other, state.day())
        if side.scenario is not None:
            plan, _ = workers.run_in_worker(with_open_parts, catalogue, side, state.day())
            history.add({**scenario_to_link(plan), "name": name})


def _take(catalogue: Catalogue, use: UseScenario, typed: str, *, is_accepted: bool = False) -> None:
    """Read a line and show its plan in the sentence; without a plan, or before a choice, nothing there changes."""
    memory().pop(_READING, None)
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
        memory()[_READING] = reading
    except (PricingError, workers.NoResultError) as refusal:
        memory()[_REFUSAL] = str(refusal)


Use = Callable[[Scenario], None]
_USUAL_BUDGET_USD, _USUAL_BILL_USD = 250_000.0, 20_000.0
_CHOOSE = "Choose a model first: type its name in the box and press Enter, or choose one from its list."
_MOST_USD, _MOST_BILL_USD = 1e12, 1e9
_TASKS = {TRAIN.name: "train", TUNE.name: "tune", SERVE.name: "serve"}
_NOTE = "start_told"


def line(catalogue: Catalogue, use: Use) -> None:
    """Show the line. It is gone where the address holds a plan of the visitor's own."""
    if note := memory().pop(_NOTE, None):
        st.info(words.markdown(note), icon=":material/payments:")
    has_plan = bool(KEYS.keys() & address.texts().keys())
    if has_plan:
        forget()
    line_result(catalogue, use)
    if has_plan:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="welcome"):
        st.text_input(
            "In your words: what, how many, for how long, where", key=_KEY, placeholder=_EXAMPLE, max_chars=LONGEST,
            on_change=lambda: _take(catalogue, use, st.session_state[_KEY]), label_visibility="collapsed", width=480,
        )  # fmt: skip
        with st.popover("Budget", icon=":material/savings:", key="start-budget"):
            _budget_form(catalogue, use)
        with st.popover("Model", icon=":material/network_node:", key="start-model"):
            _model_form(catalogue, use)
        with st.popover("API bill", icon=":material/receipt_long:", key="start-bill"):
            _api_bill_form(catalogue, use)
        with st.popover("GPUs I have", icon=":material/memory:", key="start-have"):
            _owned_form(catalogue, use)


def _budget_form(catalogue: Catalogue, use: Use) -> None:
    st.number_input(
        "Total budget, USD", 1.0, _MOST_USD, _USUAL_BUDGET_USD, 1_000.0, format="%.0f", key="budget_usd",
        help="For everything, over the whole time: machines, power, space, people.",
    )  # fmt: skip
    box = name_box.Box("budget_gpu", "For which GPU?", "gpu", Scenario().accelerator)
    name_box.ask(catalogue, box, fields.accelerator_choices(catalogue))
    st.slider("For how long, years", 0.25, 10.0, 3.0, 0.25, format="%g", key="budget_years")
    # From the session at the click: with one that follows typing at once, the typed text comes in the same run.
    st.button("Show what it pays for", key="budget_go", on_click=lambda: _use_values(catalogue, use, {
        "budget": st.session_state["budget_usd"], "chip": st.session_state["budget_gpu"],
        "length": st.session_state["budget_years"] * HOURS_PER_YEAR,
    }))  # fmt: skip


def _use_values(catalogue: Catalogue, use: Use, values: dict[str, Any]) -> None:
    """Show the plan of what a form holds: the one of a line that says the same."""
    usd = values.get("budget")
    if None in values.values():
        memory()[_NOTE] = _CHOOSE
        return
    try:
        scenario, notes, _ = plan_of(catalogue, values)
        reading = LineReading("", scenario, (), notes, (), budget_usd=usd, count_is_open=usd is not None)
        scenario, more = workers.run_in_worker(with_open_parts, catalogue, reading, state.day())
    except (PricingError, workers.NoResultError) as refusal:
        memory()[_NOTE] = str(refusal)
        return
    memory()[_NOTE] = " ".join((*notes, *more))
    use(scenario)


def _model_form(catalogue: Catalogue, use: Use) -> None:
    pill = st.pills("To do what?", list(_TASKS), default=SERVE.name, required=True, key="model_work")
    task = _TASKS[pill or SERVE.name]
    box = name_box.Box("model_name", "Which model?", "serve" if task == "serve" else "train")
    name_box.ask(catalogue, box, fields.model_choices(catalogue, box.names_of))
    st.button("Show the answer", key="model_go", on_click=lambda: _use_values(catalogue, use, {
        "model": st.session_state["model_name"], task: True,
    }))  # fmt: skip


def _api_bill_form(catalogue: Catalogue, use: Use) -> None:
    label = "What you pay, USD a month"
    st.number_input(label, 1.0, _MOST_BILL_USD, _USUAL_BILL_USD, 1_000.0, format="%.0f", key="bill_usd")
    hosted = catalogue.hosted
    keys = sorted(hosted, key=lambda key: (hosted[key].vendor, hosted[key].label))
    labels = {key: f"{hosted[key].label} ({hosted[key].vendor})" for key in keys}
    price = st.selectbox("For which model?", keys, format_func=labels.__getitem__, key="bill_price")
    usual = next(iter(latency_classes().values()))
    model, why = open_model_for(catalogue, hosted[price], usual.input_tokens, usual.output_tokens)
    box = name_box.Box(f"bill_model of {price}", "Which model would you run instead?", "serve", model)
    name_box.ask(catalogue, box, fields.model_choices(catalogue, "serve"))
    st.caption(words.markdown(f"{catalogue.models[model].label}: {why}. Test whether it is good enough for you."))
    st.button("Compare", key="bill_go", on_click=lambda: _use_values(catalogue, use, {
        "bill": f"{st.session_state['bill_usd']:.2f}", "billfor": st.session_state["bill_price"],
        "model": st.session_state[box.key],
    }))  # fmt: skip


def _owned_form(catalogue: Catalogue, use: Use) -> None:
    st.number_input("How many GPUs do you have?", 1, MOST_ACCELERATORS, 8, key="have_many")
    box = name_box.Box("have_gpu", "Which GPU?", "havegpu", Scenario().accelerator)
    name_box.ask(catalogue, box, tuple(catalogue.accelerators))
    known = "Sets their sale value, as used ones of that age. Without it selling them brings nothing."
    st.number_input("Year bought", 2000, 2100, None, key="have_year", placeholder="not known", help=known)
    st.button("Keep or replace them?", key="have_go", on_click=lambda: _use_values(catalogue, use, {
        "have": st.session_state["have_many"], "chip_have": st.session_state["have_gpu"],
        **({"since": st.session_state["have_year"]} if st.session_state["have_year"] else {}),
    }))  # fmt: skip
