"""`prices`: rental offers, with age and source."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from difflib import get_close_matches
from typing import Any, get_args

from planner.cli.common import OK, BadInput, with_own_prices
from planner.cli.told import stamp, told
from planner.report import words
from pricing import Catalogue, meant
from pricing import names as naming
from pricing.choices import Area, Purchase
from pricing.feeds.live import current
from pricing.orderable import Order, staying
from pricing.query import Wish, find


def run(wanted: argparse.Namespace) -> int:
    """The offers that are wanted, hidden ones counted."""
    day = wanted.day or date.today()
    catalogue = with_own_prices(current(), wanted.quotes, day)
    wish = Wish(
        accelerators=frozenset(meant.offered_accelerators(catalogue, wanted.accelerator) if wanted.accelerator else ()),
        providers=frozenset({naming.provider(catalogue, wanted.provider)} if wanted.provider else ()),
        purchases=_purchases(wanted.purchase),
        order=_order(catalogue, wanted),
        max_age_days=wanted.max_age_days,
        least_trust=wanted.trust,
        doubtful=wanted.all,
        **_place(wanted.region),
    )
    # what is wanted is understood first: a name that nobody knows waits for no library of arrays
    from planner.report.market.offers import ASSUMED, offer_frame, offer_rows, offer_text, sort_offers

    found = find(catalogue, wish, day)
    rows = offer_rows(catalogue, sort_offers(catalogue, found.ids, wanted.sort, day), day, wish.order, wish.areas)
    told(
        wanted,
        table=lambda: offer_frame(rows),
        data=lambda: (
            stamp(catalogue, day) | {"offers": rows, "hidden": words.counted(found.hidden, "reason", "offers")}
        ),
        text=lambda: offer_text(rows) + "\n" if rows else "",
    )
    if not wanted.json:
        hidden = ", ".join(f"{number:,} {reason}" for reason, number in found.hidden.items())
        found_text = f"{words.count(len(rows), 'offer')}; hidden: {hidden or 'none'}."
        sys.stderr.write(f"{found_text} Prices exclude taxes. {ASSUMED}\n")
    return OK


def _order(catalogue: Catalogue, wanted: argparse.Namespace) -> Order | None:
    """What is wanted at once, and where it must stay."""
    if wanted.gpus is None and wanted.stay is None:
        return None
    return Order(wanted.gpus or 1, stay=staying(catalogue, wanted.stay))


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
