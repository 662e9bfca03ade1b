"""One call of the command line, in this process, and the day on which almost every test makes it."""

import pytest

from planner.cli import main

DAY = ["--day", "2026-11-21"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr of one call."""
    code = main(arguments)
    printed = capsys.readouterr()
    return code, printed.out, printed.err
