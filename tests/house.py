"""Reads the code as it stands in the files, without running it, and finds what is in the wrong room.

Every rule takes one module and yields a sentence for each place that breaks it. The walls are explained in
docs/decisions/0001-the-house.md; a wall that is moved is moved there and here.
"""

from __future__ import annotations

import ast
import gc
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePosixPath

from tests import prose

ROOT = Path(__file__).resolve().parents[1]

# From the facts up to the screen. A module may import from its own floor's room and from every floor below.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("pricing",), ("planner.scenario",), ("planner.network",), ("planner.speed",), ("planner.evidence",),
    ("planner.money",), ("planner.study",), ("planner.report",), ("planner.store",), ("planner.api",),
    ("planner.web", "planner.cli"),
    ("app", "planner.__main__"),
)  # fmt: skip
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}

_FEEDS = ("pricing.feeds",)
ONLY_IN: dict[str, tuple[str, ...]] = {
    "streamlit": ("planner.web", "app"),
    "plotly": ("planner.report", "planner.web"),
    "pandas": ("planner.report.table", "planner.store", "planner.web"),
    **dict.fromkeys(("requests", "urllib.request", "urllib3", "http.client", "httpx", "aiohttp"), _FEEDS),
    "socket": (*_FEEDS, "planner.web.serving"),
    **dict.fromkeys(("pickle", "marshal", "shelve", "dill", "cloudpickle"), ()),
}
MAY_PRINT = ("planner.cli", "planner.__main__", "planner.web")
MAY_ASK_THE_DAY = ("planner.cli", "planner.api", "planner.__main__", "planner.web", "pricing.feeds")
PAGES = "planner.web.pages"

LONGEST_FUNCTION = 60
LONGEST_FILE = 400

_CLOCK = (
    *("date.today", "datetime.today", "datetime.now", "datetime.utcnow", "Timestamp.now", "Timestamp.today"),
    *("time.time", "time.time_ns", "time.localtime", "time.gmtime"),
)
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**"}
_RUNS_TEXT = {"eval", "exec", "__import__"}
_UNSAFE_YAML = {"load", "load_all", "full_load", "unsafe_load", "full_load_all", "unsafe_load_all"}


@dataclass(frozen=True)
class Module:
    """One Python file of the house."""

    path: str
    text: str
    tree: ast.Module

    @classmethod
    def of(cls, path: str, text: str) -> Module:
        """The module in `text`, as if it stood at `path`."""
        return cls(path, text, ast.parse(text, filename=path))

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Everything in it, walked once for all rules."""
        return tuple(ast.walk(self.tree))

    @cached_property
    def name(self) -> str:
        """Its dotted name; a package is called by its folder."""
        return ".".join(PurePosixPath(self.path).with_suffix("").parts).removesuffix(".__init__")

    @property
    def package(self) -> list[str]:
        """Where its relative imports start."""
        parts = self.name.split(".")
        return parts if self.path.endswith("__init__.py") else parts[:-1]

    def at(self, node: ast.stmt | ast.expr, complaint: str) -> str:
        return f"{self.path}:{node.lineno}: {complaint}"


Rule = Callable[[Module], Iterator[str]]


@cache
def modules(root: Path = ROOT) -> list[Module]:
    """Every module of the program itself, read once."""
    paths = [root / "app.py", *sorted((root / "pricing").rglob("*.py")), *sorted((root / "planner").rglob("*.py"))]
    gc.disable()  # nodes by the hundred thousand that all stay: the collector would look through them again and again
    try:
        return [Module.of(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in paths]
    finally:
        gc.enable()


def inside(name: str, rooms: tuple[str, ...]) -> bool:
    """Whether a dotted name is one of `rooms` or stands in one of them."""
    return any(name == room or name.startswith(room + ".") for room in rooms)


@cache
def room_of(name: str) -> str | None:
    """The room a dotted name stands in."""
    return next((room for room in FLOOR_OF if inside(name, (room,))), None)


@cache
def imports(module: Module) -> tuple[tuple[ast.stmt, str], ...]:
    """Everything it imports, under its full name: `from ..money import owned` is planner.money.owning."""
    return tuple(_imports(module))


def _imports(module: Module) -> Iterator[tuple[ast.stmt, str]]:
    for node in module.nodes:
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            up = module.package[: len(module.package) - node.level + 1] if node.level else []
            base = [*up, *([node.module] if node.module else [])]
            yield from ((node, ".".join([*base, alias.name])) for alias in node.names)


def wrong_direction(module: Module) -> Iterator[str]:
    """A room may know its own floor's room and the floors below it: facts first, screen last."""
    own = room_of(module.name)
    if own is None and module.name != "planner":
        yield f"{module.path}:1: stands in no room; there are {', '.join(FLOOR_OF)}"
        return
    for node, name in imports(module):
        if name.split(".")[0] not in {"pricing", "planner", "app"}:
            continue
        other = room_of(name)
        if other is None:
            yield module.at(node, f"imports {name}, which stands in no room")
        elif other != own and (own is None or FLOOR_OF[other] >= FLOOR_OF[own]):
            yield module.at(node, f"{own or module.name} must not import {other} ({name})")


def circles(found: list[Module], room: str) -> list[str]:
    """The folders of a room, and modules beside them, that know each other in a circle: inside, arrows run one way."""
    known = {part: set[str]() for module in found if (part := _part(module.name, room))}
    for module in found:
        for _, name in imports(module):
            own, other = _part(module.name, room), _part(name, room)
            if own and other in known and own != other:
                known[own].add(other)
    while free := {part for part, others in known.items() if not others & known.keys()}:
        known = {part: others for part, others in known.items() if part not in free}
    return [f"{room}.{part} and {', '.join(sorted(others & known.keys()))}" for part, others in sorted(known.items())]


def _part(name: str, room: str) -> str:
    """The folder of a room in which a dotted name stands, or the module beside the folders."""
    return name.removeprefix(f"{room}.").split(".")[0] if name.startswith(f"{room}.") else ""


def wrong_library(module: Module) -> Iterator[str]:
    """Screen, tables and network each have their rooms; what can run what it reads has none."""
    for node, name in imports(module):
        for library, rooms in ONLY_IN.items():
            if inside(name, (library,)) and not inside(module.name, rooms):
                yield module.at(node, f"imports {library}, which belongs in {' and '.join(rooms) or 'no room'}")


def prints(module: Module) -> Iterator[str]:
    """Results are returned; only what talks to a person prints."""
    if inside(module.name, ("planner",)) and not inside(module.name, MAY_PRINT):
        for call in _calls(module):
            if isinstance(call.func, ast.Name) and call.func.id == "print":
                yield module.at(call, "prints")


def asks_the_day(module: Module) -> Iterator[str]:
    """The day is an argument, so that yesterday's answer can be had again."""
    if inside(module.name, MAY_ASK_THE_DAY):
        return
    for node, name in imports(module):
        if name == "time.time":
            yield module.at(node, "imports the clock")
    for call in _calls(module):
        if f".{_dotted(call.func)}".endswith(tuple(f".{clock}" for clock in _CLOCK)):
            yield module.at(call, f"asks the clock ({_dotted(call.func)})")


def computes_on_a_page(module: Module) -> Iterator[str]:
    """A page asks, calls and shows. What it would compute, the command line would not know."""
    if inside(module.name, (PAGES,)):
        for node in module.nodes:
            if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _ARITHMETIC:
                yield module.at(node, f"computes with {_ARITHMETIC[type(node.op)]} on a page")


def runs_what_it_reads(module: Module) -> Iterator[str]:
    """Text from outside is data, never code."""
    for call in _calls(module):
        name = _dotted(call.func)
        if name in _RUNS_TEXT or (name.startswith("yaml.") and name.removeprefix("yaml.") in _UNSAFE_YAML):
            yield module.at(call, f"calls {name}")


# Where text is read that only words say, each with its reason.
READS_WORDS = {
    "planner/report/answer/feasibility.py": "a label of the catalogue is cut for room; nothing is decided by it",
    "planner/report/speed/time_cost_front.py": "a label of the catalogue is cut for room; nothing is decided by it",
    "planner/speed/match_model.py": "names that people write are matched with the names of models",
}


def branches_on_a_sentence(module: Module) -> Iterator[str]:
    """A reason is a value, and words are made from it: nothing goes by words, or by a note that people wrote."""
    if module.path not in READS_WORDS:
        yield from (module.at(node, how) for node, how in prose.branches(module.tree, module.nodes))


# The three kinds of cache, each with its home: of records and functions, of a sweep, of the pages.
CACHES = {
    "cached_property": "pricing/caching.py", "cached": "pricing/caching.py",
    "MemoizedQuery": "planner/study/sweep/columns.py", "shared": "planner/web/shared.py",
}  # fmt: skip
_OTHER_CACHES = ("functools.cache", "functools.lru_cache", "functools.cached_property")
_STREAMLITS = ("cache_resource", "cache_data")


def caches_otherwise(module: Module) -> Iterator[str]:
    """There are few kinds of cache, each of which declares on what it depends; nobody else pokes into a record."""
    if not inside(module.name, ("planner", "pricing")) or module.path in CACHES.values():
        return
    for node, name in imports(module):
        if name in _OTHER_CACHES:
            yield module.at(node, f"imports {name}: want one of {', '.join(CACHES)}")
    for node in module.nodes:
        if isinstance(node, ast.Attribute) and node.attr in _STREAMLITS:
            yield module.at(node, f"keeps by {node.attr}: want one of {', '.join(CACHES)}")
        if isinstance(node, ast.Attribute | ast.Subscript) and _dotted(node.value).endswith("__dict__"):
            yield module.at(node, "pokes into __dict__: want derive() or another function of pricing.caching")


def white_on_pale(module: Module) -> Iterator[str]:
    """Streamlit writes white on a primary button; on the dark theme's accent nobody could read it."""
    for call in _calls(module):
        for keyword in call.keywords:
            if keyword.arg == "type" and isinstance(keyword.value, ast.Constant) and keyword.value.value == "primary":
                yield module.at(call, "a primary button is unreadable in the dark theme")


def too_long(module: Module) -> Iterator[str]:
    """A function one can see at once, a file one can read in one sitting."""
    lines = len(module.text.splitlines())
    if lines > LONGEST_FILE:
        yield f"{module.path}:1: {lines} lines, want at most {LONGEST_FILE}: split it where the ideas part"
    for node in module.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("test_"):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > LONGEST_FUNCTION:
                yield module.at(node, f"{node.name} has {length} lines, want at most {LONGEST_FUNCTION}: two ideas?")


def _calls(module: Module) -> Iterator[ast.Call]:
    return (node for node in module.nodes if isinstance(node, ast.Call))


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


RULES: tuple[Rule, ...] = (
    wrong_direction, wrong_library, prints, asks_the_day, computes_on_a_page, runs_what_it_reads,
    branches_on_a_sentence, caches_otherwise, white_on_pale, too_long,
)  # fmt: skip


# Folders of one person's machine, and notes that were never part of this repository: nobody else can open them.
_SOMEBODYS = re.compile(
    r"(?<![\w.:/~-])(?:/home/|/Users/|/root/|/tmp/|/wor" + r"k/)\w"  # absolute, so not part of a web address
    r"|\.\./shar" + r"ed\b|(?<![\w/-])shar" + r"ed/(?:design|facts|methods|runs|style|tools|ux)\b"
    r"|\.libra" + r"ry/|\b[Tt]he mis" + r"sion\b|\bthe brief of this pro" + r"ject\b"
)
# What any of it begins with: to look for these takes a tenth of the time.
_MARKS = (
    "/home/", "/Users/", "/root/", "/tmp/", "/wor" + "k/", "shar" + "ed/", "../shar" + "ed", ".libra" + "ry",
    "he mis" + "sion", "this pro" + "ject",
)  # fmt: skip
_TEXT = {".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".sh", ".csv", ".cfg", ".json", ""}


def names_somebodys_machine(path: str, text: str) -> Iterator[str]:
    """No file of this repository points at a place on somebody's disk, or at words that were never part of it."""
    if not any(mark in text for mark in _MARKS) or _SOMEBODYS.search(text) is None:  # as nearly always
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if (found := _SOMEBODYS.search(line)) is not None:
            yield f"{path}:{number}: {found.group()!r} is nothing that others can open"


@cache
def texts(root: Path = ROOT) -> tuple[tuple[str, str], ...]:
    """Every text file that belongs to the repository: not the ones in hidden folders that tools leave behind."""
    found: list[Path] = []
    for folder, inner, files in os.walk(root):
        inner[:] = [one for one in inner if _is_kept(one) and one not in ("__pycache__", "build")]  # not walked at all
        found += [Path(folder) / file for file in files if _is_kept(file)]
    return tuple(
        (path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted(found)
        if path.suffix in _TEXT
    )


def _is_kept(name: str) -> bool:
    return not name.startswith(".") or name in {".ci", ".streamlit", ".gitignore"}


def gaps(names: list[str]) -> list[str]:
    """What is wrong with the numbers of decision records: they count from 0001 without a gap or a double."""
    complaints = [f"{name}: want NNNN-a-title.md" for name in names if not re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", name)]
    numbers = sorted(int(name[:4]) for name in names if name[:4].isdecimal())
    if numbers != list(range(1, len(numbers) + 1)):
        complaints.append(f"want 1 to {len(numbers)} once each, got {numbers}")
    return complaints
