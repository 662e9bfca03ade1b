"""`refresh`: today's prices from their sources."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from planner.cli.common import FAILED, OK, UsageError, add_form_arguments, emit

if TYPE_CHECKING:
    from pricing.feeds.feed import Feed
    from pricing.feeds.refresh import SourceProgress


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("refresh", help="read today's prices from their sources, over the network")
    verb.set_defaults(verb=run)
    verb.add_argument(
        "--source",
        action="append",
        default=[],
        metavar="NAME",
        help="only this one, or a published folder: https://HOST/FOLDER or DIR; may be said again; "
        "the folder of RENT_OR_BUY_PRICES, else `all` sources",
    )
    verb.add_argument("--list", action="store_true", help="say which sources there are, and ask none")
    verb.add_argument("--dry-run", action="store_true", help="read and judge, and keep nothing")
    verb.add_argument("--undo", action="store_true", help="put aside what the last refresh brought")
    verb.add_argument("--by", metavar="NAME", help="who undoes it; the name of this account")
    add_form_arguments(verb, csv="write one row for each source")


def run(args: argparse.Namespace) -> int:
    """Read the selected sources; fail only where none could be read."""
    from planner.cli.held import decision_maker
    from planner.report.market.live_prices import refresh_rows, refresh_text
    from planner.report.table import Table
    from pricing.feeds.refresh import Ways, refresh
    from pricing.feeds.registry import asked_for

    feeds = asked_for(args.source)
    if args.list:
        return _list_sources(args)
    if args.undo:
        return _undo_refresh(args)
    if not feeds:
        raise UsageError("There is no source of prices to read")
    result = refresh(
        feeds, ways=Ways(tell=_RefreshProgressPrinter(feeds).tell, dry=args.dry_run, person=decision_maker(args.by))
    )
    rows = refresh_rows(result)
    emit(
        args,
        table=lambda: Table.of(rows),
        data=lambda: {
            "run": result.run,
            "dry_run": result.dry,
            "cancelled": result.cancelled,
            "sources": rows,
            "moves": [move._asdict() for move in result.moves],
        },
        text=lambda: refresh_text(result),
    )
    states = {row["state"] for row in rows} - {"skipped"}
    return FAILED if states == {"failed"} else OK


def _list_sources(args: argparse.Namespace) -> int:
    from planner.report.table import Table, text_table
    from pricing.feeds.machines import contracts
    from pricing.feeds.registry import ALL, asked_for, default_feed

    folder = None if args.source else default_feed()
    rows: list[Mapping[str, Any]] = [
        {
            "source": it.name,
            "label": it.label,
            "key": it.key_name or "",
            "licence": it.licence,
            "page": it.page,
            "tried_on_reply_of": contracts().get(it.name, {}).get("real") or "none",
        }
        for it in (*([folder] if folder else []), *asked_for(args.source or [ALL]))
    ]
    return emit(
        args,
        table=lambda: Table.of(rows),
        data=lambda: {"sources": rows},
        text=lambda: text_table(Table.of(rows)) + "\n" if rows else "",
    )


def _undo_refresh(args: argparse.Namespace) -> int:
    from planner.cli.held import decision_maker
    from planner.report import words
    from planner.report.table import Table
    from pricing.feeds.database import opened
    from pricing.feeds.store import LivePriceStore

    with closing(opened()) as database:
        store = LivePriceStore(database)
        runs = store.runs()
        if not runs:
            raise UsageError("There is no refresh to undo")
        last = runs[0]
        if not args.dry_run:
            store.undo(last.run, decision_maker(args.by), datetime.now(UTC))
    rows = [{"run": last.run, "started": last.started, "sources": ", ".join(last.sources), "readings": last.readings}]
    done = "would be put aside" if args.dry_run else "is put aside; it stays in the store"
    count = words.count(last.readings, "price")
    return emit(
        args,
        table=lambda: Table.from_raw_rows(rows),
        data=lambda: {"undone": rows, "dry_run": args.dry_run},
        text=lambda: f"The refresh of {last.started:%Y-%m-%d %H:%M} UTC, {count} of {rows[0]['sources']}, {done}.\n",
    )


class _RefreshProgressPrinter:
    """Print on stderr when a source starts and ends, and how many are done."""

    def __init__(self, feeds: Iterable[Feed]) -> None:
        from pricing.feeds.refresh import SourceProgress

        self._lock = threading.Lock()
        self._sources = {feed.name: SourceProgress(feed.name, feed.label, "waiting") for feed in feeds}

    def tell(self, source: SourceProgress) -> None:
        """Print one line for each new state; sources are read in threads."""
        from planner.report.market.live_prices import UNDER_WAY, progress_text, refresh_status

        with self._lock:
            is_new = self._sources[source.source].state != source.state
            self._sources[source.source] = source
            if is_new and source.state != "skipped":
                done = "" if source.state in UNDER_WAY else f"; {refresh_status(tuple(self._sources.values())).title}"
                sys.stderr.write(f"{progress_text(source)}{done}\n")
