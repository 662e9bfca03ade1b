"""The question bar: widgets in, one checked `Scenario` out; below it the verdict.

It stands in the entrypoint: every page has it and every link keeps it. The question is a sentence whose phrases open
their fields. It starts from the work: to train, to fine-tune, to serve, or plain GPU-hours; each question has fields of
its own, and keeps its values while another is shown. The values go the same way as a link does, through
`scenario_from_link`; so one place checks, and a link, a file and a slider mean the same.
"""

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from planner.money.plan import Plan
from planner.report import words
from planner.report.answer.phrases import SAID_WHERE_FILLED, VERBS, echo, phrases
from planner.report.answer.plan_report import last_edit_text, summarize_verdict
from planner.scenario.base import BUYING, GROUPS, RUNNING, WORK
from planner.scenario.latency import latency_classes, match_latency_class
from planner.scenario.link import ALSO, parse_link, scenario_from_link, scenario_to_link
from planner.scenario.presets import load_presets
from planner.scenario.question import HOURS, KEYS, SERVE, TRAIN, TUNE, QuestionKind, keys_of_group
from planner.scenario.scenario import Scenario
from planner.scenario.shown_money import shown_money
from planner.web import address, fields, history, questions, sign_in, state
from planner.web.fields import GPUS, widget_value
from pricing import Catalogue
from pricing.exchange import rates

CARRIED = ("name", "offer", ALSO)  # part of the address without a field of their own
PLAN = (*KEYS, ALSO)  # the keys of the plan in an address
ALL = "all"  # whether the fields that few need are shown; one that holds a value always is
CHOOSE = "choose"
ALWAYS = ("years", "site", "place")
FLOOR = "floor"  # a guarantee of the resale
BOX = "assumptions"
MOST_PICKS, FIRST_PICKS = 6, 3
# The headings of the box: the fields under each, and the further ones when all fields are shown.
HEADINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    group: (keys_of_group(group, rare=False), keys_of_group(group, rare=True)) for group in GROUPS
}
_LISTS = {BUYING: (questions.ORDERS,), RUNNING: (questions.POWER,)}
_LONGEST_TEXT = {"name": 120, "note": 1_000}
_PICKS = "The offer in the title, the cheapest, and buying. Choose here, or tick rows in the table"


def scenario(catalogue: Catalogue, *, with_details: bool = False) -> Scenario:
    """Show the question bar and return its scenario: a message names what does not agree, and the rest is used.

    With details its plan is made with all that the Answer page shows of it.
    """
    # Among many people the plan of the run before may have left the cache: it would be calculated only for its hints.
    hints = (
        before.result.hints if (before := state.current_plan()) is not None
        else state.result(scenario_from_link(address.texts(), catalogue)[0], with_details=with_details).hints
    )  # fmt: skip
    fields.start()
    with st.container(key="strip"):
        with st.container(horizontal=True, vertical_alignment="center", key="sentence"):
            question = _phrases(catalogue, hints)
            _name_box(catalogue)
            is_open = _assumptions_toggle(question)
            history.buttons(PLAN)
            history.button()
            sign_in.entry()
        verdict_line = st.container(key="verdict-line")  # the last one stays until the next is there
    worth = _assumptions_box(catalogue, question, hints) if is_open else None
    _warn(*fields.rounded_inputs(), *fields.rejected_inputs())
    texts = address.texts()
    # Names that were chosen from a list need no second look; those that came with a link or a file do.
    checked = catalogue if any(name in texts for name in CARRIED) else None
    plan_texts = {name: texts[name] for name in PLAN if name in texts}
    read = parse_link(plan_texts, checked, opening="You entered", rates=rates(catalogue))
    history.write()
    _warn(*read.notes, *read.at_odds.values(), *history.omission())
    address.write()
    result = state.set_current_plan(read.scenario, with_details=with_details)
    _show_verdict(verdict_line, result.plan, question, is_title=with_details)
    if worth is not None and result.summary.guarantee:
        worth.markdown(f":small[{words.markdown(result.summary.guarantee)}]")
    return read.scenario


def _warn(*sentences: str) -> None:
    for sentence in sentences:
        st.warning(words.markdown(sentence), icon=":material/help:")


def _phrases(catalogue: Catalogue, hints: Mapping[str, str]) -> QuestionKind:
    """Show the sentence: the kind of work with real cases to start from, then each phrase with its fields."""
    with st.popover(VERBS[questions.shown().name], key="phrase-work"):
        question = questions.ask()
        _presets()
    for phrase in phrases(catalogue, question, address.texts()):
        if phrase.before:
            st.markdown(phrase.before, width="content")
        with st.popover(words.markdown(phrase.says), key=f"phrase-{phrase.key}"):
            for name in phrase.names:
                _field(catalogue, question, hints, name)
    return question


def _field(catalogue: Catalogue, question: QuestionKind, hints: Mapping[str, str], name: str) -> None:
    """Show one field of the sentence. A number that is left to the planner is put aside."""
    if name == GPUS:
        if CHOOSE in question.own and widget_value(KEYS[CHOOSE], address.text(CHOOSE)):
            fields.stash_field(GPUS)
            return
        fields.restore_field(GPUS)
    fields.show(catalogue, name, hints)
    if question is SERVE and name == "peak":
        _latency_field()


def _latency_field() -> None:
    """Show how fast a service answers: a name fills in its latency limits and the usual length of its requests.

    The address holds the limits; the name follows from them.
    """
    preset = match_latency_class(fields.number("ttft"), fields.number("tpot"))
    st.markdown(f"How fast? **{'as entered' if preset is None else preset.name}**")
    classes = {latency.name: latency.says for latency in latency_classes().values()}
    fields.choice_buttons("pace", classes, _apply_latency_preset)


def _apply_latency_preset(at: int) -> None:
    preset = list(latency_classes().values())[at]
    numbers = (preset.ttft_ms, preset.tpot_ms, preset.input_tokens, preset.output_tokens)
    texts = (None if number is None else f"{number:g}" for number in numbers)
    address.put(dict(zip(("ttft", "tpot", "in", "out"), texts, strict=True)))


def _presets() -> None:
    """Show real situations to start from. Undo brings back the plan before."""
    by_label = {preset.short: preset for preset in load_presets()}

    def take() -> None:
        label = st.session_state["preset"]
        if label in by_label:
            use(by_label[label].scenario)
            st.toast(words.escape_dollar_signs(f"{label}: {by_label[label].what}"), icon=":material/edit:")

    st.pills("Or start from a real case", list(by_label), key="preset", on_change=take)


def _name_box(catalogue: Catalogue) -> None:
    """Show a phrase of its own: the name of the plan, and behind it notes and the facts it rests on."""
    with st.popover(words.markdown(address.text("name") or "Unnamed"), icon=":material/edit_note:", key="plan-name"):
        for name, longest in _LONGEST_TEXT.items():
            key = KEYS[name]
            address.bind(
                name,
                lambda texts: texts[-1] if texts else "",
                lambda text: (" ".join(text.split()),) if text.strip() else (),
            )
            st.text_input(key.label, key=name, help=key.help or None, max_chars=longest)
        st.markdown(f":small[:gray[Facts as of {words.day(state.day())}, catalogue {catalogue.digest[:8]}.]]")


def _show_verdict(line: DeltaGenerator, plan: Plan, question: QuestionKind, *, is_title: bool) -> None:
    """Show the verdict, the effect of the last edit until the next one, and what follows from the fields.

    Where the verdict is the title of the page, the line does not repeat it.
    """
    now = summarize_verdict(plan, state.result().answer)
    history.note(PLAN, now)
    before, change = history.before(), ""
    if before is not None and before.verdict is not None:
        change = last_edit_text(plan.setting.catalogue, address.texts(), now, before.values, before.verdict)
    costs = "" if change else f" {words.markdown(words.upper_first(now.line))}"  # or the edit
    is_said = (change and not state.scenario().typed) or (is_title and question is HOURS)
    also = "" if is_said else echo(plan, state.scenario(), question.name)
    also = " · ".join(filter(None, (also, shown_money().rate_text)))
    quiet = f":small[:gray[{words.markdown(also)}]]" if also else ""
    parts = ("" if is_title else f"**{words.markdown(now.title)}**{costs}", words.markdown(change), quiet)
    if text := " · ".join(filter(None, parts)):
        line.markdown(text)


def _assumptions_toggle(question: QuestionKind) -> bool:
    """Show the switch for everything else. Closed, none of it is on the page; the address holds it all the same."""
    in_box = {*question.more, *(name for usual, rare in HEADINGS.values() for name in (*usual, *rare))}
    changed = len((fields.filled() - {*question.main, *ALWAYS}) & in_box)
    is_open = st.toggle("Adjust assumptions", key=BOX)  # another label would be another switch: a closed one
    if changed:
        st.markdown(f":small[{changed} changed]", width="content")
    return is_open


def _assumptions_box(catalogue: Catalogue, question: QuestionKind, hints: Mapping[str, str]) -> DeltaGenerator | None:
    """Show everything else, in one box.

    Return the place under a guarantee of the resale, for its worth; None where no guarantee is shown.
    """
    worth = None
    filled = fields.filled() - {*question.main, *ALWAYS}
    in_sentence = {name for first, names in SAID_WHERE_FILLED.items() if first in filled for name in names}
    with st.container(border=True, key="box"):
        address.switch(ALL)
        every = st.toggle("Show all fields", key=ALL, help="Include advanced fields.")
        for heading, (usual, rare) in HEADINGS.items():
            first = question.more if heading == WORK else ()
            names = [*first, *usual, *(name for name in rare if every or name in filled)]
            names = [name for name in names if name not in in_sentence]
            st.markdown(f"**{heading}**")
            with st.grid(4, min_column_width=170, vertical_alignment="bottom"):
                for name in names:
                    fields.show(catalogue, name, hints)
                if heading == WORK and question not in (TRAIN, TUNE):
                    questions.ask_day()
                for field in _LISTS.get(heading, ()):
                    if every or field.is_entered():
                        field.ask()
            worth = st.empty() if FLOOR in names else worth
    return worth


def use(scenario: Scenario) -> None:
    """Show another scenario in the question bar. Only before its widgets are made, as in a callback."""
    show_plan(scenario_to_link(scenario))


def show_plan(values: Mapping[str, str]) -> None:
    """Show the plan of these texts of an address in the question bar."""
    address.sync_from_widgets()
    questions.turn_to(values)
    address.replace(values, PLAN)


def picks(options: list[str], first: str | None, buy: str) -> list[str]:
    """Return the rows to draw, by offer id: a new order or another filter never points at the wrong row.

    Without a choice: `first`, the one that the title names, those listed as cheaper still, and buying.
    """
    if "pick" in st.session_state:
        st.session_state["pick"] = [key for key in st.session_state["pick"] if key in options]
    address.choices("pick", options)
    chosen = st.multiselect("Offers to open up", options, key="pick", max_selections=MOST_PICKS, placeholder=_PICKS)
    named = [key for key in (first,) if key in options]
    return chosen or list(dict.fromkeys([*named, *options[:FIRST_PICKS], *[key for key in options if key == buy]]))
