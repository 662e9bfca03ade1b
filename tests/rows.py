"""One test for all rows of a table: it tries every row and names all that fail. And which rows wait for `make test`.

A row is no test of its own here, as the start and the report of a test cost more than most rows do.
"""

import functools
import inspect
import traceback
from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest

_LONGEST = 120  # characters that name a row

Test = Callable[..., None]


def each_row(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Call a test with every row, like `pytest.mark.parametrize`, but as one test: its fixtures serve all rows."""
    arguments = (names,) if isinstance(names, str) else names
    table = [(row,) if isinstance(names, str) else tuple(row) for row in rows]
    assert table, "a table without rows tests nothing"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def all_rows(**fixtures: Any) -> None:
            __tracebackhide__ = True
            failures = [failure for row in table if (failure := _failure(test, arguments, row, fixtures))]
            if failures:
                pytest.fail(f"{len(failures)} of {len(table)} rows fail:\n" + "\n".join(failures), pytrace=False)

        signature = inspect.signature(test)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in arguments]
        all_rows.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return all_rows

    return decorate


def slow_except(quick: Collection[Any], values: Iterable[Any]) -> list[Any]:
    """Return values for `parametrize`: `make quick` tries those of `quick`, `make test` tries all."""
    return [value if value in quick else pytest.param(value, marks=pytest.mark.slow) for value in values]


def _failure(test: Test, names: tuple[str, ...], row: tuple[Any, ...], fixtures: dict[str, Any]) -> str | None:
    try:
        test(**dict(zip(names, row, strict=True)), **fixtures)
    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  whatever is raised is reported with its row
        file = inspect.unwrap(test).__code__.co_filename
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        return f"{repr(row)[:_LONGEST]}: line {lines[-1] if lines else '?'}: {type(error).__name__}: {error}"
    return None
