"""With whom a plan is shared, and the trail of who changed it, below the list of plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from planner.report import words
from planner.report.table import Table
from planner.store import HERE, Right
from planner.web import kept_plans, show, who

if TYPE_CHECKING:
    from planner.store.kept import KeptPlan

_NAME, _RIGHT = "share-name", "share-right"
_RIGHTS = {"View": Right.VIEW, "Edit": Right.EDIT}


def note(plan: KeptPlan) -> str:
    """Return whose plan it is, where it is somebody else's."""
    if plan.right == Right.OWN:
        return ""
    return f"shared by {plan.author or HERE}, to {'edit' if plan.right == Right.EDIT else 'view'}"


def box(plan: KeptPlan) -> None:
    """Show who may see a plan, to its author where people sign in."""
    if plan.right < Right.OWN or not who.visitor().name:
        return
    from planner.store.access import audience_text

    with st.expander("Share with", icon=":material/group:", key="share-with"):
        for name, right in (kept_plans.attempt(lambda plans: plans.shares(plan.id)) or {}).items():
            with st.container(horizontal=True, vertical_alignment="center", key=f"shared-{name}"):
                st.markdown(words.markdown(f"{audience_text(name)} may {right.name.lower()}"), width="stretch")
                st.button("Remove", key=f"unshare-{plan.id}-{name}", on_click=kept_plans.attempt,
                          args=(lambda plans, name=name: plans.share(plan.id, [name], None),))  # fmt: skip
        with st.form("share-form", clear_on_submit=True, border=False):
            st.text_input("E-mail address, @group or everyone", key=_NAME, max_chars=100)
            st.selectbox("May", list(_RIGHTS), key=_RIGHT)
            st.form_submit_button("Share", on_click=_share, args=(plan.id,))
        kept_plans.refusal()


def _share(plan: int) -> None:
    name, right = st.session_state[_NAME], _RIGHTS[st.session_state[_RIGHT]]
    kept_plans.attempt(lambda plans: plans.share(plan, [name], right))


def trail(plan: KeptPlan) -> None:
    """Show who changed what of a plan."""
    with show.on_demand("kept-trail", "Who changed what") as is_open:
        if is_open:
            from planner.store.lists import TRAIL_HEADS

            lines = kept_plans.attempt(lambda plans: plans.trail(plan.id)) or []
            table = Table.listed(TRAIL_HEADS, lines)
            show.table("trail", "", table, file="trail.csv", alt=f"{words.count(len(lines), 'change')} of this plan.")
