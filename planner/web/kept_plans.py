"""Kept plans of a session: saved from the Share box, shared, opened with the figures of their day, moved on to today's.

The address holds which version is open (`saved=12.3`), so a reload and a link to oneself open it again. SQLAlchemy is
loaded once a plan is saved, or where there are kept plans to list.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import streamlit as st

from planner.api.records import RELEASE
from planner.report import words
from planner.report.answer.plan_report import PlanReport
from planner.report.table import Table
from planner.scenario.link import LinkTooLongError, scenario_to_link
from planner.scenario.question import KEYS
from planner.store import HERE, Right, may_hold_plans
from planner.web import address, ask, show, sign_in, state
from planner.web.shared import memory, noting_refusal
from pricing import Catalogue, PricingError
from pricing.caching import T, cached

if TYPE_CHECKING:
    from planner.money.plan import Plan
    from planner.report.accounting.bill_file import Bill
    from planner.store.kept import KeptPlan, PlanStore

KEY = "saved"  # in the address: the plan's number and its version, and whether today's figures are shown
_OPEN, _REFUSAL, _GO = "kept_open", "kept_refusal", "kept_go"
_ADDRESS = re.compile(r"(\d{1,9})\.(\d{1,6})(-today)?", re.ASCII)
_FIRST = 5  # that the first page names


@dataclass(frozen=True)
class OpenPlan:
    """The kept plan that this session has open."""

    id: int
    name: str
    folder: str
    tags: tuple[str, ...]
    version: int
    sentence: str  # about the version
    is_frozen: bool  # whether its own figures are shown


def store() -> PlanStore | None:
    """Return the plans that this visitor may see; None for one who may keep none."""
    visitor, author = sign_in.visitor(), sign_in.keeper()
    if author is None:
        return None
    from planner.store.access import Asker
    from planner.store.kept import PlanStore

    return PlanStore(Asker(author, visitor.groups, visitor.name or HERE))


def has_plans() -> bool:
    """Return whether this visitor may have kept plans."""
    return may_hold_plans() and sign_in.keeper() is not None


def opened() -> OpenPlan | None:
    """Return the kept plan that is open."""
    return memory().get(_OPEN)


def load_from_link() -> None:
    """Open the version that the address names, with its own figures. One that this visitor lacks is left out."""
    match = _ADDRESS.fullmatch(address.text(KEY) or "")
    memory()[_OPEN] = None
    state.session().frozen_facts = None
    if match is None or not has_plans():
        address.put({KEY: None})
        return
    if not attempt(lambda plans: _show(plans, plans.find(int(match[1])), int(match[2]), is_frozen=not match[3])):
        address.put({KEY: None})


def open_plan(plan: str | int, number: int | None = None) -> None:
    """Show a kept plan as it was saved. Only in a callback."""
    if attempt(lambda plans: _open(plans, plan, number)):
        memory()[_GO] = True


def _open(plans: PlanStore, plan: str | int, number: int | None) -> bool:
    from planner.store.versions import open_version

    version = open_version(plans, plan, number)
    try:
        texts = scenario_to_link(version.scenario)
    except LinkTooLongError as error:
        raise PricingError(f"“{version.plan.name}” says more than a page can hold: use `plans show`.") from error
    ask.show_plan(texts)
    return _show(plans, version.plan, version.version.number, is_frozen=True)


def go_to_answer() -> None:
    """Turn to the Answer page after a plan was opened."""
    if memory().pop(_GO, False):
        st.switch_page(state.session().pages["Answer"])


def _show(plans: PlanStore, plan: KeptPlan, number: int, *, is_frozen: bool) -> bool:
    from planner.store.versions import kept_actuals

    version = plans.version(plan, number)
    state.session().frozen_facts = _facts(plans, version.digest) if is_frozen else None
    state.session().as_of = version.day if is_frozen and version.day < state.today() else None
    sentence = (
        f"Open: version {number} of “{plan.name}”, saved on {words.day(version.saved)} by {version.person}, "
        f"with the figures of {words.day(version.day)}."
    )
    if (bill := kept_actuals(plans, plan, number)) is not None:
        sentence += f" Bills of {words.usd(sum(charge.usd for charge in bill.charges))} are kept with it."
    memory()[_OPEN] = OpenPlan(plan.id, plan.name, plan.folder, plan.tags, number, sentence, is_frozen)
    address.put({KEY: f"{plan.id}.{number}{'' if is_frozen else '-today'}"})
    return True


@cached(4)
def _facts(plans: PlanStore, digest: str) -> Catalogue:
    """Return the facts of a version, once for all who may see it; nobody changes them."""
    facts = plans.facts(digest)
    if facts is None:
        raise PricingError("The figures of this version are gone.")
    return facts


def _use_todays_figures() -> None:
    plan = opened()
    if plan is not None:
        attempt(lambda plans: _show(plans, plans.find(plan.id), plan.version, is_frozen=False))


def attempt(action: Callable[[PlanStore], T]) -> T | None:
    """Return the result of an action on the plans that the visitor may see at this moment.

    None where it is refused, with a sentence for the page.
    """
    with noting_refusal(_REFUSAL):
        plans = store()
        return None if plans is None else action(plans)
    return None


def refusal() -> None:
    """Show once why the last action was refused."""
    if text := memory().pop(_REFUSAL, None):
        st.error(words.markdown(text), icon=":material/save:")


def notice() -> bool:
    """Say which kept plan is open, and what has changed since. Return whether its figures are those of its day."""
    plan = opened()
    if plan is None or not plan.is_frozen:
        return False
    with st.container(horizontal=True, vertical_alignment="center", key="kept-open"):
        st.info(words.markdown(plan.sentence), icon=":material/history:")
        is_today = state.live_catalogue().digest == state.facts_to_keep().digest and state.session().as_of is None
        if not is_today:
            st.button("Use today's figures", key="kept-today", on_click=_use_todays_figures)
    return True


def changes() -> None:
    """Show which figures of the open plan are others today."""
    latest, plan = state.result_at_todays_prices(), opened()
    if latest is None or plan is None or not plan.is_frozen:
        return
    with show.on_demand("kept-changes", "Which figures have changed") as is_open:
        if is_open:
            from planner.store.versions import figure_changes  # only where a kept plan is open

            table = figure_changes(state.result().plan, latest.plan)
            alt = f"{words.count(len(table), 'figure')} changed since this plan was saved."
            show.table("kept-figures", "", table, file="changed-figures.csv", alt=alt)


def actuals() -> Bill | None:
    """Return what was billed for the plan that is open, as it is kept with it."""
    from planner.store.versions import kept_actuals  # only where a kept plan is open

    plan = opened()
    if plan is None or not plan.is_frozen:  # the months are those of its own day
        return None
    return attempt(lambda plans: kept_actuals(plans, plans.find(plan.id), plan.version))


def keep_actuals(plan: Plan, bill: Bill) -> None:
    """Keep the months of a bill with the version that is open. Only in a callback."""
    from planner.store.versions import monthly_bill

    if (of := opened()) is not None:
        text, at = monthly_bill(plan, bill), datetime.now(UTC)
        attempt(lambda plans: plans.add_actuals(plans.find(of.id), of.version, text, at))


def save_form(report: PlanReport) -> None:
    """Show the fields that keep a plan under a name, with its button."""
    if sign_in.keeper() is None:
        return
    plan = opened()
    st.markdown("**Save** this plan with the figures it uses; every save is a version")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        usual = plan.name if plan else report.plan.setting.written.name
        name = st.text_input("Name", usual, max_chars=120, key="kept-name")
        folder = st.text_input("Folder or cost centre", plan.folder if plan else "", max_chars=120, key="kept-folder")
        tags = st.text_input("Tags, with commas", ", ".join(plan.tags) if plan else "", key="kept-tags")
        if st.button("Save", icon=":material/save:", key="kept-save"):
            labels = {"folder": folder, "tags": [tag for tag in map(str.strip, tags.split(",")) if tag]}
            _save(report, name, labels)
    refusal()


def _save(report: PlanReport, name: str, labels: dict[str, object]) -> None:
    from planner.store.versions import new_version

    facts, target = state.facts_to_keep(), _target(name)
    base = _base(target)
    version = new_version(report, facts, sign_in.visitor().name or HERE, datetime.now(UTC), RELEASE)
    plan = attempt(lambda plans: plans.save(target, version, facts, base=base, labels=labels))
    if plan is None:
        _note_conflict(target)
        return
    attempt(lambda plans: _show(plans, plan, plan.newest.number, is_frozen=True))
    st.toast(words.markdown(f"“{plan.name}” is kept as version {plan.newest.number}."), icon=":material/save:")
    address.write()
    st.rerun()


_SEEN = "kept_seen"  # the newest version by plan, once its sentence was read


def _target(name: str) -> str | int:
    """Return the number of the open plan where it has this name, else the name."""
    name, plan = " ".join(name.split()), opened()
    return plan.id if plan is not None and plan.name.casefold() == name.casefold() else name


def _base(target: str | int) -> int:
    """Return the version under this name that this visitor has seen; 0 for none."""
    plan = opened()
    seen: dict[str | int, int] = memory().setdefault(_SEEN, {})
    return max(seen.pop(target, 0), plan.version if plan is not None and plan.id == target else 0)


def _note_conflict(target: str | int) -> None:
    """Let the next save follow the version that the sentence has named."""
    from planner.store.access import UnknownPlanError

    plans = store()
    try:
        newest = 0 if plans is None else plans.find(target).newest.number
    except UnknownPlanError:
        newest = 0
    except PricingError:
        return  # the store itself is the trouble
    memory()[_SEEN][target] = newest


def box() -> None:
    """Show the plans that were saved last, on the first page until it shows a plan of the visitor's own."""
    memory().pop(_GO, None)
    is_first = has_plans() and not KEYS.keys() & address.texts().keys()
    kept = attempt(lambda plans: plans.plans()) if is_first else None
    refusal()
    if not kept:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="kept-box"):
        st.markdown("**Your plans**", width="content")
        for plan in kept[:_FIRST]:
            st.button(words.markdown(plan.name), key=f"kept-open-{plan.id}", type="tertiary",
                      on_click=open_plan, args=(plan.id,))  # fmt: skip
        st.page_link(state.session().pages["Plans"], label=f"All {len(kept)}" if kept[_FIRST:] else "Details")


_NAME, _RIGHT = "share-name", "share-right"
_RIGHTS = {"View": Right.VIEW, "Edit": Right.EDIT}


def share_note(plan: KeptPlan) -> str:
    """Return whose plan it is, where it is somebody else's."""
    if plan.right == Right.OWN:
        return ""
    return f"shared by {plan.author or HERE}, to {'edit' if plan.right == Right.EDIT else 'view'}"


def share_box(plan: KeptPlan) -> None:
    """Show who may see a plan, to its author where people sign in."""
    if plan.right < Right.OWN or not sign_in.visitor().name:
        return
    from planner.store.access import audience_text

    with st.expander("Share with", icon=":material/group:", key="share-with"):
        for name, right in (attempt(lambda plans: plans.shares(plan.id)) or {}).items():
            with st.container(horizontal=True, vertical_alignment="center", key=f"shared-{name}"):
                st.markdown(words.markdown(f"{audience_text(name)} may {right.name.lower()}"), width="stretch")
                st.button("Remove", key=f"unshare-{plan.id}-{name}", on_click=attempt,
                          args=(lambda plans, name=name: plans.share(plan.id, [name], None),))  # fmt: skip
        with st.form("share-form", clear_on_submit=True, border=False):
            st.text_input("E-mail address, @group or everyone", key=_NAME, max_chars=100)
            st.selectbox("May", list(_RIGHTS), key=_RIGHT)
            st.form_submit_button("Share", on_click=_share, args=(plan.id,))
        refusal()


def _share(plan: int) -> None:
    name, right = st.session_state[_NAME], _RIGHTS[st.session_state[_RIGHT]]
    attempt(lambda plans: plans.share(plan, [name], right))


def trail(plan: KeptPlan) -> None:
    """Show who changed what of a plan."""
    with show.on_demand("kept-trail", "Who changed what") as is_open:
        if is_open:
            from planner.store.versions import TRAIL_HEADS

            lines = attempt(lambda plans: plans.trail(plan.id)) or []
            table = Table.listed(TRAIL_HEADS, lines)
            show.table("trail", "", table, file="trail.csv", alt=f"{words.count(len(lines), 'change')} of this plan.")
