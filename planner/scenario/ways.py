"""Declarations of the supply options: their names, and which of them need inputs of their own.

A way is one file of planner/money/ways, and the file ends with the way's record. The scenario stands below the money
and refuses a way that nobody knows before any arithmetic is loaded. So it reads those records as it reads a preset:
as text, of which nothing is run (docs/decisions/0030-a-way-is-one-record.md).
"""

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

# What becomes of a way whose inputs are left empty: it takes the catalogue's figures, it is left out with a reason, or
# a scenario that names it is refused.
WhenEmpty = Literal["usual", "left out", "refused"]

_FOLDER = Path(__file__).parents[1] / "money" / "ways"
_RECORD = re.compile(r"^WAY = (.+)", re.MULTILINE | re.DOTALL)


class OptionDeclaration(NamedTuple):
    """The declaration of a supply option to the scenario."""

    place: int  # among all ways, where they are shown
    key: str
    module: str
    inputs: str  # the part of the scenario that its own inputs stand in; empty where it has none
    when_empty: WhenEmpty


def read_option_declaration(module: str, text: str) -> OptionDeclaration | None:
    """Return what a file of that folder declares; None where it ends with no record and only helps the others."""
    record = _RECORD.search(text)
    if record is None:
        return None
    call = ast.parse(record[1], module, mode="eval").body
    assert isinstance(call, ast.Call), f"{module} has to end with WAY = WayRecord(...)"
    fields = {
        keyword.arg: ast.literal_eval(keyword.value)
        for keyword in call.keywords
        if keyword.arg in OptionDeclaration._fields
    }
    return OptionDeclaration(
        fields["place"], fields["key"], module, fields.get("inputs", ""), fields.get("when_empty", "usual")
    )


_FILES = ((file.stem, file.read_text(encoding="utf-8")) for file in _FOLDER.glob("*.py"))
DECLARED = tuple(sorted(option for option in (read_option_declaration(*file) for file in _FILES) if option is not None))

if TYPE_CHECKING:
    Way: TypeAlias = str
else:
    Way = Literal[tuple(option.key for option in DECLARED)]
