"""The small catalogue for tests that change it, and the real one, read once."""

import pytest

from pricing.catalogue import Catalogue
from tests.frozen import live_catalogue
from tests.small_catalogue import small_catalogue, small_contents


@pytest.fixture
def contents() -> dict[str, bytes]:
    """The small catalogue's files, for this test alone."""
    return small_contents()


@pytest.fixture(scope="session")
def small() -> Catalogue:
    return small_catalogue()


@pytest.fixture(scope="session")
def real() -> Catalogue:
    return live_catalogue()


@pytest.fixture(scope="session")
def catalogue(real: Catalogue) -> Catalogue:
    return real
