"""`/api/v1` in this process: answers, refusals, what is kept and how often one may ask."""

import asyncio
import json
from typing import Any, NamedTuple
from urllib.parse import quote
from uuid import uuid4

import jsonschema
import pytest
from starlette.applications import Starlette

from planner import api
from planner.api.http import openapi
from planner.api.verbs import VERBS
from planner.scenario.link import PAGE_KEYS
from planner.scenario.question import KEYS
from planner.web.serving import http_api
from planner.web.serving.http_api import RateLimit
from planner.web.serving.web_app import PageHeadMiddleware
from tests.api.test_api import BILL
from tests.crawl.files import rows_of
from tests.facts import DAY
from tests.rows import each_row, slow_except
from tests.scenario.test_work import LARGE

AS_OF = f"asof={DAY}"


class Said(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def sentence(self) -> str:
        error = json.loads(self.body)["error"]
        assert error["status"] == self.status
        assert set(error) == {"status", "what", "sentence", "choices"}
        return str(error["sentence"])


def asked(path: str, body: bytes = b"", address: str = "192.0.2.1", **headers: str) -> Said:
    """What a client is sent."""
    served = PageHeadMiddleware(Starlette(routes=http_api.routes("")))
    said: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        said.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    named = {"host": "127.0.0.1", **headers}
    lines = [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items()]
    where, _, query = path.partition("?")
    scope = {
        "type": "http", "method": "POST" if body else "GET", "path": f"/api/v1/{where}", "root_path": "",
        "scheme": "http",
        "query_string": query.encode(), "headers": lines, "client": (address, 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    asyncio.run(served(scope, receive, send))
    told = {name.decode(): value.decode() for name, value in said[0]["headers"]}
    return Said(said[0]["status"], told, b"".join(one.get("body", b"") for one in said[1:]))


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_api, "LIMIT", RateLimit({}))
    another = uuid4().bytes  # the program of each test, so that no answer of the test before is known
    monkeypatch.setattr(http_api, "_program", lambda: another)


ASKED = {
    "plan": ("gpus=8&gpu=H100-SXM5-80GB", {"scenario": "gpus=8&gpu=H100-SXM5-80GB"}),
    "ask": ("line=64+h100+in+germany", {"line": "64 h100 in germany"}),
    "compare": ("plan=gpus%3D8&plan=startup", {"scenarios": ["gpus=8", "startup"]}),
    "cheapest": ("train=Llama-3.1-8B&tokens=1e11&only=h100%20sxm&counts=8", {
        "scenario": "train=Llama-3.1-8B&tokens=1e11", "only": "h100 sxm", "counts": "8"}),
    "prices": ("gpus=8&accelerator=h100&all=true", {"gpus": 8, "accelerator": "h100", "all": True}),
    "train": ("model=llama-3-8b&accelerator=h100+sxm&tokens=1T",
        {"model": "llama-3-8b", "accelerator": "h100 sxm", "tokens": 1e12}),
    "serve": ("model=llama-3.1-8b&accelerator=h100+sxm&requests_per_s=5",
        {"model": "llama-3.1-8b", "accelerator": "h100 sxm", "requests_per_s": 5.0}),
}  # fmt: skip


@pytest.mark.parametrize("name", slow_except(("prices",), ASKED))
def test_a_link_gives_what_python_gives(name: str) -> None:
    query, named = ASKED[name]
    answer = asked(f"{name}?{query}&day={DAY}")
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"] == "application/json"
    told = json.loads(answer.body)
    assert told == getattr(api, name)(**named, day=DAY)
    document = openapi()
    schema = document["paths"][f"/api/v1/{name}"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.validate(told, {**schema, "components": document["components"]})


@pytest.mark.parametrize("name", slow_except(("ask", "prices", "train", "serve"), ASKED))
def test_every_answer_is_a_table_too(name: str) -> None:
    answer = asked(f"{name}.csv?{ASKED[name][0]}&day={DAY}")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert len(rows_of(answer.body)) >= 1


@pytest.mark.slow
def test_a_plan_is_posted_as_yaml_and_as_json() -> None:
    first = asked(f"plan?day={DAY}", b"years: 2\nwork:\n- accelerators: 16\n", content_type="application/yaml")
    again = asked(f"plan?day={DAY}", b'{"years": 2, "work": [{"accelerators": 16}]}', content_type="application/json")
    assert first.status == again.status == 200
    assert json.loads(first.body) == json.loads(again.body)
    results = rows_of(asked(f"plan.csv?day={DAY}&table=results", b"years: 2\n").body)
    assert {row["option"] for row in results} >= {"own", "on_demand"}
    for table in ("assumptions", "profit", "accounting"):
        assert rows_of(asked(f"plan.csv?day={DAY}&table={table}", b"years: 2\n").body), table
    job = json.dumps({"model": "llama-3-8b", "accelerator": "h100 sxm", "day": str(DAY)}).encode()
    assert json.loads(asked("train", job).body)["fits"] is True
    plans = json.dumps({"plans": [{"years": 2}, {"years": 3}]}).encode()
    assert len(json.loads(asked(f"compare?day={DAY}", plans).body)["plans"]) == 2


def test_an_answer_that_is_known_is_not_sent_again_and_not_calculated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = asked(f"prices?accelerator=h100&day={DAY}")
    monkeypatch.setattr(http_api, "respond", lambda *_: pytest.fail("calculated again"))
    assert asked(f"prices?accelerator=h100&day={DAY}") == first
    there = asked(f"prices?accelerator=h100&day={DAY}", if_none_match=first.headers["etag"])
    assert (there.status, there.body) == (304, b"")
    assert first.headers["cache-control"] == "no-cache"


def test_another_question_day_or_program_is_another_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    questions = (f"gpus=8&day={DAY}", "gpus=8&day=2026-11-20", f"gpus=9&day={DAY}")
    tags = {asked(f"prices?accelerator=h100&{question}").headers["etag"] for question in questions}
    monkeypatch.setattr(http_api, "_program", lambda: b"another")
    tags.add(asked(f"prices?accelerator=h100&{questions[0]}").headers["etag"])
    assert len(tags) == 4


@each_row(("path", "body", "status", "sentence"), [
    ("plan?gpus=0", b"", 400, "gpus = 0, outside 1 to 1,000,000."),
    ("plan?gpus=8&gpus=9", b"", 400, "gpus: want it once."),
    ("plan?gpuz=8", b"", 400, "gpuz: no such key; did you mean gpu?"),
    ("plan?gpus=8&also=Y", b"", 422, "also: want keys of a file with their values, such as {own: {place: home}}."),
    ("plan?also={", b"", 422, "also, line 2: not YAML"),
    ("plan?also=[1]", b"", 422, ""),
    ("plan?gpu=h1000", b"", 422, "accelerator: No accelerator is called 'h1000'"),
    ("plan?" + quote("gpus") + "=%ff", b"", 400, "UTF-8"),
    ("plan?table=sums", b"", 400, "table: want "),
    ("plan?day=1999-01-01", b"", 422, "day: want one from 2022-01-01 to 2099-12-31, got 1999-01-01."),
    ("plan?day=soon", b"", 400, "day: "),
    ("plan", b"years: 99", 422, "plan: Line 1: years: 99 must be 0.25 to 10"),
    ("plan", b"\xff\xfe", 422, ""),
    ("plan", b"a: &x 1\nb: *x", 422, ""),
    ("plan", b"[" * 5_000, 422, ""),
    ("plan", b"x" * 1_000_001, 413, "A file has at most 1,000,000 bytes: send less."),
    ("plan", b"years: 10\nwork: " + json.dumps(LARGE).encode(), 422, "What can be calculated"),
    ("compare?plan=startup", b"", 400, "compare: want 2 to 8 plans, got 1."),
    ("compare", b"{}", 400, 'want {"plans": [...]} as JSON.'),
    ("compare", b'{"plans": [1, 2]}', 400, ""),
    ("ask", b"", 400, "line: "),
    ("ask?line=8+h100+in+georgia", b"", 422, "Which is meant by georgia"),
    ("prices?gpus=many", b"", 400, "gpus: want "),
    ("prices", b"not json", 400, "want an object of fields as JSON."),
    ("train?model=llama-3-8b", b"", 400, "accelerator: missing."),
    ("train?model=nothing-8b&accelerator=h100+sxm", b"", 422, "nothing-8b"),
    ("train?model=resnet-50&accelerator=h100+sxm&images=5&epochs=2", b"", 422, "images or epochs"),
    ("cheapest?counts=8", b"", 400, "need a job"),
    ("nothing", b"", 404, "There is no such answer; there are actuals, actuals.csv, "),
])  # fmt: skip
def test_a_refusal_is_one_sentence_of_one_shape(path: str, body: bytes, status: int, sentence: str) -> None:
    refused = asked(path, body)
    assert refused.status == status, refused.body
    assert sentence in refused.sentence
    assert refused.sentence.endswith((".", "?"))
    assert "\n" not in refused.sentence
    assert "etag" not in refused.headers


def test_the_description_names_the_path_of_the_server() -> None:
    described = openapi("/tools/plans")
    assert described["servers"] == [{"url": "/tools/plans"}]
    assert {**json.loads(asked("openapi.json").body), "servers": described["servers"]} == described


def test_an_open_question_says_what_to_ask() -> None:
    choices = json.loads(asked("ask?line=8+h100+in+georgia").body)["error"]["choices"]
    assert choices == {"Georgia, the country": "8 h100 in GE", "Georgia, United States": "8 h100 in US-GA"}


def test_another_name_of_this_server_gets_no_answer() -> None:
    assert asked("prices", host="evil.example").status == 403


def test_an_address_that_asks_too_often_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_api, "LIMIT", RateLimit({http_api.PER_MINUTE: "2"}))
    pages = [asked(f"prices?accelerator=h100&gpus={count}&day={DAY}") for count in (1, 2, 3)]
    assert [page.status for page in pages] == [200, 200, 429]
    assert pages[2].sentence == "At most 2 new answers a minute for an address: wait 30 seconds."
    assert pages[2].headers["retry-after"] == "30"
    assert asked(f"prices?accelerator=h100&gpus=1&day={DAY}").status == 200  # known: it counts for nothing
    assert asked(f"prices?accelerator=h100&gpus=3&day={DAY}", address="192.0.2.2").status == 200
    ours, neighbour, other = ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")
    assert [asked(f"ask?line=8+h100&from={one[-1]}", address=one).status for one in (ours, neighbour)] == [400, 400]
    assert asked("ask?line=9+h100", address=ours).status == 429
    assert asked("ask?line=9+h100", address=other).status == 200


def test_a_rate_comes_back_with_time_and_addresses_are_forgotten() -> None:
    limit = RateLimit({http_api.PER_MINUTE: "60"})
    assert [limit.wait_s("a", 0.0) for _ in range(60)] == [0.0] * 60
    assert limit.wait_s("a", 0.0) == 1.0
    assert limit.wait_s("a", 1.0) == 0.0
    assert RateLimit({http_api.PER_MINUTE: "none"}).per_minute == 60
    for number in range(20_000):
        limit.wait_s(str(number), 1.0)
    assert len(limit._left) == 10_000


@pytest.mark.slow
def test_a_bill_is_posted_beside_the_link_of_its_plan_and_gives_the_rest_as_a_plan() -> None:
    said = asked(f"actuals?gpus=8&years=3&{AS_OF}", BILL.encode())
    answer = json.loads(said.body)
    assert said.status == 200, said.body
    assert answer["actuals"]["billed_by_month_usd"] == [900]
    rest = answer["actuals"]["rest"]
    again = json.loads(asked(f"plan?{rest['link']}").body)
    assert (again["title"], again["day"], again["years"]) == (rest["title"], rest["day"], pytest.approx(35 / 12))
    assert again["scenario"]["rent"]["usd_per_accelerator_hour"] == 3.0
    assert b"Billed" in asked(f"actuals.csv?gpus=8&years=3&{AS_OF}", BILL.encode()).body


def test_a_bill_that_cannot_be_read_is_refused() -> None:
    assert "line 2, BilledCost: 'x' is given" in asked(f"actuals?{AS_OF}", BILL.replace("900", "x").encode()).sentence
    assert "5,000,000 bytes" in asked("actuals?gpus=8", b"x" * 5_000_001).sentence
    assert asked("actuals?gpus=8").status == 400


def test_no_field_of_a_request_is_a_key_of_links() -> None:
    for verb in VERBS.values():
        if verb.most == 1:
            assert not verb.request.model_fields.keys() & ({"also", *KEYS} | PAGE_KEYS)
