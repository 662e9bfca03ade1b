"""Before the first visitor comes: load what he would wait for, and reckon what he sees first.

Loading takes two to three seconds of one core: numpy's and scipy's parts, plotly, the pages, the catalogue.
"""

from __future__ import annotations

import importlib
import pkgutil

from planner.web import pages, state


def get_ready() -> None:
    """Every page loaded, and the answer to the question that the page opens with."""
    for page in pkgutil.iter_modules(pages.__path__):
        importlib.import_module(f"{pages.__name__}.{page.name}")
    state.open_with_answer()
