"""The words of line_words.yaml: other languages in English, names in use, and words that say nothing of a plan."""

import re
from collections.abc import Mapping
from typing import Any

from planner.study.data_files import read_data

WORDS: Mapping[str, Any] = read_data("line_words.yaml")
FILLERS = frozenset(WORDS["fillers"].split())
_TRANSLATED = sorted(WORDS["translations"].items(), key=lambda pair: -len(pair[0]))  # several words before one
_FOREIGN = re.compile(rf"(?<!\w)(?:{'|'.join(f'({pattern})' for pattern, _ in _TRANSLATED)})(?!\w)")


def in_english(line: str) -> str:
    """Return a line in lower case with the words of other languages in English, each in the place of its own."""
    return _FOREIGN.sub(lambda match: _TRANSLATED[(match.lastindex or 1) - 1][1].ljust(len(match[0])), line)
