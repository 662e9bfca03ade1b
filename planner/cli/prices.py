"""`prices`: rental offers, with age and source."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from planner.cli.common import OK, BadInput, versioned, whole, with_own_prices
from planner.cli.common import day as day_of
from planner.cli.files import write_file
from planner.report import words
from planner.report.csv import to_csv
from planner.report.offers import SORTS, offer_frame, offer_rows, offer_text, sort_offers
from pricing import load_catalogue
from pricing import names as naming
from pricing.query import TRUST_ORDER, Wish, find
from pricing.records import Area, Purchase


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    prices = verbs.add_parser("prices", help="rental offers, with age and source")
    prices.set_defaults(verb=_prices)
    prices.add_argument("--accelerator", metavar="NAME", help="H100-SXM5-80GB, mi300x, rtx 4090 …")
    prices.add_argument("--provider", metavar="NAME")
    prices.add_argument(
        "--purchase", metavar="KIND", help=f"{', '.join(get_args(Purchase))}, or reserved for all of those"
    )
    prices.add_argument("--region", metavar="TEXT", help="part of a region's name, or an area: europe, north_america …")
    prices.add_argument("--gpus", type=whole, metavar="N", help="machines with exactly N accelerators")
    prices.add_argument("--max-age-days", type=whole, metavar="N", help="hide prices nobody has checked for longer")
    prices.add_argument("--trust", choices=TRUST_ORDER, default="estimated", help="the least a price must rest on")
    prices.add_argument("--sort", choices=SORTS, default="price")
    prices.add_argument("--all", action="store_true", help="also what is listed but is no price to rent by")
    prices.add_argument("--quotes", type=Path, metavar="FILE", help="your own prices, CSV or YAML; they win")
    prices.add_argument(
        "--day", type=day_of, default=None, metavar="YYYY-MM-DD", help="the day ages are counted to; today"
    )
    prices.add_argument("--json", action="store_true", help="print JSON")
    prices.add_argument("--csv", type=Path, metavar="FILE", help="write CSV")


def _prices(wanted: argparse.Namespace) -> int:
    day = wanted.day or date.today()
    catalogue = with_own_prices(load_catalogue(), wanted.quotes, day)
    wish = Wish(
        accelerators=frozenset(
            naming.offered_accelerators(catalogue, wanted.accelerator) if wanted.accelerator else ()
        ),
        providers=frozenset({naming.provider(catalogue, wanted.provider)} if wanted.provider else ()),
        purchases=_purchases(wanted.purchase),
        accelerators_per_instance=wanted.gpus,
        max_age_days=wanted.max_age_days,
        least_trust=wanted.trust,
        doubtful=wanted.all,
        **_place(wanted.region),
    )
    found = find(catalogue, wish, day)
    rows = offer_rows(catalogue, sort_offers(catalogue, found.ids, wanted.sort, day), day)
    if wanted.csv:
        write_file(wanted.csv, to_csv(offer_frame(rows)))
    if wanted.json:
        stamp: dict[str, Any] = {"catalogue_digest": catalogue.digest, "catalogue_day": catalogue.day, "day": day}
        stamp |= {"offers": rows, "hidden": words.counted(found.hidden, "reason", "offers")}
        sys.stdout.write(versioned(stamp) + "\n")
        return OK
    sys.stdout.write(offer_text(rows) + "\n" if rows else "")
    hidden = ", ".join(f"{number:,} {reason}" for reason, number in found.hidden.items())
    sys.stderr.write(f"{len(rows):,} offers; hidden: {hidden or 'none'}. Prices exclude taxes.\n")
    return OK


def _purchases(text: str | None) -> frozenset[str]:
    if text is None:
        return frozenset()
    known = get_args(Purchase)
    found: set[str] = set()
    for word in text.replace("-", "_").casefold().split(","):
        if word.strip() == "reserved":
            found.update(kind for kind in known if kind.startswith("reserved"))
        elif word.strip() in known:
            found.add(word.strip())
        else:
            near = get_close_matches(word.strip(), known, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise BadInput(f"--purchase: want {', '.join(known)} or reserved, got {word.strip()!r}.{hint}")
    return frozenset(found)


def _place(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    area = text.strip().casefold().replace(" ", "_").replace("-", "_")
    return {"areas": frozenset({area})} if area in get_args(Area) else {"region": text}
