"""Which question is asked: to train, to fine-tune, to serve, or plain GPU-hours; and what was typed for the others."""

from collections.abc import Mapping

import streamlit as st

from planner.scenario.link import ALSO, clean_link, scenario_from_link, scenario_to_link
from planner.scenario.presets import find_preset
from planner.scenario.question import HOURS, KEYS, QUESTIONS, QuestionKind, detect_question, link_has_key
from planner.web import address, fields, name_box, through_the_day, typed_list
from pricing import Catalogue, PricingError
from pricing.formulas import printable

KEY = "work"  # in the address: work=Train
COLUMNS = {"Train": 4, "Fine-tune": 5, "Serve": 5, "GPU-hours": 6}  # of the row, on a wide screen
_SHOWN, _KEPT = "question_shown", "questions_kept"


def apply_link(catalogue: Catalogue) -> list[str]:
    """Take over what the address of a visitor asks, before there are widgets; a sentence for what it cannot use."""
    held = address.texts()
    question = detect_question(held, held.get(KEY))
    plan = {
        name: text for name, text in held.items() if (name in KEYS and link_has_key(name, question)) or name == ALSO
    }
    slips = {name: text for name, text in held.items() if name not in KEYS}
    usable, told = clean_link({**plan, **slips}, catalogue, OURS)
    told += _resolve_model_names(catalogue, usable)
    told += [_two(name, held[name], question) for name in _WORK if name in held and name not in plan]
    fields.clear_stash()
    through_the_day.forget()
    typed_list.forget()
    address.replace({**usable, **_question_values(question)}, (*KEYS, ALSO, KEY))
    st.session_state[_SHOWN] = question.name
    return told


def _question_values(question: QuestionKind) -> dict[str, str]:
    return {} if question is HOURS else {KEY: question.name}


def _resolve_model_names(catalogue: Catalogue, usable: dict[str, str]) -> list[str]:
    """Write loosely spelt models as the lists do, with a sentence for each that is one of several or that nobody knows.

    A name that nobody knows is dropped. A model of the plan's own keeps its name, and so does one that another record
    stands for: the page then says so.
    """
    notes: list[str] = []
    asked = usable.keys() & set(fields.MODELS)
    own = {one.name for one in scenario_from_link(usable)[0].models} if asked else ()
    for name in asked:
        if usable[name] not in fields.models(catalogue, name) and usable[name] not in own:
            held = f"This link held {name} = {printable(usable[name])}."
            try:
                usable[name], note = name_box.READERS[name](catalogue, usable[name])
                notes += [f"{held} {note}"] if note else []
            except PricingError as refusal:
                del usable[name]
                notes.append(f"{held} {refusal}")
    return notes


def _two(name: str, said: str, question: QuestionKind) -> str:
    where = f"beside a question of another kind ({question.name})"
    return f"This link held {name} = {printable(said)} {where}. It is left out."


# Keys of the pages themselves, which hold no part of the plan.
OURS = frozenset({
    KEY, "asof", "pin", "whole", "all", "every_way", "look", "view", "speed", "turn", "pick", "figures", "every_figure",
    "stress", "across", "up", "terms", "area", "age", "trust", "doubtful", "large", "bills", "old",
    "hidden",
})  # fmt: skip
_WORK = ("train", "serve", fields.BUSY, *fields.INSTEAD)


def shown() -> QuestionKind:
    """The question that this run asks, before its pills are made."""
    return QUESTIONS.get(address.text(KEY) or HOURS.name, HOURS)


def ask() -> QuestionKind:
    """The pills, and the question they stand at."""
    address.choice(KEY, QUESTIONS, HOURS.name)
    st.pills("What is the work?", list(QUESTIONS), required=True, key=KEY, on_change=_on_question_change)
    st.session_state[_SHOWN] = st.session_state[KEY]
    return QUESTIONS[st.session_state[KEY]]


def turn_to(held: Mapping[str, str]) -> None:
    """Show the question that an address asks. What was typed for the one on the screen is kept."""
    _keep(QUESTIONS[st.session_state[_SHOWN]])
    fields.clear_stash()
    through_the_day.forget()
    typed_list.forget()
    question = detect_question(held, held.get(KEY))
    address.put({KEY: None, **_question_values(question)})
    st.session_state[_SHOWN] = question.name


def _on_question_change() -> None:
    """Keep what was typed, and bring back what was typed here before; the first time, a real case's numbers."""
    address.sync_from_widgets()
    _keep(QUESTIONS[st.session_state[_SHOWN]])
    question = QUESTIONS[st.session_state[KEY]]
    kept = st.session_state.get(_KEPT, {}).get(question.name)
    address.replace(_example(question) if kept is None else kept, question.own)
    through_the_day.wait_for(question)
    st.session_state["preset"] = None


def _keep(question: QuestionKind) -> None:
    """Keep what was typed for a question, and take it out of the address."""
    fields.restore_all_fields()
    held = address.texts()
    st.session_state.setdefault(_KEPT, {})[question.name] = {name: held[name] for name in question.own if name in held}
    address.put(dict.fromkeys(question.own))


def _example(question: QuestionKind) -> Mapping[str, str]:
    example = find_preset(question.example) if question.example else None
    return {} if example is None else scenario_to_link(example.scenario)
