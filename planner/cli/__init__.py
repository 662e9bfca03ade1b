"""`python -m planner VERB …`: the same path as the pages, for people and scripts. One module for each verb.

The words of a verb stand in `verbs`, apart from what does its work: a verb loads what it uses, once it is understood.

Exit 0: done. Exit 1: failed. Exit 2: bad input, with one sentence on stderr that says what was wanted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

from planner.cli.common import BAD_INPUT, FAILED, OK, BadInput
from planner.cli.verbs import VERBS
from pricing.errors import PricingError


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise BadInput(f"{message}. `{self.prog} --help` lists what there is.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and give its exit code."""
    try:
        wanted = _parser().parse_args(arguments)
        verb: Callable[[argparse.Namespace], int] = wanted.verb
        return verb(wanted)
    except (BadInput, PricingError) as error:
        sentence = str(error)
        sys.stderr.write(f"{sentence}{'' if sentence.endswith(('.', '?')) else '.'}\n")
        return BAD_INPUT
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        sys.stderr.close()
        return OK
    except OSError as error:
        sys.stderr.write(f"{error.filename or 'file'}: {error.strerror}.\n")
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m planner", description="Rent, buy, or both? Plan the cost of GPUs.")
    verbs = parser.add_subparsers(required=True, metavar="VERB", parser_class=_Parser)
    for verb in VERBS:
        verb.add(verbs)
    return parser
