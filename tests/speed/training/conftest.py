"""What these tests share: the catalogue."""

import pytest

from pricing import Catalogue, load_catalogue


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue()
