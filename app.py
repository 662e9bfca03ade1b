"""Rent, buy, or both? Page settings, navigation, the question bar; nothing else."""

from pathlib import Path

import streamlit as st

from planner.web import ask, frame, history, kept_plans, state, style, welcome
from planner.web.pages import answer, assumptions, compare, embedded, plans, side_by_side, speed, what_if
from planner.web.run_queue import RUNS

ICON = Path(__file__).parent / "planner" / "web" / "icon.png"
PAGES = (
    st.Page(answer.page, title="Answer", url_path="answer", default=True, help="What should we do?"),
    st.Page(speed.page, title="Speed", url_path="speed", help="How fast, and does it fit?"),
    st.Page(compare.page, title="Compare", url_path="compare", help="Who should we rent from?"),
    st.Page(what_if.page, title="What if", url_path="what-if", help="What would change this?"),
    st.Page(assumptions.page, title="Assumptions", url_path="assumptions", help="Where is this number from?"),
)
SIDE_BY_SIDE = st.Page(side_by_side.page, title="Side by side", url_path="side-by-side", help="What differs?")
PLANS = st.Page(plans.page, title="Plans", url_path="plans", help="What have we kept?")

with RUNS.turn(), frame.refusals_shown():
    frame.begin_run()
    pages = [*PAGES, *([SIDE_BY_SIDE] if history.pinned() else []), *([PLANS] if kept_plans.has_plans() else [])]
    page = st.navigation(pages, position="hidden" if st.context.is_embedded else "top")
    st.set_page_config(page_title=f"{page.title} · Rent, buy, or both?", page_icon=str(ICON), layout="wide")
    st.logo(str(ICON))
    style.put()
    state.session().pages = {each.title: each for each in pages}
    if st.context.is_embedded:
        embedded.page()
        st.stop()
    frame.phone_navigation(pages)
    frame.show_notices()
    ask.scenario(state.catalogue(), with_details=page is PAGES[0])
    if page is PAGES[0]:
        kept_plans.box()
        welcome.line(state.catalogue(), ask.use)
    history.load_plans(state.catalogue())
    page.run()
    frame.show_footer(state.catalogue(), state.day())
    state.settle(page.title)
