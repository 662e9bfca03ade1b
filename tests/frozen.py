"""The two catalogues of the tests: the frozen one, which almost every test is given, and the one that ships.

tests/conftest.py lets `load_catalogue` read tests/frozen_catalogue, so that a new price breaks no test of the program.
A test of the data that ship asks for `live_catalogue`. `python -m tests.frozen tools/serve.py 8501` runs a script of
the program on the frozen catalogue, in a process of its own.
"""

import runpy
import sys
from functools import lru_cache
from pathlib import Path

from planner.web import workers
from pricing import Catalogue
from pricing import load as loading
from pricing.catalogue import cache_dir

FROZEN = Path(__file__).resolve().parent / "frozen_catalogue"
LIVE = Path(loading.__file__).resolve().parent / "data"


def freeze() -> None:
    """From now on `load_catalogue` gives the frozen catalogue in this process."""
    loading.DATA = FROZEN
    loading.load_catalogue.cache_clear()


@lru_cache(maxsize=1)
def live_catalogue() -> Catalogue:
    """The catalogue that ships, read once."""
    return loading.load(LIVE, cache=cache_dir())


if __name__ == "__main__":
    freeze()
    workers.PRELOAD.append("tests.frozen_too")
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
