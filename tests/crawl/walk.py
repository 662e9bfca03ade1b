"""Walks through everything that shows a figure of one plan: pages with all tabs and boxes, reports, files, verbs."""

import re
from collections.abc import Iterable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from planner.scenario.link import scenario_to_link
from planner.scenario.scenario import Scenario
from planner.web import show, state
from planner.web.pages import answer, assumptions, compare, speed, what_if
from tests.crawl.engine import read_engine
from tests.crawl.figures import Figures
from tests.crawl.pages import PageReader
from tests.crawl.verbs import Say, VerbReader
from tests.facts import CATALOGUE, DAY
from tests.web.test_pages import visit

View = tuple[str, str, str]  # a page, the key of its tabs in the address, and one of them
WEB = Path(show.__file__).parent
COMPARE_VIEWS = compare.VIEWS[:-1]
VIEWS_OF = {"Answer": ("look", answer.VIEWS), "Speed": ("speed", speed.VIEWS), "What if": ("turn", what_if.VIEWS),
         "Compare": ("view", COMPARE_VIEWS), "Assumptions": (assumptions.KEY, assumptions.VIEWS[:1])}  # fmt: skip
VIEWS = tuple((page, key, view) for page, (key, views) in VIEWS_OF.items() for view in views)
MARKET = ("Speed", "speed", speed.VIEWS[0])  # all candidates of a training: takes as long as all else
_BOXES = re.compile(r'\b(?:on_demand|table)\(\s*"([\w-]+)"')
BOXES = sorted({key for path in WEB.rglob("*.py") for key in _BOXES.findall(path.read_text())})


def crawl(scenario: Scenario, folder: Path, say: Say, views: Iterable[View]) -> Figures:
    """Return all figures of a plan. `say` gives what a verb printed since it was last called."""
    figures, result = Figures(), state.shared_result(CATALOGUE, scenario, DAY, with_details=True)
    read_engine(figures, result)
    VerbReader(figures, result, folder, say).read(with_market=MARKET in views)
    for page, key, view in views:
        app = opened(page, scenario, **({key: view} if key else {}))
        if key and view not in [tab.label for tab in app.tabs]:
            continue  # a plan has the views with news for it
        reader = PageReader(figures, result, page, view)
        reader.read(app)
        is_first = key and view == VIEWS_OF[page][1][0]  # the drawer is that of the page, whatever tab is open
        for place in range(1, len(reader.drawer_options(app)) if is_first else 0):
            app.session_state["explained"] = place
            reader.read_drawer(app.button(key="explain").click().run())
    return figures


def opened(page: str, scenario: Scenario, **views: str) -> AppTest:
    """Return a page with one of its tabs and all its boxes open, and the drawer of its numbers."""
    app = visit(page)
    for key, text in {**scenario_to_link(scenario), **views}.items():
        app.query_params[key] = text
    for key in BOXES:
        app.session_state[key] = True
    app.run()
    if any(button.key == "explain" for button in app.button):
        app.button(key="explain").click().run()
    assert not app.exception, (page, views, app.exception)
    return app
