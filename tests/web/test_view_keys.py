"""An address holds the plan and what of the page is open. No key of the one is a key of the other."""

import ast
from collections.abc import Iterator
from pathlib import Path

from planner.scenario.question import KEYS
from planner.web import show

WEB = Path(show.__file__).parent
VIEWS = {"switch", "choice", "choices", "views"}


def view_keys() -> Iterator[str]:
    """The keys of what is open, as the pages name them: as they stand there, or by a name of the module."""
    for path in WEB.rglob("*.py"):
        tree = ast.parse(path.read_text())
        named = {
            one.targets[0].id: one.value.value
            for one in tree.body
            if isinstance(one, ast.Assign)
            and isinstance(one.targets[0], ast.Name)
            and isinstance(one.value, ast.Constant)
        }
        for call in ast.walk(tree):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in VIEWS):
                continue
            first = call.args[0] if call.args else None
            if isinstance(first, ast.Constant):
                yield str(first.value)
            elif isinstance(first, ast.Name) and first.id in named:
                yield str(named[first.id])


def test_what_is_open_and_what_is_planned_have_no_key_in_common() -> None:
    found = {*view_keys(), show.WHOLE}
    assert {"look", "view", "terms", "pick", "old", "whole", "every_way"} <= found
    assert found.isdisjoint(KEYS)
