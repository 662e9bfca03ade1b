"""The question bar: widgets in, one checked `Scenario` out.

It stands in the entrypoint: every page has it and every link keeps it. It starts from the work: to train, to fine-tune,
to serve, or plain GPU-hours; each question has a row of its own, and what was typed for one is there again when one
comes back to it. What the fields hold goes the same way as a link does, through `from_address`; so there is one place
that checks, and a link, a file and a hand on the slider mean the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import streamlit as st

from planner.inputs.address import ALSO, also_with_hours, from_address, to_address
from planner.inputs.keys import KEYS
from planner.inputs.presets import presets
from planner.inputs.question import SERVE, TRAIN, TUNE, Question
from planner.inputs.scenario import Scenario
from planner.report import words
from planner.report.echo import echo
from planner.web import fields, latency, questions, state, through_the_day
from planner.web.fields import URL
from pricing import Catalogue

CARRIED = ("name", "offer", ALSO)  # part of the address without a field of their own
ALL = "all"  # whether the fields that few need are shown; one that holds something always is
GPUS, CHOOSE = "gpus", "choose"
ALWAYS = ("years", "site")
BOX, _LABEL = "assumptions", "assumptions_label"
# The expander's headings: what stands under each, and what besides when all fields are asked for.
THE_WORK = "The work"
HEADINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    THE_WORK: (("job", "growth", "session", "disk", "egress", "waits", "stops"), ("waitcost",)),
    "What you buy": (("own", "price", "wait"), ("server", "extra", "net", "spares", "install", "capex")),
    "Running it": (
        ("kwh", "resale"),
        ("running", "place", "colo", "kwhs", "pue", "watts", "people", "salary", "upkeep", "fail"),
    ),
    "Renting": (("rent", "rents"), ("support", "reserved", "term", "spot", "taken")),
    "Money": (("rate", "cash", "yearly", "tax"), ("written", "vat", "timing", "inflation", "loan", "lease")),
}


def wrong_in_link(catalogue: Catalogue) -> list[str]:
    """What the address held that cannot be used. Read before the widgets exist, since they drop it in silence."""
    held = _address()
    for key in CARRIED:
        if key in held:
            _carry(key, held[key])
    return questions.of_link(catalogue, held)


def _address() -> dict[str, str]:
    return {key: st.query_params[key] for key in st.query_params}


def scenario(catalogue: Catalogue) -> Scenario:
    """The question bar. Always returns a scenario: what does not agree is said, and the rest is used."""
    hints = state.last_hints() or state.reckoned(from_address(_address(), catalogue)[0]).hints
    fields.start()
    with st.container(key="question"):
        with st.container(horizontal=True, vertical_alignment="bottom", key="starts"):
            question = questions.ask()
            _presets()
        _row(catalogue, question, hints)
        said = st.empty()
        _assumptions(catalogue, question, hints)
        _question_parts()
    held = {key: text for key in CARRIED if (text := _carried(key))} | fields.held()
    if "hours" in held:
        held.pop(fields.BUSY, None)
    if ALSO in held and question in (TRAIN, TUNE):  # a run comes when it comes; back at a service its hours are there
        held[ALSO] = also_with_hours(held[ALSO], ()) or ""
    # Names that were chosen from a list need no second look; those that came with a link or a file do.
    asked, told = from_address(held, catalogue if any(name in held for name in CARRIED) else None)
    for sentence in told:
        st.warning(words.markdown(sentence.replace("This link held", "You entered")), icon=":material/help:")
    for key in CARRIED:
        if carried := held.get(key):
            st.query_params[key] = carried
    plan = state.remember(asked).plan
    said.markdown(f":small[{words.markdown(echo(plan, asked, question.name))}]")
    return asked


def _row(catalogue: Catalogue, question: Question, hints: Mapping[str, str]) -> None:
    """The fields of this question, and those of every question."""
    with st.grid(questions.COLUMNS[question.name], min_column_width=150, vertical_alignment="bottom"):
        for name in (*question.main, *ALWAYS):
            if name == GPUS and st.session_state.get(CHOOSE) and CHOOSE in question.own:
                continue
            fields.show(catalogue, name, hints)
            if question is SERVE and name == "peak":
                latency.ask()


def _assumptions(catalogue: Catalogue, question: Question, hints: Mapping[str, str]) -> None:
    """Everything else, in one expander. While it is closed only what was filled in is there: fields cost time."""
    shown = {*question.main, *ALWAYS}
    filled = fields.filled() - shown
    changed = sum(1 for name in filled if _is_in_expander(name, question))
    label = f"Adjust assumptions ({changed} changed)" if changed else "Adjust assumptions"
    kept = filled.union(st.query_params)  # what leaves the screen leaves the address
    if not st.session_state.get(BOX):  # another label makes another box: an open one would close under one's hands
        st.session_state[_LABEL] = label
    with st.expander(st.session_state[_LABEL], key=BOX, on_change="rerun") as box:
        every = (box.open or ALL in kept) and st.toggle("Show all fields", key=ALL, bind=URL, help=_EVERY)
        for heading, (usual, rare) in HEADINGS.items():
            first = question.more if heading == THE_WORK else ()
            names = [name for name in (*first, *usual) if box.open or name in kept]
            names += [name for name in rare if (box.open and every) or name in kept]
            if names:
                st.markdown(f"**{heading}**")
                with st.grid(4, min_column_width=170, vertical_alignment="bottom"):
                    for name in names:
                        fields.show(catalogue, name, hints)
                    if box.open and heading == THE_WORK and question not in (TRAIN, TUNE):
                        through_the_day.ask()


_EVERY = "Also those that few people change."


def _is_in_expander(name: str, question: Question) -> bool:
    return name in question.more or any(name in (*usual, *rare) for usual, rare in HEADINGS.values())


def _carried(key: str) -> str | None:
    text: str | None = st.session_state.get(f"carried_{key}")
    return text


def _carry(key: str, text: str | None) -> None:
    st.session_state[f"carried_{key}"] = text


def use(asked: Scenario) -> None:
    """Make the question bar show another scenario. Only before its widgets are made, as in a callback."""
    held = to_address(asked)
    for name in CARRIED:
        _carry(name, held.get(name))
        if name in st.query_params and name not in held:
            del st.query_params[name]
    questions.turn_to(held)
    fields.put({name: held.get(name) for name in KEYS if name not in CARRIED})


def _presets() -> None:
    """Real situations to start from; the one before can be had back."""
    known = {preset.short: preset for preset in presets()}

    def take() -> None:
        chosen = st.session_state["preset"]
        if chosen in known:
            st.session_state["before"] = state.scenario()
            use(known[chosen].scenario)
            st.toast(words.money_in_markdown(f"{chosen}: {known[chosen].what}"), icon=":material/edit:")

    def undo() -> None:
        use(st.session_state.pop("before"))
        st.session_state["preset"] = None

    st.pills("Or start from a real case", list(known), key="preset", on_change=take)
    if "before" in st.session_state:
        st.button("Undo", icon=":material/undo:", on_click=undo, key="undo")


def _question_parts() -> None:
    """A part of a GPU is questioned: it is rounded up, and a point may have been typed for a comma."""
    if fields.is_shown(GPUS):
        typed = st.session_state[GPUS]
        whole = math.ceil(typed)
        if whole != typed:
            text = _NOT_WHOLE.format(typed=typed, whole=whole, thousand=round(typed * 1_000))
            st.warning(text, icon=":material/help:")


_NOT_WHOLE = "GPUs come whole: {typed:g} counts as {whole:,}. If you meant {thousand:,}, type it without a point."

MOST_PICKS = 6
FIRST_PICKS = 3


def picks(options: list[str], first: str | None, buy: str) -> list[str]:
    """Which rows to draw, kept by offer id: a new order or another filter never points at the wrong row.

    Where nobody chose: `first`, the one that the title names, what is listed as cheaper still, and buying.
    """
    if "pick" in st.session_state:
        st.session_state["pick"] = [key for key in st.session_state["pick"] if key in options]
    chosen = st.multiselect(
        "Offers to open up",
        options,
        key="pick",
        bind=URL,
        max_selections=MOST_PICKS,
        placeholder="The one named above, the lowest, and buying. Choose here, or tick rows in the table above",
    )
    named = [key for key in (first,) if key in options]
    return chosen or list(dict.fromkeys([*named, *options[:FIRST_PICKS], *[key for key in options if key == buy]]))
