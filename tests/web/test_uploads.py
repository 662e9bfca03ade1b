"""A file of which nothing can be used leaves what was in use as it was, and the page says so."""

import pytest
from streamlit.testing.v1 import AppTest

from pricing import load_catalogue
from tests.evidence.mine import as_csv, own_rows
from tests.web.test_pages import visit

pytestmark = pytest.mark.slow

QUOTES = "kind,provider,accelerator,accelerators_per_instance,purchase,usd_per_accelerator_hour\n"
GOOD = QUOTES + "offer,Ours,H100 SXM5 80GB,8,on_demand,1.95\n"
NONE_GOOD = QUOTES + "offer,Ours,H100 SXM5 80GB,8,on_demand,free\noffer,Ours,no such chip,8,on_demand,2\n"


def bring(app: AppTest, key: str, name: str, content: str) -> AppTest:
    """Upload a file."""
    return app.file_uploader(key=key).upload(name, content.encode()).run()


def test_quotes_of_which_none_can_be_used_leave_those_before() -> None:
    app = visit("Compare")
    app.query_params["view"] = "Your own prices"
    app.run()
    bring(app, "quote_file", "good.csv", GOOD)
    before = app.session_state["quotes"]
    assert len(before.offers) == 1
    bring(app, "quote_file", "none.csv", NONE_GOOD)
    assert app.session_state["quotes"] is before
    said = app.error[0].value.replace("\\", "")
    assert "none.csv has no row that can be used" in said
    assert "no such chip" in said
    assert "Nothing was changed" in said


def test_runs_of_which_none_can_be_used_leave_those_before() -> None:
    app = visit("Speed")
    app.query_params["speed"] = "Your own runs"
    app.run()
    bring(app, "runs_file", "runs.csv", as_csv(own_rows(load_catalogue(), "training", (0.8, 0.82))))
    before = app.session_state["own_runs"]
    assert before is not None
    bring(app, "runs_file", "none.csv", "id,accelerator,model\n1,no such chip,no such model\n")
    assert app.session_state["own_runs"] is before
    assert "Nothing was changed" in app.error[-1].value.replace("\\", "")


@pytest.mark.parametrize("content", ["", "years: 300", "accelerator: no-such-chip", "[1, 2]", "a: &x 1\nb: *x"])
def test_a_scenario_of_which_nothing_can_be_used_leaves_the_plan(content: str) -> None:
    app = visit("Answer")
    app.query_params["gpus"] = "16"
    app.session_state["share"] = True
    app.run()
    before = app.session_state["scenario"]
    app.file_uploader(key="scenario_file").upload("plan.yaml", content.encode()).run()
    assert app.session_state["scenario"] == before
    assert app.query_params["gpus"] == "16"
    assert app.error[0].value.casefold().count("nothing was changed") == 1
