"""`/api/v1` of the app as it is started: spreadsheets, pandas, a schema's fuzz, and beside the pages."""

import http.client
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

import pandas as pd
import pytest

from planner import api
from planner.web.serving.http_api import PER_MINUTE
from tests.crawl.files import rows_of
from tests.facts import DAY
from tests.started import App, app

pytestmark = pytest.mark.slow
_SECONDS = 40


@pytest.fixture(scope="module")
def served() -> Iterator[App]:
    with app(**{PER_MINUTE: "1000000"}) as running:
        yield running


def address(served: App, path: str) -> str:
    return f"{served.address}/api/v1/{path}"


def test_a_spreadsheet_and_pandas_read_an_address(served: App) -> None:
    where = address(served, f"plan.csv?gpus=8&table=results&day={DAY}")
    table = pd.read_csv(where)
    plan = api.plan("gpus=8", day=DAY)
    assert list(table["option"]) == [option["key"] for option in plan["options"]]
    assert list(table["present_usd"]) == pytest.approx([option["present_usd"] for option in plan["options"]])
    # As a web query asks: a plain GET of a program that calls itself Excel and keeps the name of the answer.
    with urlopen(Request(where, headers={"User-Agent": "Microsoft Office/16.0", "Accept": "*/*"})) as answer:
        assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
        assert [row["option"] for row in rows_of(answer.read())] == list(table["option"])
    payments = pd.read_csv(address(served, f"plan.csv?gpus=8&day={DAY}"), low_memory=False)
    paid = payments[payments["cash_or_noncash"] == "cash"].groupby("option")["amount"].sum()
    for option in plan["options"]:
        assert paid[option["key"]] == pytest.approx(option["total_cash_usd"], abs=0.01)
    offers = pd.read_csv(address(served, f"prices.csv?accelerator=h100&gpus=8&day={DAY}"))
    assert len(offers) == len(api.prices(accelerator="h100", gpus=8, day=DAY)["offers"])


def test_one_connection_serves_many_and_known_answers_are_named(served: App) -> None:
    at = urlsplit(served.address)
    line = http.client.HTTPConnection(str(at.hostname), at.port, timeout=60)
    bodies, tags = [], set()
    for headers in ({}, {}, {"Accept-Encoding": "gzip"}):
        line.request("GET", f"/api/v1/plan?gpus=8&day={DAY}", headers=headers)
        answer = line.getresponse()
        assert answer.status == 200
        tags.add(answer.headers["ETag"].removeprefix("W/"))
        bodies.append(answer.read())
    assert bodies[0] == bodies[1]
    assert len(tags) == 1
    line.request("HEAD", f"/api/v1/plan?gpus=8&day={DAY}")
    head = line.getresponse()
    assert (head.status, head.read()) == (200, b"")
    line.request("GET", f"/api/v1/plan?gpus=8&day={DAY}", headers={"If-None-Match": next(iter(tags))})
    assert line.getresponse().status == 304
    line.close()


def test_what_is_too_large_is_refused_and_a_slow_answer_comes_beside_quick_ones(served: App) -> None:
    market = "cheapest?" + f"train=Llama-3.1-8B&tokens={quote('1e11')}&gpu=any&day={DAY}"
    told = json.load(urlopen(address(served, market), timeout=60))
    assert told["best"]["accelerator"]
    assert json.load(urlopen(address(served, "openapi.json")))["openapi"] == "3.1.0"
    assert "Traceback" not in served.said()


def test_the_interface_keeps_to_its_description(served: App, tmp_path: Path) -> None:
    """Schemathesis sends what the description allows, and what it does not."""
    settings = tmp_path / "schemathesis.toml"
    statuses = '["2xx", "422", "503"]'  # 422: understood, and without an answer, as a name that nobody knows
    settings.write_text(f"[checks.positive_data_acceptance]\nexpected-statuses = {statuses}\n")
    command = ["-m", "schemathesis.cli", "--config-file", str(settings), "--no-color", "run"]
    limits = ["--phases", "examples,coverage,fuzzing", "--request-timeout", "60"]
    limits += ["--max-time", str(_SECONDS), "--max-examples", "8"]
    done = subprocess.run(
        [sys.executable, *command, address(served, "openapi.json"), *limits],
        cwd=tmp_path, capture_output=True, text=True, timeout=10 * _SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6_000:]
    assert "Tested: 32" in done.stdout, done.stdout[-3_000:]
    assert "Traceback" not in served.said()


def test_a_page_is_served_as_before_and_a_table_is_no_page(served: App) -> None:
    with urlopen(f"{served.address}/") as page:
        assert b"<html" in page.read()
    with urlopen(address(served, f"ask.csv?line=8+h100&day={DAY}")) as table:
        assert pd.read_csv(io.BytesIO(table.read()))["Words"].iloc[0]
