"""`prices`: rental offers, with age and source."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from planner.cli.common import OK, UsageError, add_location_argument, day, emit, stamp, whole, with_quote_file
from pricing.choices import TRUST_ORDER, Area, Purchase

if TYPE_CHECKING:
    from pricing import Catalogue
    from pricing.orderable import Order


SORTS = ("price", "instance", "age", "provider", "accelerator", "region")


def add(verbs: Any) -> None:
    """Add the verb and its arguments."""
    prices = verbs.add_parser("prices", help="rental offers, with age and source")
    prices.set_defaults(verb=run)
    add_location_argument(prices)
    prices.add_argument("--accelerator", metavar="NAME", help="H100-SXM5-80GB, mi300x, rtx 4090 …")
    prices.add_argument("--provider", metavar="NAME")
    prices.add_argument(
        "--purchase", metavar="KIND", help=f"{', '.join(get_args(Purchase))}, or reserved for all of those"
    )
    prices.add_argument("--region", metavar="TEXT", help="part of a region's name, or an area: europe, north_america …")
    prices.add_argument("--gpus", type=whole, metavar="N", help="offers that can provide N at once")
    prices.add_argument("--max-age-days", type=whole, metavar="N", help="hide prices last checked longer ago")
    prices.add_argument("--trust", choices=TRUST_ORDER, default="estimated", help="the least a price must rest on")
    prices.add_argument("--sort", choices=SORTS, default="price")
    prices.add_argument("--all", action="store_true", help="also what is listed but is no price to rent by")
    prices.add_argument("--quotes", type=Path, metavar="FILE", help="your own prices, CSV or YAML; they win")
    prices.add_argument(
        "--day", type=day, default=None, metavar="YYYY-MM-DD", help="the day ages are counted to; today"
    )
    prices.add_argument("--json", action="store_true", help="print JSON")
    prices.add_argument("--csv", type=Path, metavar="FILE", help="write CSV")


def run(args: argparse.Namespace) -> int:
    """Print the matching offers, and the number of hidden ones."""
    from planner.report import words
    from pricing import meant
    from pricing import names as naming
    from pricing.feeds.live import current
    from pricing.query import OfferFilter, find

    day = args.day or date.today()
    catalogue = with_quote_file(current(), args.quotes, day)
    wish = OfferFilter(
        accelerators=frozenset(meant.offered_accelerators(catalogue, args.accelerator) if args.accelerator else ()),
        providers=frozenset({naming.provider(catalogue, args.provider)} if args.provider else ()),
        purchases=_purchases(args.purchase),
        order=_order(catalogue, args),
        max_age_days=args.max_age_days,
        least_trust=args.trust,
        doubtful=args.all,
        **_place(args.region),
    )
    # names are checked before numpy is loaded
    from planner.report.market.prices import (
        ASSUMED,
        offer_rows,
        offer_table,
        offer_text,
        order_data,
        order_lines,
        sort_offers,
    )

    matches = find(catalogue, wish, day)
    rows = offer_rows(catalogue, sort_offers(catalogue, matches.ids, args.sort, day), day, wish.areas)
    orders = [] if wish.order is None else order_data(catalogue, wish.accelerators, wish.purchases, wish.order, day)
    hidden_offers = words.counted(matches.hidden, "reason", "offers")
    emit(
        args,
        table=lambda: offer_table(rows),
        data=lambda: stamp(catalogue, day) | {"offers": rows, "orders": orders, "hidden": hidden_offers},
        text=lambda: "".join(
            f"{part}\n" for part in (*([offer_text(rows)] if rows else []), *order_lines(catalogue, orders))
        ),
    )
    if not args.json:
        hidden = ", ".join(f"{number:,} {reason}" for reason, number in matches.hidden.items())
        count = f"{words.count(len(rows), 'offer')}; hidden: {hidden or 'none'}."
        sys.stderr.write(f"{count} Prices exclude taxes. {ASSUMED}\n")
    return OK


def _order(catalogue: Catalogue, args: argparse.Namespace) -> Order | None:
    """Return the number wanted at once, and where it must stay."""
    from pricing.orderable import Order, staying

    if args.gpus is None and args.stay is None:
        return None
    from planner.scenario.rent import accepts_hosts

    count = args.gpus or 1
    return Order(count, stay=staying(catalogue, args.stay), hosts=accepts_hosts(count))


def _purchases(text: str | None) -> frozenset[str]:
    if text is None:
        return frozenset()
    kinds = get_args(Purchase)
    selected: set[str] = set()
    for word in map(str.strip, text.replace("-", "_").casefold().split(",")):
        if word == "reserved":
            selected.update(kind for kind in kinds if kind.startswith("reserved"))
        elif word in kinds:
            selected.add(word)
        else:
            near = get_close_matches(word, kinds, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise UsageError(f"--purchase: want {', '.join(kinds)} or reserved, got {word!r}.{hint}")
    return frozenset(selected)


def _place(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    area = text.strip().casefold().replace(" ", "_").replace("-", "_")
    return {"areas": frozenset({area})} if area in get_args(Area) else {"region": text}
