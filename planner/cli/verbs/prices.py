"""`prices`: its words."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, get_args

from planner.cli.verbs.arguments import add_stay, day, whole
from pricing.choices import TRUST_ORDER, Purchase

SORTS = ("price", "instance", "age", "provider", "accelerator", "region")


def add(verbs: Any) -> None:
    """The verb and its arguments."""
    prices = verbs.add_parser("prices", help="rental offers, with age and source")
    prices.set_defaults(verb=_begin)
    add_stay(prices)
    prices.add_argument("--accelerator", metavar="NAME", help="H100-SXM5-80GB, mi300x, rtx 4090 …")
    prices.add_argument("--provider", metavar="NAME")
    prices.add_argument(
        "--purchase", metavar="KIND", help=f"{', '.join(get_args(Purchase))}, or reserved for all of those"
    )
    prices.add_argument("--region", metavar="TEXT", help="part of a region's name, or an area: europe, north_america …")
    prices.add_argument("--gpus", type=whole, metavar="N", help="offers of which N can be had at once")
    prices.add_argument("--max-age-days", type=whole, metavar="N", help="hide prices nobody has checked for longer")
    prices.add_argument("--trust", choices=TRUST_ORDER, default="estimated", help="the least a price must rest on")
    prices.add_argument("--sort", choices=SORTS, default="price")
    prices.add_argument("--all", action="store_true", help="also what is listed but is no price to rent by")
    prices.add_argument("--quotes", type=Path, metavar="FILE", help="your own prices, CSV or YAML; they win")
    prices.add_argument(
        "--day", type=day, default=None, metavar="YYYY-MM-DD", help="the day ages are counted to; today"
    )
    prices.add_argument("--json", action="store_true", help="print JSON")
    prices.add_argument("--csv", type=Path, metavar="FILE", help="write CSV")


def _begin(wanted: argparse.Namespace) -> int:
    from planner.cli.prices import run  # only once the words are understood

    return run(wanted)
