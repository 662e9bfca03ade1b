"""Verbs start at once: what each loads is said here by name, and asked of a process of its own. Nothing is timed."""

import ast
import importlib
import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from planner.cli import VERBS
from planner.web.serving.launcher import LATER
from tests import house
from tests.house import ROOT
from tests.rows import each_row

OF_TABLES_AND_SCREENS = ("pandas", "plotly", "streamlit", "pyarrow")
OF_SCIPY = ("scipy", "numpy.f2py")
OF_FACTS = ("pydantic", "yaml")
ENGINE = ("planner.speed", "planner.money", "planner.study")
DAY = ("--day", "2026-11-21")
TELL = """
import contextlib, io, json, sys
from planner.cli import main
told = io.StringIO()
with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
    try:
        code = main(sys.argv[1:])
    except SystemExit as end:  # --help
        code = end.code
print(json.dumps([code, told.getvalue(), sorted(sys.modules)]))
"""


class Ran(NamedTuple):
    """What one call gave, and what stood in memory when it was over."""

    code: int
    said: str
    modules: list[str]

    def loaded(self, *names: str) -> list[str]:
        """Which of these, or what stands in them, were loaded."""
        return [module for module in self.modules if house.inside(module, names)]


def ran(*arguments: str) -> Ran:
    """`python -m planner` in a process of its own."""
    command = [sys.executable, "-c", TELL, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return Ran(*json.loads(done.stdout))


def named(value: object) -> str:
    """A case is called by its arguments."""
    return " ".join(value) if isinstance(value, list) else ""


@pytest.mark.slow
@each_row(
    ("arguments", "code"),
    [
        (["--help"], 0), (["plan", "--help"], 0), (["check", "training", "--help"], 0), (["schema", "--help"], 0),
        (["schema", "scenery"], 2), (["pricess"], 2), (["prices", "--accelertor", "h100"], 2),
        (["train", "--model", "llama-3-8b", "--accelerator", "h100 sxm", "--count", "many"], 2),
        (["serve", "--model", "llama-3-8b"], 2), (["compare", "enterprise"], 2),
    ],
)  # fmt: skip
def test_words_are_told_and_refused_by_nothing_but_words(arguments: list[str], code: int) -> None:
    found = ran(*arguments)
    assert found.code == code
    assert not found.loaded("numpy", *OF_FACTS, *OF_SCIPY, *OF_TABLES_AND_SCREENS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["plan", "enterprize"], 2, "No file and no preset is called 'enterprize'"),
        (["plan", "nowhere.yaml"], 1, "nowhere.yaml: No such file"),
        (["sweep", "nowhere.yaml", "--csv", "rows.csv"], 1, "nowhere.yaml: No such file"),
        (["cheapest", "--count", "8"], 2, "--count needs a job"),
        (["cheapest", "--model", "llama-3-8b", "--accelerator", "h1000"], 2, "No accelerator is called 'h1000'"),
        (["prices", "--accelerator", "h1000"], 2, "No accelerator is called 'h1000'"),
        (["train", "--model", "llama-3-8b", "--accelerator", "h1000"], 2, "No accelerator is called 'h1000'"),
        (["serve", "--model", "llama-3.1-8b", "--accelerator", "h1000"], 2, "No accelerator is called 'h1000'"),
        (
            ["train", "--model", "llama-3-8b", "--accelerator", "h100 sxm", "--power-cap-w", "-3"],
            2,
            "--power-cap-w: want a number above 0",
        ),
        (["schema", "scenario"], 0, '"title"'),
        (["schema", "rentals"], 0, '"title"'),
        (["schema", "presets"], 0, '"title"'),
    ],
    ids=named,
)
def test_what_names_nothing_is_refused_before_anything_reckons(arguments: list[str], code: int, said: str) -> None:
    found = ran(*arguments)
    assert found.code == code
    assert said in found.said
    assert not found.loaded("numpy", *OF_SCIPY, *OF_TABLES_AND_SCREENS, *ENGINE)


@pytest.mark.slow
def test_prices_load_neither_tables_nor_engine() -> None:
    for arguments in (["prices", *DAY], ["prices", *DAY, "--json"]):
        assert not ran(*arguments).loaded(*OF_SCIPY, *OF_TABLES_AND_SCREENS, *ENGINE)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "enterprise", *DAY], ["plan", "chat-service", *DAY, "--json"],
        ["compare", "enterprise", "startup", *DAY], ["cheapest", "--model", "llama-3-8b", "--tokens", "300B", *DAY],
        ["train", "--model", "llama-3-8b", "--accelerator", "h100 sxm", *DAY],
        ["serve", "--model", "llama-3.1-8b", "--accelerator", "h100 sxm", *DAY],
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_reckons_loads_no_library_of_tables_and_no_solver(arguments: list[str]) -> None:
    found = ran(*arguments)
    assert found.code == 0, found.said
    assert found.loaded("numpy")
    assert not found.loaded(*OF_TABLES_AND_SCREENS)
    draws_futures = arguments[0] in ("plan", "compare")
    assert not found.loaded(*(("scipy.stats", "scipy.optimize") if draws_futures else OF_SCIPY))
    assert bool(found.loaded("planner.report.files.answer_schema")) is ("--json" in arguments)  # only programs read it


@pytest.mark.slow
def test_files_are_written_without_a_library_of_tables(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("cash.csv", "assumptions.csv", "results.csv")]
    flags = ("--csv", "--csv-assumptions", "--csv-results")
    found = ran("plan", "startup", *DAY, *(str(way) for pair in zip(flags, files, strict=True) for way in pair))
    assert found.code == 0
    assert all(file.stat().st_size > 500 for file in files)
    assert not found.loaded(*OF_TABLES_AND_SCREENS)


@pytest.mark.slow
def test_only_a_mix_within_limits_loads_the_solver(tmp_path: Path) -> None:
    found = ran("plan", "fine-tune-70b", *DAY)
    assert found.code == 0
    assert not found.loaded("scipy", *OF_TABLES_AND_SCREENS)
    limited = tmp_path / "limited.yaml"
    limited.write_text("schema: 1\nwork: [{accelerators: 12}]\nterms: {cash_on_day_one_usd: 100000}\n")
    found = ran("plan", str(limited), *DAY)
    assert found.code == 0
    assert found.loaded("scipy.optimize")
    assert not found.loaded("scipy.stats", *OF_TABLES_AND_SCREENS)


def test_every_verb_is_done_by_what_its_words_name() -> None:
    """What is loaded late is found late: here all of it is."""
    for verb in VERBS:
        for name in _imported_late(Path(str(verb.__file__))):
            module, _, what = name.rpartition(".")
            assert hasattr(importlib.import_module(module), what) if module else importlib.import_module(what), name


@pytest.mark.slow
def test_a_server_has_loaded_what_would_be_loaded_late() -> None:
    """Whoever comes first must not wait for what a command line leaves out."""
    late = {
        name.split(".")[0]
        for module in house.modules()
        if house.inside(module.name, ("pricing", "planner")) and not house.inside(module.name, ("planner.cli",))
        for name in _imported_late(ROOT / module.path)
    }
    at_once = {
        "xlsxwriter",
        "pyarrow",
        "typst",
        "cryptography",
        "alembic",
    }  # a tenth of a second, for few: whoever asks for such a file waits
    assert late - {"planner", "pricing"} - at_once <= {*LATER, "scipy"}
    server = modules_after("import planner.web.serving.launcher as launcher; launcher.load_pages()")
    worker = modules_after("import planner.web.preloaded")
    assert {*LATER, "plotly"} <= server
    assert "scipy" not in server  # it calculates no plan
    assert "planner.study.mix.mix_program" in worker
    assert not worker & {"pandas", "plotly", "streamlit", "scipy"}  # few plans need scipy, and it takes 30 MB


def modules_after(program: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {program}; print(*sys.modules)"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return set(done.stdout.split())


def _imported_late(path: Path) -> Iterator[str]:
    """What functions of a file import when they are called."""
    for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.ImportFrom):
                    yield from (f"{node.module}.{name.name}" for name in node.names)
                elif isinstance(node, ast.Import):
                    yield from (one.name for one in node.names)


HEAPS = """
import ctypes, sys, threading
import numpy as np
from tools.serve import share_one_heap
if "shared" in sys.argv:
    share_one_heap()
kept, begun = [], threading.Barrier(4)
def fill():
    begun.wait()
    kept.extend(np.ones(1_000) for _ in range(200))
threads = [threading.Thread(target=fill) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
libc = ctypes.CDLL(None)
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no heap for each thread")
def test_all_threads_of_a_server_share_one_heap() -> None:
    counts = {
        how: subprocess.run(
            [sys.executable, "-c", HEAPS, how], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
        ).stdout.count("<heap nr=")
        for how in ("shared", "usual")
    }
    assert counts["shared"] == 1 < counts["usual"]
