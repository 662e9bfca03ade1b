"""Pinned plans: up to four, side by side with the plan on the screen, on every page; a link holds them too."""

from collections.abc import Callable, Mapping, Sequence
from typing import get_args
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from planner.report import words
from planner.report.answer.phrases import question_text
from planner.report.answer.plan_report import PlanReport
from planner.report.answer.side_by_side import (
    PinnedPlan,
    Topic,
    against,
    formatted_table,
    input_differences_table,
    others,
)
from planner.report.files.csv import to_csv
from planner.report.table import Table
from planner.scenario.link import ALSO, parse_link
from planner.scenario.question import KEYS, detect_question
from planner.web import address, questions, show, state
from planner.web.download import download
from pricing import Catalogue
from pricing.exchange import rates
from pricing.formulas import unseen

KEY = "pin"  # in the address: pin=gpus%3D16%26years%3D2
LETTERS = "ABCD"
LONGEST_LINK = 6_000  # characters of all pins; browsers and mail programs take this much
_PINS = "pins"
_OF_PLAN = (*KEYS, ALSO, questions.KEY)
# What of the comparison belongs to the question that a page answers; a page that is not named shows all of it.
_ROWS: dict[str, tuple[Topic, ...]] = {
    "Answer": ("verdict", "money"),
    "Speed": ("speed", "plan"),
    "Compare": ("rent", "money"),
    "What if": ("verdict", "turns"),
}


def arrive() -> None:
    """Take over the pins of a link. One that says nothing of a plan is dropped."""
    told = [dict(parse_qsl(one, keep_blank_values=True)) for one in address.get_values(KEY)]
    kept = [{key: said for key, said in one.items() if key in _OF_PLAN and not unseen(said)} for one in told]
    st.session_state[_PINS] = kept[: len(LETTERS)]


def pinned() -> list[dict[str, str]]:
    """What each pinned plan holds, in the order of their letters."""
    pins: list[dict[str, str]] = st.session_state.setdefault(_PINS, [])
    return pins


def left_out() -> str:
    """The letters of the plans that the link has no room for, in words; empty where it holds all."""
    return words.listed([LETTERS[place] for place in range(len(_values_in_link()), len(pinned()))])


def write() -> None:
    """Bring the pins into the address, as many as fit, from the first on."""
    address.set_values(KEY, tuple(_values_in_link()))


def _values_in_link() -> list[str]:
    said: list[str] = []
    for one in pinned():
        text = urlencode(one)
        if sum(map(len, said)) + len(text) > LONGEST_LINK:
            break
        said.append(text)
    return said


def button() -> None:
    """Pin the plan as it is on the screen."""
    full = len(pinned()) == len(LETTERS)
    said = f"{len(LETTERS)} plans are pinned: take one away first." if full else "Keep this plan beside the next ones."
    st.button("Pin", icon=":material/keep:", type="tertiary", on_click=_pin, disabled=full, help=said, key="pin-plan")


def _pin() -> None:
    address.sync_from_widgets()
    held = _now()
    if held not in pinned():
        pinned().append(held)


def _now() -> dict[str, str]:
    return {key: said for key, said in address.texts().items() if key in _OF_PLAN}


def _take_away(place: int) -> None:
    del pinned()[place]


def beside(catalogue: Catalogue, page: str, use: Callable[[dict[str, str]], None]) -> None:
    """The pinned plans beside the one on the screen: what differs first, then what each came to."""
    there = [PinnedPlan(letter, _reckoned(catalogue, held)) for letter, held in zip(LETTERS, pinned(), strict=False)]
    if not there:
        state.pin(())
        return
    names = [f"{one.letter}: {_name(catalogue, held)}" for one, held in zip(there, pinned(), strict=True)]
    on_screen = state.reckoned(with_details=True)
    state.pin(others(on_screen, there))
    every = zip([*names, "On the screen"], [*(one.result for one in there), on_screen], strict=True)
    plans = [PlanReport(name, one.plan, one.answer, one.summary) for name, one in every]
    with st.expander("Side by side", expanded=True, key="pins"):
        with st.container(horizontal=True, vertical_alignment="center", key="pin-names"):
            for place, name in enumerate(names):
                with st.popover(words.markdown(name), key=f"pinned-{place}"):
                    st.button("Show this plan", on_click=use, args=(pinned()[place],), key=f"use-pin-{place}")
                    st.button("Take it away", on_click=_take_away, args=(place,), key=f"unpin-{place}")
        if told := against(on_screen, there):
            st.markdown(words.markdown(" ".join(told)))
        table = _table(plans, [*(one.result.hints for one in there), on_screen.hints], page)
        show.show_table(table)
        download("Download this table (CSV)", "side-by-side.csv", lambda: to_csv(table), "csv-pins")
        if missing := left_out():
            show.small(words.markdown(f"The link has no room for {missing}: send those as files."))


def _table(plans: Sequence[PlanReport], hints: Sequence[Mapping[str, str]], page: str) -> Table:
    """What was asked differently, and below it what it came to."""
    asked, came = input_differences_table(plans, hints), formatted_table(plans, _ROWS.get(page, get_args(Topic)))
    heads = list(came.columns[1:])
    rows = [[asked["Input"][row], *(asked[name][row] for name in asked.columns[1:])] for row in range(len(asked))]
    rows += [[came["Measure"][row], *(came[name][row] for name in heads)] for row in range(len(came))]
    return Table.listed(["What", *heads], rows)


def _name(catalogue: Catalogue, held: dict[str, str]) -> str:
    """The plan's name; its sentence where it has none."""
    named = held.get("name")
    return named or question_text(catalogue, detect_question(held, held.get(questions.KEY)), held)


def _reckoned(catalogue: Catalogue, held: dict[str, str]) -> state.PlanResult:
    kept = {key: said for key, said in held.items() if key != questions.KEY}
    scenario = parse_link(kept, catalogue, rates=rates(catalogue)).scenario
    return state.reckoned(scenario, with_details=True)
