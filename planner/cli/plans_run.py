"""What the verbs of `plans` do with the store of kept plans."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from planner.api.plans import evaluate, plan_result, with_actuals, with_studies
from planner.api.records import RELEASE, LoadedScenario, Result
from planner.cli.common import OK, emit, write_result
from planner.cli.held import decision_maker
from planner.cli.inputs import load_scenario
from planner.cli.terminal import tell
from planner.report.accounting.bill_file import BillError, read_bill
from planner.report.answer.plan_report import PlanReport
from planner.report.forms import join_sections
from planner.report.table import Table, text_table
from planner.store import Right
from planner.store.access import Asker, audience_text
from planner.store.kept import KeptPlan, PlanFilter, PlanStore
from planner.store.versions import (
    TRAIL_HEADS,
    OpenedVersion,
    differences,
    figure_changes,
    kept_actuals,
    monthly_bill,
    new_version,
    open_version,
    opening_sentences,
    plans_table,
)
from pricing.exchange import rates
from pricing.feeds.live import current


def _labels(args: argparse.Namespace) -> Mapping[str, Any]:
    return {"folder": args.folder, "tags": args.tag}


def _save(args: argparse.Namespace) -> int:
    loaded = load_scenario(args.scenario, args)
    plan, report = _keep(loaded, args.name or loaded.scenario.name, _store(args), _labels(args))
    return emit(args, table=lambda: plans_table([plan]), data=lambda: {"plans": plans_table([plan]).records()},
                text=lambda: f"{_kept_text(plan)} {report.summary.title}\n")  # fmt: skip


def _store(args: argparse.Namespace) -> PlanStore:
    """Return the plans of this machine; what is only shared with somebody who signs in is not among them."""
    return PlanStore(Asker(person=decision_maker(args.by)))


def _keep(
    loaded: LoadedScenario, name: str, store: PlanStore, labels: Mapping[str, Any] | None = None,
    base: int | None = None,
) -> tuple[KeptPlan, PlanReport]:  # fmt: skip
    report = evaluate(loaded)
    version = new_version(report, loaded.facts, store.asker.person, datetime.now(UTC), RELEASE)
    return store.save(name, version, loaded.facts, base=base, labels=labels), report


def _kept_text(plan: KeptPlan) -> str:
    return f"“{plan.name}” is kept as version {plan.newest.number}."


def _list(args: argparse.Namespace) -> int:
    plans = _store(args).plans(PlanFilter(args.search, args.folder, args.tag, args.archived))
    table = plans_table(plans)
    return emit(args, table=lambda: table, data=lambda: {"plans": table.records()},
                text=lambda: f"{text_table(table)}\n" if plans else "No kept plan is like that.\n")  # fmt: skip


def _show(args: argparse.Namespace) -> int:
    opened = open_version(_store(args), args.name, args.version)
    if args.yaml:
        return emit(args, table=lambda: plans_table([opened.plan]), data=lambda: {"yaml": opened.version.text},
                    text=lambda: opened.version.text)  # fmt: skip
    then = evaluate(_loaded(opened))
    now = replace(_loaded(opened), facts=current(), day=date.today())
    if args.today:
        plan, report = _keep(now, opened.plan.name, _store(args), base=opened.plan.newest.number)
        tell(_kept_text(plan))
        return write_result(args, plan_result(with_studies(report)))
    result = _opened_result(opened, with_studies(then), evaluate(now))
    return write_result(args, _with_kept_actuals(_store(args), opened, then, result))


def _with_kept_actuals(store: PlanStore, opened: OpenedVersion, report: PlanReport, result: Result) -> Result:
    bill = kept_actuals(store, opened.plan, opened.version.number)
    try:
        return result if bill is None else with_actuals(report, result, bill)
    except BillError as problem:  # of a plan that is shorter now
        tell(str(problem))
        return result


def _actuals(args: argparse.Namespace) -> int:
    store = _store(args)
    opened = open_version(store, args.name, args.version)
    report, number = evaluate(_loaded(opened)), opened.version.number
    bill = read_bill(args.bill.read_bytes(), args.bill.name, rates(opened.facts))._replace(each=args.gpus_per_machine)
    store.add_actuals(opened.plan, number, monthly_bill(report.plan, bill), datetime.now(UTC))
    tell(f"{bill.name} is kept with version {number} of “{opened.plan.name}”.")
    return write_result(args, _with_kept_actuals(store, opened, report, plan_result(report)))


def _loaded(opened: OpenedVersion) -> LoadedScenario:
    return LoadedScenario(opened.plan.name, opened.scenario, opened.facts, opened.version.day, ())


def _opened_result(opened: OpenedVersion, then: PlanReport, now: PlanReport) -> Result:
    """Return a kept plan as it was saved; in front of it, what has changed until today."""
    plan, version, result = opened.plan, opened.version, plan_result(then)
    sentences, changes = opening_sentences(opened, then, now), figure_changes(then.plan, now.plan)

    def data() -> dict[str, Any]:
        about = {"name": plan.name, "version": version.number, "folder": plan.folder, "tags": list(plan.tags),
                 "saved": version.saved, "person": version.person, "sentences": sentences,
                 "changed_figures": changes.records()}  # fmt: skip
        return {**result.data(), "kept": about}

    def text() -> str:
        return "\n".join([*sentences, "", text_table(changes), "", result.text()])

    return Result(result.table, data, text)


def _diff(args: argparse.Namespace) -> int:
    store = _store(args)
    last = store.find(args.name).newest.number
    older = open_version(store, args.name, args.older or (last if args.other else max(last - 1, 1)))
    newer = open_version(store, args.other or args.name, args.newer)
    fields, measures = differences(older, newer)
    facts = "The same figures." if older.facts.digest == newer.facts.digest else "Other figures of the catalogue."
    titles = "\n".join(f"Version {each.version.number}: {each.version.result['title']}" for each in (older, newer))
    return emit(
        args,
        table=lambda: differences(older, newer, every=True)[1],
        data=lambda: {"fields": fields.records(), "measures": differences(older, newer, every=True)[1].records()},
        text=lambda: join_sections([("Answer", f"{titles}\n{facts}"), ("Fields", text_table(fields) or "the same"),
                                    ("Measures", text_table(measures) or "the same")]),
    )  # fmt: skip


def _label(args: argparse.Namespace) -> int:
    plan = _store(args).label(args.name, _labels(args))
    return _say(f"“{plan.name}”: folder {plan.folder or 'none'}, tags {', '.join(plan.tags) or 'none'}.")


def _duplicate(args: argparse.Namespace) -> int:
    return _say(_kept_text(_store(args).duplicate(args.name, args.new, datetime.now(UTC))))


def _archive(args: argparse.Namespace) -> int:
    plan = _store(args).archive(args.name, datetime.now(UTC))
    return _say(f"“{plan.name}” is archived; `plans restore` brings it back.")


def _restore(args: argparse.Namespace) -> int:
    return _say(f"“{_store(args).restore(args.name).name}” is back in the list.")


def _share(args: argparse.Namespace) -> int:
    right = Right[args.may.upper()] if "may" in args else None
    _store(args).share(args.name, args.people, right)
    return _say(_access_text(args))


def _access_text(args: argparse.Namespace) -> str:
    rows = [f"{row['Who']}: {row['May']}" for row in _access_table(args).records()]
    return f"“{args.name}” is shared with {'; '.join(rows) or 'nobody'}."


def _access_table(args: argparse.Namespace) -> Table:
    shares = _store(args).shares(args.name)
    return Table.listed(["Who", "May"], [(audience_text(name), right.name.lower()) for name, right in shares.items()])


def _access(args: argparse.Namespace) -> int:
    table = _access_table(args)
    return emit(args, table=lambda: table, data=lambda: {"shares": table.records()},
                text=lambda: f"{_access_text(args)}\n")  # fmt: skip


def _trail(args: argparse.Namespace) -> int:
    table = Table.listed(TRAIL_HEADS, _store(args).trail(args.name))
    return emit(args, table=lambda: table, data=lambda: {"trail": table.records()},
                text=lambda: f"{text_table(table)}\n")  # fmt: skip


def _say(sentence: str) -> int:
    print(sentence)
    return OK


RUNS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "save": _save, "list": _list, "show": _show, "diff": _diff, "actuals": _actuals, "label": _label,
    "duplicate": _duplicate, "archive": _archive, "restore": _restore, "share": _share, "unshare": _share,
    "access": _access, "trail": _trail,
}  # fmt: skip
