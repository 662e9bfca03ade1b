"""Write which parts of Streamlit's library of charts are not needed for the kinds of chart that the app draws.

usage: python -m tools.plotly_parts (after a kind of chart is new, or Streamlit is)

The library is one file, in which every module of plotly is a function that the others call by its name. The server
leaves out the bodies of those that nothing calls once the other kinds are not registered (`needed_part`).
Nothing is left out of another file than the one that was looked at.
"""

import hashlib
import json
import re
from typing import NamedTuple

from planner.web.serving.web_app import PARTS, STATIC

KINDS = ("bar", "contour", "heatmap")  # beside lines and dots, which are always there
_MODULE = re.compile(r'(?<=[ ,])([\w$]+)=[\w$]+\(\{"([^"]+)"\([\w$,]*\)\{')
_CALL = re.compile(r"(?<![\w$.])([\w$]+)\(\)")
_REGISTERED = re.compile(r"\.register\(\[((?:[\w$]+\(\),?)+)\]\)")
_ENDS, _BETWEEN = "}})", ","  # more than a comma between two modules is code that others may use
_LAST = "()})();return window.Plotly"  # what follows the last module


class Module(NamedTuple):
    """A module: where its body begins and ends, and what stands before and after it, up to the next one."""

    path: str
    start: int
    end: int
    before: str
    after: str


def modules(text: str) -> dict[str, Module]:
    """Return the modules by the names of their functions."""
    heads = list(_MODULE.finditer(text))
    ends = [*(head.start() for head in heads[1:]), text.index(_LAST)]
    found, before = {}, ""
    for head, limit in zip(heads, ends, strict=True):
        end = text.rindex(_ENDS, head.end(), limit)
        after = text[end + len(_ENDS) : limit]
        found[head[1]] = Module(head[2], head.end(), end, before, after)
        before = after
    return found


def cuts(text: str) -> list[tuple[int, int]]:
    """Return the pieces that are not needed, from where to where."""
    found = modules(text)
    registered = list(_REGISTERED.finditer(text))[-1]
    wanted = {f"lib/{kind}.js" for kind in KINDS}
    entries = [(call, found[call[1]].path in wanted) for call in _CALL.finditer(registered[1])]
    start = registered.start(1)
    last = registered.end(1)
    unwanted = [(start + call.start(), min(start + call.end() + 1, last)) for call, is_in in entries if not is_in]
    before = text[text.rindex('"lib/index.js"', 0, start) : start]
    waiting = [name for name in _CALL.findall(before) if name in found] + [call[1] for call, is_in in entries if is_in]
    needed = set[str]()
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            module = found[name]
            calls = _CALL.findall(f"{module.before} {text[module.start : module.end]} {module.after}")
            waiting += [other for other in calls if other in found]
    others = [module for name, module in found.items() if name not in needed and module.after == _BETWEEN]
    return sorted([*((module.start, module.end) for module in others), *unwanted])


def main() -> None:
    """Write the list."""
    (file,) = STATIC.glob("static/js/PlotlyChart.*.js")
    whole = file.read_bytes()
    pieces = cuts(whole.decode("latin-1"))  # a letter for each byte
    record = {"file": file.name, "sha256": hashlib.sha256(whole).hexdigest(), "kinds": KINDS, "cuts": pieces}
    PARTS.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(pieces):,} pieces, {sum(end - start for start, end in pieces):,} of {len(whole):,} bytes")


if __name__ == "__main__":
    main()
