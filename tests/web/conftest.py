"""Every page is looked at on the same day."""

import functools

import pytest
from streamlit.components.v2 import manifest_scanner

from planner.web import state
from tests.facts import DAY

# Streamlit reads the metadata of every installed package at each run of a page in a test: the same each time.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "today", lambda: DAY)
