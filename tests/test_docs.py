"""What is written about the program is still true of it."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from planner.cli import main
from planner.inputs.need import Need
from planner.money.owned import buying
from planner.money.rented import bills
from pricing import figure, load_catalogue, records
from pricing.query import Trust
from tests.house import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "pricing").rglob("*.md")]
    if path.is_file()
)


def table_rows(text: str) -> dict[str, list[str]]:
    """The cells of each table row after the first one, by the first cell without its backticks."""
    rows = re.findall(r"^\| *`?([^`|]+?)`? *\|(.*)\|$", text, flags=re.MULTILINE)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}


ROWS = table_rows(GLOSSARY)
FIGURES = sorted(
    {
        (name, unit)
        for record in vars(records).values()
        if isinstance(record, type) and issubclass(record, records.Record)
        for name, unit in record.FIGURE_UNITS.items()
    }
)
LISTS = {
    "Kind": figure.Kind,
    "Via": figure.Via,
    "Purchase": records.Purchase,
    "Doubt": records.Doubt,
    "Trust": Trust,
}


@pytest.mark.parametrize(("name", "unit"), FIGURES)
def test_every_figure_is_in_the_glossary_with_its_unit(name: str, unit: str) -> None:
    assert name in ROWS, f"add {name} to docs/glossary.md"
    assert ROWS[name][0] == unit


@pytest.mark.parametrize("closed_list", LISTS)
def test_every_word_of_a_closed_list_is_in_the_glossary(closed_list: str) -> None:
    section = re.search(rf"^### {closed_list}:.*?(?=^#|\Z)", GLOSSARY, flags=re.MULTILINE | re.DOTALL)
    assert section is not None
    explained = set(table_rows(section.group())) - {"Word", "---"}
    assert explained == set(get_args(LISTS[closed_list]))


def test_the_glossary_uses_only_units_of_the_closed_list_for_figures() -> None:
    assert {unit for _, unit in FIGURES} <= set(get_args(figure.Unit))


def test_no_name_with_a_unit_stands_in_the_glossary_twice() -> None:
    names = re.findall(r"^\| `([a-z0-9_]+)` \|", GLOSSARY, flags=re.MULTILINE)
    assert [name for name, times in Counter(names).items() if times > 1] == []


@pytest.mark.parametrize("accelerator", ["H100-SXM5-80GB", "RTX-5090-32GB", "B200-SXM-180GB"])
def test_every_name_in_a_formula_is_in_the_glossary(accelerator: str) -> None:
    catalogue, need = load_catalogue(), Need(accelerator=accelerator)
    own = buying(catalogue, need)
    assert own is not None
    offer = next(key for key, sold in catalogue.offers.items() if sold.accelerator == accelerator)
    for ledger in (own.ledger, bills(catalogue, need, (offer,)).ledger):
        assert {used.name for line in ledger.lines for used in line.used} <= ROWS.keys()


def test_a_row_that_is_missing_would_be_noticed() -> None:
    shorter = re.sub(r"^\| `tdp_w` .*\n", "", GLOSSARY, flags=re.MULTILINE)
    assert "tdp_w" in ROWS
    assert "tdp_w" not in table_rows(shorter)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_page_links_to_exists(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    here = [link for link in links if not link.startswith(("http://", "https://", "mailto:"))]
    assert [link for link in here if not (page.parent / link).exists()] == []


def test_the_readme_opens_with_the_two_commands() -> None:
    commands = re.findall(r"^make (\w+)", README.split("```")[1], flags=re.MULTILINE)
    assert commands == ["app", "test"]


def test_every_word_of_make_that_is_written_down_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, flags=re.MULTILINE))
    written = {word for page in PAGES for word in re.findall(r"`make ([a-z]+)`", page.read_text(encoding="utf-8"))}
    assert written >= {"app", "stale", "quick"}
    assert written <= targets


def test_a_release_says_first_which_numbers_move() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## Unreleased" in changes
    for release in re.split(r"^## ", changes, flags=re.MULTILINE)[1:]:
        headings = re.findall(r"^### (.+)$", release, flags=re.MULTILINE)
        assert headings == ["Numbers that move", "Added", "Changed", "Fixed"]


def test_the_readmes_line_for_the_shell_works(capsys: pytest.CaptureFixture[str]) -> None:
    line = re.search(r"python -m planner (.+)", README)
    assert line is not None
    assert main(shlex.split(line.group(1))) == 0
    assert "H100-SXM5-80GB" in capsys.readouterr().out
