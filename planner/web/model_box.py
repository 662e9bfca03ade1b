"""A model that is not on record: its config.json, what was read of it, and into the plan."""

import streamlit as st

from planner.network.config_file import MOST_CHARACTERS, own_model
from planner.report import words
from planner.report.speed.fit_words import architecture_text
from planner.scenario.known_names import with_unchanged_note
from planner.scenario.measured import MOST_MODELS, OwnModel
from planner.scenario.task import ServingTask, TrainingTask
from planner.scenario.work import Work
from planner.web import ask, state
from pricing import PricingError

FILE, TEXT, NAME, FOUND, REFUSAL = "config_file", "config_text", "config_name", "own_model", "config_refusal"
TITLE = "A model that is not on record"


def model_upload() -> None:
    """The upload or the text of a configuration, what it says, and the buttons that use it."""
    with st.expander(TITLE, key="own-model"):
        st.markdown(
            "The `config.json` that lies beside the weights of most open models. It is read, never run. What it says "
            "becomes part of this plan only once you press a button, and is then in its link and its file."
        )
        st.file_uploader("config.json", type=["json"], key=FILE, max_upload_size=1, on_change=_read_file)
        st.text_area("or its text", key=TEXT, max_chars=MOST_CHARACTERS, on_change=_read_text)
        st.text_input("What to call it", key=NAME, max_chars=80, placeholder="as it calls itself")
        if st.session_state.get(REFUSAL):
            st.error(words.markdown(st.session_state[REFUSAL]))
        found: OwnModel | None = st.session_state.get(FOUND)
        if found is None:
            return
        st.success(words.markdown(architecture_text(found)))
        with st.container(horizontal=True):
            st.button("Train it", on_click=_add_to_plan, args=("train",), key="train-own-model")
            st.button("Serve it", on_click=_add_to_plan, args=("serve",), key="serve-own-model")


def _read_file() -> None:
    file = st.session_state[FILE]
    if file is not None:
        _read(file.getvalue().decode("utf-8-sig", errors="replace"), file.name)


def _read_text() -> None:
    if st.session_state[TEXT]:
        _read(st.session_state[TEXT], "config.json")


def _read(text: str, file: str) -> None:
    """Read it once, when it comes. What cannot be read leaves everything as it was."""
    st.session_state[REFUSAL] = None
    try:
        st.session_state[FOUND] = own_model(text, file=file)
    except PricingError as refusal:
        st.session_state[REFUSAL] = with_unchanged_note(refusal)


def _add_to_plan(task: str) -> None:
    """Make it the work of the plan, in place of the first; the newest models stay."""
    asked, found = state.scenario(), st.session_state[FOUND]
    found = found.model_copy(update={"name": st.session_state.get(NAME) or found.name})
    others = tuple(one for one in asked.models if one.name != found.name)[-(MOST_MODELS - 1) :]
    work = _work(asked.work[0], found.name, task)
    try:
        ask.use(asked.model_copy(update={"models": (*others, found), "work": (work, *asked.work[1:])}))
    except PricingError as refusal:
        st.session_state[REFUSAL] = with_unchanged_note(refusal)


def _work(work: Work, name: str, task: str) -> Work:
    if task == "train" and work.train is not None:
        return work.model_copy(update={"train": work.train.model_copy(update={"model": name})})
    if task == "serve" and work.serve is not None:
        return work.model_copy(update={"serve": work.serve.model_copy(update={"model": name})})
    asked = {"train": TrainingTask(model=name)} if task == "train" else {"serve": ServingTask(model=name)}
    return Work.model_validate({"accelerators": work.accelerators, **asked})
