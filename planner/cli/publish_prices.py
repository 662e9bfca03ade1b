"""`publish-prices`: accepted live prices as a folder that any web server can serve."""

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
    """Write the prices, then the index that names them: a reader meanwhile finds the old ones whole."""
    from planner.report.files.csv import to_csv
    from planner.report.market.live_prices import publish_summary, published_readme
    from planner.report.table import Table
    from pricing.feeds.registry import COLUMNS, LATEST, index_content

    published = _accepted_prices()
    name = f"prices-{published.day.isoformat()}"
    table = Table.from_raw_rows(published.rows, COLUMNS)
    content, readme = to_csv(table), published_readme(published, f"{name}.csv").encode()
    with named(args.folder):
        args.folder.mkdir(parents=True, exist_ok=True)
    files = {f"{name}.csv": content, **_parquet(table, name), "README.md": readme}
    files[LATEST] = index_content(published, f"{name}.csv", content)
    for file, data in files.items():
        write_file(args.folder / file, data)
    if args.json:
        sources, prices = list(published.sources), len(published.rows)
        result = {"day": published.day, "prices": prices, "sources": sources, "files": list(files)}
        sys.stdout.write(to_versioned_json(result) + "\n")
    else:
        sys.stdout.write(publish_summary(published, str(args.folder)))
    return OK


def _accepted_prices() -> Published:
    from pricing.feeds.database import open_read_only
    from pricing.feeds.registry import believed
    from pricing.feeds.store import LivePriceStore

    database, published = open_read_only(), None
    if database is not None:
        with closing(database):
            published = believed(LivePriceStore(database))
    if published is None:
        raise UsageError("There are no live prices to publish: `refresh` reads them")
    return published


def _parquet(table: Table, name: str) -> dict[str, bytes]:
    """Return the same as a Parquet file, where pyarrow is installed."""
    if find_spec("pyarrow") is None:
        return {}
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    out = io.BytesIO()
    parquet.write_table(arrow.table({column: list(table[column]) for column in table.columns}), out)
    return {f"{name}.parquet": out.getvalue()}
