"""`publish-prices`: what is believed, as a folder that any web server can serve."""

from __future__ import annotations

import argparse
import io
import sys
from contextlib import closing
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.cli.common import OK, UsageError, named, to_versioned_json, write_file

if TYPE_CHECKING:
    from planner.report.table import Table
    from pricing.feeds.registry import Published


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("publish-prices", help="write believed live prices into a folder that others can read")
    verb.set_defaults(verb=run)
    verb.add_argument("folder", type=Path, metavar="DIR", help="where to write; files of other days stay")
    verb.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Prices first, what names them last: who reads meanwhile finds the old ones whole."""
    from planner.report.files.csv import to_csv
    from planner.report.market.live_prices import publish_summary, published_readme
    from planner.report.table import Table
    from pricing.feeds.registry import COLUMNS, LATEST, index_content

    found = _believed()
    name = f"prices-{found.day.isoformat()}"
    table = Table.from_raw_rows(found.rows, COLUMNS)
    content = to_csv(table)
    with named(args.folder):
        args.folder.mkdir(parents=True, exist_ok=True)
    files = {
        f"{name}.csv": content,
        **_parquet(table, name),
        "README.md": published_readme(found, f"{name}.csv").encode(),
    }
    files[LATEST] = index_content(found, f"{name}.csv", content)
    for file, data in files.items():
        write_file(args.folder / file, data)
    if args.json:
        told = {"day": found.day, "prices": len(found.rows), "sources": list(found.sources), "files": list(files)}
        sys.stdout.write(to_versioned_json(told) + "\n")
    else:
        sys.stdout.write(publish_summary(found, str(args.folder)))
    return OK


def _believed() -> Published:
    from pricing.feeds.database import open_read_only
    from pricing.feeds.registry import believed
    from pricing.feeds.store import LivePriceStore

    database = open_read_only()
    found = None
    if database is not None:
        with closing(database):
            found = believed(LivePriceStore(database))
    if found is None:
        raise UsageError("There are no live prices to publish: `refresh` reads them")
    return found


def _parquet(table: Table, name: str) -> dict[str, bytes]:
    """The same for programs, where pyarrow is installed."""
    if find_spec("pyarrow") is None:
        return {}
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    out = io.BytesIO()
    parquet.write_table(arrow.table({column: list(table[column]) for column in table.columns}), out)
    return {f"{name}.parquet": out.getvalue()}
