"""What stands on the sheets of a printed page, read from the PDF that the browser makes of it."""

import re
import zlib
from collections.abc import Iterator

from playwright.sync_api import Page

_OBJECT = re.compile(rb"(\d+) 0 obj\n(.*?)\nendobj", re.DOTALL)
# A font, codes of letters, or what two letters say that are drawn as one, up to its end.
_SHOWN = re.compile(rb"/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)> Tj|/ActualText \(([^)]*)\)|/ActualText <([^>]*)>|(EMC)")
_BLOCK = re.compile(rb"beginbf(char|range)\n(.*?)endbf", re.DOTALL)
_CODES = re.compile(rb"<([0-9A-Fa-f]+)>")


def printed(page: Page, paper: str = "A4") -> list[str]:
    """The text of each sheet without its spaces. The browser leaves out what lies outside a sheet."""
    pdf = page.pdf(format=paper, prefer_css_page_size=True)
    objects = {int(number): body for number, body in _OBJECT.findall(pdf)}
    sheets = [body for body in objects.values() if re.search(rb"/Type /Page\b", body)]
    assert sheets, "the PDF has no page that this reader understands"
    return [_text(sheet, objects) for sheet in sheets]


def unspaced(text: str) -> str:
    """As `printed` has it: without spaces, nor the marks where a line may break."""
    return re.sub(r"[\s\u200b\u00ad]", "", text)


def _text(sheet: bytes, objects: dict[int, bytes]) -> str:
    """The text of a sheet, or of a form that stands on it: what is seen through is drawn as one."""
    fonts = {name: _letters(objects, int(number)) for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", sheet)}
    content = re.search(rb"/Contents (\d+)", sheet)
    forms = [objects[int(number)] for number in re.findall(rb"/X\d+ (\d+) 0 R", sheet)]
    text = [_text(form, objects) for form in forms if b"/Subtype /Form" in form]
    letters, wide, instead = dict[bytes, str](), 2, False
    for font, codes, plain, coded, end in _SHOWN.findall(
        _unpacked(sheet if content is None else objects[int(content[1])])
    ):
        if font:
            letters, wide = fonts[font]
        elif codes and not instead:
            text += [letters.get(codes[at : at + wide].upper(), "") for at in range(0, len(codes), wide)]
        elif plain or coded:
            text.append(plain.decode("latin-1") or bytes.fromhex(coded.decode()).decode("utf-16"))
        instead = bool(plain or coded) or (instead and not end)
    return unspaced("".join(text))


def _letters(objects: dict[int, bytes], font: int) -> tuple[dict[bytes, str], int]:
    """What each code of a font says, and how many digits a code has."""
    named = re.search(rb"/ToUnicode (\d+)", objects[font])
    if named is None:
        return {}, 2
    told = _unpacked(objects[int(named[1])])
    wide = 2 if b"<00> <FF>" in told else 4
    return {f"{code:0{wide}X}".encode(): letter for code, letter in _pairs(told)}, wide


def _pairs(told: bytes) -> Iterator[tuple[int, str]]:
    for kind, lines in _BLOCK.findall(told):
        for line in lines.splitlines():
            first, *rest = _CODES.findall(line)
            last, letter = (rest[0], rest[1]) if kind == b"range" else (first, rest[0])
            start = bytes.fromhex(letter.decode()).decode("utf-16-be")
            for code in range(int(first, 16), int(last, 16) + 1):
                yield code, start[:-1] + chr(ord(start[-1]) + code - int(first, 16))


def _unpacked(stream: bytes) -> bytes:
    start = stream.index(b"stream\n") + len(b"stream\n")
    return zlib.decompress(stream[start : stream.rindex(b"\nendstream")])
