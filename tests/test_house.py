"""The walls of the house stand, and the inspector that says so is not asleep."""

import ast

import pytest

from tests import house, prose
from tests.house import Module
from tests.rows import each_row


@pytest.mark.parametrize("rule", house.RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps_its_rule(rule: house.Rule) -> None:
    complaints = [complaint for module in house.modules() for complaint in rule(module)]
    assert not complaints, "\n".join(complaints)


def test_the_inspector_saw_every_room_there_is() -> None:
    seen = {house.room_of(module.name) for module in house.modules()}
    assert {
        "pricing", "planner.scenario", "planner.money", "planner.report", "planner.web", "planner.cli", "app",
    } <= seen  # fmt: skip


@each_row("room", list(house.FLOOR_OF))
def test_inside_a_room_arrows_run_one_way(room: str) -> None:
    complaints = house.circles(house.modules(), room)
    assert not complaints, "each of these knows the next, in a circle:\n" + "\n".join(complaints)


def test_a_circle_is_seen() -> None:
    there = Module.of("planner/money/tax/a.py", "from planner.money.ways import own")
    back = Module.of("planner/money/ways/own.py", "from planner.money.tax.a import tax_usd")
    assert len(house.circles([there, back], "planner.money")) == 2
    assert not house.circles([there], "planner.money")


WRONG = [
    (house.wrong_direction, "pricing/load.py", "import planner", "no room"),
    (house.wrong_direction, "pricing/load.py", "from planner.scenario import x", "must not import planner.scenario"),
    (house.wrong_direction, "pricing/load.py", "def f():\n    from planner import cli", "must not import planner.cli"),
    (
        house.wrong_direction, "planner/scenario/a.py", "from planner.money import ledger",
        "must not import planner.money",
    ),
    (house.wrong_direction, "planner/speed/a.py", "from ..study import mix", "must not import planner.study"),
    (
        house.wrong_direction, "planner/speed/serving/a.py", "from planner.evidence.table import read_run_rows",
        "must not import planner.evidence",
    ),
    (house.wrong_direction, "planner/money/a.py", "import planner.report.files.csv", "must not import planner.report"),
    (house.wrong_direction, "planner/money/__init__.py", "from .. import web", "must not import planner.web"),
    (house.wrong_direction, "planner/store/a.py", "from planner import cli", "must not import planner.cli"),
    (house.wrong_direction, "planner/web/a.py", "from planner import cli", "must not import planner.cli"),
    (house.wrong_direction, "planner/cli.py", "from planner.web import ask", "must not import planner.web"),
    (house.wrong_direction, "planner/web/a.py", "import app", "must not import app"),
    (house.wrong_direction, "planner/__init__.py", "from planner.money import ledger", "must not import planner.money"),
    (house.wrong_direction, "planner/helpers.py", "x = 1", "stands in no room"),
    (house.wrong_library, "planner/report/a.py", "import streamlit as st", "imports streamlit"),
    (house.wrong_library, "planner/money/a.py", "from pandas import DataFrame", "imports pandas"),
    (house.wrong_library, "planner/report/a.py", "def f():\n    import pandas", "imports pandas"),
    (house.wrong_library, "planner/cli.py", "import plotly.graph_objects as go", "imports plotly"),
    (house.wrong_library, "pricing/load.py", "from urllib import request", "imports urllib.request"),
    (house.wrong_library, "planner/web/a.py", "from http.client import HTTPConnection", "imports http.client"),
    (house.wrong_library, "planner/web/a.py", "import socket, json", "imports socket"),
    (house.wrong_library, "planner/store/a.py", "import pickle", "imports pickle"),
    (house.prints, "planner/money/a.py", "print(1)", "prints"),
    (house.asks_the_day, "planner/money/a.py", "from datetime import date\nd = date.today()", "date.today"),
    (house.asks_the_day, "pricing/query.py", "import datetime\nd = datetime.datetime.now()", "datetime.now"),
    (house.asks_the_day, "planner/report/a.py", "import pandas as pd\nd = pd.Timestamp.now()", "Timestamp.now"),
    (house.asks_the_day, "app.py", "import time\nt = time.time()", "time.time"),
    (house.asks_the_day, "planner/study/a.py", "from time import time", "imports the clock"),
    (house.computes_on_a_page, "planner/web/pages/a.py", "total = price * hours", "computes with *"),
    (house.computes_on_a_page, "planner/web/pages/a.py", "total = 0\ntotal += 1", "computes with +"),
    (house.computes_on_a_page, "planner/web/pages/a.py", "s = '%d' % 3", "computes with %"),
    (house.caches_otherwise, "pricing/load.py", "from functools import lru_cache", "imports functools.lru_cache"),
    (house.caches_otherwise, "planner/web/a.py", "@st.cache_resource\ndef f(): pass", "keeps by cache_resource"),
    (house.caches_otherwise, "planner/money/a.py", "there.__dict__['usd'] = 1", "pokes into __dict__"),
    (house.caches_otherwise, "planner/money/a.py", "there.__dict__.update(usd=1)", "pokes into __dict__"),
    (house.runs_what_it_reads, "pricing/load.py", "eval('1')", "calls eval"),
    (house.runs_what_it_reads, "planner/store/a.py", "exec(text)", "calls exec"),
    (house.runs_what_it_reads, "pricing/strict_yaml.py", "import yaml\nyaml.load(t, Loader=L)", "calls yaml.load"),
    *(
        (house.branches_on_a_sentence, "planner/study/a.py", code, complaint)
        for code, complaint in (
            ("lost = one.why_not.partition(' than ')[0]", "one.why_not apart at a phrase"),
            ("able = lost in ('', 'dearer', 'dearer and slower')", "compares with a phrase"),
            ("doubted = one.why_not.startswith('price')", "takes one.why_not apart"),
            ("found = not reason.startswith('always')", "takes reason apart"),
            ("reason = busy.reason.partition(': ')[2] or busy.reason", "takes busy.reason apart"),
            ("lacks = str(reason).partition(': ')[2]", "takes str(reason) apart"),
            ("text.partition(': ')[2] or text", "takes text apart at a phrase"),
            ("why = found.problems[0].partition('. What')[0]", "takes found.problems[0] apart"),
            ("title, _, rest = labels[0].partition(': ')", "takes labels[0] apart"),
            ("short = label(name).partition(',')[0]", "takes label(name) apart"),
            ("short = said.removesuffix(' curve')", "takes said apart at a phrase"),
            ("on = once.where.partition(' x ')[2]", "takes once.where apart at a phrase"),
            ("sure = not found.verdict.startswith('probably')", "takes found.verdict apart"),
            ("ask = any('no price for' in reason for reason in found.missing)", "compares with a phrase"),
            ("smooth = 'step' not in one.reason", "compares a sentence"),
            ("shown = '' if reason == 'found' else reason", "compares a sentence"),
            ("kept = [one for one in hidden if one != 'another accelerator']", "compares with a phrase"),
            ("word = re.match('[a-z]+', turn.reason)", "matches turn.reason"),
            ("head = _NUMBERS.sub('so many', one.why_not)", "matches one.why_not"),
            ("START = 'does not fit'\nfits = not how.startswith(START)", "takes how apart at a phrase"),
            ("mine = str(error.wish).startswith(f'{path}: ')", "takes str(error.wish) apart"),
            ("name = str(error.get('error')).partition(' ')[0]", "takes str(error.get('error')) apart"),
            ("plain = sentence.replace('renting', 'buying')", "takes sentence apart"),
            ("windowed = 'sliding' in model.note", "compares a sentence"),
            ("layers = re.search(r'(\\d+) of', record.notes)", "matches record.notes"),
            ("batch = 'static batch' in row.get('notes', '')", "compares with a phrase"),
        )
    ),
    (house.white_on_pale, "planner/web/a.py", "st.button('Go', type='primary')", "unreadable"),
    (house.too_long, "planner/money/a.py", "def f():\n" + "    x = 1\n" * 60, "f has 61 lines"),
    (house.too_long, "planner/money/a.py", "x = 1\n" * 401, "401 lines"),
]  # fmt: skip


@each_row(("rule", "path", "code", "complaint"), WRONG)
def test_the_inspector_catches(rule: house.Rule, path: str, code: str, complaint: str) -> None:
    found = list(rule(Module.of(path, code)))
    assert len(found) == 1, found
    assert complaint in found[0]
    assert found[0].startswith(f"{path}:")


FINE = [
    (house.wrong_direction, "planner/money/a.py", "from planner.speed import fit\nfrom pricing import Figure"),
    (house.wrong_direction, "planner/money/a.py", "from . import ledger\nfrom .ledger import Line\nimport numpy"),
    (house.wrong_direction, "planner/web/pages/a.py", "from planner.store import saved\nfrom planner.web import ask"),
    (house.wrong_direction, "app.py", "from planner.web import state"),
    (house.wrong_direction, "planner/__main__.py", "from planner.cli import main"),
    (house.wrong_library, "planner/web/a.py", "import streamlit\nimport pandas\nfrom urllib.parse import quote"),
    (house.wrong_library, "pricing/feeds/a.py", "import requests"),
    (house.prints, "planner/cli.py", "print(1)"),
    (house.asks_the_day, "planner/web/state.py", "from datetime import date\nd = date.today()"),
    (house.asks_the_day, "planner/money/a.py", "from time import perf_counter\nperf_counter()\nfigure.on(day)"),
    (house.asks_the_day, "app.py", "from planner.web import state\nday = state.today()"),
    (house.computes_on_a_page, "planner/web/pages/a.py", "x: int | None = -1\ns = f'{x:,} {y}'\nz = a or b"),
    (house.computes_on_a_page, "planner/web/show.py", "x = 1 + 1"),
    (house.runs_what_it_reads, "pricing/strict_yaml.py", "import yaml\nyaml.parse(t)\njson.loads(t)\na.evaluate(1)"),
    *(
        (house.branches_on_a_sentence, "planner/web/a.py", code)
        for code in (
            "found = one.why_not is not None and one.why_not.kind == 'old_price'",
            "words = text.replace('-', '_').casefold().split(',')", "line = ' '.join(reason.split())",
            "end = '' if why.endswith(('.', '?')) else '.'",
            "plain = name.replace('_per_year', ' a year').replace('_', ' ')",
            "is_price = name.startswith('usd_per')\nshare = 'share' in name", "if verdict == 'close': pass",
            "formula = said.startswith('=')", "key = 'note' if 'note' in grid.outputs else None",
            "day, _, rest = line.partition(',')", "shown = [one for one in rows if one.verdict == NO_ANSWER]",
            "note = f'{value.locator}. {value.note}' if value.note else value.locator",
        )
    ),
    (house.white_on_pale, "planner/web/a.py", "st.button('Go')"),
    (house.too_long, "planner/money/a.py", "def f():\n" + "    x = 1\n" * 59),
]  # fmt: skip


@each_row(("rule", "path", "code"), FINE)
def test_the_inspector_leaves_in_peace(rule: house.Rule, path: str, code: str) -> None:
    assert list(rule(Module.of(path, code))) == []


def test_no_exemption_outlives_its_reason() -> None:
    found = {module.path: any(prose.branches(module.tree, module.nodes)) for module in house.modules()}
    assert all(found[path] for path in house.READS_WORDS)


@pytest.mark.slow
def test_nothing_else_is_too_long_either() -> None:
    known = {module.path for module in house.modules()}
    others = [Module.of(path, text) for path, text in house.texts() if path.endswith(".py") and path not in known]
    complaints = [complaint for module in others for complaint in house.too_long(module)]
    assert not complaints, "\n".join(complaints)


def test_no_folder_wakes_streamlits_own_page_discovery() -> None:
    assert not (house.ROOT / "pages").exists()


def test_no_file_points_at_somebodys_machine() -> None:
    complaints = [one for path, text in house.texts() for one in house.names_somebodys_machine(path, text)]
    assert not complaints, "\n".join(complaints)


@each_row(("line", "caught"), [
    ("see /ho" + "me/anna/notes.md", True), ("cp /t" + "mp/curate.py .", True),
    ("read ../sha" + "red/design.md", True), ("as sha" + "red/facts says", True),
    ("as the mis" + "sion says", True), ("of the brief of this pro" + "ject", True),
    ("https://example.org/ho" + "me/page", False), ("https://example.org/a/wor" + "k/b", False),
    ("a sha" + "red/dedicated core", False), ("docs/decisions/0001-the-house.md", False),
])  # fmt: skip
def test_a_place_on_somebodys_machine_is_told_from_an_address(line: str, caught: bool) -> None:
    assert bool(list(house.names_somebodys_machine("a.md", line))) is caught


def test_decisions_are_numbered_without_a_gap() -> None:
    assert house.gaps(sorted(path.name for path in (house.ROOT / "docs" / "decisions").iterdir())) == []


@pytest.mark.parametrize(
    "names", [["0002-b.md"], ["0001-a.md", "0003-c.md"], ["0001-a.md", "0001-b.md"], ["0001-a.md", "notes.md"]]
)
def test_a_gap_in_the_numbers_is_seen(names: list[str]) -> None:
    assert house.gaps(names)


def test_there_are_so_many_kinds_of_cache_each_where_it_belongs() -> None:
    assert len(set(house.CACHES.values())) <= 3
    defined = {
        (node.name, module.path)
        for module in house.modules()
        for node in module.tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in house.CACHES
    }
    assert defined == set(house.CACHES.items())
