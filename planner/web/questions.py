"""The question: to train, to fine-tune, to serve, or plain GPU-hours; and the values typed for the other questions."""

from collections.abc import Mapping

import streamlit as st

from planner.scenario.link import ALSO, PAGE_KEYS, clean_link, scenario_from_link, scenario_to_link
from planner.scenario.presets import find_preset
from planner.scenario.question import HOURS, KEYS, QUESTIONS, QuestionKind, detect_question, link_has_key
from planner.web import address, fields, list_fields, name_box
from pricing import Catalogue, PricingError
from pricing.formulas import printable

KEY = "work"  # in the address: work=Train
_SHOWN, _SAVED = "question_shown", "questions_kept"
_WORK = ("train", "serve", fields.BUSY, *fields.INSTEAD)


def apply_link(catalogue: Catalogue) -> list[str]:
    """Take over the address of a visitor, before there are widgets; return a sentence for each part not usable."""
    values = address.texts()
    question = detect_question(values, values.get(KEY))
    plan = {
        name: text for name, text in values.items() if (name in KEYS and link_has_key(name, question)) or name == ALSO
    }
    unknown = {name: text for name, text in values.items() if name not in KEYS}
    usable, notes = clean_link({**plan, **unknown}, catalogue, PAGE_KEYS)
    notes += _resolve_model_names(catalogue, usable)
    for name in _WORK:
        if name in values and name not in plan:
            text = f"{name} = {printable(values[name])}"
            notes.append(f"This link held {text} beside a question of another kind ({question.name}). It is left out.")
    _forget()
    address.replace({**usable, **_question_values(question)}, (*KEYS, ALSO, KEY))
    st.session_state[_SHOWN] = question.name
    return notes


def _forget() -> None:
    fields.clear_stash()
    list_fields.forget()


def _question_values(question: QuestionKind) -> dict[str, str]:
    return {} if question is HOURS else {KEY: question.name}


def _resolve_model_names(catalogue: Catalogue, usable: dict[str, str]) -> list[str]:
    """Write loosely spelt models as the lists do, with a sentence for each that is ambiguous or unknown.

    An unknown name is dropped. A model of the plan's own keeps its name, and so does one that another record stands
    for: the page then says so.
    """
    notes: list[str] = []
    names = usable.keys() & set(fields.MODELS)
    own_models = {model.name for model in scenario_from_link(usable)[0].models} if names else ()
    for name in names:
        if usable[name] not in fields.model_choices(catalogue, name) and usable[name] not in own_models:
            text = f"This link held {name} = {printable(usable[name])}."
            try:
                usable[name], note = name_box.READERS[name](catalogue, usable[name])
                notes += [f"{text} {note}"] if note else []
            except PricingError as refusal:
                del usable[name]
                notes.append(f"{text} {refusal}")
    return notes


def shown() -> QuestionKind:
    """Return the question of this run, before its pills are made."""
    return QUESTIONS.get(address.text(KEY) or HOURS.name, HOURS)


def ask() -> QuestionKind:
    """Show the pills, and return the question they stand at."""
    address.choice(KEY, QUESTIONS, HOURS.name)
    st.pills("What is the work?", list(QUESTIONS), required=True, key=KEY, on_change=_on_change)
    st.session_state[_SHOWN] = st.session_state[KEY]
    return QUESTIONS[st.session_state[KEY]]


def turn_to(values: Mapping[str, str]) -> None:
    """Show the question of an address. The values typed for the one on the screen are saved."""
    _save(QUESTIONS[st.session_state[_SHOWN]])
    _forget()
    question = detect_question(values, values.get(KEY))
    address.put({KEY: None, **_question_values(question)})
    st.session_state[_SHOWN] = question.name


def _on_change() -> None:
    """Save the values typed, and restore those typed here before; the first time, a real case's numbers."""
    address.sync_from_widgets()
    _save(QUESTIONS[st.session_state[_SHOWN]])
    question = QUESTIONS[st.session_state[KEY]]
    values = st.session_state.get(_SAVED, {}).get(question.name)
    if values is None:
        example = find_preset(question.example) if question.example else None
        values = {} if example is None else scenario_to_link(example.scenario)
        values.pop("due", None)  # a deadline of the example is no goal of the visitor
    address.replace(values, question.own)
    list_fields.stash_hours(question)
    st.session_state["preset"] = None


def _save(question: QuestionKind) -> None:
    """Save the values typed for a question, and take them out of the address."""
    fields.restore_all_fields()
    texts = address.texts()
    values = {name: texts[name] for name in question.own if name in texts}
    st.session_state.setdefault(_SAVED, {})[question.name] = values
    address.put(dict.fromkeys(question.own))
