"""How properties are searched: the same examples in CI, new ones on a developer's machine, few of them in a hurry.

And which facts the tests are given: the frozen ones, with no live prices over them.
"""

import gc
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from planner.web import workers
from tests import frozen

os.environ["RENT_OR_BUY_DATA"] = os.devnull + "/none"  # nobody's live prices; processes that a test starts have it too
os.environ.pop("RENT_OR_BUY_DATABASE", None)
frozen.freeze()  # before the first test module is read: many load the catalogue at the top
workers.PRELOAD.append("tests.frozen_too")  # in processes that tests start, too

# Files of tests stay in memory, where there is room for them and programs may be run: no database waits for a disk.
MEMORY = "/dev/shm"
if os.path.isdir(MEMORY) and shutil.disk_usage(MEMORY).free > 2e9 and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)

# No deadline: on two shared cores a slow example says nothing about the code.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.register_profile("quick", settings.get_profile("here"), max_examples=5)
settings.load_profile("ci" if os.environ.get("CI") else "here")


# What takes longest, longest first, then all else: workers take file after file and end together. All files of the
# browser stand together, as each worker starts one for as long as it needs it.
LONGEST = (
    "browser/test_undo.py", "browser/test_axe_states.py", "browser/test_answer.py", "browser/test_keyboard.py",
    "browser", "crawl/test_crawl.py", "report/test_workbook.py", "test_any_facts.py", "team",
    "study/test_sweep_rows.py", "crawl", "web/test_started.py", "pricing/feeds/test_edited_store.py", "kept",
    "test_change.py",
)  # fmt: skip
LARGEST_EXAMPLE = re.compile(r"\[.*research.lab", re.IGNORECASE)  # takes as long as all others together


@pytest.hookimpl(tryfirst=True)  # before anybody chooses by mark
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first, and mark the tests of the largest example as slow."""
    paths = [Path(__file__).parent / name for name in LONGEST]
    places: dict[Path, int] = {}
    for item in items:
        if LARGEST_EXAMPLE.search(item.nodeid):
            item.add_marker(pytest.mark.slow)
        if item.path not in places:
            both = {item.path, *item.path.parents}
            places[item.path] = next((place for place, path in enumerate(paths) if path in both), len(paths))
    items.sort(key=lambda item: places[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What collecting makes is kept to the end: the collector of garbage need not look through it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)  # catalogues are large and stay: looking through them is dear
        gc.enable()
