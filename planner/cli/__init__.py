"""`python -m planner VERB …`: the same path as the pages, for people and scripts. One module for each verb.

A module states the arguments of its verb; its functions load what they use, once the arguments are understood.

Exit 0: done. Exit 1: failed. Exit 2: bad input, with one sentence on stderr that says what was wanted.
Exit 130: stopped by Ctrl-C.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

from planner.cli import (
    ask,
    cheapest,
    check,
    compare,
    facts,
    held,
    mcp,
    plan,
    plans,
    portfolio,
    prices,
    publish_prices,
    refresh,
    schema,
    serve,
    stale,
    sweep,
    train,
    watch,
)
from planner.cli.common import BAD_INPUT, FAILED, OK, STOPPED, UsageError
from planner.cli.terminal import readable, tell
from planner.scenario.shown_money import show_money_of
from pricing.errors import PricingError

VERBS = (prices, refresh, held, publish_prices, watch, facts, train, serve, cheapest, ask, plan, plans, compare,
         portfolio, sweep, check, stale, schema, mcp)  # fmt: skip


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise UsageError(f"{message}. `{self.prog} --help` lists what there is.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and give its exit code."""
    with readable():
        try:
            return _dispatch(arguments)
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            return OK
        except OSError as error:
            tell(f"{error.filename or 'file'}: {error.strerror}.")
            return FAILED
        except KeyboardInterrupt:
            tell("Stopped.")
            return STOPPED


def _dispatch(arguments: Sequence[str] | None) -> int:
    try:
        args = _parser().parse_args(arguments)
        verb: Callable[[argparse.Namespace], int] = args.verb
        show_money_of(None)
        return verb(args)
    except (UsageError, PricingError) as error:
        sentence = str(error)
        tell(f"{sentence}{'' if sentence.endswith(('.', '?')) else '.'}")
        return BAD_INPUT
    finally:
        sys.stdout.flush()  # here a reader that is gone, or a full disk, is still ours to tell


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m planner", description="Rent, buy, or both? Plan the cost of GPUs.")
    verbs = parser.add_subparsers(required=True, metavar="VERB", parser_class=_Parser)
    for verb in VERBS:
        verb.add(verbs)
    return parser
