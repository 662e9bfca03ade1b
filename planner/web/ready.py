"""Before the first visitor comes: load what he would wait for, and reckon what he sees first.

Loading takes two to three seconds of one core: numpy, pandas, scipy's solver, plotly, the pages, the catalogue.
"""

import importlib
import pkgutil

from planner.web import pages, state

# What is loaded where it is first used, so that a command line need not wait for it. A server loads it before.
LATER = ("pandas", "scipy.optimize")


def get_ready() -> None:
    """Every page loaded with all that it may use, and the answer to the question that the page opens with."""
    for library in LATER:
        importlib.import_module(library)
    for page in pkgutil.iter_modules(pages.__path__):
        importlib.import_module(f"{pages.__name__}.{page.name}")
    state.open_with_answer()
