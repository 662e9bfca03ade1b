"""The notebook of the docs runs from top to bottom: its cells are executed as they stand, without a kernel."""

import ast
import json
from typing import Any

import pytest

from tests.house import ROOT


def run(source: str, names: dict[str, Any]) -> Any:
    """Execute a cell and return the value of its last line, which a notebook shows."""
    *before, last = ast.parse(source).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(before, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.slow
def test_every_cell_runs_and_shows_something() -> None:
    notebook = json.loads((ROOT / "docs" / "notebook.ipynb").read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["metadata"]["language_info"]["name"]) == (4, "python")
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert not [cell for cell in notebook["cells"] if cell.get("outputs")]  # facts move: it is kept without results
    names: dict[str, Any] = {}
    shown = [run(cell, names) for cell in cells]
    assert shown[0] == names["answer"]["title"]
    assert list(shown[1]["present_p50_usd"]) == sorted(shown[1]["present_p50_usd"])
    assert len(shown[2]) == 5
    assert shown[3][1]["typical"] > 10_000
    assert shown[4] == names["asked"]["answer"]["title"]
