"""The glossary of docs/glossary.md, for pages to show and to name inputs by: the words stand there and nowhere else."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pricing.caching import cached

_PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"
_WORD = re.compile(r"^\| ([A-Z][\w -]+?) \| ([^|]+) \|$")
_NAME = re.compile(r"^\| `([a-z0-9_]+)` \| ([^|]+) \| ([^|]+) \|$")
_END_OF_NAME = re.compile(r"[:;,.(]")


class GlossaryEntry(NamedTuple):
    """A word, or a name that formulas use, with what it means; words have no unit."""

    word: str
    meaning: str
    unit: str = ""


@cached(1)
def _entries() -> tuple[dict[str, GlossaryEntry], dict[str, GlossaryEntry]]:
    words, names = dict[str, GlossaryEntry](), dict[str, GlossaryEntry]()
    for line in _PAGE.read_text(encoding="utf-8").splitlines():
        if (name := _NAME.match(line)) is not None:
            names[name[1]] = GlossaryEntry(name[1], name[3].replace("`", ""), name[2])
        elif (word := _WORD.match(line)) is not None and word[1] != "Word":
            words[word[1]] = GlossaryEntry(word[1], word[2].replace("`", ""))
    return words, names


def in_short(name: str) -> str | None:
    """Return the meaning of a formula input up to the first stop; None without an entry."""
    entry = _entries()[1].get(name)
    return None if entry is None else _END_OF_NAME.split(entry.meaning)[0].strip()


def meaning(name: str) -> str:
    """Return the full meaning of a formula input; empty without an entry."""
    entry = _entries()[1].get(name)
    return "" if entry is None else entry.meaning


def entries_used_in(texts: Iterable[str]) -> tuple[GlossaryEntry, ...]:
    """The words of the glossary that stand in some texts, in its order."""
    text = " ".join(texts).casefold()
    return tuple(
        entry for word, entry in _entries()[0].items() if re.search(rf"\b{re.escape(word.casefold())}s?\b", text)
    )
