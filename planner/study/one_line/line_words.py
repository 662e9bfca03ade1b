"""The words of line_words.yaml: other languages in English, names in use, and words that say nothing of a plan."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from planner.study.data_files import read_data
from pricing.figure import StrictModel, Text

# The quantity; the value, as it stands or by the name of how it follows; the pattern.
LineRule = tuple[bool | int | float | str, ...]


class LineWords(StrictModel):
    """The file of words."""

    about: Text = Field(description="what this file is for")
    translations: dict[str, str] = Field(description="patterns of other languages, and the English words")
    names: dict[str, dict[str, str]] = Field(description="tables of names in use, patterns or words, and what each is")
    lists: dict[str, tuple[str, ...]] = Field(description="lists of places, cards, options and sellers")
    words: dict[str, str] = Field(description="patterns and words, one after the other")
    asked: dict[str, tuple[str, ...]] = Field(description="what may be several things, and the choices")
    parts: dict[str, str] = Field(description="parts of the patterns of rules and verbs, by the names they have there")
    patterns: dict[str, str] = Field(description="patterns that code looks for, by the names it has for them")
    rules: tuple[LineRule, ...] = Field(description="what a line states, in the order in which it is tried")
    verbs: tuple[LineRule, ...] = Field(description="what is done, and where it stands")
    unused: tuple[LineRule, ...] = Field(description="what is understood and used only by some work")
    weighty: tuple[str, ...] = Field(description="patterns of words that change a cost: what nothing took is left out")


_READ = LineWords.model_validate(read_data("line_words.yaml"))
WORDS: Mapping[str, Any] = {**_READ.model_dump(), **_READ.names, **_READ.lists, **_READ.words}
FILLERS, QUIET = (frozenset(WORDS[kind].split()) for kind in ("fillers", "quiet"))
TRANSLATED = sorted(((re.sub(r"\{([A-Z]+)\}", lambda part: WORDS["parts"][part[1]], typed), word)
    for typed, word in WORDS["translations"].items()), key=lambda pair: -len(pair[0]))  # fmt: skip
FOREIGN = re.compile(rf"(?<!\w)(?:{'|'.join(f'({pattern})' for pattern, _ in TRANSLATED)})(?!\w)")
