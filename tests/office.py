"""What LibreOffice makes of a workbook: it opens it without a window, calculates every formula anew and writes it."""

import csv
import io
import subprocess
from collections.abc import Mapping
from pathlib import Path

import openpyxl

# Whatever a workbook holds as the last known values, it is calculated when it is opened.
_ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>"""
# Every sheet in a file of its own, numbers with all their digits.
_CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"
_SECONDS = 600
Cell = float | str | None
Sheets = dict[str, list[list[Cell]]]  # rows of values, by the name of the sheet


def recalculated(workbooks: Mapping[str, bytes], folder: Path) -> dict[str, Sheets]:
    """Return the values of workbooks as LibreOffice calculates them, all in one call of it."""
    profile, given, written = folder / "profile", folder / "given", folder / "written"
    for path in (profile / "user", given, written):
        path.mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_ALWAYS)
    for name, data in workbooks.items():
        (given / f"{name}.xlsx").write_bytes(data)
    command = ["soffice", f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", _CSV]
    files = sorted(map(str, given.iterdir()))
    subprocess.run([*command, "--outdir", str(written), *files], check=True, capture_output=True, timeout=_SECONDS)
    sheets: dict[str, Sheets] = {name: {} for name in workbooks}
    for path in written.iterdir():
        name = max((name for name in workbooks if path.name.startswith(f"{name}-")), key=len)
        with path.open(encoding="utf-8", newline="") as file:
            sheets[name][path.stem.removeprefix(f"{name}-")] = [list(map(_cell, row)) for row in csv.reader(file)]
    return sheets


def saved_again(data: bytes, separator: str, language: int, folder: Path) -> bytes:
    """Return a CSV as LibreOffice opens and saves it in a language, such as 1031 for German."""
    given, written = folder / "given.csv", folder / "written"
    given.write_bytes(data)
    how = f"Text - txt - csv (StarCalc):{ord(separator)},34,76,1,,{language},false,true"
    profile = (folder / "profile").as_uri()
    command = ["soffice", f"-env:UserInstallation={profile}", "--headless", f"--infilter={how}", "--convert-to"]
    subprocess.run(
        [*command, f"csv:{how}", "--outdir", str(written), str(given)],
        check=True,
        capture_output=True,
        timeout=_SECONDS,
    )
    return (written / given.name).read_bytes()


def _cell(text: str) -> Cell:
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return text or None


def with_cells(data: bytes, sheet: str, cells: Mapping[str, float]) -> bytes:
    """Return a workbook with other values in some cells, as somebody types them; no last known value is left in it."""
    book, out = openpyxl.load_workbook(io.BytesIO(data)), io.BytesIO()
    for address, value in cells.items():
        book[sheet][address] = value
    book.save(out)
    return out.getvalue()
