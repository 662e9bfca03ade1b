"""Write the font of the icons that the app shows: the part of Streamlit's own that is used, 3 % of its bytes.

usage: python -m tools.symbols (after an icon is new, or Streamlit is)

The server sends this file in the place of Streamlit's (`planner.web.serving.web_app`), as long as that is the font
that it was made of. Icons are named alike in the app's code and in Streamlit's scripts: `:material/name:`.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.ttLib import TTFont

from planner.web.serving.web_app import STATIC, SYMBOLS, SYMBOLS_OF

ROOT = Path(__file__).resolve().parents[1]
_ICON = re.compile(r":material/([a-z0-9_]+):")
_LIGATURES = 4  # kind of a lookup


def icons() -> set[str]:
    """Return the names of the icons in the app's code and in Streamlit's scripts."""
    files = [ROOT / "app.py", *(ROOT / "planner").rglob("*.py"), *STATIC.glob("static/js/*.js")]
    return {name for file in files for name in _ICON.findall(file.read_text(encoding="utf-8"))}


def ligatures(font: TTFont) -> Iterator[tuple[dict[str, list[Any]], str, Any, str]]:
    """Yield each icon: the table that it is in, its first letter, its ligature and its name."""
    letters = {glyph: chr(code).lower() for code, glyph in font.getBestCmap().items()}
    for lookup in font["GSUB"].table.LookupList.Lookup:
        for table in (getattr(table, "ExtSubTable", table) for table in lookup.SubTable):
            for first, found in table.ligatures.items() if table.LookupType == _LIGATURES else ():
                for ligature in found:
                    name = "".join(letters.get(glyph, "?") for glyph in (first, *ligature.Component))
                    yield table.ligatures, first, ligature, name


def names(file: Path) -> set[str]:
    """Return the names of the icons that a font has."""
    return {name for *_, name in ligatures(TTFont(file))}


def main() -> None:
    """Write the font."""
    font, wanted = TTFont(STATIC / "static" / "media" / SYMBOLS_OF), icons()
    for table, first, ligature, name in list(ligatures(font)):
        if name not in wanted:
            table[first].remove(ligature)
    subsetter = subset.Subsetter(subset.Options(layout_features=["*"]))
    subsetter.populate(text="".join(wanted))
    subsetter.subset(font)
    font.flavor = "woff2"
    font.save(SYMBOLS)
    print(f"{len(names(SYMBOLS))} icons, {SYMBOLS.stat().st_size / 1_000:.0f} kB")


if __name__ == "__main__":
    main()
