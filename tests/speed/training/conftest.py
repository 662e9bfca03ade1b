"""What these tests share: the catalogue."""

from __future__ import annotations

import pytest

from pricing import Catalogue, load_catalogue


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue()
