"""Side by side: the pinned plans beside the one on the screen."""

from collections.abc import Sequence

import streamlit as st

from planner.report import charts, words
from planner.report.answer.plan_report import PlanReport
from planner.report.answer.side_by_side import PinnedPlan, against, side_by_side_table
from planner.web import ask, history, show, state


def page() -> None:
    """Show the pinned plans beside the one on the screen: the costs of all, and what differs."""
    catalogue, on_screen = state.catalogue(), state.result(with_details=True)
    plans = history.pinned_plans(catalogue)
    if not plans:
        show.title("No plan is pinned", ("Pin a plan to see it beside the next ones.",))
        return
    first, *others = against(on_screen, plans) or ("Side by side",)
    show.title(first.rstrip("."), others)
    names = history.names(catalogue)
    with st.container(horizontal=True, vertical_alignment="center", key="pin-names"):
        for index, name in enumerate(names):
            with st.popover(words.markdown(name), key=f"pinned-{index}"):
                st.button(
                    "Show this plan", on_click=ask.show_plan, args=(history.pinned()[index],), key=f"use-pin-{index}"
                )
                st.button("Unpin", on_click=history.unpin, args=(index,), key=f"unpin-{index}")
    results = [*(plan.result for plan in plans), on_screen]
    labels = [*names, "On the screen"]
    _costs(results[-1], plans)
    reports = [
        PlanReport(name, result.plan, result.answer, result.summary)
        for name, result in zip(labels, results, strict=True)
    ]
    show.small_table(side_by_side_table(reports, [result.hints for result in results]), "side-by-side.csv", "pins")


def _costs(on_screen: state.PlanResult, plans: Sequence[PinnedPlan]) -> None:
    """Show the recommended option of each plan as a bar over its range, that on the screen first."""
    best = [("This plan", on_screen.answer.best), *((plan.letter, plan.best) for plan in plans)]
    options = [way for _, way in best if way is not None]
    names = [f"{name}: {way.option.title}" for name, way in best if way is not None]
    if options:
        finding = ", ".join(f"{name} {words.usd(way.present_usd)}" for name, way in zip(names, options, strict=True))
        show.chart(charts.option_ranges(options, names, state.dark()), finding, "pinned-ranges")
