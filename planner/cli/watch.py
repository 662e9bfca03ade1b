"""`watch`: whether a plan's answer has turned, or a price has fallen, since the last look. No news, no output."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.arguments import dollars
from planner.cli.common import NEWS, OK, UsageError, to_versioned_json, write_file

if TYPE_CHECKING:
    from planner.report.answer.verdict_line import VerdictSummary
    from pricing import Catalogue


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    verb = verbs.add_parser("watch", help="say when a plan's answer turns or a price falls; for cron")
    verb.set_defaults(verb=run)
    verb.add_argument("scenario", metavar="SCENARIO", help="a YAML file (docs/scenario.md), or the name of a preset")
    verb.add_argument(
        "--below", type=dollars, metavar="USD_PER_HOUR",
        help="say when a posted price of its GPU, read in the last 30 days, falls below this for one GPU-hour",
    )  # fmt: skip
    verb.add_argument("--turns", action="store_true", help="say when its answer turns; so it is without --below")
    verb.add_argument("--json", action="store_true", help="print JSON, also where there is no news")


_FRESH_DAYS = 30  # an older price does not fall, it is only remembered


@dataclass(frozen=True)
class Look:
    """What a look at a plan found; kept for the next one."""

    plan: str  # digest of the scenario: another plan is looked at for the first time
    day: str
    title: str
    usd: dict[str, float]
    best: str
    lowest_usd: float | None  # of one GPU-hour
    seller: str


def run(args: argparse.Namespace) -> int:
    """Look, say what is new since the last look, and keep this one."""
    place = _place(args.scenario)
    now, before = _take_snapshot(args.scenario), _kept(place)
    before = before if before is not None and before.plan == now.plan else None
    said = _news(now, before, args)
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_file(place, json.dumps(asdict(now)).encode())
    if args.json:
        last = None if before is None else asdict(before)
        sys.stdout.write(to_versioned_json({"news": said, "now": asdict(now), "before": last}) + "\n")
    elif said:
        sys.stdout.write("".join(f"{args.scenario}: {line}\n" for line in said))
    return NEWS if said else OK


def _news(now: Look, before: Look | None, args: argparse.Namespace) -> list[str]:
    from planner.report.answer.verdict_line import price_drop_text, price_update_text

    said: list[str] = []
    if (args.turns or args.below is None) and before is not None and before.best != now.best:
        said.append(price_update_text(_verdict(before), _verdict(now)))
    if args.below is not None and now.lowest_usd is not None and now.lowest_usd < args.below:
        last = None if before is None else before.lowest_usd
        if last is None or last >= args.below:
            said.append(price_drop_text(now.seller, now.lowest_usd, args.below, last))
    return said


def _verdict(one: Look) -> VerdictSummary:
    from planner.report.answer.verdict_line import VerdictSummary

    return VerdictSummary(one.title, one.usd, "")


def _take_snapshot(name: str) -> Look:
    from planner.cli.scenarios import LoadedScenario, evaluate, read_scenario_or_preset
    from planner.report.answer.verdict_line import summarize_verdict
    from planner.study.market.survey import sized_accelerator
    from pricing.feeds.live import current

    saved, about = read_scenario_or_preset(name)
    facts, day = current(), date.today()
    it = evaluate(LoadedScenario(name, saved.scenario, facts, day, about))
    found = summarize_verdict(it.plan, it.answer)
    lowest, seller = _lowest_posted_price(facts, sized_accelerator(it.plan.setting).accelerator, day)
    told = saved.scenario.model_dump_json(exclude_defaults=True)
    best = "" if it.answer.best is None else it.answer.best.option.key
    digest = hashlib.sha256(told.encode()).hexdigest()
    return Look(digest, day.isoformat(), found.title, found.usd, best, lowest, seller)


def _lowest_posted_price(facts: Catalogue, accelerator: str, day: date) -> tuple[float | None, str]:
    """The lowest posted price of a GPU that a plan could take, and who asks it."""
    from planner.money.renting.cheapest_offer import default_offer_filter
    from pricing.query import find, price

    among = find(facts, replace(default_offer_filter(accelerator), max_age_days=_FRESH_DAYS), day).ids
    key = min(among, key=lambda one: price(facts.offers[one]), default=None)
    if key is None or facts.offers[key].usd_per_accelerator_hour is None:
        return None, ""
    return price(facts.offers[key]), facts.providers[facts.offers[key].provider].label


# What the last look found


def _place(name: str) -> Path:
    from pricing.feeds.folder import FOLDER, live_data_dir

    folder = live_data_dir()
    if folder is None:
        raise UsageError(f"There is no home folder to keep the last look in: name one in {FOLDER}")
    path = Path(name)
    told = str(path.resolve()) if path.is_file() else name
    return folder / "watched" / f"{hashlib.sha256(told.encode()).hexdigest()[:32]}.json"


def _kept(place: Path) -> Look | None:
    """The last look; none where there was none, or where it cannot be read."""
    try:
        return Look(**json.loads(place.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
