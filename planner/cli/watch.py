"""`watch`: changes of a plan's answer, or a fall of a price, since the last run. No news, no output."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.common import NEWS, OK, UsageError, dollars, to_versioned_json, write_file

if TYPE_CHECKING:
    from planner.scenario.file import SavedScenario
    from planner.store.versions import OpenedVersion
    from pricing import Catalogue


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("watch", help="say when a plan's answer turns or a price falls; for cron")
    verb.set_defaults(verb=run)
    verb.add_argument(
        "scenario", metavar="SCENARIO", help="a YAML file (docs/scenario.md), the name of a preset, or of a kept plan"
    )
    verb.add_argument(
        "--below", type=dollars, metavar="USD_PER_HOUR",
        help="say when a posted price of its GPU, read in the last 30 days, falls below this for one GPU-hour",
    )  # fmt: skip
    verb.add_argument("--turns", action="store_true", help="say when its answer turns; so it is without --below")
    verb.add_argument("--json", action="store_true", help="print JSON, also where there is no news")


_FRESH_DAYS = 30  # an older price is no news


@dataclass(frozen=True)
class WatchSnapshot:
    """The state of a plan, kept for the next run. Field names are keys of the JSON."""

    plan: str  # digest of the scenario: another plan has no earlier snapshot
    day: str
    title: str
    usd: dict[str, float]
    best: str
    lowest_usd: float | None  # of one GPU-hour
    seller: str


def run(args: argparse.Namespace) -> int:
    """Take a snapshot, print the changes since the last one, and keep it."""
    path = _state_file(args.scenario)
    kept = _kept_version(args.scenario)
    now, before = _take_snapshot(args.scenario, kept), _read_previous(path)
    if before is None or before.plan != now.plan:
        before = None if kept is None else _kept_snapshot(kept, now.plan)
    changes = _changes(now, before, args)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_file(path, json.dumps(asdict(now)).encode())
    if args.json:
        last = None if before is None else asdict(before)
        sys.stdout.write(to_versioned_json({"news": changes, "now": asdict(now), "before": last}) + "\n")
    elif changes:
        sys.stdout.write("".join(f"{args.scenario}: {line}\n" for line in changes))
    return NEWS if changes else OK


def _changes(now: WatchSnapshot, before: WatchSnapshot | None, args: argparse.Namespace) -> list[str]:
    from planner.report.answer.plan_report import VerdictSummary, price_drop_text, price_update_text

    changes: list[str] = []
    if (args.turns or args.below is None) and before is not None and before.best != now.best:
        verdicts = (VerdictSummary(it.title, it.usd, "") for it in (before, now))
        changes.append(price_update_text(*verdicts))
    if args.below is not None and now.lowest_usd is not None and now.lowest_usd < args.below:
        last = None if before is None else before.lowest_usd
        if last is None or last >= args.below:
            changes.append(price_drop_text(now.seller, now.lowest_usd, args.below, last))
    return changes


def _kept_version(name: str) -> OpenedVersion | None:
    """Return the newest version of a kept plan; None for the name of a file or a preset."""
    from planner.scenario.presets import find_preset
    from planner.store import may_hold_plans

    if Path(name).is_file() or find_preset(name) is not None or not may_hold_plans():
        return None
    from planner.store.access import UnknownPlanError
    from planner.store.kept import PlanStore
    from planner.store.versions import open_version

    try:
        return open_version(PlanStore(), name)
    except UnknownPlanError:
        return None


def _kept_snapshot(kept: OpenedVersion, plan: str) -> WatchSnapshot:
    """Return a kept plan as it was saved: its first news is what has turned since."""
    version = kept.version
    result = version.result
    return WatchSnapshot(plan, version.day.isoformat(), result["title"], dict(result["usd"]), result["best"], None, "")


def _saved(name: str, kept: OpenedVersion | None) -> tuple[SavedScenario, tuple[str, ...]]:
    from planner.cli.inputs import read_scenario_or_preset
    from planner.scenario.file import SavedScenario

    return read_scenario_or_preset(name) if kept is None else (SavedScenario(kept.scenario), ())


def _take_snapshot(name: str, kept: OpenedVersion | None) -> WatchSnapshot:
    from planner.api.plans import evaluate
    from planner.api.records import LoadedScenario
    from planner.report.answer.plan_report import summarize_verdict
    from planner.study.market.survey import sized_accelerator
    from pricing.feeds.live import current

    saved, about = _saved(name, kept)
    facts, day = current(), date.today()
    report = evaluate(LoadedScenario(name, saved.scenario, facts, day, about))
    verdict = summarize_verdict(report.plan, report.answer)
    lowest, seller = _lowest_posted_price(facts, sized_accelerator(report.plan.setting).accelerator, day)
    best = "" if report.answer.best is None else report.answer.best.option.key
    digest = hashlib.sha256(saved.scenario.model_dump_json(exclude_defaults=True).encode()).hexdigest()
    return WatchSnapshot(digest, day.isoformat(), verdict.title, verdict.usd, best, lowest, seller)


def _lowest_posted_price(facts: Catalogue, accelerator: str, day: date) -> tuple[float | None, str]:
    """Return the lowest posted price of a GPU that a plan could rent, and its seller."""
    from planner.money.renting.cheapest_offer import default_offer_filter
    from pricing.query import find, price

    ids = find(facts, replace(default_offer_filter(accelerator), max_age_days=_FRESH_DAYS), day).ids
    key = min(ids, key=lambda id_: price(facts.offers[id_]), default=None)
    if key is None or facts.offers[key].usd_per_accelerator_hour is None:
        return None, ""
    return price(facts.offers[key]), facts.providers[facts.offers[key].provider].label


def _state_file(name: str) -> Path:
    from pricing.feeds.folder import FOLDER, live_data_dir

    folder = live_data_dir()
    if folder is None:
        raise UsageError(f"There is no home folder to keep the last snapshot in: name one in {FOLDER}")
    path = Path(name)
    key = str(path.resolve()) if path.is_file() else name
    return folder / "watched" / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def _read_previous(path: Path) -> WatchSnapshot | None:
    """Return the last snapshot; None where there is none, or where it cannot be read."""
    try:
        return WatchSnapshot(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
