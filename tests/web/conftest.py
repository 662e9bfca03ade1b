"""Every page is looked at on the same day."""

import pytest

from planner.web import state
from tests.facts import DAY


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "today", lambda: DAY)
