"""`publish-prices`: accepted live prices as a folder that any web server can serve."""

from __future__ import annotations

import argparse
import gzip
import io
import os
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

SIGNING_KEY = "RENT_OR_BUY_SIGNING_KEY"


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    verb = verbs.add_parser("publish-prices", help="write believed live prices into a folder that others can read")
    verb.set_defaults(verb=run)
    verb.add_argument("folder", type=Path, metavar="DIR", help="where to write; files of other days stay")
    verb.add_argument("--new-key", action="store_true", help="only make a key: its files are DIR and DIR.pub")
    verb.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Write the prices, then the index that names them: a reader meanwhile finds the old ones whole."""
    from planner.report.files.csv import to_csv
    from planner.report.market.live_prices import publish_summary, published_readme
    from planner.report.table import Table
    from pricing.feeds.registry import COLUMNS, LATEST, SIGNATURE, index_content, sign

    if args.new_key:
        return _make_key(args.folder)
    published = _accepted_prices()
    name = f"prices-{published.day.isoformat()}"
    table = Table.from_raw_rows(published.rows, COLUMNS)
    file, content = f"{name}.csv.gz", gzip.compress(to_csv(table), mtime=0)
    key = os.environ.get(SIGNING_KEY, "").strip()
    with named(args.folder):
        args.folder.mkdir(parents=True, exist_ok=True)
    index = index_content(published, file, content)
    files = {file: content, **_parquet(table, name), "README.md": published_readme(published, file, key).encode()}
    files |= {SIGNATURE: sign(index, key, f"prices of {published.day}")} if key else {}
    files[LATEST] = index
    for path, data in files.items():
        write_file(args.folder / path, data)
    if args.json:
        sources, prices = list(published.sources), len(published.rows)
        result = {
            "day": published.day, "prices": prices, "sources": sources, "files": list(files), "signed": bool(key),
        }  # fmt: skip
        sys.stdout.write(to_versioned_json(result) + "\n")
    else:
        sys.stdout.write(publish_summary(published, str(args.folder), sum(map(len, files.values())), signed=bool(key)))
    return OK


def _make_key(path: Path) -> int:
    from planner.report.market.live_prices import new_key_text
    from pricing.feeds.registry import new_key

    secret, public = new_key()
    beside = path.with_name(f"{path.name}.pub")
    if taken := [it for it in (path, beside) if it.exists()]:
        raise UsageError(f"{taken[0]} is there already: want the name of a new file")
    with named(path), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secret)
    write_file(beside, public.encode())
    sys.stdout.write(new_key_text(str(path), public.split("\n")[1]))
    return OK


def _accepted_prices() -> Published:
    from pricing.feeds.database import open_read_only
    from pricing.feeds.registry import believed
    from pricing.feeds.store import LivePriceStore
    from pricing.load import load_catalogue

    with closing(open_read_only()) as database:
        published = believed(LivePriceStore(database), load_catalogue())
    if published is None:
        raise UsageError("There are no live prices to publish: `refresh` reads them")
    return published


def _parquet(table: Table, name: str) -> dict[str, bytes]:
    if find_spec("pyarrow") is None:
        return {}
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    out = io.BytesIO()
    parquet.write_table(arrow.table({column: list(table[column]) for column in table.columns}), out)
    return {f"{name}.parquet": out.getvalue()}
