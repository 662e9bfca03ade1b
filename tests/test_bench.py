"""Every measurement of `make bench` can be started: it yields lines, and loads without a GPU or its libraries."""

import importlib
import inspect

import pytest

from bench.__main__ import names


@pytest.mark.parametrize("name", names())
def test_each_measurement_yields_lines_and_needs_no_argument(name: str) -> None:
    main = importlib.import_module(f"bench.{name}").main
    assert inspect.isgeneratorfunction(main)
    assert not inspect.signature(main).parameters
