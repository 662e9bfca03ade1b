"""The question bar: widgets in, one checked `Scenario` out.

It stands in the entrypoint: every page has it and every link keeps it. It starts from the work: to train, to fine-tune,
to serve, or plain GPU-hours; each question has a row of its own, and what was typed for one is there again when one
comes back to it. What the fields hold goes the same way as a link does, through `scenario_from_link`; so one place
checks, and a link, a file and a hand on the slider mean the same.
"""

from collections.abc import Mapping
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.report import words
from planner.scenario.base import BUYING, GROUPS, RUNNING, WORK
from planner.scenario.latency import latency_classes, match_latency_class
from planner.scenario.link import ALSO, parse_link, scenario_from_link, scenario_to_link
from planner.scenario.presets import load_presets
from planner.scenario.question import KEYS, SERVE, TRAIN, TUNE, QuestionKind, keys_of_group
from planner.scenario.scenario import Scenario
from planner.web import address, fields, pins, plan_name, questions, state, steps, strip, through_the_day, typed_list
from planner.web.fields import GPUS, typed
from pricing import Catalogue
from pricing.exchange import rates

CARRIED = ("name", "offer", ALSO)  # part of the address without a field of their own
PLAN = (*KEYS, ALSO)  # what an address holds of the plan
ALL = "all"  # whether the fields that few need are shown; one that holds something always is
CHOOSE = "choose"
ALWAYS = ("years", "site")
FLOOR = "floor"  # a guarantee of the resale
PACE, _AS_ENTERED = "pace", "as entered"
BOX = "assumptions"
# The headings of the box: what stands under each, and what besides when all fields are asked for.
HEADINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    group: (keys_of_group(group, rare=False), keys_of_group(group, rare=True)) for group in GROUPS
}


def scenario(catalogue: Catalogue, *, with_details: bool = False) -> Scenario:
    """The question bar. Always returns a scenario: what does not agree is said, and the rest is used.

    In full: its plan with all that the page of the answer tells of it.
    """
    hints = (
        state.previous_placeholder_texts()
        or state.reckoned(scenario_from_link(address.texts(), catalogue)[0], with_details=with_details).hints
    )
    fields.start()
    with st.container(key="strip"):
        with strip.sentence():
            question = strip.work(_presets)
            strip.rest(catalogue, question, partial(_field, catalogue, question, hints))
            plan_name.box(catalogue, state.day())
            is_open = _assumptions_toggle(question)
            steps.buttons(PLAN)
            pins.button()
        verdict = st.empty()
    worth = _assumptions_box(catalogue, question, hints) if is_open else None
    for sentence in (*fields.rounded_inputs(), *fields.refused()):
        st.warning(words.markdown(sentence), icon=":material/help:")
    held = address.texts()
    # Names that were chosen from a list need no second look; those that came with a link or a file do.
    named = catalogue if any(name in held for name in CARRIED) else None
    kept = {name: held[name] for name in PLAN if name in held}
    read = parse_link(kept, named, said="You entered", rates=rates(catalogue))
    for sentence in (*read.told, *read.at_odds.values()):
        st.warning(words.markdown(sentence), icon=":material/help:")
    pins.write()
    address.write()
    found = state.set_current_plan(read.scenario, with_details=with_details)
    strip.tell(verdict, found.plan, question, PLAN)
    if worth is not None and found.summary.guarantee:
        worth.markdown(f":small[{words.markdown(found.summary.guarantee)}]")
    return read.scenario


def _field(catalogue: Catalogue, question: QuestionKind, hints: Mapping[str, str], name: str) -> None:
    """One field of the sentence. A number that is left to the planner is put aside."""
    if name == GPUS and _is_count_automatic(question):
        fields.stash_field(GPUS)
        return
    if name == GPUS:
        fields.restore_field(GPUS)
    fields.show(catalogue, name, hints)
    if question is SERVE and name == "peak":
        _latency_fields()


def _latency_fields() -> None:
    """How fast a service answers: a name fills in its promise and the usual length of its requests.

    The address holds the promise; the name follows from it.
    """
    found = match_latency_class(fields.number("ttft"), fields.number("tpot"))
    st.session_state[PACE] = _AS_ENTERED if found is None else found.name
    st.selectbox(
        "How fast?",
        [*latency_classes(), *([_AS_ENTERED] if found is None else [])],
        key=PACE,
        on_change=_apply_latency_preset,
        help=" ".join(f"**{one.name}**: {one.says}" for one in latency_classes().values()),
    )


def _apply_latency_preset() -> None:
    address.sync_from_widgets()
    chosen = latency_classes().get(st.session_state[PACE])
    if chosen is not None:
        numbers = (chosen.ttft_ms, chosen.tpot_ms, chosen.input_tokens, chosen.output_tokens)
        told = (None if one is None else f"{one:g}" for one in numbers)
        address.put(dict(zip(("ttft", "tpot", "in", "out"), told, strict=True)))


def _is_count_automatic(question: QuestionKind) -> bool:
    """Whether the number is left to the planner."""
    return CHOOSE in question.own and bool(typed(KEYS[CHOOSE], address.text(CHOOSE)))


def _assumptions_toggle(question: QuestionKind) -> bool:
    """The switch for everything else. Closed, none of it is on the page; the address holds it all the same."""
    filled = fields.filled() - {*question.main, *ALWAYS}
    changed = sum(1 for name in filled if _is_in_box(name, question))
    is_open = st.toggle("Adjust assumptions", key=BOX)  # another label would be another switch: a closed one
    if changed:
        st.markdown(f":small[{changed} changed]", width="content")
    return is_open


def _assumptions_box(catalogue: Catalogue, question: QuestionKind, hints: Mapping[str, str]) -> DeltaGenerator | None:
    """Everything else, in one box.

    Gives back the place under a guarantee of the resale, for what it turns out to be worth; None where none is shown.
    """
    worth = None
    filled = fields.filled() - {*question.main, *ALWAYS}
    with st.container(border=True, key="box"):
        address.switch(ALL)
        every = st.toggle("Show all fields", key=ALL, help=_EVERY)
        for heading, (usual, rare) in HEADINGS.items():
            first = question.more if heading == WORK else ()
            names = [*first, *usual, *(name for name in rare if every or name in filled)]
            st.markdown(f"**{heading}**")
            with st.grid(4, min_column_width=170, vertical_alignment="bottom"):
                for name in names:
                    fields.show(catalogue, name, hints)
                if heading == WORK and question not in (TRAIN, TUNE):
                    through_the_day.ask()
                for listed in _LISTS.get(heading, ()):
                    if every or listed.is_entered():
                        listed.ask()
            worth = st.empty() if FLOOR in names else worth
    return worth


_EVERY = "Also those that few people change."
_LISTS = {BUYING: (typed_list.ORDERS,), RUNNING: (typed_list.POWER,)}


def _is_in_box(name: str, question: QuestionKind) -> bool:
    return name in question.more or any(name in (*usual, *rare) for usual, rare in HEADINGS.values())


def use(asked: Scenario) -> None:
    """Make the question bar show another scenario. Only before its widgets are made, as in a callback."""
    show_plan(scenario_to_link(asked))


def show_plan(held: Mapping[str, str]) -> None:
    """Make the question bar show the plan that these texts of an address hold."""
    address.sync_from_widgets()
    questions.turn_to(held)
    address.replace(held, PLAN)


def _presets() -> None:
    """Real situations to start from. Undo brings back what was there before."""
    known = {preset.short: preset for preset in load_presets()}

    def take() -> None:
        chosen = st.session_state["preset"]
        if chosen in known:
            use(known[chosen].scenario)
            st.toast(words.escape_dollar_signs(f"{chosen}: {known[chosen].what}"), icon=":material/edit:")

    st.pills("Or start from a real case", list(known), key="preset", on_change=take)


MOST_PICKS = 6
FIRST_PICKS = 3


def picks(options: list[str], first: str | None, buy: str) -> list[str]:
    """Which rows to draw, kept by offer id: a new order or another filter never points at the wrong row.

    Where nobody chose: `first`, the one that the title names, what is listed as cheaper still, and buying.
    """
    if "pick" in st.session_state:
        st.session_state["pick"] = [key for key in st.session_state["pick"] if key in options]
    address.choices("pick", options)
    chosen = st.multiselect(
        "Offers to open up",
        options,
        key="pick",
        max_selections=MOST_PICKS,
        placeholder="The one named above, the lowest, and buying. Choose here, or tick rows in the table above",
    )
    named = [key for key in (first,) if key in options]
    return chosen or list(dict.fromkeys([*named, *options[:FIRST_PICKS], *[key for key in options if key == buy]]))
