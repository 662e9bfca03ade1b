"""`prices`: rental offers, with age and source."""

import argparse
import sys
from pathlib import Path
from typing import Any, get_args

from planner.cli.common import (
    OK,
    add_form_arguments,
    add_location_argument,
    dated_facts,
    day,
    keep_flags,
    whole,
    write_result,
)
from pricing.choices import TRUST_ORDER, Purchase

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
    add_form_arguments(prices, csv="write CSV")
    keep_flags(prices)


def run(args: argparse.Namespace) -> int:
    """Print the matching offers, and the number of hidden ones."""
    from planner.api.offers import PriceRequest, prices
    from planner.cli.inputs import parse_job

    wish = parse_job(PriceRequest, vars(args), args.flags)
    facts, day = dated_facts(args)
    result = prices(facts, wish, day)
    write_result(args, result)
    if not args.json:
        from planner.report import words
        from planner.report.market.prices import ASSUMED

        data = result.data()
        hidden = ", ".join(f"{row['offers']:,} {row['reason']}" for row in data["hidden"])
        count = f"{words.count(len(data['offers']), 'offer')}; hidden: {hidden or 'none'}."
        sys.stderr.write(f"{count} Prices exclude taxes. {ASSUMED}\n")
    return OK
