"""Pages are looked at on one day, as in tests/web, and calculated outside of a page without a warning."""

import logging

from tests.web.conftest import today  # noqa: F401 - a fixture

logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
