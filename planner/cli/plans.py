"""`plans`: keep a plan by name with the figures of its day, list, open, compare and archive what is kept."""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.common import OK, add_catalog_arguments, emit, whole, write_result
from planner.cli.held import decision_maker
from planner.cli.terminal import tell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planner.api.records import LoadedScenario, Result
    from planner.report.answer.plan_report import PlanReport
    from planner.report.table import Table
    from planner.store.kept import KeptPlan, PlanStore
    from planner.store.versions import OpenedVersion


def add(verbs: Any) -> None:
    """Add the verb, with verbs of its own."""
    about = "keep plans by name: every save is a version, with the figures of its day"
    inner = verbs.add_parser("plans", help=about).add_subparsers(required=True, metavar="WHAT")
    _add_save(inner)
    _add_looks(inner)
    _add_changes(inner)
    _add_sharing(inner)


def _add_save(inner: Any) -> None:
    save = _verb(inner, "save", "keep a plan; under a name that is kept already, as its next version", _save)
    save.add_argument("scenario", metavar="SCENARIO", help="a YAML file, a pack or its plan.csv, or a preset")
    save.add_argument("--name", metavar="NAME", help="by which it is kept (default: the name in the plan)")
    _label_arguments(save)
    add_catalog_arguments(save)
    _output_arguments(save)


def _add_looks(inner: Any) -> None:
    every = _verb(inner, "list", "list the kept plans, the last saved first", _list)
    every.add_argument("--search", default="", metavar="WORDS", help="in names, folders, tags, answers and values")
    every.add_argument("--folder", default="", metavar="FOLDER", help="only of this folder or cost centre")
    every.add_argument("--tag", default="", metavar="TAG", help="only with this tag")
    every.add_argument("--archived", action="store_true", help="those that are archived")
    _output_arguments(every)
    show = _verb(inner, "show", "show a kept plan as it was saved, and what has changed until today", _show)
    _name(show)
    show.add_argument("--version", type=whole, metavar="N", help="an earlier version")
    show.add_argument("--today", action="store_true", help="show it at today's figures, and keep that as a version")
    show.add_argument("--yaml", action="store_true", help="print the file of the plan")
    _output_arguments(show)
    diff = _verb(inner, "diff", "show what differs between two versions, or two plans", _diff)
    _name(diff)
    diff.add_argument("--older", type=whole, metavar="N", help="version (default: the last but one)")
    diff.add_argument("--newer", type=whole, metavar="N", help="version (default: the last)")
    diff.add_argument("--with", dest="other", metavar="NAME", help="another kept plan, in place of a newer version")
    _output_arguments(diff)


def _add_changes(inner: Any) -> None:
    actuals = _verb(inner, "actuals", "keep the months of a bill with a plan, and set it beside the plan", _actuals)
    _name(actuals)
    actuals.add_argument("bill", type=Path, metavar="FILE", help="a bill in FOCUS (CSV, Parquet)")
    actuals.add_argument("--version", type=whole, metavar="N", help="of the plan (default: the last)")
    actuals.add_argument("--gpus-per-machine", type=whole, metavar="N", help="of a machine that is billed by the hour")
    _output_arguments(actuals)
    label = _verb(inner, "label", "change the folder or the tags of a plan", _label)
    _name(label)
    _label_arguments(label)
    copy = _verb(inner, "duplicate", "keep the last version of a plan under another name too", _duplicate)
    _name(copy)
    copy.add_argument("new", metavar="NEW", help="the other name")
    _name(_verb(inner, "archive", "take a plan out of the list; nothing is deleted", _archive))
    _name(_verb(inner, "restore", "bring an archived plan back", _restore))


def _add_sharing(inner: Any) -> None:
    share = _verb(inner, "share", "let people who sign in see a plan of this machine, or change it", _share)
    share.add_argument("--may", choices=("view", "edit"), default="view", help="what they may do")
    for verb in (share, _verb(inner, "unshare", "end that", _share)):
        _name(verb)
        verb.add_argument("people", metavar="WHO", nargs="+", help="an e-mail address, @group or everyone")
    entries = _verb(inner, "access", "list with whom a plan is shared", _access)
    _name(entries)
    _output_arguments(entries)
    trail = _verb(inner, "trail", "show who changed what and when, the newest first", _trail)
    trail.add_argument("name", metavar="NAME", nargs="?", help="of the kept plan; all where there is none")
    _output_arguments(trail)


def _verb(inner: Any, name: str, about: str, run: Any) -> argparse.ArgumentParser:
    verb: argparse.ArgumentParser = inner.add_parser(name, help=about)
    verb.set_defaults(verb=run)
    verb.add_argument("--by", metavar="WHO", help="who does it, for the trail; the name of this account")
    return verb


def _name(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("name", metavar="NAME", help="of the kept plan")


def _label_arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--folder", metavar="FOLDER", help="a folder or cost centre; empty text: none")
    verb.add_argument("--tag", action="append", metavar="TAG", help="replaces the tags; may be said again")


def _output_arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--csv", type=Path, metavar="FILE", help="write the table")


def _labels(args: argparse.Namespace) -> Mapping[str, Any]:
    return {"folder": args.folder, "tags": args.tag}


def _save(args: argparse.Namespace) -> int:
    from planner.cli.scenarios import load_scenario

    loaded = load_scenario(args.scenario, args)
    plan, report = _keep(loaded, args.name or loaded.scenario.name, _store(args), _labels(args))
    return emit(args, table=lambda: _table([plan]), data=lambda: {"plans": _table([plan]).records()},
                text=lambda: f"{_kept_text(plan)} {report.summary.title}\n")  # fmt: skip


def _store(args: argparse.Namespace) -> PlanStore:
    """Return the plans of this machine; what is only shared with somebody who signs in is not among them."""
    from planner.store.access import Asker
    from planner.store.kept import PlanStore

    return PlanStore(Asker(person=decision_maker(args.by)))


def _keep(
    loaded: LoadedScenario, name: str, store: PlanStore, labels: Mapping[str, Any] | None = None,
    base: int | None = None,
) -> tuple[KeptPlan, PlanReport]:  # fmt: skip
    from planner.api.plans import evaluate
    from planner.api.records import RELEASE
    from planner.store.versions import new_version

    report = evaluate(loaded)
    version = new_version(report, loaded.facts, store.asker.person, datetime.now(UTC), RELEASE)
    return store.save(name, version, loaded.facts, base=base, labels=labels), report


def _kept_text(plan: KeptPlan) -> str:
    return f"“{plan.name}” is kept as version {plan.newest.number}."


def _list(args: argparse.Namespace) -> int:
    from planner.store.kept import PlanFilter

    plans = _store(args).plans(PlanFilter(args.search, args.folder, args.tag, args.archived))
    table = _table(plans)

    def text() -> str:
        from planner.report.table import text_table

        return f"{text_table(table)}\n" if plans else "No kept plan is like that.\n"

    return emit(args, table=lambda: table, data=lambda: {"plans": table.records()}, text=text)


def _table(plans: list[KeptPlan]) -> Any:
    from planner.store.versions import plans_table

    return plans_table(plans)


def _show(args: argparse.Namespace) -> int:
    from planner.api.plans import evaluate, plan_result, with_studies
    from planner.store.versions import open_version
    from pricing.feeds.live import current

    opened = open_version(_store(args), args.name, args.version)
    if args.yaml:
        return emit(args, table=lambda: _table([opened.plan]), data=lambda: {"yaml": opened.version.text},
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
    from planner.api.plans import with_actuals
    from planner.report.accounting.bill_file import BillError
    from planner.store.versions import kept_actuals

    bill = kept_actuals(store, opened.plan, opened.version.number)
    try:
        return result if bill is None else with_actuals(report, result, bill)
    except BillError as problem:  # of a plan that is shorter now
        tell(str(problem))
        return result


def _actuals(args: argparse.Namespace) -> int:
    from planner.api.plans import evaluate, plan_result
    from planner.report.accounting.bill_file import read_bill
    from planner.store.versions import monthly_bill, open_version
    from pricing.exchange import rates

    store = _store(args)
    opened = open_version(store, args.name, args.version)
    report, number = evaluate(_loaded(opened)), opened.version.number
    bill = read_bill(args.bill.read_bytes(), args.bill.name, rates(opened.facts))._replace(each=args.gpus_per_machine)
    store.add_actuals(opened.plan, number, monthly_bill(report.plan, bill), datetime.now(UTC))
    tell(f"{bill.name} is kept with version {number} of “{opened.plan.name}”.")
    return write_result(args, _with_kept_actuals(store, opened, report, plan_result(report)))


def _loaded(opened: OpenedVersion) -> LoadedScenario:
    from planner.api.records import LoadedScenario

    return LoadedScenario(opened.plan.name, opened.scenario, opened.facts, opened.version.day, ())


def _opened_result(opened: OpenedVersion, then: PlanReport, now: PlanReport) -> Result:
    """Return a kept plan as it was saved; in front of it, what has changed until today."""
    from planner.api.plans import plan_result
    from planner.api.records import Result
    from planner.report.table import text_table
    from planner.store.versions import figure_changes, opening_sentences

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
    from planner.report.forms import join_sections
    from planner.report.table import text_table
    from planner.store.versions import differences, open_version

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
    from planner.store import Right

    right = Right[args.may.upper()] if "may" in args else None
    _store(args).share(args.name, args.people, right)
    return _say(_access_text(args))


def _access_text(args: argparse.Namespace) -> str:
    rows = [f"{row['Who']}: {row['May']}" for row in _access_table(args).records()]
    return f"“{args.name}” is shared with {'; '.join(rows) or 'nobody'}."


def _access_table(args: argparse.Namespace) -> Table:
    from planner.report.table import Table
    from planner.store.access import audience_text

    shares = _store(args).shares(args.name)
    return Table.listed(["Who", "May"], [(audience_text(name), right.name.lower()) for name, right in shares.items()])


def _access(args: argparse.Namespace) -> int:
    table = _access_table(args)
    return emit(args, table=lambda: table, data=lambda: {"shares": table.records()},
                text=lambda: f"{_access_text(args)}\n")  # fmt: skip


def _trail(args: argparse.Namespace) -> int:
    from planner.report.table import Table, text_table
    from planner.store.versions import TRAIL_HEADS

    table = Table.listed(TRAIL_HEADS, _store(args).trail(args.name))
    return emit(args, table=lambda: table, data=lambda: {"trail": table.records()},
                text=lambda: f"{text_table(table)}\n")  # fmt: skip


def _say(sentence: str) -> int:
    print(sentence)
    return OK
