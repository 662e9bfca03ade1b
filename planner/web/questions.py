"""Which question is asked: to train, to fine-tune, to serve, or plain GPU-hours; and what was typed for the others."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from planner.inputs.address import from_address, to_address
from planner.inputs.keys import KEYS
from planner.inputs.presets import preset
from planner.inputs.question import HOURS, QUESTIONS, Question, belongs, question_of
from planner.inputs.scenario import ANY_ACCELERATOR
from planner.web import fields
from pricing import Catalogue, PricingError
from pricing import names as naming

KEY = "work"  # in the address: work=Train
COLUMNS = {"Train": 4, "Fine-tune": 5, "Serve": 5, "GPU-hours": 6}  # of the row, on a wide screen
_SHOWN, _KEPT = "question_shown", "questions_kept"


def of_link(catalogue: Catalogue, held: Mapping[str, str]) -> list[str]:
    """Turn to the question that a link asks, before there are widgets; a sentence for what it cannot use."""
    question = question_of(held, held.get(KEY))
    st.session_state[KEY] = st.session_state[_SHOWN] = question.name
    _write(KEY, question.name, HOURS.name)
    kept = {name: text for name, text in held.items() if name not in KEYS or belongs(name, question)}
    for name in held.keys() - kept.keys():
        del st.query_params[name]
    told = from_address(kept, catalogue, OURS)[1]
    told += [_two(name, held[name], question) for name in _WORK if name in held and name not in kept]
    told += _as_widgets_read(catalogue, kept)
    if held.get("gpu") == ANY_ACCELERATOR and question is HOURS:
        told.append(_ANY)
    return told


def _as_widgets_read(catalogue: Catalogue, held: Mapping[str, str]) -> list[str]:
    """Write loosely spelt models and switches as widgets read them; a sentence for each model that nobody knows."""
    told, better = list[str](), dict[str, str]()
    for name, said in held.items():
        if name in KEYS and KEYS[name].shape.kind == "switch" and said in _SWITCH:
            better[name] = _SWITCH[said]
        elif name in fields.MODELS and said not in fields.models(catalogue, name):
            try:
                better[name] = naming.model(catalogue, said)
            except PricingError as refusal:
                told.append(f"This link held {name} = {said[:60]}. {refusal}")
    if better and not told:
        st.query_params.update(better)
        st.rerun()  # widgets read the address as the run found it
    return told


def _two(name: str, said: str, question: Question) -> str:
    return f"This link held {name} = {said[:60]} beside a question of another kind ({question.name}). It is left out."


OURS = ("asof", "terms")  # keys of the page itself that look like one of the plan
_SWITCH = {"1": "true", "0": "false"}
_WORK = ("train", "serve", "hours", fields.BUSY)
_ANY = "This link held gpu = any, which needs a model to choose for: name one, or name a GPU."


def _write(key: str, text: str, usual: str) -> None:
    """A widget that is new on the page does not write into the address what it is given."""
    if text != usual:
        st.query_params[key] = text
    elif key in st.query_params:
        del st.query_params[key]


def ask() -> Question:
    """The pills, and the question they stand at."""
    st.pills(
        "What is the work?",
        list(QUESTIONS),
        default=HOURS.name,
        required=True,
        key=KEY,
        bind=fields.URL,
        on_change=_switch,
    )
    st.session_state[_SHOWN] = st.session_state[KEY]
    return QUESTIONS[st.session_state[KEY]]


def turn_to(held: Mapping[str, str]) -> None:
    """Show the question that an address asks. What was typed for the one on the screen is kept."""
    _keep(QUESTIONS[st.session_state[_SHOWN]])
    st.session_state[KEY] = st.session_state[_SHOWN] = question_of(held).name


def _switch() -> None:
    """Keep what was typed, and bring back what was typed here before; the first time, a real case's numbers."""
    _keep(QUESTIONS[st.session_state[_SHOWN]])
    question = QUESTIONS[st.session_state[KEY]]
    kept = st.session_state.get(_KEPT, {}).get(question.name)
    texts = _example(question) if kept is None else kept
    fields.put({name: texts.get(name) for name in question.own})
    st.session_state["preset"] = None


def _keep(question: Question) -> None:
    kept = {name: text for name in question.own if (text := fields.text(name)) is not None}
    st.session_state.setdefault(_KEPT, {})[question.name] = kept


def _example(question: Question) -> Mapping[str, str]:
    example = preset(question.example) if question.example else None
    return {} if example is None else to_address(example.scenario)
