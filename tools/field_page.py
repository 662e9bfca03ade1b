"""The page docs/fields.md: every field of a scenario with what it takes, as the records say it.

`python -m tools.field_page > docs/fields.md` writes it anew.
"""

import sys
from collections.abc import Iterator
from itertools import groupby

from planner.scenario.fields import field_spec, leaf_fields
from planner.scenario.path import Path, format_path
from planner.scenario.question import KEYS

WRITE = "python -m tools.field_page > docs/fields.md"
_HEAD = f"""# Every field of a scenario

What a [scenario file](scenario.md), a [grid of a sweep](sweeps.md) and a link may say, as the records say it. Made by
`{WRITE}`; `make quick` says when it is out of date.

A `0` in a path is the first entry of a list. A short key is what links call the field, and where the page asks for it.
"""
_TOP = "The plan"


def field_page() -> str:
    """The whole page: a table for each part of the scenario."""
    return _HEAD + "".join(
        line
        for part, paths in groupby(leaf_fields(), lambda path: _TOP if len(path) == 1 else format_path(path[:-1]))
        for line in _table(part, list(paths))
    )


def _table(part: str, paths: list[Path]) -> Iterator[str]:
    yield f"\n## {part}\n\n| Field | Takes | Unit | Short key | On the page | More |\n|---|---|---|---|---|---|\n"
    keys = {key.path: key for key in KEYS.values()}
    for path in paths:
        spec, key = field_spec(path), keys.get(path)
        assert spec is not None
        short = f"`{key.key}`" + (", in percent" if key.percent else "") if key else ""
        more = " ".join(
            text for text in (key.help if key else "", spec.help and f"{spec.help[0].upper()}{spec.help[1:]}.") if text
        )
        cells = (f"`{path[-1]}`", spec.wish, spec.unit, short, key.label if key else "", more)
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


if __name__ == "__main__":
    sys.stdout.write(field_page())
