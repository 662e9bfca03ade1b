"""`plans`: keep a plan by name with the figures of its day, list, open, compare and archive what is kept."""

import argparse
from pathlib import Path
from typing import Any

from planner.cli.common import add_catalog_arguments, add_form_arguments, whole


def add(verbs: Any) -> None:
    """Add the verb, with verbs of its own."""
    about = "keep plans by name: every save is a version, with the figures of its day"
    inner = verbs.add_parser("plans", help=about).add_subparsers(required=True, metavar="WHAT")
    _add_save(inner)
    _add_looks(inner)
    _add_changes(inner)
    _add_sharing(inner)


def _add_save(inner: Any) -> None:
    save = _verb(inner, "save", "keep a plan; under a name that is kept already, as its next version")
    save.add_argument("scenario", metavar="SCENARIO", help="a YAML file, a pack or its plan.csv, or a preset")
    save.add_argument("--name", metavar="NAME", help="by which it is kept (default: the name in the plan)")
    _label_arguments(save)
    add_catalog_arguments(save)
    add_form_arguments(save)


def _add_looks(inner: Any) -> None:
    every = _verb(inner, "list", "list the kept plans, the last saved first")
    every.add_argument("--search", default="", metavar="WORDS", help="in names, folders, tags, answers and values")
    every.add_argument("--folder", default="", metavar="FOLDER", help="only of this folder or cost centre")
    every.add_argument("--tag", default="", metavar="TAG", help="only with this tag")
    every.add_argument("--archived", action="store_true", help="those that are archived")
    add_form_arguments(every)
    show = _verb(inner, "show", "show a kept plan as it was saved, and what has changed until today")
    _name(show)
    show.add_argument("--version", type=whole, metavar="N", help="an earlier version")
    show.add_argument("--today", action="store_true", help="show it at today's figures, and keep that as a version")
    show.add_argument("--yaml", action="store_true", help="print the file of the plan")
    add_form_arguments(show)
    diff = _verb(inner, "diff", "show what differs between two versions, or two plans")
    _name(diff)
    diff.add_argument("--older", type=whole, metavar="N", help="version (default: the last but one)")
    diff.add_argument("--newer", type=whole, metavar="N", help="version (default: the last)")
    diff.add_argument("--with", dest="other", metavar="NAME", help="another kept plan, in place of a newer version")
    add_form_arguments(diff)


def _add_changes(inner: Any) -> None:
    actuals = _verb(inner, "actuals", "keep the months of a bill with a plan, and set it beside the plan")
    _name(actuals)
    actuals.add_argument("bill", type=Path, metavar="FILE", help="a bill in FOCUS (CSV, Parquet)")
    actuals.add_argument("--version", type=whole, metavar="N", help="of the plan (default: the last)")
    actuals.add_argument("--gpus-per-machine", type=whole, metavar="N", help="of a machine that is billed by the hour")
    add_form_arguments(actuals)
    label = _verb(inner, "label", "change the folder or the tags of a plan")
    _name(label)
    _label_arguments(label)
    copy = _verb(inner, "duplicate", "keep the last version of a plan under another name too")
    _name(copy)
    copy.add_argument("new", metavar="NEW", help="the other name")
    _name(_verb(inner, "archive", "take a plan out of the list; nothing is deleted"))
    _name(_verb(inner, "restore", "bring an archived plan back"))


def _add_sharing(inner: Any) -> None:
    share = _verb(inner, "share", "let people who sign in see a plan of this machine, or change it")
    share.add_argument("--may", choices=("view", "edit"), default="view", help="what they may do")
    for verb in (share, _verb(inner, "unshare", "end that")):
        _name(verb)
        verb.add_argument("people", metavar="WHO", nargs="+", help="an e-mail address, @group or everyone")
    entries = _verb(inner, "access", "list with whom a plan is shared")
    _name(entries)
    add_form_arguments(entries)
    trail = _verb(inner, "trail", "show who changed what and when, the newest first")
    trail.add_argument("name", metavar="NAME", nargs="?", help="of the kept plan; all where there is none")
    add_form_arguments(trail)


def _verb(inner: Any, name: str, about: str) -> argparse.ArgumentParser:
    verb: argparse.ArgumentParser = inner.add_parser(name, help=about)
    verb.set_defaults(verb=run, what=name)
    verb.add_argument("--by", metavar="WHO", help="who does it, for the trail; the name of this account")
    return verb


def _name(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("name", metavar="NAME", help="of the kept plan")


def _label_arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--folder", metavar="FOLDER", help="a folder or cost centre; empty text: none")
    verb.add_argument("--tag", action="append", metavar="TAG", help="replaces the tags; may be said again")


def run(args: argparse.Namespace) -> int:
    """Load the store of plans once the arguments are understood, then run the verb of its own."""
    from planner.cli.plans_run import RUNS

    return RUNS[args.what](args)
