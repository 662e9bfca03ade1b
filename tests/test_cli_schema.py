"""`schema`: prints the schema of a kind of file, lists the kinds in its help, and writes all of them into a folder."""

import json
from pathlib import Path

import pytest

from planner.cli import main
from planner.cli.common import BAD_INPUT, OK
from planner.report.files.file_kinds import FOLDER, KINDS, WRITE
from tests.house import ROOT


@pytest.mark.parametrize("name", ["scenario", "answer", "rentals"])
def test_schema_prints_what_stands_in_the_folder(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["schema", name]) == OK
    told = capsys.readouterr().out
    assert told == (ROOT / FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert json.loads(told)


def test_the_help_lists_every_kind_with_its_files(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["schema", "--help"])
    assert ended.value.code == OK
    told = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    for kind in KINDS:
        assert f"{kind.name} {kind.what}{f' ({kind.files})' if kind.files else ''}" in told


@pytest.mark.slow
def test_all_schemas_are_written_into_a_folder_that_need_not_be_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "schemas"
    for _ in range(2):  # again over those that stand there
        assert main(["schema", "--write", str(folder)]) == OK
        assert f"{len(KINDS)} schemas" in capsys.readouterr().out
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert written == {path.name: path.read_bytes() for path in (ROOT / FOLDER).iterdir()}


@pytest.mark.parametrize("words", [[], ["rentals", "--write", "somewhere"]])
def test_one_name_or_one_folder_is_wanted(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["schema", *words]) == BAD_INPUT
    assert "want one NAME, or --write FOLDER" in capsys.readouterr().err


def test_a_folder_that_cannot_be_one_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert main(["schema", "--write", str(tmp_path / "file")]) != OK
    assert capsys.readouterr().err.count("\n") == 1


def test_the_data_readme_names_the_command_that_writes_them() -> None:
    assert WRITE in (ROOT / "pricing" / "data" / "README.md").read_text(encoding="utf-8")
