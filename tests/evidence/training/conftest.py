"""What these tests share: the catalogue, and a few published runs of many sources."""

import pytest

from pricing import Catalogue, load_catalogue
from tests.evidence.golden import training_rows


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.fixture(scope="session")
def rows() -> list[dict[str, str]]:
    return training_rows()
