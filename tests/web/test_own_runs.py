"""Runs of one's own on the page: uploaded, used, listed, saved, and the shell says the same of the saved file."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from planner.cli import main
from planner.cli.common import OK
from planner.report.facts.assumptions import YOURS, assumption_rows, rows_table
from planner.scenario.file import SavedScenario, write_scenario
from planner.scenario.scenario import Scenario
from planner.study.plan_any import planned
from planner.web.show_assumptions import GROUP
from tests.evidence.mine import as_csv, own_rows
from tests.facts import CATALOGUE, DAY
from tests.web.test_questions import visit

pytestmark = pytest.mark.slow

TRAIN = {"train": "Llama-3-8B", "tokens": "1000000000000", "gpus": "64"}
VIEW = "Your own runs"


def upload(app: AppTest, text: str | bytes, name: str = "mine.csv") -> AppTest:
    data = text.encode() if isinstance(text, str) else text
    uploader = next(one for one in app.file_uploader if one.key == "runs_file")
    return uploader.set_value((name, data, "text/csv")).run()


def title(app: AppTest) -> str:
    return app.title[0].value.replace("\\", "")


def held(app: AppTest) -> dict[str, str]:
    said = {key: app.query_params[key] for key in app.query_params}
    return {key: text if isinstance(text, str) else text[0] for key, text in said.items()}


def listed(app: AppTest) -> str:
    """The one factor on the Assumptions page of the same plan."""
    page = visit("Assumptions", **held(app), **{GROUP: YOURS})
    (table,) = [each.value for each in page.dataframe if "Input" in each.value]
    (row,) = [row for row in table.to_dict("records") if row["Input"].startswith("measured speed")]
    return f"{row['Value']}, {row['Source']}"


def test_from_the_upload_to_the_saved_file_and_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    app = visit("Speed", **TRAIN, speed=VIEW)
    before = title(app)
    upload(app, as_csv(own_rows(CATALOGUE, "training", (0.78, 0.8, 0.82))))
    assert not app.exception
    assert title(app) == before  # only looked at so far
    assert "80% of the prediction for Llama 3 8B on H100 SXM5 80 GB" in " ".join(one.value for one in app.header)
    app.button(key="use-runs").click().run()
    assert not app.exception
    after = title(app)
    assert after != before
    assert any("Uses 3 runs of yours of this model" in one.value.replace("\\", "") for one in app.markdown)

    said = "0.8 times what is predicted, yours"
    assert said in listed(app)
    notes = rows_table(assumption_rows(planned(CATALOGUE, app.session_state["memory"]["scenario"], DAY), ()))["Note"]
    assert any("3 runs (mine.csv)" in str(note) for note in notes)
    assert title(visit("Speed", **held(app))) == after  # the link carries them

    scenario: Scenario = app.session_state["memory"]["scenario"]
    path = tmp_path / "saved.yaml"
    path.write_text(write_scenario(SavedScenario(scenario, DAY, CATALOGUE.digest)), encoding="utf-8")
    assert main(["plan", str(path)]) == OK
    days = after.split(" in ")[1].split(" days")[0]
    assert f"takes {days} days" in capsys.readouterr().out

    app.button(key="drop-runs").click().run()
    assert title(app) == before
    assert "also" not in app.query_params


@pytest.mark.parametrize(("text", "wish"), [
    pytest.param("id,model\n1,2\n", "line 1: no column says what was measured", id="columns"),
    pytest.param(b"PK\x03\x04\xff" + bytes(200), "want UTF-8 text", id="picture"),
    pytest.param(as_csv(own_rows(CATALOGUE, "training", (0.8,)) * 5_001), "5,001 runs, want at most 5,000", id="rows"),
])  # fmt: skip
def test_a_table_that_cannot_be_used_changes_nothing(text: str | bytes, wish: str) -> None:
    app = upload(visit("Speed", **TRAIN, speed=VIEW), text)
    assert not app.exception
    said = app.error[0].value.replace("\\", "")
    assert wish in said
    assert said.endswith("Nothing was changed.")
    assert not [one for one in app.button if one.key == "use-runs"]


def test_without_a_model_runs_can_be_brought_too() -> None:
    app = upload(visit("Speed", speed=VIEW), as_csv(own_rows(CATALOGUE, "serving", (1.2, 1.3))))
    assert not app.exception
    app.button(key="use-runs").click().run()
    assert not app.exception
    assert app.session_state["memory"]["scenario"].measured[0].engine == "vllm"


def test_a_plan_that_says_too_much_for_a_link_is_told_and_kept() -> None:
    app = visit("Speed", **TRAIN, speed=VIEW, also='{"work":[{"label":"%s"}]}' % ("x" * 100))
    rows = [
        row | {"model": f"=a model of our own, number {number}" + "x" * 120}
        for number in range(20)
        for row in own_rows(CATALOGUE, "training", (0.8, 0.9), params_b="8", layers="32", hidden="4096", heads="32",
                            ffn_hidden="14336", vocab="128256", model="ours")
    ]  # fmt: skip
    upload(app, as_csv(rows))
    assert not app.exception
    assert any("4 factors of the fewest runs left out" in one.value for one in app.markdown)
    before = title(app)
    app.button(key="use-runs").click().run()
    assert not app.exception
    assert "more than a link can hold" in app.error[0].value.replace("\\", "")
    assert title(app) == before
