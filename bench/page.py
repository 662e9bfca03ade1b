"""Benchmark a rerun of the server: on Answer a question that is known and one that is new, on Speed another number.

In processor time, since many people share one process: what counts is how many reruns go into a second. Streamlit's own
testing harness runs the page; what it takes for a page with one slider and one sentence stands beside.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path

from streamlit.testing.v1 import AppTest

from bench import Aims, cpu_s
from planner.web import state
from planner.web.serving.launcher import load_pages

APP = Path(__file__).parent.parent / "app.py"
SLOW = 60
REPEATS = 20
NEW_S, KNOWN_S, SPEED_S = 0.045, 0.014, 0.09  # what is aimed at, the harness included
BUSY = range(20, 20 + 2 * REPEATS)  # percent: no two of them the same question


def bare() -> None:
    """The least a page can be."""
    import streamlit as st

    st.markdown(f"{st.slider('UtilizationBreakEven', 1, 100, 60, key='busy')} %")


RUN = {"train": "Llama-3-8B", "tokens": "1000000000000", "gpus": "64"}
NUMBERS = range(9, 9 + REPEATS)  # of GPUs: no two of them the same question


def speed_page_only() -> None:
    """The Speed page under the question bar, as the entrypoint puts them together: a test cannot walk between pages."""
    import streamlit as st

    from planner.web import ask, frame, state
    from planner.web.pages import answer, compare, speed

    pages = tuple(
        st.Page(page, title=title, url_path=title.lower(), default=title == "Speed")
        for title, page in (("Answer", answer.page), ("Speed", speed.page), ("Compare", compare.page))
    )
    frame.begin_run()
    chosen = st.navigation(pages)
    state.session().pages = {each.title: each for each in pages}
    ask.scenario(state.catalogue())
    chosen.run()
    frame.show_footer(state.catalogue(), state.day())


def main() -> Iterator[str]:
    """One line for each thing measured."""
    load_pages()
    state.precompute_default_answer()
    least = AppTest.from_function(bare, default_timeout=SLOW).run()
    page = AppTest.from_file(str(APP), default_timeout=SLOW).run()
    bare_s = min(rerun(least, itertools.cycle((50, 60))) for _ in range(REPEATS))
    yield f"a rerun of a page with one slider takes {1000 * bare_s:.1f} ms of processor time"
    speed = AppTest.from_function(speed_page_only, default_timeout=SLOW)
    for key, text in RUN.items():
        speed.query_params[key] = text
    speed.run()
    aims, numbers, new, known = Aims(), iter(NUMBERS), iter(BUSY), itertools.cycle(BUSY)
    yield aims.line("a rerun of Answer, a new question", NEW_S, lambda: rerun(page, new), REPEATS)
    yield aims.line("a rerun of Answer, a known question", KNOWN_S, lambda: rerun(page, known), REPEATS)
    another = "a rerun of Speed, another number of GPUs"
    yield aims.line(
        another, SPEED_S, lambda: cpu_s(lambda: speed.number_input(key="gpus").set_value(next(numbers)).run()), REPEATS
    )
    aims.check()


def rerun(app: AppTest, values: Iterator[int]) -> float:
    """What it costs to move the slider to the next value. [s]"""
    return cpu_s(lambda: app.slider(key="busy").set_value(next(values)).run())
