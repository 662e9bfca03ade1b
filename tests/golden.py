"""The text of every preset, kept whole: `make golden` writes tests/golden anew, and a review reads the difference."""

import contextlib
import io
import os
import re
from pathlib import Path

from planner.cli import main
from planner.scenario.presets import load_presets
from tests import frozen

FOLDER = Path(__file__).with_name("golden")
KEYS = tuple(preset.key for preset in load_presets())


def text_of(key: str) -> str:
    """Return what `plan KEY --full` prints on the frozen day, without the digest, which any remark changes."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        code = main(["plan", key, "--full", "--day", "2026-11-21"])
    assert code == 0, key
    return re.sub(r"digest [0-9a-f]{16}", "digest …", printed.getvalue())


def kept(key: str) -> str:
    return (FOLDER / f"{key}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    os.environ["RENT_OR_BUY_DATA"] = os.devnull + "/none"
    frozen.freeze()
    FOLDER.mkdir(exist_ok=True)
    for preset in KEYS:
        (FOLDER / f"{preset}.txt").write_text(text_of(preset), encoding="utf-8")
