"""The verbs as tools for agents, driven by the SDK's own client over stdio."""

import json
import subprocess
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import jsonschema
import pytest

from planner import api
from planner.api.verbs import VERBS
from tests.api.test_api import BILL
from tests.facts import CATALOGUE, DAY
from tests.house import ROOT

mcp = pytest.importorskip("mcp")
ON = {"day": DAY.isoformat()}
CALLS: dict[str, dict[str, Any]] = {
    "ask": {"line": "64 h100 in germany for 3 months"},
    "plan": {"plan": "gpus=8&years=3"},
    "actuals": {"plan": "gpus=8&years=3", "charges": BILL},
    "compare": {"plans": ["startup", {"years": 2}]},
    "cheapest": {"plan": "train=Llama-3.1-8B&tokens=1e11", "only": "h100 sxm", "counts": "8"},
    "prices": {"accelerator": "h100", "gpus": 8},
    "train": {"model": "llama-3-8b", "accelerator": "h100 sxm", "tokens": 1_000_000_000_000},
    "serve": {"model": "llama-3.1-8b", "accelerator": "h100 sxm", "requests_per_s": 5},
}
MOST_CHARACTERS = 6_000


def driven(talk: Callable[[Any], Coroutine[Any, Any, None]]) -> None:
    """Let a client of the SDK talk with `python -m planner mcp`, on the frozen catalogue."""
    command = ["-m", "tests.frozen", "planner/__main__.py", "mcp"]
    server = mcp.StdioServerParameters(command=sys.executable, args=command, cwd=str(ROOT))

    async def run() -> None:
        async with mcp.Client(mcp.stdio_client(server)) as client:
            await talk(client)

    anyio.run(run)


@pytest.mark.slow
def test_an_agent_calls_every_tool_and_reads_the_catalogue() -> None:
    async def talk(client: Any) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == set(VERBS) == set(CALLS)
        for name, values in CALLS.items():
            jsonschema.validate({**values, **ON}, tools[name].input_schema)
            told = await client.call_tool(name, {**values, **ON})
            assert not told.is_error, told.content
            small = told.structured_content
            jsonschema.validate(small, tools[name].output_schema)
            assert json.loads(told.content[0].text) == small
            assert len(told.content[0].text) < MOST_CHARACTERS
            assert small["title"]
            assert small["figures"]
            assert any(figure["low"] is not None for figure in small["figures"])
            assert small["day"] == DAY.isoformat()
            assert small["catalogue_digest"] == CATALOGUE.digest
            assert all(source["url"] and source["checked"] for source in small["sources"]), name
            assert small["sources"] or name == "train", name
        resources = [str(each.uri) for each in (await client.list_resources()).resources]
        assert "catalogue://accelerators" in resources
        listed = json.loads((await client.read_resource("catalogue://accelerators")).contents[0].text)
        assert listed["H100-SXM5-80GB"]
        facts = json.loads((await client.read_resource("catalogue://facts/rtx 4090")).contents[0].text)
        assert any(row["source_url"] for row in facts["facts"])
        assert (await client.list_resource_templates()).resource_templates[0].uri_template == "catalogue://facts/{name}"

    driven(talk)


@pytest.mark.slow
def test_the_figures_are_those_of_the_plan_and_a_refusal_says_what_to_ask() -> None:
    async def talk(client: Any) -> None:
        told = (await client.call_tool("plan", {"plan": "gpus=8&years=3", **ON})).structured_content
        plan = api.plan("gpus=8&years=3", day=DAY)
        assert told["title"] == plan["title"]
        assert [figure["value"] for figure in told["figures"]] == [each["present_p50_usd"] for each in plan["options"]][
            :10
        ]
        asked = (await client.call_tool("ask", {"line": "64 h100 in germany for 3 months", **ON})).structured_content
        assert asked["title"] == api.ask("64 h100 in germany for 3 months", day=DAY)["answer"]["title"]
        read = "Read as: Run 64 H100 SXM5 80 GB for 3 months in Germany in colocation busy 100% rented nearby."
        assert asked["sentences"][0] == read
        assert asked["sentences"][1].startswith("Taken as: 64 h100 = ")
        assert (await client.call_tool("plan", {"plan": asked["link"], **ON})).structured_content["title"] == asked[
            "title"
        ]
        for name, values, sentence in (
            ("ask", {"line": "8 h100 in georgia"}, "Georgia, the country: ask '8 h100 in GE'."),
            ("plan", {"plan": "gpu=h1000"}, "Did you mean H"),
            ("plan", {}, "plan: want 1 plans, got 0."),
            ("train", {"model": "llama-3-8b"}, "accelerator: missing."),
            ("compare", {"plans": [1, 2]}, "1 is no plan"),
            ("prices", {"gpus": "many"}, "gpus: want "),
            ("nothing", {}, "There is no tool nothing; there are plan, ask"),
        ):
            refused = await client.call_tool(name, values)
            assert refused.is_error, name
            assert sentence in refused.content[0].text

    driven(talk)


@pytest.mark.slow
def test_without_the_sdk_one_sentence_says_how_to_get_it() -> None:
    script = "import sys; sys.modules['mcp'] = None; from planner.cli import main; sys.exit(main(['mcp']))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "mcp needs the official SDK: pip install -r requirements-mcp.txt.\n"
