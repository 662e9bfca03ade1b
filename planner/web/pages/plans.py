"""Plans: the kept plans, to search, open, compare, copy and put aside."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import streamlit as st

from planner.report import words
from planner.store import Right
from planner.web import kept_plans, show, show_portfolio

if TYPE_CHECKING:
    from planner.store.kept import KeptPlan, PlanFilter

VIEW = "plans"  # in the address: list, portfolio or versions
_MOST = 50  # rows; the search finds the others


def page() -> None:
    """Show the kept plans, and below them the versions of the one that is chosen."""
    kept_plans.go_to_answer()
    if kept_plans.store() is None:
        show.title("Kept plans", ("Plans are kept for people on this machine, and for visitors who have signed in.",))
        return
    every = kept_plans.attempt(lambda plans: plans.plans())
    show.title("Kept plans")
    kept_plans.refusal()
    if every is None:
        return
    wanted = _filter(every)
    kept = kept_plans.attempt(lambda plans: plans.plans(wanted)) or []
    views = {"List": lambda: _list(kept)}
    if every[1:]:
        views["Portfolio"] = lambda: show_portfolio.portfolio(every, kept)
    if kept:
        views["Versions"] = lambda: _details(kept)
    show.views(VIEW, tuple(views), tuple(views.values()))


def _filter(every: list[KeptPlan]) -> PlanFilter:
    from planner.store.kept import PlanFilter

    with st.container(horizontal=True, vertical_alignment="bottom", key="kept-filter"):
        search = st.text_input("Search", key="kept-search", placeholder="name, GPU, answer", max_chars=200)
        folders = sorted({plan.folder for plan in every if plan.folder})
        folder = st.selectbox(
            "Folder or cost centre", ["", *folders], key="kept-in", format_func=lambda it: it or "All"
        )
        tag = st.selectbox(
            "Tag",
            ["", *sorted({tag for plan in every for tag in plan.tags})],
            key="kept-with",
            format_func=lambda it: it or "All",
        )
        archived = st.toggle("Archived", key="kept-archived")
    return PlanFilter(search, folder, tag, archived)


def _list(kept: list[KeptPlan]) -> None:
    from planner.store.versions import plans_table

    if not kept:
        show.paragraph("No kept plan is like that.")
        return
    now = datetime.now(UTC)
    for plan in kept[:_MOST]:
        with st.container(horizontal=True, vertical_alignment="center", key=f"kept-row-{plan.id}"):
            st.button(words.markdown(plan.name), key=f"kept-show-{plan.id}", icon=":material/open_in_new:",
                      on_click=kept_plans.open_plan, args=(plan.id,))  # fmt: skip
            about = ", ".join(filter(None, (plan.folder, *plan.tags)))
            saved = f"version {plan.newest.number}, {words.day(plan.newest.saved)}, {plan.newest.person}"
            about = ", ".join(filter(None, (about, kept_plans.share_note(plan))))
            answer = words.markdown(str(plan.newest.result["title"]))
            quiet = words.markdown(" · ".join(filter(None, (about, saved))))
            st.markdown(f"{answer} :small[:gray[{quiet}]]", width="stretch")
            if plan.right < Right.OWN:
                continue
            if plan.archived:
                st.button("Restore", key=f"kept-restore-{plan.id}", on_click=kept_plans.attempt,
                          args=(lambda plans, id_=plan.id: plans.restore(id_),))  # fmt: skip
            else:
                st.button("Archive", key=f"kept-archive-{plan.id}", type="tertiary", on_click=kept_plans.attempt,
                          args=(lambda plans, id_=plan.id: plans.archive(id_, now),))  # fmt: skip
    if kept[_MOST:]:
        show.small(f"{len(kept):,} plans are kept: search for the others.")
    show.csv_button(plans_table(kept), "plans.csv", "csv-plans")


def _details(kept: list[KeptPlan]) -> None:
    """Show the versions of one plan, what differs between two of them, who may see it, and the way to copy it."""
    plans = {plan.id: plan for plan in kept}
    plan = plans[st.selectbox("Plan", plans, key="kept-plan", format_func=lambda id_: plans[id_].name)]
    versions = [version.number for version in kept_plans.attempt(lambda plans: plans.versions(plan)) or ()]
    if not versions:
        kept_plans.refusal()
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        newer = st.selectbox("Version", versions, key="kept-newer")
        older = st.selectbox("against", versions, index=min(1, len(versions[1:])), key="kept-older")
        st.button("Open this version", key="kept-open-version", on_click=kept_plans.open_plan, args=(plan.id, newer))
        name = st.text_input("Name of a copy", key="kept-copy", max_chars=120)
        now = datetime.now(UTC)
        st.button("Duplicate", key="kept-duplicate", disabled=not name, on_click=kept_plans.attempt,
                  args=(lambda plans: plans.duplicate(plan.id, name, now),))  # fmt: skip
    kept_plans.share_box(plan)
    if older != newer:
        _difference(plan, older, newer)
    kept_plans.trail(plan)


def _difference(plan: KeptPlan, older: int, newer: int) -> None:
    from planner.store.versions import differences, open_version

    both = kept_plans.attempt(lambda plans: [open_version(plans, plan.id, number) for number in (older, newer)])
    if both is None:
        kept_plans.refusal()
        return
    fields, measures = differences(*both)
    for label, table, file in (("Fields", fields, "fields.csv"), ("Measures", measures, "measures.csv")):
        st.markdown(f"**{label}**")
        if len(table):
            show.table(f"kept-{label}", "", table, file=file, alt=f"{label} in which the versions differ.")
        else:
            show.paragraph("The same.")
