"""The pages that are made: commands as the parser says them, fields as the records say them."""

import re

import pytest

from planner.cli import field_page, main
from planner.cli.help_page import WRITE, help_page
from tests.house import ROOT

PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+)\n((?:(?!^## ).*\n)*)", PAGE, flags=re.MULTILINE))


def help_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        main([*words, "--help"])
    return capsys.readouterr().out


def test_the_page_is_what_the_parser_says() -> None:
    assert help_page() == PAGE, f"docs/commands.md is not what --help says: run `{WRITE}`"


def test_the_page_of_fields_is_what_the_records_say() -> None:
    page = (ROOT / "docs" / "fields.md").read_text(encoding="utf-8")
    assert field_page.field_page() == page, f"docs/fields.md is not what the records say: run `{field_page.WRITE}`"


def test_every_verb_that_help_lists_has_its_section(capsys: pytest.CaptureFixture[str]) -> None:
    listed = set(re.findall(r"^    ([a-z-]+)\b", help_of([], capsys), flags=re.MULTILINE))
    assert listed
    assert listed == {title for title in SECTIONS if " " not in title}


@pytest.mark.parametrize("verb", SECTIONS)
def test_a_section_names_every_option_of_its_help_and_no_other(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = help_of(verb.split(), capsys)
    options = set(re.findall(r"^  (?:-h, )?(--[a-z][a-z0-9-]*)", told, flags=re.MULTILINE)) - {"--help"}
    rows = set(re.findall(r"^\| `(--[a-z][a-z0-9-]*)", SECTIONS[verb], flags=re.MULTILINE))
    assert rows == options
    for row in re.findall(r"^\| `-.*?`(?:, needed)? \| ([^;|]*)", SECTIONS[verb], flags=re.MULTILINE):
        assert "".join(row.split()) in "".join(told.split())
