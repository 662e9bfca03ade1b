"""A portfolio on the page Plans: the plans that are picked, what to own and to rent for all, and who pays what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from planner.money.chargeback import Rule
from planner.report import words
from planner.report.charts import chargeback_bars
from planner.report.files.csv import to_csv
from planner.report.portfolio_words import RULES, PortfolioReport, portfolio_reports
from planner.report.table import Table
from planner.scenario.file import MOST_PLANS
from planner.web import address, kept_plans, show, state, workers
from planner.web.shared import shared

if TYPE_CHECKING:
    from planner.store.kept import KeptPlan

PLANS, RULE = "portfolio", "by"  # in the address: the numbers of the plans, and how costs are divided
Reports = dict[Rule, tuple[PortfolioReport, bytes]]
_SHOWN = 16  # portfolios that are kept
_LABELS: dict[Rule, str] = {"hours": "GPU-hours", "peak": "most GPUs at once"}


def portfolio(plans: Sequence[KeptPlan], listed: Sequence[KeptPlan]) -> None:
    """Let somebody pick plans, or all that the list shows, and show them as one."""
    names = {str(plan.id): plan.name for plan in plans if not plan.archived}
    address.choices(PLANS, names)
    with st.container(horizontal=True, vertical_alignment="bottom", key="portfolio-pick"):
        picked = st.multiselect(
            "Plans that share a fleet", names, format_func=names.__getitem__, key=PLANS, max_selections=MOST_PLANS,
            placeholder="Pick two or more",
        )  # fmt: skip
        some = [str(plan.id) for plan in listed if not plan.archived][:MOST_PLANS]
        if picked != some and len(some) > 1:
            st.button(f"Take the {len(some)} of the list", key="portfolio-all", on_click=_take, args=(some,))
    if len(picked) < 2:
        return
    reports = kept_plans.attempt(lambda _: _reports([plan for plan in plans if str(plan.id) in picked]))
    kept_plans.refusal()
    if reports is not None:
        _show(reports)


def _take(ids: list[str]) -> None:
    st.session_state[PLANS] = ids


def _reports(plans: Sequence[KeptPlan]) -> Reports:
    from planner.store.versions import portfolio_plan

    facts = state.live_catalogue()
    return _shared_reports(facts, tuple(portfolio_plan(plan, facts) for plan in plans), state.today())


_shared_reports = shared(_SHOWN, spinner="Planning them together")(workers.remote(portfolio_reports, is_slow=True))


def _show(reports: Reports) -> None:
    address.choice(RULE, RULES, "hours")
    first, _ = reports["hours"]
    st.header(words.markdown(first.title), anchor=False)
    show.paragraph(first.sentences[0])
    rule = st.segmented_control("Costs are divided by", RULES, format_func=_LABELS.__getitem__, key=RULE, required=True)
    report, focus = reports[rule]
    tables, of = report.tables, "Team"
    if len(tables["teams"]) == len(tables["chargeback"]):
        of = "Plan"
    rows = tables["teams" if of == "Team" else "chargeback"]
    paid = (f"{name} {words.usd(usd)}" for name, usd in zip(rows[of], rows["Pays, USD"], strict=True))
    finding = f"What each {of.lower()} pays: {words.listed(paid)}."
    show.chart(chargeback_bars(rows, of, state.dark()), finding, "portfolio-chart")
    for name in ("teams", "chargeback")[of == "Plan" :]:
        show.table(f"portfolio-{name}", "", tables[name], _columns, f"{name}.csv", alt=f"What each pays: {name}")
    with st.container(horizontal=True):
        months = tables["months"]
        show.download("By month, to the cent (CSV)", "chargeback-months.csv", lambda: to_csv(months), "pay-months")
        show.download("In FOCUS 1.4 (CSV)", "chargeback-focus.csv", lambda: focus, "pay-focus")
    for sentence in report.sentences[1:]:
        show.small(words.markdown(sentence))
    for name, label in (("fleets", "Fleets"), ("demand", "Demand by month")):
        show.table(f"portfolio-{name}", label, tables[name], _columns, f"{name}.csv", alt=label)


def _columns(table: Table) -> dict[str, Any]:
    whole = {name: show.MONEY for name in table.columns if "GPU" in name and name != "Fleet"}
    return whole | show.in_usd(table) | {"Share of the fleet": show.WHOLE_SHARE}
