"""Change one thing in the code at a time and count how many of the changes the tests notice.

    python -m tools.mutants --count 10 --seed 3 planner/money/carbon pricing/belief

Each mutant is made in a copy of the tree: an operator, a comparison, a number, or low and high are exchanged. The tests
of the package run first, then all quick tests. What survives is printed with its place: either a test is missing, or
the change does not matter (a limit of speed, a tolerance, a branch that is only faster).
"""

import argparse
import ast
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

TREE = Path(__file__).parents[1]
LEFT_BEHIND = (".git", ".venv", "__pycache__", "build", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis")
OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Lt: ast.GtE, ast.LtE: ast.Gt,
    ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
EXCHANGED = {"low": "high", "high": "low", "minimum": "maximum", "maximum": "minimum", "min": "max", "max": "min"}


class Mutant(NamedTuple):
    """One change of one file."""

    path: str
    line: int
    change: str
    text: str


def candidates(path: Path) -> list[tuple[Path, int]]:
    """Return every node of a file that can be changed, by its place in a walk of the tree."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [(path, number) for number, node in enumerate(nodes) if _change(node) is not None]


def mutant(path: Path, number: int) -> Mutant:
    """Return a file with one of its nodes changed."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    node = next(node for index, node in enumerate(ast.walk(tree)) if index == number)
    change = _change(node) or ""
    return Mutant(path.relative_to(TREE).as_posix(), getattr(node, "lineno", 0), change, ast.unparse(tree))


def _change(node: ast.AST) -> str | None:
    """Change a node where it stands and return what changed; None where nothing is changed."""
    match node:
        case ast.BinOp(op=op) if type(op) in OPERATORS and not _is_text(node):
            node.op = OPERATORS[type(op)]()  # type: ignore[assignment]
            return f"{ast.unparse(node)}"
        case ast.Compare(ops=[op]) if type(op) in OPERATORS:
            node.ops = [OPERATORS[type(op)]()]  # type: ignore[list-item]
            return f"{ast.unparse(node)}"
        case ast.BoolOp(op=op):
            node.op = OPERATORS[type(op)]()  # type: ignore[assignment]
            return f"{ast.unparse(node)}"
        case ast.Attribute(attr=name) | ast.Name(id=name) if name in EXCHANGED and isinstance(node.ctx, ast.Load):
            setattr(node, "attr" if isinstance(node, ast.Attribute) else "id", EXCHANGED[name])
            return f"{name} -> {EXCHANGED[name]}"
        case ast.Constant(value=float() as value):
            node.value = value * 2 + 1
            return f"{value} -> {node.value}"
    return None


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(side, ast.JoinedStr) or _is_string(side) for side in (node.left, node.right))


def _is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def survives(changed: Mutant, copy: Path, tests: Sequence[str]) -> bool:
    """Return whether all tests pass with the change; a run that takes three minutes has noticed it."""
    place = copy / changed.path
    before = place.read_text(encoding="utf-8")
    place.write_text(changed.text, encoding="utf-8")
    run = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-m",
        "not slow",
        "--hypothesis-profile=quick",
        "-p",
        "no:cacheprovider",
    ]
    try:
        return all(
            subprocess.run([*run, *part], check=False, cwd=copy, capture_output=True, timeout=180).returncode == 0
            for part in (tests, ["-n", "2", "--ignore=tests/browser", "--ignore=tests/web"])
        )
    except subprocess.TimeoutExpired:
        return False
    finally:
        place.write_text(before, encoding="utf-8")


def tests_of(path: str) -> list[str]:
    """Return the folder of tests that mirrors a file's package."""
    package, *rest = Path(path).parts
    folder = TREE / "tests" / ("pricing" if package == "pricing" else rest[0])
    return [str(folder.relative_to(TREE))] if folder.is_dir() else []


def main() -> int:
    """Make so many mutants of some packages and print which survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="+")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    files = [
        path
        for place in options.places
        for path in ([TREE / place] if place.endswith(".py") else (TREE / place).rglob("*.py"))
    ]
    chance = random.Random(options.seed)
    chosen = chance.sample([place for path in sorted(files) for place in candidates(path)], options.count)
    alive = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(TREE, copy, ignore=shutil.ignore_patterns(*LEFT_BEHIND))
        for place in chosen:
            changed = mutant(*place)
            lives = survives(changed, copy, tests_of(changed.path))
            alive += lives
            print(
                f"{'SURVIVES' if lives else 'killed  '} {changed.path}:{changed.line} {changed.change[:100]}",
                flush=True,
            )
    print(f"{options.count - alive} of {options.count} killed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
