"""The verdict alone, or one view of it, in a frame of another site: `?embed=true`, and `look` names the view."""

import streamlit as st

from planner.report import words
from planner.scenario.link import PAGE_KEYS, scenario_from_link
from planner.scenario.shown_money import shown_money
from planner.web import address, show, state
from planner.web.pages import answer


def page() -> None:
    """Show the verdict and its figures, or the view that the address names; below it the way to the whole plan."""
    scenario, notes = scenario_from_link(address.texts(), state.catalogue(), PAGE_KEYS)
    result = state.set_current_plan(scenario, with_details=False)
    summary, views = result.summary, {}
    if result.answer.ranked:
        views = answer.views_of(result)
    st.title(words.markdown(summary.title), anchor=False)
    view = views.get(address.text("look") or "")
    if view is not None:
        view()
    else:
        show.paragraph(*filter(None, [result.doubt]))
        show.figures(summary.figures)
    about = " · ".join(filter(None, (show.plan_and_day(), shown_money().rate_text)))
    show.small(f"[Open this plan]({address.link()}) · {words.markdown(about)}")
    for note in notes:
        show.small(words.markdown(note))
