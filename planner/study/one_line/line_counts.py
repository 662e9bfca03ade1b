"""How many of a chip a line names: the number beside it, machines of so many, words for GPUs."""

import re
from typing import NamedTuple

from planner.study.one_line.quantities import parse_number

GPU_WORDS = frozenset({"gpu", "gpus", "cards", "card", "accelerators", "accelerator", "graphics", "chips"})
MACHINE_WORDS = frozenset(
    {"rack", "racks", "node", "nodes", "server", "servers", "machine", "machines", "box", "boxes", "hosts"}
)


def machine_size(chip: str) -> int:
    """Return how many of a chip a whole machine or rack has, where a line says only that."""
    return 72 if "NVL72" in chip else 8


_SPELT = (
    "an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen|twenty|thirty|forty|fifty|a hundred|hundred"
    "|a couple of|a dozen|a few|a single|single"
)
_COUNT_BEFORE = re.compile(
    rf"(?<![\w.-])(?P<count>\d+(?:,\d{{3}})*k?|{_SPELT})\s*"
    rf"(?:[x*]\s*|(?P<box>{'|'.join(sorted(MACHINE_WORDS, key=len, reverse=True))})\s+(?:(?:of|with|x)\s+)?"
    r"(?P<each>\d+\s*[x*]?\s*)?)?"
    r"(?:(?:used|new|nvidia|amd|of|more|our|geforce|second-hand)\s+)*$"
)
_COUNT_AFTER = re.compile(r"\s*(?:[x*]\s*(?P<count>\d+)|(?P<times>\d+)\s*x)(?!\w)")


class LineCount(NamedTuple):
    """A count beside a name, and where its words begin and end."""

    many: int
    start: int
    end: int
    of_machines: bool = False


def count_beside(line: str, start: int, end: int) -> LineCount | None:
    """Return the count beside a name: `2 nodes of 8`, `8 x`, `one`, or `x8` behind it."""
    if match := _COUNT_BEFORE.search(line[:start]):
        each = re.sub(r"\D", "", match["each"] or "")
        of_machines = match["box"] is not None and not each
        return LineCount(int(parse_number(match["count"]) * int(each or 1)), match.start(), start, of_machines)
    match = _COUNT_AFTER.match(line, end)
    return None if match is None else LineCount(int(match["count"] or match["times"]), end, match.end())
