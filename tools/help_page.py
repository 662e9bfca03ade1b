"""The page docs/commands.md: every verb with all that it takes, in the words of `--help`.

`python -m tools.help_page > docs/commands.md` writes it anew. It is made from the parser itself, not from what
`--help` prints, because that is broken into lines as each version of Python likes.
"""

import argparse
import sys
from collections.abc import Iterator

from planner.cli import _parser

WRITE = "python -m tools.help_page > docs/commands.md"
_HEAD = f"""# Commands

Every verb of the command line with all that it takes, as `--help` says it. Made by `{WRITE}`; `make quick` says
when it is out of date. What the verbs are good for stands in the [README](../README.md).

Exit 0: done. Exit 1: failed. Exit 2: bad input, with one sentence that says what was wanted.
"""


def help_page() -> str:
    """The whole page."""
    return _HEAD + "".join(_verbs(_parser()))


def _verbs(parser: argparse.ArgumentParser) -> Iterator[str]:
    for several in parser._actions:
        if isinstance(several, argparse._SubParsersAction):
            helps = {choice.dest: choice.help for choice in several._choices_actions}
            for name, verb in several.choices.items():
                yield _verb(verb, helps.get(name) or "")
                yield from _verbs(verb)


def _verb(verb: argparse.ArgumentParser, about: str) -> str:
    actions = [it for it in verb._actions if not isinstance(it, argparse._HelpAction | argparse._SubParsersAction)]
    rows = "".join(f"| {_name(it)} | {_cell(_help(verb, it))} |\n" for it in actions)
    kinds = any(isinstance(it, argparse._SubParsersAction) for it in verb._actions)
    usage = " ".join([verb.prog, *(["KIND ..."] if kinds else []), *(_syntax(it) for it in actions if _is_needed(it))])
    table = f"\n| What | Meaning |\n|---|---|\n{rows}" if rows else ""
    more = f"\n```text\n{verb.epilog}\n```\n" if verb.epilog else ""
    title = " ".join(verb.prog.split()[3:])  # after python -m planner
    return f"\n## {title}\n\n{about[:1].upper()}{about[1:]}.\n\n```sh\n{usage}\n```\n{table}{more}"


def _is_needed(action: argparse.Action) -> bool:
    """Return whether the usage names it. (Python 3.13 calls a list without an option not required.)"""
    return action.required if action.option_strings else action.nargs != "?"


def _syntax(action: argparse.Action) -> str:
    """Return how it is written on the command line: `--count N`, SCENARIO."""
    value = action.metavar or action.dest.upper()
    value = value if isinstance(value, str) else " ".join(value)
    several = " ..." if action.nargs in ("+", "*") else ""
    if not action.option_strings:
        return f"{value}{several}"
    ways = ", ".join(action.option_strings)
    return ways if action.nargs == 0 else f"{ways} {value if action.metavar or not action.choices else 'WORD'}{several}"


def _name(action: argparse.Action) -> str:
    return f"`{_syntax(action)}`{', needed' if action.option_strings and _is_needed(action) else ''}"


def _help(verb: argparse.ArgumentParser, action: argparse.Action) -> str:
    """Return its help, with the words to choose from where the help does not list them."""
    text = argparse.HelpFormatter(verb.prog)._expand_help(action) if action.help else ""
    words = ", ".join(map(str, action.choices)) if action.choices and not action.metavar else ""
    return "; ".join(part for part in (text, words) if part)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(help_page())
